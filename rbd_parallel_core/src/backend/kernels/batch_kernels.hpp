// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "groups.hpp"
#include "kernel_table.hpp"
#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"
#include "rbd_parallel_core/algorithm/link_motion.hpp"
#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "scratch.hpp"

/// The operations on the states of a batch, written once for all Scalars: one state at a time where
/// the Scalar is a number, as many as it has lanes where it is a pack. Included by the files that
/// are compiled once for each instruction set; everything is local to them (RBD_KERNEL).
namespace rbd_parallel_core {

RBD_INLINE std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

/// So far from overflow that no product of a few such numbers comes near it; the numbers of a Model
/// are such.
template <class Real>
inline constexpr Real moderate_limit = sizeof(Real) == 4 ? Real(1e12) : Real(1e100);

/// Calls visit(group) for all groups of the range.
template <class S, class Visit>
RBD_INLINE void for_each_group(StateRange range, Layout layout, const Visit& visit) {
  constexpr std::size_t width = ScalarTraits<S>::width;
  for (std::size_t s = range.begin; s < range.end; s += width) {
    const std::size_t left = range.end - s;
    visit(Group<S>{s, left < width ? left : width, layout});
  }
}

template <class S>
RBD_INLINE S taint(const Row<S>& row, std::size_t n) {
  return taint_if_not_finite(row, static_cast<std::int32_t>(n), S(RealOf<S>(0)));
}
template <class S>
RBD_INLINE S taint(const OutRow<S>& row, std::size_t n) {
  return taint(Row<S>{row.data}, n);
}
template <class S>
RBD_INLINE S taint(const Zeros<S>&, std::size_t) {
  return S(RealOf<S>(0));
}

/// How each state of a group went.
template <class S>
struct Outcome {
  using T = ScalarTraits<S>;

  S taint;     ///< NaN where the state is not finite, else zero
  S singular;  ///< 1 + the singular coordinate, or zero

  RBD_INLINE typename T::Mask good() const {
    return T::less_equal(taint + singular, S(RealOf<S>(0)));
  }

