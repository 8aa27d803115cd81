// SPDX-License-Identifier: Apache-2.0
#include "block_cut.hpp"

#include <algorithm>
#include <limits>

namespace rbd_parallel_core {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The smallest inertia that the joint of a body sees of that body alone: the least pivot of
/// S^T I S. Zero where it can hardly tell the joint's coordinates apart, as a point mass far from
/// the axes of a spherical joint.
template <class Real>
Real own_inertia(const ModelView<Real>& model, std::int32_t i) {
  constexpr auto independent = Real(1e-3);  // of the diagonal: three digits are lost
  const BodyView<Real>& body = model.body[i];
  Real H[6][6] = {}, diagonal[6] = {};
  const int n = nv_of(body.type);
  visit_joint<Real>(body, [&](const auto& joint) {
    for_each_column(joint, [&](int k, const auto& column) {
      const Force<Real> f = column.times(body.inertia);
      for_each_column(joint, [&](int j, const auto& other) { H[j][k] = other.dot(f); });
      diagonal[k] = H[k][k] += model.armature[body.v_index + k];
    });
  });
  Real smallest = std::numeric_limits<Real>::infinity();
  for (int k = 0; k < n; ++k) {
    const Real pivot = H[k][k];
    if (!(pivot > independent * diagonal[k])) return Real(0);
    smallest = std::min(smallest, pivot);
    for (int row = k + 1; row < n; ++row) {
      for (int column = k + 1; column < n; ++column) {
        H[row][column] -= H[row][k] * H[k][column] / pivot;
      }
    }
  }
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

bool ends_heavy(const BlockPlan& plan, std::span<const std::uint8_t> heavy) {
  return std::all_of(plan.blocks().begin(), plan.blocks().end(), [&](const Block& block) {
    const auto last = at(block.first + block.length - 1);
    return block.ends_path || heavy[static_cast<std::size_t>(plan.nodes()[last])] != 0;
  });
}

}  // namespace

template <class Real>
BlockPlan cut_into_blocks(const ModelView<Real>& model, const HeavyPaths& paths,
                          BlockPlan::Options options) {
  const std::vector<std::uint8_t> heavy = heavy_bodies(model, paths, Real(heavy_share));
  std::vector<std::uint8_t> kind;
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const JointType type = model.body[i].type;
    kind.push_back(static_cast<std::uint8_t>(type));
    // Joints of one coordinate have an empty step.
    if (nv_of(type) == 1) options.fill |= 1U << static_cast<unsigned>(type);
  }
  return BlockPlan(paths, kind, heavy, options);
}

template <class Real>
bool can_go_forward(const ModelView<Real>& model, const HeavyPaths& paths, const BlockPlan& plan) {
  return ends_heavy(plan, heavy_bodies(model, paths, Real(light_share)));
}

template <class Real>
std::vector<std::uint8_t> levels_with_roots(const ModelView<Real>& model, const BlockPlan& plan) {
  std::vector<std::uint8_t> has_roots;
  for (const BlockPlan::Level& level : plan.levels()) {
    const std::span<const Block> blocks =
        plan.blocks().subspan(static_cast<std::size_t>(level.first_block),
                              static_cast<std::size_t>(level.last_block - level.first_block));
    has_roots.push_back(std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
      return model.body[plan.nodes()[static_cast<std::size_t>(block.first)]].parent < 0;
    }));
  }
  return has_roots;
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

WorkArea area_of(const BlockPlan& plan, const std::vector<PackOffsets>& offsets,
                 std::int32_t first_pack, std::int32_t last_pack) {
  const auto step = [&](std::int32_t p) {
    const auto packs = plan.packs();
    return at(p) < packs.size() ? packs[at(p)].first_step : plan.step_count();
  };
  const PackOffsets &first = offsets[at(first_pack)], &last = offsets[at(last_pack)];
  return {nullptr,
          first_pack,
          step(first_pack),
          first,
          last_pack - first_pack,
          step(last_pack) - step(first_pack),
          {last.q - first.q, last.v - first.v}};
}

#define RBD_CUTS_OF(Real)                                                                    \
  template BlockPlan cut_into_blocks(const ModelView<Real>&, const HeavyPaths&,              \
                                     BlockPlan::Options);                                    \
  template bool can_go_forward(const ModelView<Real>&, const HeavyPaths&, const BlockPlan&); \
  template std::vector<std::uint8_t> levels_with_roots(const ModelView<Real>&, const BlockPlan&)
RBD_CUTS_OF(double);
RBD_CUTS_OF(float);
#undef RBD_CUTS_OF

}  // namespace rbd_parallel_core
