// SPDX-License-Identifier: Apache-2.0
#include "gpu_derivatives.hpp"

namespace rbd_parallel_core {

/// For robots that are too large for matrices.
template <class Real>
Result GpuDerivatives<Real>::refuse(Operation operation) const noexcept {
  const bool solves =
      operation == Operation::forward_dynamics_jvp || operation == Operation::forward_dynamics_vjp;
  const bool needs_matrix = keeps_matrices(operation) || (solves && model_.view().has_mimic);
  if (!needs_matrix || plan().nv <= largest_gpu_matrix) return {};
  return too_large(operation, largest_gpu_matrix, model_.view().nv);
}

template <class Real>
Result GpuDerivatives<Real>::compute(const Call& call) noexcept {
  if (const Result refusal = refuse(call.operation()); !refusal.ok()) return refusal;
  return call.visit(
      [&]<Operation operation>(OperationTag<operation>, const ArgumentsOf<operation, Real>& args) {
        if constexpr (offers(operation)) {
          return run(args);
        } else {
          return not_offered(operation);
        }
      });
}

/// Has work(states, forces, range) queued for each chunk, after its inputs, and then its status.
template <class Real>
template <class Args, class Work>
Result GpuDerivatives<Real>::in_chunks(const Args& args, const Work& work) noexcept {
  BasicExternalWrenches<Real> f_ext;
  if constexpr (requires { args.f_ext; }) f_ext = args.f_ext;
  if (const Result refusal = arrays_.refuse_wrenches(f_ext); !refusal.ok()) return refusal;
  std::size_t states = arrays_.states_with(f_ext);
  if constexpr (requires { args.regressor; }) {
    states = static_cast<std::size_t>(ChunkBuffers<Real>::states_with_regressor(plan()));
  }
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    arrays_.read_inputs(args, range);
    const Real* const forces = arrays_.read_forces(f_ext, range);
    work(arrays_.chunk_of(range, friction_), forces, range);
    arrays_.write_status(args.status, range);
  });
}

template <class Real>
template <class Args>
RneaDerivativesBody<Real> GpuDerivatives<Real>::derivatives_of(const Args& args,
                                                               const StateChunk<Real>& states,
                                                               const Real* forces) noexcept {
  RneaDerivativesBody<Real> body{};
  body.states = states;
  body.v = buffers().v.lanes;
  body.a = buffers().a.lanes;
  body.forces = forces;
  body.wrenches = arrays_.wrenches_of(args.f_ext);
  body.gravity = model_.view().gravity;
  body.terms = VelocityTerms::derivative;
  return body;
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicInverseDynamicsDerivatives<Real>& args) noexcept {
  return in_chunks(
      args, [&](const StateChunk<Real>& states, const Real* forces, const ChunkRange& range) {
        RneaDerivativesBody<Real> body = derivatives_of(args, states, forces);
        body.by_q = if_asked(args.dtau_dq, buffers().by_q);
        body.by_v = if_asked(args.dtau_dv, buffers().by_v);
        body.M = if_asked(args.mass_matrix, buffers().matrix);
        arrays_.launch_states(kernels_.derivatives.rnea_derivatives, body);
        arrays_.write(body.by_q, args.dtau_dq, square(), range);
        arrays_.write(body.by_v, args.dtau_dv, square(), range);
        arrays_.write(body.M, args.mass_matrix, square(), range);
      });
}

/// Forward dynamics with the torques in the buffer of a; the accelerations come to the lanes of
/// `out`, and with mimic joints the factor of M to `matrix`.
template <class Real>
void GpuDerivatives<Real>::launch_accelerations(const StateChunk<Real>& states,
                                                const Real* forces) noexcept {
  const auto launch = [&]<class Body>(const BodyEntry<Body>& entry) {
    Body body{};
    body.states = states;
    body.v = buffers().v.lanes;
    body.tau = buffers().a.lanes;
    body.forces = forces;
    body.M = buffers().matrix;
    body.qdd = buffers().out.lanes;
    arrays_.launch_states(entry, body);
  };
  if (model_.view().has_mimic) {
    launch(kernels_.states.crba_forward);
  } else {
    launch(kernels_.states.aba);
  }
}

