// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/spin.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// Which scan runs along the tour (executor.hpp).
enum class ScanVariant : std::uint8_t { sequential, blocked, blelloch };

struct ScanOptions {
  ScanVariant variant = ScanVariant::blocked;
  std::int32_t block = 0;    ///< blocked: steps in a block; 0 chooses it by the number of bodies
  bool recurrence = false;   ///< velocities and accelerations by ScanForm::recurrence
  bool mapped_sums = false;  ///< sums of vectors as one scan for each of their numbers
  bool friction = false;     ///< damping and friction count in inverse dynamics
  /// How long threads stay awake after a call (BackendOptions::spin_us).
  std::chrono::microseconds spin{default_spin_us};
};

/// Inverse dynamics and mass matrix of one state by tree scans (rnea_scan.hpp, crba_scan.hpp), the
/// bodies shared out to several threads. Right where a robot has so many bodies that one state
/// keeps several threads busy, and its reach is small enough for root coordinates (docs/vtree.md).
/// The bits of a result depend on the options, not on the number of threads.
template <class Real>
class ScanDynamics {
 public:
  ScanDynamics();
  ScanDynamics(ScanDynamics&&) noexcept;
  ScanDynamics& operator=(ScanDynamics&&) noexcept;
  ~ScanDynamics();

  /// Takes all memory. threads: at most so many, the calling one included; `sequential` uses one.
  /// Throws std::invalid_argument for no model, fewer than one thread and a negative block.
  void configure(std::shared_ptr<const Model> model, int threads, const ScanOptions& options = {});

  /// tau = M a + C v + g - J^T f_ext, as Backend::inverse_dynamics for one state.
  /// q: nq. v, a: nv, or empty for zero. f_ext: empty, or one force for each body, at the origin
  /// and along the axes of its (canonical) frame, N m and N. gravity: world frame, m/s^2. tau: nv
  Result inverse_dynamics(std::span<const Real> q, std::span<const Real> v, std::span<const Real> a,
                          std::span<const Force<Real>> f_ext, const Vec3<Real>& gravity,
                          std::span<Real> tau) noexcept;

  /// The mass matrix with the armature on its diagonal, both triangles. q: nq. M: nv x nv
  Result mass_matrix(std::span<const Real> q, std::span<Real> M) noexcept;

 private:
  struct Configured;
  std::unique_ptr<Configured> configured_;
};

extern template class ScanDynamics<double>;
extern template class ScanDynamics<float>;

}  // namespace rbd_parallel_core
