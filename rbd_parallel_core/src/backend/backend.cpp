// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/backend.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {
namespace {

/// Stands for sizes that no array has; fits the signed numbers of Result.
constexpr std::size_t largest_size = std::size_t{1} << 62;

/// No batch is larger: its q would not fit in memory.
constexpr std::size_t largest_batch = std::size_t{1} << 40;

/// Checks the arguments of one call in order; remembers the first fault.
class Checker {
 public:
  /// `states`: how many the arrays hold, which for Layout::lanes can be more than the batch.
  Checker(const Model* model, const BackendOptions& options, std::size_t batch,
          std::size_t states) noexcept
      : model_(model), batch_(batch), states_(states) {
    if (model == nullptr) {
      result_ = {Code::not_configured, Argument::none, 0, 0};
    } else if (batch > options.max_batch) {
      refuse(Code::batch_too_large, Argument::batch, options.max_batch, batch);
    }
  }

  /// Must be there, `columns` numbers for each state.
  template <class T>
  Checker& need(Argument argument, std::span<T> array, std::size_t columns) noexcept {
    std::size_t expected = 0;
    if (__builtin_mul_overflow(states_, columns, &expected)) expected = largest_size;
    if (result_.ok() && array.size() != expected) {
      refuse(array.empty() ? Code::missing : Code::wrong_size, argument, expected, array.size());
    }
    return *this;
  }
  /// May be left empty.
  template <class T>
  Checker& allow(Argument argument, std::span<T> array, std::size_t columns) noexcept {
    return array.empty() ? *this : need(argument, array, columns);
  }
  Checker& status(std::span<StateStatus> status) noexcept {
    if (result_.ok() && !status.empty() && status.size() != batch_) {
      refuse(Code::wrong_size, Argument::status, batch_, status.size());
    }
    return *this;
  }
  Checker& links(std::span<const int> links) noexcept {
    for (const int link : links) {
      if (result_.ok() && (link < 0 || static_cast<std::size_t>(link) >= model_->links().size())) {
        result_ = {Code::out_of_range, Argument::links,
                   static_cast<std::int64_t>(model_->links().size()), link};
      }
    }
    return *this;
  }
  /// What was found out about an argument elsewhere.
  Checker& accept(const Result& finding) noexcept {
    if (result_.ok()) result_ = finding;
    return *this;
  }
  template <class Real>
  Checker& wrenches(const BasicExternalWrenches<Real>& f_ext) noexcept {
    if (!result_.ok()) return *this;
    return links(f_ext.links).need(Argument::wrenches, f_ext.wrenches, 6 * f_ext.links.size());
  }

  std::size_t nq() const noexcept { return static_cast<std::size_t>(model_ ? model_->nq() : 0); }
  std::size_t nv() const noexcept { return static_cast<std::size_t>(model_ ? model_->nv() : 0); }
  bool ok() const noexcept { return result_.ok(); }
  Result result() const noexcept { return result_; }
  /// Nothing left to do: a fault, or no states.
  bool done() const noexcept { return !ok() || batch_ == 0; }

 private:
  void refuse(Code code, Argument argument, std::size_t expected, std::size_t actual) noexcept {
    result_ = {code, argument, static_cast<std::int64_t>(expected),
               static_cast<std::int64_t>(actual)};
  }

  const Model* model_;
  std::size_t batch_, states_;
  Result result_;
};

/// A Checker of the call with these arguments.
template <class Real, class Args>
Checker checker(const BasicBackend<Real>& backend, const Args& args) noexcept {
  const std::size_t width =
      args.layout == Layout::lanes && backend.configured() ? backend.lane_width() : 1;
  const std::size_t batch = std::min(args.batch, largest_batch);  // too large: refused anyway
  return {backend.configured() ? &backend.model() : nullptr, backend.options(), args.batch,
          (batch + width - 1) / width * width};
}

template <class Real>
Checker check_forces(const BasicBackend<Real>& backend, const BasicForces<Real>& args) noexcept {
  Checker check = checker(backend, args);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .need(Argument::tau, args.tau, check.nv())
      .status(args.status);
  return check;
}

constexpr Result not_offered{Code::unsupported, Argument::none, 0, 0};

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
  published_ = {};
  state_ = {};
  do_configure(*model, options);
  options_ = options;
  nonzeros_ = static_cast<std::size_t>(mass_matrix_nonzeros(*model));
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
      return model_->nv() <= largest_nv_by_crba();
    case ForwardMethod::aba:
      return !model_->has_mimic();
    case ForwardMethod::two_port:
      return goes_by_two_ports();
    default: {
      const std::optional<PublishedMethod> published = published_method_of(method);
      return published && published_.offers(*published);
    }
  }
}

