// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// How a caller whose arrays are on a device works with the backend "cuda": Capabilities::device of
/// it, or of what delegates to it; null for other backends. Only when configured.
class DeviceAccess {
 public:
  virtual ~DeviceAccess();

  /// As CUDA numbers them.
  virtual int device() const noexcept = 0;
  /// Where the work of every call begins, a cudaStream_t. When a call returns, all of it is done.
  virtual void* stream() const noexcept = 0;
  /// What a stream of the caller holds by now comes before the work of later calls. Returns 0 or
  /// the number of an error of CUDA.
  virtual int wait_for(void* stream) noexcept = 0;
  /// Whether this is memory of a device.
  virtual bool holds(const void* memory) noexcept = 0;
  /// Code::on_device, with the argument, if this is memory of a device. What the host reads or
  /// writes for every backend is shown here first: links, and all of a method of the literature.
  virtual Result refuse_on_device(Argument argument, const void* memory) noexcept = 0;
  /// Memory of the device for the caller's own use. Throws std::runtime_error.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;

 protected:
  DeviceAccess() = default;
  DeviceAccess(const DeviceAccess&) = default;
  DeviceAccess& operator=(const DeviceAccess&) = default;
};

}  // namespace rbd_parallel_core
