// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "emulated_api.hpp"
#include "gpu/host/gpu_memory.hpp"

namespace rbd_parallel_core {

/// Copies of arrays in the memory of the device that emulated_api() plays.
class DeviceArrays {
 public:
  template <class T>
  std::span<T> copy(const std::vector<T>& numbers) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    memory_.emplace_back(emulated_api(), GpuMemory::Place::device, bytes);
    if (bytes > 0) std::memcpy(memory_.back().get(), numbers.data(), bytes);
    return {reinterpret_cast<T*>(memory_.back().get()), numbers.size()};
  }

 private:
  std::vector<GpuMemory> memory_;
};

}  // namespace rbd_parallel_core
