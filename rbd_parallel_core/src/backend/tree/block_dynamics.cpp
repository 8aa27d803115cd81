// SPDX-License-Identifier: Apache-2.0
#include "block_dynamics.hpp"

#include <algorithm>
#include <limits>

namespace rbd_parallel_core {
namespace {

/// The smallest inertia that the joint of a body sees of that body alone.
template <class Real>
Real own_inertia(const ModelView<Real>& model, std::int32_t i) {
  const BodyView<Real>& body = model.body[i];
  Real smallest = std::numeric_limits<Real>::infinity();
  visit_joint<Real>(body, [&](const auto& joint) {
    for_each_column(joint, [&](int k, const auto& column) {
      smallest = std::min(
          smallest, column.dot(column.times(body.inertia)) + model.armature[body.v_index + k]);
    });
  });
  return smallest;
}

/// Bodies that may end a block of forward dynamics. The block divides by what its last joint sees
/// of its last body alone, where the sequential algorithm divides by what it sees of all beyond: a
/// massless link there would cost all digits. So it must not be lighter than `share` of what its
/// neighbours on the path, of the same joint type, have.
template <class Real>
std::vector<std::uint8_t> heavy_bodies(const ModelView<Real>& model, const HeavyPaths& paths,
                                       Real share) {
  constexpr std::int32_t neighbours = 8;
  std::vector<std::uint8_t> heavy(static_cast<std::size_t>(model.body_count), 0);
  for (std::int32_t path = 0; path < paths.count(); ++path) {
    const std::span<const std::int32_t> nodes = paths.nodes(path);
    const auto n = static_cast<std::int32_t>(nodes.size());
    std::vector<Real> inertia;
    for (const std::int32_t i : nodes) inertia.push_back(own_inertia(model, i));
    for (std::int32_t k = 0; k < n; ++k) {
      const auto at = [](std::int32_t j) { return static_cast<std::size_t>(j); };
      Real largest = 0;
      for (std::int32_t j = std::max(0, k - neighbours); j <= std::min(n - 1, k + neighbours);
           ++j) {
        const bool alike = model.body[nodes[at(j)]].type == model.body[nodes[at(k)]].type;
        if (alike) largest = std::max(largest, inertia[at(j)]);
      }
      heavy[at(nodes[at(k)])] = inertia[at(k)] > 0 && inertia[at(k)] >= share * largest;
    }
  }
  return heavy;
}

/// Blocks are cut where a body is as heavy as this, so that a seam costs no digit.
constexpr double heavy_share = 0.1;
/// Where the kind of joint changes they must be cut: a body lighter than this costs too many.
constexpr double light_share = 0.02;

template <class Real>
HeavyPaths heavy_paths_of(const ModelView<Real>& model) {
  std::vector<std::int32_t> parent;
  for (std::int32_t i = 0; i < model.body_count; ++i) parent.push_back(model.body[i].parent);
  return HeavyPaths(parent);
}

/// Blocks short enough that the numbers of a pack stay in the near caches and that two threads find
/// work in a small tree; long enough that seams cost little.
template <class Real>
BlockPlan make_plan(const ModelView<Real>& model, const HeavyPaths& paths,
                    std::span<const std::uint8_t> heavy, std::int32_t width, std::int32_t longest) {
  std::vector<std::uint8_t> kind;
  BlockPlan::Options options{.width = width, .longest = 256, .registers = 2, .shortest = 12};
  if (longest > 0) options = {.width = width, .longest = longest};
  if (width == 1) options.ending = 2;  // by measured times a body of another block takes 1.8 of its
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const JointType type = model.body[i].type;
    kind.push_back(static_cast<std::uint8_t>(type));
    // Joints of one coordinate have an empty step.
    if (nv_of(type) == 1) options.fill |= 1U << static_cast<unsigned>(type);
  }
  return BlockPlan(paths, kind, heavy, options);
}

bool ends_heavy(const BlockPlan& plan, std::span<const std::uint8_t> heavy) {
  return std::all_of(plan.blocks().begin(), plan.blocks().end(), [&](const Block& block) {
    const auto last = static_cast<std::size_t>(block.first + block.length - 1);
    return block.ends_path || heavy[static_cast<std::size_t>(plan.nodes()[last])] != 0;
  });
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
                                   const TreeOptions& options)
    : table_(options.lanes ? &block_table<Real>(set) : &lone_block_table<Real>(set)),
      heavy_(heavy_bodies(model, heavy_paths_of(model), Real(heavy_share))),
      plan_(make_plan(model, heavy_paths_of(model), heavy_, table_->width, options.block)),
      can_go_forward_(
          ends_heavy(plan_, heavy_bodies(model, heavy_paths_of(model), Real(light_share)))),
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

template <class Real>
void BlockDynamics<Real>::forward_dynamics(const TreeState<Real>& state) noexcept {
  using Table = BlockTable<Real>;
  team_.call([&] {
    const auto levels = plan_.levels();
    run(&Table::read_forward, state, all_);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (l == 0 || levels[l].cut) run_seams(&Table::velocity_seams, state, levels[l]);
      run(&Table::velocities, state, tasks_[l]);
    }
    for (std::size_t l = levels.size(); l-- > 0;) {
      run(&Table::articulate, state, tasks_[l]);
      if (levels[l].cut) run_seams(&Table::close_paths, state, levels[l]);
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (l == 0 || levels[l].cut) run_seams(&Table::acceleration_seams, state, levels[l]);
      run(&Table::accelerations, state, tasks_[l]);
    }
  });
}

template class BlockDynamics<double>;
template class BlockDynamics<float>;

}  // namespace rbd_parallel_core
