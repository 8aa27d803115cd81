// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "kernel_table.hpp"

namespace rbd_parallel_core {

/// A block for the kernels to work in: aligned for every register, zero at first, and touched, so
/// that no page of it is missing later. Large ones are in large pages where the system has them: a
/// walk over a million bodies would otherwise wait for the tables of small ones.
class KernelMemory {
 public:
  explicit KernelMemory(std::size_t bytes)
      : block_(static_cast<std::byte*>(::operator new(bytes, alignment_of(bytes))),
               Free{alignment_of(bytes)}) {
#ifdef __linux__
    // Only a wish; without it the memory is the same.
    if (bytes >= large_page) static_cast<void>(madvise(block_.get(), bytes, MADV_HUGEPAGE));
#endif
    std::memset(block_.get(), 0, bytes);
  }
  std::byte* get() const { return block_.get(); }

 private:
  static constexpr std::size_t large_page = std::size_t(2) << 20;
  static std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t(bytes >= large_page ? large_page : memory_alignment);
  }
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };
  std::unique_ptr<std::byte, Free> block_;
};

}  // namespace rbd_parallel_core
