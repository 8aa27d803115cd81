// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "chunk_buffers.hpp"

namespace rbd_parallel_core {

/// The way of a chunk to the device and back: a stream and the buffers that only its work uses.
/// Results stay in pinned memory until `deliver`, so that meanwhile another pipeline can be filled.
template <class Real>
class Pipeline {
 public:
  Pipeline() = default;
  /// Takes stream and event; the buffers come when it is known how large they are.
  explicit Pipeline(const GpuApi& api) : api_(&api), stream_(api), done_(api) {}

  GpuApi::Stream stream() const noexcept { return stream_.get(); }
  ChunkBuffers<Real> buffers;

  /// Forgets what an earlier call may have left.
  void reset() noexcept { results_ = status_ = {}, busy_ = false; }
  /// What is copied in the order of the stream to pinned memory is meant for `to`: so many rows of
  /// so many bytes, which begin every `step` bytes there. There is room for the results of one
  /// array, so the last one goes out first.
  int promise_results(void* to, std::size_t rows, std::size_t bytes, std::size_t step) noexcept {
    const int error = results_.rows == 0 ? gpu_error::none : finish_and_deliver();
    results_ = {static_cast<std::byte*>(to), as_bytes(buffers.out.pinned), rows, bytes, step};
    return error;
  }
  void promise_status(void* to, std::size_t bytes) noexcept {
    status_ = {static_cast<std::byte*>(to), as_bytes(buffers.pinned_status), 1, bytes, bytes};
  }

  /// The chunk is queued.
  int finish() noexcept {
    busy_ = true;
    return api_->record_event(done_.get(), stream());
  }
  /// Waits for the last chunk, and hands out what it promised. Only now may the buffers be filled
  /// again.
  int deliver() noexcept {
    if (!busy_) return gpu_error::none;
    const int error = api_->synchronize_event(done_.get());
    if (error == gpu_error::none) {
      results_.hand_out();
      status_.hand_out();
    }
    reset();
    return error;
  }

 private:
  struct Promise {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t rows = 0, bytes = 0, step = 0;
    void hand_out() const noexcept {
      for (std::size_t k = 0; k < rows; ++k) std::memcpy(to + k * step, from + k * bytes, bytes);
    }
  };

  static const std::byte* as_bytes(const void* memory) {
    return static_cast<const std::byte*>(memory);
  }

  int finish_and_deliver() noexcept {
    const int error = finish();
    return error == gpu_error::none ? deliver() : error;
  }

  const GpuApi* api_ = nullptr;
  GpuStream stream_;
  GpuEvent done_;  ///< after the last chunk
  Promise results_, status_;
  bool busy_ = false;
};

}  // namespace rbd_parallel_core
