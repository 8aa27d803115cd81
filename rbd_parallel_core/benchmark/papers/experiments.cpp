// SPDX-License-Identifier: Apache-2.0
#include "experiments.hpp"

#include <cmath>
#include <iomanip>
#include <memory>
#include <sstream>

#include "common/checks.hpp"
#include "common/json.hpp"
#include "exact_chain.hpp"
#include "forward_runners.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "states.hpp"
#include "tree/tree_cases.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

// JSIIA takes n^3 operations: beyond this it is not asked.
constexpr std::size_t kLongestJsiia = 500;
constexpr std::uint64_t kSeed = 1;

Tree chain_of(std::size_t bodies) { return grow(shape_named("chain"), bodies); }

void time_all(const char* part, std::size_t bodies, std::vector<Runner> runners,
              const PapersSettings& settings, PapersReport& report) {
  std::vector<Samples> samples = sample(runners, settings.sampling);
  for (Runner& runner : runners) runner.pass = nullptr;  // Frees its memory.
  report.timed.cases.push_back({part, "chain", bodies, 0, std::move(runners), std::move(samples)});
}

// The tree benchmark's own parts: what they need of its settings.
TreeSettings tree_settings(const PapersSettings& settings) {
  TreeSettings result;
  result.threads = settings.threads;
  result.sampling = settings.sampling;
  return result;
}

// As many states as there are groups, all of them in one call.
Runner group_runner(const States& states, bool forward, const char* name, int threads,
                    const std::shared_ptr<const core::Model>& model, std::vector<double>& out) {
  std::shared_ptr<core::Backend> computes = core::make_backend(name);
  computes->configure(model, {.max_batch = states.count, .threads = threads});
  return {
      name, threads,
      [&states, &out, computes, forward] {
        if (forward) {
          require(computes->forward_dynamics({.batch = states.count,
                                              .q = states.q,
                                              .v = states.v,
                                              .tau = states.tau,
                                              .qdd = out}));
        } else {
          require(computes->inverse_dynamics(
              {.batch = states.count, .q = states.q, .v = states.v, .a = states.a, .tau = out}));
        }
      },
      0.0};
}

void run_group_operation(bool forward, const Tree& chain, const States& states,
                         const PapersSettings& settings, PapersReport& report) {
  std::vector<double> out(states.count * states.nv);
  std::vector<Runner> runners{group_runner(states, forward, "reference", 1, chain.model, out)};
  for (const int threads : settings.threads) {
    runners.push_back(group_runner(states, forward, "cpu", threads, chain.model, out));
  }
  compare(runners, out);
  time_all(forward ? "groups_forward" : "groups_inverse", chain.bodies(), std::move(runners),
           settings, report);
}

std::string with_share(double share) {
  std::ostringstream name;
  name << "DCAe " << share;
  return name.str();
}

}  // namespace

void run_links(std::size_t bodies, const PapersSettings& settings, PapersReport& report) {
  const Tree chain = chain_of(bodies);
  run_inverse_dynamics(chain, tree_settings(settings), report.timed);
  std::vector<double> qdd(bodies);
  const ForwardRunners by(chain, qdd);
  std::vector<Runner> runners{by.reference()};
  if (bodies <= kLongestJsiia) runners.push_back(by.serial_jsiia());
  for (const int threads : settings.threads) {
    if (bodies <= kLongestJsiia) runners.push_back(by.batched_jsiia(threads));
    runners.push_back(by.hybrid_abia(threads));
    runners.push_back(by.two_port(threads));
  }
  compare(runners, qdd);
  time_all("links_forward", bodies, std::move(runners), settings, report);
}

void run_groups(std::size_t bodies, const PapersSettings& settings, PapersReport& report) {
  const Tree chain = chain_of(bodies);
  const States states = random_states(settings.group_count, bodies, false, kSeed);
  run_group_operation(false, chain, states, settings, report);
  run_group_operation(true, chain, states, settings, report);
}

void run_dcae(std::size_t bodies, const PapersSettings& settings, PapersReport& report) {
  const Tree chain = chain_of(bodies);
  std::vector<double> qdd(bodies);
  const ForwardRunners by(chain, qdd);
  std::vector<Runner> runners{by.text_aba(), by.reference(), by.dcae("DCAe, one block", 1, 1, 0.5)};
  for (const int threads : settings.threads) {
    runners.push_back(by.dca(threads));
    runners.push_back(by.two_port(threads));
    for (const double share : settings.shares) {
      runners.push_back(by.dcae(with_share(share), threads, 2, share));
    }
  }
  compare(runners, qdd);
  time_all("dcae", bodies, std::move(runners), settings, report);
}

void run_accuracy_of_methods(std::size_t bodies, const PapersSettings& settings,
                             PapersReport& report) {
  const Tree chain = chain_of(bodies);
  std::vector<double> qdd(bodies);
  const ForwardRunners by(chain, qdd);
  std::vector<Runner> runners{by.reference(),
                              by.two_port(settings.threads.back()),
                              by.dcae("DCAe, 2 blocks", 1, 2, 0.75),
                              by.dcae("DCAe, 8 blocks", 1, 8, 0.3),
                              by.hybrid_abia(1),
                              by.dca(1)};
  if (bodies <= kLongestJsiia) runners.push_back(by.serial_jsiia());
  ExactChain exact(chain);
  for (const Runner& runner : runners) {
    runner.pass();
    report.errors.push_back({bodies, runner.name, exact.forward_error(qdd), exact.residual(qdd)});
  }
}

void run_blocks(std::size_t bodies, const PapersSettings& settings, PapersReport& report) {
  for (const Shape& shape : shapes()) {
    if (!shape.straight) {
      run_forward_dynamics(grow(shape, bodies), tree_settings(settings), report.timed);
    }
  }
}

std::string to_json(const PapersReport& report) {
  std::ostringstream out;
  out << "{\"timed\": " << to_json(report.timed) << ",\n \"errors\": ";
  write_list(out, report.errors, "\n  ", [&](const MethodErrors& e) {
    out << "{\"bodies\": " << e.bodies << ", \"method\": " << quoted(e.method) << ", \"forward\": ";
    write_number(out, e.forward);
    out << ", \"residual\": ";
    write_number(out, e.residual);
    out << "}";
  });
  out << "}\n";
  return out.str();
}

}  // namespace rbd_bench
