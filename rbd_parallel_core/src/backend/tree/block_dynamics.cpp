// SPDX-License-Identifier: Apache-2.0
#include "block_dynamics.hpp"

#include <algorithm>

#include "block_cut.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Bodies of a group of subtrees: with all their numbers they stay in the second cache.
constexpr std::int32_t largest_group = 2048;
/// Groups pay where the near caches hold a small part of all bodies, ...
constexpr std::int32_t bodies_beyond_caches = 1 << 16;
/// ... unless lanes stay empty because a group has too few paths: this share must be of use.
constexpr double used_lanes = 0.75;

/// Blocks short enough that the numbers of a pack stay in the near caches and that two threads find
/// work in a small tree; long enough that seams cost little.
template <class Real>
BlockPlan make_plan(const ModelView<Real>& model, const HeavyPaths& paths, std::int32_t width,
                    std::int32_t longest) {
  BlockPlan::Options options{.width = width, .longest = 256, .registers = 2, .shortest = 12};
  if (longest > 0) options = {.width = width, .longest = longest};
  if (width == 1) options.ending = 1.2;  // by measured times: a body costs that much less there
  return cut_into_blocks(model, paths, options);
}

/// By groups of subtrees where that is asked for, or pays.
template <class Real>
HeavyPaths choose_paths(const ModelView<Real>& model, std::int32_t width,
                        const TreeOptions& options) {
  const std::vector<std::int32_t> parent = parents_of(model);
  if (options.group > 0) return HeavyPaths(parent, subtree_groups(parent, options.group));
  if (model.body_count < bodies_beyond_caches) return HeavyPaths(parent);
  HeavyPaths grouped(parent, subtree_groups(parent, largest_group));
  const BlockPlan plan = make_plan(model, grouped, width, options.block);
  const double lanes = double(plan.step_count()) * width;
  return model.body_count >= used_lanes * lanes ? std::move(grouped) : HeavyPaths(parent);
}

/// A task has at least so many steps: about as much work as it takes to hand it out.
constexpr std::int32_t steps_of_task = 32;

/// What a body takes on one thread, about: enough to judge whether waking others pays.
constexpr double ns_of_inverse_dynamics = 20, ns_of_forward_dynamics = 50, ns_of_columns = 40;

}  // namespace

template <class Real>
BlockDynamics<Real>::BlockDynamics(const ModelView<Real>& model, InstructionSet set, int threads,
                                   std::chrono::microseconds spin, const TreeOptions& options)
    : table_(options.lanes ? &block_table<Real>(set) : &lone_block_table<Real>(set)),
      team_(threads, spin) {
  const HeavyPaths paths = choose_paths(model, table_->width, options);
  plan_ = make_plan(model, paths, table_->width, options.block);
  can_go_forward_ = rbd_parallel_core::can_go_forward(model, paths, plan_);
  offsets_ = offsets_of(plan_);
  for (const BlockPlan::Level& level : plan_.levels()) {
    work_.push_back(work_of(level.first_pack, level.last_pack));
  }
  has_roots_ = levels_with_roots(model, plan_);
  for (const BlockPlan::Group& group : plan_.groups()) {
    Group own{group.first_level, group.last_level, {}};
    if (group.first_level < group.last_level) {
      own.all = work_of(work_[static_cast<std::size_t>(group.first_level)].packs.begin,
                        work_[static_cast<std::size_t>(group.last_level) - 1].packs.end);
    }
    groups_.push_back(own);
  }
  alone_ = threads == 1 || !is_worth_threads();
  context_ = {model, PlanView::of(plan_), offsets_.data(), nullptr, {}, groups_.size() > 2};
  take_memory();
  table_->prepare(context_);
}