  /// Writes the status of each state.
  RBD_INLINE void report(const Group<S>& group, std::span<StateStatus> status) const {
    if (status.empty()) return;
    if (T::all(good())) [[likely]] {
      for (std::size_t l = 0; l < group.count; ++l) status.data()[group.first + l] = {};
      return;
    }
    RealOf<S> taints[T::width], dofs[T::width];
    T::store(taints, taint);
    T::store(dofs, singular);
    for (std::size_t l = 0; l < group.count; ++l) {
      status.data()[group.first + l] = status_of(taints[l], dofs[l]);
    }
  }
};

template <class S>
RBD_INLINE Outcome<S> outcome(const S& taint) {
  return {taint, S(RealOf<S>(0))};
}

/// Brings the n results in `lanes` to where they belong, and reports how the states went.
template <class S>
RBD_INLINE void finish(const Group<S>& group, const Outcome<S>& outcome,
                       std::span<RealOf<S>> results, std::size_t n, const RealOf<S>* lanes,
                       std::span<StateStatus> status) {
  group.write(results, n, lanes);
  group.spoil_unless(outcome.good(), results, n);
  outcome.report(group, status);
}

template <class S>
RBD_INLINE S taint_of_wrenches(const Group<S>& group,
                               const BasicExternalWrenches<RealOf<S>>& f_ext) {
  const std::size_t n = 6 * f_ext.links.size();
  S sum(RealOf<S>(0));
  RealOf<S>
      lanes[(ScalarTraits<S>::width > 6 ? ScalarTraits<S>::width : 6) * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < n; k += 6) {
    sum = sum + taint(group.read(f_ext.wrenches, n, k, 6, lanes), 6);
  }
  return sum;
}

template <class S>
RBD_INLINE PossibleForces<S, Column> no_forces(const Workspace<S>& workspace) {
  return {workspace.f_ext, false};
}

/// The forces that the wrenches put on the bodies.
template <class S>
RBD_INLINE PossibleForces<S, Column> forces_on_bodies(const ModelView<RealOf<S>>& model,
                                                      const Workspace<S>& workspace,
                                                      const Group<S>& group,
                                                      const BasicExternalWrenches<RealOf<S>>& f_ext,
                                                      const Row<S>& q) {
  if (f_ext.links.empty()) return no_forces(workspace);
  const bool in_world_axes = f_ext.axes == Axes::world;
  if (in_world_axes) forward_kinematics(model, workspace.kinematics, q);
  clear_external_forces(model, workspace.f_ext);
  const std::size_t n = 6 * f_ext.links.size();
  RealOf<S>
      lanes[(ScalarTraits<S>::width > 6 ? ScalarTraits<S>::width : 6) * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < f_ext.links.size(); ++k) {
    add_external_force(model, workspace.kinematics, f_ext.links[k],
                       group.read(f_ext.wrenches, n, 6 * k, 6, lanes), in_world_axes,
                       workspace.f_ext);
  }
  return {workspace.f_ext, true};
}

/// Reads n numbers a state, zeros where the array is not given.
template <class S>
RBD_INLINE Row<S> read_or_zeros(const Group<S>& group, std::span<const RealOf<S>> array,
                                std::size_t n, RealOf<S>* buffer, const Scratch<S>& scratch) {
  if (array.empty()) return {reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
  return group.read(array, n, buffer);
}

/// Calls visit(v, a). Where both or the accelerations are zero, their terms are left out of what is
/// compiled; that velocities alone are zero is rare and read as such.
template <class S, class Visit>
RBD_INLINE void with_rates(const Group<S>& group, const BasicInverseDynamics<RealOf<S>>& args,
                           std::size_t nv, const Scratch<S>& scratch, const Visit& visit) {
  if (!args.a.empty()) {
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    visit(v, group.read(args.a, nv, scratch.a));
  } else if (!args.v.empty()) {
    visit(group.read(args.v, nv, scratch.v), Zeros<S>{});
  } else {
    visit(Zeros<S>{}, Zeros<S>{});
  }
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::inverse_dynamics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicInverseDynamics<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const OutRow<S> tau = group.out(args.tau, nv, scratch.out);
    S bad = taint_of_q<S>(model, q) + taint_of_wrenches(group, args.f_ext);
    const auto f_ext = forces_on_bodies(model, scratch.workspace, group, args.f_ext, q);
    with_rates(group, args, nv, scratch, [&](const auto& v, const auto& a) RBD_INLINE_LAMBDA {
      rnea(model, scratch.workspace.rnea, q, v, a, f_ext, broadcast<S>(model.gravity),
           context.friction, tau);
      bad = bad + taint(v, nv) + taint(a, nv);
    });
    finish(group, outcome(bad + taint(tau, nv)), args.tau, nv, scratch.out, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::coriolis_forces>,
                        const KernelContext<RealOf<S>>& context, const BasicForces<RealOf<S>>& args,
                        StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const OutRow<S> tau = group.out(args.tau, nv, scratch.out);
    rnea(model, scratch.workspace.rnea, q, v, Zeros<S>{}, no_forces(scratch.workspace),
         Vec3<S>::zero(), false, tau);
    const S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(tau, nv);
    finish(group, outcome(bad), args.tau, nv, scratch.out, args.status);
  });
}

/// NaN where an entry of M is not finite.
template <class S>
RBD_INLINE S taint_of_entries(const OutMatrix<S>& M, std::int32_t nv) {
  S bad(RealOf<S>(0));
  for (std::int32_t i = 0; i < nv; ++i) {
    bad = bad + taint(Row<S>{M.data + M.at(i, 0)}, size(nv));
  }
  return bad;
}
template <class S>
RBD_INLINE S taint_of_entries(const OutSparse<S>& M, std::int32_t nv) {
  S bad(RealOf<S>(0));
  for (std::int32_t i = 0; i < nv; ++i) {
    const std::ptrdiff_t first = M.rows.row_start[i], last = M.rows.row_start[i + 1];
    bad = bad + taint(Row<S>{M.data + offset_of<S>(first)}, static_cast<std::size_t>(last - first));
  }
  return bad;
}

/// NaN where q or an entry of M is not finite. A look at all of M costs more than is worth it where
/// q and the diagonal are so moderate that nothing between can have overflowed.
template <class S, class Matrix>
RBD_INLINE S taint_of_mass_matrix(const ModelView<RealOf<S>>& model, const Row<S>& q,
                                  const Matrix& M) {
  using T = ScalarTraits<S>;
  S bad = taint_of_q<S>(model, q), largest(RealOf<S>(0));
  for (std::int32_t k = 0; k < model.nq; ++k) largest = T::max(largest, T::abs(q(k)));
  for (std::int32_t k = 0; k < model.nv; ++k) {
    bad = mul_add(S(RealOf<S>(0)), M.load(k, k), bad);  // max may lose a NaN
    largest = T::max(largest, T::abs(M.load(k, k)));
  }
  if (T::all(T::less(largest, S(moderate_limit<RealOf<S>>)))) [[likely]]
    return bad;
  return bad + taint_of_entries<S>(M, model.nv);
}

/// Factors M in place and reports. `L`: the matrix; `inverse`: OutSymmetric or OutLower, used if
/// the inverse is asked for.
template <class S, class Inverse>
RBD_INLINE Outcome<S> factor_mass_matrix(const ModelView<RealOf<S>>& model,
                                         const Scratch<S>& scratch,
                                         const BasicMassMatrix<RealOf<S>>& args,
                                         const OutMatrix<S>& L, const Inverse& inverse,
                                         const S& bad) {
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  const Outcome<S> result{bad, ltl_factor<S>(model, L, vector)};
  if (!args.inverse.empty()) ltl_inverse<S>(model, L, vector, inverse);
  if (!args.cholesky.empty()) clear_upper_triangle<S>(L, model.nv);
  return result;
}

/// What was asked for besides the status.
template <class Real>
RBD_INLINE bool wants_dense(const BasicMassMatrix<Real>& args) {
  return !args.mass_matrix.empty() || !args.cholesky.empty() || !args.inverse.empty();
}
template <class Real>
RBD_INLINE bool wants_sparse(const BasicMassMatrix<Real>& args) {
  return !args.sparse.empty() || !args.sparse_cholesky.empty();
}

/// The worse of two outcomes for the same states.
template <class S>
RBD_INLINE Outcome<S> both(const Outcome<S>& a, const Outcome<S>& b) {
  return {a.taint + b.taint, ScalarTraits<S>::max(a.singular, b.singular)};
}

/// M and its factor in compressed rows, written where they belong at once.
template <class S>
RBD_INLINE Outcome<S> sparse_direct(const KernelContext<RealOf<S>>& context,
                                    const Scratch<S>& scratch,
                                    const BasicMassMatrix<RealOf<S>>& args, const Group<S>& group,
                                    const Row<S>& q) {
  const ModelView<RealOf<S>>& model = context.model;
  const auto nonzeros = static_cast<std::size_t>(context.sparse.row_start[model.nv]);
  const auto place = [&](std::span<RealOf<S>> array) RBD_INLINE_LAMBDA {
    return OutSparse<S>{group.out(array, nonzeros, nullptr).data, context.sparse, model.nv};
  };
  const OutSparse<S> M = place(args.sparse.empty() ? args.sparse_cholesky : args.sparse);
  crba(model, scratch.workspace.crba, q, M);
  Outcome<S> result = outcome(taint_of_mass_matrix(model, q, M));
  group.spoil_unless(result.good(), args.sparse, nonzeros);
  if (args.sparse_cholesky.empty()) return result;
  const OutSparse<S> L = place(args.sparse_cholesky);
  if (M.data != L.data) {
    for (std::size_t k = 0; k < nonzeros * Group<S>::width; ++k) L.data[k] = M.data[k];
  }
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  result.singular = ltl_factor<S>(model, L, vector);
  group.spoil_unless(result.good(), args.sparse_cholesky, nonzeros);
  return result;
}

/// Brings the lower triangle in `lanes` to where its compressed rows belong.
template <class S>
RBD_INLINE void write_sparse(const KernelContext<RealOf<S>>& context, const Group<S>& group,
                             std::span<RealOf<S>> array, const OutMatrix<S>& lanes) {
  if (array.empty()) return;
  const ModelView<RealOf<S>>& model = context.model;
  const std::int64_t nonzeros = context.sparse.row_start[model.nv];
  RealOf<S>* const out = array.data() + static_cast<std::int64_t>(group.first) * nonzeros;
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = i; j >= 0; j = model.dof_parent[j]) {
      const RealOf<S>* entry = lanes.data + lanes.at(i, j);
      RealOf<S>* to = out + context.sparse.at(i, j);
      for (std::size_t l = 0; l < group.count; ++l, to += nonzeros) *to = entry[l];
    }
  }
}

