// SPDX-License-Identifier: Apache-2.0
#include "emulated_kernels.hpp"

#include "emulated_entries.hpp"
#include "gpu/kernels/gpu_blocks.hpp"
#include "gpu/kernels/gpu_mass_matrix.hpp"
#include "gpu/kernels/gpu_scans.hpp"

namespace rbd_parallel_core {
namespace {

template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_emulated_scans(const GpuDevice& device,
                                                        const ScanRobot<Real>& robot,
                                                        bool by_library) {
  return std::make_unique<GpuScans<Real, EmulatedEntries>>(device, robot, by_library);
}

}  // namespace

template <class Real>
GpuKernels<Real> emulated_kernels() {
  const auto states = StateEntries<Real>::made_by(
      []<class Body>(BodyEntry<Body>& entry) { entry = emulated_entry<Body>(); });
  return {states, emulated_derivative_entries<Real>(), make_emulated_scans<Real>,
          GpuBlocks<Real, EmulatedEntries>::operations(),
          GpuMassMatrix<Real, EmulatedEntries>::operations()};
}
template GpuKernels<RBD_REAL> emulated_kernels<RBD_REAL>();

}  // namespace rbd_parallel_core
