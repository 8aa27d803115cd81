// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/backend.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../study/method_obstacle.hpp"
#include "method_refusal.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {
namespace {

/// Stands for sizes that no array has; fits the signed numbers of Result.
constexpr std::size_t largest_size = std::size_t{1} << 62;

/// No batch is larger: its q would not fit in memory.
constexpr std::size_t largest_batch = std::size_t{1} << 40;

/// Whether all arrays have the sizes that they must have and no link is named: what most calls are.
/// Sizes are worked out with the shapes as constants of the code, for a control loop checks them
/// every time. Where it says no, Checker finds out why, or that links are fine.
template <class Args>
inline __attribute__((always_inline)) bool fits_plainly(const Args& args, const Extents& extents,
                                                        std::size_t states) noexcept {
  bool fits = args.status.empty() || args.status.size() == args.batch;
  for_each_field_index<Args>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
    constexpr auto field = std::get<k>(fields_of<Args>);
    if constexpr (requires { field.array; }) {
      const std::size_t size = (args.*field.array).size();
      std::size_t expected = 0;
      const bool overflows =
          __builtin_mul_overflow(states, field.shape.numbers(extents), &expected);
      const bool left_out = field.presence == Presence::optional && size == 0;
      fits = fits && (left_out || (size == expected && !overflows));
    } else if constexpr (requires { field.links; }) {
      fits = false;
    } else if constexpr (requires { field.wrenches; }) {
      const auto& f_ext = args.*field.wrenches;
      fits = fits && f_ext.links.empty() && f_ext.wrenches.empty();
    }
  });
  return fits;
}

/// Checks the arguments of one call in the order of their fields; remembers the first fault.
class Checker {
 public:
  /// `states`: how many the arrays hold, which for Layout::lanes can be more than the batch.
  Checker(const Model& model, const Extents& extents, std::size_t batch,
          std::size_t states) noexcept
      : model_(model), extents_(extents), batch_(batch), states_(states) {}

  /// `on_host(argument, array)` refuses an array that the host cannot read.
  template <class Args, class OnHost>
  Result check(const Args& args, const OnHost& on_host) noexcept {
    for_each_field<Args>(FieldVisitor{
        [&]<class A, class Real>(const InputField<A, Real>& field) {
          array(field.argument, args.*field.array, field.shape, field.presence);
        },
        [&]<class A, class Real>(const OutputField<A, Real>& field) {
          array(field.argument, args.*field.array, field.shape, field.presence);
        },
        [&]<class A>(const LinksField<A>& field) { links(args.*field.links, on_host); },
        [&]<class A, class Wrenches>(const WrenchesField<A, Wrenches>& field) {
          const Wrenches& f_ext = args.*field.wrenches;
          links(f_ext.links, on_host);
          array(Argument::wrenches, f_ext.wrenches, {Extent::links, 6}, Presence::required);
        },
        []<class A, class Choice>(const ChoiceField<A, Choice>&) {}});
    if (result_.ok() && !args.status.empty() && args.status.size() != batch_) {
      refuse(Code::wrong_size, Argument::status, batch_, args.status.size());
    }
    return result_;
  }

 private:
  template <class T>
  void array(Argument argument, std::span<T> array, const StateShape& shape,
             Presence presence) noexcept {
    if (!result_.ok() || (array.empty() && presence == Presence::optional)) return;
    std::size_t expected = 0;
    if (__builtin_mul_overflow(states_, shape.numbers(extents_), &expected) ||
        expected > largest_size) {
      expected = largest_size;
    }
    if (array.size() == expected) return;
    refuse(array.empty() ? Code::missing : Code::wrong_size, argument, expected, array.size());
  }

  template <class OnHost>
  void links(std::span<const int> links, const OnHost& on_host) noexcept {
    extents_.links = links.size();
    if (result_.ok()) result_ = on_host(Argument::links, links);
    if (!result_.ok()) return;
    const auto count = static_cast<std::int64_t>(model_.links().size());
    for (const int link : links) {
      if (link < 0 || link >= count) {
        result_ = {Code::out_of_range, Argument::links, count, link};
        return;
      }
    }
  }