/// The mass matrix of a group whose results are written where they belong at once.
template <class S>
RBD_INLINE Outcome<S> mass_matrix_direct(const ModelView<RealOf<S>>& model,
                                         const Scratch<S>& scratch,
                                         const BasicMassMatrix<RealOf<S>>& args,
                                         const Group<S>& group, const Row<S>& q) {
  const std::size_t square = size(model.nv) * size(model.nv);
  const auto place = [&](std::span<RealOf<S>> array, RealOf<S>* otherwise) RBD_INLINE_LAMBDA {
    return OutSymmetric<S>{
        {array.empty() ? otherwise : group.out(array, square, otherwise).data, model.nv}};
  };
  const OutSymmetric<S> L = place(args.cholesky, scratch.matrix);
  const OutSymmetric<S> M = place(args.mass_matrix, L.data);
  crba(model, scratch.workspace.crba, q, M);
  const Outcome<S> outcome_of_M = outcome(taint_of_mass_matrix(model, q, M));
  Outcome<S> result = outcome_of_M;
  if (!args.cholesky.empty() || !args.inverse.empty()) {
    if (M.data != L.data) {
      for (std::size_t k = 0; k < square * Group<S>::width; ++k) L.data[k] = M.data[k];
    }
    result = factor_mass_matrix(model, scratch, args, L, place(args.inverse, nullptr),
                                outcome_of_M.taint);
  }
  group.spoil_unless(outcome_of_M.good(), args.mass_matrix, square);
  group.spoil_unless(result.good(), args.cholesky, square);
  group.spoil_unless(result.good(), args.inverse, square);
  return result;
}

