// SPDX-License-Identifier: Apache-2.0
#include "robot_bench.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "finite_differences.hpp"
#include "flops.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

constexpr std::uint64_t kSeed = 20240229;
constexpr int kThreads = 2;
// So many different states at least, however small the batch.
constexpr std::size_t kLeastStates = 64;
// From this batch on there is work for several threads, and all instruction sets compete.
constexpr std::size_t kLargeBatch = 1000;
constexpr std::size_t kComparedBatch = 1024;
// Peers work state by state: more of them than this make none of them faster or slower.
constexpr std::size_t kPeerStates = 1024;
constexpr std::size_t kSlowStates = 16;
constexpr std::size_t kMostResultBytes = std::size_t{512} << 20;

bool is_wanted(Operation operation, const Options& options) {
  const auto& names = options.operations;
  return names.empty() || std::find(names.begin(), names.end(), name_of(operation)) != names.end();
}

std::vector<std::string> names_of_moving_joints(const core::Model& model, bool floating_base) {
  const std::vector<std::string>& names = model.joint_names();
  return {names.begin() + (floating_base ? 1 : 0), names.end()};
}

States first_of(const States& states, std::size_t count) {
  std::vector<std::size_t> which(std::min(states.count, count));
  std::iota(which.begin(), which.end(), std::size_t{0});
  return pick(states, which);
}

template <class Real>
constexpr const char* precision_name() {
  return sizeof(Real) == sizeof(double) ? "double" : "float";
}

Label our_label(const Usage& usage, const std::string& precision) {
  return {.who = "rbd_parallel",
          .variant = usage.backend,
          .precision = precision,
          .layout = usage.layout == core::Layout::rows ? "rows" : "lanes",
          .instruction_set = name_of(usage.instruction_set),
          .threads = usage.threads};
}

}  // namespace

std::vector<Group> groups_of(const Robot& robot, const Options& options) {
  std::vector<Group> groups;
  if (options.derivatives) {
    for (const std::size_t batch : robot.batches) {
      Group& group = groups.emplace_back();
      for (const Operation operation : kDerivativeOperations)
        group.push_back({operation, batch, 1});
    }
    return groups;
  }
  const bool several = std::thread::hardware_concurrency() >= kThreads;
  for (const Operation operation : kOperations) {
    if (!is_wanted(operation, options)) continue;
    for (const std::size_t batch : robot.batches) {
      groups.push_back({{operation, batch, 1}});
      if (several && batch >= kLargeBatch) groups.push_back({{operation, batch, kThreads}});
    }
  }
  return groups;
}

RobotBench::RobotBench(const Robot& robot, const Options& options,
                       const std::vector<PeerLibrary>& libraries, Report& report)
    : robot_(robot),
      options_(options),
      report_(report),
      model_(load_model(robot.urdf_xml, robot.floating_base)) {
  for (const PeerLibrary& library : libraries) {
    try {
      peers_.push_back(
          std::make_unique<Peer>(library, robot.urdf_xml, robot.floating_base,
                                 names_of_moving_joints(*model_, robot.floating_base)));
    } catch (const std::exception& e) {
      leave_out(robot.name + ": " + e.what());
    }
  }
}

void RobotBench::leave_out(const std::string& sentence) {
  auto& said = report_.left_out;
  if (std::find(said.begin(), said.end(), sentence) == said.end()) said.push_back(sentence);
}

bool RobotBench::fits(const Case& c) {
  const std::size_t numbers =
      c.batch * result_size(c.operation, static_cast<std::size_t>(model_->nv()));
  if (numbers * sizeof(double) <= kMostResultBytes) return true;
  leave_out(robot_.name + ' ' + name_of(c.operation) + ", batch " + std::to_string(c.batch) +
            ": the results would take " + std::to_string(numbers * sizeof(double) >> 20) + " MB");
  return false;
}

void RobotBench::run(const Group& whole) {
  Group group;
  for (const Case& c : whole) {
    if (fits(c)) group.push_back(c);
  }
  if (group.empty()) return;
  const Case& first = group.front();
  const auto nv = static_cast<std::size_t>(model_->nv());
  const States states =
      random_states(std::max(first.batch, kLeastStates), nv, robot_.floating_base, kSeed);

  std::vector<Admitted> admitted;
  for (const std::unique_ptr<Peer>& peer : peers_) {
    const States some = first_of(states, peer_states(*peer, first, states));
    admit(theirs(*peer, group, some), some, admitted);
  }
  if (options_.derivatives) {
    const States few = first_of(states, kLeastStates);
    for (const Case& c : group) admit(our_differences(c, few), few, admitted);
  }
  admit(ours(group, states), states, admitted);
  compete(group, admitted);
}

// How many of the states a peer loops over. Finite differences of all would take seconds.
std::size_t RobotBench::peer_states(const Peer& peer, const Case& c, const States& states) const {
  if (options_.derivatives && peer.has_finite_differences()) return kSlowStates;
  return c.threads == 1 ? kPeerStates : states.count;
}

void RobotBench::admit(std::vector<Entrant> entrants, const States& states,
                       std::vector<Admitted>& admitted) {
  if (entrants.empty()) return;
  std::vector<Operation> operations;
  for (const Entrant& entrant : entrants) operations.push_back(entrant.operation);
  const Agreement agreement(model_, states, operations);
  for (Entrant& entrant : entrants) {
    const double error =
        agreement.disagreement(entrant.operation, entrant.results(agreement.states()));
    const double limit = tolerance(entrant.operation, entrant.precision);
    if (error <= limit) {
      admitted.push_back({std::move(entrant), error});
    } else {
      std::ostringstream text;
      text << robot_.name << ' ' << name_of(entrant.operation) << ": " << entrant.label.who
           << " in " << entrant.label.precision
           << " disagrees with the reference by more than rounding explains (" << limit << ')';
      leave_out(text.str());
    }
  }
}

