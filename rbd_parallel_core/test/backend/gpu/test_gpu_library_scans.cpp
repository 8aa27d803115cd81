// SPDX-License-Identifier: Apache-2.0
// Scans of a library in the place of our own on the backend "cuda": what is asked of it, and the
// memory that it is given. The library is played too: CUB needs a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulated_entries.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using SharedModel = std::shared_ptr<const Model>;

template <class Real>
struct Outcome {
  std::vector<Real> tau, at_rest, M;
  bool operator==(const Outcome&) const = default;
};

class GpuLibraryScans : public ::testing::Test {
 protected:
  void SetUp() override { FaultyGpu::reset(); }
  void TearDown() override { EXPECT_EQ(FaultyGpu::live, 0) << "something was not given back"; }

  template <class Real = double>
  static std::unique_ptr<GpuBackend<Real>> make_gpu(bool library, bool graphs = false) {
    return std::make_unique<GpuBackend<Real>>(
        FaultyGpu::api(), emulated_kernels<Real>(),
        GpuSettings{.bodies_in_parallel = true, .graphs = graphs, .cub_scans = library});
  }
  static BackendOptions scans() { return {.tree = {.family = TreeFamily::scans}}; }

  template <class Real>
  static Outcome<Real> compute(BasicBackend<Real>& backend, bool with_matrix) {
    Random random(9);
    const auto numbers = [&](int n) {
      const auto drawn = random.numbers(static_cast<std::size_t>(n), 1);
      return std::vector<Real>(drawn.begin(), drawn.end());
    };
    const int nv = backend.model().nv();
    const auto q = numbers(backend.model().nq()), v = numbers(nv), a = numbers(nv);
    Outcome<Real> out{v, v, {}};
    EXPECT_TRUE(backend.inverse_dynamics({.q = q, .v = v, .a = a, .tau = out.tau}));
    EXPECT_TRUE(backend.gravity_forces({.q = q, .v = {}, .tau = out.at_rest}));
    if (with_matrix) {
      out.M.resize(v.size() * v.size());
      EXPECT_TRUE(backend.mass_matrix({.q = q, .mass_matrix = out.M}));
    }
    return out;
  }
  template <class Real>
  static double error(const std::vector<Real>& found, const std::vector<Real>& expected) {
    double largest = 0, difference = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (std::isnan(found[k])) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::abs(static_cast<double>(expected[k])));
      difference = std::max(difference, std::abs(static_cast<double>(found[k] - expected[k])));
    }
    return largest > 0 ? difference / largest : difference;
  }
};

/// The same numbers up to the order in which they are combined, in fewer launches.
TEST_F(GpuLibraryScans, GiveWhatOurOwnGive) {
  struct Shape {
    int bodies;
    double branching;
  };
  for (const Shape& shape :
       {Shape{1, 1}, Shape{50, 1}, Shape{700, 1.5}, Shape{3000, 1}, Shape{100000, 2}}) {
    const auto model = std::make_shared<const Model>(
        auto_tree({.bodies = shape.bodies, .branching = shape.branching}));
    const bool with_matrix = shape.bodies < 1000;
    const auto own = make_gpu(false), library = make_gpu(true);
    own->configure(model, scans());
    library->configure(model, scans());
    FaultyGpu::launches = 0;
    const Outcome expected = compute(*own, with_matrix);
    const int of_own = FaultyGpu::launches;
    FaultyGpu::launches = 0;
    const Outcome found = compute(*library, with_matrix);
    EXPECT_LE(FaultyGpu::launches, of_own) << shape.bodies;
    EXPECT_TRUE(shape.bodies < 100 || FaultyGpu::launches < of_own) << shape.bodies;
    // 8 eps x steps of the tour x (1 + reach), as for our own against those of the CPU.
    const double reach = shape.branching > 1 ? 40 : shape.bodies;
    const double tolerance = 8 * 2.2e-16 * 2 * shape.bodies * (1 + reach);
    EXPECT_LE(error(found.tau, expected.tau), tolerance) << shape.bodies;
    EXPECT_LE(error(found.at_rest, expected.at_rest), tolerance) << shape.bodies;
    EXPECT_LE(error(found.M, expected.M), tolerance) << shape.bodies;
  }
}

