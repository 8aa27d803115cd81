// SPDX-License-Identifier: Apache-2.0
// The mass matrix of one large tree by blocks on the backend "cuda", with the CPU in the place of
// the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "backend/matrix_probe.hpp"
#include "delayed_gpu.hpp"
#include "device_arrays.hpp"
#include "gpu/host/gpu_plan.hpp"
#include "gpu_tree_fixture.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::index;
using conformance::Random;
using conformance::random_configuration;

/// Both forms of M, of one state.
template <class Real>
struct Matrices {
  std::vector<Real> dense, sparse;
};

template <class Real>
Matrices<Real> mass_matrix(BasicBackend<Real>& backend, const std::vector<Real>& q) {
  const Model& model = backend.model();
  const std::size_t n = index(model.nv());
  Matrices<Real> M{std::vector<Real>(n * n, Real(-7)),
                   std::vector<Real>(index(mass_matrix_nonzeros(model)), Real(-7))};
  StateStatus status{StateStatus::Code::singular, 0};
  const Result result = backend.mass_matrix(
      {.q = q, .mass_matrix = M.dense, .sparse = M.sparse, .status = {&status, 1}});
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_TRUE(status.ok()) << message(status, model);
  return M;
}

template <class Real>
std::vector<Real> sparse_mass_matrix(BasicBackend<Real>& backend, const std::vector<Real>& q) {
  std::vector<Real> values(index(mass_matrix_nonzeros(backend.model())));
  StateStatus status{StateStatus::Code::singular, 0};
  const Result result = backend.mass_matrix({.q = q, .sparse = values, .status = {&status, 1}});
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_TRUE(status.ok()) << message(status, backend.model());
  return values;
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <class Real>
bool is_symmetric(const std::vector<Real>& M, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::memcmp(&M[i * n + j], &M[j * n + i], sizeof(Real)) != 0) return false;
    }
  }
  return true;
}

/// What a sparse matrix has of a dense one.
template <class Real>
std::vector<Real> lower_triangle(const Model& model, const std::vector<Real>& M) {
  const MassMatrixPattern pattern(model);
  const std::size_t n = index(model.nv());
  std::vector<Real> values;
  for (std::size_t k = 0; k < n; ++k) {
    for (auto e = index(pattern.row_start()[k]); e < index(pattern.row_start()[k + 1]); ++e) {
      values.push_back(M[k * n + index(pattern.column()[e])]);
    }
  }
  return values;
}

std::vector<double> random_q(const Model& model) {
  Random random(7);
  return random_configuration(model, random);
}

class EmulatedGpuMassMatrix : public GpuTreeFixture {};

/// One chain, combs, bushes of several roots; all kinds of joints; several tiles of 32 x 32, and
/// the last of them not full.
TEST_F(EmulatedGpuMassMatrix, BlocksOfAnyLengthGiveWhatTheRecursionGives) {
  for (const int window : {1, 2, 5, 200}) {
    for (const Base base : {Base::fixed, Base::floating}) {
      for (const auto& kinds : {std::vector{JointKind::revolute}, every_kind}) {
        const auto model = random_tree(200, window, kinds, base);
        const auto q = random_q(*model);
        const auto expected = mass_matrix(*reference_of(model), q);
        for (const int block : {0, 1, 7, 1000}) {
          const auto gpu = gpu_of(model, {.tree = {.block = block}});
          const auto found = mass_matrix(*gpu, q);
          EXPECT_LE(relative_error(found.dense, expected.dense), 1e-13)
              << "window " << window << ", blocks of " << block;
          EXPECT_TRUE(is_symmetric(found.dense, index(model->nv())));
          EXPECT_TRUE(same_bits(found.sparse, lower_triangle(*model, found.dense)));
        }
      }
    }
  }
}

TEST_F(EmulatedGpuMassMatrix, MatricesOfEverySizeBesideATile) {
  for (const int bodies : {1, 2, 31, 32, 33, 63, 64, 65, 96, 97, 160}) {
    const auto model = std::make_shared<const Model>(serial_chain(bodies, 0.7));
    const auto q = random_q(*model);
    const auto found = mass_matrix(*gpu_of(model), q);
    EXPECT_LE(relative_error(found.dense, mass_matrix(*reference_of(model), q).dense), 1e-13)
        << bodies;
    EXPECT_TRUE(is_symmetric(found.dense, index(bodies))) << bodies;
    EXPECT_TRUE(same_bits(found.sparse, lower_triangle(*model, found.dense))) << bodies;
  }
}

