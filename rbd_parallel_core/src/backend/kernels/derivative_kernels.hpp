// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "columns_in_lanes.hpp"
#include "derivative_inputs.hpp"
#include "forward_solve.hpp"
#include "rbd_parallel_core/algorithm/centroidal.hpp"
#include "rbd_parallel_core/algorithm/finite_sum.hpp"
#include "rbd_parallel_core/algorithm/regressor.hpp"
#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"
#include "rbd_parallel_core/algorithm/rnea_vjp.hpp"

/// The kernels of derivatives, in the form of batch_kernels.hpp.
namespace rbd_parallel_core {

/// A matrix of nv x nv that a call may ask for: in the array itself, or in lanes on its way there.
template <class S>
struct AskedMatrix {
  const Group<S>& group;
  std::span<RealOf<S>> array;
  std::int32_t nv;
  RealOf<S>* buffer;

  RBD_INLINE bool asked() const { return !array.empty(); }
  RBD_INLINE std::size_t square() const { return size(nv) * size(nv); }
  RBD_INLINE OutMatrix<S> place() const {
    if (!asked()) return {buffer, nv};
    return {group.out(array, square(), buffer).data, nv};
  }
  /// NaN where an entry is not finite. Only where it was asked for.
  RBD_INLINE S taint_of_entries() const {
    return asked() ? taint(OutRow<S>{place().data}, square()) : S(RealOf<S>(0));
  }
  /// zeros: which blocks of a row are zero whatever the state is (SymmetricSources), or null.
  RBD_INLINE void finish(const Outcome<S>& outcome, const std::uint8_t* zeros = nullptr) const {
    if (!asked()) return;
    if (zeros == nullptr) {
      group.write(array, square(), buffer);
    } else {
      group.write_with_zeros(array, square(), buffer, zeros);
    }
    group.spoil_unless(outcome.good(), array, square());
  }
  /// Other calls count on the zeros of a robot with branches.
  RBD_INLINE void restore_zeros(bool branches) const {
    if (!branches || !asked() || group.direct()) return;
    const std::size_t numbers = square() * Group<S>::width;
    for (std::size_t k = 0; k < numbers; ++k) buffer[k] = RealOf<S>(0);
  }
};

/// Which blocks of a matrix with the pattern of M are zero.
template <int columns, class S>
struct BlocksOfPattern {
  const std::uint8_t*
      zeros;  ///< SymmetricSources::zeros, which tells of as many as there are lanes
  std::int32_t nv;
  RBD_INLINE bool operator()(std::int32_t k, std::int32_t j) const {
    const std::int32_t first = k * nv + j;
    for (std::int32_t c = 0; c < columns; c += static_cast<std::int32_t>(ScalarTraits<S>::width)) {
      if (zeros[first + c] == 0) return false;
    }
    return true;
  }
};

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::inverse_dynamics_derivatives>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicInverseDynamicsDerivatives<RealOf<S>>& args,
                        StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.a);
    const auto f_ext = given.forces();
    const AskedMatrix<S> by_q{group, args.dtau_dq, model.nv, own.by_q};
    const AskedMatrix<S> by_v{group, args.dtau_dv, model.nv, own.by_v};
    const AskedMatrix<S> by_a{group, args.mass_matrix, model.nv, scratch.matrix};
    const DerivativeMatrices<OutMatrix<S>> out{.q = by_q.place(),
                                               .v = by_v.place(),
                                               .M = by_a.place(),
                                               .wants_q = by_q.asked(),
                                               .wants_v = by_v.asked(),
                                               .wants_M = by_a.asked(),
                                               .zeros_persist = !group.direct()};
    const S bad_entries = taint_of_sum(
        rnea_derivatives(model, own.workspace, given.q, given.v, given.drive, f_ext,
                         given.turning(), broadcast<S>(model.gravity), context.friction, out),
        [&] {
          return by_q.taint_of_entries() + by_v.taint_of_entries() + by_a.taint_of_entries();
        });
    const Outcome<S> result = outcome(given.taint() + bad_entries);
    by_q.finish(result, scratch.sources.zeros);
    by_v.finish(result, scratch.sources.zeros);
    by_a.finish(result, scratch.sources.zeros);
    result.report(group, args.status);
  });
}