/// The same by way of the scratch memory, in which M is a lower triangle and becomes its factor.
template <class S>
RBD_INLINE Outcome<S> mass_matrix_buffered(const KernelContext<RealOf<S>>& context,
                                           const Scratch<S>& scratch,
                                           const BasicMassMatrix<RealOf<S>>& args,
                                           const Group<S>& group, const Row<S>& q) {
  const ModelView<RealOf<S>>& model = context.model;
  const auto nonzeros = static_cast<std::size_t>(context.sparse.row_start[model.nv]);
  const std::size_t nv = size(model.nv), square = nv * nv;
  const OutLower<S> M{{scratch.matrix, model.nv}};
  crba(model, scratch.workspace.crba, q, M);
  const Outcome<S> outcome_of_M = outcome(taint_of_mass_matrix(model, q, M));
  Outcome<S> result = outcome_of_M;
  if (!args.mass_matrix.empty()) {
    group.write_symmetric(args.mass_matrix, nv, scratch.matrix, scratch.sources);
    group.spoil_unless(outcome_of_M.good(), args.mass_matrix, square);
  }
  write_sparse(context, group, args.sparse, M);
  group.spoil_unless(outcome_of_M.good(), args.sparse, nonzeros);
  if (!args.cholesky.empty() || !args.inverse.empty() || !args.sparse_cholesky.empty()) {
    result = factor_mass_matrix(model, scratch, args, M, OutLower<S>{{scratch.inverse, model.nv}},
                                outcome_of_M.taint);
  }
  write_sparse(context, group, args.sparse_cholesky, M);
  group.spoil_unless(result.good(), args.sparse_cholesky, nonzeros);
  if (!args.cholesky.empty()) group.write(args.cholesky, square, scratch.matrix);
  group.spoil_unless(result.good(), args.cholesky, square);
  if (!args.inverse.empty()) {
    group.write_symmetric(args.inverse, nv, scratch.inverse, scratch.inverse_sources);
  }
  group.spoil_unless(result.good(), args.inverse, square);
  return result;
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::mass_matrix>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicMassMatrix<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const bool dense = wants_dense(args), sparse = wants_sparse(args);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, size(model.nq), scratch.q);
    Outcome<S> result = outcome(taint_of_q<S>(model, q));
    if (group.direct()) {
      if (dense) result = mass_matrix_direct(model, scratch, args, group, q);
      if (sparse) result = both(result, sparse_direct(context, scratch, args, group, q));
    } else if constexpr (Group<S>::width > 1) {
      if (dense || sparse) result = mass_matrix_buffered(context, scratch, args, group, q);
    }
    result.report(group, args.status);
  });
}

