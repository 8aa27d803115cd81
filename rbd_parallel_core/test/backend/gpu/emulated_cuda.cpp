// SPDX-License-Identifier: Apache-2.0
// What the tests of Python load in the place of the library of the backend "cuda": the same with
// the CPU in the place of the device, and functions to look after.
#include <cstdint>

#include "emulated_api.hpp"
#include "emulated_kernels.hpp"
#include "gpu/host/gpu_backend.hpp"

namespace rbd_parallel_core {
namespace {

std::uintptr_t recorded = 0, last_stream = 0;  ///< that has a mark; that was waited for
int copies = 0, waits = 0;

const GpuApi& watched_api() {
  static const GpuApi table = [] {
    GpuApi api = emulated_api();
    api.record_event = [](GpuApi::Event event, GpuApi::Stream stream) {
      recorded = reinterpret_cast<std::uintptr_t>(stream);
      return emulated_api().record_event(event, stream);
    };
    api.wait_event = [](GpuApi::Stream stream, GpuApi::Event event) {
      ++waits;
      last_stream = recorded;
      return emulated_api().wait_event(stream, event);
    };
    api.copy = [](void* to, const void* from, std::size_t bytes, GpuApi::Stream stream) {
      ++copies;
      return emulated_api().copy(to, from, bytes, stream);
    };
    return api;
  }();
  return table;
}

template <class Real>
BasicBackend<Real>* make() {
  return new GpuBackend<Real>(watched_api(), emulated_kernels<Real>(), {.chunk = 8});
}

}  // namespace
}  // namespace rbd_parallel_core

namespace core = rbd_parallel_core;

extern "C" core::BasicBackend<double>* rbd_parallel_cuda_backend_of_double() {
  return core::make<double>();
}
extern "C" core::BasicBackend<float>* rbd_parallel_cuda_backend_of_float() {
  return core::make<float>();
}
extern "C" void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  return core::emulated_api().allocate(&memory, bytes) == 0 ? memory : nullptr;
}
extern "C" int device_release(void* memory) { return core::emulated_api().release(memory); }
extern "C" std::uintptr_t last_stream_waited_for() { return core::last_stream; }
extern "C" int copies_so_far() { return core::copies; }
extern "C" int waits_so_far() { return core::waits; }
