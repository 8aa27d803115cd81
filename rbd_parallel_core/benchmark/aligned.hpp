// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace rbd_bench {

// Gives memory that begins at a cache line: what a caller who keeps lane-ready data would take.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace rbd_bench
