// SPDX-License-Identifier: Apache-2.0
#include "tree_cases.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "common/checks.hpp"
#include "fill.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/study/scan_dynamics.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

// Up to here M is computed by the recursion and by scans too; they would take long beyond.
constexpr std::size_t kLargestSlowDense = 3000;

std::shared_ptr<core::Backend> backend_for(const Tree& tree, const char* name, int threads,
                                           core::TreeFamily family = core::TreeFamily::blocks) {
  std::shared_ptr<core::Backend> backend = core::make_backend(name);
  backend->configure(tree.model, {.threads = threads, .tree = {.family = family}});
  return backend;
}

// One block for each of two threads, without lanes: what threads alone gain.
std::shared_ptr<core::Backend> two_scalar_blocks(const Tree& tree) {
  std::shared_ptr<core::Backend> backend = core::make_backend("tree");
  const auto half = static_cast<int>((tree.bodies() + 1) / 2);
  backend->configure(tree.model, {.threads = 2, .tree = {.block = half, .lanes = false}});
  return backend;
}

// The arrays that results go to live as long as the runners.
using Torques = std::shared_ptr<std::vector<double>>;

Runner by_backend(const Tree& tree, std::string name, int threads,
                  std::shared_ptr<core::Backend> backend, const Torques& tau) {
  return {std::move(name), threads,
          [&tree, backend = std::move(backend), tau] {
            core::StateStatus status;
            require(backend->inverse_dynamics(
                {.q = tree.q, .v = tree.v, .a = tree.a, .tau = *tau, .status = {&status, 1}}));
            require(status);
          },
          0.0};
}

Runner forward_by(const Tree& tree, std::string name, int threads,
                  std::shared_ptr<core::Backend> backend, const Torques& qdd) {
  return {std::move(name), threads,
          [&tree, backend = std::move(backend), qdd] {
            core::StateStatus status;
            require(backend->forward_dynamics(
                {.q = tree.q, .v = tree.v, .tau = tree.a, .qdd = *qdd, .status = {&status, 1}}));
            require(status);
          },
          0.0};
}

void finish(const char* part, const Tree& tree, std::vector<Runner> runners,
            const TreeSettings& settings, TreeReport& report) {
  std::vector<Samples> samples = sample(runners, settings.sampling);
  for (Runner& runner : runners) runner.pass = nullptr;  // Frees its memory.
  report.cases.push_back({part, tree.shape.name, tree.bodies(),
                          core::mass_matrix_nonzeros(*tree.model), std::move(runners),
                          std::move(samples)});
}

Runner mass_matrix_by(const Tree& tree, std::string name, int threads,
                      std::shared_ptr<core::Backend> backend, std::span<double> M,
                      std::span<double> values) {
  return {std::move(name), threads,
          [&tree, backend = std::move(backend), M, values] {
            core::StateStatus status;
            require(backend->mass_matrix(
                {.q = tree.q, .mass_matrix = M, .sparse = values, .status = {&status, 1}}));
            require(status);
          },
          0.0};
}

Runner scan(const Tree& tree, std::string name, const core::ScanOptions& options, int threads,
            const Torques& tau) {
  auto dynamics = std::make_shared<core::ScanDynamics<double>>();
  dynamics->configure(tree.model, threads, options);
  const core::Vec3<double> gravity = tree.model->view().gravity;
  return {std::move(name), threads,
          [&tree, dynamics, gravity, tau] {
            require(dynamics->inverse_dynamics(tree.q, tree.v, tree.a, {}, gravity, *tau));
          },
          0.0};
}

}  // namespace

void run_inverse_dynamics(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  const auto tau = std::make_shared<std::vector<double>>(tree.bodies());
  std::vector<Runner> runners{
      by_backend(tree, "recursion", 1, backend_for(tree, "reference", 1), tau)};
  for (const int threads : settings.threads) {
    for (const auto family : {core::TreeFamily::blocks, core::TreeFamily::scans}) {
      const char* name = family == core::TreeFamily::blocks ? "blocks" : "scans";
      runners.push_back(
          by_backend(tree, name, threads, backend_for(tree, "tree", threads, family), tau));
    }
  }
  compare(runners, *tau);
  finish("inverse_dynamics", tree, std::move(runners), settings, report);
}

void run_forward_dynamics(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  const auto qdd = std::make_shared<std::vector<double>>(tree.bodies());
  std::vector<Runner> runners{
      forward_by(tree, "recursion", 1, backend_for(tree, "reference", 1), qdd)};
  for (const int threads : settings.threads) {
    runners.push_back(forward_by(tree, "blocks", threads, backend_for(tree, "tree", threads), qdd));
  }
  if (tree.shape.name == "chain" && settings.threads.back() >= 2) {
    runners.push_back(forward_by(tree, "two scalar blocks", 2, two_scalar_blocks(tree), qdd));
  }
  compare(runners, *qdd);
  finish("forward_dynamics", tree, std::move(runners), settings, report);
}

void run_dense(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  std::vector<double> M(tree.bodies() * tree.bodies());
  std::vector<Runner> runners;
  const bool all = tree.bodies() <= kLargestSlowDense;
  if (all) {
    runners.push_back(
        mass_matrix_by(tree, "recursion", 1, backend_for(tree, "reference", 1), M, {}));
  }
  for (const int threads : settings.threads) {
    runners.push_back(
        mass_matrix_by(tree, "blocks", threads, backend_for(tree, "tree", threads), M, {}));
    if (!all) continue;
    runners.push_back(mass_matrix_by(tree, "scans", threads,
                                     backend_for(tree, "tree", threads, core::TreeFamily::scans), M,
                                     {}));
  }
  compare(runners, M);
  for (const int threads : settings.threads) {
    for (const auto way : {Filler::Way::store, Filler::Way::set}) {
      runners.push_back({way == Filler::Way::store ? "fill" : "memset", threads,
                         [fill = std::make_shared<Filler>(way, threads), &M] { (*fill)(M); }, 0.0});
    }
  }
  finish("dense", tree, std::move(runners), settings, report);
}

void run_sparse(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  std::vector<double> values(static_cast<std::size_t>(core::mass_matrix_nonzeros(*tree.model)));
  std::vector<Runner> runners;
  for (const int threads : settings.threads) {
    runners.push_back(
        mass_matrix_by(tree, "blocks", threads, backend_for(tree, "tree", threads), {}, values));
  }
  finish("sparse", tree, std::move(runners), settings, report);
}

void run_scans(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  using core::ScanVariant;
  const auto tau = std::make_shared<std::vector<double>>(tree.bodies());
  std::vector<Runner> runners;
  for (const int threads : settings.threads) {
    const auto add = [&](std::string name, const core::ScanOptions& options) {
      runners.push_back(scan(tree, std::move(name), options, threads, tau));
    };
    if (threads == 1) add("sequential", {.variant = ScanVariant::sequential});
    add("blocked", {});
    for (const std::int32_t block : {16, 32, 64, 128, 256, 512}) {
      add("blocked " + std::to_string(block), {.block = block});
    }
    add("Blelloch", {.variant = ScanVariant::blelloch});
    add("recurrence", {.recurrence = true});
    add("mapped sums", {.mapped_sums = true});
  }
  compare(runners, *tau);
  finish("scans", tree, std::move(runners), settings, report);
}

void run_accuracy(const Tree& tree, const TreeSettings& settings, TreeReport& report) {
  report.accuracy.push_back(
      {tree.shape.name, tree.bodies(),
       errors_of(tree, {.mass_matrix = tree.bodies() <= settings.largest_diagonal,
                        .threads = settings.threads.back()})});
}

}  // namespace rbd_bench
