// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rehoused_backend.hpp"

namespace rbd_parallel_core {

/// One block, handed out from its beginning in every call: nothing is allocated after configured().
class PlainMemory {
 public:
  void configured(std::size_t bytes) { block_.resize(bytes + 16 * alignment); }
  void begin() { used_ = 0; }
  void end() {}

  template <class T>
  std::span<T> take(std::size_t n) {
    T* const array = reinterpret_cast<T*>(block_.data() + used_);
    used_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
    return {array, n};
  }

 private:
  static constexpr std::size_t alignment = 16;

  std::vector<std::byte> block_;
  std::size_t used_ = 0;
};

#ifdef RBD_CONFORMANCE_LINKED  // with the suite, which most programs with such a backend have
extern template class RehousedBackend<float, PlainMemory>;
#endif

}  // namespace rbd_parallel_core