/// M qdd = tau - (C qd + g - J^T f_ext), by the factor of M. Returns what ltl_factor does.
template <class S, class F>
RBD_INLINE S solve_by_crba(const KernelContext<RealOf<S>>& context, const Scratch<S>& scratch,
                           const Row<S>& q, const Row<S>& v, const Row<S>& tau, const F& f_ext,
                           const OutRow<S>& qdd) {
  const ModelView<RealOf<S>>& model = context.model;
  rnea(model, scratch.workspace.rnea, q, v, Zeros<S>{}, f_ext, broadcast<S>(model.gravity),
       context.friction, qdd);
  for (std::int32_t k = 0; k < model.nv; ++k) qdd.store(k, tau(k) - qdd.load(k));
  const OutLower<S> M{{scratch.matrix, model.nv}};
  crba(model, scratch.workspace.crba, q, M);
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  const S singular = ltl_factor<S>(model, M, vector);
  ltl_solve<S>(model, M, qdd);
  return singular;
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::forward_dynamics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicForwardDynamics<RealOf<S>>& args, StateRange range) noexcept {
  using T = ScalarTraits<S>;
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const bool by_aba = args.method == ForwardMethod::aba;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const Row<S> tau = read_or_zeros(group, args.tau, nv, scratch.a, scratch);
    const OutRow<S> qdd = group.out(args.qdd, nv, scratch.out);
    const auto f_ext = forces_on_bodies(model, scratch.workspace, group, args.f_ext, q);
    const S singular = by_aba ? aba(model, scratch.workspace.aba, q, v, tau, f_ext,
                                    broadcast<S>(model.gravity), context.friction, qdd)
                              : solve_by_crba(context, scratch, q, v, tau, f_ext, qdd);
    const S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(tau, nv) +
                  taint_of_wrenches(group, args.f_ext);
    // A singular state's results mean nothing, whether finite or not.
    const S zero(RealOf<S>(0));
    const S bad_result = T::select(T::less(zero, singular), zero, taint(qdd, nv));
    finish(group, Outcome<S>{bad + bad_result, singular}, args.qdd, nv, scratch.out, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::energies>, const KernelContext<RealOf<S>>& context,
                        const BasicEnergies<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const S mass = total_mass<S>(model);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    // kinetic, potential, centre of mass
    const OutRow<S> results{scratch.out};
    for (std::int32_t k = 0; k < 5; ++k) results.store(k, S(RealOf<S>(0)));
    if (!args.kinetic.empty()) {
      body_velocities(model, kinematics, q, v);
      results.store(0, kinetic_energy(model, kinematics, v));
    }
    forward_kinematics(model, kinematics, q);
    const Vec3<S> moment = first_moment(model, kinematics);
    if (!args.potential.empty()) {
      results.store(1, -dot(broadcast<S>(model.gravity), moment));
    }
    if (!args.com.empty()) {
      results.store(2, moment.x / mass);
      results.store(3, moment.y / mass);
      results.store(4, moment.z / mass);
    }
    const Outcome<S> result = outcome(taint_of_q<S>(model, q) + taint(v, nv) + taint(results, 5));
    result.report(group, args.status);
    const auto hand_out = [&](std::span<RealOf<S>> array, std::int32_t first, std::size_t n) {
      if (array.empty()) return;
      const OutRow<S> out = group.out(array, n, scratch.jacobian);
      for (std::int32_t k = 0; size(k) < n; ++k) out.store(k, results.load(first + k));
      group.write(array, n, scratch.jacobian);
      group.spoil_unless(result.good(), array, n);
    };
    hand_out(args.kinetic, 0, 1);
    hand_out(args.potential, 1, 1);
    hand_out(args.com, 2, 3);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::link_kinematics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicLinkKinematics<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv), count = args.links.size();
  const bool in_link_axes = args.axes == Axes::link;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    forward_kinematics(model, kinematics, q);
    // Every link's placement follows from those of the bodies; if these are finite, so is it.
    S bad = taint_of_q<S>(model, q);
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      const Transform<S>& X = kinematics.X0.load(i);
      for (const S& coordinate : {X.r.x, X.r.y, X.r.z}) {
        bad = mul_add(S(RealOf<S>(0)), coordinate, bad);
      }
    }
    const Outcome<S> result = outcome(bad);
    result.report(group, args.status);
    for (std::size_t k = 0; k < count; ++k) {
      if (!args.poses.empty()) {
        const OutRow<S> pose = group.out(args.poses, 7 * count, 7 * k, scratch.out);
        link_pose(model, kinematics, args.links[k], pose);
        group.write(args.poses, 7 * count, 7 * k, 7, scratch.out);
      }
      if (!args.jacobian.empty()) {
        const std::size_t n = 6 * nv;
        const OutRow<S> J = group.out(args.jacobian, n * count, n * k, scratch.jacobian);
        link_jacobian(model, kinematics, args.links[k], in_link_axes, J);
        group.write(args.jacobian, n * count, n * k, n, scratch.jacobian);
      }
    }
    group.spoil_unless(result.good(), args.poses, 7 * count);
    group.spoil_unless(result.good(), args.jacobian, 6 * nv * count);
  });
}