TEST_F(EmulatedGpuMassMatrix, Float) {
  const auto model = random_tree(200, 3, every_kind, Base::floating);
  const auto q = random_q(*model);
  const std::vector<float> narrow(q.begin(), q.end());
  const auto expected =
      mass_matrix(*reference_of(model), std::vector<double>(narrow.begin(), narrow.end()));
  const auto found = mass_matrix(*gpu_of<float>(model, {.tree = {.block = 7}}), narrow);
  EXPECT_LE(relative_error(found.dense, expected.dense), 2e-4);  // rounded placements add up
  EXPECT_TRUE(is_symmetric(found.dense, index(model->nv())));
  EXPECT_TRUE(same_bits(found.sparse, lower_triangle(*model, found.dense)));
}

/// Chains of 10000 bodies, as in the test of the backend tree: as exact as the recursion, where
/// scans lose digits with the distance from the root.
TEST_F(EmulatedGpuMassMatrix, IsAsExactAsTheRecursionOnLongChains) {
  constexpr int bodies = largest_tree_nv;
  constexpr auto n = static_cast<std::size_t>(bodies);
  for (const bool straight : {true, false}) {
    const auto model =
        std::make_shared<const Model>(straight ? serial_chain(bodies) : serial_chain(bodies, 0.7));
    std::vector<double> q = straight ? model->neutral() : random_q(*model);
    if (straight) q[0] = 0.3;
    std::vector<double> M(n * n);
    ASSERT_TRUE(gpu_of(model)->mass_matrix({.q = q, .mass_matrix = M}));
    Probed<double> found{std::vector<double>(n), std::vector<double>(n * Probe<double>::rows)};
    for (std::size_t i = 0; i < n; ++i) found.diagonal[i] = M[i * n + i];
    for (std::size_t i = n - Probe<double>::rows; i < n; ++i) {
      double* const row = &found.tail[(i + Probe<double>::rows - n) * n];
      for (std::size_t j = 0; j <= i; ++j) {
        row[j] = M[i * n + j];
        ASSERT_EQ(row[j], M[j * n + i]);
      }
    }
    const Probed<long double> exact = probe<long double>(*model, q);
    const ProbeErrors recursion = errors_of(probe<double>(*model, q), exact);
    const ProbeErrors errors = errors_of(found, exact);
    std::printf("%s chain of %d: diagonal %.1e, by recursion %.1e; last rows %.1e, %.1e\n",
                straight ? "straight" : "turned", bodies, errors.diagonal, recursion.diagonal,
                errors.tail, recursion.tail);
    EXPECT_LE(errors.diagonal, 10 * std::max(recursion.diagonal, 1e-16));
    EXPECT_LE(errors.tail, 10 * std::max(recursion.tail, 1e-16));
  }
}

/// How many launches trees of up to 1e5 bodies take. Their dense matrices would be too large from
/// 1e4 on.
TEST_F(EmulatedGpuMassMatrix, LargeTrees) {
  struct Shape {
    int bodies;
    double branching;
    int launches;  ///< at most
  };
  for (const Shape& shape : {Shape{1000, 1, 8}, Shape{10000, 1.5, 32}, Shape{100000, 2, 38}}) {
    const auto model = std::make_shared<const Model>(
        auto_tree({.bodies = shape.bodies, .branching = shape.branching, .skew = 0.3}));
    const auto q = random_q(*model);
    const auto gpu = gpu_of(model);
    FaultyGpu::launches = 0;
    const auto found = sparse_mass_matrix(*gpu, q);
    const int launches = FaultyGpu::launches;
    const double off = relative_error(found, sparse_mass_matrix(*reference_of(model), q));
    std::printf("%6d bodies, branching %.1f: %d launches, error %.1e\n", shape.bodies,
                shape.branching, launches, off);
    EXPECT_LE(launches, shape.launches);
    EXPECT_LE(off, 1e-13);
  }
}

TEST_F(EmulatedGpuMassMatrix, OneBadBodySpoilsItsStateAndNoOther) {
  const auto model = random_tree(100, 2, {JointKind::revolute, JointKind::prismatic}, Base::fixed);
  const std::size_t n = index(model->nv()), nonzeros = index(mass_matrix_nonzeros(*model));
  const auto gpu = gpu_of(model, {.max_batch = 3});
  const auto state = random_q(*model);
  std::vector<double> q, M(3 * n * n), values(3 * nonzeros);
  for (int s = 0; s < 3; ++s) q.insert(q.end(), state.begin(), state.end());
  // A slide of the middle of the tree that is nowhere, or so far away that entries of M are
  // infinite.
  const std::span bodies(model->view().body, index(model->view().body_count));
  const auto slide = std::find_if(bodies.begin() + 50, bodies.end(), [](const BodyView<double>& b) {
    return b.type == JointType::prismatic;
  });
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    q[n + index(slide->q_index)] = bad;
    std::vector<StateStatus> status(3);
    ASSERT_TRUE(gpu->mass_matrix(
        {.batch = 3, .q = q, .mass_matrix = M, .sparse = values, .status = status}));
    EXPECT_EQ(status[0].code, StateStatus::Code::ok);
    EXPECT_EQ(status[1].code, StateStatus::Code::not_finite);
    EXPECT_EQ(status[2].code, StateStatus::Code::ok);
    const auto expect_one_spoilt = [](const std::vector<double>& found, std::size_t numbers) {
      for (std::size_t k = 0; k < numbers; ++k) {
        ASSERT_TRUE(std::isnan(found[numbers + k]));
        ASSERT_FALSE(std::isnan(found[k]));
        ASSERT_EQ(found[k], found[2 * numbers + k]);
      }
    };
    expect_one_spoilt(M, n * n);
    expect_one_spoilt(values, nonzeros);
  }
}

