// SPDX-License-Identifier: Apache-2.0
//
// TreeMassMatrix: one state of robots of many bodies, dense and sparse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "allocation_counter.hpp"
#include "mass_matrix.hpp"
#include "matrix_probe.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::index;
using conformance::Random;
using conformance::Robot;
using conformance::RobotBuilder;

InstructionSet best_set() { return available_instruction_sets().back(); }

/// Every joint type at random places, each body on one of the last few or on any before it.
Robot random_tree(int bodies, std::uint64_t seed, double chance_of_a_chain) {
  RobotBuilder builder("random_tree_" + std::to_string(seed), seed);
  Random random(seed);
  std::vector<std::string> links = {"base"};
  for (int i = 0; i < bodies; ++i) {
    const auto any =
        static_cast<std::size_t>(random.uniform(0, static_cast<double>(links.size()) - 1e-9));
    const std::string parent = random.uniform(0, 1) < chance_of_a_chain ? links.back() : links[any];
    const std::string name = "j" + std::to_string(100000 + i);
    builder.add(parent, name,
                conformance::moving_kinds[static_cast<std::size_t>(random.uniform(0, 6.999))]);
    links.push_back("link_" + name);
  }
  Robot robot = builder.robot(seed % 2 == 0 ? Base::fixed : Base::floating);
  for (JointDescription& joint : robot.description.joints) joint.armature = 0.03;
  return robot;
}

Robot auto_robot(const std::string& name, const AutoTree& tree) {
  return {name, describe_auto_tree(tree), {}};
}

std::vector<Robot> robots() {
  std::vector<Robot> all = conformance::small_robots();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    all.push_back(random_tree(70, seed, 0.15 * static_cast<double>(seed)));
  }
  all.push_back(conformance::chain(1));
  all.push_back(conformance::chain(15));
  all.push_back(conformance::chain(16));
  all.push_back(conformance::chain(17));
  all.push_back(conformance::chain(300));  // more than one tile, and worth threads
  all.push_back(auto_robot("binary", {.bodies = 400, .branching = 2, .skew = 0.3}));
  all.push_back(auto_robot("comb", {.bodies = 333, .branching = 1.1, .skew = 0.3}));
  // Of several subtrees that threads share, and so large that the dense M goes past the caches.
  all.push_back(auto_robot("large_binary", {.bodies = 1500, .branching = 2, .skew = 0.3}));
  all.push_back(auto_robot("large_comb", {.bodies = 1600, .branching = 1.05, .skew = 0.3}));
  return all;
}

/// The backend "reference", one state.
std::vector<double> expected_matrix(const std::shared_ptr<const Model>& model,
                                    const std::vector<double>& q) {
  const auto backend = make_backend("reference");
  backend->configure(model);
  std::vector<double> M(index(model->nv()) * index(model->nv()));
  EXPECT_TRUE(backend->mass_matrix({.q = q, .mass_matrix = M}).ok());
  return M;
}

template <class Real>
struct Computed {
  std::vector<Real> dense, sparse;
  StateStatus dense_status, sparse_status;
};

template <class Real>
Computed<Real> compute(TreeMassMatrix<Real>& matrix, const std::vector<Real>& q, int nv) {
  Computed<Real> result;
  result.dense.assign(index(nv) * index(nv), Real(-7.25e30));
  result.sparse.assign(index(matrix.nonzeros()), Real(-7.25e30));
  result.dense_status = matrix.dense(q, result.dense);
  result.sparse_status = matrix.sparse(q, result.sparse);
  return result;
}

Computed<double> compute(const Model& model, const std::vector<double>& q, int threads,
                         InstructionSet set) {
  TreeMassMatrix<double> matrix;
  matrix.configure(model.view(), threads, set);
  return compute(matrix, q, model.nv());
}