/// Six numbers for each link of a call, written one link after the other.
template <class S>
struct LinkVectors {
  const Group<S>& group;
  std::span<RealOf<S>> array;  ///< batch x k x 6
  std::size_t count;           ///< links
  RealOf<S>* buffer;

  /// Has write(link, out) called for every link; returns NaN where a number is not finite.
  template <class Write>
  RBD_INLINE S fill(std::span<const int> links, const Write& write) const {
    S bad(RealOf<S>(0));
    for (std::size_t k = 0; k < count; ++k) {
      const OutRow<S> out = group.out(array, 6 * count, 6 * k, buffer);
      write(links[k], out);
      bad = bad + taint(out, 6);
      group.write(array, 6 * count, 6 * k, 6, buffer);
    }
    return bad;
  }
};

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::link_motion>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicLinkMotion<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv), count = args.links.size();
  const bool in_link_axes = args.axes == Axes::link;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const Row<S> a = read_or_zeros(group, args.a, nv, scratch.a, scratch);
    const Row<S> no_a{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
    S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(a, nv);
    if (!in_link_axes) forward_kinematics(model, kinematics, q);
    body_velocities(model, kinematics, q, v);
    if (!args.twist.empty()) {
      const LinkVectors<S> out{group, args.twist, count, scratch.out};
      bad = bad + out.fill(args.links, [&](int link, const OutRow<S>& row) RBD_INLINE_LAMBDA {
        link_twist(model, kinematics, link, in_link_axes, row);
      });
    }
    for (const bool product : {false, true}) {
      const std::span<RealOf<S>> array = product ? args.velocity_product : args.acceleration;
      if (array.empty()) continue;
      body_accelerations(model, kinematics, q, v, product ? no_a : a);
      const LinkVectors<S> out{group, array, count, scratch.out};
      bad = bad + out.fill(args.links, [&](int link, const OutRow<S>& row) RBD_INLINE_LAMBDA {
        link_acceleration(model, kinematics, link, in_link_axes, row);
      });
    }
    const Outcome<S> result = outcome(bad);
    result.report(group, args.status);
    group.spoil_unless(result.good(), args.twist, 6 * count);
    group.spoil_unless(result.good(), args.acceleration, 6 * count);
    group.spoil_unless(result.good(), args.velocity_product, 6 * count);
  });
}

