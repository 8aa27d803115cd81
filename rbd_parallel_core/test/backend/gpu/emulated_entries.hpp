// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "emulated_kernels.hpp"
#include "gpu/kernels/gpu_blocks.hpp"
#include "gpu/kernels/gpu_mass_matrix.hpp"
#include "gpu/kernels/gpu_scans.hpp"

/// Included by the files that compile all kernels for a CPU.
namespace rbd_parallel_core {

/// What stands in for the scan of a library: one step after the other. The memory that it asks for
/// grows with the data, as that of CUB does, and is written to.
template <class T, class Op>
struct PlayedScanBody {
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

struct HostEntries {
  template <class Body>
  static BodyEntry<Body> of() {
    return host_entry<Body>();
  }
  template <class T, class Op>
  static int scan(const GpuApi& api, GpuApi::Stream stream, void* memory, std::size_t& bytes,
                  T* data, std::int32_t n, const Op& op, const T& neutral) noexcept {
    using Body = PlayedScanBody<T, Op>;
    const Body body{data, n, op, neutral, static_cast<std::byte*>(memory)};
    if (memory == nullptr) bytes = body.bytes();
    if (memory == nullptr) return gpu_error::none;
    if (bytes < body.bytes()) return gpu_error::invalid_value;
    return api.launch(of<Body>().function, {1, 1, 0}, &body, sizeof(Body), stream);
  }
};

/// The scan forms with the CPU in the place of the device.
template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_host_scans(const GpuDevice& device,
                                                    const ScanRobot<Real>& robot, bool by_library) {
  return std::make_unique<GpuScans<Real, HostEntries>>(device, robot, by_library);
}

template <class Real>
GpuKernels<Real> make_host_kernels() {
  return {host_state_entries<Real>(), make_host_scans<Real>,
          GpuBlocks<Real, HostEntries>::operations(),
          GpuMassMatrix<Real, HostEntries>::operations()};
}

}  // namespace rbd_parallel_core
