// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_launch.hpp"
#include "mass_matrix_bodies.hpp"

namespace rbd_parallel_core {

/// The mass matrix by blocks of one state of one large tree, on a device or on a CPU: first its
/// columns, level by level, then its entries.
template <class Real>
struct MassMatrixOperations {
  typename BlockOperations<Real>::Operation columns;  ///< into TreeState::columns
  BodyEntry<DenseMatrixBody<Real>> dense;
  BodyEntry<SparseMatrixBody<Real>> sparse;
};

}  // namespace rbd_parallel_core
