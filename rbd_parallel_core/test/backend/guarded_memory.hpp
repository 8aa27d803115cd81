// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace rbd_parallel_core {

enum class Edge { front, back };

/// Pages between two that may not be touched. An array is placed at one edge, so that what is read
/// or written beyond that edge ends the program; at its other side stand bytes that must stay as
/// they are.
class GuardedRegion {
 public:
  explicit GuardedRegion(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    usable_ = (bytes + watched + page - 1) / page * page;
    mapped_ = usable_ + 2 * page;
    void* const map =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(map);
    first_ = map_ + page;
    if (mprotect(first_, usable_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~GuardedRegion() {
    if (map_ != nullptr) munmap(map_, mapped_);
  }
  GuardedRegion(GuardedRegion&& other) noexcept
      : map_(std::exchange(other.map_, nullptr)),
        first_(other.first_),
        mapped_(other.mapped_),
        usable_(other.usable_) {}
  GuardedRegion& operator=(GuardedRegion&&) = delete;

  template <class T>
  std::span<T> place(std::size_t n, Edge edge) {
    const std::size_t bytes = n * sizeof(T);
    std::byte* const at = edge == Edge::front ? first_ : first_ + usable_ - bytes;
    watch_ = edge == Edge::front ? at + bytes : at - watched;
    std::fill_n(watch_, watched, canary);
    return {reinterpret_cast<T*>(at), n};
  }
  bool untouched() const {
    return std::all_of(watch_, watch_ + watched, [](std::byte b) { return b == canary; });
  }

 private:
  static constexpr std::size_t watched = 1024;
  static constexpr std::byte canary{0xA5};

  std::byte *map_, *first_, *watch_ = nullptr;
  std::size_t mapped_, usable_;
};

/// Every array of a call in a region of its own.
template <Edge edge>
class GuardedMemory {
 public:
  inline static std::size_t violations = 0;  ///< arrays whose surroundings were written to

  void configured(std::size_t bytes) {
    regions_.clear();
    for (int k = 0; k < 12; ++k) regions_.emplace_back(bytes);
  }
  void begin() { used_ = 0; }
  template <class T>
  std::span<T> take(std::size_t n) {
    return regions_[used_++].template place<T>(n, edge);
  }
  void end() {
    for (std::size_t k = 0; k < used_; ++k) violations += regions_[k].untouched() ? 0 : 1;
  }

 private:
  std::vector<GuardedRegion> regions_;
  std::size_t used_ = 0;
};

}  // namespace rbd_parallel_core