/// Solves for what is asked: each matrix becomes -M^-1 times itself. zeros: of the matrices, see
/// SymmetricSources; null where one state is a group. Returns NaN where an entry is not finite,
/// else zero.
template <class S, class... Matrices>
RBD_INLINE S solve(const ModelView<RealOf<S>>& model, const OutMatrix<S>& L,
                   const OutRow<S>& vector, [[maybe_unused]] const std::uint8_t* zeros,
                   const Matrices&... asked) {
  const OutMatrix<S> B[] = {asked.place()...};
  constexpr int columns = 4;  // of two matrices they fill half of the registers
  S quick;
  if constexpr (std::is_same_v<S, RealOf<S>>) {
    quick = ltl_solve_in_lanes(model, L, vector, B);
  } else if constexpr (ScalarTraits<S>::width == 1) {  // one state of numbers that packs know not
    quick = ltl_solve_rows<columns, S>(model, L, vector, B);
  } else {
    quick = ltl_solve_rows<columns, S>(model, L, vector, B,
                                       BlocksOfPattern<columns, S>{zeros, model.nv});
  }
  return taint_of_sum(quick, [&] { return (asked.taint_of_entries() + ...); });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::forward_dynamics_derivatives>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicForwardDynamicsDerivatives<RealOf<S>>& args,
                        StateRange range) noexcept {
  using T = ScalarTraits<S>;
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nv = size(model.nv);
  const bool mimic = model.has_mimic;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.tau);
    const OutRow<S> qdd{own.out[0]};
    const auto f_ext = given.forces();
    S singular = accelerations(context, scratch, given.q, given.v, given.drive, f_ext, qdd);
    const AskedMatrix<S> by_q{group, args.dqdd_dq, model.nv, own.by_q};
    const AskedMatrix<S> by_v{group, args.dqdd_dv, model.nv, own.by_v};
    const AskedMatrix<S> by_tau{group, args.dqdd_dtau, model.nv, scratch.inverse};
    // With mimic joints M was factored on the way to the accelerations.
    const OutMatrix<S> L{scratch.matrix, model.nv};
    const DerivativeMatrices<OutMatrix<S>> out{.q = by_q.place(),
                                               .v = by_v.place(),
                                               .M = L,
                                               .wants_q = by_q.asked(),
                                               .wants_v = by_v.asked(),
                                               .wants_M = !mimic,
                                               .zeros_persist = !group.direct()};
    // The sines and cosines are those of the accelerations' computation.
    derivatives_outward(model, own.workspace, given.q, given.v, Row<S>{qdd.data},
                        broadcast<S>(model.gravity), out.terms);
    derivative_matrices(model, own.workspace, f_ext, given.turning(), context.friction, out);
    const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
    if (!mimic) singular = T::max(singular, ltl_factor<S>(model, L, vector));
    const std::uint8_t* const zeros = scratch.sources.zeros;
    S bad_results = taint(qdd, nv);
    if (by_q.asked() && by_v.asked()) {
      bad_results = bad_results + solve<S>(model, L, vector, zeros, by_q, by_v);
    } else {
      if (by_q.asked()) bad_results = bad_results + solve<S>(model, L, vector, zeros, by_q);
      if (by_v.asked()) bad_results = bad_results + solve<S>(model, L, vector, zeros, by_v);
    }
    if (by_tau.asked()) {
      const OutSymmetric<S> inverse{by_tau.place()};
      ltl_inverse<S>(model, L, inverse);
      // No entry is larger than the largest one of the diagonal, and none is finite without it.
      for (std::int32_t k = 0; k < model.nv; ++k) {
        bad_results = mul_add(S(RealOf<S>(0)), inverse.load(k, k), bad_results);
      }
    }
    const Outcome<S> result = outcome_of_solve(given.taint(), singular, bad_results);
    by_q.finish(result, scratch.inverse_zeros);
    by_v.finish(result, scratch.inverse_zeros);
    by_tau.finish(result, scratch.inverse_zeros);
    by_q.restore_zeros(model.has_branches);
    by_v.restore_zeros(model.has_branches);
    result.report(group, args.status);
  });
}