/// x = M^-1 b after launch_accelerations. given: b is an input of the call.
template <class Real>
void GpuDerivatives<Real>::launch_solve(const StateChunk<Real>& states, const Real* b, bool given,
                                        Real* x) noexcept {
  const auto launch = [&]<class Body>(const BodyEntry<Body>& entry) {
    Body body{};
    body.states = states;
    body.b = b;
    body.given = given;
    body.L = buffers().matrix;
    body.x = x;
    arrays_.launch_states(entry, body);
  };
  if (model_.view().has_mimic) {
    launch(kernels_.derivatives.solve_by_factor);
  } else {
    launch(kernels_.derivatives.solve_by_aba);
  }
}

/// d qdd = -M^-1 (d tau at these accelerations)
template <class Real>
Result GpuDerivatives<Real>::run(const BasicForwardDynamicsDerivatives<Real>& args) noexcept {
  return in_chunks(
      args, [&](const StateChunk<Real>& states, const Real* forces, const ChunkRange& range) {
        launch_accelerations(states, forces);
        const bool factored = model_.view().has_mimic;
        RneaDerivativesBody<Real> body = derivatives_of(args, states, forces);
        body.a = buffers().out.lanes;
        body.judged_later = true;
        body.by_q = if_asked(args.dqdd_dq, buffers().by_q);
        body.by_v = if_asked(args.dqdd_dv, buffers().by_v);
        body.M = factored ? nullptr : buffers().matrix;
        arrays_.launch_states(kernels_.derivatives.rnea_derivatives, body);
        SolveMatricesBody<Real> solve{};
        solve.states = states;
        solve.M = buffers().matrix;
        solve.factored = factored;
        solve.by_q = body.by_q;
        solve.by_v = body.by_v;
        solve.inverse = if_asked(args.dqdd_dtau, buffers().inverse);
        arrays_.launch_states(kernels_.derivatives.solve_matrices, solve);
        arrays_.write(solve.by_q, args.dqdd_dq, square(), range);
        arrays_.write(solve.by_v, args.dqdd_dv, square(), range);
        arrays_.write(solve.inverse, args.dqdd_dtau, square(), range);
      });
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicInverseDynamicsJvp<Real>& args) noexcept {
  return in_chunks(args, [&](const StateChunk<Real>& states, const Real*, const ChunkRange& range) {
    RneaJvpBody<Real> body{};
    body.states = states;
    body.v = buffers().v.lanes;
    body.a = buffers().a.lanes;
    body.dq = buffers().dq.lanes;
    body.dv = buffers().dv.lanes;
    body.da = buffers().da.lanes;
    body.wrenches = arrays_.wrenches_of(args.f_ext);
    body.change = row(0);
    arrays_.launch_states(kernels_.derivatives.rnea_jvp, body);
    arrays_.write(body.change, args.dtau, nv(), range);
  });
}

/// d qdd = M^-1 (dtau - what the directions dq and dv change of the torques at these accelerations)
template <class Real>
Result GpuDerivatives<Real>::run(const BasicForwardDynamicsJvp<Real>& args) noexcept {
  return in_chunks(
      args, [&](const StateChunk<Real>& states, const Real* forces, const ChunkRange& range) {
        launch_accelerations(states, forces);
        RneaJvpBody<Real> body{};
        body.states = states;
        body.v = buffers().v.lanes;
        body.a = buffers().out.lanes;
        body.dq = buffers().dq.lanes;
        body.dv = buffers().dv.lanes;
        body.wrenches = arrays_.wrenches_of(args.f_ext);
        body.dtau = buffers().da.lanes;
        body.change = row(0);
        arrays_.launch_states(kernels_.derivatives.rnea_jvp, body);
        launch_solve(states, row(0), false, row(1));
        arrays_.write(row(1), args.dqdd, nv(), range);
      });
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicInverseDynamicsVjp<Real>& args) noexcept {
  return in_chunks(
      args, [&](const StateChunk<Real>& states, const Real* forces, const ChunkRange& range) {
        RneaVjpBody<Real> body{};
        body.states = states;
        body.v = buffers().v.lanes;
        body.a = buffers().a.lanes;
        body.weights = buffers().da.lanes;
        body.forces = forces;
        body.wrenches = arrays_.wrenches_of(args.f_ext);
        body.by_q = row(0);
        body.by_v = row(1);
        body.by_a = row(2);
        arrays_.launch_states(kernels_.derivatives.rnea_vjp, body);
        arrays_.write_outputs(row(0), args, range);
      });
}