  void refuse(Code code, Argument argument, std::size_t expected, std::size_t actual) noexcept {
    result_ = {code, argument, static_cast<std::int64_t>(expected),
               static_cast<std::int64_t>(actual)};
  }

  const Model& model_;
  Extents extents_;
  std::size_t batch_, states_;
  Result result_;
};

/// The batch rounded up to whole groups of lanes.
std::size_t states_of(std::size_t batch, Layout layout, std::size_t lane_width) noexcept {
  const std::size_t width = layout == Layout::lanes ? lane_width : 1;
  return (batch + width - 1) / width * width;
}

std::int64_t nonzeros_of(const Extents& extents) noexcept {
  return static_cast<std::int64_t>(extents.nonzeros);
}

/// The methods that a call of this kind takes, those of the literature after prepare.
template <class Real>
MethodSet accepted_methods(const BasicBackend<Real>& backend, const MethodUse& use) noexcept {
  MethodSet methods;
  for (const ForwardMethod method : all_forward_methods) {
    if (backend.accepts(method, use)) methods.insert(method);
  }
  return methods;
}

template <class Real>
MethodUse use_of(const BasicForwardDynamics<Real>& args) noexcept {
  return {args.layout, !args.f_ext.links.empty()};
}

}  // namespace

template <class Real>
void BasicBackend<Real>::configure(std::shared_ptr<const Model> model,
                                   const BackendOptions& options) {
  model_.reset();
  if (model == nullptr) throw std::invalid_argument("configure: the model is null");
  if (options.max_batch == 0)
    throw std::invalid_argument("configure: max_batch is 0, expected at least 1");
  if (options.max_batch > largest_batch) {
    throw std::invalid_argument("configure: max_batch is " + std::to_string(options.max_batch) +
                                ", expected at most " + std::to_string(largest_batch));
  }
  if (options.threads < 1) {
    throw std::invalid_argument("configure: threads is " + std::to_string(options.threads) +
                                ", expected at least 1");
  }
  if (options.spin_us < 0 || options.spin_us > largest_spin_us) {
    throw std::invalid_argument("configure: spin_us is " + std::to_string(options.spin_us) +
                                ", expected 0 to " + std::to_string(largest_spin_us) +
                                " microseconds");
  }
  published_ = {};
  state_ = {};
  do_configure(*model, options);
  options_ = options;
  extents_ = {.nq = static_cast<std::size_t>(model->nq()),
              .nv = static_cast<std::size_t>(model->nv()),
              .nonzeros = static_cast<std::size_t>(mass_matrix_nonzeros(*model)),
              .parameters = static_cast<std::size_t>(model->body_count()) * parameters_per_body};
  capabilities_ = do_capabilities();
  model_ = std::move(model);
}

// ---- methods of forward dynamics ----------------------------------------------------------------

template <class Real>
bool BasicBackend<Real>::offers(ForwardMethod method) const noexcept {
  if (!configured()) return false;
  switch (method) {
    case ForwardMethod::automatic:
      return offers(ForwardMethod::aba) || offers(ForwardMethod::crba);
    case ForwardMethod::crba:
      return model_->nv() <= capabilities_.largest_nv_by_crba;
    case ForwardMethod::aba:
      return !model_->has_mimic();
    case ForwardMethod::two_port:
      return capabilities_.two_port;
    default: {
      const std::optional<PublishedMethod> published = published_method_of(method);
      return published && published_.offers(*published);
    }
  }
}

/// Whether layout and wrenches of the call leave it a method that is offered.
template <class Real>
bool BasicBackend<Real>::allows(ForwardMethod method, const MethodUse& use) const noexcept {
  switch (method) {
    case ForwardMethod::automatic:
      return !model_->has_mimic() || allows(ForwardMethod::crba, use);
    case ForwardMethod::aba:
      return true;
    case ForwardMethod::crba:
      return model_->nv() <= largest_nv_by_crba(use.layout);
    case ForwardMethod::two_port:
      return use.layout == Layout::rows || capabilities_.two_port_in_lanes;
    default:
      return !use.wrenches;
  }
}

