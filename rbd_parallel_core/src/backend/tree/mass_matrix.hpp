// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../kernels/kernel_memory.hpp"
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
  /// included.
  void configure(const ModelView<Real>& model, int threads, InstructionSet set);

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
  void find_subtrees();
  void find_ranges(int threads);
  void cut_work(int threads);
  void take_memory(int threads);
  template <class Work>
  void share_out(std::int32_t count, std::int64_t numbers, const Work& work) noexcept;
  bool sweep(const Real* q, bool& finite) noexcept;
  StateStatus finish(std::span<Real> results, bool moderate, bool finite) const noexcept;

  const TreeMassMatrixKernels<Real>* kernels_ = nullptr;
  TreeMassMatrixContext<Real> context_{};
  MassMatrixRows rows_;
  std::vector<TreeRun> runs_;
  std::vector<TreeRange> ranges_;
  std::vector<TreeRowGroup> groups_;
  std::vector<std::int32_t> run_of_body_, subtree_end_;
  std::vector<std::int32_t> subtrees_;       ///< those of the ranges that are some
  std::vector<std::int32_t> sparse_pieces_;  ///< groups at which a piece of the sparse M begins
  std::vector<KernelMemory> memory_;
  std::vector<TreeScratch<Real>> scratch_;  ///< one a thread
  Real* vector_ = nullptr;                  ///< nv
  std::optional<tbb::task_arena> arena_;
};

extern template class TreeMassMatrix<double>;
extern template class TreeMassMatrix<float>;

}  // namespace rbd_parallel_core