template <class Real>
void BasicBackend<Real>::prepare(ForwardMethod method) {
  if (!configured()) {
    throw std::invalid_argument(
        "prepare: the backend is not configured; call configure with a model first");
  }
  if (offers(method)) return;
  const std::optional<PublishedMethod> published = published_method_of(method);
  const std::string reason =
      published ? refusal(*model_, *published) : why_not(method) + "; use " + other_methods();
  if (!reason.empty()) throw std::invalid_argument(reason);

  ForwardMethodsOptions options{.methods = {*published}, .friction = options_.friction};
  for (const PublishedMethod other : published_methods) {
    if (published_.offers(other)) options.methods.push_back(other);
  }
  ForwardMethods<Real> methods;
  methods.configure(model_, options);
  state_.resize(static_cast<std::size_t>(model_->nq() + 3 * model_->nv()));
  published_ = std::move(methods);
}

/// What a call with a method gets that is not offered.
template <class Real>
Result BasicBackend<Real>::refused(ForwardMethod method) const noexcept {
  if (method == ForwardMethod::crba || method == ForwardMethod::automatic) {
    return {Code::unsupported, Argument::method, largest_nv_by_crba(), model_->nv()};
  }
  return {Code::unsupported, Argument::method, 0, static_cast<std::int64_t>(method)};
}

/// Why this backend does not take a method that is none of the literature.
template <class Real>
std::string BasicBackend<Real>::why_not(ForwardMethod method) const {
  const std::string text =
      "method " + name_of(method) + " cannot be used on '" + model_->name() + "'";
  if (method == ForwardMethod::crba || method == ForwardMethod::automatic) {
    return text + " by the backend " + name() +
           ": it keeps a dense mass matrix, up to nv = " + std::to_string(largest_nv_by_crba()) +
           ", and nv is " + std::to_string(model_->nv());
  }
  for (const Joint& joint : model_->joints()) {
    if (joint.mimic) return text + ": joint '" + joint.name + "' mimics another one";
  }
  return text + " by the backend " + name() +
         ": it is for the backend tree and for cuda with bodies in parallel, and for a tree that "
         "is "
         "large enough to be cut at bodies that are not light";
}

template <class Real>
std::string BasicBackend<Real>::other_methods() const {
  std::string names;
  for (const ForwardMethod method : all_forward_methods) {
    const std::optional<PublishedMethod> published = published_method_of(method);
    if (published ? !refusal(*model_, *published).empty() : !offers(method)) continue;
    names += (names.empty() ? "" : ", ") + name_of(method);
  }
  return names;
}

template <class Real>
template <class T>
Result BasicBackend<Real>::on_host(Argument argument, std::span<T> array) noexcept {
  if (!configured() || array.empty()) return {};
  return refuse_on_device(argument, array.data());
}