template <class Real>
void BlockDynamics<Real>::take_memory() {
  const auto packs = static_cast<std::int32_t>(plan_.packs().size());
  context_.work = area_of(plan_, offsets_, 0, packs);
  shared_ = KernelMemory(table_->shared_bytes(context_));
  work_memory_ = KernelMemory(table_->work_bytes(context_.work));
  context_.shared = shared_.get();
  context_.work.memory = work_memory_.get();
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    const WorkArea area =
        area_of(plan_, offsets_, groups_[g].all.packs.begin, groups_[g].all.packs.end);
    largest_area_.packs = std::max(largest_area_.packs, area.packs);
    largest_area_.steps = std::max(largest_area_.steps, area.steps);
    largest_area_.size.q = std::max(largest_area_.size.q, area.size.q);
    largest_area_.size.v = std::max(largest_area_.size.v, area.size.v);
  }
  for (int thread = 0; thread < team_.threads(); ++thread) {
    scratch_.emplace_back(table_->scratch_bytes(context_));
    areas_.emplace_back(table_->work_bytes(largest_area_));
  }
}

template <class Real>
BlockContext<Real> BlockDynamics<Real>::context_of(const Group& group, int thread) const {
  BlockContext<Real> context = context_;
  context.work = area_of(plan_, offsets_, group.all.packs.begin, group.all.packs.end);
  context.work.memory = areas_[static_cast<std::size_t>(thread)].get();
  context.work.packs = largest_area_.packs;
  context.work.steps = largest_area_.steps;
  context.work.size = largest_area_.size;
  return context;
}

template <class Real>
auto BlockDynamics<Real>::work_of(std::int32_t first_pack, std::int32_t last_pack) const -> Work {
  Work work{{first_pack, last_pack}, {}};
  std::int32_t begin = first_pack, steps = 0;
  for (std::int32_t p = first_pack; p < last_pack; ++p) {
    steps += plan_.packs()[at(p)].length;
    if (steps < steps_of_task && p + 1 < last_pack) continue;
    work.tasks.push_back({begin, p + 1});
    begin = p + 1;
    steps = 0;
  }
  return work;
}

template <class Real>
bool BlockDynamics<Real>::pays() const noexcept {
  // In bodies by themselves, by measured times: a step of a pack of 8 takes as long as 2, one of 16
  // as 3; a seam of inverse dynamics 1 to 2, of forward dynamics 5.
  const double step = 1 + table_->width / 8.0, seam = 3;
  const auto seams = std::count_if(plan_.blocks().begin(), plan_.blocks().end(),
                                   [](const Block& block) { return !block.ends_path; });
  return context_.model.body_count >= step * plan_.step_count() + seam * static_cast<double>(seams);
}

/// Threads wait for each other at the end of every phase of a level, and fetch what another one has
/// computed: by measured times that costs more than it gains where levels have less to do.
template <class Real>
bool BlockDynamics<Real>::is_worth_threads() const {
  constexpr std::int32_t least_steps_of_level = 96;
  if (groups_.empty() || groups_.size() > 2) return !groups_.empty();
  const Group& near = groups_.front();
  std::int32_t steps = 0;
  for (std::int32_t p = near.all.packs.begin; p < near.all.packs.end; ++p) {
    steps += plan_.packs()[at(p)].length;
  }
  return steps > 0 && steps >= least_steps_of_level * (near.last_level - near.first_level);
}

template <class Real>
template <class Operation>
void BlockDynamics<Real>::call(double ns_per_body, const Operation& operation) {
  alone_now_ = alone_ || !team_.worth_calling(1e-3 * ns_per_body * context_.model.body_count);
  if (alone_now_) {
    const FloatModeScope scope(FloatMode::of_this_thread().flushing());  // as Team does
    operation();
  } else {
    team_.call(operation);
  }
}

/// One thread goes through the stretches of a level: what a phase leaves is in the cache for the
/// next one.
template <class Real>
class BlockDynamics<Real>::Alone {
 public:
  Alone(const BlockDynamics& own, const BlockContext<Real>& context, const TreeState<Real>& state,
        int thread)
      : own_(own), context_(context), state_(state), scratch_(own.scratch(thread)) {}

