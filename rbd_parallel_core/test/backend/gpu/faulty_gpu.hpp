// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "emulated_api.hpp"

namespace rbd_parallel_core {

/// A device that fails when it is told to, and counts what is asked of it.
struct FaultyGpu {
  static inline int driver = 13000, devices = 1, device_error = 0;
  static inline int capability = 75, kernel_error = 0;
  static inline int fail_at = -1;  ///< which call fails, counted from 0; -1: none
  static inline int error = 700;   ///< with which error: an illegal address
  static inline int calls = 0;
  static inline int copies = 0;
  static inline int launches = 0;   ///< a graph is one
  static inline int live = 0;       ///< blocks, streams, events and graphs that were not given back
  static inline int recording = 0;  ///< recordings that were not ended
  static inline std::size_t bytes = 0, most_bytes = 0;  ///< of the device: now, at most

  static void reset() {
    driver = 13000, devices = 1, device_error = 0;
    capability = 75, kernel_error = 0;
    fail_at = -1, error = 700, calls = 0, copies = 0, launches = 0;
    most_bytes = bytes;
  }

  static const GpuApi& api() {
    static const GpuApi table = [] {
      GpuApi t = emulated_api();
      t.driver_version = [](int* version) {
        *version = driver;
        return 0;
      };
      t.device_count = [](int* count) {
        *count = devices;
        return device_error;
      };
      t.runtime_version = [](int* version) {
        return counted(0, [&] { return emulated_api().runtime_version(version); });
      };
      t.use_device = [](int device) {
        return counted(0, [&] { return emulated_api().use_device(device); });
      };
      t.free_memory = [](std::size_t* free) {
        return counted(0, [&] { return emulated_api().free_memory(free); });
      };
      t.compute_capability = [](int, int* version) {
        *version = capability;
        return 0;
      };
      t.check_kernel = [](void (*)()) { return counted(0, [] { return kernel_error; }); };
      t.allocate = [](void** memory, std::size_t size) {
        return counted(+1, [&] { return allocate(memory, size); });
      };
      t.allocate_pinned = [](void** memory, std::size_t size) {
        return counted(+1, [&] { return emulated_api().allocate_pinned(memory, size); });
      };
      t.create_stream = [](GpuApi::Stream* stream) {
        return counted(+1, [&] { return emulated_api().create_stream(stream); });
      };
      t.create_event = [](GpuApi::Event* event) {
        return counted(+1, [&] { return emulated_api().create_event(event); });
      };
      t.destroy_event = [](GpuApi::Event event) {
        --live;
        return emulated_api().destroy_event(event);
      };
      t.record_event = [](GpuApi::Event event, GpuApi::Stream stream) {
        return counted(0, [&] { return emulated_api().record_event(event, stream); });
      };
      t.wait_event = [](GpuApi::Stream stream, GpuApi::Event event) {
        return counted(0, [&] { return emulated_api().wait_event(stream, event); });
      };
      t.synchronize_event = [](GpuApi::Event event) {
        return counted(0, [&] { return emulated_api().synchronize_event(event); });
      };
      // A lost device does not even take back its memory; ours is taken back all the same.
      t.release = [](void* memory) {
        --live;
        bytes -= sizes()[memory];
        sizes().erase(memory);
        return emulated_api().release(memory);
      };
      t.release_pinned = [](void* memory) {
        --live;
        return emulated_api().release_pinned(memory);
      };
      t.destroy_stream = [](GpuApi::Stream stream) {
        --live;
        return emulated_api().destroy_stream(stream);
      };
      t.is_on_device = [](const void* memory, bool* answer) {
        return counted(0, [&] { return emulated_api().is_on_device(memory, answer); });
      };
      t.copy = [](void* to, const void* from, std::size_t size, GpuApi::Stream stream) {
        ++copies;
        return counted(0, [&] { return emulated_api().copy(to, from, size, stream); });
      };
      t.clear = [](void* memory, std::size_t size, GpuApi::Stream stream) {
        return counted(0, [&] { return emulated_api().clear(memory, size, stream); });
      };
      t.launch = [](void (*entry)(), const LaunchShape& shape, const void* body, std::size_t size,
                    GpuApi::Stream stream) {
        ++launches;
        return counted(0, [&] { return emulated_api().launch(entry, shape, body, size, stream); });
      };
      t.begin_capture = [](GpuApi::Stream stream) {
        const int result = counted(0, [&] { return emulated_api().begin_capture(stream); });
        if (result == 0) ++recording;
        return result;
      };
      t.end_capture = [](GpuApi::Stream stream, GpuApi::Graph* graph) {
        --recording;
        const int ended = emulated_api().end_capture(stream, graph);  // ends where it fails, too
        const int result = counted(ended == 0 ? +1 : 0, [&] { return ended; });
        if (result != 0 && ended == 0) emulated_api().destroy_graph(std::exchange(*graph, nullptr));
        return result;
      };
      t.launch_graph = [](GpuApi::Graph graph, GpuApi::Stream stream) {
        ++launches;
        return counted(0, [&] { return emulated_api().launch_graph(graph, stream); });
      };
      t.destroy_graph = [](GpuApi::Graph graph) {
        --live;
        return emulated_api().destroy_graph(graph);
      };
      t.synchronize = [](GpuApi::Stream stream) {
        return counted(0, [&] { return emulated_api().synchronize(stream); });
      };
      return t;
    }();
    return table;
  }

 private:
  /// What is taken of the device.
  static std::map<void*, std::size_t>& sizes() {
    static std::map<void*, std::size_t> all;
    return all;
  }
  static int allocate(void** memory, std::size_t size) {
    const int result = emulated_api().allocate(memory, size);
    if (result != 0) return result;
    sizes()[*memory] = size;
    bytes += size;
    most_bytes = std::max(most_bytes, bytes);
    return 0;
  }
  template <class Call>
  static int counted(int gain, const Call& call) {
    if (calls++ == fail_at) return error;
    const int result = call();
    if (result == 0) live += gain;
    return result;
  }
};

}  // namespace rbd_parallel_core
