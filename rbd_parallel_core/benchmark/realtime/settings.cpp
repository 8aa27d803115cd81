// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include "common/command_line.hpp"

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_realtime URDF [OPTIONS]\n"
    "  --backend NAME      reference or cpu (default), with one thread\n"
    "  --period US         microseconds of a cycle, default 1000; 0: calls in a row\n"
    "  --seconds X         how long the cycles go on, default 60\n"
    "  --calls N           of each operation with --period 0, default 1000000\n"
    "  --inputs KIND       ordinary (default), or what an unknown one lists\n"
    "  --priority N        of SCHED_FIFO, default 80; 0: the ordinary scheduler\n"
    "  --core N            to stay on, default: the last one\n"
    "  --no-lock           leave the memory unlocked\n"
    "  --flush-denormals   let denormal numbers count as zero\n"
    "  --json FILE         write what was counted, with the histograms\n";

}  // namespace

RealtimeSettings parse_settings(int argc, char** argv) {
  RealtimeSettings s;
  CommandLine line(kUsage);
  line.operand(s.urdf);
  line.option("--backend", s.backend);
  line.option("--inputs", s.inputs);
  line.option("--json", s.json_file);
  line.option("--period", s.period_us, std::int64_t{0});
  line.option("--seconds", s.seconds, 1e-3);
  line.option("--calls", s.calls, std::uint64_t{1});
  line.option("--priority", s.priority, 0);
  line.option("--core", s.core, 0);
  line.flag("--no-lock", s.lock_memory, false);
  line.flag("--flush-denormals", s.flush_denormals, true);
  line.parse(argc, argv);
  if (s.urdf.empty()) line.fail("which robot?");
  return s;
}

}  // namespace rbd_bench
