// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/study/forward_methods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "../float_mode.hpp"
#include "method_obstacle.hpp"
#include "rbd_parallel_core/algorithm/crba_forward.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/study/dca.hpp"
#include "rbd_parallel_core/study/dcae.hpp"
#include "rbd_parallel_core/study/hybrid_abia.hpp"
#include "rbd_parallel_core/study/jsiia.hpp"

namespace rbd_parallel_core {
namespace {

using Method = PublishedMethod;

/// Entries of M that are kept at most: those of a dense one of 4096 coordinates.
constexpr std::int64_t most_entries = std::int64_t{4096} * 4096;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Whether the inverse of its inertia means something: the pivots of the inertia about the centre
/// of mass are above rounding.
bool can_be_inverted(const Inertia<double>& inertia) {
  if (!(inertia.m > 0)) return false;
  const SymMat3<double> J = inertia.I - point_mass_inertia(inertia.m, (1 / inertia.m) * inertia.h);
  const double threshold =
      singular_tolerance<double>() * std::max({inertia.I.xx, inertia.I.yy, inertia.I.zz, 0.0});
  const double first = J.xx, second = J.yy - J.xy * J.xy / first,
               mixed = J.yz - J.xy * J.xz / first,
               third = J.zz - J.xz * J.xz / first - mixed * mixed / second;
  return first > threshold && second > threshold && third > threshold;
}

using Obstacle = MethodObstacle;

Obstacle to_a_chain(const Model& model) noexcept {
  for (const Joint& joint : model.joints()) {
    if (joint.mimic) return {Obstacle::Kind::mimic, joint.body};
    if (joint.nv != 1) return {Obstacle::Kind::several_coordinates, joint.body};
    if (joint.parent != joint.body - 1) return {Obstacle::Kind::branch, joint.body};
  }
  return {};
}

Obstacle to_inverses(const Model& model) noexcept {
  for (const Joint& joint : model.joints()) {
    if (!can_be_inverted(model.view().body[joint.body].inertia)) {
      return {Obstacle::Kind::no_inverse, joint.body};
    }
  }
  return {};
}

Obstacle to_entries(std::int64_t entries) noexcept {
  if (entries <= most_entries) return {};
  return {Obstacle::Kind::too_many_entries, -1, entries};
}

std::string why_not(const Model& model, Method method, int blocks) {
  return text_of(obstacle_to(model, method, mass_matrix_nonzeros(model), blocks), model);
}

/// What a backend takes besides is for the backend to say; its crba keeps no larger matrix.
std::string allowed_methods(const Model& model, int blocks) {
  const bool aba = !model.has_mimic(), crba = !to_entries(std::int64_t{model.nv()} * model.nv());
  std::string names = aba && crba ? "aba and crba" : aba ? "aba" : crba ? "crba" : "";
  if (!names.empty()) names += " of a backend";
  for (const Method method : published_methods) {
    if (!why_not(model, method, blocks).empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(method));
  }
  return names;
}

/// The memory of the methods that are asked for; of others nothing.
template <class Real>
struct ScanMemory {
  std::vector<Transform<Real>> X;
  std::vector<Force<Real>> f, U_over_D;
  std::vector<Real> one_over_D, c_over_D;
  std::vector<MotionStep<Real>> motion_steps;
  std::vector<LinearStep<Real>> linear_steps;

  explicit ScanMemory(std::size_t n)
      : X(n), f(n), U_over_D(n), one_over_D(n), c_over_D(n), motion_steps(n), linear_steps(n) {}
  HybridAbiaWorkspace<Real, Column> view() {
    return {{X.data()},
            {f.data()},
            {U_over_D.data()},
            {one_over_D.data()},
            {c_over_D.data()},
            motion_steps.data(),
            nullptr,
            linear_steps.data(),
            nullptr};  // one thread needs no scratch
  }
};

template <class Real>
struct TreeMemory {
  std::vector<TwoHandles<Real>> node;
  std::vector<HandleForces<Real>> forces;
  std::vector<JoinedAt<Real>> joined;

