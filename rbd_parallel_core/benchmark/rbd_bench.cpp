// SPDX-License-Identifier: Apache-2.0
// One state, one thread, double: this library against Pinocchio, robot by robot.
//
// Results are compared before anything is timed, and a robot on which the two disagree is refused:
// a wrong number is not fast. The peer gets its states prepared in its own layout; of its
// conventions the faster one counts. Its mass matrix is the upper triangle, ours the full matrix.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "agreement.hpp"
#include "chain.hpp"
#include "measure.hpp"
#include "ours.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "states.hpp"

namespace rbd_bench {
namespace {

constexpr std::size_t kStates = 64;
constexpr std::uint64_t kSeed = 20240229;
constexpr double kChainSkew = 0.5;
constexpr int kQuickRounds = 30;

constexpr const char* kUsage =
    "usage: rbd_bench [--robot NAME URDF fixed|floating]... [--chain BODIES]...\n"
    "                 [--backend NAME] [--rounds N | --quick] [--json FILE]\n";

struct Robot {
  std::string name;
  std::string urdf_xml;
  bool floating_base = false;
};

struct Options {
  std::vector<Robot> robots;
  std::string backend = "reference";
  std::string json_file;
  Settings settings;
};

struct PeerVariant {
  const char* name;
  RbdPeerOperation operation;
};

struct Job {
  const char* name;
  Operation operation;
  std::vector<PeerVariant> peer_variants;
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> list{
      {"RNEA", Operation::kRnea, {{"Pinocchio", RBD_PEER_RNEA}}},
      {"CRBA",
       Operation::kCrba,
       {{"Pinocchio LOCAL", RBD_PEER_CRBA_LOCAL}, {"Pinocchio WORLD", RBD_PEER_CRBA_WORLD}}},
      {"ABA",
       Operation::kAba,
       {{"Pinocchio LOCAL", RBD_PEER_ABA_LOCAL}, {"Pinocchio WORLD", RBD_PEER_ABA_WORLD}}},
  };
  return list;
}

// --- the command line ---

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int positive_number(const std::string& text) {
  std::size_t used = 0;
  int number = 0;
  try {
    number = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || number < 1) {
    throw std::runtime_error("expected a positive number, got '" + text + "'");
  }
  return number;
}

bool is_floating(const std::string& base) {
  if (base != "fixed" && base != "floating") {
    throw std::runtime_error("expected 'fixed' or 'floating', got '" + base + "'");
  }
  return base == "floating";
}

// The words of the command line, one after the other.
class Words {
 public:
  Words(int argc, char** argv) : words_(argv + 1, argv + argc) {}
  bool empty() const { return next_ == words_.size(); }
  std::string next() {
    if (empty()) throw std::runtime_error("'" + words_.back() + "' lacks a value");
    return words_[next_++];
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

Robot next_robot(Words& words) {
  const std::string name = words.next();
  const std::string path = words.next();
  return {name, read_file(path), is_floating(words.next())};
}

Robot next_chain(Words& words) {
  const int bodies = positive_number(words.next());
  return {"chain " + std::to_string(bodies),
          chain_urdf(static_cast<std::size_t>(bodies), kChainSkew), false};
}

void parse_option(const std::string& option, Words& words, Options& options) {
  if (option == "--robot") {
    options.robots.push_back(next_robot(words));
  } else if (option == "--chain") {
    options.robots.push_back(next_chain(words));
  } else if (option == "--backend") {
    options.backend = words.next();
  } else if (option == "--rounds") {
    options.settings.rounds = positive_number(words.next());
  } else if (option == "--quick") {
    options.settings.rounds = kQuickRounds;
  } else if (option == "--json") {
    options.json_file = words.next();
  } else {
    throw std::runtime_error("unknown option '" + option + "'\n" + kUsage);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  Words words(argc, argv);
  while (!words.empty()) parse_option(words.next(), words, options);
  if (options.robots.empty()) throw std::runtime_error(std::string("no robot given\n") + kUsage);
  return options;
}

// --- the benchmark ---

// The same joints in the same order, so that one state means the same to both. The name of a
// floating base is everyone's own.
void require_same_joints(const Robot& robot, const Ours& ours, const Peer& peer) {
  const auto named = [&](std::vector<std::string> names) {
    if (robot.floating_base && !names.empty()) names.front() = "floating base";
    return names;
  };
  if (ours.nv() != peer.nv() || ours.nq() != peer.nq() ||
      named(ours.joint_names()) != named(peer.joint_names())) {
    throw std::runtime_error(robot.name + ": the contestants see different joints");
  }
}

void require_agreement(const Robot& robot, const Job& job, double disagreement) {
  if (disagreement <= tolerance(job.operation)) return;
  std::ostringstream message;
  message << robot.name << ' ' << job.name << ": the results disagree by " << disagreement
          << ", more than rounding explains (" << tolerance(job.operation) << ')';
  throw std::runtime_error(message.str());
}

std::vector<Contestant> contestants_for(const Job& job, Ours& ours, Peer& peer) {
  std::vector<Contestant> contestants;
  for (const PeerVariant& variant : job.peer_variants) {
    contestants.push_back(
        {variant.name, [&peer, operation = variant.operation] { peer.run(operation); }});
  }
  contestants.push_back(
      {"rbd_parallel", [&ours, operation = job.operation] { ours.run(operation); }});
  return contestants;
}

void bench_robot(const Robot& robot, const Options& options, Report& report) {
  Peer peer(robot.urdf_xml, robot.floating_base);
  Ours ours(robot.urdf_xml, robot.floating_base, options.backend);
  require_same_joints(robot, ours, peer);
  const States states = random_states(kStates, peer.nv(), robot.floating_base, kSeed);
  peer.set_states(states);
  ours.set_states(states);

  for (const Job& job : jobs()) {
    std::fprintf(stderr, "[%2zu/%zu] %-18s %-5s", report.cases.size() + 1,
                 options.robots.size() * jobs().size(), robot.name.c_str(), job.name);
    const double error = disagreement(job.operation, ours, peer, states);
    require_agreement(robot, job, error);
    const CaseResult result{robot.name, peer.nv(), job.name, error,
                            measure(contestants_for(job, ours, peer), kStates, options.settings)};
    std::fprintf(stderr, "%6.2fx\n", result.ratio());
    report.cases.push_back(result);
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

void run(const Options& options) {
  Report report{Peer::version(), options.backend, options.settings, kStates, {}};
  for (const Robot& robot : options.robots) bench_robot(robot, options, report);
  std::fputs(to_table(report).c_str(), stdout);
  if (!options.json_file.empty()) write_file(options.json_file, to_json(report));
}

}  // namespace
}  // namespace rbd_bench

int main(int argc, char** argv) {
  try {
    rbd_bench::run(rbd_bench::parse(argc, argv));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nrbd_bench: %s\n", e.what());
    return 1;
  }
}
