// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "gpu_memory.hpp"

namespace rbd_parallel_core {

/// A copy on the device. `what`: is done, for the message if it fails.
inline GpuMemory sent(const GpuDevice& device, std::span<const std::byte> bytes, const char* what) {
  const GpuApi& api = device.api;
  GpuMemory memory(device, bytes.size());
  require(api, api.copy(memory.get(), bytes.data(), bytes.size(), device.stream), what);
  require(api, api.synchronize(device.stream), what);
  return memory;
}

/// Arrays of the host one behind the other, to be sent at once.
class DeviceImage {
 public:
  /// Where the array begins.
  template <class T>
  std::size_t append(std::span<const T> array) {
    constexpr std::size_t alignment = 256;
    const std::size_t at = (bytes_.size() + alignment - 1) / alignment * alignment;
    bytes_.resize(at + array.size_bytes());
    if (!array.empty()) std::memcpy(bytes_.data() + at, array.data(), array.size_bytes());
    return at;
  }
  GpuMemory sent_to(const GpuDevice& device, const char* what) const {
    return sent(device, bytes_, what);
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace rbd_parallel_core
