// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../kernels/kernel_table.hpp"
#include "rbd_parallel_core/operation_arguments.hpp"
#include "register_allocation.hpp"

/// What runs the code of one robot on the states of a batch: reads rows into lanes, computes sines
/// and cosines, calls the code, judges and writes the results.
namespace rbd_parallel_core::compiled {

inline constexpr std::size_t most_inputs = 6, most_outputs = 3;

/// The results of a function that make up one array.
struct CodeOutput {
  std::int32_t n = 0;                   ///< numbers a state
  std::int32_t first = 0;               ///< among all results
  bool symmetric = false;               ///< a matrix of which the lower triangle is computed
  bool dense = false;                   ///< a short row, each number of which the code writes
  bool solved = true;                   ///< means nothing where M is singular
  const std::uint32_t* from = nullptr;  ///< per number: from which result, counted from `first`
  /// Per number: whether those of a register from it on are zero.
  const std::uint8_t* zeros = nullptr;
  /// The results that the code writes, counted from `first`.
  std::span<const std::uint32_t> computed = {};
};

/// The code of a function, as the kernels see it. For packs, or for one state.
struct CodeView {
  void (*run)(std::byte* block) = nullptr;
  BlockLayout layout;
  /// The angles: factor times an input plus offset, both in the block. Which inputs, up to a whole
  /// register of them.
  const std::int32_t* turns = nullptr;
  std::size_t turn_count = 0;
  bool turns_are_of_first_array = false;
  std::array<std::int32_t, most_inputs> inputs{};  ///< numbers a state of each array
  std::array<CodeOutput, most_outputs> outputs;
  std::size_t input_count = 0, output_count = 0;
  std::int32_t singular = -1;  ///< which result says so, or -1
  /// Which input external forces on the bodies begin with, and what of them keeps to the axes of
  /// the world; or -1. They are none of the arrays above.
  std::int32_t forces = -1, turning = -1;
};

/// Code with memory for it to work in.
struct CodeInMemory {
  const CodeView* code = nullptr;
  std::byte* block = nullptr;
};

/// The arrays of a call, in the order of the function's. They are the caller's: to make room for as
/// many as a function may have would take longer than the code of a small robot.
template <class Real>
struct CodeCall {
  const std::span<const Real>* inputs;  ///< empty: zeros
  const std::span<Real>* outputs;       ///< empty: not asked for
  std::span<StateStatus> status;
  Layout layout = Layout::rows;
  const BasicExternalWrenches<Real>* f_ext = nullptr;  ///< where the function takes them
};

template <class Real>
struct CodeKernels {
  std::size_t width;
  /// The states of a range. Blocks: aligned, with masks and constants written. placements: code
  /// that places the bodies, where wrenches are along the axes of the world.
  void (*run)(const ModelView<Real>&, const CodeInMemory&, const CodeCall<Real>&,
              const CodeInMemory& placements, StateRange) noexcept;
};

template <class Real>
const CodeKernels<Real>& pack_code_kernels(InstructionSet set);
template <class Real>
const CodeKernels<Real>& scalar_code_kernels(InstructionSet set);

}  // namespace rbd_parallel_core::compiled

/// As they are compiled by code_kernels.cpp, for one number type and one instruction set.
#define RBD_DECLARE_CODE_KERNELS(set)                                                          \
  namespace rbd_parallel_core::set {                                                           \
  template <class Real>                                                                        \
  struct CompiledCodeKernels {                                                                 \
    static const rbd_parallel_core::compiled::CodeKernels<Real> packs, scalars;                \
  };                                                                                           \
  template <>                                                                                  \
  const rbd_parallel_core::compiled::CodeKernels<double> CompiledCodeKernels<double>::packs;   \
  template <>                                                                                  \
  const rbd_parallel_core::compiled::CodeKernels<double> CompiledCodeKernels<double>::scalars; \
  template <>                                                                                  \
  const rbd_parallel_core::compiled::CodeKernels<float> CompiledCodeKernels<float>::packs;     \
  template <>                                                                                  \
  const rbd_parallel_core::compiled::CodeKernels<float> CompiledCodeKernels<float>::scalars;   \
  }
RBD_DECLARE_CODE_KERNELS(baseline)
RBD_DECLARE_CODE_KERNELS(avx2)
RBD_DECLARE_CODE_KERNELS(avx512)
#undef RBD_DECLARE_CODE_KERNELS
