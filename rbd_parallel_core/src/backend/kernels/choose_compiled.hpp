// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/instruction_set.hpp"

/// RBD_CHOOSE_COMPILED(set, table): returns namespace::table of the instruction set, or of the best
/// one below it that the kernels were compiled for. Which ones these are is known to the files that
/// cmake/instruction_sets.cmake names CHOSEN_IN, and to no others: only they are compiled again
/// when the sets of a build change.
#ifdef RBD_HAS_AVX512
#define RBD_CHOOSE_AVX512(set, ...) \
  if ((set) >= InstructionSet::avx512) return avx512::__VA_ARGS__
#else
#define RBD_CHOOSE_AVX512(set, ...) static_cast<void>(set)
#endif
#ifdef RBD_HAS_AVX2
#define RBD_CHOOSE_AVX2(set, ...) \
  if ((set) >= InstructionSet::avx2) return avx2::__VA_ARGS__
#else
#define RBD_CHOOSE_AVX2(set, ...) static_cast<void>(set)
#endif
// What is left for the lowest set: choose_instruction_set lets no machine come here that lacks it.
#if defined(RBD_HAS_BASELINE)
#define RBD_LOWEST_COMPILED baseline
#elif defined(RBD_HAS_AVX2)
#define RBD_LOWEST_COMPILED avx2
#else
#define RBD_LOWEST_COMPILED avx512
#endif
#define RBD_CHOOSE_COMPILED(set, ...)  \
  RBD_CHOOSE_AVX512(set, __VA_ARGS__); \
  RBD_CHOOSE_AVX2(set, __VA_ARGS__);   \
  return RBD_LOWEST_COMPILED::__VA_ARGS__