  TreeMemory(std::int32_t leaves, std::size_t bodies)
      : node(leaves == 0 ? 0 : size(assembly_nodes(leaves))),
        forces(node.size()),
        joined(leaves == 0 ? 0 : bodies) {}
  AssemblyWorkspace<Real, Column> view() {
    return {{node.data()}, {forces.data()}, {joined.data()}};
  }
};

}  // namespace

const char* name_of(PublishedMethod method) {
  switch (method) {
    case Method::jsiia:
      return "jsiia";
    case Method::hybrid_abia:
      return "hybrid_abia";
    case Method::crba_sparse:
      return "crba_sparse";
    case Method::dca:
      return "dca";
    case Method::dcae:
      return "dcae";
  }
  return "unknown";
}

std::optional<PublishedMethod> published_method_of(ForwardMethod method) noexcept {
  for (const Method candidate : published_methods) {
    if (forward_method_of(candidate) == method) return candidate;
  }
  return std::nullopt;
}

ForwardMethod forward_method_of(PublishedMethod method) noexcept {
  switch (method) {
    case Method::jsiia:
      return ForwardMethod::jsiia;
    case Method::hybrid_abia:
      return ForwardMethod::hybrid_abia;
    case Method::crba_sparse:
      return ForwardMethod::crba_sparse;
    case Method::dca:
      return ForwardMethod::dca;
    default:
      return ForwardMethod::dcae;
  }
}

MethodObstacle obstacle_to(const Model& model, PublishedMethod method, std::int64_t nonzeros,
                           int blocks) noexcept {
  switch (method) {
    case Method::jsiia:
      return to_entries(std::int64_t{model.nv()} * model.nv());
    case Method::crba_sparse:
      return to_entries(nonzeros);
    case Method::hybrid_abia:
      return to_a_chain(model);
    case Method::dca:
    case Method::dcae:
      break;
  }
  const Obstacle no_chain = to_a_chain(model);
  if (no_chain || (method == Method::dcae && blocks == 1)) return no_chain;
  return to_inverses(model);
}

std::string text_of(const MethodObstacle& obstacle, const Model& model) {
  const Joint* joint = obstacle.joint < 0 ? nullptr : &model.joints()[size(obstacle.joint)];
  const std::string name = joint == nullptr ? "" : "joint '" + joint->name + "'";
  switch (obstacle.kind) {
    case Obstacle::Kind::none:
      return {};
    case Obstacle::Kind::mimic:
      return name + " mimics another one";
    case Obstacle::Kind::several_coordinates:
      return name + " has " + std::to_string(joint->nv) + " coordinates";
    case Obstacle::Kind::branch:
      return "the tree branches: " + name + " does not hang on the body before it";
    case Obstacle::Kind::no_inverse:
      return "the body on " + name + " has no inertia that could be inverted";
    case Obstacle::Kind::too_many_entries:
      return "the mass matrix would have " + std::to_string(obstacle.entries) +
             " entries, more than " + std::to_string(most_entries);
  }
  return "there is no such method";
}

std::string refusal(const Model& model, PublishedMethod method,
                    const ForwardMethodsOptions& options) {
  const std::string reason = why_not(model, method, options.blocks);
  if (reason.empty()) return {};
  const std::string others = allowed_methods(model, options.blocks);
  return std::string("method ") + name_of(method) + " cannot be used on '" + model.name() +
         "': " + reason + (others.empty() ? "" : "; use " + others);
}

template <class Real>
struct ForwardMethods<Real>::Configured {
  Configured(std::shared_ptr<const Model> model_, const ForwardMethodsOptions& options_,
             std::vector<Method> methods_)
      : model(std::move(model_)),
        options(options_),
        methods(std::move(methods_)),
        numbers(model->view()),
        bodies(size(model->body_count())),
        columns(size(numbers.view().column_count)),
        memory(Workspace<Real>::bytes(bodies, columns) / sizeof(Real) + 1),
        workspace(
            Workspace<Real>::in(reinterpret_cast<std::byte*>(memory.data()), bodies, columns)),
        zeros(size(model->nv())),
        diagonal(size(model->nv())),
        rows({model->view().dof_parent, size(model->nv())}),
        sparse(has(Method::crba_sparse) ? size(rows.row_start().back()) : 0),
        units(has(Method::jsiia) ? size(std::int64_t{model->nv()} * model->nv()) : 0),
        dense(units.size()),
        scans(has(Method::hybrid_abia) ? bodies : 0),
        inverse_inertia(has(Method::dca) ? bodies : 0),
        whole_tree(has(Method::dca) ? model->body_count() : 0, bodies),
        blocks(std::clamp(options.blocks, 1, std::max(model->body_count(), 1))),
        first(size(blocks) + 1),
        y_over_D(has(Method::dcae) ? bodies : 0),
        singular(size(blocks)),
        block_tree(has(Method::dcae) ? blocks : 0, bodies) {
    if (has(Method::dca)) invert_inertias(numbers.view(), dca_workspace());
    const double share = options.terminal_share > 0 ? options.terminal_share : 3.0 / (2.0 + blocks);
    cut_into_blocks(model->body_count(), blocks, share, first.data());
  }
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;

