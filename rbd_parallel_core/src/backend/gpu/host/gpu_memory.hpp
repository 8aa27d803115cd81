// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "gpu_api.hpp"
#include "rbd_parallel_core/algorithm/arena.hpp"

namespace rbd_parallel_core {

/// Throws with what was tried and what the device says about it.
inline void require(const GpuApi& api, int error, const std::string& what) {
  if (error == gpu_error::none) return;
  throw std::runtime_error("cuda: " + what + ": " + api.error_text(error) + " (error " +
                           std::to_string(error) + ")");
}

/// How many bytes of the device one `configure` may take, and how many it has.
class MemoryAllowance {
 public:
  MemoryAllowance() = default;
  explicit MemoryAllowance(std::size_t most) : most_(most) {}

  std::size_t left() const noexcept { return most_ - taken_; }
  /// Throws unless so many more may be taken.
  void require(std::size_t bytes) const {
    if (bytes <= left()) return;
    throw std::runtime_error("cuda: this robot takes at least " + std::to_string(taken_ + bytes) +
                             " bytes of the device, " + std::to_string(most_) +
                             " are to be had; the backend 'cpu' needs none");
  }
  void take(std::size_t bytes) {
    require(bytes);
    taken_ += bytes;
  }

 private:
  std::size_t most_ = 0, taken_ = 0;
};

/// A device as `configure` uses it: whom to ask, the stream that copies are made in, and how much
/// of its memory may be taken.
struct GpuDevice {
  const GpuApi& api;
  GpuApi::Stream stream;
  MemoryAllowance& allowance;
};

/// Cuts arrays from memory of the device: whole cache lines for every warp.
using DeviceArena = Arena<256>;

/// A block of memory of the device or, pinned, of the host. Taken when made, given back when gone.
class GpuMemory {
 public:
  enum class Place { device, pinned };

  GpuMemory() = default;
  /// Of the device, if it is allowed.
  GpuMemory(const GpuDevice& device, std::size_t bytes) {
    device.allowance.take(at_least_one(bytes));
    *this = GpuMemory(device.api, Place::device, bytes);
  }
  GpuMemory(const GpuApi& api, Place place, std::size_t bytes) : api_(&api), place_(place) {
    const auto allocate = place == Place::device ? api.allocate : api.allocate_pinned;
    require(api, allocate(&memory_, at_least_one(bytes)),
            "taking " + std::to_string(bytes) + " bytes of " +
                (place == Place::device ? "the device" : "pinned memory"));
  }
  GpuMemory(GpuMemory&& other) noexcept { swap(other); }
  GpuMemory& operator=(GpuMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GpuMemory() {
    if (memory_ == nullptr) return;
    // A device that is lost has lost this too: there is nobody to tell.
    static_cast<void>((place_ == Place::device ? api_->release : api_->release_pinned)(memory_));
  }

  std::byte* get() const noexcept { return static_cast<std::byte*>(memory_); }

 private:
  static std::size_t at_least_one(std::size_t bytes) { return bytes == 0 ? 1 : bytes; }
  void swap(GpuMemory& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(place_, other.place_);
    std::swap(memory_, other.memory_);
  }

  const GpuApi* api_ = nullptr;
  Place place_ = Place::device;
  void* memory_ = nullptr;
};

/// Something of the device that a function of the table destroys. Likewise.
template <int (*GpuApi::*destroy)(void*)>
class GpuHandle {
 public:
  GpuHandle() = default;
  /// Becomes its owner, unless it is null.
  GpuHandle(const GpuApi& api, void* handle) : api_(&api), handle_(handle) {}
  GpuHandle(GpuHandle&& other) noexcept { swap(other); }
  GpuHandle& operator=(GpuHandle&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GpuHandle() {
    if (handle_ != nullptr) static_cast<void>((api_->*destroy)(handle_));
  }

  void* get() const noexcept { return handle_; }

 protected:
  /// What `create` makes.
  static void* created(const GpuApi& api, int (*create)(void**), const char* what) {
    void* handle = nullptr;
    require(api, create(&handle), what);
    return handle;
  }

 private:
  void swap(GpuHandle& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
  }

  const GpuApi* api_ = nullptr;
  void* handle_ = nullptr;
};

/// A queue of work of the device.
struct GpuStream : GpuHandle<&GpuApi::destroy_stream> {
  GpuStream() = default;
  explicit GpuStream(const GpuApi& api)
      : GpuHandle(api, created(api, api.create_stream, "creating a stream")) {}
};

/// A mark in a queue.
struct GpuEvent : GpuHandle<&GpuApi::destroy_event> {
  GpuEvent() = default;
  explicit GpuEvent(const GpuApi& api)
      : GpuHandle(api, created(api, api.create_event, "creating an event")) {}
};

/// Launches that are made as one, again and again.
using GpuGraph = GpuHandle<&GpuApi::destroy_graph>;

/// A graph of what `work` launches in the stream, which does not run yet. work() returns 0, or the
/// error of a launch that failed.
template <class Work>
GpuGraph recorded(const GpuApi& api, GpuApi::Stream stream, const Work& work) {
  const char* const what = "recording launches";
  require(api, api.begin_capture(stream), what);
  const int error = work();
  GpuApi::Graph made = nullptr;
  const int ended = api.end_capture(stream, &made);  // after an error too, or it would go on
  GpuGraph graph(api, made);
  require(api, error != gpu_error::none ? error : ended, what);
  return graph;
}

}  // namespace rbd_parallel_core
