// SPDX-License-Identifier: Apache-2.0
// This library against its peers, robot by robot, in one process, everyone's samples shuffled.
//
// Results are compared before anything is timed: a wrong number is not fast. The peers get their
// states prepared in their own layouts and leave each result where they write it (Pinocchio's
// data.tau, data.ddq and upper triangle of data.M); ours go to arrays of the whole batch, M in
// full.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "options.hpp"
#include "peak.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "robot_bench.hpp"

namespace rbd_bench {
namespace {

// OpenMP's threads spin for a while after their work, in case there is more, and would disturb who
// comes next. About 1 ms is enough for the next call of the same benchmark and is over before the
// next sample begins.
void limit_spinning() { setenv("GOMP_SPINCOUNT", "20000", 0); }

// KDL has no derivatives.
std::vector<PeerLibrary> load_peers(const Options& options, Report& report) {
  std::vector<const char*> files{"librbd_peer_pinocchio.so", "librbd_peer_mujoco.so"};
  if (!options.derivatives) files.push_back("librbd_peer_kdl.so");
  std::vector<PeerLibrary> libraries;
  for (const char* file : files) {
    try {
      libraries.emplace_back(file);
      report.peers.push_back({libraries.back().name(), libraries.back().version()});
    } catch (const std::exception& e) {
      report.left_out.push_back(std::string("not installed when this was built, or not found: ") +
                                e.what());
    }
  }
  return libraries;
}

void measure_peaks(const Options& options, Report& report) {
  for (const auto set : options.instruction_sets) {
    for (const bool in_float : {false, true}) {
      report.peaks.push_back(
          {name_of(set), in_float ? "float" : "double", measure_peak(set, in_float)});
    }
  }
}

// How the first peer compares with our fastest way to do the same from rows of doubles.
void print_ratio(const CaseResult& c) {
  const auto fastest = [&](auto&& matches) {
    double best = 0.0;
    for (const Entry& entry : c.entries) {
      if (!matches(entry.label)) continue;
      best = best == 0.0 ? entry.timing.median : std::min(best, entry.timing.median);
    }
    return best;
  };
  const std::string peer = c.entries.front().label.who;
  const double theirs = fastest([&](const Label& label) { return label.who == peer; });
  const double ours = fastest([](const Label& label) {
    return label.who == "rbd_parallel" && label.precision == "double" && label.layout == "rows";
  });
  std::fprintf(stderr, "%8.0f ns", ours);
  if (peer != "rbd_parallel") std::fprintf(stderr, "%8.2fx %s", theirs / ours, peer.c_str());
}

void print_case(const CaseResult& c) {
  std::fprintf(stderr, "%-15s %-16s batch %-6zu %d thread%-2s", c.robot.c_str(),
               c.operation.c_str(), c.batch, c.threads, c.threads > 1 ? "s" : "");
  print_ratio(c);
  std::fputc('\n', stderr);
}

void bench(const Options& options, Report& report) {
  const std::vector<PeerLibrary> libraries = load_peers(options, report);
  std::size_t total = 0, done = 0;
  for (const Robot& robot : options.robots) {
    for (const Group& group : groups_of(robot, options)) total += group.size();
  }
  for (const Robot& robot : options.robots) {
    RobotBench bench(robot, options, libraries, report);
    for (const Group& group : groups_of(robot, options)) {
      const std::size_t before = report.cases.size();
      bench.run(group);
      done += group.size();
      for (std::size_t k = before; k < report.cases.size(); ++k) {
        std::fprintf(stderr, "[%3zu/%zu] ", done - (report.cases.size() - 1 - k), total);
        print_case(report.cases[k]);
      }
    }
  }
}

void run(const Options& options) {
  limit_spinning();
  Report report{.settings = options.settings,
                .peers{},
                .peaks{},
                .bandwidths = measure_bandwidths(),
                .left_out{},
                .cases{}};
  measure_peaks(options, report);
  bench(options, report);
  for (const std::string& sentence : report.left_out) {
    std::fprintf(stderr, "left out: %s\n", sentence.c_str());
  }
  if (!options.json_file.empty()) write_file(options.json_file, to_json(report));
}

}  // namespace
}  // namespace rbd_bench

int main(int argc, char** argv) {
  using namespace rbd_bench;
  return run_program("rbd_bench", [&] { run(parse_options(argc, argv)); });
}
