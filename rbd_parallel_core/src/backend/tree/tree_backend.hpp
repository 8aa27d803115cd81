// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../kernels/kernel_backend.hpp"
#include "block_dynamics.hpp"

namespace rbd_parallel_core {

/// For trees of hundreds to millions of bodies: the bodies of one state are computed side by side,
/// in SIMD lanes and over threads. A batch is computed one state after the other.
template <class Real>
class TreeBackend final : public KernelBackend<Real> {
 public:
  /// Below this a tree is too small to be cut; it is computed as `reference` does.
  static constexpr int smallest_cut = 64;

  using typename BasicBackend<Real>::InverseDynamics;
  using typename BasicBackend<Real>::Forces;

  std::string name() const override { return "tree"; }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Result do_inverse_dynamics(const InverseDynamics& args) noexcept override;
  Result do_coriolis_forces(const Forces& args) noexcept override;

 private:
  /// One state of the batch, with the given gravity.
  void compute(const InverseDynamics& args, std::size_t s, const Vec3<Real>& gravity,
               bool friction) noexcept;

  std::optional<BlockDynamics<Real>> blocks_;  ///< none where the sequential text is used
};

extern template class TreeBackend<double>;
extern template class TreeBackend<float>;

}  // namespace rbd_parallel_core