  bool has(Method method) const {
    return std::find(methods.begin(), methods.end(), method) != methods.end();
  }
  DcaWorkspace<Real, Column> dca_workspace() {
    return {workspace.aba, {inverse_inertia.data()}, whole_tree.view()};
  }
  DcaeWorkspace<Real, Column> dcae_workspace() {
    return {workspace.aba, {y_over_D.data()}, block_tree.view()};
  }

  /// 0, or 1 + the coordinate at which the motion is singular.
  Real run(Method method, const Real* q, const Real* v, const Real* tau, Real* qdd) {
    const ModelView<Real>& view = numbers.view();
    const Row<Real> row_q{q}, row_v{v}, row_tau{tau};
    const OutRow<Real> out{qdd};
    const SequentialExecutor executor;
    const bool friction = options.friction;
    switch (method) {
      case Method::jsiia:
        return by_inverse_dynamics(row_q, row_v, row_tau, out);
      case Method::hybrid_abia:
        return hybrid_abia(executor, view, scans.view(), row_q, row_v, row_tau, NoForces{},
                           view.gravity, friction, out);
      case Method::crba_sparse: {
        const OutSparse<Real> M{
            sparse.data(), {rows.row_start().data(), rows.depth().data()}, view.nv};
        return crba_forward(view, workspace.rnea, workspace.crba, row_q, row_v, row_tau, NoForces{},
                            view.gravity, friction, M, OutRow<Real>{diagonal.data()}, out);
      }
      case Method::dca:
        dca(executor, view, dca_workspace(), row_q, row_v, row_tau, NoForces{}, view.gravity,
            friction, out);
        return 0;
      case Method::dcae:
        return dcae(executor, view, dcae_workspace(), blocks, first.data(),
                    Column<Real>{singular.data()}, row_q, row_v, row_tau, NoForces{}, view.gravity,
                    friction, out);
    }
    return 0;
  }

  Real by_inverse_dynamics(Row<Real> q, Row<Real> v, Row<Real> tau, OutRow<Real> qdd) {
    const ModelView<Real>& view = numbers.view();
    const auto bias = [&](OutRow<Real> out) {
      rnea(view, workspace.rnea, q, v, Zeros<Real>{}, NoForces{}, view.gravity, options.friction,
           out);
    };
    const auto at_rest = [&](const Real* a, Real* torque, std::int32_t count) {
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        rnea(view, workspace.rnea, q, Zeros<Real>{}, Row<Real>{a + k * view.nv}, NoForces{},
             Vec3<Real>::zero(), false, OutRow<Real>{torque + k * view.nv});
      }
    };
    return jsiia<Real>(view, {units.data(), dense.data(), diagonal.data()}, bias, at_rest, tau,
                       qdd);
  }

  std::shared_ptr<const Model> model;
  ForwardMethodsOptions options;
  std::vector<Method> methods;
  ConvertedModel<Real> numbers;
  std::size_t bodies, columns;
  std::vector<Real> memory;
  Workspace<Real> workspace;
  std::vector<Real> zeros, diagonal;
  MassMatrixRows rows;
  std::vector<Real> sparse, units, dense;
  ScanMemory<Real> scans;
  std::vector<Mobility<Real>> inverse_inertia;
  TreeMemory<Real> whole_tree;
  std::int32_t blocks;
  std::vector<std::int32_t> first;
  std::vector<Motion<Real>> y_over_D;
  std::vector<Real> singular;
  TreeMemory<Real> block_tree;
};