template <class Real>
Result BasicBackend<Real>::by_published_method(PublishedMethod method,
                                               const ForwardDynamics& args) noexcept {
  for (Result refusal : {on_host(Argument::q, args.q), on_host(Argument::v, args.v),
                         on_host(Argument::tau, args.tau), on_host(Argument::qdd, args.qdd),
                         on_host(Argument::status, args.status)}) {
    if (refusal.code == Code::on_device) refusal.actual = static_cast<std::int64_t>(args.method);
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

template <class Real>
Result BasicBackend<Real>::inverse_dynamics(const InverseDynamics& args) noexcept {
  Checker check = checker(*this, args);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::a, args.a, check.nv())
      .accept(on_host(Argument::links, args.f_ext.links))
      .wrenches(args.f_ext)
      .need(Argument::tau, args.tau, check.nv())
      .status(args.status);
  return check.done() ? check.result() : do_inverse_dynamics(args);
}

template <class Real>
Result BasicBackend<Real>::bias_forces(const Forces& args) noexcept {
  const Checker check = check_forces(*this, args);
  return check.done() ? check.result() : do_bias_forces(args);
}

template <class Real>
Result BasicBackend<Real>::gravity_forces(const Forces& args) noexcept {
  const Checker check = check_forces(*this, args);
  return check.done() ? check.result() : do_gravity_forces(args);
}

template <class Real>
Result BasicBackend<Real>::coriolis_forces(const Forces& args) noexcept {
  const Checker check = check_forces(*this, args);
  return check.done() ? check.result() : do_coriolis_forces(args);
}

template <class Real>
Result BasicBackend<Real>::mass_matrix(const MassMatrix& args) noexcept {
  Checker check = checker(*this, args);
  const std::size_t square = check.nv() * check.nv();
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::mass_matrix, args.mass_matrix, square)
      .allow(Argument::cholesky, args.cholesky, square)
      .allow(Argument::inverse, args.inverse, square)
      .allow(Argument::sparse, args.sparse, nonzeros_)
      .allow(Argument::sparse_cholesky, args.sparse_cholesky, nonzeros_)
      .status(args.status);
  return check.done() ? check.result() : do_mass_matrix(args);
}

template <class Real>
Result BasicBackend<Real>::forward_dynamics(const ForwardDynamics& args) noexcept {
  Checker check = checker(*this, args);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::tau, args.tau, check.nv())
      .accept(on_host(Argument::links, args.f_ext.links))
      .wrenches(args.f_ext)
      .need(Argument::qdd, args.qdd, check.nv())
      .status(args.status);
  const std::optional<PublishedMethod> published = published_method_of(args.method);
  if (check.ok() && !offers(args.method)) return refused(args.method);
  if (check.ok() && published && !args.f_ext.links.empty()) {
    return {Code::unsupported, Argument::wrenches, 0, static_cast<std::int64_t>(args.method)};
  }
  if (check.done()) return check.result();
  if (published) return by_published_method(*published, args);
  ForwardDynamics chosen = args;
  if (args.method == ForwardMethod::automatic) {
    chosen.method = model_->has_mimic() ? ForwardMethod::crba : ForwardMethod::aba;
  }
  return do_forward_dynamics(chosen);
}

template <class Real>
Result BasicBackend<Real>::energies(const Energies& args) noexcept {
  Checker check = checker(*this, args);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::kinetic, args.kinetic, 1)
      .allow(Argument::potential, args.potential, 1)
      .allow(Argument::com, args.com, 3)
      .status(args.status);
  return check.done() ? check.result() : do_energies(args);
}

template <class Real>
Result BasicBackend<Real>::link_kinematics(const LinkKinematics& args) noexcept {
  Checker check = checker(*this, args);
  check.need(Argument::q, args.q, check.nq())
      .accept(on_host(Argument::links, args.links))
      .links(args.links)
      .allow(Argument::poses, args.poses, 7 * args.links.size())
      .allow(Argument::jacobian, args.jacobian, 6 * check.nv() * args.links.size())
      .status(args.status);
  return check.done() ? check.result() : do_link_kinematics(args);
}

template <class Real>
Result BasicBackend<Real>::do_inverse_dynamics(const InverseDynamics&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_bias_forces(const Forces&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_gravity_forces(const Forces&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_coriolis_forces(const Forces&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_mass_matrix(const MassMatrix&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_forward_dynamics(const ForwardDynamics&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_energies(const Energies&) noexcept {
  return not_offered;
}
template <class Real>
Result BasicBackend<Real>::do_link_kinematics(const LinkKinematics&) noexcept {
  return not_offered;
}

template class BasicBackend<double>;
template class BasicBackend<float>;

}  // namespace rbd_parallel_core
