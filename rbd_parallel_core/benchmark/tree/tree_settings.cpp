// SPDX-License-Identifier: Apache-2.0
#include "tree_settings.hpp"

#include "common/command_line.hpp"

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_tree_bench --json FILE [--inverse-dynamics N] [--forward-dynamics N] [--dense N]\n"
    "                      [--sparse N] [--scans N] [--peer N] [--accuracy N] [--largest-values "
    "BYTES]\n"
    "                      [--largest-diagonal N] [--threads T] [--case-seconds X]\n"
    "  N: numbers of bodies with commas between them, as in 1000,10000. A part without any is not\n"
    "  run. T likewise.\n";

}  // namespace

TreeSettings parse_tree_settings(int argc, char** argv) {
  TreeSettings s;
  CommandLine line(kUsage);
  line.option("--json", s.json_file);
  line.option("--inverse-dynamics", s.inverse_dynamics);
  line.option("--forward-dynamics", s.forward_dynamics);
  line.option("--dense", s.dense);
  line.option("--sparse", s.sparse);
  line.option("--scans", s.scans);
  line.option("--peer", s.peer);
  line.option("--accuracy", s.accuracy);
  line.option("--largest-values", s.largest_values);
  line.option("--largest-diagonal", s.largest_diagonal);
  line.option("--threads", s.threads);
  line.option("--case-seconds", s.sampling.case_seconds);
  line.parse(argc, argv);
  if (s.json_file.empty()) line.fail("no --json FILE");
  return s;
}

}  // namespace rbd_bench