/// max |a - b| / (1 + max |b|)
template <class A, class B>
double error(const std::vector<A>& a, const std::vector<B>& b) {
  double difference = 0, scale = 1;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!std::isfinite(a[k])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(static_cast<double>(a[k] - b[k])));
    scale = std::max(scale, std::abs(static_cast<double>(b[k])));
  }
  return difference / scale;
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0);
}

class TreeMassMatrixOf : public testing::TestWithParam<Robot> {
 protected:
  std::shared_ptr<const Model> model_ = std::make_shared<const Model>(GetParam().model());
  Random random_{77};
  std::vector<double> q_ = conformance::random_configuration(*model_, random_);
  std::size_t n_ = index(model_->nv());
};

INSTANTIATE_TEST_SUITE_P(Robots, TreeMassMatrixOf, testing::ValuesIn(robots()),
                         [](const testing::TestParamInfo<Robot>& robot) {
                           return robot.param.name;
                         });

TEST_P(TreeMassMatrixOf, IsTheMassMatrixWithEveryInstructionSet) {
  const std::vector<double> expected = expected_matrix(model_, q_);
  for (const InstructionSet set : available_instruction_sets()) {
    const Computed<double> actual = compute(*model_, q_, 1, set);
    EXPECT_TRUE(actual.dense_status.ok());
    EXPECT_LE(error(actual.dense, expected), 1e-13) << name_of(set);
  }
}

TEST_P(TreeMassMatrixOf, IsSymmetricInEveryBit) {
  for (const InstructionSet set : available_instruction_sets()) {
    const std::vector<double> M = compute(*model_, q_, 1, set).dense;
    std::vector<double> transposed(M.size());
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) transposed[j * n_ + i] = M[i * n_ + j];
    }
    EXPECT_TRUE(same_bits(M, transposed)) << name_of(set);
  }
}

TEST_P(TreeMassMatrixOf, SparseIsTheLowerTriangleOfDense) {
  const MassMatrixPattern pattern(*model_);
  for (const InstructionSet set : available_instruction_sets()) {
    const Computed<double> actual = compute(*model_, q_, 1, set);
    EXPECT_TRUE(actual.sparse_status.ok());
    std::vector<double> lower;
    for (std::size_t k = 0; k < n_; ++k) {
      for (auto e = index(pattern.row_start()[k]); e < index(pattern.row_start()[k + 1]); ++e) {
        lower.push_back(actual.dense[k * n_ + index(pattern.column()[e])]);
      }
    }
    EXPECT_TRUE(same_bits(actual.sparse, lower)) << name_of(set);
  }
}

TEST_P(TreeMassMatrixOf, IsTheSameForEveryNumberOfThreads) {
  const Computed<double> one = compute(*model_, q_, 1, best_set());
  for (const int threads : {2, 3}) {
    TreeMassMatrix<double> matrix;
    matrix.configure(model_->view(), threads, best_set());
    for (int again = 0; again < 3; ++again) {
      const Computed<double> several = compute(matrix, q_, model_->nv());
      EXPECT_TRUE(same_bits(several.dense, one.dense)) << threads;
      EXPECT_TRUE(same_bits(several.sparse, one.sparse)) << threads;
    }
  }
}

TEST_P(TreeMassMatrixOf, IsGivenInFloat) {
  const std::vector<float> q(q_.begin(), q_.end());
  const std::vector<double> expected = expected_matrix(model_, {q.begin(), q.end()});
  const ConvertedModel<float> converted(model_->view());
  for (const InstructionSet set : available_instruction_sets()) {
    TreeMassMatrix<float> matrix;
    matrix.configure(converted.view(), 2, set);
    const Computed<float> actual = compute(matrix, q, model_->nv());
    EXPECT_TRUE(actual.dense_status.ok());
    // Rounded placements of a long chain add up.
    EXPECT_LE(error(actual.dense, expected), n_ > 100 ? 2e-4 : 2e-5) << name_of(set);
  }
}

