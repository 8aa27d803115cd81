// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"

namespace rbd_parallel_core {

/// A new, unconfigured backend "cuda" with settings of its own; make_backend("cuda") takes the
/// defaults. In the library rbd_parallel_cuda. The arrays of its calls may lie on the device, each
/// as it likes; then they are not copied, unless GpuSettings::graphs says so. Indices of links are
/// the host's, and so are all arrays of methods of the literature: Code::on_device. Where there is
/// no driver or device, configure throws std::runtime_error that says what is missing.
template <class Real = double>
std::unique_ptr<BasicBackend<Real>> make_cuda_backend(const GpuSettings& settings = {});
template <>
std::unique_ptr<BasicBackend<double>> make_cuda_backend<double>(const GpuSettings& settings);
template <>
std::unique_ptr<BasicBackend<float>> make_cuda_backend<float>(const GpuSettings& settings);

}  // namespace rbd_parallel_core