template <class Real>
RobotBench::Entrant RobotBench::our_entrant(const Case& c, const Usage& usage,
                                            const States& states) {
  const auto ours = std::make_shared<Ours<Real>>(model_, usage, states, result_array_);
  return {c.operation,
          our_label(usage, precision_name<Real>()),
          sizeof(Real) == sizeof(double) ? Precision::kDouble : Precision::kFloat,
          states.count,
          [ours, operation = c.operation] { ours->run(operation); },
          [ours, operation = c.operation](std::span<const std::size_t> which) {
            return ours->results(operation, which);
          }};
}

std::vector<RobotBench::Entrant> RobotBench::ours(const Group& group, const States& states) {
  std::vector<Entrant> entrants;
  for (const Case& c : group) {
    for (Entrant& entrant : our_ways(c, states)) entrants.push_back(std::move(entrant));
  }
  return entrants;
}

std::vector<RobotBench::Entrant> RobotBench::our_ways(const Case& c, const States& states) {
  std::vector<Entrant> entrants;
  const auto enter = [&](const Usage& usage) {
    entrants.push_back(our_entrant<double>(c, usage, states));
    if (usage.backend == "cpu" && !options_.derivatives) {
      entrants.push_back(our_entrant<float>(c, usage, states));
    }
  };
  Usage usage{.backend = "cpu", .batch = c.batch, .threads = c.threads};
  for (const core::InstructionSet set : options_.instruction_sets) {
    const bool last = set == options_.instruction_sets.back();
    if (!last && c.batch != kComparedBatch && c.batch != kLargeBatch) continue;
    usage.instruction_set = set;
    usage.layout = core::Layout::rows;
    enter(usage);
    usage.backend = "compiled";
    enter(usage);
    usage.backend = "cpu";
    if (c.threads > 1 || options_.derivatives) continue;
    usage.layout = core::Layout::lanes;
    enter(usage);
  }
  if (c.batch == 1) {
    usage.backend = "reference";
    usage.layout = core::Layout::rows;
    enter(usage);
  }
  return entrants;
}

// What someone would do who has batches of inverse dynamics and no derivatives.
std::vector<RobotBench::Entrant> RobotBench::our_differences(const Case& c, const States& states) {
  std::vector<Entrant> entrants;
  if (c.operation != Operation::kRneaDerivatives || c.batch == 1) return entrants;
  for (const core::InstructionSet set : options_.instruction_sets) {
    Usage usage{.backend = "cpu", .batch = c.batch, .instruction_set = set};
    const auto differences =
        std::make_shared<FiniteDifferences>(model_, usage, states, result_array_);
    usage.backend = "finite differences";
    entrants.push_back({c.operation, our_label(usage, precision_name<double>()),
                        Precision::kFiniteDifferences, states.count,
                        [differences] { differences->run(); },
                        [differences](std::span<const std::size_t> which) {
                          return differences->results(which);
                        }});
  }
  return entrants;
}

std::vector<RobotBench::Entrant> RobotBench::theirs(Peer& peer, const Group& group,
                                                    const States& states) {
  std::vector<Entrant> entrants;
  peer.set_states(states);
  const auto variants = peer.library().variants();
  for (const Case& c : group) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (variants[i].operation != static_cast<RbdPeerOperation>(c.operation) ||
          variants[i].threads != c.threads) {
        continue;
      }
      const Label label{.who = peer.library().name(),
                        .variant = variants[i].name,
                        .layout = "",
                        .instruction_set = "",
                        .threads = c.threads};
      const bool differences = variants[i].finite_differences != 0;
      entrants.push_back(
          {c.operation, label, differences ? Precision::kFiniteDifferences : Precision::kDouble,
           states.count, [&peer, i] { peer.run(i); },
           [&peer, i](std::span<const std::size_t> which) { return peer.results(i, which); }});
    }
  }
  return entrants;
}

void RobotBench::compete(const Group& group, const std::vector<Admitted>& admitted) {
  std::vector<Contestant> contestants;
  for (const auto& [entrant, error] : admitted) {
    contestants.push_back({entrant.label.text(), entrant.pass, entrant.states});
  }
  Settings settings = options_.settings;
  settings.case_seconds *= static_cast<double>(group.size());
  settings.several_threads = group.front().threads > 1;
  const std::vector<Timing> timings = measure(contestants, settings);

  for (const Case& c : group) {
    CaseResult result{.robot = robot_.name,
                      .nq = static_cast<std::size_t>(model_->nq()),
                      .nv = static_cast<std::size_t>(model_->nv()),
                      .bodies = model_->joint_names().size(),
                      .operation = name_of(c.operation),
                      .batch = c.batch,
                      .threads = c.threads,
                      .flops = count_flops(c.operation, *model_),
                      .entries = {}};
    for (std::size_t i = 0; i < admitted.size(); ++i) {
      const auto& [entrant, error] = admitted[i];
      if (entrant.operation == c.operation) {
        result.entries.push_back({entrant.label, error, timings[i]});
      }
    }
    report_.cases.push_back(std::move(result));
  }
}

}  // namespace rbd_bench