TEST_P(TreeMassMatrixOf, FactorAndSolution) {
  const std::vector<double> M = expected_matrix(model_, q_);
  const MassMatrixPattern pattern(*model_);
  TreeMassMatrix<double> matrix;
  matrix.configure(model_->view(), 1, best_set());
  std::vector<double> L(index(matrix.nonzeros()));
  ASSERT_TRUE(matrix.sparse(q_, L).ok());
  ASSERT_TRUE(matrix.factor(L).ok());
  std::vector<double> product(n_ * n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    const auto begin = index(pattern.row_start()[k]), end = index(pattern.row_start()[k + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t f = begin; f < end; ++f) {
        product[index(pattern.column()[e]) * n_ + index(pattern.column()[f])] += L[e] * L[f];
      }
    }
  }
  EXPECT_LE(error(product, M), 1e-12);
  const std::vector<double> b = random_.numbers(n_, 3);
  std::vector<double> x = b, M_x(n_, 0.0), bound(n_, 0.0);
  matrix.solve(L, x);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) {
      M_x[i] += M[i * n_ + j] * x[j];
      bound[i] += std::abs(M[i * n_ + j] * x[j]);
    }
    // A backward stable solution: the residual is small beside the terms of the product.
    EXPECT_LE(std::abs(M_x[i] - b[i]), 1e-12 * static_cast<double>(n_) * (bound[i] + 1));
  }
}

TEST_P(TreeMassMatrixOf, NotFiniteStatesAreNaNThroughout) {
  TreeMassMatrix<double> matrix;
  matrix.configure(model_->view(), 1, best_set());
  const StateStatus bad{StateStatus::Code::not_finite, -1};
  const Computed<double> clean = compute(matrix, q_, model_->nv());
  for (const double x :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> q = q_;
    q.back() = x;
    const Computed<double> actual = compute(matrix, q, model_->nv());
    EXPECT_EQ(actual.dense_status, bad);
    EXPECT_EQ(actual.sparse_status, bad);
    const auto is_nan = [](double number) { return std::isnan(number); };
    EXPECT_TRUE(std::all_of(actual.dense.begin(), actual.dense.end(), is_nan));
    EXPECT_TRUE(std::all_of(actual.sparse.begin(), actual.sparse.end(), is_nan));
  }
  EXPECT_TRUE(same_bits(compute(matrix, q_, model_->nv()).dense, clean.dense))
      << "a bad state leaves something behind";
}

TEST(TreeMassMatrix, NothingToCompute) {
  const Model model = conformance::rock().model();
  const Computed<double> actual = compute(model, {}, 2, best_set());
  EXPECT_TRUE(actual.dense_status.ok());
  EXPECT_TRUE(actual.sparse_status.ok());
  EXPECT_TRUE(actual.sparse.empty());
}

TEST(TreeMassMatrix, ServesOneModelAfterTheOther) {
  TreeMassMatrix<double> used;
  for (const Robot& robot :
       {conformance::chain(40), conformance::mimic_hand(), conformance::mixed_tree(Base::floating),
        conformance::rock(), conformance::chain(300), conformance::arm()}) {
    const Model model = robot.model();
    Random random(3);
    const std::vector<double> q = conformance::random_configuration(model, random);
    used.configure(model.view(), 2, best_set());
    const Computed<double> actual = compute(used, q, model.nv());
    EXPECT_TRUE(same_bits(actual.dense, compute(model, q, 2, best_set()).dense)) << robot.name;
  }
}

TEST(TreeMassMatrix, OverflowIsReported) {
  const Model model = conformance::mixed_tree(Base::fixed).model();
  Random random(8);
  std::vector<double> q = conformance::random_configuration(model, random);
  q[5] = 1e200;
  TreeMassMatrix<double> matrix;
  matrix.configure(model.view(), 1, best_set());
  const Computed<double> actual = compute(matrix, q, model.nv());
  const bool finite = std::all_of(actual.dense.begin(), actual.dense.end(),
                                  [](double x) { return std::isfinite(x); });
  EXPECT_EQ(actual.dense_status.ok(), finite);
}

