// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "groups.hpp"
#include "kernel_table.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"
#include "scratch.hpp"

/// What all kernels on the states of a batch share: how they walk over it, read what came, judge
/// and report how each state went.
namespace rbd_parallel_core {

RBD_INLINE std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

/// So far from overflow that no product of a few such numbers comes near it; the numbers of a Model
/// are such.
template <class Real>
inline constexpr Real moderate_limit = sizeof(Real) == 4 ? Real(1e12) : Real(1e100);

/// Calls visit(group) for all groups of the range.
template <class S, class Visit>
RBD_INLINE void for_each_group(StateRange range, Layout layout, const Visit& visit) {
  constexpr std::size_t width = ScalarTraits<S>::width;
  for (std::size_t s = range.begin; s < range.end; s += width) {
    const std::size_t left = range.end - s;
    visit(Group<S>{s, left < width ? left : width, layout});
  }
  if constexpr (width > 1) ScalarTraits<S>::finish_stores_past_cache();
}

template <class S>
RBD_INLINE S taint(const Row<S>& row, std::size_t n) {
  return taint_if_not_finite(row, static_cast<std::int32_t>(n), S(RealOf<S>(0)));
}
template <class S>
RBD_INLINE S taint(const OutRow<S>& row, std::size_t n) {
  return taint(Row<S>{row.data}, n);
}
template <class S>
RBD_INLINE S taint(const Zeros<S>&, std::size_t) {
  return S(RealOf<S>(0));
}

/// How each state of a group went.
template <class S>
struct Outcome {
  using T = ScalarTraits<S>;

  S taint;     ///< NaN where the state is not finite, else zero
  S singular;  ///< 1 + the singular coordinate, or zero

  RBD_INLINE typename T::Mask good() const {
    return T::less_equal(taint + singular, S(RealOf<S>(0)));
  }

  /// Writes the status of each state.
  RBD_INLINE void report(const Group<S>& group, std::span<StateStatus> status) const {
    if (status.empty()) return;
    if (T::all(good())) [[likely]] {
      for (std::size_t l = 0; l < group.count; ++l) status.data()[group.first + l] = {};
      return;
    }
    RealOf<S> taints[T::width], dofs[T::width];
    T::store(taints, taint);
    T::store(dofs, singular);
    for (std::size_t l = 0; l < group.count; ++l) {
      status.data()[group.first + l] = status_of(taints[l], dofs[l]);
    }
  }
};

template <class S>
RBD_INLINE Outcome<S> outcome(const S& taint) {
  return {taint, S(RealOf<S>(0))};
}

/// Brings the n results in `lanes` to where they belong, and reports how the states went.
template <class S>
RBD_INLINE void finish(const Group<S>& group, const Outcome<S>& outcome,
                       std::span<RealOf<S>> results, std::size_t n, const RealOf<S>* lanes,
                       std::span<StateStatus> status) {
  group.write(results, n, lanes);
  group.spoil_unless(outcome.good(), results, n);
  outcome.report(group, status);
}

/// Room for a wrench of each lane: rows are gathered in whole blocks.
template <class S>
inline constexpr std::size_t widest_row = ScalarTraits<S>::width > 6 ? ScalarTraits<S>::width : 6;

template <class S>
RBD_INLINE S taint_of_wrenches(const Group<S>& group,
                               const BasicExternalWrenches<RealOf<S>>& f_ext) {
  const std::size_t n = 6 * f_ext.links.size();
  S sum(RealOf<S>(0));
  RealOf<S> lanes[widest_row<S> * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < n; k += 6) {
    sum = sum + taint(group.read(f_ext.wrenches, n, k, 6, lanes), 6);
  }
  return sum;
}

template <class S>
RBD_INLINE PossibleForces<S, Column> no_forces(const Workspace<S>& workspace) {
  return {workspace.f_ext, false};
}

/// The forces that the wrenches put on the bodies.
template <class S>
RBD_INLINE PossibleForces<S, Column> forces_on_bodies(const ModelView<RealOf<S>>& model,
                                                      const Workspace<S>& workspace,
                                                      const Group<S>& group,
                                                      const BasicExternalWrenches<RealOf<S>>& f_ext,
                                                      const Row<S>& q) {
  if (f_ext.links.empty()) return no_forces(workspace);
  const bool in_world_axes = f_ext.axes == Axes::world;
  if (in_world_axes) forward_kinematics(model, workspace.kinematics, q);
  clear_external_forces(model, workspace.f_ext);
  const std::size_t n = 6 * f_ext.links.size();
  RealOf<S> lanes[widest_row<S> * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < f_ext.links.size(); ++k) {
    add_external_force(model, workspace.kinematics, f_ext.links[k],
                       group.read(f_ext.wrenches, n, 6 * k, 6, lanes), in_world_axes,
                       workspace.f_ext);
  }
  return {workspace.f_ext, true};
}

/// Reads n numbers a state, zeros where the array is not given.
template <class S>
RBD_INLINE Row<S> read_or_zeros(const Group<S>& group, std::span<const RealOf<S>> array,
                                std::size_t n, RealOf<S>* buffer, const Scratch<S>& scratch) {
  if (array.empty()) return {reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
  return group.read(array, n, buffer);
}

}  // namespace rbd_parallel_core
