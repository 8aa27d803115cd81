// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "gpu_api.hpp"

namespace rbd_parallel_core {

/// Throws with what was tried and what the device says about it.
inline void require(const GpuApi& api, int error, const std::string& what) {
  if (error == gpu_error::none) return;
  throw std::runtime_error("cuda: " + what + ": " + api.error_text(error) + " (error " +
                           std::to_string(error) + ")");
}

/// A block of memory of the device or, pinned, of the host. Taken when made, given back when gone.
class GpuMemory {
 public:
  enum class Place { device, pinned };

  GpuMemory() = default;
  GpuMemory(const GpuApi& api, Place place, std::size_t bytes)
      : api_(&api), place_(place), bytes_(bytes == 0 ? 1 : bytes) {
    const auto allocate = place == Place::device ? api.allocate : api.allocate_pinned;
    require(api, allocate(&memory_, bytes_),
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
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(GpuMemory& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(place_, other.place_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
  }

  const GpuApi* api_ = nullptr;
  Place place_ = Place::device;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
};

/// Something of the device that is created and destroyed by two functions of the table. Likewise.
template <int (*GpuApi::*create)(void**), int (*GpuApi::*destroy)(void*)>
class GpuHandle {
 public:
  GpuHandle() = default;
  GpuHandle(const GpuApi& api, const char* what) {
    require(api, (api.*create)(&handle_), what);
    api_ = &api;
  }
  GpuHandle(GpuHandle&& other) noexcept { swap(other); }
  GpuHandle& operator=(GpuHandle&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GpuHandle() {
    if (api_ != nullptr) static_cast<void>((api_->*destroy)(handle_));
  }

  void* get() const noexcept { return handle_; }

 private:
  void swap(GpuHandle& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
  }

  const GpuApi* api_ = nullptr;
  void* handle_ = nullptr;
};

/// A queue of work of the device.
struct GpuStream : GpuHandle<&GpuApi::create_stream, &GpuApi::destroy_stream> {
  GpuStream() = default;
  explicit GpuStream(const GpuApi& api) : GpuHandle(api, "creating a stream") {}
};

/// A mark in a queue.
struct GpuEvent : GpuHandle<&GpuApi::create_event, &GpuApi::destroy_event> {
  GpuEvent() = default;
  explicit GpuEvent(const GpuApi& api) : GpuHandle(api, "creating an event") {}
};

}  // namespace rbd_parallel_core
