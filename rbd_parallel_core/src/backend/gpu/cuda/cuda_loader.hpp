// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// The backend "cuda" out of its own library, which is loaded now and stays. So this library needs
/// no CUDA. Throws std::runtime_error where that library is not installed.
template <class Real>
std::unique_ptr<BasicBackend<Real>> load_cuda_backend();
template <>
std::unique_ptr<BasicBackend<double>> load_cuda_backend<double>();
template <>
std::unique_ptr<BasicBackend<float>> load_cuda_backend<float>();

/// How many devices there are that it could compute on. Loads the library too.
int count_cuda_devices();

}  // namespace rbd_parallel_core
