// SPDX-License-Identifier: Apache-2.0
//
// The pattern of sparse mass matrices, and Eigen's view of them.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/eigen.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::index;
using conformance::Random;
using conformance::Robot;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<Robot> robots() {
  std::vector<Robot> all = conformance::small_robots();
  all.push_back(conformance::rock());
  all.push_back(conformance::chain(40));
  return all;
}

TEST(MassMatrixPattern, RowsAscendToTheDiagonal) {
  for (const Robot& robot : robots()) {
    const Model model = robot.model();
    const MassMatrixPattern pattern(model);
    ASSERT_EQ(pattern.size(), model.nv());
    ASSERT_EQ(pattern.row_start().size(), index(model.nv()) + 1);
    EXPECT_EQ(pattern.row_start().front(), 0);
    EXPECT_EQ(pattern.row_start().back(), pattern.nonzeros());
    EXPECT_EQ(index(pattern.nonzeros()), pattern.column().size());
    EXPECT_EQ(mass_matrix_nonzeros(model), pattern.nonzeros()) << robot.name;
    for (int k = 0; k < model.nv(); ++k) {
      const std::int64_t begin = pattern.row_start()[index(k)],
                         end = pattern.row_start()[index(k) + 1];
      EXPECT_EQ(pattern.column()[index(end) - 1], k);
      for (std::int64_t e = begin; e < end; ++e) {
        const std::int32_t j = pattern.column()[index(e)];
        EXPECT_EQ(begin + pattern.depth()[index(j)], e) << robot.name;
        EXPECT_TRUE(e == begin || pattern.column()[index(e) - 1] < j) << robot.name;
      }
    }
  }
}

/// Every entry of M that is not zero in some state is in the pattern. Without mimic joints the
/// pattern has no other.
TEST(MassMatrixPattern, CoversM) {
  for (const Robot& robot : robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const MassMatrixPattern pattern(*model);
    const std::size_t n = index(model->nv());
    std::vector<char> covered(n * n, 0);
    for (std::size_t k = 0; k < n; ++k) {
      for (auto e = index(pattern.row_start()[k]); e < index(pattern.row_start()[k + 1]); ++e) {
        covered[k * n + index(pattern.column()[e])] = 1;
      }
    }
    const auto backend = make_backend("reference");
    backend->configure(model);
    Random random(5);
    std::vector<double> M(n * n);
    std::vector<char> seen(n * n, 0);
    for (int state = 0; state < 3; ++state) {
      const std::vector<double> q = conformance::random_configuration(*model, random);
      ASSERT_TRUE(backend->mass_matrix({.q = q, .mass_matrix = M}).ok());
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          if (M[i * n + j] != 0) seen[i * n + j] = 1;
          EXPECT_TRUE(M[i * n + j] == 0 || covered[i * n + j] == 1) << robot.name;
        }
      }
    }
    // Some entries of single joints vanish whatever the state is, a sphere's for instance.
    if (robot.name == "auto_tree") {
      EXPECT_EQ(seen, covered);
    }
  }
}

TEST(MassMatrixPattern, CountsEntriesThatNoMemoryHolds) {
  const Model model = serial_chain(100000);
  EXPECT_EQ(mass_matrix_nonzeros(model), 100000LL * 100001 / 2);
  EXPECT_EQ(dense_mass_matrix_bytes(model), 80000000000LL);
  EXPECT_EQ(dense_mass_matrix_bytes(model, 4), 40000000000LL);
  EXPECT_EQ(sparse_mass_matrix_bytes(model), 100000LL * 100001 / 2 * 8);
}

TEST(SparseMassMatrixView, IsTheMassMatrix) {
  for (const Robot& robot : robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const MassMatrixPattern pattern(*model);
    const SparseMassMatrixView view(pattern);
    const auto backend = make_backend("cpu");
    backend->configure(model);
    Random random(6);
    const std::vector<double> q = conformance::random_configuration(*model, random);
    RowMajor M(model->nv(), model->nv());
    std::vector<double> values(index(pattern.nonzeros())), L(values.size());
    ASSERT_TRUE(backend
                    ->mass_matrix({.q = q,
                                   .mass_matrix = {M.data(), index(M.size())},
                                   .sparse = values,
                                   .sparse_cholesky = L})
                    .ok());
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(model->nv(), -1, 2);
    const Eigen::VectorXd y = view.matrix(values).selfadjointView<Eigen::Lower>() * x;
    const double scale = model->nv() == 0 ? 1 : 1 + M.cwiseAbs().maxCoeff();
    EXPECT_LE((y - M * x).norm(), 1e-12 * scale) << robot.name;
    const Eigen::VectorXd z = view.matrix(L).transpose() * (view.matrix(L) * x);
    EXPECT_LE((z - M * x).norm(), 1e-11 * scale) << robot.name;
  }
}

TEST(SparseMassMatrixView, RefusesOtherNumbersOfValues) {
  const MassMatrixPattern pattern(serial_chain(3));
  const SparseMassMatrixView view(pattern);
  EXPECT_THROW(view.matrix(std::vector<double>(5)), std::length_error);
}

}  // namespace
}  // namespace rbd_parallel_core
