// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/backend.hpp"

/// What a call asks for.
namespace rbd_parallel_core {

/// What acts besides the motion.
template <class Real>
struct Load {
  Vec3<Real> gravity;
  bool friction;
};

template <class Real>
Load<Real> load_of(Operation operation, const ModelView<Real>& model, bool friction) {
  if (operation == Operation::coriolis_forces) return {Vec3<Real>::zero(), false};
  return {model.gravity, friction};
}

template <class Real>
bool asks_for_factors(const BasicMassMatrix<Real>& args) {
  return !args.cholesky.empty() || !args.inverse.empty() || !args.sparse_cholesky.empty();
}

}  // namespace rbd_parallel_core
