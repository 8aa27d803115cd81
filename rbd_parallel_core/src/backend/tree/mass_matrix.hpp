// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../kernels/kernel_memory.hpp"
#include "block_dynamics.hpp"
#include "mass_matrix_table.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// The mass matrix of one state of a robot of many bodies: columns in SIMD lanes, rows shared out
/// to threads. The number of threads does not change a bit of the results, and the dense M is
/// symmetric in every bit.
template <class Real>
class TreeMassMatrix {
 public:
  /// Takes all memory; the view must stay valid. `threads`: that a call may use, the calling one
  /// included. `blocks`: of the same model, for as many threads, and alive as long; one is made
  /// where none is given and the robot has no mimic joints, whose threads `spin`.
  void configure(const ModelView<Real>& model, int threads, InstructionSet set,
                 BlockDynamics<Real>* blocks = nullptr,
                 std::chrono::microseconds spin = std::chrono::microseconds(default_spin_us));

  /// Numbers of the values of a sparse matrix (MassMatrixPattern::nonzeros).
  std::int64_t nonzeros() const noexcept { return rows_.row_start().back(); }

  /// q: nq; M: nv x nv, full and symmetric, armature included. NaN throughout unless the status is
  /// ok.
  StateStatus dense(std::span<const Real> q, std::span<Real> M) noexcept;
  /// values: nonzeros, the lower triangle in the order of MassMatrixPattern; NaN likewise.
  StateStatus sparse(std::span<const Real> q, std::span<Real> values) noexcept;
  /// L with M = L^T L in place of the values of M; NaN throughout if M is singular.
  StateStatus factor(std::span<Real> values) noexcept;
  /// x with M x = b in place of b: nv; L: what factor left.
  void solve(std::span<const Real> L, std::span<Real> x) noexcept;

 private:
  void find_runs();
  void cut_work(int threads);
  void take_memory(int threads);
  template <class Work>
  void share_out(std::int32_t count, std::int64_t numbers, const Work& work) noexcept;
  bool sweep(const Real* q, bool& finite) noexcept;
  StateStatus finish(std::span<Real> results, bool moderate, bool finite) const noexcept;

  const TreeMassMatrixKernels<Real>* kernels_ = nullptr;
  std::optional<BlockDynamics<Real>> own_blocks_;
  BlockDynamics<Real>* blocks_ = nullptr;  ///< none where there are mimic joints
  TreeMassMatrixContext<Real> context_{};
  MassMatrixRows rows_;
  std::vector<TreeRun> runs_;
  std::vector<TreeRowGroup> groups_;
  std::vector<std::int32_t> subtree_end_;
  std::vector<std::int32_t> joined_;         ///< runs whose columns come with several origins
  std::vector<std::int32_t> sparse_pieces_;  ///< groups at which a piece of the sparse M begins
  std::vector<KernelMemory> memory_;
  std::vector<TreeScratch<Real>> scratch_;  ///< one a thread
  Real* vector_ = nullptr;                  ///< nv
};

extern template class TreeMassMatrix<double>;
extern template class TreeMassMatrix<float>;

}  // namespace rbd_parallel_core
