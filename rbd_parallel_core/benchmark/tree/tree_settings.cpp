// SPDX-License-Identifier: Apache-2.0
#include "tree_settings.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_tree_bench --json FILE [--inverse-dynamics N] [--forward-dynamics N] [--dense N]\n"
    "                      [--sparse N] [--scans N] [--peer N] [--accuracy N] [--largest-values "
    "BYTES]\n"
    "                      [--largest-diagonal N] [--threads T] [--case-seconds X]\n"
    "  N: numbers of bodies with commas between them, as in 1000,10000. A part without any is not\n"
    "  run. T likewise.\n";

template <class Number>
Number positive(const std::string& option, const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !(number > Number(0))) {
    throw std::runtime_error(option + ": expected a positive number, got '" + text + "'");
  }
  return number;
}

template <class Number>
std::vector<Number> list(const std::string& option, const std::string& text) {
  std::vector<Number> numbers;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    numbers.push_back(positive<Number>(option, part));
  }
  return numbers;
}

}  // namespace

TreeSettings parse_tree_settings(int argc, char** argv) {
  TreeSettings s;
  using Option = const std::string&;
  const auto bodies = [](std::vector<std::size_t>& part) {
    return [&part](Option option, Option value) { part = list<std::size_t>(option, value); };
  };
  const std::map<std::string, std::function<void(Option, Option)>> takers = {
      {"--json", [&](Option, Option value) { s.json_file = value; }},
      {"--inverse-dynamics", bodies(s.inverse_dynamics)},
      {"--forward-dynamics", bodies(s.forward_dynamics)},
      {"--dense", bodies(s.dense)},
      {"--sparse", bodies(s.sparse)},
      {"--scans", bodies(s.scans)},
      {"--peer", bodies(s.peer)},
      {"--accuracy", bodies(s.accuracy)},
      {"--largest-values",
       [&](Option o, Option value) { s.largest_values = positive<std::size_t>(o, value); }},
      {"--largest-diagonal",
       [&](Option o, Option value) { s.largest_diagonal = positive<std::size_t>(o, value); }},
      {"--threads", [&](Option o, Option value) { s.threads = list<int>(o, value); }},
      {"--case-seconds",
       [&](Option o, Option value) { s.sampling.case_seconds = positive<double>(o, value); }},
  };
  for (int k = 1; k < argc; k += 2) {
    const auto taker = takers.find(argv[k]);
    if (taker == takers.end()) {
      throw std::runtime_error("unknown argument '" + std::string(argv[k]) + "'\n" + kUsage);
    }
    if (k + 1 == argc) throw std::runtime_error(taker->first + " lacks a value\n" + kUsage);
    taker->second(taker->first, argv[k + 1]);
  }
  if (s.json_file.empty()) throw std::runtime_error(std::string("no --json FILE\n") + kUsage);
  return s;
}

}  // namespace rbd_bench
