// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/allocation_count.hpp"
#include "rbd_parallel_core/testing/backend_checks.hpp"

/// The conformance suite: GoogleTest cases that any Backend must pass, whoever wrote it. A
/// backend's own test is
///
///   #include "my_backend.hpp"
///   #include "rbd_parallel_core/testing/backend_conformance.hpp"
///
///   namespace rbd_parallel_core::conformance {
///   RBD_BACKEND_CONFORMANCE(MyBackend, {.name = "mine", .make = [] { return
///   std::make_unique<MyBackend>(); }});
///   }
///
/// linked with rbd_parallel_core and GTest::gtest_main. The fields of BackendUnderTest say what it
/// does not offer and how exact it is. backend_checks.hpp lists the checks (testing/checks/): right
/// numbers (against an oracle that shares no code with the library, and against the backend
/// "reference"), independence of the states of a batch, bad arguments, bad states, configure,
/// several threads. The last check, that no call allocates, needs an interposer of malloc in the
/// executable (allocation_count.hpp; this repository's is test/backend/allocation_counter.cpp) and
/// is skipped without one.
namespace rbd_parallel_core::conformance {

struct ConformanceCase {
  BackendUnderTest backend;
  Check check;

  friend void PrintTo(const ConformanceCase& instance, std::ostream* out) {
    *out << instance.check.name << " of " << instance.backend.name;
  }
};

class BackendConformance : public ::testing::TestWithParam<ConformanceCase> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendConformance);

TEST_P(BackendConformance, Holds) {
  const auto& [backend, check] = GetParam();
  if (check.run == check_allocations && !can_count_allocations()) {
    GTEST_SKIP() << "no interposer of malloc is linked into this executable";
  }
  const Violations violations = check.run(backend);
  constexpr std::size_t most_lines = 20;
  std::string text;
  for (std::size_t i = 0; i < violations.size() && i < most_lines; ++i)
    text += "  " + violations[i] + "\n";
  EXPECT_TRUE(violations.empty()) << violations.size() << " violations by " << backend.name << ":\n"
                                  << text;
}

inline std::vector<ConformanceCase> conformance_cases(const BackendUnderTest& backend) {
  std::vector<ConformanceCase> cases;
  for (const Check& check : every_check()) cases.push_back({backend, check});
  return cases;
}

}  // namespace rbd_parallel_core::conformance

/// RBD_BACKEND_CONFORMANCE(Name, {BackendUnderTest's fields}): one GoogleTest case for each check.
#define RBD_BACKEND_CONFORMANCE(suite, ...)                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      suite, BackendConformance,                                                            \
      ::testing::ValuesIn(::rbd_parallel_core::conformance::conformance_cases(              \
          ::rbd_parallel_core::conformance::BackendUnderTest __VA_ARGS__)),                 \
      [](const ::testing::TestParamInfo<::rbd_parallel_core::conformance::ConformanceCase>& \
             instance) { return std::string(instance.param.check.name); })
