// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_table.hpp"

/// The phases as they are compiled: blocks.cpp defines those for lanes, lone_blocks.cpp those for
/// one block at a time, each for one number type and one instruction set.
#define RBD_DECLARE_COMPILED_BLOCKS(set)                  \
  namespace rbd_parallel_core::set {                      \
  template <class Real>                                   \
  struct CompiledBlocks {                                 \
    static const BlockTable<Real> lanes, lone;            \
  };                                                      \
  template <>                                             \
  const BlockTable<double> CompiledBlocks<double>::lanes; \
  template <>                                             \
  const BlockTable<double> CompiledBlocks<double>::lone;  \
  template <>                                             \
  const BlockTable<float> CompiledBlocks<float>::lanes;   \
  template <>                                             \
  const BlockTable<float> CompiledBlocks<float>::lone;    \
  }
RBD_DECLARE_COMPILED_BLOCKS(baseline)
RBD_DECLARE_COMPILED_BLOCKS(avx2)
RBD_DECLARE_COMPILED_BLOCKS(avx512)
#undef RBD_DECLARE_COMPILED_BLOCKS
