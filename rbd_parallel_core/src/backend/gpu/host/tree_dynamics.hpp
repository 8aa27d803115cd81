// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gpu_memory.hpp"
#include "rbd_parallel_core/study/root_coordinates.hpp"

namespace rbd_parallel_core {

/// One state of one large tree, its bodies in parallel. All pointers are the device's. Functions
/// return 0, or the error of the first launch that failed.
template <class Real>
class TreeDynamics {
 public:
  virtual ~TreeDynamics() = default;
  /// v and a: both null for a robot at rest.
  virtual int inverse_dynamics(const Real* q, const Real* v, const Real* a,
                               const Vec3<Real>& gravity, bool friction, Real* tau) noexcept = 0;
  /// M: nv x nv
  virtual int mass_matrix(const Real* q, Real* M) noexcept = 0;
};

/// What makes one: of a device or of a CPU. by_library: exclusive scans by CUB. Takes all memory,
/// throws.
template <class Real>
using MakeTreeDynamics = std::unique_ptr<TreeDynamics<Real>> (*)(const GpuDevice& device,
                                                                 const ScanRobot<Real>& robot,
                                                                 bool by_library);

}  // namespace rbd_parallel_core
