// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rbd_parallel_core/gpu/kernels/launch.hpp"

namespace rbd_parallel_core {

/// What the backend asks of a device, as a table: that of CUDA's runtime (cuda_api.cpp), that of an
/// emulated device (test/backend/gpu), or one of a test that fails where it is told to.
/// The functions return 0, or the number of an error of CUDA.
struct GpuApi {
  using Stream = void*;
  using Event = void*;  ///< a mark in a stream
  using Graph = void*;  ///< launches that were recorded

  int (*driver_version)(int* version);   ///< 1000 major + 10 minor; 0: there is no driver
  int (*runtime_version)(int* version);  ///< that the library was built with
  int (*device_count)(int* count);
  int (*use_device)(int device);                        ///< for the calling thread
  int (*compute_capability)(int device, int* version);  ///< 10 major + minor
  int (*check_kernel)(void (*entry)());                 ///< whether the current device can run it
  int (*free_memory)(std::size_t* bytes);
  int (*allocate)(void** memory, std::size_t bytes);  ///< on the device
  int (*release)(void* memory);
  int (*allocate_pinned)(void** memory, std::size_t bytes);  ///< of the host
  int (*release_pinned)(void* memory);
  int (*is_on_device)(const void* memory, bool* answer);  ///< the current one; an error: another
  int (*create_stream)(Stream* stream);
  int (*destroy_stream)(Stream stream);
  int (*copy)(void* to, const void* from, std::size_t bytes, Stream stream);  ///< in any direction
  int (*clear)(void* memory, std::size_t bytes, Stream stream);               ///< to zero
  /// body: what the kernel takes, by value, so many bytes.
  int (*launch)(void (*entry)(), const LaunchShape& shape, const void* body, std::size_t bytes,
                Stream stream);
  int (*synchronize)(Stream stream);
  int (*create_event)(Event* event);
  int (*destroy_event)(Event event);
  int (*record_event)(Event event, Stream stream);  ///< after all that `stream` holds by now
  int (*wait_event)(Stream stream, Event event);    ///< what is queued from now on runs after it
  int (*synchronize_event)(Event event);            ///< the caller waits for it
  /// What is launched or cleared in the stream from now on is recorded and does not run. Until
  /// end_capture no memory is taken, nobody waits, and nothing else is asked of the stream. Other
  /// threads and streams are left alone.
  int (*begin_capture)(Stream stream);
  /// Ends it, whatever it returns. graph: what was recorded, ready to be launched; null if it
  /// failed, here or before.
  int (*end_capture)(Stream stream, Graph* graph);
  int (*launch_graph)(Graph graph, Stream stream);
  int (*destroy_graph)(Graph graph);
  const char* (*error_text)(int error);
};

/// The numbers of CUDA's errors that are told apart here.
namespace gpu_error {
inline constexpr int none = 0, invalid_value = 1, out_of_memory = 2, driver_too_old = 35,
                     no_device = 100;
}

}  // namespace rbd_parallel_core
