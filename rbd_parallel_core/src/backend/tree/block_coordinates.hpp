// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"
#include "pack_robot.hpp"

/// Between the arrays of a state and the lanes of a pack.
namespace rbd_parallel_core {

/// Brings n coordinates of each lane to where the lanes of a pack lie. Returns NaN if one is not
/// finite.
template <class S>
RBD_INLINE S gather_coordinates(const RealOf<S>* numbers, const std::int32_t* index, std::int32_t n,
                                S* out) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  S taint(Real(0));
  for (std::int32_t k = 0; k < n; ++k) {
    Real lanes[width];
    for (std::size_t l = 0; l < width; ++l) {
      lanes[l] = numbers[index[static_cast<std::size_t>(k) * width + l]];
    }
    out[k] = ScalarTraits<S>::load(lanes);
    taint = mul_add(S(Real(0)), out[k], taint);
  }
  return taint;
}

/// The same for rates, zeros where `numbers` is null.
template <class S>
RBD_INLINE S gather_rates(const RealOf<S>* numbers, const PackRobot<S>& robot, S* out) {
  using Real = RealOf<S>;
  constexpr auto width = static_cast<std::int64_t>(ScalarTraits<S>::width);
  const std::int32_t n = robot.model.nv;
  if (numbers != nullptr) {
    return gather_coordinates<S>(numbers, robot.shared.v_index + robot.at.v * width, n, out);
  }
  for (std::int32_t k = 0; k < n; ++k) out[k] = S(Real(0));
  return S(Real(0));
}

/// Has the bodies of the next pack brought into the cache, where packs are short: their numbers lie
/// so far apart that the machine does not foresee it.
template <class S>
RBD_INLINE void prefetch_next(const BlockContext<RealOf<S>>& context, const PackRobot<S>& robot,
                              std::int32_t p) {
  constexpr std::int32_t longest = 8;
  if (!context.large || p + 1 >= context.plan.pack_count) return;
  const BlockPack& next = context.plan.packs[p + 1];
  if (next.length > longest) return;
  const auto* bodies = reinterpret_cast<const std::byte*>(robot.shared.body + next.first_step);
  const std::size_t bytes = static_cast<std::size_t>(next.length) * sizeof(BodyView<S>);
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(bodies + at, 0, 2);
}

/// Brings the positions of a pack to its lanes, with sines and cosines. Returns as
/// gather_coordinates.
template <class S>
RBD_INLINE S read_positions_of(const PackRobot<S>& robot, const RealOf<S>* q) {
  constexpr auto width = static_cast<std::int64_t>(ScalarTraits<S>::width);
  const std::int32_t* index = robot.shared.q_index + robot.at.q * width;
  const S taint = gather_coordinates<S>(q, index, robot.model.nq, robot.q().data);
  compute_turns(robot.model, robot.ws.turns, PackRow<S>{robot.q().data});
  return taint;
}

/// f -= f_ext for the bodies of a pack.
template <class S>
RBD_INLINE void subtract_external_forces(const PackRobot<S>& robot, const Force<RealOf<S>>* f_ext) {
  constexpr auto width = static_cast<std::int32_t>(ScalarTraits<S>::width);
  for (std::int32_t k = 0; k < robot.model.body_count; ++k) {
    for (std::int32_t l = 0; l < robot.pack.blocks; ++l) {
      const std::int32_t i = robot.shared.body_index[(robot.pack.first_step + k) * width + l];
      if (i >= 0) add_to_lane(robot.ws.f.data[k], l, RealOf<S>(-1) * f_ext[i]);
    }
  }
}

/// Brings the results of a pack to where they belong, and looks whether they are finite.
template <class S>
RBD_INLINE void write_results(const PackRobot<S>& robot, const OutRow<S>& results, RealOf<S>* out,
                              std::int32_t p) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  S taint = robot.shared.taint[p];
  const std::int32_t* index =
      robot.shared.tau_index + robot.at.v * static_cast<std::int64_t>(width);
  for (std::int32_t k = 0; k < robot.model.nv; ++k) {
    taint = mul_add(S(Real(0)), results.load(k), taint);
    for (std::size_t l = 0; l < width; ++l) {
      const std::int32_t at = index[static_cast<std::size_t>(k) * width + l];
      if (at >= 0) out[at] = results.data[static_cast<std::size_t>(k) * width + l];
    }
  }
  robot.shared.taint[p] = taint;
}

RBD_INLINE bool begins_path(const PlanView& plan, std::int32_t b) {
  return b == 0 || plan.blocks[b - 1].ends_path;
}

}  // namespace rbd_parallel_core
