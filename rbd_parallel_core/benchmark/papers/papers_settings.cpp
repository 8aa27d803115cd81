// SPDX-License-Identifier: Apache-2.0
#include "papers_settings.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_papers_bench --json FILE [--links N] [--groups N] [--dcae N] [--accuracy N]\n"
    "                        [--blocks N] [--shares X] [--group-count COUNT] [--threads T]\n"
    "                        [--case-seconds X]\n"
    "  N: numbers of bodies with commas between them, as in 128,256. An experiment without any is\n"
    "  not run. X, T likewise; a share is below 1.\n";

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

std::vector<double> shares(const std::string& option, const std::string& text) {
  std::vector<double> numbers = list<double>(option, text);
  for (const double share : numbers) {
    if (!(share < 1)) throw std::runtime_error(option + ": expected numbers below 1");
  }
  return numbers;
}

}  // namespace

PapersSettings parse_papers_settings(int argc, char** argv) {
  PapersSettings s;
  using Option = const std::string&;
  const auto bodies = [](std::vector<std::size_t>& part) {
    return [&part](Option option, Option value) { part = list<std::size_t>(option, value); };
  };
  const std::map<std::string, std::function<void(Option, Option)>> takers = {
      {"--json", [&](Option, Option value) { s.json_file = value; }},
      {"--links", bodies(s.links)},
      {"--groups", bodies(s.groups)},
      {"--dcae", bodies(s.dcae)},
      {"--accuracy", bodies(s.accuracy)},
      {"--blocks", bodies(s.blocks)},
      {"--shares", [&](Option o, Option value) { s.shares = shares(o, value); }},
      {"--group-count",
       [&](Option o, Option value) { s.group_count = positive<std::size_t>(o, value); }},
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
