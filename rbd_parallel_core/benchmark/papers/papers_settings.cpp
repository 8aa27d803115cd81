// SPDX-License-Identifier: Apache-2.0
#include "papers_settings.hpp"

#include "common/command_line.hpp"

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_papers_bench --json FILE [--links N] [--groups N] [--dcae N] [--accuracy N]\n"
    "                        [--blocks N] [--shares X] [--group-count COUNT] [--threads T]\n"
    "                        [--case-seconds X]\n"
    "  N: numbers of bodies with commas between them, as in 128,256. An experiment without any is\n"
    "  not run. X, T likewise; a share is below 1.\n";

}  // namespace

PapersSettings parse_papers_settings(int argc, char** argv) {
  PapersSettings s;
  CommandLine line(kUsage);
  line.option("--json", s.json_file);
  line.option("--links", s.links);
  line.option("--groups", s.groups);
  line.option("--dcae", s.dcae);
  line.option("--accuracy", s.accuracy);
  line.option("--blocks", s.blocks);
  line.option("--shares", s.shares);
  line.option("--group-count", s.group_count);
  line.option("--threads", s.threads);
  line.option("--case-seconds", s.sampling.case_seconds);
  line.parse(argc, argv);
  for (const double share : s.shares) {
    if (!(share < 1)) line.fail("--shares: expected numbers below 1");
  }
  if (s.json_file.empty()) line.fail("no --json FILE");
  return s;
}

}  // namespace rbd_bench
