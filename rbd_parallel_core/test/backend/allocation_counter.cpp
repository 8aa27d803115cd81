// SPDX-License-Identifier: Apache-2.0
//
// Counts every allocation of the process. The functions below take the place of the C library's in
// all libraries that the executable loads, so that nothing escapes: operator new and Eigen's
// allocator end up here too. They hand on to glibc's own names.

#include "allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {

void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
void* __libc_valloc(std::size_t) noexcept;
void* __libc_pvalloc(std::size_t) noexcept;
void __libc_free(void*) noexcept;

}  // extern "C"

namespace {

std::atomic<std::uint64_t> count{0};

void counted() noexcept { count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

extern "C" {

std::uint64_t rbd_allocation_count() noexcept { return count.load(std::memory_order_relaxed); }

void* malloc(std::size_t size) noexcept {
  counted();
  return __libc_malloc(size);
}

void* calloc(std::size_t n, std::size_t size) noexcept {
  counted();
  return __libc_calloc(n, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  counted();
  return __libc_realloc(memory, size);
}

void* reallocarray(void* memory, std::size_t n, std::size_t size) noexcept {
  counted();
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  counted();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  counted();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  counted();
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  void* const result = __libc_memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}

void* valloc(std::size_t size) noexcept {
  counted();
  return __libc_valloc(size);
}

void* pvalloc(std::size_t size) noexcept {
  counted();
  return __libc_pvalloc(size);
}

void free(void* memory) noexcept {
  if (memory != nullptr) counted();
  __libc_free(memory);
}

}  // extern "C"
