// SPDX-License-Identifier: Apache-2.0
#include "robot_bench.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "agreement.hpp"
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

}  // namespace

std::vector<Case> cases_of(const Robot& robot, const Options& options) {
  const bool several = std::thread::hardware_concurrency() >= kThreads;
  std::vector<Case> cases;
  for (const Operation operation : kOperations) {
    if (!is_wanted(operation, options)) continue;
    for (const std::size_t batch : robot.batches) {
      cases.push_back({operation, batch, 1});
      if (several && batch >= kLargeBatch) cases.push_back({operation, batch, kThreads});
    }
  }
  return cases;
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

void RobotBench::run(const Case& c) {
  if (!fits(c)) return;
  const auto nv = static_cast<std::size_t>(model_->nv());
  const States states =
      random_states(std::max(c.batch, kLeastStates), nv, robot_.floating_base, kSeed);
  const States peer_states = c.threads == 1 ? first_of(states, kPeerStates) : states;

  std::vector<Entrant> right;
  std::vector<double> disagreements;
  const auto admit = [&](std::vector<Entrant> entrants, const Agreement& agreement) {
    for (Entrant& entrant : entrants) {
      const double error = agreement.disagreement(c.operation, entrant.results(agreement.states()));
      const double limit = tolerance(c.operation, entrant.label.precision == "float");
      if (error <= limit) {
        right.push_back(std::move(entrant));
        disagreements.push_back(error);
      } else {
        std::ostringstream text;
        text << robot_.name << ' ' << name_of(c.operation) << ": " << entrant.label.who << " in "
             << entrant.label.precision
             << " disagrees with the reference by more than rounding explains (" << limit << ')';
        leave_out(text.str());
      }
    }
  };
  admit(theirs(c, peer_states), Agreement(model_, peer_states));
  admit(ours(c, states), Agreement(model_, states));
  report_.cases.push_back(compete(c, right, disagreements));
}

template <class Real>
RobotBench::Entrant RobotBench::our_entrant(const Case& c, const Usage& usage,
                                            const States& states) {
  const auto ours = std::make_shared<Ours<Real>>(model_, usage, states, result_array_);
  return {{.who = "rbd_parallel",
           .variant = usage.backend,
           .precision = precision_name<Real>(),
           .layout = usage.layout == core::Layout::rows ? "rows" : "lanes",
           .instruction_set = name_of(usage.instruction_set),
           .threads = usage.threads},
          states.count,
          [ours, operation = c.operation] { ours->run(operation); },
          [ours, operation = c.operation](std::span<const std::size_t> which) {
            return ours->results(operation, which);
          }};
}

std::vector<RobotBench::Entrant> RobotBench::ours(const Case& c, const States& states) {
  std::vector<Entrant> entrants;
  const auto enter = [&](const Usage& usage) {
    entrants.push_back(our_entrant<double>(c, usage, states));
    if (usage.backend == "cpu") entrants.push_back(our_entrant<float>(c, usage, states));
  };
  Usage usage{.backend = "cpu", .batch = c.batch, .threads = c.threads};
  for (const core::InstructionSet set : options_.instruction_sets) {
    const bool last = set == options_.instruction_sets.back();
    if (!last && c.batch != kComparedBatch && c.batch != kLargeBatch) continue;
    usage.instruction_set = set;
    usage.layout = core::Layout::rows;
    enter(usage);
    if (c.threads > 1) continue;
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

std::vector<RobotBench::Entrant> RobotBench::theirs(const Case& c, const States& states) {
  std::vector<Entrant> entrants;
  for (const std::unique_ptr<Peer>& owner : peers_) {
    Peer* peer = owner.get();
    peer->set_states(states);
    const auto variants = peer->library().variants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (variants[i].operation != static_cast<RbdPeerOperation>(c.operation) ||
          variants[i].threads != c.threads) {
        continue;
      }
      const Label label{.who = peer->library().name(),
                        .variant = variants[i].name,
                        .layout = "",
                        .instruction_set = "",
                        .threads = c.threads};
      entrants.push_back(
          {label, states.count, [peer, i] { peer->run(i); },
           [peer, i](std::span<const std::size_t> which) { return peer->results(i, which); }});
    }
  }
  return entrants;
}

CaseResult RobotBench::compete(const Case& c, const std::vector<Entrant>& entrants,
                               const std::vector<double>& disagreements) {
  std::vector<Contestant> contestants;
  for (const Entrant& entrant : entrants) {
    contestants.push_back({entrant.label.text(), entrant.pass, entrant.states});
  }
  Settings settings = options_.settings;
  settings.several_threads = c.threads > 1;
  const std::vector<Timing> timings = measure(contestants, settings);

  CaseResult result{.robot = robot_.name,
                    .nq = static_cast<std::size_t>(model_->nq()),
                    .nv = static_cast<std::size_t>(model_->nv()),
                    .bodies = model_->joint_names().size(),
                    .operation = name_of(c.operation),
                    .batch = c.batch,
                    .threads = c.threads,
                    .flops = count_flops(c.operation, *model_),
                    .entries = {}};
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    result.entries.push_back({entrants[i].label, disagreements[i], timings[i]});
  }
  return result;
}

}  // namespace rbd_bench
