// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "chain.hpp"

namespace rbd_bench {
namespace {

constexpr double kChainSkew = 0.5;

constexpr const char* kUsage =
    "usage: rbd_bench [--robot NAME URDF fixed|floating BATCHES | --chain BODIES BATCHES]...\n"
    "                 [--isa SETS] [--operations NAMES] [--case-seconds X] [--json FILE]\n"
    "  BATCHES, SETS, NAMES: several with commas between them, as in 1,1024 or avx2,avx512\n";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double positive_number(const std::string& text) {
  std::size_t used = 0;
  double number = 0.0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || !(number > 0.0)) {
    throw std::runtime_error("expected a positive number, got '" + text + "'");
  }
  return number;
}

std::size_t positive_integer(const std::string& text) {
  const double number = positive_number(text);
  const auto integer = static_cast<std::size_t>(number);
  if (static_cast<double>(integer) != number) {
    throw std::runtime_error("expected a whole number, got '" + text + "'");
  }
  return integer;
}

bool is_floating(const std::string& base) {
  if (base != "fixed" && base != "floating") {
    throw std::runtime_error("expected 'fixed' or 'floating', got '" + base + "'");
  }
  return base == "floating";
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<std::size_t> batches(const std::string& text) {
  std::vector<std::size_t> result;
  for (const std::string& part : split(text)) result.push_back(positive_integer(part));
  return result;
}

std::vector<rbd_parallel_core::InstructionSet> instruction_sets(const std::string& text) {
  const auto available = rbd_parallel_core::available_instruction_sets();
  std::vector<rbd_parallel_core::InstructionSet> result;
  for (const std::string& part : split(text)) {
    const auto found = std::find_if(available.begin(), available.end(),
                                    [&](auto set) { return name_of(set) == part; });
    if (found == available.end()) {
      std::string names;
      for (const auto set : available) names += ' ' + name_of(set);
      throw std::runtime_error("--isa: this machine has no '" + part + "', it has" + names);
    }
    result.push_back(*found);
  }
  return result;
}

// The words of the command line, one after the other.
class Words {
 public:
  Words(int argc, char** argv) : words_(argv + 1, argv + argc) {}
  bool empty() const { return next_ == words_.size(); }
  std::string next() {
    if (empty()) throw std::runtime_error("'" + words_.back() + "' lacks a value\n" + kUsage);
    return words_[next_++];
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

Robot next_robot(Words& words) {
  const std::string name = words.next();
  const std::string text = read_file(words.next());
  const bool floating = is_floating(words.next());
  return {name, text, floating, batches(words.next())};
}

Robot next_chain(Words& words) {
  const std::size_t bodies = positive_integer(words.next());
  return {"chain " + std::to_string(bodies), chain_urdf(bodies, kChainSkew), false,
          batches(words.next())};
}

void parse_option(const std::string& option, Words& words, Options& options) {
  if (option == "--robot") {
    options.robots.push_back(next_robot(words));
  } else if (option == "--chain") {
    options.robots.push_back(next_chain(words));
  } else if (option == "--isa") {
    options.instruction_sets = instruction_sets(words.next());
  } else if (option == "--operations") {
    options.operations = split(words.next());
  } else if (option == "--case-seconds") {
    options.settings.case_seconds = positive_number(words.next());
  } else if (option == "--json") {
    options.json_file = words.next();
  } else {
    throw std::runtime_error("unknown option '" + option + "'\n" + kUsage);
  }
}

// The set that figures are compared with, where there is one, and the best.
std::vector<rbd_parallel_core::InstructionSet> usual_instruction_sets() {
  using rbd_parallel_core::InstructionSet;
  const auto available = rbd_parallel_core::available_instruction_sets();
  if (available.back() == InstructionSet::avx512) {
    return {InstructionSet::avx2, InstructionSet::avx512};
  }
  return {available.back()};
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  Words words(argc, argv);
  while (!words.empty()) parse_option(words.next(), words, options);
  if (options.robots.empty()) throw std::runtime_error(std::string("no robot given\n") + kUsage);
  if (options.instruction_sets.empty()) options.instruction_sets = usual_instruction_sets();
  return options;
}

}  // namespace rbd_bench
