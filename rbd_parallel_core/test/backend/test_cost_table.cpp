// SPDX-License-Identifier: Apache-2.0
//
// The text of the costs by which `auto` chooses: what is read, what is refused and how.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "auto/cost_table.hpp"
#include "scoped_environment.hpp"

namespace rbd_parallel_core {
namespace {

const std::string good = "cpu inverse_dynamics float64 1-255 2- 0.5 12 3 0.25 0.125 1.6";

/// What CostTable::parse says against a text.
std::string fault_of(const std::string& text) {
  try {
    CostTable::parse(text, "costs.txt");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CostTable, ReadsEveryColumn) {
  const CostTable table = CostTable::parse("# a remark\n\n" + good + "  # another\n", "costs.txt");
  ASSERT_EQ(table.lines().size(), 1U);
  const CostLine& line = table.lines().front();
  EXPECT_EQ(line.backend, Candidate::cpu);
  EXPECT_EQ(line.operation, Operation::inverse_dynamics);
  EXPECT_EQ(line.precision, Precision::float64);
  EXPECT_EQ(line.bodies.first, 1U);
  EXPECT_EQ(line.bodies.last, 255U);
  EXPECT_EQ(line.batch.first, 2U);
  EXPECT_EQ(line.batch.last, CountRange::no_end);
  EXPECT_EQ(line.fixed_us, 0.5);
  EXPECT_EQ(line.two_threads, 1.6);
  EXPECT_EQ(line.line, 3);
  const RobotShape shape{.bodies = 100, .depth = 10, .entries = 400, .zeros = 800};
  EXPECT_DOUBLE_EQ(line.run_us(shape), 0.5 + 1.2 + 0.03 + 0.1 + 0.1);
}

TEST(CostTable, LinesHoldWhereTheirRangesSay) {
  const CostTable table = CostTable::parse(
      "tree mass_matrix float32 64 1- 0 1 0 0 0 1\n"
      "tree mass_matrix float32 65-99 1-3 0 2 0 0 0 1\n"
      "tree mass_matrix float32 65-99 4- 0 3 0 0 0 1\n",
      "costs.txt");
  const auto count = [&](Operation operation, Precision precision, std::size_t bodies) {
    return table.of(Candidate::tree, operation, precision, bodies).size();
  };
  EXPECT_EQ(count(Operation::mass_matrix, Precision::float32, 63), 0U);
  EXPECT_EQ(count(Operation::mass_matrix, Precision::float32, 64), 1U);
  EXPECT_EQ(count(Operation::mass_matrix, Precision::float32, 65), 2U);
  EXPECT_EQ(count(Operation::mass_matrix, Precision::float32, 100), 0U);
  EXPECT_EQ(count(Operation::mass_matrix, Precision::float64, 64), 0U);
  EXPECT_EQ(count(Operation::inverse_dynamics, Precision::float32, 64), 0U);
  EXPECT_TRUE(table.of(Candidate::cpu, Operation::mass_matrix, Precision::float32, 64).empty());
}

/// Amdahl's law: the part that one thread does alone follows from the gain of two.
TEST(CostTable, ThreadsShareWhatCanBeShared) {
  CostLine line;
  for (const double gain : {0.5, 1.0, 1.5, 2.0}) {
    line.two_threads = gain;
    EXPECT_DOUBLE_EQ(line.share(1), 1);
    EXPECT_DOUBLE_EQ(line.share(2), 1 / gain);
    EXPECT_GT(line.share(64), 0);
  }
  line.two_threads = 1.5;  // a third is done alone
  EXPECT_DOUBLE_EQ(line.share(4), 1.0 / 3 + 2.0 / 3 / 4);
}

TEST(CostTable, NamesLineAndReason) {
  const std::string before = "# one\n" + good + "\n";
  const std::pair<std::string, std::string> faults[] = {
      {"cpu inverse_dynamics", "it has 2 words, expected 11: backend operation precision"},
      {good + " 7", "it has 12 words, expected 11"},
      {"gpu inverse_dynamics float64 1- 1- 0 1 0 0 0 1",
       "the backend is 'gpu', expected cpu, compiled, tree or cuda"},
      {"cpu gravity_forces float64 1- 1- 0 1 0 0 0 1",
       "the operation is 'gravity_forces', expected inverse_dynamics, mass_matrix, "},
      {"cpu mass_matrix double 1- 1- 0 1 0 0 0 1",
       "the precision is 'double', expected float64 or float32"},
      {"cpu mass_matrix float64 0-9 1- 0 1 0 0 0 1", "bodies is '0-9', expected a range"},
      {"cpu mass_matrix float64 9-3 1- 0 1 0 0 0 1", "bodies is '9-3', expected a range"},
      {"cpu mass_matrix float64 1- 1-x 0 1 0 0 0 1", "batch is '1-x', expected a range"},
      {"cpu mass_matrix float64 1- - 0 1 0 0 0 1", "batch is '-', expected a range"},
      {"cpu mass_matrix float64 1- 1- -1 1 0 0 0 1",
       "fixed_us is '-1', expected a number that is not negative"},
      {"cpu mass_matrix float64 1- 1- 0 nan 0 0 0 1", "ns_per_body is 'nan', expected a number"},
      {"cpu mass_matrix float64 1- 1- 0 1 1e999 0 0 1", "ns_per_level is '1e999'"},
      {"cpu mass_matrix float64 1- 1- 0 1 -1.5 0 0 1",
       "ns_per_level is '-1.5', expected a number that is not below minus ns_per_body"},
      {"cpu mass_matrix float64 1- 1- 0 1 0 1,5 0 1", "ns_per_entry is '1,5'"},
      {"cpu mass_matrix float64 1- 1- 0 1 0 0 two 1", "ns_per_zero is 'two'"},
      {"cpu mass_matrix float64 1- 1- 0 1 0 0 0 2.5",
       "two_threads is '2.5', expected a number from 0.1 to 2"},
      {"cpu inverse_dynamics float64 200- 7 0 1 0 0 0 1",
       "it holds for cases that line 2 holds for too"}};
  for (const auto& [line, reason] : faults) {
    const std::string text = fault_of(before + line + "\n");
    EXPECT_EQ(text.rfind("costs.txt, line 3: " + reason, 0), 0U) << line << " gives: " << text;
  }
  EXPECT_EQ(fault_of(before), "");
}

TEST(CostTable, TheOneBuiltInPricesEverything) {
  const CostTable table = CostTable::built_in();
  for (const Operation operation : all_operations) {
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      for (const std::size_t bodies : {1U, 6U, 63U, 64U, 512U, 513U, 100'000U, 5'000'000U}) {
        for (const std::size_t batch : {1U, 2U, 1000U, 1'000'000U}) {
          for (const Candidate candidate : {Candidate::cpu, Candidate::tree}) {
            if (candidate == Candidate::tree && bodies < 64) continue;
            std::size_t holding = 0;
            for (const CostLine& line :
                 table.of(candidate, priced_as(operation), precision, bodies)) {
              holding += line.batch.contains(batch) ? 1 : 0;
            }
            EXPECT_EQ(holding, 1U) << name_of(candidate) << " " << name_of(operation) << ", "
                                   << bodies << " bodies, batch " << batch;
          }
        }
      }
    }
  }
}

TEST(CostTable, TheEnvironmentNamesAnother) {
  const auto path = std::filesystem::temp_directory_path() / "rbd_parallel_test_costs.txt";
  std::ofstream(path) << good << "\n";
  {
    const ScopedEnvironment costs("RBD_PARALLEL_COSTS", path.string());
    EXPECT_EQ(CostTable::of_environment().lines().size(), 1U);
    EXPECT_EQ(CostTable::of_environment().origin(), path.string());
  }
  std::filesystem::remove(path);
  for (const std::string& missing : {path.string(), path.parent_path().string()}) {
    const ScopedEnvironment costs("RBD_PARALLEL_COSTS", missing);
    EXPECT_THROW(CostTable::of_environment(), std::invalid_argument) << missing;
  }
  const ScopedEnvironment costs("RBD_PARALLEL_COSTS", "");
  EXPECT_EQ(CostTable::of_environment().lines().size(), CostTable::built_in().lines().size());
}

TEST(Operations, HaveNames) {
  for (const Operation operation : all_operations) {
    EXPECT_EQ(operation_of(name_of(operation)), operation);
  }
  EXPECT_FALSE(operation_of("inverse").has_value());
}

}  // namespace
}  // namespace rbd_parallel_core
