// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

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

// The cases of a robot, in the order in which they are measured.
std::vector<Case> cases_of(const Robot& robot, const Options& options);

// One robot, in this library and in the peers that can read it.
class RobotBench {
 public:
  // Who cannot take part is left out, and the report says so.
  RobotBench(const Robot& robot, const Options& options, const std::vector<PeerLibrary>& libraries,
             Report& report);

  // Compares the results of all who can do it, then times those who are right. Nothing where the
  // results would take too much memory; the report says so.
  void run(const Case& c);

 private:
  // Someone who wants to take part in a case.
  struct Entrant {
    Label label;
    std::size_t states;
    std::function<void()> pass;
    std::function<std::vector<double>(std::span<const std::size_t>)> results;
  };

  std::vector<Entrant> ours(const Case& c, const States& states);
  template <class Real>
  Entrant our_entrant(const Case& c, const Usage& usage, const States& states);
  std::vector<Entrant> theirs(const Case& c, const States& states);
  CaseResult compete(const Case& c, const std::vector<Entrant>& entrants,
                     const std::vector<double>& disagreements);
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