/// With x = M^-1 weights and a = qdd: weights . d qdd = x . (d tau - d ID), where d ID is the
/// change of inverse dynamics.
template <class Real>
Result GpuDerivatives<Real>::run(const BasicForwardDynamicsVjp<Real>& args) noexcept {
  return in_chunks(
      args, [&](const StateChunk<Real>& states, const Real* forces, const ChunkRange& range) {
        launch_accelerations(states, forces);
        launch_solve(states, buffers().da.lanes, true, row(2));
        RneaVjpBody<Real> body{};
        body.states = states;
        body.v = buffers().v.lanes;
        body.a = buffers().out.lanes;
        body.weights = body.solved = row(2);
        body.forces = forces;
        body.wrenches = arrays_.wrenches_of(args.f_ext);
        body.by_q = row(0);
        body.by_v = row(1);
        body.by_a = row(3);
        arrays_.launch_states(kernels_.derivatives.rnea_vjp, body);
        arrays_.write_outputs(row(0), args, range);
      });
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicCoriolisMatrix<Real>& args) noexcept {
  return in_chunks(args, [&](StateChunk<Real> states, const Real*, const ChunkRange& range) {
    states.friction = false;
    const auto numbers = static_cast<std::size_t>(plan().nv * plan().stride);
    queue_.clear(buffers().a.lanes, numbers * sizeof(Real));
    RneaDerivativesBody<Real> body{};
    body.states = states;
    body.v = buffers().v.lanes;
    body.a = buffers().a.lanes;
    body.terms = VelocityTerms::coriolis;
    body.by_v = buffers().by_v;
    body.sum = if_asked(args.mass_matrix_rate, buffers().by_q);
    arrays_.launch_states(kernels_.derivatives.rnea_derivatives, body);
    arrays_.write(body.by_v, args.coriolis, square(), range);
    arrays_.write(body.sum, args.mass_matrix_rate, square(), range);
  });
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicCentroidalMomentum<Real>& args) noexcept {
  return in_chunks(args, [&](const StateChunk<Real>& states, const Real*, const ChunkRange& range) {
    CentroidalBody<Real> body{};
    body.states = states;
    body.v = buffers().v.lanes;
    body.A = if_asked(args.momentum_matrix, row(0));
    body.rate = if_asked(args.momentum_matrix_rate, row(6));
    arrays_.launch_states(kernels_.derivatives.centroidal, body);
    arrays_.write(body.A, args.momentum_matrix, 6 * nv(), range);
    arrays_.write(body.rate, args.momentum_matrix_rate, 6 * nv(), range);
  });
}

template <class Real>
Result GpuDerivatives<Real>::run(const BasicRegressor<Real>& args) noexcept {
  return in_chunks(args, [&](const StateChunk<Real>& states, const Real*, const ChunkRange& range) {
    RegressorBody<Real> body{};
    body.states = states;
    body.v = buffers().v.lanes;
    body.a = buffers().a.lanes;
    body.Y = buffers().matrix;
    body.stride = ChunkBuffers<Real>::states_with_regressor(plan());
    arrays_.launch_states(kernels_.derivatives.regressor, body);
    const auto numbers = static_cast<std::size_t>(plan().regressor);
    arrays_.write(body.Y, args.regressor, numbers, range, body.stride);
  });
}

template class GpuDerivatives<double>;
template class GpuDerivatives<float>;

}  // namespace rbd_parallel_core