TEST(TreeMassMatrix, SingularMassMatrixNamesItsCoordinate) {
  Robot robot = conformance::arm();
  robot.description.links.back().inertial.reset();
  const Model model = robot.model();
  Random random(9);
  const std::vector<double> q = conformance::random_configuration(model, random);
  TreeMassMatrix<double> matrix;
  matrix.configure(model.view(), 1, best_set());
  std::vector<double> values(index(matrix.nonzeros()));
  ASSERT_TRUE(matrix.sparse(q, values).ok());
  EXPECT_EQ(matrix.factor(values), (StateStatus{StateStatus::Code::singular, model.nv() - 1}));
  EXPECT_TRUE(std::isnan(values.front()));
}

TEST(TreeMassMatrix, AllocatesNothing) {
  if (!conformance::can_count_allocations()) {
    GTEST_SKIP() << "no interposer of malloc is linked into this executable";
  }
  for (const Robot& robot : {conformance::chain(300), conformance::mimic_hand()}) {
    const Model model = robot.model();
    Random random(10);
    const std::vector<double> q = conformance::random_configuration(model, random);
    for (const int threads : {1, 2}) {
      TreeMassMatrix<double> matrix;
      matrix.configure(model.view(), threads, best_set());
      std::vector<double> M(index(model.nv()) * index(model.nv())),
          values(index(matrix.nonzeros())), x(index(model.nv()), 1.0);
      EXPECT_EQ(allocations_during([&] {
                  EXPECT_TRUE(matrix.dense(q, M).ok());
                  EXPECT_TRUE(matrix.sparse(q, values).ok());
                  EXPECT_TRUE(matrix.factor(values).ok());
                  matrix.solve(values, x);
                }),
                0u)
          << robot.name << ", " << threads << " threads";
    }
  }
}

/// Chains of 10000 bodies: no error grows with the distance from the root beyond what the recursion
/// in body coordinates has. Straight chains are the hardest: they reach furthest. Turned at the
/// root, their positions are no round numbers. The sparse matrix has the bits of the dense one, and
/// half of its size.
TEST(TreeMassMatrix, IsAsExactAsTheRecursionOnLongChains) {
  constexpr int bodies = 10000;
  for (const bool straight : {true, false}) {
    const Model model = straight ? serial_chain(bodies) : serial_chain(bodies, 0.7);
    Random random(11);
    std::vector<double> q =
        straight ? model.neutral() : conformance::random_configuration(model, random);
    if (straight) q[0] = 0.3;
    const Probed<long double> exact = probe<long double>(model, q);
    const ProbeErrors recursion = errors_of(probe<double>(model, q), exact);
    TreeMassMatrix<double> matrix;
    matrix.configure(model.view(), 2, best_set());
    std::vector<double> values(index(matrix.nonzeros()));
    ASSERT_TRUE(matrix.sparse(q, values).ok());
    const auto n = index(bodies);
    Probed<double> actual{std::vector<double>(n), std::vector<double>(n * Probe<double>::rows)};
    for (std::size_t i = 0; i < n; ++i) {
      const double* row = values.data() + i * (i + 1) / 2;
      actual.diagonal[i] = row[i];
      if (i + Probe<double>::rows < n) continue;
      std::copy(row, row + i + 1, &actual.tail[(i + Probe<double>::rows - n) * n]);
    }
    const ProbeErrors errors = errors_of(actual, exact);
    EXPECT_LE(errors.diagonal, 10 * std::max(recursion.diagonal, 1e-16));
    EXPECT_LE(errors.tail, 10 * std::max(recursion.tail, 1e-16));
  }
}

}  // namespace
}  // namespace rbd_parallel_core
