// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "gpu/host/tree_dynamics.hpp"
#include "gpu_launcher.hpp"
#include "rbd_parallel_core/gpu/kernels/gpu_executor.hpp"
#include "rbd_parallel_core/study/crba_scan.hpp"
#include "rbd_parallel_core/study/rnea_scan.hpp"

namespace rbd_parallel_core {

/// The scan forms of RNEA and CRBA on a device, with scans of our own or of a library.
/// Included by the file that is compiled for the device, and by the one for a CPU.
template <class Real, class Entries>
class GpuScans final : public TreeDynamics<Real> {
 public:
  GpuScans(const GpuDevice& device, const ScanRobot<Real>& robot, bool by_library)
      : launcher_{&device.api, device.stream}, robot_(robot) {
    if (by_library) launcher_.library_bytes = library_bytes();
    memory_ = GpuMemory(device, lay_out(nullptr));
    lay_out(memory_.get());
  }

  int inverse_dynamics(const Real* q, const Real* v, const Real* a, const Vec3<Real>& gravity,
                       bool friction, Real* tau) noexcept override {
    launcher_.error = gpu_error::none;
    const GpuExecutor<Launcher> executor(launcher_);
    const Row<Real> row_q{q}, row_v{v}, row_a{a};
    const OutRow<Real> out{tau};
    const Zeros<Real> zeros;
    if (v == nullptr) {
      rnea_scan<ScanForm::additive>(executor, robot_, rnea_, row_q, zeros, zeros, NoForces{},
                                    gravity, friction, out);
    } else {
      rnea_scan<ScanForm::additive>(executor, robot_, rnea_, row_q, row_v, row_a, NoForces{},
                                    gravity, friction, out);
    }
    return launcher_.error;
  }

  int mass_matrix(const Real* q, Real* M) noexcept override {
    launcher_.error = gpu_error::none;
    const GpuExecutor<Launcher> executor(launcher_);
    crba_scan(executor, robot_, crba_, Row<Real>{q}, OutSymmetric<Real>{{M, robot_.model.nv}});
    return launcher_.error;
  }

 private:
  using Launcher = GpuLauncher<Entries>;

  /// What a library wants for scans of T along the tour.
  template <class T, class Group>
  std::size_t library_bytes_for(const Group& group) const {
    const GpuApi& api = *launcher_.api;
    std::size_t bytes = 0;
    T* const no_data = nullptr;
    require(api,
            Entries::scan(api, launcher_.stream, nullptr, bytes, no_data, robot_.tree.step_count(),
                          Combine<Group>{group}, group.neutral()),
            "asking for the memory of scans");
    return bytes;
  }
  std::size_t library_bytes() const {
    return std::max({library_bytes_for<Transform<Real>>(PathProduct<Real>{}),
                     library_bytes_for<Motion<Real>>(Sum<Motion<Real>>{}),
                     library_bytes_for<Force<Real>>(Sum<Force<Real>>{}),
                     library_bytes_for<Inertia<Real>>(Sum<Inertia<Real>>{})});
  }
  /// Numbers of the memory that scans work in, of which a step has at most `widest`.
  std::int64_t scratch_numbers(std::int64_t widest) const {
    if (launcher_.library_bytes == 0) {
      const GpuExecutor<Launcher> executor(launcher_);
      return widest * executor.scan_scratch(robot_.tree.step_count());
    }
    return static_cast<std::int64_t>(launcher_.library_bytes / sizeof(Real) + 1);
  }

  /// Bytes; points into `memory` unless that is null.
  std::size_t lay_out(std::byte* memory) {
    DeviceArena arena{memory};
    const std::int32_t bodies = robot_.model.body_count, columns = robot_.model.column_count;
    const std::int32_t steps = robot_.tree.step_count();
    constexpr std::int64_t widest = sizeof(Transform<Real>) / sizeof(Real);
    TourMemory<Real> tour{nullptr, nullptr, steps};
    RootCoordinates<Real, Column> place{};
    arena.cut(tour.numbers, widest * steps);
    arena.cut(tour.scratch, scratch_numbers(widest));
    arena.cut(place.X0.data, bodies);
    arena.cut(place.axis.data, columns);
    rnea_.place = crba_.place = place;
    rnea_.tour = crba_.tour = tour;
    rnea_.X.data = nullptr;  // for the recurrence only
    arena.cut(rnea_.v.data, bodies);
    arena.cut(rnea_.f.data, bodies);
    arena.cut(rnea_.column_tau.data, columns);
    arena.cut(crba_.F.data, columns);
    return arena.used;
  }

  Launcher launcher_;
  ScanRobot<Real> robot_;
  GpuMemory memory_;
  RneaScanWorkspace<Real, Column> rnea_{};
  CrbaScanWorkspace<Real, Column> crba_{};
};

}  // namespace rbd_parallel_core
