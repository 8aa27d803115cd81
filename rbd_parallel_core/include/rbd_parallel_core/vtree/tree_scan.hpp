// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <type_traits>

#include "rbd_parallel_core/vtree/executor.hpp"
#include "rbd_parallel_core/vtree/vtree.hpp"

/// Scans along all paths of a tree at once, after T. Lynghus, "Data Parallel Rigid Body Dynamics":
/// the data d_i of the nodes are laid out along the Euler tour, one ordinary scan runs over the
/// tour, and every node reads its result where it is entered or left (docs/vtree.md). Work O(n),
/// O(log n) rounds, whatever the shape of the tree.
///
/// All four need a group:
///   combine(combine(a, b), c) = combine(a, combine(b, c))
///   combine(neutral(), a) = combine(a, neutral()) = a
///   combine(a, inverse(a)) = combine(inverse(a), a) = neutral()
/// A genuine inverse is a must: what a branch has added is taken away again when the tour leaves
/// it. That rules out max and min, and the articulated-body recursion of ABA.
namespace rbd_parallel_core {

/// Vectors under addition; commutative.
template <class T>
struct Sum {
  RBD_INLINE T neutral() const {
    if constexpr (std::is_arithmetic_v<T>) return T(0);
    if constexpr (!std::is_arithmetic_v<T>) return T::zero();
  }
  RBD_INLINE T combine(const T& a, const T& b) const { return a + b; }
  RBD_INLINE T inverse(const T& a) const { return neutral() - a; }
};

/// The operation of a group as an executor takes it. It has a name, so that scans with it can be
/// compiled by themselves.
template <class Group>
struct Combine {
  Group group;
  template <class T>
  RBD_INLINE T operator()(const T& a, const T& b) const {
    return group.combine(a, b);
  }
};

/// The steps of the Euler tour, a T each: what is scanned.
template <class T>
struct WholeSteps {
  T* step;
  T* scratch;

  RBD_INLINE T load(std::int32_t k) const { return step[k]; }
  RBD_INLINE void store(std::int32_t k, const T& value) const { step[k] = value; }
  template <Executor Exec, class Group>
  void scan(const Exec& executor, std::int32_t count, const Group& group) const {
    executor.exclusive_scan(step, count, Combine<Group>{group}, group.neutral(), scratch);
  }
};

/// The same for sums of a T that is made of numbers S and nothing else. The first numbers of all
/// steps stand side by side, then the second ones and so on, and each of these planes is scanned by
/// itself.
template <class S, class T>
struct PlaneSteps {
  static_assert(sizeof(T) % sizeof(S) == 0 && std::is_trivially_copyable_v<T>);
  static constexpr std::int32_t planes = sizeof(T) / sizeof(S);
  using Numbers = std::array<S, sizeof(T) / sizeof(S)>;
  S* number;
  std::int32_t count;  ///< of steps
  S* scratch;

  RBD_INLINE T load(std::int32_t k) const {
    Numbers numbers;
    for (std::int32_t d = 0; d < planes; ++d) numbers[index(d)] = plane(d)[k];
    return std::bit_cast<T>(numbers);
  }
  RBD_INLINE void store(std::int32_t k, const T& value) const {
    const Numbers numbers = std::bit_cast<Numbers>(value);
    for (std::int32_t d = 0; d < planes; ++d) plane(d)[k] = numbers[index(d)];
  }
  template <Executor Exec>
  void scan(const Exec& executor, std::int32_t, const Sum<T>&) const {
    const auto plus = [] RBD_LAMBDA(const S& a, const S& b) { return a + b; };
    for (std::int32_t d = 0; d < planes; ++d) {
      executor.exclusive_scan(plane(d), count, plus, S(RealOf<S>(0)), scratch);
    }
  }