TEST_F(GpuLibraryScans, AreRecordedToo) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 300, .branching = 1.5}));
  const auto plain = make_gpu(true), graphs = make_gpu(true, true);
  plain->configure(model, scans());
  graphs->configure(model, scans());
  const Outcome expected = compute(*plain, true);
  FaultyGpu::launches = 0;
  EXPECT_EQ(compute(*graphs, true), expected);
  EXPECT_EQ(FaultyGpu::launches, 3) << "one for each call";
}

TEST_F(GpuLibraryScans, Float) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 300, .branching = 2}));
  const auto own = make_gpu<float>(false), library = make_gpu<float>(true);
  own->configure(model, scans());
  library->configure(model, scans());
  EXPECT_LE(error(compute(*library, true).tau, compute(*own, true).tau), 1e-3);
}

/// Where mimic joints leave inverse dynamics to scans, in the family of blocks: they are scans of
/// the library as well.
TEST_F(GpuLibraryScans, ServeTheFamilyOfBlocks) {
  const auto model = std::make_shared<const Model>(conformance::mimic_hand().model());
  const auto own = make_gpu(false), library = make_gpu(true);
  own->configure(model);
  library->configure(model);
  const Outcome expected = compute(*own, true), found = compute(*library, true);
  EXPECT_LE(error(found.tau, expected.tau), 1e-12);
  EXPECT_LE(error(found.M, expected.M), 1e-12);
}

/// Whichever step fails, the call says so, and the backend is usable after a new configure.
TEST_F(GpuLibraryScans, SurviveAFailureOfEveryStep) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 9, .branching = 1.5}));
  const std::vector<double> q(static_cast<std::size_t>(model->nq()), 0.1);
  std::vector<double> tau(static_cast<std::size_t>(model->nv()));
  const auto backend = make_gpu(true);
  const auto call = [&] { return backend->gravity_forces({.q = q, .v = {}, .tau = tau}); };
  backend->configure(model, scans());
  FaultyGpu::calls = 0;
  ASSERT_TRUE(call());
  const int steps = FaultyGpu::calls;
  for (int step = 0; step < steps; ++step) {
    FaultyGpu::calls = 0;
    FaultyGpu::fail_at = step;
    EXPECT_EQ(call().code, Code::failed) << step;
    FaultyGpu::fail_at = -1;
    backend->configure(model, scans());
    EXPECT_TRUE(call()) << step;
  }
}

/// The positive control: the library that is played refuses memory that is too small, and spoils
/// what is not its own.
TEST_F(GpuLibraryScans, TheOneThatIsPlayedWatchesItsMemory) {
  std::vector<double> data(1000, 1);
  const Combine<Sum<double>> op{};
  std::size_t bytes = 0;
  std::byte* none = nullptr;
  ASSERT_EQ(EmulatedEntries::scan(emulated_api(), nullptr, none, bytes, data.data(), 1000, op, 0.0),
            0);
  ASSERT_GT(bytes, 0u);
  EXPECT_EQ(data[999], 1) << "it was only asked";
  std::vector<std::byte> memory(bytes + 1);
  std::size_t too_few = bytes - 1;
  EXPECT_NE(EmulatedEntries::scan(emulated_api(), nullptr, memory.data(), too_few, data.data(),
                                  1000, op, 0.0),
            0);
  EXPECT_EQ(EmulatedEntries::scan(emulated_api(), nullptr, memory.data(), bytes, data.data(), 1000,
                                  op, 0.0),
            0);
  EXPECT_EQ(data[999], 999);
  EXPECT_EQ(memory[bytes - 1], std::byte{0xff});
  EXPECT_EQ(memory[bytes], std::byte{0});
}

}  // namespace
}  // namespace rbd_parallel_core
