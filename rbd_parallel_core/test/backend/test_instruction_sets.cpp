// SPDX-License-Identifier: Apache-2.0
//
// The kernels are compiled once for each instruction set and chosen when a backend is configured.
// BackendOptions or RBD_PARALLEL_ISA force the choice.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
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
  std::vector<double> dtau_dq, dtau_dv, dqdd_dq, dqdd_dv, dqdd_dtau;
};

constexpr std::size_t batch = 19;

template <class Real>
std::vector<Real> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<Real> uniform(-3, 3);
  std::vector<Real> numbers(n);
  for (Real& number : numbers) number = uniform(random);
  return numbers;
}

Outputs compute(const std::shared_ptr<const Model>& model, const char* name,
                std::optional<InstructionSet> set) {
  const auto n = static_cast<std::size_t>(model->nv());
  const std::vector<double> q = random_numbers<double>(batch * n, 7),
                            v = random_numbers<double>(batch * n, 8),
                            a = random_numbers<double>(batch * n, 9);
  const std::vector<double> row(batch * n), matrix(batch * n * n);
  Outputs out{row, row, matrix, matrix, matrix, matrix, matrix, matrix};
  const auto backend = make_backend(name);
  backend->configure(model, {.max_batch = batch, .instruction_set = set});
  EXPECT_TRUE(
      backend->inverse_dynamics({.batch = batch, .q = q, .v = v, .a = a, .tau = out.tau}).ok());
  EXPECT_TRUE(
      backend->forward_dynamics({.batch = batch, .q = q, .v = v, .tau = a, .qdd = out.qdd}).ok());
  EXPECT_TRUE(backend->mass_matrix({.batch = batch, .q = q, .mass_matrix = out.M}).ok());
  const Result of_inverse = backend->inverse_dynamics_derivatives(
      {.batch = batch, .q = q, .v = v, .a = a, .dtau_dq = out.dtau_dq, .dtau_dv = out.dtau_dv});
  EXPECT_TRUE(of_inverse.ok());
  const Result of_forward = backend->forward_dynamics_derivatives({.batch = batch,
                                                                   .q = q,
                                                                   .v = v,
                                                                   .tau = a,
                                                                   .dqdd_dq = out.dqdd_dq,
                                                                   .dqdd_dv = out.dqdd_dv,
                                                                   .dqdd_dtau = out.dqdd_dtau});
  EXPECT_TRUE(of_forward.ok());
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

std::shared_ptr<const Model> tree() {
  return std::make_shared<const Model>(auto_tree({.bodies = 12, .branching = 1.5, .skew = 0.7}));
}

TEST(InstructionSets, AllThatAreThereAgree) {
  const auto model = tree();
  const Outputs expected = compute(model, "reference", InstructionSet::baseline);
  for (const InstructionSet set : available_instruction_sets()) {
    for (const char* name : {"cpu", "reference"}) {
      const Outputs actual = compute(model, name, set);
      EXPECT_LT(relative_difference(expected.tau, actual.tau), 1e-13) << name << name_of(set);
      EXPECT_LT(relative_difference(expected.M, actual.M), 1e-13) << name << name_of(set);
      EXPECT_LT(relative_difference(expected.qdd, actual.qdd), 1e-9) << name << name_of(set);
      // Solved for in blocks of columns, which branches leave in part: as wide as a register or
      // not.
      using Matrix = std::vector<double> Outputs::*;
      for (const Matrix matrix : {&Outputs::dtau_dq, &Outputs::dtau_dv}) {
        EXPECT_LT(relative_difference(expected.*matrix, actual.*matrix), 1e-13)
            << name << name_of(set);
      }
      for (const Matrix matrix : {&Outputs::dqdd_dq, &Outputs::dqdd_dv, &Outputs::dqdd_dtau}) {
        EXPECT_LT(relative_difference(expected.*matrix, actual.*matrix), 1e-9)
            << name << name_of(set);
      }
    }
  }
}

TEST(InstructionSets, TheVariableForcesWhatTheOptionForces) {
  const auto model = tree();
  for (const InstructionSet set : available_instruction_sets()) {
    const Outputs by_option = compute(model, "cpu", set);
    const Forced forced(name_of(set).c_str());
    EXPECT_EQ(choose_instruction_set(), set);
    const Outputs by_variable = compute(model, "cpu", std::nullopt);
    EXPECT_EQ(by_option.tau, by_variable.tau) << name_of(set);
    EXPECT_EQ(by_option.qdd, by_variable.qdd) << name_of(set);
    EXPECT_EQ(by_option.M, by_variable.M) << name_of(set);
  }
}

TEST(InstructionSets, TheOptionComesBeforeTheVariable) {
  const Forced forced("baseline");
  const InstructionSet best = available_instruction_sets().back();
  EXPECT_EQ(choose_instruction_set(best), best);
  EXPECT_EQ(choose_instruction_set(), InstructionSet::baseline);
}

TEST(InstructionSets, WithoutAWishTheBestIsTaken) {
  const Forced forced("");
  EXPECT_EQ(choose_instruction_set(), available_instruction_sets().back());
}

/// Bytes of a register: as wide as the hardware and no wider.
std::size_t register_bytes(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx2:
      return 32;
    case InstructionSet::avx512:
      return 64;
    default:
      return 16;
  }
}

TEST(InstructionSets, LanesFillARegister) {
  const auto model = tree();
  for (const InstructionSet set : available_instruction_sets()) {
    const auto in_double = make_backend<double>("cpu");
    const auto in_float = make_backend<float>("cpu");
    in_double->configure(model, {.instruction_set = set});
    in_float->configure(model, {.instruction_set = set});
    EXPECT_EQ(in_double->lane_width() * sizeof(double), register_bytes(set)) << name_of(set);
    EXPECT_EQ(in_float->lane_width() * sizeof(float), register_bytes(set)) << name_of(set);
  }
}

TEST(InstructionSets, WhatTheMachineLacksIsRefused) {
  const std::vector<InstructionSet> there = available_instruction_sets();
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    if (std::find(there.begin(), there.end(), set) != there.end()) continue;
    const auto backend = make_backend("cpu");
    try {
      backend->configure(tree(), {.instruction_set = set});
      FAIL() << "configure took " << name_of(set);
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("instruction_set is '" + name_of(set) + "', which this machine"),
                text.npos)
          << text;
    }
    EXPECT_FALSE(backend->configured());
  }
}

TEST(InstructionSets, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const Forced forced("mmx");
  const auto backend = make_backend("cpu");
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
