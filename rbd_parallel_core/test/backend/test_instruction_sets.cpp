// SPDX-License-Identifier: Apache-2.0
//
// The kernels are compiled once for each instruction set and chosen when a backend is configured.
// RBD_PARALLEL_ISA forces the choice.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"

namespace rbd_parallel_core {
namespace {

constexpr const char* variable = "RBD_PARALLEL_ISA";

/// Sets the variable and puts back what was there.
class Forced {
 public:
  explicit Forced(const char* set) {
    const char* before = std::getenv(variable);
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv(variable, set, 1);
  }
  ~Forced() {
    if (had_) {
      setenv(variable, before_.c_str(), 1);
    } else {
      unsetenv(variable);
    }
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  bool had_ = false;
  std::string before_;
};

struct Outputs {
  std::vector<double> tau, qdd, M;
};

Outputs compute(const std::shared_ptr<const Model>& model) {
  const auto n = static_cast<std::size_t>(model->nv());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-3, 3);
  std::vector<double> q(n), v(n), a(n);
  for (std::vector<double>* x : {&q, &v, &a}) {
    for (double& number : *x) number = uniform(random);
  }
  Outputs out{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n * n)};
  const auto backend = make_backend("reference");
  backend->configure(model);
  EXPECT_TRUE(backend->inverse_dynamics({.q = q, .v = v, .a = a, .tau = out.tau}).ok());
  EXPECT_TRUE(backend->forward_dynamics({.q = q, .v = v, .tau = a, .qdd = out.qdd}).ok());
  EXPECT_TRUE(backend->mass_matrix({.q = q, .mass_matrix = out.M}).ok());
  return out;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference = std::max(difference, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(a[k]));
  }
  return difference / largest;
}

TEST(InstructionSets, BaselineAndBestAgree) {
  const auto model =
      std::make_shared<const Model>(auto_tree({.bodies = 12, .branching = 1.5, .skew = 0.7}));
  const Outputs best = compute(model);
  const Forced forced("baseline");
  const Outputs baseline = compute(model);
  EXPECT_LT(relative_difference(best.tau, baseline.tau), 1e-13);
  EXPECT_LT(relative_difference(best.M, baseline.M), 1e-13);
  EXPECT_LT(relative_difference(best.qdd, baseline.qdd), 1e-9);
}

TEST(InstructionSets, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const Forced forced("mmx");
  const auto backend = make_backend("reference");
  try {
    backend->configure(std::make_shared<const Model>(serial_chain(2)));
    FAIL() << "configure took the instruction set 'mmx'";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "RBD_PARALLEL_ISA is 'mmx', expected one of baseline, avx2, avx512");
  }
  EXPECT_FALSE(backend->configured());
}

}  // namespace
}  // namespace rbd_parallel_core
