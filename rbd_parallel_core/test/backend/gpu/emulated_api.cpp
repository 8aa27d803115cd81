// SPDX-License-Identifier: Apache-2.0
#include "emulated_api.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace rbd_parallel_core {
namespace {

constexpr int pretended_version = 13000;
constexpr int capture_unsupported = 900, capture_invalidated = 901;

/// What has been allocated, to tell memory of the device from memory of the caller.
struct Allocations {
  std::mutex mutex;
  std::map<const std::byte*, std::size_t> bytes;

  static Allocations& all() {
    static Allocations allocations;
    return allocations;
  }
  bool contain(const std::byte* at) {
    const std::lock_guard lock(mutex);
    auto next = bytes.upper_bound(at);
    if (next == bytes.begin()) return false;
    --next;
    return at < next->first + next->second;
  }
};

/// Work as it was asked for, one step after the other.
using Recording = std::vector<std::function<void()>>;

/// What the calling thread records.
struct Capture {
  GpuApi::Stream stream = nullptr;
  std::unique_ptr<Recording> recording;  ///< null: nothing
  bool failed = false;

  static Capture& own() {
    thread_local static Capture capture;
    return capture;
  }
  bool is_of(GpuApi::Stream of) const { return recording != nullptr && stream == of; }
  /// Spoils it by something that cannot be recorded. Returns 0 where nothing is.
  int refuse() {
    if (recording == nullptr) return gpu_error::none;
    failed = true;
    return capture_unsupported;
  }
};

int version(int* number) {
  *number = pretended_version;
  return 0;
}
int one_device(int* count) {
  *count = 1;
  return 0;
}
int use_device(int device) { return device == 0 ? 0 : 101; }
int compute_capability(int, int* version) {
  *version = 75;
  return 0;
}
int check_kernel(void (*)()) { return 0; }
int free_memory(std::size_t* bytes) {
  *bytes = std::size_t{2} << 30;
  return 0;
}
int allocate(void** memory, std::size_t bytes) {
  if (const int error = Capture::own().refuse(); error != gpu_error::none) return error;
  *memory = ::operator new (bytes, std::align_val_t{256}, std::nothrow);
  if (*memory == nullptr) return gpu_error::out_of_memory;
  std::memset(*memory, 0xff, bytes);
  Allocations& allocations = Allocations::all();
  const std::lock_guard lock(allocations.mutex);
  allocations.bytes[static_cast<std::byte*>(*memory)] = bytes;
  return 0;
}
int release(void* memory) {
  Allocations& allocations = Allocations::all();
  const std::lock_guard lock(allocations.mutex);
  if (allocations.bytes.erase(static_cast<std::byte*>(memory)) != 1)
    return gpu_error::invalid_value;
  ::operator delete (memory, std::align_val_t{256});
  return 0;
}
int allocate_pinned(void** memory, std::size_t bytes) {
  if (const int error = Capture::own().refuse(); error != gpu_error::none) return error;
  *memory = ::operator new(bytes, std::nothrow);
  if (*memory == nullptr) return gpu_error::out_of_memory;
  std::memset(*memory, 0xff, bytes);
  return 0;
}
int release_pinned(void* memory) {
  ::operator delete(memory);
  return 0;
}
int is_on_device(const void* memory, bool* answer) {
  if (const int error = Capture::own().refuse(); error != gpu_error::none) return error;
  *answer = Allocations::all().contain(static_cast<const std::byte*>(memory));
  return 0;
}
/// A name for something that has no memory here; none is 0, 1 or 2, which are streams of CUDA.
void* new_handle() {
  static std::atomic<std::uintptr_t> next{0x1000};
  return reinterpret_cast<void*>(next++);
}
int create_stream(GpuApi::Stream* stream) {
  *stream = new_handle();
  return 0;
}
int destroy_stream(GpuApi::Stream) { return 0; }
int copy(void* to, const void* from, std::size_t bytes, GpuApi::Stream) {
  if (const int error = Capture::own().refuse(); error != gpu_error::none) return error;
  std::memcpy(to, from, bytes);
  return 0;
}
int clear(void* memory, std::size_t bytes, GpuApi::Stream stream) {
  const auto step = [=] { std::memset(memory, 0, bytes); };
  const Capture& capture = Capture::own();
  if (capture.is_of(stream)) {
    capture.recording->emplace_back(step);
  } else {
    step();
  }
  return 0;
}
void run(EmulatedEntry entry, const LaunchShape& shape, const void* body) {
  alignas(16) thread_local static std::byte shared[most_shared_bytes];
  entry(shape, body, shared, EmulatedWorker{});
}
/// Refuses what a device would refuse.
int launch(void (*entry)(), const LaunchShape& shape, const void* body, std::size_t bytes,
           GpuApi::Stream stream) {
  if (shape.grid < 1 || shape.grid > 0x7fffffff || shape.block < 1 || shape.block > largest_block ||
      shape.shared_bytes > most_shared_bytes) {
    return gpu_error::invalid_value;
  }
  const auto function = reinterpret_cast<EmulatedEntry>(entry);
  const Capture& capture = Capture::own();
  if (!capture.is_of(stream)) {
    run(function, shape, body);
    return 0;
  }
  std::vector<std::max_align_t> kept(bytes / sizeof(std::max_align_t) + 1);
  std::memcpy(kept.data(), body, bytes);
  capture.recording->emplace_back(
      [function, shape, kept = std::move(kept)] { run(function, shape, kept.data()); });
  return 0;
}
int synchronize(GpuApi::Stream) { return Capture::own().refuse(); }
int create_event(GpuApi::Event* event) {
  *event = new_handle();
  return 0;
}
// Nothing is ever under way: all that was asked for is done.
int destroy_event(GpuApi::Event) { return 0; }
int record_event(GpuApi::Event, GpuApi::Stream) { return 0; }
int wait_event(GpuApi::Stream, GpuApi::Event) { return 0; }
int synchronize_event(GpuApi::Event) { return Capture::own().refuse(); }
int begin_capture(GpuApi::Stream stream) {
  Capture& capture = Capture::own();
  if (const int error = capture.refuse(); error != gpu_error::none) return error;
  capture = {stream, std::make_unique<Recording>(), false};
  return 0;
}
int end_capture(GpuApi::Stream stream, GpuApi::Graph* graph) {
  *graph = nullptr;
  Capture& capture = Capture::own();
  if (!capture.is_of(stream)) return gpu_error::invalid_value;
  Capture ended = std::exchange(capture, {});
  if (ended.failed) return capture_invalidated;
  *graph = ended.recording.release();
  return 0;
}
int launch_graph(GpuApi::Graph graph, GpuApi::Stream) {
  if (const int error = Capture::own().refuse(); error != gpu_error::none) return error;
  for (const auto& step : *static_cast<const Recording*>(graph)) step();
  return 0;
}
int destroy_graph(GpuApi::Graph graph) {
  delete static_cast<Recording*>(graph);
  return 0;
}
const char* error_text(int error) {
  return error == gpu_error::out_of_memory ? "out of memory" : "an error of the pretended device";
}

}  // namespace

const GpuApi& emulated_api() {
  static constexpr GpuApi api{
      version,        version,       one_device,        use_device,     compute_capability,
      check_kernel,   free_memory,   allocate,          release,        allocate_pinned,
      release_pinned, is_on_device,  create_stream,     destroy_stream, copy,
      clear,          launch,        synchronize,       create_event,   destroy_event,
      record_event,   wait_event,    synchronize_event, begin_capture,  end_capture,
      launch_graph,   destroy_graph, error_text};
  return api;
}

}  // namespace rbd_parallel_core
