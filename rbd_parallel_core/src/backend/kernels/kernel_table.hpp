// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "rbd_parallel_core/instruction_set.hpp"
#include "rbd_parallel_core/model/model_view.hpp"
#include "rbd_parallel_core/operation.hpp"

/// What the backends on the CPU call: the operations on a range of the states of a batch, compiled
/// for one instruction set and one Scalar. batch_kernels.hpp has the source.
namespace rbd_parallel_core {

/// The states begin <= s < end of a batch; `begin` is a multiple of the kernels' width.
struct StateRange {
  std::size_t begin, end;
};

/// What a call works with. One for each thread: the memory is written to.
template <class Real>
struct KernelContext {
  ModelView<Real> model;
  bool friction;
  bool dense;         ///< the memory has room for matrices
  SparseRows sparse;  ///< of the lower triangle of M
  std::byte* memory;  ///< KernelTable::bytes, aligned to memory_alignment, zero at first
};

inline constexpr std::size_t memory_alignment = 64;

template <class Real>
struct KernelTable {
  /// `args` are the arguments of the operation, ArgumentsOf<operation, Real>.
  using Kernel = void (*)(const KernelContext<Real>&, const void* args, StateRange) noexcept;

  std::size_t width;  ///< states that are computed at once
  std::size_t (*bytes)(const ModelView<Real>& model, bool dense);
  void (*prepare)(const KernelContext<Real>&);  ///< once, on fresh memory
  /// One for each Operation; null where an operation is computed as a case of another one.
  Kernel kernel[operation_count];
  /// The wrenches on the links of one state as forces on the bodies, each at its body's origin and
  /// in its axes. They lie in the memory of the context. Only where width is 1.
  const Force<Real>* (*body_forces)(const KernelContext<Real>&, std::span<const Real> q,
                                    const BasicExternalWrenches<Real>&, std::size_t state) noexcept;
};

/// The kernels that compute one state at a time, for the set or the best one below it.
template <class Real>
const KernelTable<Real>& scalar_kernels(InstructionSet set);

/// The kernels that compute as many as a SIMD register of the set holds.
template <class Real>
const KernelTable<Real>& pack_kernels(InstructionSet set);

}  // namespace rbd_parallel_core
