// SPDX-License-Identifier: Apache-2.0
#include "block_dynamics.hpp"

#include <algorithm>

namespace rbd_parallel_core {
namespace {

/// Short enough that a few registers full of blocks come out of a small tree, and that the numbers
/// of a pack stay in the near caches; long enough that seams cost little.
std::int32_t chosen_length(std::int32_t bodies, std::int32_t width) {
  return std::clamp(bodies / (2 * width), 16, 128);
}

template <class Real>
BlockPlan make_plan(const ModelView<Real>& model, std::int32_t width, std::int32_t longest) {
  std::vector<std::int32_t> parent;
  std::vector<std::uint8_t> kind;
  std::uint32_t single = 0;  // joints of one coordinate have an empty step
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const JointType type = model.body[i].type;
    parent.push_back(model.body[i].parent);
    kind.push_back(static_cast<std::uint8_t>(type));
    if (nv_of(type) == 1) single |= 1U << static_cast<unsigned>(type);
  }
  return BlockPlan(HeavyPaths(parent), kind, width,
                   longest > 0 ? longest : chosen_length(model.body_count, width), single);
}

std::vector<PackOffsets> offsets_of(const BlockPlan& plan) {
  std::vector<PackOffsets> offsets{{0, 0}};
  for (const BlockPack& pack : plan.packs()) {
    const auto type = static_cast<JointType>(pack.kind);
    const PackOffsets& last = offsets.back();
    offsets.push_back({last.q + static_cast<std::int64_t>(pack.length) * nq_of(type),
                       last.v + static_cast<std::int64_t>(pack.length) * nv_of(type)});
  }
  return offsets;
}

/// Cuts packs into tasks of at least so many steps.
constexpr std::int32_t steps_of_task = 32;
std::vector<Range> tasks_of(const BlockPlan& plan, std::int32_t first, std::int32_t last) {
  std::vector<Range> tasks;
  std::int32_t begin = first, steps = 0;
  for (std::int32_t p = first; p < last; ++p) {
    steps += plan.packs()[static_cast<std::size_t>(p)].length;
    if (steps < steps_of_task && p + 1 < last) continue;
    tasks.push_back({begin, p + 1});
    begin = p + 1;
    steps = 0;
  }
  return tasks;
}

}  // namespace

template <class Real>
BlockDynamics<Real>::BlockDynamics(const ModelView<Real>& model, InstructionSet set, int threads,
                                   std::int32_t longest)
    : table_(&block_table<Real>(set)),
      plan_(make_plan(model, table_->width, longest)),
      offsets_(offsets_of(plan_)),
      team_(threads) {
  for (const BlockPlan::Level& level : plan_.levels()) {
    tasks_.push_back({tasks_of(plan_, level.first_pack, level.last_pack)});
  }
  const auto packs = static_cast<std::int32_t>(plan_.packs().size());
  all_ = {tasks_of(plan_, 0, packs)};
  context_ = {model, PlanView::of(plan_), offsets_.data(), nullptr};
  memory_.emplace_back(table_->shared_bytes(context_));
  context_.shared = memory_.front().get();
  table_->prepare(context_);
  for (int thread = 0; thread < threads; ++thread) {
    memory_.emplace_back(table_->scratch_bytes(context_));
  }
}

template <class Real>
void BlockDynamics<Real>::run(Phase BlockTable<Real>::*phase, const TreeState<Real>& state,
                              const Tasks& tasks) {
  team_.phase(static_cast<std::int32_t>(tasks.of_level.size()), [&](std::int32_t k, int thread) {
    (table_->*phase)(context_, state, memory_[static_cast<std::size_t>(thread) + 1].get(),
                     tasks.of_level[static_cast<std::size_t>(k)]);
  });
}

template <class Real>
void BlockDynamics<Real>::run_seams(Phase BlockTable<Real>::*phase, const TreeState<Real>& state,
                                    const BlockPlan::Level& level) {
  (table_->*phase)(context_, state, nullptr, {level.first_block, level.last_block});
}

template <class Real>
void BlockDynamics<Real>::inverse_dynamics(const TreeState<Real>& state) noexcept {
  team_.call([&] {
    const auto levels = plan_.levels();
    run(&BlockTable<Real>::read_state, state, all_);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (l == 0 || levels[l].cut) run_seams(&BlockTable<Real>::outward_seams, state, levels[l]);
      run(&BlockTable<Real>::outward, state, tasks_[l]);
    }
    for (std::size_t l = levels.size(); l-- > 0;) {
      run(&BlockTable<Real>::inward, state, tasks_[l]);
      if (!levels[l].cut) continue;
      run_seams(&BlockTable<Real>::inward_seams, state, levels[l]);
      run(&BlockTable<Real>::torques, state, tasks_[l]);
    }
  });
}

template class BlockDynamics<double>;
template class BlockDynamics<float>;

}  // namespace rbd_parallel_core
