// SPDX-License-Identifier: Apache-2.0
#include "cuda_loader.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "rbd_parallel_core/gpu/device_access.hpp"

namespace rbd_parallel_core {

// Here, since all libraries must mean the same type by it.
DeviceAccess::~DeviceAccess() = default;

namespace {

constexpr const char* library = "librbd_parallel_cuda.so.0";

void* find(const char* symbol) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : dlsym(handle, symbol);
}

template <class Real>
std::unique_ptr<BasicBackend<Real>> load(const char* symbol) {
  void* const function = find(symbol);
  if (function == nullptr) {
    const char* const why = dlerror();
    throw std::runtime_error(
        "backend 'cuda' is not there: its library is built only where a CUDA toolkit is found (" +
        std::string(why == nullptr ? library : why) + "); the backend 'cpu' needs none");
  }
  using Make = BasicBackend<Real>* (*)();
  return std::unique_ptr<BasicBackend<Real>>(reinterpret_cast<Make>(function)());
}

}  // namespace

template <>
std::unique_ptr<BasicBackend<double>> load_cuda_backend<double>() {
  return load<double>("rbd_parallel_cuda_backend_of_double");
}
template <>
std::unique_ptr<BasicBackend<float>> load_cuda_backend<float>() {
  return load<float>("rbd_parallel_cuda_backend_of_float");
}

int count_cuda_devices() {
  void* const function = find("rbd_parallel_cuda_device_count");
  return function == nullptr ? 0 : reinterpret_cast<int (*)()>(function)();
}

}  // namespace rbd_parallel_core
