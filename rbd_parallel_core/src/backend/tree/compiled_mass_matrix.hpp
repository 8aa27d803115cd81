// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mass_matrix_table.hpp"

/// The kernels as mass_matrix_kernels.cpp defines them, for one number type and one instruction
/// set.
#define RBD_DECLARE_COMPILED_MASS_MATRIX(set)                              \
  namespace rbd_parallel_core::set {                                       \
  template <class Real>                                                    \
  struct CompiledMassMatrix {                                              \
    static const TreeMassMatrixKernels<Real> kernels;                      \
  };                                                                       \
  template <>                                                              \
  const TreeMassMatrixKernels<double> CompiledMassMatrix<double>::kernels; \
  template <>                                                              \
  const TreeMassMatrixKernels<float> CompiledMassMatrix<float>::kernels;   \
  }
RBD_DECLARE_COMPILED_MASS_MATRIX(baseline)
RBD_DECLARE_COMPILED_MASS_MATRIX(avx2)
RBD_DECLARE_COMPILED_MASS_MATRIX(avx512)
#undef RBD_DECLARE_COMPILED_MASS_MATRIX