/// What was asked for is written and nothing else, however late the device is.
TEST_F(EmulatedGpuMassMatrix, HoweverLateTheDeviceIs) {
  const auto model = random_tree(100, 3, every_kind, Base::floating);
  const std::size_t n = index(model->nv()), nonzeros = index(mass_matrix_nonzeros(*model));
  std::vector<double> q;
  Random random(3);
  for (int s = 0; s < 3; ++s) {
    const auto state = random_configuration(*model, random);
    q.insert(q.end(), state.begin(), state.end());
  }
  struct Found {
    std::vector<double> dense, sparse;
    bool operator==(const Found&) const = default;
  };
  const auto found_by = [&](const GpuApi& api) {
    const auto gpu = unconfigured(api);
    gpu->configure(model, {.max_batch = 3});
    Found found{std::vector<double>(3 * n * n), std::vector<double>(3 * nonzeros)};
    EXPECT_TRUE(
        gpu->mass_matrix({.batch = 3, .q = q, .mass_matrix = found.dense, .sparse = found.sparse}));
    return found;
  };
  DelayedGpu::reset();
  EXPECT_EQ(found_by(DelayedGpu::api()), found_by(emulated_api()));
}

/// Whichever step of configure or of a call fails, it says so and gives all back.
TEST_F(EmulatedGpuMassMatrix, SurvivesAFailureOfEveryStep) {
  const auto model = random_tree(20, 2, every_kind, Base::fixed);
  const auto q = random_q(*model);
  const std::size_t n = index(model->nv());
  std::vector<double> M(n * n), values(index(mass_matrix_nonzeros(*model)));
  const auto call = [&](Backend& backend) {
    return backend.mass_matrix({.q = q, .mass_matrix = M, .sparse = values});
  };
  expect_to_survive_every_failure(model, call);
}

TEST_F(EmulatedGpuMassMatrix, ArraysOnTheDeviceAreNotCopied) {
  const auto model = random_tree(50, 2, every_kind, Base::fixed);
  const auto gpu = gpu_of(model);
  const auto q = random_q(*model);
  const auto expected = mass_matrix(*gpu, q);
  DeviceArrays there;
  const std::span<double> q_there = there.copy(q),
                          M = there.copy(std::vector<double>(expected.dense.size())),
                          values = there.copy(std::vector<double>(expected.sparse.size()));
  FaultyGpu::copies = 0;
  ASSERT_TRUE(gpu->mass_matrix({.q = q_there, .mass_matrix = M, .sparse = values}));
  EXPECT_EQ(FaultyGpu::copies, 0);
  EXPECT_TRUE(std::equal(M.begin(), M.end(), expected.dense.begin()));
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.sparse.begin()));
}

/// What is too large is refused by name, before anything is written.
TEST_F(EmulatedGpuMassMatrix, RefusesWhatIsTooLarge) {
  const auto bush = std::make_shared<const Model>(auto_tree({.bodies = 10001, .branching = 2}));
  const auto gpu = gpu_of(bush);
  const auto q = random_q(*bush);
  std::vector<double> M(10001 * 10001), values(index(mass_matrix_nonzeros(*bush)));
  EXPECT_EQ(
      message(gpu->mass_matrix({.q = q, .mass_matrix = M})),
      "this backend offers what was asked of the mass matrix up to nv = 10000; this model has "
      "nv = 10001");
  EXPECT_EQ(message(gpu->mass_matrix({.q = q, .sparse_cholesky = values})),
            "this backend offers what was asked of the mass matrix up to nv = 512; this model has "
            "nv = 10001");
  EXPECT_TRUE(gpu->mass_matrix({.q = q, .sparse = values}).ok());
  const auto chain = std::make_shared<const Model>(serial_chain(10001));
  values.resize(index(mass_matrix_nonzeros(*chain)));
  EXPECT_EQ(
      message(gpu_of(chain)->mass_matrix({.q = chain->neutral(), .sparse = values})),
      "this backend offers a sparse mass matrix of up to 50005000 numbers; that of this model "
      "has 50015001");
}

}  // namespace
}  // namespace rbd_parallel_core
