// SPDX-License-Identifier: Apache-2.0
//
// The four tree scans against plain recursions from parent to child and back, by every executor.
// The group of these tests is not commutative and exact, so that results must be equal, not close.

#include "rbd_parallel_core/vtree/tree_scan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "rbd_parallel_core/spatial/motion_force.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"
#include "vtree/trees.hpp"

namespace rbd_parallel_core {
namespace {

using trees::at;
using trees::Parents;
using trees::size_of;
using trees::Tree;

/// x -> a x + b, modulo a prime, a != 0.
struct Affine {
  std::uint64_t a, b;
  friend bool operator==(const Affine&, const Affine&) = default;
};

/// First the one, then the other: associative, exact, and in general not commutative.
struct AffineGroup {
  static constexpr std::uint64_t prime = 1000003;
  Affine neutral() const { return {1, 0}; }
  Affine combine(const Affine& first, const Affine& second) const {
    return {second.a * first.a % prime, (second.a * first.b + second.b) % prime};
  }
  Affine inverse(const Affine& x) const {
    std::uint64_t inverse_a = 1, power = x.a;  // a^(prime - 2), after Fermat
    for (std::uint64_t e = prime - 2; e > 0; e /= 2) {
      if (e % 2 == 1) inverse_a = inverse_a * power % prime;
      power = power * power % prime;
    }
    return {inverse_a, (prime - inverse_a * x.b % prime) % prime};
  }
};

TEST(AffineGroup, IsAGroupThatDoesNotCommute) {
  const AffineGroup group;
  const Affine x{12345, 678}, y{999999, 31}, z{2, 1000002};
  EXPECT_EQ(group.combine(group.combine(x, y), z), group.combine(x, group.combine(y, z)));
  EXPECT_EQ(group.combine(x, group.inverse(x)), group.neutral());
  EXPECT_EQ(group.combine(group.inverse(y), y), group.neutral());
  EXPECT_NE(group.combine(x, y), group.combine(y, x));
}

/// The data of node i, and what recursions make of them.
struct Expected {
  std::vector<Affine> data, rootfix, irootfix;
  std::vector<std::uint64_t> leaffix, ileaffix;  // sums of data.b, which commute
};

Expected expected_of(const Parents& parents) {
  Expected e;
  const AffineGroup group;
  for (std::uint64_t i = 0; i < parents.size(); ++i) {
    e.data.push_back({1 + i * 7919 % (AffineGroup::prime - 1), i * 104729 % AffineGroup::prime});
  }
  e.rootfix = e.irootfix = e.data;
  const Parents order = trees::outward(parents);
  for (const std::int32_t i : order) {
    const std::int32_t p = parents[at(i)];
    e.rootfix[at(i)] = p < 0 ? group.neutral() : e.irootfix[at(p)];
    e.irootfix[at(i)] = group.combine(e.rootfix[at(i)], e.data[at(i)]);
  }
  e.leaffix.assign(parents.size(), 0);
  e.ileaffix.assign(parents.size(), 0);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    e.ileaffix[at(*i)] = e.leaffix[at(*i)] + e.data[at(*i)].b;
    if (parents[at(*i)] >= 0) e.leaffix[at(parents[at(*i)])] += e.ileaffix[at(*i)];
  }
  return e;
}

/// Steps and scratch of a T for one tree and executor.
template <class T>
struct Memory {
  std::vector<T> step, scratch;
  template <class Exec>
  Memory(const Exec& executor, const VTree& tree)
      : step(at(tree.view().step_count())),
        scratch(at(executor.scan_scratch(tree.view().step_count()))) {}
  WholeSteps<T> steps() { return {step.data(), scratch.data()}; }
};

/// Runs fix(executor, tree, group, steps, data, use) and returns what it found for each node.
template <class T, Executor Exec, class Group, class Data, class Fix>
std::vector<T> results(const Exec& executor, const VTree& tree, const Group& group,
                       const Data& data, const Fix& fix) {
  Memory<T> memory(executor, tree);
  std::vector<T> found(at(tree.size()));
  fix(executor, tree.view(), group, memory.steps(), data,
      [&](std::int32_t i, const T& value) { found[at(i)] = value; });
  return found;
}

constexpr auto by_rootfix = [](const auto&... args) { rootfix(args...); };
constexpr auto by_irootfix = [](const auto&... args) { irootfix(args...); };
constexpr auto by_leaffix = [](const auto&... args) { leaffix(args...); };
constexpr auto by_ileaffix = [](const auto&... args) { ileaffix(args...); };

template <Executor Exec>
void expect_all_fixes(const Exec& executor, const VTree& tree, const Expected& e) {
  const AffineGroup group;
  const Sum<std::uint64_t> sum;
  const auto data = [&](std::int32_t i) { return e.data[at(i)]; };
  const auto number = [&](std::int32_t i) { return e.data[at(i)].b; };
  EXPECT_EQ(results<Affine>(executor, tree, group, data, by_rootfix), e.rootfix);
  EXPECT_EQ(results<Affine>(executor, tree, group, data, by_irootfix), e.irootfix);
  EXPECT_EQ(results<std::uint64_t>(executor, tree, sum, number, by_leaffix), e.leaffix);
  EXPECT_EQ(results<std::uint64_t>(executor, tree, sum, number, by_ileaffix), e.ileaffix);
}

class Fixes : public testing::TestWithParam<Tree> {};
INSTANTIATE_TEST_SUITE_P(Small, Fixes, testing::ValuesIn(trees::shapes(300)),
                         [](const auto& tree) { return tree.param.name; });

TEST_P(Fixes, AreTheRecursions) {
  const VTree tree(GetParam().parents);
  const Expected e = expected_of(GetParam().parents);
  expect_all_fixes(SequentialExecutor{}, tree, e);
  expect_all_fixes(BlellochExecutor<SerialLoop>{}, tree, e);
  expect_all_fixes(BlellochExecutor(ThreadedLoop(2)), tree, e);
  for (const std::int32_t block : {1, 2, 13, 64, 100000, 0}) {
    expect_all_fixes(BlockedExecutor<SerialLoop>({}, block), tree, e);
    for (const int threads : {1, 2, 3}) {
      expect_all_fixes(BlockedExecutor(ThreadedLoop(threads), block), tree, e);
    }
  }
}

/// depth = rootfix of ones, subtree size = ileaffix of ones.
TEST_P(Fixes, OfOnesAreDepthAndSize) {
  const VTree tree(GetParam().parents);
  const SequentialExecutor executor;
  const auto one = [](std::int32_t) { return 1; };
  EXPECT_EQ(results<std::int32_t>(executor, tree, Sum<std::int32_t>{}, one, by_rootfix),
            tree.depths());
  const auto sizes = results<std::int32_t>(executor, tree, Sum<std::int32_t>{}, one, by_ileaffix);
  for (std::int32_t i = 0; i < tree.size(); ++i) EXPECT_EQ(sizes[at(i)], tree.subtree_size(i));
}

/// Without commutativity, ileaffix combines a subtree in the order of the tour.
TEST_P(Fixes, LeaffixKeepsTheOrderOfTheTour) {
  const VTree tree(GetParam().parents);
  const Expected e = expected_of(GetParam().parents);
  const AffineGroup group;
  std::vector<std::int32_t> entered(at(tree.size()));
  std::iota(entered.begin(), entered.end(), 0);
  std::sort(entered.begin(), entered.end(),
            [&](std::int32_t i, std::int32_t j) { return tree.lp()[at(i)] < tree.lp()[at(j)]; });
  const auto found = results<Affine>(
      SequentialExecutor{}, tree, group, [&](std::int32_t i) { return e.data[at(i)]; },
      by_ileaffix);
  for (std::size_t k = 0; k < entered.size(); ++k) {
    Affine product = group.neutral();
    for (std::int32_t s = 0; s < tree.subtree_size(entered[k]); ++s) {
      product = group.combine(product, e.data[at(entered[k + at(s)])]);
    }
    EXPECT_EQ(found[at(entered[k])], product);
  }
}

TEST(Fixes, NoNodeAndOneNode) {
  for (const Parents& parents : {Parents(), Parents{-1}}) {
    const VTree tree(parents);
    const Expected e = expected_of(parents);
    expect_all_fixes(SequentialExecutor{}, tree, e);
    expect_all_fixes(BlockedExecutor(ThreadedLoop(2)), tree, e);
    expect_all_fixes(BlockedExecutor(ThreadedLoop(2), 1), tree, e);
    expect_all_fixes(BlellochExecutor(ThreadedLoop(2)), tree, e);
  }
}

TEST(Fixes, OfAMillionNodes) {
  for (const Tree& shape : trees::shapes(1000000)) {
    if (shape.name != "chain" && shape.name != "shuffled_forest") continue;
    SCOPED_TRACE(shape.name);
    const VTree tree(shape.parents);
    const Expected e = expected_of(shape.parents);
    expect_all_fixes(BlockedExecutor(ThreadedLoop(2)), tree, e);
    if (shape.name == "chain") expect_all_fixes(BlellochExecutor(ThreadedLoop(2)), tree, e);
  }
}

Motion<double> motion_of(std::int32_t i) {
  const double x = i;
  return {{0.1 * x, 1 / (x + 1), 0.3}, {1e3 - x, 0.7 * x, 1e-3 * x * x}};
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Rounding included: blocks are cut by the number of steps, not by that of threads.
TEST(Fixes, BitsDoNotDependOnThreads) {
  const VTree tree(trees::shuffled(trees::random_tree(20000, 50, 3, 9), 4));
  const Sum<Motion<double>> sum;
  const auto by = [&](const auto& executor) {
    return results<Motion<double>>(executor, tree, sum, motion_of, by_ileaffix);
  };
  for (const std::int32_t block : {100, 0}) {
    const auto one = by(BlockedExecutor<SerialLoop>({}, block));
    for (const int threads : {1, 2, 3, 4}) {
      EXPECT_TRUE(same_bits(one, by(BlockedExecutor(ThreadedLoop(threads), block))));
    }
  }
  EXPECT_TRUE(same_bits(by(BlellochExecutor<SerialLoop>{}), by(BlellochExecutor(ThreadedLoop(2)))));
  EXPECT_FALSE(same_bits(by(SequentialExecutor{}), by(BlockedExecutor<SerialLoop>({}, 100))))
      << "the data of this test round so little that it shows nothing";
}

/// One scan for each number of a vector adds the same numbers in the same order.
TEST(Fixes, MappedSumsGiveTheSameBits) {
  const VTree tree(trees::shuffled(trees::random_tree(3000, 50, 3, 9), 4));
  const Sum<Motion<double>> sum;
  const auto compare = [&](const auto& executor) {
    const MappedSums mapped(executor);
    std::vector<double> numbers(at(6 * tree.view().step_count()));
    std::vector<double> scratch(at(6 * executor.scan_scratch(tree.view().step_count())));
    const TourMemory<double> memory{numbers.data(), scratch.data(), tree.view().step_count()};
    const auto steps = memory.steps<Motion<double>>(mapped, sum);
    static_assert(std::is_same_v<decltype(steps), const PlaneSteps<double, Motion<double>>>);
    std::vector<Motion<double>> found(at(tree.size()));
    irootfix(mapped, tree.view(), sum, steps, motion_of,
             [&](std::int32_t i, const Motion<double>& value) { found[at(i)] = value; });
    EXPECT_TRUE(
        same_bits(found, results<Motion<double>>(executor, tree, sum, motion_of, by_irootfix)));
  };
  compare(SequentialExecutor{});
  compare(BlockedExecutor(ThreadedLoop(2), 64));
  compare(BlellochExecutor<SerialLoop>{});
}

}  // namespace
}  // namespace rbd_parallel_core
