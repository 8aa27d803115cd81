// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stdexcept>

namespace rbd_parallel_python {

/// Holds a Backend for the time of one call. The GIL is released meanwhile, so another Python
/// thread may come along; it is turned away, since a Backend owns a single workspace.
class Occupied {
 public:
  explicit Occupied(std::atomic_flag& flag) : flag_(flag) {
    if (flag_.test_and_set(std::memory_order_acquire)) {
      throw std::runtime_error(
          "this Backend is computing in another thread: expected one calling thread at a time; "
          "make one Backend per thread, they can share the Model");
    }
  }
  ~Occupied() { flag_.clear(std::memory_order_release); }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;

 private:
  std::atomic_flag& flag_;
};

}  // namespace rbd_parallel_python
