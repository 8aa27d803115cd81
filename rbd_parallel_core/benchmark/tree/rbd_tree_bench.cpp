// SPDX-License-Identifier: Apache-2.0
//
// One state of one large tree: the backend "tree" beside the recursion, Pinocchio, and writing as
// many numbers; and how much each of them rounds.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/program.hpp"
#include "rbd_parallel_core/instruction_set.hpp"
#include "tree_cases.hpp"

namespace rbd_bench {
namespace {

using Part = void (*)(const Tree&, const TreeSettings&, TreeReport&);

struct Job {
  std::size_t shape;  // Its place in shapes().
  std::size_t bodies;
  const char* name;
  Part part;
};

// The asked-for sizes whose values fit, and the largest one that does where some do not.
std::vector<std::size_t> sparse_sizes(const Shape& shape, const TreeSettings& settings) {
  const std::size_t most = largest_with_pairs(shape, settings.largest_values / sizeof(double));
  std::vector<std::size_t> sizes;
  for (const std::size_t bodies : settings.sparse) sizes.push_back(std::min(bodies, most));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Sorted by tree: to build one of a million bodies takes longer than to compute with it.
std::vector<Job> jobs_for(const TreeSettings& settings) {
  std::vector<Job> jobs;
  for (std::size_t k = 0; k < shapes().size(); ++k) {
    const Shape& shape = shapes()[k];
    const auto add = [&](const std::vector<std::size_t>& sizes, const char* name, Part part) {
      for (const std::size_t bodies : sizes) jobs.push_back({k, bodies, name, part});
    };
    add(settings.accuracy, "accuracy", run_accuracy);
    if (shape.straight) continue;
    add(settings.inverse_dynamics, "inverse dynamics", run_inverse_dynamics);
    add(settings.forward_dynamics, "forward dynamics", run_forward_dynamics);
    if (shape.branching != 1.5) add(settings.dense, "M, dense", run_dense);
    add(sparse_sizes(shape, settings), "M, sparse", run_sparse);
    if (shape.branching == 2) add(settings.scans, "kinds of scans", run_scans);
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    return std::tie(a.shape, a.bodies) < std::tie(b.shape, b.bodies);
  });
  return jobs;
}

void run_jobs(const TreeSettings& settings, TreeReport& report) {
  const std::vector<Job> jobs = jobs_for(settings);
  std::optional<Tree> tree;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const Job& job = jobs[k];
    const Shape& shape = shapes()[job.shape];
    std::fprintf(stderr, "[%3zu/%zu] %-15s %8zu bodies  %s\n", k + 1, jobs.size(),
                 shape.name.c_str(), job.bodies, job.name);
    if (!tree || tree->shape.name != shape.name || tree->bodies() != job.bodies) {
      tree.reset();  // Frees its memory first.
      tree = grow(shape, job.bodies);
    }
    job.part(*tree, settings, report);
  }
}

void run(const TreeSettings& settings) {
  TreeReport report;
  report.instruction_set =
      rbd_parallel_core::name_of(rbd_parallel_core::choose_instruction_set({}));
  for (const std::size_t bodies : settings.peer) {
    std::fprintf(stderr, "Pinocchio, chain of %zu bodies\n", bodies);
    run_peer(bodies, settings, report);
  }
  run_jobs(settings, report);
  write_file(settings.json_file, to_json(report));
}

}  // namespace
}  // namespace rbd_bench

int main(int argc, char** argv) {
  using namespace rbd_bench;
  return run_program("rbd_tree_bench", [&] { run(parse_tree_settings(argc, argv)); });
}
