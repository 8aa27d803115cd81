// SPDX-License-Identifier: Apache-2.0
//
// Bad and odd URDFs, one file each in corpus/, and what becomes of them in corpus/outcomes.txt.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/german_locale.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_parallel_core {
namespace {

/// What is expected of a text, or what came of it.
struct Outcome {
  std::string verdict;             ///< "refused", or "loads with nv 3"
  std::vector<std::string> lines;  ///< faults, and warnings if any

  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << outcome.verdict;
    for (const std::string& line : outcome.lines) *out << "\n  " << line;
  }
};

struct Case {
  std::string name;
  Outcome expected;
};

std::vector<Case> read_cases() {
  std::ifstream file(std::string(RBD_CORPUS_DIR) + "/outcomes.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("  ")) {
      cases.back().expected.lines.push_back(line.substr(2));
    } else {
      const std::size_t colon = line.find(": ");
      cases.push_back({line.substr(0, colon), {line.substr(colon + 2), {}}});
    }
  }
  return cases;
}

Outcome outcome_of(const std::string& name) {
  try {
    const Model model = load_urdf_file(std::string(RBD_CORPUS_DIR) + "/" + name + ".urdf");
    return {"loads with nv " + std::to_string(model.nv()), model.warnings()};
  } catch (const ModelError& error) {
    Outcome outcome{"refused", error.faults()};
    for (const std::string& line : error.warnings()) outcome.lines.push_back("warning: " + line);
    return outcome;
  }
}

class Corpus : public ::testing::TestWithParam<Case> {};

TEST_P(Corpus, HasThisOutcome) { EXPECT_EQ(outcome_of(GetParam().name), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(Urdf, Corpus, ::testing::ValuesIn(read_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(CorpusFolder, HasTheSameOutcomesUnderAGermanLocale) {
  const GermanLocale locale;
  if (!locale.is_there()) GTEST_SKIP() << locale.why_not;
  for (const Case& instance : read_cases()) {
    EXPECT_EQ(outcome_of(instance.name), instance.expected) << instance.name;
  }
}

TEST(CorpusFolder, EveryTextHasAnOutcome) {
  std::vector<std::string> listed, present;
  for (const Case& instance : read_cases()) listed.push_back(instance.name);
  for (const auto& entry : std::filesystem::directory_iterator(RBD_CORPUS_DIR)) {
    if (entry.path().extension() == ".urdf") present.push_back(entry.path().stem().string());
  }
  std::sort(listed.begin(), listed.end());
  std::sort(present.begin(), present.end());
  EXPECT_EQ(present, listed);
  EXPECT_GE(listed.size(), 60u);
}

}  // namespace
}  // namespace rbd_parallel_core
