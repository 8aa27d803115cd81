// SPDX-License-Identifier: Apache-2.0
#include "gpu_queue.hpp"

namespace rbd_parallel_core {

template <class Real>
void GpuQueue<Real>::open() {
  error_ = gpu_error::none;
  pipeline_ = pipelines_.data();
  pipelines_[0] = Pipeline<Real>(*api_);
}

template <class Real>
void GpuQueue<Real>::take_buffers(MemoryAllowance& allowance, const ChunkPlan& plan,
                                  std::size_t pipelines) {
  pipeline_count_ = pipelines;
  if (pipelines > 1) {
    pipelines_[1] = Pipeline<Real>(*api_);
    begun_ = GpuEvent(*api_);
  }
  for (std::size_t k = 0; k < pipelines; ++k) {
    pipelines_[k].buffers = ChunkBuffers<Real>(device(allowance), plan);
  }
}

template <class Real>
void GpuQueue<Real>::give_back() noexcept {
  pipelines_ = {};
  begun_ = {};
}

template <class Real>
bool GpuQueue<Real>::on_device(const void* memory) noexcept {
  bool answer = false;
  good(api_->is_on_device(memory, &answer));
  return answer;
}

template <class Real>
Result GpuQueue<Real>::outcome() const noexcept {
  if (error_ == gpu_error::none) return {};
  return {Code::failed, Argument::none, 0, error_};
}

template class GpuQueue<double>;
template class GpuQueue<float>;

}  // namespace rbd_parallel_core
