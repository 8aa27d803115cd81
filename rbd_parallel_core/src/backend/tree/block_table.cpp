// SPDX-License-Identifier: Apache-2.0
#include "block_table.hpp"

namespace rbd_parallel_core {

#define RBD_DECLARE_TABLES(set)                          \
  namespace set {                                        \
  extern const BlockTable<double> blocks_of_double;      \
  extern const BlockTable<float> blocks_of_float;        \
  extern const BlockTable<double> lone_blocks_of_double; \
  extern const BlockTable<float> lone_blocks_of_float;   \
  }
RBD_DECLARE_TABLES(baseline)
RBD_DECLARE_TABLES(avx2)
RBD_DECLARE_TABLES(avx512)
#undef RBD_DECLARE_TABLES

#ifdef RBD_HAS_AVX2
#define RBD_PICK_AVX2(table) \
  if (set == InstructionSet::avx2) return avx2::table
#else
#define RBD_PICK_AVX2(table)
#endif
#ifdef RBD_HAS_AVX512
#define RBD_PICK_AVX512(table) \
  if (set == InstructionSet::avx512) return avx512::table
#else
#define RBD_PICK_AVX512(table)
#endif

template <>
const BlockTable<double>& block_table<double>([[maybe_unused]] InstructionSet set) {
  RBD_PICK_AVX512(blocks_of_double);
  RBD_PICK_AVX2(blocks_of_double);
  return baseline::blocks_of_double;
}

template <>
const BlockTable<float>& block_table<float>([[maybe_unused]] InstructionSet set) {
  RBD_PICK_AVX512(blocks_of_float);
  RBD_PICK_AVX2(blocks_of_float);
  return baseline::blocks_of_float;
}

// Numbers alone gain nothing from avx512, as in the kernels of one state.
#ifdef RBD_HAS_AVX2
#define RBD_PICK_BEST(table) \
  if (set != InstructionSet::baseline) return avx2::table
#else
#define RBD_PICK_BEST(table)
#endif

template <>
const BlockTable<double>& lone_block_table<double>([[maybe_unused]] InstructionSet set) {
  RBD_PICK_BEST(lone_blocks_of_double);
  return baseline::lone_blocks_of_double;
}

template <>
const BlockTable<float>& lone_block_table<float>([[maybe_unused]] InstructionSet set) {
  RBD_PICK_BEST(lone_blocks_of_float);
  return baseline::lone_blocks_of_float;
}

}  // namespace rbd_parallel_core
