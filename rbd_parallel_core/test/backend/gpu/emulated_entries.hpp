// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "emulated_launch.hpp"
#include "gpu/host/gpu_api.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

namespace rbd_parallel_core {

/// What stands in for the scan of a library: one step after the other. The memory that it asks for
/// grows with the data, as that of CUB does, and is written to.
template <class T, class Op>
struct EmulatedScanBody {
  static constexpr int phases = 1;
  T* data;
  std::int32_t n;
  Op op;
  T neutral;
  std::byte* memory;

  std::size_t bytes() const { return 256 + 2 * sizeof(T) * static_cast<std::size_t>(n / 128 + 1); }
  template <int>
  void run(const ThreadIndex&, std::byte*) const {
    std::memset(memory, 0xff, bytes());
    scan_range(data, 0, n, op, neutral);
  }
};

/// The kernels of an emulated device, for those who ask for the entry of a body by its type.
struct EmulatedEntries {
  template <class Body>
  static BodyEntry<Body> of() {
    return emulated_entry<Body>();
  }
  template <class T, class Op>
  static int scan(const GpuApi& api, GpuApi::Stream stream, void* memory, std::size_t& bytes,
                  T* data, std::int32_t n, const Op& op, const T& neutral) noexcept {
    using Body = EmulatedScanBody<T, Op>;
    const Body body{data, n, op, neutral, static_cast<std::byte*>(memory)};
    if (memory == nullptr) bytes = body.bytes();
    if (memory == nullptr) return gpu_error::none;
    if (bytes < body.bytes()) return gpu_error::invalid_value;
    return api.launch(of<Body>().function, {1, 1, 0}, &body, sizeof(Body), stream);
  }
};

}  // namespace rbd_parallel_core