  /// `read` of a group whose levels are done later; they read what they need themselves.
  void read(Phase BlockTable<Real>::*, const Group&) const {}
  /// Outward through a level.
  void outward(Phase BlockTable<Real>::*read, Phase BlockTable<Real>::*seams,
               Phase BlockTable<Real>::*packs, std::size_t level) const {
    const BlockPlan::Level& own_level = own_.plan_.levels()[level];
    for (std::int32_t s = own_level.first_stretch; s < own_level.last_stretch; ++s) {
      const BlockPlan::Stretch& stretch = own_.plan_.stretches()[at(s)];
      if (read != nullptr) run(read, {stretch.first_pack, stretch.last_pack});
      if (own_.has_outward_seams(level)) run(seams, {stretch.first_block, stretch.last_block});
      run(packs, {stretch.first_pack, stretch.last_pack});
    }
  }
  /// Inward through a level. `again`: packs once more after the seams, where a path is cut.
  void inward(Phase BlockTable<Real>::*packs, Phase BlockTable<Real>::*seams,
              Phase BlockTable<Real>::*again, std::size_t level) const {
    const BlockPlan::Level& own_level = own_.plan_.levels()[level];
    for (std::int32_t s = own_level.last_stretch - 1; s >= own_level.first_stretch; --s) {
      const BlockPlan::Stretch& stretch = own_.plan_.stretches()[at(s)];
      run(packs, {stretch.first_pack, stretch.last_pack});
      if (!own_level.cut) continue;
      run(seams, {stretch.first_block, stretch.last_block});
      if (again != nullptr) run(again, {stretch.first_pack, stretch.last_pack});
    }
  }

 private:
  void run(Phase BlockTable<Real>::*phase, Range range) const {
    (own_.table_->*phase)(context_, state_, scratch_, range);
  }

  const BlockDynamics& own_;
  BlockContext<Real> context_;
  const TreeState<Real>& state_;
  std::byte* scratch_;
};

/// All threads share out the packs of a level.
template <class Real>
class BlockDynamics<Real>::Together {
 public:
  Together(BlockDynamics& own, const TreeState<Real>& state) : own_(own), state_(state) {}

  void read(Phase BlockTable<Real>::*read, const Group& group) const { run(read, group.all); }
  void outward(Phase BlockTable<Real>::*, Phase BlockTable<Real>::*seams,
               Phase BlockTable<Real>::*packs, std::size_t level) const {
    if (own_.has_outward_seams(level)) run_seams(seams, level);
    run(packs, own_.work_[level]);
  }
  void inward(Phase BlockTable<Real>::*packs, Phase BlockTable<Real>::*seams,
              Phase BlockTable<Real>::*again, std::size_t level) const {
    run(packs, own_.work_[level]);
    if (!own_.plan_.levels()[level].cut) return;
    run_seams(seams, level);
    if (again != nullptr) run(again, own_.work_[level]);
  }

 private:
  void run(Phase BlockTable<Real>::*phase, const Work& work) const {
    own_.team_.phase(static_cast<std::int32_t>(work.tasks.size()), [&](std::int32_t k, int thread) {
      (own_.table_->*phase)(own_.context_, state_, own_.scratch(thread), work.tasks[at(k)]);
    });
  }
  void run_seams(Phase BlockTable<Real>::*phase, std::size_t level) const {
    const BlockPlan::Level& own_level = own_.plan_.levels()[level];
    (own_.table_->*phase)(own_.context_, state_, nullptr,
                          {own_level.first_block, own_level.last_block});
  }

  BlockDynamics& own_;
  const TreeState<Real>& state_;
};

template <class Real>
template <class Visit>
void BlockDynamics<Real>::near_root(const TreeState<Real>& state, const Visit& visit) {
  if (groups_.empty()) return;
  if (alone_now_) {
    visit(Alone(*this, context_, state, 0), groups_.front());
  } else {
    visit(Together(*this, state), groups_.front());
  }
}

template <class Real>
template <class Visit>
void BlockDynamics<Real>::subtrees(const TreeState<Real>& state, bool keep, const Visit& visit) {
  const auto do_group = [&](std::int32_t k, int thread) {
    const Group& group = groups_[at(k) + 1];
    const BlockContext<Real> context = keep ? context_ : context_of(group, thread);
    visit(Alone(*this, context, state, thread), group);
  };
  const auto count = static_cast<std::int32_t>(groups_.size()) - 1;
  if (alone_now_) {
    for (std::int32_t k = 0; k < count; ++k) do_group(k, 0);
  } else {
    team_.phase(count, do_group);
  }
}