template <class Real>
ForwardMethods<Real>::ForwardMethods() = default;
template <class Real>
ForwardMethods<Real>::ForwardMethods(ForwardMethods&&) noexcept = default;
template <class Real>
ForwardMethods<Real>& ForwardMethods<Real>::operator=(ForwardMethods&&) noexcept = default;
template <class Real>
ForwardMethods<Real>::~ForwardMethods() = default;

template <class Real>
void ForwardMethods<Real>::configure(std::shared_ptr<const Model> model,
                                     const ForwardMethodsOptions& options) {
  configured_.reset();
  const std::string here = "ForwardMethods::configure: ";
  if (model == nullptr) throw std::invalid_argument(here + "no model is given");
  if (options.blocks < 1) {
    throw std::invalid_argument(here + "blocks is " + std::to_string(options.blocks) +
                                ", expected at least 1");
  }
  if (!(options.terminal_share >= 0 && options.terminal_share < 1)) {
    throw std::invalid_argument(here + "terminal_share is " +
                                std::to_string(options.terminal_share) +
                                ", expected 0 (a choice by blocks) to less than 1");
  }
  std::vector<Method> methods = options.methods;
  for (const Method method : methods) {
    const std::string reason = refusal(*model, method, options);
    if (!reason.empty()) throw std::invalid_argument(here + reason);
  }
  if (methods.empty()) {
    std::copy_if(std::begin(published_methods), std::end(published_methods),
                 std::back_inserter(methods),
                 [&](Method method) { return why_not(*model, method, options.blocks).empty(); });
  }
  configured_ = std::make_unique<Configured>(std::move(model), options, std::move(methods));
}

template <class Real>
bool ForwardMethods<Real>::offers(PublishedMethod method) const noexcept {
  return configured_ != nullptr && configured_->has(method);
}

template <class Real>
Result ForwardMethods<Real>::forward_dynamics(PublishedMethod method, std::span<const Real> q,
                                              std::span<const Real> v, std::span<const Real> tau,
                                              std::span<Real> qdd, StateStatus* status) noexcept {
  if (configured_ == nullptr) return {.code = Code::not_configured};
  Configured& c = *configured_;
  const ModelView<Real>& model = c.numbers.view();
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const auto wrong = [](Argument argument, std::size_t expected, std::size_t actual) {
    return Result{Code::wrong_size, argument, static_cast<std::int64_t>(expected),
                  static_cast<std::int64_t>(actual)};
  };
  if (q.size() != nq) return wrong(Argument::q, nq, q.size());
  if (!v.empty() && v.size() != nv) return wrong(Argument::v, nv, v.size());
  if (!tau.empty() && tau.size() != nv) return wrong(Argument::tau, nv, tau.size());
  if (qdd.size() != nv) return wrong(Argument::qdd, nv, qdd.size());
  if (!c.has(method)) {
    return {Code::unsupported, Argument::method, 0,
            static_cast<std::int64_t>(forward_method_of(method))};
  }

  StateStatus outcome;
  if (nv > 0) {
    const FloatModeScope scope(FloatMode::of_this_thread().flushing());
    const Real* zeros = c.zeros.data();
    const Row<Real> row_q{q.data()}, row_v{v.empty() ? zeros : v.data()},
        row_tau{tau.empty() ? zeros : tau.data()}, row_qdd{qdd.data()};
    Real taint = taint_of_q<Real>(model, row_q);
    taint = taint_if_not_finite(row_v, model.nv, taint_if_not_finite(row_tau, model.nv, taint));
    const Real singular = c.run(method, row_q.data, row_v.data, row_tau.data, qdd.data());
    outcome = status_of(taint, singular, taint_if_not_finite(row_qdd, model.nv, Real(0)));
    spoil_unless_ok(outcome, qdd);
  }
  if (status != nullptr) *status = outcome;
  return {};
}

template class ForwardMethods<double>;
template class ForwardMethods<float>;

}  // namespace rbd_parallel_core