/// dtau = d tau / d q dq + d tau / d v dv + M da
template <class S>
RBD_INLINE void push_forward(const KernelContext<RealOf<S>>& context, const Scratch<S>& scratch,
                             const GivenState<S>& given, const DualRow<S>& v, const DualRow<S>& a,
                             const Row<S>& dq, const OutRow<S>& dtau) {
  const ModelView<RealOf<S>>& model = context.model;
  const DerivativeScratch<S>& own = scratch.derivatives;
  coordinate_rates<S>(model, given.q, dq, OutRow<S>{own.rates});
  const DualRow<S> dual_q{given.q, {own.rates}};
  const DualOutRow<S> tau{{own.out[1]}, dtau};
  const auto forces =
      dual_forces_on_bodies(model, scratch.workspace, given.group, given.f_ext, dual_q);
  rnea(model, scratch.workspace.dual_rnea, dual_q, v, a, forces, broadcast<Dual<S>>(model.gravity),
       context.friction, tau);
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::inverse_dynamics_jvp>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicInverseDynamicsJvp<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.a);
    const DualRow<S> v{given.v, read_or_zeros(group, args.dv, nv, own.dv, scratch)};
    const DualRow<S> a{given.drive, read_or_zeros(group, args.da, nv, own.da, scratch)};
    const Row<S> dq = read_or_zeros(group, args.dq, nv, own.dq, scratch);
    const OutRow<S> dtau = group.out(args.dtau, nv, scratch.out);
    push_forward(context, scratch, given, v, a, dq, dtau);
    const S bad = given.taint() + taint(v.d, nv) + taint(a.d, nv) + taint(dq, nv) + taint(dtau, nv);
    finish(group, outcome(bad), args.dtau, nv, scratch.out, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::forward_dynamics_jvp>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicForwardDynamicsJvp<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.tau);
    const DualRow<S> v{given.v, read_or_zeros(group, args.dv, nv, own.dv, scratch)};
    const Row<S> dq = read_or_zeros(group, args.dq, nv, own.dq, scratch);
    const Row<S> dtau = read_or_zeros(group, args.dtau, nv, own.da, scratch);
    const OutRow<S> qdd{own.out[0]};
    const S singular =
        accelerations(context, scratch, given.q, given.v, given.drive, given.forces(), qdd);
    const Row<S> zeros{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
    const DualRow<S> a{{qdd.data}, zeros};
    const OutRow<S> change{own.out[2]};
    push_forward(context, scratch, given, v, a, dq, change);
    for (std::int32_t k = 0; k < model.nv; ++k) change.store(k, dtau(k) - change.load(k));
    const OutRow<S> dqdd = group.out(args.dqdd, nv, scratch.out);
    solve_mass_matrix(context, scratch, given.q, Row<S>{change.data}, dqdd);
    const S bad = given.taint() + taint(v.d, nv) + taint(dq, nv) + taint(dtau, nv);
    const Outcome<S> result = outcome_of_solve(bad, singular, taint(qdd, nv) + taint(dqdd, nv));
    finish(group, result, args.dqdd, nv, scratch.out, args.status);
  });
}

/// Three rows of nv numbers that a call may ask for.
template <class S>
struct AskedRows {
  const Group<S>& group;
  std::size_t nv;
  std::span<RealOf<S>> arrays[3];
  RealOf<S>* const (&buffers)[3];