template <class Real>
int BasicBackend<Real>::largest_nv_by_crba(Layout layout) const noexcept {
  const int in_rows = capabilities_.largest_nv_by_crba;
  return layout == Layout::rows ? in_rows
                                : std::min(in_rows, capabilities_.largest_nv_by_crba_in_lanes);
}

template <class Real>
bool BasicBackend<Real>::accepts(ForwardMethod method, const MethodUse& use) const noexcept {
  if (!configured() || !allows(method, use)) return false;
  const std::optional<PublishedMethod> published = published_method_of(method);
  return published ? !obstacle_to(*model_, *published, nonzeros_of(extents_)) : offers(method);
}

template <class Real>
void BasicBackend<Real>::prepare(ForwardMethod method, const MethodUse& use) {
  if (!configured()) {
    throw std::invalid_argument(
        "prepare: the backend is not configured; call configure with a model first");
  }
  if (offers(method) && allows(method, use)) return;
  if (const std::string reason = why_not(method, use); !reason.empty()) {
    const std::string others = accepted_methods(*this, use).names();
    throw std::invalid_argument(
        "method " + name_of(method) + " cannot be used on '" + model_->name() + "': " + reason +
        (others.empty() ? "; this backend has no method for it" : "; use " + others));
  }

  const std::optional<PublishedMethod> published = published_method_of(method);
  ForwardMethodsOptions options{.methods = {*published}, .friction = options_.friction};
  for (const PublishedMethod other : published_methods) {
    if (published_.offers(other)) options.methods.push_back(other);
  }
  ForwardMethods<Real> methods;
  methods.configure(model_, options);
  state_.resize(static_cast<std::size_t>(model_->nq() + 3 * model_->nv()));
  published_ = std::move(methods);
}

/// What a call gets whose method is not offered, or not for what else the call has.
template <class Real>
Result BasicBackend<Real>::refused(ForwardMethod method, const MethodUse& use) const noexcept {
  MethodRefusal refusal{method, accepted_methods(*this, use)};
  if (method == ForwardMethod::crba || method == ForwardMethod::automatic) {
    refusal.nv = model_->nv();
    refusal.largest_nv = largest_nv_by_crba(use.layout);
  }
  const bool by_wrenches = use.wrenches && accepts(method, {use.layout, false});
  return refusal.result(Code::unsupported, by_wrenches ? Argument::wrenches : Argument::method);
}

template <class Real>
std::string BasicBackend<Real>::why_not(ForwardMethod method, const MethodUse& use) const {
  if (!configured()) return "the backend is not configured";
  if (accepts(method, use)) return {};
  if (const std::optional<PublishedMethod> published = published_method_of(method)) {
    const MethodObstacle obstacle = obstacle_to(*model_, *published, nonzeros_of(extents_));
    return obstacle ? text_of(obstacle, *model_) : "it takes no f_ext";
  }
  const std::string here = "the backend " + name();
  if (method == ForwardMethod::crba || method == ForwardMethod::automatic) {
    return here + " keeps a dense mass matrix for it, " +
           (use.layout == Layout::lanes ? "in lanes " : "") +
           "up to nv = " + std::to_string(largest_nv_by_crba(use.layout)) + ", and nv is " +
           std::to_string(model_->nv());
  }
  for (const Joint& joint : model_->joints()) {
    if (joint.mimic) return "joint '" + joint.name + "' mimics another one";
  }
  if (offers(method)) return here + " computes it in rows, not in lanes";
  return here +
         " has no two-ports for this robot: they are for the backend tree, for cuda with bodies in "
         "parallel, and for a tree that is large enough to be cut at bodies that are not light";
}

template <class Real>
template <class T>
Result BasicBackend<Real>::on_host(Argument argument, std::span<T> array) noexcept {
  if (capabilities_.device == nullptr || array.empty()) return {};
  return capabilities_.device->refuse_on_device(argument, array.data());
}

