// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../kernels/kernel_backend.hpp"
#include "block_dynamics.hpp"
#include "mass_matrix.hpp"
#include "rbd_parallel_core/study/scan_dynamics.hpp"

namespace rbd_parallel_core {

/// For trees of hundreds to millions of bodies: the bodies of one state are computed side by side,
/// in SIMD lanes and over threads. A batch is computed one state after the other.
template <class Real>
class TreeBackend final : public KernelBackend<Real> {
 public:
  /// Below this a tree is too small to be cut; it is computed as `reference` does.
  static constexpr int smallest_cut = 64;

  using typename BasicBackend<Real>::Call;
  using typename BasicBackend<Real>::InverseDynamics;
  using typename BasicBackend<Real>::Forces;
  using typename BasicBackend<Real>::MassMatrix;
  using typename BasicBackend<Real>::ForwardDynamics;

  std::string name() const override { return "tree"; }

  /// Whether a robot of so many bodies is cut.
  static bool cuts(const Model& model, const TreeOptions& options) noexcept {
    return model.body_count() >= smallest_cut ||
           (model.body_count() > 0 && (options.block > 0 || options.family == TreeFamily::scans));
  }
  /// Whether bodies are computed side by side: the dense or the sparse mass matrix without its
  /// factors, forward dynamics by aba. What is not is computed as `reference` does.
  bool side_by_side(Operation operation) const noexcept;
  /// How a batch of it is computed.
  CallPlan plan(Operation operation, std::size_t batch) const noexcept;

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Capabilities do_capabilities() const noexcept override;
  Result do_compute(const Call& call) noexcept override;

 private:
  bool goes_by_two_ports() const noexcept { return blocks_ && blocks_->can_go_forward(); }
  /// Whether the call is computed side by side. What is not, `reference` does.
  bool is_side_by_side(const MassMatrix& args) const noexcept;
  bool is_side_by_side(const ForwardDynamics& args) const noexcept;
  void torques(const InverseDynamics& args) noexcept;
  void coriolis_torques(const Forces& args) noexcept;
  void accelerations(const ForwardDynamics& args) noexcept;
  void mass_matrices(const MassMatrix& args) noexcept;
  /// Inverse dynamics of one state of the batch by blocks.
  void by_blocks(const InverseDynamics& args, std::size_t s, const Vec3<Real>& gravity,
                 bool friction) noexcept;
  /// The same by scans.
  void by_scans(const InverseDynamics& args, std::size_t s) noexcept;
  /// Forward dynamics of one state of the batch by blocks.
  void forward(const ForwardDynamics& args, std::size_t s) noexcept;
  /// The wrenches of one state as forces on the bodies, none where there are no wrenches.
  std::span<const Force<Real>> forces_of(std::span<const Real> q,
                                         const BasicExternalWrenches<Real>& f_ext,
                                         std::size_t s) noexcept;
  /// NaN if the wrenches of a state are not finite, or a quaternion in it is no rotation.
  Real taint_of_state(std::span<const Real> q, const BasicExternalWrenches<Real>& f_ext,
                      std::size_t s) noexcept;
  /// What is asked for of the mass matrix of one state.
  StateStatus mass_matrix_of(const MassMatrix& args, std::size_t s) noexcept;
  void mass_matrix_by_scans(const MassMatrix& args) noexcept;

  int threads_ = 1;
  bool by_blocks_ =
      false;  ///< otherwise they are for the mass matrix, and for who asks for two_port
  // None of them where a tree is too small: then the kernels for one state are used.
  std::optional<BlockDynamics<Real>> blocks_;
  std::optional<ScanDynamics<Real>> scans_;
  std::optional<TreeMassMatrix<Real>> mass_matrix_;
};

extern template class TreeBackend<double>;
extern template class TreeBackend<float>;

}  // namespace rbd_parallel_core