  RBD_INLINE OutRow<S> row(int k) const {
    if (arrays[k].empty()) return {buffers[k]};
    return group.out(arrays[k], nv, buffers[k]);
  }
  RBD_INLINE S taint_of_rows() const {
    return taint(row(0), nv) + taint(row(1), nv) + taint(row(2), nv);
  }
  RBD_INLINE void finish(const Outcome<S>& outcome, std::span<StateStatus> status) const {
    for (int k = 0; k < 3; ++k) {
      if (arrays[k].empty()) continue;
      group.write(arrays[k], nv, buffers[k]);
      group.spoil_unless(outcome.good(), arrays[k], nv);
    }
    outcome.report(group, status);
  }
};

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::inverse_dynamics_vjp>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicInverseDynamicsVjp<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.a);
    const Row<S> weights = group.read(args.weights, nv, own.da);
    const auto f_ext = given.forces();
    const AskedRows<S> out{group, nv, {args.grad_q, args.grad_v, args.grad_a}, own.out};
    rnea_vjp(model, scratch.workspace.vjp, given.q, given.v, given.drive, weights, f_ext,
             given.turning(), broadcast<S>(model.gravity), context.friction, out.row(0), out.row(1),
             out.row(2));
    const S bad = given.taint() + taint(weights, nv) + out.taint_of_rows();
    out.finish(outcome(bad), args.status);
  });
}

