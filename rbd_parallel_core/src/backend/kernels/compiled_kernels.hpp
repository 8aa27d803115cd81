// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_table.hpp"

/// The kernels as they are compiled: pack_kernels.cpp defines those for packs, scalar_kernels.cpp
/// those for one state at a time, each for one number type and one instruction set.
#define RBD_DECLARE_COMPILED_KERNELS(set)                     \
  namespace rbd_parallel_core::set {                          \
  template <class Real>                                       \
  struct CompiledKernels {                                    \
    static const KernelTable<Real> packs, scalars;            \
  };                                                          \
  template <>                                                 \
  const KernelTable<double> CompiledKernels<double>::packs;   \
  template <>                                                 \
  const KernelTable<double> CompiledKernels<double>::scalars; \
  template <>                                                 \
  const KernelTable<float> CompiledKernels<float>::packs;     \
  template <>                                                 \
  const KernelTable<float> CompiledKernels<float>::scalars;   \
  }
RBD_DECLARE_COMPILED_KERNELS(baseline)
RBD_DECLARE_COMPILED_KERNELS(avx2)
RBD_DECLARE_COMPILED_KERNELS(avx512)
#undef RBD_DECLARE_COMPILED_KERNELS
