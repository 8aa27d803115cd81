// SPDX-License-Identifier: Apache-2.0
//
// The experiments of the papers that the methods are from, on this machine.
#include <cstdio>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "experiments.hpp"
#include "rbd_parallel_core/instruction_set.hpp"

namespace rbd_bench {
namespace {

struct Job {
  const char* name;
  std::size_t bodies;
  void (*run)(std::size_t, const PapersSettings&, PapersReport&);
};

std::vector<Job> jobs_for(const PapersSettings& settings) {
  std::vector<Job> jobs;
  const auto add = [&](const char* name, const std::vector<std::size_t>& sizes, auto run) {
    for (const std::size_t bodies : sizes) jobs.push_back({name, bodies, run});
  };
  add("prefix sums: one chain", settings.links, run_links);
  add("prefix sums: groups", settings.groups, run_groups);
  add("DCAe", settings.dcae, run_dcae);
  add("DCAe: accuracy", settings.accuracy, run_accuracy_of_methods);
  add("thesis: ABA by blocks", settings.blocks, run_blocks);
  return jobs;
}

void run(const PapersSettings& settings) {
  PapersReport report;
  report.timed.instruction_set =
      rbd_parallel_core::name_of(rbd_parallel_core::choose_instruction_set({}));
  const std::vector<Job> jobs = jobs_for(settings);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    std::fprintf(stderr, "[%2zu/%zu] %-24s %8zu bodies\n", k + 1, jobs.size(), jobs[k].name,
                 jobs[k].bodies);
    jobs[k].run(jobs[k].bodies, settings, report);
  }
  write_file(settings.json_file, to_json(report));
}

}  // namespace
}  // namespace rbd_bench

int main(int argc, char** argv) {
  using namespace rbd_bench;
  return run_program("rbd_papers_bench", [&] { run(parse_papers_settings(argc, argv)); });
}
