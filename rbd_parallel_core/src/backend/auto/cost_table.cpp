// SPDX-License-Identifier: Apache-2.0
#include "cost_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "default_costs.hpp"

namespace rbd_parallel_core {
namespace {

constexpr const char* variable = "RBD_PARALLEL_COSTS";
constexpr std::size_t words_of_line = 11;

/// What is wrong with a line; the table adds where.
struct LineFault : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] void refuse(const std::string& what, const std::string& word,
                         const std::string& expected) {
  throw LineFault(what + " is '" + word + "', expected " + expected);
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line.substr(0, line.find('#')))};
  return {std::istream_iterator<std::string>(stream), {}};
}

Candidate candidate_of(const std::string& word) {
  for (const Candidate candidate : all_candidates) {
    if (name_of(candidate) == word) return candidate;
  }
  refuse("the backend", word, "cpu, compiled, tree or cuda");
}

Operation priced_operation_of(const std::string& word) {
  for (const Operation operation : all_operations) {
    if (name_of(operation) == word && priced_as(operation) == operation) return operation;
  }
  refuse("the operation", word,
         "inverse_dynamics, mass_matrix, forward_dynamics or sparse_mass_matrix");
}

Precision precision_of(const std::string& word) {
  if (word == "float64") return Precision::float64;
  if (word == "float32") return Precision::float32;
  refuse("the precision", word, "float64 or float32");
}

bool read(std::string_view word, auto& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

/// "6-40", "6-", or "6" for one number alone.
CountRange range_of(const char* what, const std::string& word) {
  const std::size_t dash = word.find('-');
  CountRange range;
  bool good = read(word.substr(0, dash), range.first) && range.first > 0;
  if (dash == std::string::npos) {
    range.last = range.first;
  } else if (dash + 1 < word.size()) {
    good = good && read(word.substr(dash + 1), range.last) && range.last >= range.first;
  }
  if (!good) refuse(what, word, "a range of positive numbers, as in 1-255 or 256-");
  return range;
}

double cost_of(const char* what, const std::string& word) {
  double cost = 0;
  if (!read(word, cost) || !std::isfinite(cost) || cost < 0) {
    refuse(what, word, "a number that is not negative");
  }
  return cost;
}

/// Twice as fast is the most that two threads can be, and more would have many threads take no
/// time.
double gain_of(const std::string& word) {
  double gain = 0;
  if (!read(word, gain) || !(gain >= 0.1 && gain <= 2)) {
    refuse("two_threads", word, "a number from 0.1 to 2");
  }
  return gain;
}

/// Negative where a chain costs less than a tree of as many bodies, which has no longer path: then
/// no robot's costs are.
double level_cost_of(const std::string& word, double ns_per_body) {
  double cost = 0;
  if (!read(word, cost) || !std::isfinite(cost) || cost < -ns_per_body) {
    refuse("ns_per_level", word, "a number that is not below minus ns_per_body");
  }
  return cost;
}

CostLine line_of(const std::vector<std::string>& words) {
  if (words.size() != words_of_line) {
    throw LineFault("it has " + std::to_string(words.size()) + " words, expected " +
                    std::to_string(words_of_line) +
                    ": backend operation precision bodies batch fixed_us ns_per_body ns_per_level "
                    "ns_per_entry ns_per_zero two_threads");
  }
  const double ns_per_body = cost_of("ns_per_body", words[6]);
  return {.backend = candidate_of(words[0]),
          .operation = priced_operation_of(words[1]),
          .precision = precision_of(words[2]),
          .bodies = range_of("bodies", words[3]),
          .batch = range_of("batch", words[4]),
          .fixed_us = cost_of("fixed_us", words[5]),
          .ns_per_body = ns_per_body,
          .ns_per_entry = cost_of("ns_per_entry", words[8]),
          .ns_per_zero = cost_of("ns_per_zero", words[9]),
          .ns_per_level = level_cost_of(words[7], ns_per_body),
          .two_threads = gain_of(words[10])};
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  if (!file || !std::filesystem::is_regular_file(path)) {
    throw std::invalid_argument(std::string(variable) + " is '" + path +
                                "', which is no file that can be read");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string name_of(Candidate candidate) {
  switch (candidate) {
    case Candidate::cpu:
      return "cpu";
    case Candidate::compiled:
      return "compiled";
    case Candidate::tree:
      return "tree";
    case Candidate::cuda:
      break;
  }
  return "cuda";
}

Operation priced_as(Operation operation) noexcept {
  switch (operation) {
    case Operation::forward_dynamics:
    case Operation::mass_matrix:
    case Operation::sparse_mass_matrix:
      return operation;
    default:
      return Operation::inverse_dynamics;
  }
}

double CostLine::run_us(const RobotShape& shape) const noexcept {
  return fixed_us + 1e-3 * (ns_per_body * static_cast<double>(shape.bodies) +
                            ns_per_level * static_cast<double>(shape.depth) +
                            ns_per_entry * static_cast<double>(shape.entries) +
                            ns_per_zero * static_cast<double>(shape.zeros));
}

double CostLine::share(int threads) const noexcept {
  const double alone = 2 / two_threads - 1;
  return alone + (1 - alone) / threads;
}

CostTable CostTable::parse(std::string_view text, const std::string& origin) {
  CostTable table;
  table.origin_ = origin;
  std::istringstream stream{std::string(text)};
  std::string content;
  for (int number = 1; std::getline(stream, content); ++number) {
    const std::vector<std::string> words = words_of(content);
    if (words.empty()) continue;
    try {
      CostLine line = line_of(words);
      line.line = number;
      for (const CostLine& other : table.lines_) {
        if (!line.overlaps(other)) continue;
        throw LineFault("it holds for cases that line " + std::to_string(other.line) +
                        " holds for too");
      }
      table.lines_.push_back(line);
    } catch (const LineFault& fault) {
      throw std::invalid_argument(origin + ", line " + std::to_string(number) + ": " +
                                  fault.what());
    }
  }
  return table;
}

CostTable CostTable::built_in() { return parse(default_costs, "the costs built in"); }

CostTable CostTable::of_environment() {
  const char* path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return built_in();
  return parse(content_of(path), path);
}

std::vector<CostLine> CostTable::of(Candidate backend, Operation operation, Precision precision,
                                    std::size_t bodies) const {
  std::vector<CostLine> found;
  std::copy_if(lines_.begin(), lines_.end(), std::back_inserter(found), [&](const CostLine& line) {
    return line.backend == backend && line.operation == operation && line.precision == precision &&
           line.bodies.contains(bodies);
  });
  return found;
}

}  // namespace rbd_parallel_core
