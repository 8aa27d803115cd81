// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "kernel_table.hpp"

namespace rbd_parallel_core {

/// A block for the kernels to work in: aligned for every register, zero at first, and touched, so
/// that no page of it is missing later.
class KernelMemory {
 public:
  explicit KernelMemory(std::size_t bytes)
      : block_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(memory_alignment)))) {
    std::memset(block_.get(), 0, bytes);
  }
  std::byte* get() const { return block_.get(); }

 private:
  struct Free {
    void operator()(std::byte* block) const {
      ::operator delete(block, std::align_val_t(memory_alignment));
    }
  };
  std::unique_ptr<std::byte, Free> block_;
};

}  // namespace rbd_parallel_core
