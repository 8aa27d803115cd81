// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// Cuts arrays from one block of memory, one behind the other, each in whole pieces of `alignment`
/// bytes; where there is no block it counts what they take. A struct of several arrays lists them
/// once,
///
///   void lay_out(Arena<64>& arena) { arena.cut(first, n); arena.cut(second, m); }
///
/// and is laid out twice: without memory for its size, then in a block of that size. A copy of the
/// arena begins where the original is: what both cut shares its memory.
template <std::size_t alignment = 1>
struct Arena {
  std::byte* memory = nullptr;  ///< null: only counts
  std::size_t used = 0;         ///< bytes

  template <class T, class Count>
  RBD_INLINE void cut(T*& piece, Count count) {
    piece = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + used);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    used += (bytes + alignment - 1) / alignment * alignment;
  }
};

}  // namespace rbd_parallel_core
