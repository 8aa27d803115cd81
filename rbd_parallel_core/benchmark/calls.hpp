// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "operation.hpp"
#include "rbd_parallel_core/operation.hpp"

namespace rbd_bench {

// The states of one call of this library. Products with derivatives take the same arrays, in other
// roles, for directions and weights.
template <class Real>
struct CallInputs {
  std::size_t batch = 1;
  std::span<const Real> q, v, a, tau;
  rbd_parallel_core::Layout layout = rbd_parallel_core::Layout::rows;
};

// Calls visit(OperationTag, arguments) with the arguments of the operation. `out` has all arrays of
// the result, one after the other.
template <class Real, class Visit>
void with_arguments(Operation operation, const CallInputs<Real>& in, std::span<Real> out,
                    const Visit& visit) {
  namespace core = rbd_parallel_core;
  using Core = core::Operation;
  const std::size_t size = out.size() / result_shape(operation, 1).arrays;
  const auto array = [&](std::size_t k) { return out.subspan(k * size, size); };
  const auto call = [&]<Core core_operation>(core::OperationTag<core_operation> tag,
                                             const core::ArgumentsOf<core_operation, Real>& args) {
    visit(tag, args);
  };
  switch (operation) {
    case Operation::kRnea:
      return call(
          core::OperationTag<Core::inverse_dynamics>{},
          {.batch = in.batch, .q = in.q, .v = in.v, .a = in.a, .tau = out, .layout = in.layout});
    case Operation::kCrba:
      return call(core::OperationTag<Core::mass_matrix>{},
                  {.batch = in.batch, .q = in.q, .mass_matrix = out, .layout = in.layout});
    case Operation::kAba:
      return call(core::OperationTag<Core::forward_dynamics>{}, {.batch = in.batch,
                                                                 .q = in.q,
                                                                 .v = in.v,
                                                                 .tau = in.tau,
                                                                 .method = core::ForwardMethod::aba,
                                                                 .qdd = out,
                                                                 .layout = in.layout});
    case Operation::kRneaDerivatives:
      return call(core::OperationTag<Core::inverse_dynamics_derivatives>{}, {.batch = in.batch,
                                                                             .q = in.q,
                                                                             .v = in.v,
                                                                             .a = in.a,
                                                                             .dtau_dq = array(0),
                                                                             .dtau_dv = array(1),
                                                                             .layout = in.layout});
    case Operation::kAbaDerivatives:
      return call(core::OperationTag<Core::forward_dynamics_derivatives>{}, {.batch = in.batch,
                                                                             .q = in.q,
                                                                             .v = in.v,
                                                                             .tau = in.tau,
                                                                             .dqdd_dq = array(0),
                                                                             .dqdd_dv = array(1),
                                                                             .dqdd_dtau = array(2),
                                                                             .layout = in.layout});
    case Operation::kRneaJvp:
      return call(core::OperationTag<Core::inverse_dynamics_jvp>{}, {.batch = in.batch,
                                                                     .q = in.q,
                                                                     .v = in.v,
                                                                     .a = in.a,
                                                                     .dq = in.tau,
                                                                     .dv = in.a,
                                                                     .da = in.v,
                                                                     .dtau = out,
                                                                     .layout = in.layout});
    case Operation::kRneaVjp:
      return call(core::OperationTag<Core::inverse_dynamics_vjp>{}, {.batch = in.batch,
                                                                     .q = in.q,
                                                                     .v = in.v,
                                                                     .a = in.a,
                                                                     .weights = in.tau,
                                                                     .grad_q = array(0),
                                                                     .grad_v = array(1),
                                                                     .grad_a = array(2),
                                                                     .layout = in.layout});
    case Operation::kAbaJvp:
      return call(core::OperationTag<Core::forward_dynamics_jvp>{}, {.batch = in.batch,
                                                                     .q = in.q,
                                                                     .v = in.v,
                                                                     .tau = in.tau,
                                                                     .dq = in.a,
                                                                     .dv = in.tau,
                                                                     .dtau = in.v,
                                                                     .dqdd = out,
                                                                     .layout = in.layout});
    case Operation::kAbaVjp:
      return call(core::OperationTag<Core::forward_dynamics_vjp>{}, {.batch = in.batch,
                                                                     .q = in.q,
                                                                     .v = in.v,
                                                                     .tau = in.tau,
                                                                     .weights = in.a,
                                                                     .grad_q = array(0),
                                                                     .grad_v = array(1),
                                                                     .grad_tau = array(2),
                                                                     .layout = in.layout});
  }
}

}  // namespace rbd_bench