template <class Real>
Result BasicBackend<Real>::by_published_method(PublishedMethod method,
                                               const ForwardDynamics& args) noexcept {
  for (Result refusal : {on_host(Argument::q, args.q), on_host(Argument::v, args.v),
                         on_host(Argument::tau, args.tau), on_host(Argument::qdd, args.qdd),
                         on_host(Argument::status, args.status)}) {
    if (refusal.code == Code::on_device) {
      return MethodRefusal{args.method, accepted_methods(*this, use_of(args)).own()}.result(
          refusal.code, refusal.argument);
    }
    if (!refusal.ok()) return refusal;
  }
  const auto nq = static_cast<std::size_t>(model_->nq());
  const auto nv = static_cast<std::size_t>(model_->nv());
  const std::size_t width = args.layout == Layout::lanes ? lane_width() : 1;
  const std::span<Real> memory(state_), q = memory.first(nq), v = memory.subspan(nq, nv),
                                        tau = memory.subspan(nq + nv, nv), qdd = memory.last(nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const auto at = [&](std::size_t k, std::size_t n) {
      return (s / width * n + k) * width + s % width;
    };
    const auto read = [&](std::span<const Real> array, std::span<Real> out) {
      for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = array.empty() ? Real(0) : array[at(k, out.size())];
      }
    };
    read(args.q, q);
    read(args.v, v);
    read(args.tau, tau);
    StateStatus status;
    // The sizes are those that it was configured for, so it has nothing to refuse.
    static_cast<void>(published_.forward_dynamics(method, q, v, tau, qdd, &status));
    for (std::size_t k = 0; k < nv; ++k) args.qdd[at(k, nv)] = qdd[k];
    if (!args.status.empty()) args.status[s] = status;
  }
  return {};
}

template <class Real>
std::string BasicBackend<Real>::explain(Operation, std::size_t) const {
  return name() + " computes everything";
}

// ---- calls --------------------------------------------------------------------------------------

template <class Real>
Result BasicBackend<Real>::compute(const Call& call) noexcept {
  if (!configured()) return {Code::not_configured, Argument::none, 0, 0};
  if (!offers(call.operation())) return not_offered(call.operation());
  if (call.batch() > options_.max_batch) {
    return {Code::batch_too_large, Argument::batch, static_cast<std::int64_t>(options_.max_batch),
            static_cast<std::int64_t>(call.batch())};
  }
  const std::size_t states = states_of(call.batch(), call.layout(), lane_width());
  return call.visit([&]<Operation operation>(OperationTag<operation>, const auto& args) {
    if (!fits_plainly(args, extents_, states)) [[unlikely]] {
      const Result result = check_closely(args, states);
      if (!result.ok()) return result;
    }
    if constexpr (operation == Operation::forward_dynamics) return forward(args);
    return args.batch == 0 ? Result{} : do_compute(call);
  });
}

/// The first fault of the arguments, or none. Apart from compute, which most calls pass without it.
template <class Real>
template <class Args>
[[gnu::noinline]] Result BasicBackend<Real>::check_closely(const Args& args,
                                                           std::size_t states) noexcept {
  Checker checker(*model_, extents_, args.batch, states);
  return checker.check(args,
                       [&](Argument argument, auto array) { return on_host(argument, array); });
}

/// Forward dynamics by the method that is asked for.
template <class Real>
Result BasicBackend<Real>::forward(const ForwardDynamics& args) noexcept {
  const MethodUse use = use_of(args);
  if (!offers(args.method) || !allows(args.method, use)) return refused(args.method, use);
  if (args.batch == 0) return {};
  if (const std::optional<PublishedMethod> published = published_method_of(args.method)) {
    return by_published_method(*published, args);
  }
  ForwardDynamics chosen = args;
  if (args.method == ForwardMethod::automatic) {
    chosen.method = model_->has_mimic() ? ForwardMethod::crba : ForwardMethod::aba;
  }
  return do_compute({OperationTag<Operation::forward_dynamics>{}, chosen});
}

template class BasicBackend<double>;
template class BasicBackend<float>;

}  // namespace rbd_parallel_core
