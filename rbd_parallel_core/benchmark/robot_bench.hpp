// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agreement.hpp"
#include "operation.hpp"
#include "options.hpp"
#include "ours.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "states.hpp"

namespace rbd_bench {

// What is measured at one time.
struct Case {
  Operation operation;
  std::size_t batch = 1;
  int threads = 1;
};

// Cases whose samples are shuffled with each other, so that their times may be divided by each
// other: all of one batch and one number of threads.
using Group = std::vector<Case>;

// The cases of a robot, in the order in which they are measured.
std::vector<Group> groups_of(const Robot& robot, const Options& options);

// One robot, in this library and in the peers that can read it.
class RobotBench {
 public:
  // Who cannot take part is left out, and the report says so.
  RobotBench(const Robot& robot, const Options& options, const std::vector<PeerLibrary>& libraries,
             Report& report);

  // Compares the results of all who can do it, then times those who are right. A case is left out
  // where the results would take too much memory; the report says so.
  void run(const Group& group);

 private:
  // Someone who wants to take part in a case.
  struct Entrant {
    Operation operation;
    Label label;
    Precision precision;
    std::size_t states;
    std::function<void()> pass;
    std::function<std::vector<double>(std::span<const std::size_t>)> results;
  };

  // An entrant whose results are right, and by how much they differ.
  struct Admitted {
    Entrant entrant;
    double disagreement;
  };

  std::vector<Entrant> ours(const Group& group, const States& states);
  std::vector<Entrant> our_ways(const Case& c, const States& states);
  template <class Real>
  Entrant our_entrant(const Case& c, const Usage& usage, const States& states);
  std::vector<Entrant> our_differences(const Case& c, const States& states);
  std::vector<Entrant> theirs(Peer& peer, const Group& group, const States& states);
  std::size_t peer_states(const Peer& peer, const Case& c, const States& states) const;
  void admit(std::vector<Entrant> entrants, const States& states, std::vector<Admitted>& admitted);
  void compete(const Group& group, const std::vector<Admitted>& admitted);
  void leave_out(const std::string& sentence);
  bool fits(const Case& c);

  const Robot& robot_;
  const Options& options_;
  Report& report_;
  std::shared_ptr<const rbd_parallel_core::Model> model_;
  std::vector<std::unique_ptr<Peer>> peers_;
  ResultArray result_array_;
};

}  // namespace rbd_bench
