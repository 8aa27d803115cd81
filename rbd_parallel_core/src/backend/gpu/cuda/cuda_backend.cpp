// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/gpu/cuda_backend.hpp"

#include "cuda_api.hpp"
#include "cuda_kernels.hpp"
#include "gpu/host/device_check.hpp"
#include "gpu/host/gpu_backend.hpp"

namespace rbd_parallel_core {

namespace {

template <class Real>
GpuKernels<Real> cuda_kernels() {
  return {cuda_state_entries<Real>(), cuda_derivative_entries<Real>(), make_cuda_scans<Real>,
          cuda_blocks<Real>(), cuda_mass_matrix<Real>()};
}

}  // namespace

template <>
std::unique_ptr<BasicBackend<double>> make_cuda_backend<double>(const GpuSettings& settings) {
  return std::make_unique<GpuBackend<double>>(cuda_api(), cuda_kernels<double>(), settings);
}
template <>
std::unique_ptr<BasicBackend<float>> make_cuda_backend<float>(const GpuSettings& settings) {
  return std::make_unique<GpuBackend<float>>(cuda_api(), cuda_kernels<float>(), settings);
}

}  // namespace rbd_parallel_core

// What cuda_loader.cpp looks for; the caller becomes the owner.
extern "C" rbd_parallel_core::BasicBackend<double>* rbd_parallel_cuda_backend_of_double() {
  return rbd_parallel_core::make_cuda_backend<double>().release();
}
extern "C" rbd_parallel_core::BasicBackend<float>* rbd_parallel_cuda_backend_of_float() {
  return rbd_parallel_core::make_cuda_backend<float>().release();
}
extern "C" int rbd_parallel_cuda_device_count() {
  return rbd_parallel_core::usable_devices(rbd_parallel_core::cuda_api());
}