 private:
  static RBD_INLINE std::size_t index(std::int32_t d) { return static_cast<std::size_t>(d); }
  RBD_INLINE S* plane(std::int32_t d) const {
    return number + static_cast<std::ptrdiff_t>(d) * count;
  }
};

/// Lays d_i where node i is entered, and at_leave(d_i) where it is left; a virtual root is neutral.
template <Executor Exec, class Group, class Steps, class Data, class AtLeave>
void lay_along_tour(const Exec& executor, const VTreeView& tree, const Group& group,
                    const Steps& steps, const Data& d, const AtLeave& at_leave) {
  executor.map(
      tree.node_count,
      [=] RBD_LAMBDA(std::int32_t i) {
        const auto value = i < tree.size ? d(i) : group.neutral();
        steps.store(tree.lp[i], value);
        steps.store(tree.rp[i], at_leave(value));
      },
      1);
}

/// The scan along the tour in which what was entered is taken away on leaving: before step k, what
/// is open there, from the root down.
template <Executor Exec, class Group, class Steps, class Data>
void scan_what_is_open(const Exec& executor, const VTreeView& tree, const Group& group,
                       const Steps& steps, const Data& d) {
  lay_along_tour(executor, tree, group, steps, d,
                 [=] RBD_LAMBDA(const auto& value) { return group.inverse(value); });
  steps.scan(executor, tree.step_count(), group);
}

/// The scan in which nothing is taken away: before step k, all that was entered so far.
template <Executor Exec, class Group, class Steps, class Data>
void scan_what_was_entered(const Exec& executor, const VTreeView& tree, const Group& group,
                           const Steps& steps, const Data& d) {
  lay_along_tour(executor, tree, group, steps, d,
                 [=] RBD_LAMBDA(const auto&) { return group.neutral(); });
  steps.scan(executor, tree.step_count(), group);
}

/// use(i, r): r combines the data of the proper ancestors of i, the root's first.
/// d(i): the data of node i. steps: memory for step_count() of them. depth = rootfix of ones.
template <Executor Exec, class Group, class Steps, class Data, class Use>
void rootfix(const Exec& executor, const VTreeView& tree, const Group& group, const Steps& steps,
             const Data& d, const Use& use) {
  scan_what_is_open(executor, tree, group, steps, d);
  gather(
      executor, tree.size, tree.lp, [=] RBD_LAMBDA(std::int32_t k) { return steps.load(k); }, use);
}

/// The same with i itself as the last: r_i = combine(rootfix_i, d_i).
template <Executor Exec, class Group, class Steps, class Data, class Use>
void irootfix(const Exec& executor, const VTreeView& tree, const Group& group, const Steps& steps,
              const Data& d, const Use& use) {
  scan_what_is_open(executor, tree, group, steps, d);
  gather(
      executor, tree.size, tree.lp, [=] RBD_LAMBDA(std::int32_t k) { return steps.load(k + 1); },
      use);
}

/// use(i, r): r combines the data of the subtree of i, i first and the others in the order in which
/// the tour enters them. The result is independent of that order if the group is commutative.
/// subtree size = ileaffix of ones.
template <Executor Exec, class Group, class Steps, class Data, class Use>
void ileaffix(const Exec& executor, const VTreeView& tree, const Group& group, const Steps& steps,
              const Data& d, const Use& use) {
  scan_what_was_entered(executor, tree, group, steps, d);
  executor.map(
      tree.size,
      [=] RBD_LAMBDA(std::int32_t i) {
        use(i, group.combine(group.inverse(steps.load(tree.lp[i])), steps.load(tree.rp[i])));
      },
      1);
}

/// The same without i itself.
template <Executor Exec, class Group, class Steps, class Data, class Use>
void leaffix(const Exec& executor, const VTreeView& tree, const Group& group, const Steps& steps,
             const Data& d, const Use& use) {
  scan_what_was_entered(executor, tree, group, steps, d);
  executor.map(
      tree.size,
      [=] RBD_LAMBDA(std::int32_t i) {
        use(i, group.combine(group.inverse(steps.load(tree.lp[i] + 1)), steps.load(tree.rp[i])));
      },
      1);
}

/// Memory that the steps of one scan after the other are laid into, provided by the owner.
template <class S>
struct TourMemory {
  S* numbers;          ///< widest T x step count
  S* scratch;          ///< widest T x Executor::scan_scratch(step count)
  std::int32_t count;  ///< of steps

  /// The steps for scans of T by that executor and group.
  template <class T, Executor Exec, class Group>
  RBD_INLINE auto steps(const Exec&, const Group&) const {
    if constexpr (Exec::mapped_sums && std::is_same_v<Group, Sum<T>>) {
      return PlaneSteps<S, T>{numbers, count, scratch};
    } else {
      static_assert(sizeof(T) % sizeof(S) == 0);
      return WholeSteps<T>{reinterpret_cast<T*>(numbers), reinterpret_cast<T*>(scratch)};
    }
  }
};

}  // namespace rbd_parallel_core
