// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

/// C v + g, or C v without gravity, is inverse dynamics without acceleration.
template <class Real>
BasicInverseDynamics<Real> unaccelerated(const BasicForces<Real>& args) noexcept {
  return {.batch = args.batch,
          .q = args.q,
          .v = args.v,
          .a = {},
          .tau = args.tau,
          .status = args.status,
          .layout = args.layout};
}

/// g is inverse dynamics without velocity and acceleration.
template <class Real>
BasicInverseDynamics<Real> at_rest(const BasicForces<Real>& args) noexcept {
  BasicInverseDynamics<Real> result = unaccelerated(args);
  result.v = {};
  return result;
}

}  // namespace rbd_parallel_core