/// With x = M^-1 weights and a = qdd: weights . d qdd = x . (d tau - d ID), where d ID is the
/// change of inverse dynamics.
template <class S>
RBD_KERNEL void compute(OperationTag<Operation::forward_dynamics_vjp>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicForwardDynamicsVjp<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const GivenState<S> given = read_state(context, scratch, group, args, args.tau);
    const Row<S> weights = group.read(args.weights, nv, own.da);
    const OutRow<S> qdd{own.dq}, unused{own.dv};
    const auto f_ext = given.forces();
    const S singular = accelerations(context, scratch, given.q, given.v, given.drive, f_ext, qdd);
    const AskedRows<S> out{group, nv, {args.grad_q, args.grad_v, args.grad_tau}, own.out};
    const OutRow<S> x = out.row(2);
    solve_mass_matrix(context, scratch, given.q, weights, x);
    const OutRow<S> by_q = out.row(0), by_v = out.row(1);
    rnea_vjp(model, scratch.workspace.vjp, given.q, given.v, Row<S>{qdd.data}, Row<S>{x.data},
             f_ext, given.turning(), broadcast<S>(model.gravity), context.friction, by_q, by_v,
             unused);
    for (std::int32_t k = 0; k < model.nv; ++k) {
      by_q.store(k, -by_q.load(k));
      by_v.store(k, -by_v.load(k));
    }
    const S bad = given.taint() + taint(weights, nv);
    out.finish(outcome_of_solve(bad, singular, taint(qdd, nv) + out.taint_of_rows()), args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::coriolis_matrix>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicCoriolisMatrix<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const Row<S> zeros{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
  const BasicExternalWrenches<RealOf<S>> no_wrenches{};
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const AskedMatrix<S> C{group, args.coriolis, model.nv, own.by_v};
    const AskedMatrix<S> rate{group, args.mass_matrix_rate, model.nv, own.by_q};
    // A single state has no buffers: where only the rate is asked for, C stands in its place first.
    const OutMatrix<S> matrix = C.asked() || Group<S>::width > 1 ? C.place() : rate.place();
    const DerivativeMatrices<OutMatrix<S>> out{.q = matrix,
                                               .v = matrix,
                                               .M = matrix,
                                               .wants_q = false,
                                               .wants_v = true,
                                               .wants_M = false,
                                               .terms = VelocityTerms::coriolis,
                                               .zeros_persist = !group.direct()};
    S bad_entries(RealOf<S>(0));
    if (C.asked() || rate.asked()) {  // else there may be no place for it
      bad_entries = taint_of_sum(
          rnea_derivatives(model, own.workspace, q, v, zeros, no_forces(scratch.workspace),
                           TurningWrenches<S>{group, no_wrenches, scratch.workspace.kinematics},
                           Vec3<S>::zero(), false, out),
          [&] { return taint(OutRow<S>{matrix.data}, nv * nv); });
    }
    if (rate.asked()) {
      const OutMatrix<S> sum = rate.place();
      for (std::int32_t i = 0; i < model.nv; ++i) {
        for (std::int32_t j = 0; j <= i; ++j) {
          const S x = matrix.load(i, j) + matrix.load(j, i);
          sum.store(i, j, x);
          sum.store(j, i, x);
        }
      }
    }
    const Outcome<S> result =
        outcome(taint_of_q<S>(model, q) + taint(v, nv) + bad_entries + rate.taint_of_entries());
    C.finish(result, scratch.sources.zeros);
    rate.finish(result, scratch.sources.zeros);
    result.report(group, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::centroidal_momentum>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicCentroidalMomentum<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativeScratch<S>& own = scratch.derivatives;
  const std::size_t nq = size(model.nq), nv = size(model.nv), n = 6 * nv;
  const Row<S> zeros{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    S bad = taint_of_q<S>(model, q) + taint(v, nv);
    // One buffer serves both, one after the other.
    for (const bool wants_rate : {false, true}) {
      const std::span<RealOf<S>> array =
          wants_rate ? args.momentum_matrix_rate : args.momentum_matrix;
      if (array.empty()) continue;
      const OutRow<S> A = group.out(array, n, scratch.jacobian);
      centroidal_momentum(model, own.workspace, q, v, zeros,
                          CentroidalMatrices<OutRow<S>>{A, A, !wants_rate, wants_rate});
      bad = bad + taint(A, n);
      group.write(array, n, scratch.jacobian);
    }
    const Outcome<S> result = outcome(bad);
    group.spoil_unless(result.good(), args.momentum_matrix, n);
    group.spoil_unless(result.good(), args.momentum_matrix_rate, n);
    result.report(group, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::regressor>, const KernelContext<RealOf<S>>& context,
                        const BasicRegressor<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const DerivativesWorkspace<S, Column>& ws = scratch.derivatives.workspace;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const std::size_t row_length = size(model.body_count) * size(parameters_per_body);
  const std::size_t n = nv * row_length;
  const S zero(RealOf<S>(0));
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const Row<S> a = read_or_zeros(group, args.a, nv, scratch.a, scratch);
    S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(a, nv);
    compute_turns(model, ws.turns, q);
    derivatives_outward(model, ws, q, v, a, broadcast<S>(model.gravity), VelocityTerms::derivative);
    for_each_carried_link(model, [&](std::int32_t body, std::int32_t link) RBD_INLINE_LAMBDA {
      // The ten columns of a body, nv x 10, then each of its rows to where it belongs.
      const OutRow<S> block{scratch.derivatives.parameters};
      const std::size_t ten = size(parameters_per_body);
      for (std::int32_t k = 0; size(k) < nv * ten; ++k) block.store(k, zero);
      regressor_of_body(model, ws, body, link,
                        [&](std::int32_t dof, std::int32_t k, const S& x) RBD_INLINE_LAMBDA {
                          const std::int32_t at = dof * parameters_per_body + k;
                          block.store(at, block.load(at) + x);
                        });
      bad = bad + taint(block, nv * ten);
      for (std::size_t dof = 0; dof < nv; ++dof) {
        const std::size_t begin = dof * row_length + size(body) * ten;
        RealOf<S>* const from = block.data + dof * ten * Group<S>::width;
        if (group.direct()) {
          const OutRow<S> to = group.out(args.regressor, n, begin, nullptr);
          for (std::int32_t k = 0; k < parameters_per_body; ++k) {
            to.store(k, OutRow<S>{from}.load(k));
          }
        } else {
          group.write(args.regressor, n, begin, ten, from);
        }
      }
    });
    const Outcome<S> result = outcome(bad);
    group.spoil_unless(result.good(), args.regressor, n);
    result.report(group, args.status);
  });
}

}  // namespace rbd_parallel_core
