// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gpu_derivatives.hpp"
#include "gpu_tree.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"

namespace rbd_parallel_core {

/// The device as a backend: a batch goes to it in chunks, one thread computes one state. Which
/// device, real or emulated, is a matter of the api and of the entries.
template <class Real>
class GpuBackend final : public BasicBackend<Real>, public DeviceAccess {
 public:
  using typename BasicBackend<Real>::Call;
  using typename BasicBackend<Real>::InverseDynamics;
  using typename BasicBackend<Real>::Forces;
  using typename BasicBackend<Real>::MassMatrix;
  using typename BasicBackend<Real>::ForwardDynamics;
  using typename BasicBackend<Real>::Energies;
  using typename BasicBackend<Real>::LinkKinematics;
  using typename BasicBackend<Real>::LinkMotion;

  GpuBackend(const GpuApi& api, const GpuKernels<Real>& kernels, const GpuSettings& settings = {})
      : kernels_(kernels),
        settings_(settings),
        queue_(api, settings.device),
        arrays_(queue_, kernels_.states, settings_, model_),
        derivatives_(queue_, arrays_, kernels_, model_),
        tree_(queue_, arrays_, kernels_, settings_, model_) {}

  std::string name() const override { return "cuda"; }
  std::string explain(Operation operation, std::size_t batch) const override;
  /// States that are computed at once. Only when configured.
  std::int64_t chunk() const noexcept { return plan().states; }

  int device() const noexcept override { return settings_.device; }
  void* stream() const noexcept override { return queue_.first_stream(); }
  int wait_for(void* stream) noexcept override;
  bool holds(const void* memory) noexcept override;
  Result refuse_on_device(Argument argument, const void* memory) noexcept override;
  std::shared_ptr<void> allocate(std::size_t bytes) override;

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Capabilities do_capabilities() const noexcept override;
  Result do_compute(const Call& call) noexcept override;

 private:
  const ChunkPlan& plan() const noexcept { return arrays_.plan(); }
  void give_back() noexcept;
  void set_up(const Model& model, const BackendOptions& options);
  std::size_t memory_to_have() const;
  Result rnea(Operation operation, const InverseDynamics& args) noexcept;
  Result refuse_matrices(const MassMatrix& args) const noexcept;
  Result compute_mass_matrix(const MassMatrix& args) noexcept;
  Result compute_forward_dynamics(const ForwardDynamics& args) noexcept;
  Result compute_energies(const Energies& args) noexcept;
  Result compute_link_kinematics(const LinkKinematics& args) noexcept;
  Result compute_link_motion(const LinkMotion& args) noexcept;
  void write_links(const LinkMotion& args, std::span<Real> array, LinkVector vector,
                   const ChunkRange& range) noexcept;
  void write_jacobian_rates(const LinkMotion& args, const ChunkRange& range) noexcept;

  GpuKernels<Real> kernels_;
  GpuSettings settings_;
  MemoryAllowance allowance_;  ///< of the last configure
  bool friction_ = false;
  DeviceModel<Real> model_;
  GpuQueue<Real> queue_;
  GpuArrays<Real> arrays_;
  GpuDerivatives<Real> derivatives_;
  GpuTree<Real> tree_;  ///< where the bodies are computed in parallel
};

extern template class GpuBackend<double>;
extern template class GpuBackend<float>;

}  // namespace rbd_parallel_core
