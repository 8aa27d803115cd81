// SPDX-License-Identifier: Apache-2.0
#include "device_check.hpp"

#include <stdexcept>
#include <string>

#include "gpu_memory.hpp"

namespace rbd_parallel_core {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int usable_devices(const GpuApi& api) noexcept {
  int driver = 0, count = 0;
  const bool has_driver = api.driver_version(&driver) == gpu_error::none && driver > 0;
  return has_driver && api.device_count(&count) == gpu_error::none ? count : 0;
}

void require_device(const GpuApi& api, int device) {
  const std::string advice = "; the backend 'cpu' needs none";
  int runtime = 0, driver = 0, count = 0;
  require(api, api.runtime_version(&runtime), "asking for the version of the runtime");
  const int driver_error = api.driver_version(&driver);
  if (driver_error != gpu_error::none || driver == 0) {
    throw std::runtime_error("cuda: there is no NVIDIA driver on this machine" + advice);
  }
  const int error = api.device_count(&count);
  if (error == gpu_error::driver_too_old) {
    throw std::runtime_error("cuda: the NVIDIA driver is for CUDA " + version_text(driver) +
                             ", this library needs one for CUDA " + version_text(runtime) +
                             ": update the driver" + advice);
  }
  if (error == gpu_error::no_device || (error == gpu_error::none && count == 0)) {
    throw std::runtime_error("cuda: the NVIDIA driver finds no device" + advice);
  }
  require(api, error, "counting the devices");
  if (device < 0 || device >= count) {
    throw std::invalid_argument("cuda: device " + std::to_string(device) +
                                " is not there; devices are numbered from 0 to " +
                                std::to_string(count - 1));
  }
  require(api, api.use_device(device), "choosing device " + std::to_string(device));
}

void require_kernel(const GpuApi& api, int device, void (*entry)()) {
  const int error = api.check_kernel(entry);
  if (error == gpu_error::none) return;
  int capability = 0;
  require(api, api.compute_capability(device, &capability), "asking what the device can run");
  const std::string number = std::to_string(capability);
  throw std::runtime_error("cuda: device " + std::to_string(device) + " has compute capability " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                           ", for which this library has no kernels (" + api.error_text(error) +
                           ", error " + std::to_string(error) +
                           "): build it with -DRBD_CUDA_ARCHITECTURES=" + number +
                           "; the backend 'cpu' needs none");
}

}  // namespace rbd_parallel_core
