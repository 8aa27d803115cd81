// SPDX-License-Identifier: Apache-2.0
#include "cuda_api.hpp"

#include <cuda_runtime_api.h>

namespace rbd_parallel_core {
namespace {

/// The number of an error, which the runtime then forgets: whoever calls next shall not be blamed
/// for it.
int checked(cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<int>(error);
}

cudaStream_t stream_of(GpuApi::Stream stream) { return static_cast<cudaStream_t>(stream); }

int driver_version(int* version) { return checked(cudaDriverGetVersion(version)); }
int runtime_version(int* version) { return checked(cudaRuntimeGetVersion(version)); }
int device_count(int* count) { return checked(cudaGetDeviceCount(count)); }
int use_device(int device) { return checked(cudaSetDevice(device)); }
int compute_capability(int device, int* version) {
  int major = 0, minor = 0;
  int error = checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (error != gpu_error::none) return error;
  error = checked(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  *version = 10 * major + minor;
  return error;
}
int check_kernel(void (*entry)()) {
  cudaFuncAttributes unused{};
  return checked(cudaFuncGetAttributes(&unused, reinterpret_cast<const void*>(entry)));
}
int free_memory(std::size_t* bytes) {
  std::size_t total = 0;
  return checked(cudaMemGetInfo(bytes, &total));
}
int allocate(void** memory, std::size_t bytes) { return checked(cudaMalloc(memory, bytes)); }
int release(void* memory) { return checked(cudaFree(memory)); }
int allocate_pinned(void** memory, std::size_t bytes) {
  return checked(cudaMallocHost(memory, bytes));
}
int release_pinned(void* memory) { return checked(cudaFreeHost(memory)); }
int is_on_device(const void* memory, bool* answer) {
  cudaPointerAttributes attributes{};
  int current = 0;
  *answer = false;
  int error = checked(cudaPointerGetAttributes(&attributes, memory));
  if (error == gpu_error::none) error = checked(cudaGetDevice(&current));
  if (error != gpu_error::none) return error;
  // Of another device neither kernels nor the host may read.
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != current) {
    return cudaErrorInvalidDevice;
  }
  *answer = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return gpu_error::none;
}
int create_stream(GpuApi::Stream* stream) {
  cudaStream_t created = nullptr;
  const int error = checked(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
  *stream = created;
  return error;
}
int destroy_stream(GpuApi::Stream stream) { return checked(cudaStreamDestroy(stream_of(stream))); }
int copy(void* to, const void* from, std::size_t bytes, GpuApi::Stream stream) {
  return checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)));
}
int clear(void* memory, std::size_t bytes, GpuApi::Stream stream) {
  return checked(cudaMemsetAsync(memory, 0, bytes, stream_of(stream)));
}
int launch(void (*entry)(), const LaunchShape& shape, const void* body, std::size_t,
           GpuApi::Stream stream) {
  void* arguments[] = {const_cast<void*>(body)};
  return checked(cudaLaunchKernel(
      reinterpret_cast<const void*>(entry), dim3(static_cast<unsigned>(shape.grid)),
      dim3(static_cast<unsigned>(shape.block)), arguments, shape.shared_bytes, stream_of(stream)));
}
int synchronize(GpuApi::Stream stream) { return checked(cudaStreamSynchronize(stream_of(stream))); }
cudaEvent_t event_of(GpuApi::Event event) { return static_cast<cudaEvent_t>(event); }
int create_event(GpuApi::Event* event) {
  cudaEvent_t created = nullptr;
  const int error = checked(cudaEventCreateWithFlags(&created, cudaEventDisableTiming));
  *event = created;
  return error;
}
int destroy_event(GpuApi::Event event) { return checked(cudaEventDestroy(event_of(event))); }
int record_event(GpuApi::Event event, GpuApi::Stream stream) {
  return checked(cudaEventRecord(event_of(event), stream_of(stream)));
}
int wait_event(GpuApi::Stream stream, GpuApi::Event event) {
  return checked(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}
int synchronize_event(GpuApi::Event event) {
  return checked(cudaEventSynchronize(event_of(event)));
}
// Relaxed: the first launch of a kernel may have to load it, which the other modes can forbid.
int begin_capture(GpuApi::Stream stream) {
  return checked(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed));
}
cudaGraphExec_t graph_of(GpuApi::Graph graph) { return static_cast<cudaGraphExec_t>(graph); }
int launch_graph(GpuApi::Graph graph, GpuApi::Stream stream) {
  return checked(cudaGraphLaunch(graph_of(graph), stream_of(stream)));
}
int destroy_graph(GpuApi::Graph graph) { return checked(cudaGraphExecDestroy(graph_of(graph))); }
int end_capture(GpuApi::Stream stream, GpuApi::Graph* graph) {
  *graph = nullptr;
  cudaGraph_t recorded = nullptr;
  int error = checked(cudaStreamEndCapture(stream_of(stream), &recorded));
  if (error != gpu_error::none) return error;
  cudaGraphExec_t executable = nullptr;
  error = checked(cudaGraphInstantiate(&executable, recorded, 0));
  const int destroyed = checked(cudaGraphDestroy(recorded));
  if (error != gpu_error::none) return error;
  // Sent now, so that the first launch has nothing left to prepare.
  error = checked(cudaGraphUpload(executable, stream_of(stream)));
  if (error == gpu_error::none) error = destroyed;
  if (error == gpu_error::none) {
    *graph = executable;
  } else {
    static_cast<void>(destroy_graph(executable));
  }
  return error;
}
const char* error_text(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }

}  // namespace

const GpuApi& cuda_api() {
  static constexpr GpuApi api{
      driver_version, runtime_version, device_count,      use_device,     compute_capability,
      check_kernel,   free_memory,     allocate,          release,        allocate_pinned,
      release_pinned, is_on_device,    create_stream,     destroy_stream, copy,
      clear,          launch,          synchronize,       create_event,   destroy_event,
      record_event,   wait_event,      synchronize_event, begin_capture,  end_capture,
      launch_graph,   destroy_graph,   error_text};
  return api;
}

}  // namespace rbd_parallel_core
