// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "chain.hpp"
#include "common/command_line.hpp"

namespace rbd_bench {
namespace {

constexpr double kChainSkew = 0.5;

constexpr const char* kUsage =
    "usage: rbd_bench [--robot NAME URDF fixed|floating BATCHES | --chain BODIES BATCHES]...\n"
    "                 [--isa SETS] [--operations NAMES | --derivatives] [--case-seconds X]\n"
    "                 [--json FILE]\n"
    "  BATCHES, SETS, NAMES: several with commas between them, as in 1,1024 or avx2,avx512\n";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_floating(const std::string& base) {
  if (base != "fixed" && base != "floating") {
    throw std::runtime_error("expected 'fixed' or 'floating', got '" + base + "'");
  }
  return base == "floating";
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

Robot next_robot(CommandLine::Values& values) {
  const std::string name = values.next();
  const std::string text = read_file(values.next());
  const bool floating = is_floating(values.next());
  return {name, text, floating, positives<std::size_t>(values.option(), values.next())};
}

Robot next_chain(CommandLine::Values& values) {
  const auto bodies = positive<std::size_t>(values.option(), values.next());
  return {"chain " + std::to_string(bodies), chain_urdf(bodies, kChainSkew), false,
          positives<std::size_t>(values.option(), values.next())};
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
  using Values = CommandLine::Values;
  Options options;
  CommandLine line(kUsage);
  line.option("--robot", [&](Values& values) { options.robots.push_back(next_robot(values)); });
  line.option("--chain", [&](Values& values) { options.robots.push_back(next_chain(values)); });
  line.option("--isa",
              [&](Values& values) { options.instruction_sets = instruction_sets(values.next()); });
  line.option("--operations", [&](Values& values) { options.operations = split(values.next()); });
  line.flag("--derivatives", options.derivatives, true);
  line.option("--case-seconds", options.settings.case_seconds);
  line.option("--json", options.json_file);
  line.parse(argc, argv);
  if (options.robots.empty()) line.fail("no robot given");
  if (options.derivatives && !options.operations.empty()) {
    line.fail("--operations does not go with --derivatives, whose operations are fixed");
  }
  if (options.instruction_sets.empty()) options.instruction_sets = usual_instruction_sets();
  return options;
}

}  // namespace rbd_bench
