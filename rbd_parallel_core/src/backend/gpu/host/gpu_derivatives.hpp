// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_arrays.hpp"
#include "gpu_kernels.hpp"

namespace rbd_parallel_core {

/// Derivatives and what is computed like them, states in parallel.
template <class Real>
class GpuDerivatives {
 public:
  using Call = BasicCall<Real>;

  /// All of these stay those of the backend.
  GpuDerivatives(GpuQueue<Real>& queue, GpuArrays<Real>& arrays, const GpuKernels<Real>& kernels,
                 const DeviceModel<Real>& model)
      : queue_(queue), arrays_(arrays), kernels_(kernels), model_(model) {}

  void configure(bool friction) noexcept { friction_ = friction; }

  static constexpr bool offers(Operation operation) noexcept {
    return operation >= Operation::inverse_dynamics_derivatives;
  }
  /// One of those.
  Result compute(const Call& call) noexcept;

 private:
  const ChunkPlan& plan() const noexcept { return arrays_.plan(); }
  ChunkBuffers<Real>& buffers() noexcept { return queue_.buffers(); }
  /// Where a result of an nv x nv matrix or of a row goes: null where it is not asked for.
  static Real* if_asked(std::span<Real> array, Real* lanes) noexcept {
    return array.empty() ? nullptr : lanes;
  }
  /// Lanes of nv numbers for results, k < ChunkBuffers::row_count.
  Real* row(std::int64_t k) noexcept { return buffers().link + k * plan().nv * plan().stride; }
  std::size_t square() const noexcept { return static_cast<std::size_t>(plan().matrix); }
  std::size_t nv() const noexcept { return static_cast<std::size_t>(plan().nv); }

  Result refuse(Operation operation) const noexcept;
  template <class Args, class Work>
  Result in_chunks(const Args& args, const Work& work) noexcept;

  Result run(const BasicInverseDynamicsDerivatives<Real>& args) noexcept;
  Result run(const BasicForwardDynamicsDerivatives<Real>& args) noexcept;
  Result run(const BasicInverseDynamicsJvp<Real>& args) noexcept;
  Result run(const BasicInverseDynamicsVjp<Real>& args) noexcept;
  Result run(const BasicForwardDynamicsJvp<Real>& args) noexcept;
  Result run(const BasicForwardDynamicsVjp<Real>& args) noexcept;
  Result run(const BasicCoriolisMatrix<Real>& args) noexcept;
  Result run(const BasicCentroidalMomentum<Real>& args) noexcept;
  Result run(const BasicRegressor<Real>& args) noexcept;

  /// What the kernel takes whose states, wrenches and inputs v and a have been read.
  template <class Args>
  RneaDerivativesBody<Real> derivatives_of(const Args& args, const StateChunk<Real>& states,
                                           const Real* forces) noexcept;
  void launch_accelerations(const StateChunk<Real>& states, const Real* forces) noexcept;
  void launch_solve(const StateChunk<Real>& states, const Real* b, bool given, Real* x) noexcept;

  GpuQueue<Real>& queue_;
  GpuArrays<Real>& arrays_;
  const GpuKernels<Real>& kernels_;
  const DeviceModel<Real>& model_;
  bool friction_ = false;
};

extern template class GpuDerivatives<double>;
extern template class GpuDerivatives<float>;

}  // namespace rbd_parallel_core
