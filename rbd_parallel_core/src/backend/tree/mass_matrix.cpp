// SPDX-License-Identifier: Apache-2.0
#include "mass_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "column_order.hpp"
#include "rbd_parallel_core/algorithm/arena.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Numbers below which a second thread costs more than it brings.
constexpr std::int64_t worth_threads = 1 << 16;

/// Bytes from which on a matrix is written past the caches.
constexpr std::size_t stream_from = std::size_t{1} << 24;

using Memory = Arena<memory_alignment>;

/// A new block in `blocks`, as large as lay_out(memory) wants it, and cut by it.
template <class LayOut>
void take(std::vector<KernelMemory>& blocks, const LayOut& lay_out) {
  Memory counted;
  lay_out(counted);
  blocks.emplace_back(counted.used);
  Memory memory{blocks.back().get()};
  lay_out(memory);
}

}  // namespace

template <class Real>
void TreeMassMatrix<Real>::configure(const ModelView<Real>& model, int threads, InstructionSet set,
                                     BlockDynamics<Real>* blocks, std::chrono::microseconds spin) {
  threads = std::clamp(threads, 1, usable_cores());
  kernels_ = &tree_mass_matrix_kernels<Real>(set);
  rows_ = MassMatrixRows({model.dof_parent, index(model.nv)});
  context_ = {};
  context_.model = model;
  context_.sparse = {rows_.row_start().data(), rows_.depth().data()};
  blocks_ = nullptr;
  own_blocks_.reset();
  if (!model.has_mimic) {
    blocks_ =
        blocks != nullptr ? blocks : &own_blocks_.emplace(model, set, threads, spin, TreeOptions{});
    find_runs();
    subtree_end_ = subtree_ends({model.dof_parent, index(model.nv)});
    context_.subtree_end = subtree_end_.data();
    cut_work(threads);
  }
  take_memory(threads);
}

template <class Real>
void TreeMassMatrix<Real>::find_runs() {
  const ModelView<Real>& model = context_.model;
  const auto places = blocks_->places();
  std::vector<std::int32_t> run_of_body;
  runs_.clear();
  joined_.clear();
  for (std::int32_t i = 0, head = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const auto [path, origin] = places[index(i)];
    if (i == 0 || body.parent != i - 1 || path != places[index(i - 1)].path ||
        i - head == longest_run) {
      TreeRun run{body.column, body.column, -1, 0};
      if (body.parent >= 0) {
        const BodyView<Real>& parent = model.body[body.parent];
        run.parent = run_of_body[index(body.parent)];
        run.parent_end = parent.column + nv_of(parent.type);
      }
      runs_.push_back(run);
      head = i;
    }
    const auto run = static_cast<std::int32_t>(runs_.size()) - 1;
    run_of_body.push_back(run);
    runs_.back().end = body.column + nv_of(body.type);
    if (origin == places[index(head)].origin) continue;
    if (joined_.empty() || joined_.back() != run) joined_.push_back(run);
  }
  context_.run = runs_.data();
}

template <class Real>
void TreeMassMatrix<Real>::cut_work(int threads) {
  groups_.clear();
  for (std::int32_t r = 0; index(r) < runs_.size(); ++r) {
    const TreeRun& run = runs_[index(r)];
    for (std::int32_t k = run.first; k < run.end; k += mass_matrix_rows) {
      groups_.push_back({r, k, std::min(k + mass_matrix_rows, run.end)});
    }
  }
  context_.group = groups_.data();
  // Pieces of about the same number of entries, many for each thread; a piece begins with a walk to
  // the root, so it has some groups.
  constexpr std::int64_t least_entries = 4096, least_groups = 4;
  const std::int64_t entries = std::max(nonzeros() / (32 * threads), least_entries);
  const std::span<const std::int64_t> start = rows_.row_start();
  sparse_pieces_.assign(1, 0);
  const auto group_count = static_cast<std::int32_t>(groups_.size());
  const auto begin_of = [&](std::int32_t g) { return start[index(groups_[index(g)].begin)]; };
  for (std::int32_t g = least_groups; g < group_count; ++g) {
    const std::int32_t begin = sparse_pieces_.back();
    if (begin_of(g) - begin_of(begin) >= entries && g - begin >= least_groups) {
      sparse_pieces_.push_back(g);
    }
  }
  sparse_pieces_.push_back(group_count);
}