template <class Real>
void BlockDynamics<Real>::inverse_dynamics(const TreeState<Real>& state) noexcept {
  using Table = BlockTable<Real>;
  const auto outward = [](const auto& runner, const Group& group) {
    runner.read(&Table::read_state, group);
    for (std::int32_t l = group.first_level; l < group.last_level; ++l) {
      runner.outward(&Table::read_state, &Table::outward_seams, &Table::outward, at(l));
    }
  };
  const auto inward = [](const auto& runner, const Group& group) {
    for (std::int32_t l = group.last_level - 1; l >= group.first_level; --l) {
      runner.inward(&Table::inward, &Table::inward_seams, &Table::torques, at(l));
    }
  };
  call(ns_of_inverse_dynamics, [&] {
    near_root(state, outward);
    subtrees(state, false, [&](const auto& runner, const Group& group) {
      outward(runner, group);
      inward(runner, group);
    });
    near_root(state, inward);
  });
}

template <class Real>
void BlockDynamics<Real>::forward_dynamics(const TreeState<Real>& state) noexcept {
  using Table = BlockTable<Real>;
  const auto velocities = [](const auto& runner, const Group& group) {
    runner.read(&Table::read_forward, group);
    for (std::int32_t l = group.first_level; l < group.last_level; ++l) {
      runner.outward(&Table::read_forward, &Table::velocity_seams, &Table::velocities, at(l));
    }
  };
  const auto articulate = [](const auto& runner, const Group& group) {
    for (std::int32_t l = group.last_level - 1; l >= group.first_level; --l) {
      runner.inward(&Table::articulate, &Table::close_paths, nullptr, at(l));
    }
  };
  const auto accelerations = [](const auto& runner, const Group& group) {
    for (std::int32_t l = group.first_level; l < group.last_level; ++l) {
      runner.outward(nullptr, &Table::acceleration_seams, &Table::accelerations, at(l));
    }
  };
  call(ns_of_forward_dynamics, [&] {
    near_root(state, velocities);
    subtrees(state, true, [&](const auto& runner, const Group& group) {
      velocities(runner, group);
      articulate(runner, group);
    });
    near_root(state, articulate);
    near_root(state, accelerations);
    subtrees(state, true, accelerations);
  });
}

template <class Real>
void BlockDynamics<Real>::mass_matrix_columns(const Real* q,
                                              const TreeColumns<Real>& columns) noexcept {
  using Table = BlockTable<Real>;
  TreeState<Real> state{};
  state.q = q;
  state.columns = columns;
  const auto outward = [](const auto& runner, const Group& group) {
    runner.read(&Table::read_positions, group);
    for (std::int32_t l = group.first_level; l < group.last_level; ++l) {
      runner.outward(&Table::read_positions, &Table::frame_seams, &Table::axes, at(l));
    }
  };
  const auto inward = [](const auto& runner, const Group& group) {
    for (std::int32_t l = group.last_level - 1; l >= group.first_level; --l) {
      runner.inward(&Table::composites, &Table::composite_seams, &Table::forces, at(l));
    }
  };
  call(ns_of_columns, [&] {
    near_root(state, outward);
    subtrees(state, false, [&](const auto& runner, const Group& group) {
      outward(runner, group);
      inward(runner, group);
    });
    near_root(state, inward);
  });
}

template <class Real>
auto BlockDynamics<Real>::places() const -> std::vector<Place> {
  std::vector<Place> place(plan_.nodes().size());
  std::int32_t origin = -1;
  for (const Block& block : plan_.blocks()) {
    for (std::int32_t k = 0; k < block.length; ++k) {
      if (k % longest_run == 0) ++origin;
      place[at(plan_.nodes()[at(block.first + k)])] = {block.path, origin};
    }
  }
  return place;
}

template class BlockDynamics<double>;
template class BlockDynamics<float>;

}  // namespace rbd_parallel_core