template <class S>
RBD_KERNEL std::size_t scratch_bytes(const ModelView<RealOf<S>>& model, bool dense) {
  return Scratch<S>::bytes(model, dense);
}

/// Whether coordinate j is i, an ancestor of it or a descendant: then they act on each other.
RBD_INLINE bool act_on_each_other(const std::int32_t* dof_parent, std::int32_t i, std::int32_t j) {
  const std::int32_t upper = i < j ? i : j;
  std::int32_t lower = i < j ? j : i;
  while (lower > upper) lower = dof_parent[lower];
  return lower == upper;
}

/// Writes what the memory of a context holds before the first call.
template <class S>
RBD_KERNEL void prepare(const KernelContext<RealOf<S>>& context) {
  const auto scratch = Scratch<S>::in(context.memory, context.model, context.dense);
  const SymmetricSources& sources = scratch.sources;
  if (sources.scalar == nullptr) return;
  const std::int32_t nv = context.model.nv, width = static_cast<std::int32_t>(Group<S>::width);
  // From the last entry to the first: how many zeros follow each other from here on.
  std::int32_t zeros = 0;
  for (std::int32_t e = nv * nv - 1; e >= 0; --e) {
    const std::int32_t i = e / nv, j = e % nv;
    zeros = act_on_each_other(context.model.dof_parent, i, j) ? 0 : zeros + 1;
    sources.scalar[e] = static_cast<std::uint32_t>(i < j ? j * nv + i : i * nv + j);
    sources.zeros[e] = zeros >= width ? 1 : 0;
  }
}

/// See KernelTable::body_forces.
template <class S>
RBD_KERNEL const Force<RealOf<S>>* body_forces(const KernelContext<RealOf<S>>& context,
                                               std::span<const RealOf<S>> states,
                                               const BasicExternalWrenches<RealOf<S>>& f_ext,
                                               std::size_t state) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const Group<S> group{state, 1, Layout::rows};
  const Row<S> q = group.read(states, size(model.nq), scratch.q);
  forces_on_bodies(model, scratch.workspace, group, f_ext, q);
  return scratch.workspace.f_ext.data;
}

/// A kernel with its arguments as KernelTable has them.
template <class S, Operation operation>
RBD_KERNEL void compute_erased(const KernelContext<RealOf<S>>& context, const void* args,
                               StateRange range) noexcept {
  compute<S>(OperationTag<operation>{}, context,
             *static_cast<const ArgumentsOf<operation, RealOf<S>>*>(args), range);
}

/// The kernel of an operation, null where there is none.
template <class S, Operation operation>
constexpr typename KernelTable<RealOf<S>>::Kernel kernel_of() {
  if constexpr (is_called<operation>) {
    using Args = ArgumentsOf<operation, RealOf<S>>;
    if constexpr (requires(const KernelContext<RealOf<S>>& context, const Args& args) {
                    compute<S>(OperationTag<operation>{}, context, args, StateRange{});
                  }) {
      return compute_erased<S, operation>;
    }
  }
  return nullptr;
}

/// The table of all of them for one Scalar.
template <class S>
constexpr KernelTable<RealOf<S>> kernel_table() {
  KernelTable<RealOf<S>> table{};
  table.width = ScalarTraits<S>::width;
  table.bytes = scratch_bytes<S>;
  table.prepare = prepare<S>;
  if constexpr (std::is_same_v<S, RealOf<S>>) table.body_forces = body_forces<S>;
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    ((table.kernel[k] = kernel_of<S, static_cast<Operation>(k)>()), ...);
  }
  (std::make_index_sequence<operation_count>());
  return table;
}

}  // namespace rbd_parallel_core