template <class Real>
void TreeMassMatrix<Real>::take_memory(int threads) {
  const ModelView<Real>& model = context_.model;
  memory_.clear();
  take(memory_, [&](Memory& memory) {
    memory.cut(vector_, model.nv);
    if (!model.has_mimic) return;
    CrbaWorkspace<Real, Column>& ws = context_.workspace;
    const std::int64_t bodies = model.body_count, turns = padded_turns(model.body_count);
    memory.cut(ws.turns.angle.data, turns);
    memory.cut(ws.turns.sine.data, turns);
    memory.cut(ws.turns.cosine.data, turns);
    memory.cut(ws.E.data, bodies);
    memory.cut(ws.p.data, bodies);
    memory.cut(ws.to_head.data, bodies);
    memory.cut(ws.Ic.data, bodies);
    memory.cut(ws.axis.data, model.column_count);
  });
  scratch_.assign(index(threads), {});
  if (model.has_mimic) return;
  const std::int64_t columns = std::int64_t{model.nv} + mass_matrix_padding;
  take(memory_, [&](Memory& memory) {
    for (Real*& array : context_.columns.axis) memory.cut(array, columns);
    for (Real*& array : context_.columns.force) memory.cut(array, columns);
    for (Real*& array : context_.columns.high) memory.cut(array, columns);
    for (Real*& array : context_.columns.low) memory.cut(array, columns);
    memory.cut(context_.columns.diagonal, columns);
  });
  std::int32_t deepest = 0;
  for (const std::int32_t depth : rows_.depth()) deepest = std::max(deepest, depth + 1);
  const std::int64_t path = std::int64_t{deepest} + mass_matrix_padding;
  for (TreeScratch<Real>& scratch : scratch_) {
    take(memory_, [&](Memory& memory) {
      for (Real*& array : scratch.path.axis) memory.cut(array, path);
      for (Real*& array : scratch.path.high) memory.cut(array, path);
      for (Real*& array : scratch.path.low) memory.cut(array, path);
      memory.cut(scratch.tile, mass_matrix_rows * (mass_matrix_tile + mass_matrix_padding));
      memory.cut(scratch.runs, deepest);
      memory.cut(scratch.ends, deepest);
    });
  }
}

/// Calls work(begin, end, thread) for ranges that make up `count` pieces, `numbers` in all.
template <class Real>
template <class Work>
void TreeMassMatrix<Real>::share_out(std::int32_t count, std::int64_t numbers,
                                     const Work& work) noexcept {
  Team& team = blocks_->team();
  if (team.threads() == 1 || numbers < worth_threads) {
    work(0, count, 0);
    return;
  }
  // Some for each thread: a piece begins with a walk to the root.
  constexpr std::int32_t pieces_of_thread = 16;
  const std::int32_t pieces = std::min(count, pieces_of_thread * team.threads());
  const auto begin_of = [&](std::int32_t piece) {
    return static_cast<std::int32_t>(std::int64_t{count} * piece / pieces);
  };
  team.phase(pieces, [&](std::int32_t k, int thread) {
    work(begin_of(k), begin_of(k + 1), index(thread));
  });
}

/// Fills the columns; returns as TreeMassMatrixKernels::moderate.
template <class Real>
bool TreeMassMatrix<Real>::sweep(const Real* q, bool& finite) noexcept {
  blocks_->mass_matrix_columns(q, context_.columns);
  kernels_->join(context_, joined_);
  return kernels_->moderate(context_, q, finite);
}

template <class Real>
StateStatus TreeMassMatrix<Real>::finish(std::span<Real> results, bool moderate,
                                         bool finite) const noexcept {
  if (moderate) return {};
  for (std::size_t k = 0; finite && k < results.size(); ++k) finite = std::isfinite(results[k]);
  const StateStatus status = status_of(finite ? Real(0) : std::numeric_limits<Real>::quiet_NaN());
  spoil_unless_ok(status, results);
  return status;
}

template <class Real>
StateStatus TreeMassMatrix<Real>::dense(std::span<const Real> q, std::span<Real> M) noexcept {
  bool finite = false, moderate = false;
  if (context_.model.has_mimic) {
    moderate = kernels_->dense_with_mimic(context_, q.data(), M.data(), finite);
  } else {
    moderate = sweep(q.data(), finite);
    const bool stream = M.size_bytes() >= stream_from;
    share_out(static_cast<std::int32_t>(groups_.size()), static_cast<std::int64_t>(M.size()),
              [&](std::int32_t begin, std::int32_t end, std::size_t thread) {
                kernels_->dense(context_, scratch_[thread], begin, end, M.data(), stream);
              });
  }
  return finish(M, moderate, finite);
}

template <class Real>
StateStatus TreeMassMatrix<Real>::sparse(std::span<const Real> q, std::span<Real> values) noexcept {
  bool finite = false, moderate = false;
  if (context_.model.has_mimic) {
    moderate = kernels_->sparse_with_mimic(context_, q.data(), values.data(), finite);
  } else {
    moderate = sweep(q.data(), finite);
    share_out(static_cast<std::int32_t>(sparse_pieces_.size()) - 1, nonzeros(),
              [&](std::int32_t begin, std::int32_t end, std::size_t thread) {
                if (values.empty()) return;
                kernels_->sparse(context_, scratch_[thread], sparse_pieces_[index(begin)],
                                 sparse_pieces_[index(end)], values.data());
              });
  }
  return finish(values, moderate, finite);
}

template <class Real>
StateStatus TreeMassMatrix<Real>::factor(std::span<Real> values) noexcept {
  const Real singular = kernels_->factor(context_, values.data(), vector_);
  const StateStatus status = status_of(Real(0), singular);
  spoil_unless_ok(status, values);
  return status;
}

template <class Real>
void TreeMassMatrix<Real>::solve(std::span<const Real> L, std::span<Real> x) noexcept {
  kernels_->solve(context_, L.data(), x.data());
}

template class TreeMassMatrix<double>;
template class TreeMassMatrix<float>;

}  // namespace rbd_parallel_core
