// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// Runs the scalar text of the algorithms, state by state, on the calling thread: the plainest
/// backend, against which the others are measured. `threads` is accepted and not used.
class ReferenceBackend final : public Backend {
 public:
  /// Forward dynamics by crba keeps a dense matrix of its own; this many coordinates at most (128
  /// MB).
  static constexpr int largest_dense_nv = 4096;

  std::string name() const override { return "reference"; }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Result do_inverse_dynamics(const InverseDynamics& args) noexcept override;
  Result do_bias_forces(const Forces& args) noexcept override;
  Result do_gravity_forces(const Forces& args) noexcept override;
  Result do_coriolis_forces(const Forces& args) noexcept override;
  Result do_mass_matrix(const MassMatrix& args) noexcept override;
  Result do_forward_dynamics(const ForwardDynamics& args) noexcept override;
  Result do_energies(const Energies& args) noexcept override;
  Result do_link_kinematics(const LinkKinematics& args) noexcept override;

 private:
  bool has_matrix() const noexcept { return context_.model.nv <= largest_dense_nv; }
  Result too_large_for_dense(Argument argument) const noexcept;

  std::vector<double> memory_, matrix_;
  ReferenceContext context_{};
  const ReferenceKernels* kernels_ = nullptr;
};

}  // namespace rbd_parallel_core
