// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "pipeline.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// States of a batch that are computed at once.
struct ChunkRange {
  std::size_t first, count;
};

/// The work of calls, queued on a device chunk by chunk. Steps do nothing once one has failed: the
/// first error stays until the queue is opened again.
template <class Real>
class GpuQueue {
 public:
  GpuQueue(const GpuApi& api, int device) : api_(&api), device_(device) {}

  /// Takes the first stream and forgets errors. Throws.
  void open();
  /// Takes the buffers of so many pipelines, one or two. Throws.
  void take_buffers(MemoryAllowance& allowance, const ChunkPlan& plan, std::size_t pipelines);
  void give_back() noexcept;

  const GpuApi& api() const noexcept { return *api_; }
  /// The first one: where the work of every call begins.
  GpuApi::Stream first_stream() const noexcept { return pipelines_[0].stream(); }
  /// For `configure`.
  GpuDevice device(MemoryAllowance& allowance) const noexcept {
    return {*api_, first_stream(), allowance};
  }

  /// Calls work(range) for chunks of at most so many states that make up the batch, and says how it
  /// went. With two pipelines the chunks take turns: while the device works on one, the next is
  /// sent.
  template <class Work>
  Result in_chunks(std::size_t batch, std::size_t most, const Work& work) noexcept {
    return in_chunks(batch, most, std::span(pipelines_).first(pipeline_count_), work);
  }
  /// One state at a time in the first pipeline.
  template <class Work>
  Result one_by_one(std::size_t batch, const Work& work) noexcept {
    return in_chunks(batch, 1, std::span(pipelines_).first(1), work);
  }

  // Of the chunk at hand.
  ChunkBuffers<Real>& buffers() noexcept { return pipeline_->buffers; }
  Pipeline<Real>& pipeline() noexcept { return *pipeline_; }
  GpuApi::Stream stream() const noexcept { return pipeline_->stream(); }

  // Steps.
  /// Whether nothing has failed so far, this included.
  bool good(int error = gpu_error::none) noexcept {
    if (error_ == gpu_error::none) error_ = error;
    return error_ == gpu_error::none;
  }
  /// Makes the device the current one of the thread.
  bool use_device() noexcept { return good() && good(api_->use_device(device_)); }
  bool on_device(const void* memory) noexcept;
  void clear(void* memory, std::size_t bytes) noexcept {
    if (good()) good(api_->clear(memory, bytes, stream()));
  }
  void copy(void* to, const void* from, std::size_t bytes) noexcept {
    if (good()) good(api_->copy(to, from, bytes, stream()));
  }
  template <class Body>
  void launch(const BodyEntry<Body>& entry, const LaunchShape& shape, const Body& body) noexcept {
    if (shape.grid == 0 || !good()) return;
    good(api_->launch(entry.function, shape, &body, sizeof(Body), stream()));
  }

  /// The error of the step that failed.
  int error() const noexcept { return error_; }
  /// The same, which is then forgotten.
  int take_error() noexcept { return std::exchange(error_, gpu_error::none); }
  Result outcome() const noexcept;

 private:
  template <class Work>
  Result in_chunks(std::size_t batch, std::size_t most, std::span<Pipeline<Real>> pipelines,
                   const Work& work) noexcept;

  const GpuApi* api_;
  int device_;
  std::array<Pipeline<Real>, 2> pipelines_;
  std::size_t pipeline_count_ = 1;
  Pipeline<Real>* pipeline_ = pipelines_.data();  ///< of the chunk at hand
  GpuEvent begun_;                                ///< from here on the second one may work
  int error_ = gpu_error::none;
};

template <class Real>
template <class Work>
Result GpuQueue<Real>::in_chunks(std::size_t batch, std::size_t most,
                                 std::span<Pipeline<Real>> pipelines, const Work& work) noexcept {
  if (!use_device()) return outcome();
  for (Pipeline<Real>& pipeline : pipelines) pipeline.reset();
  if (pipelines.size() > 1 && batch > most) {
    // What the first stream was told to wait for holds for the second one too.
    if (good(api_->record_event(begun_.get(), pipelines[0].stream()))) {
      good(api_->wait_event(pipelines[1].stream(), begun_.get()));
    }
  }
  std::size_t turn = 0;
  for (std::size_t first = 0; first < batch; first += most) {
    pipeline_ = &pipelines[turn++ % pipelines.size()];
    if (!good(pipeline_->deliver())) break;
    work(ChunkRange{first, std::min(most, batch - first)});
    if (!good() || !good(pipeline_->finish())) break;
  }
  for (Pipeline<Real>& pipeline : pipelines) {
    if (good()) good(pipeline.deliver());
  }
  if (!good()) {
    // What was queued before the failure may still write to arrays of the caller.
    for (Pipeline<Real>& pipeline : pipelines) {
      static_cast<void>(api_->synchronize(pipeline.stream()));
    }
  }
  return outcome();
}

extern template class GpuQueue<double>;
extern template class GpuQueue<float>;

}  // namespace rbd_parallel_core
