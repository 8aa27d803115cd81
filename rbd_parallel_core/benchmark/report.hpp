// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure.hpp"

namespace rbd_bench {

// One robot, one operation, everyone who can do it. The last contestant is this library.
struct CaseResult {
  std::string robot;
  std::size_t nv = 0;
  std::string operation;
  double disagreement = 0.0;
  std::vector<Timing> timings;

  const Timing& ours() const { return timings.back(); }
  const Timing& best_peer() const;  // The fastest of the peer's variants.
  double ratio() const { return best_peer().median / ours().median; }
};

struct Report {
  std::string peer_version;
  std::string backend;
  Settings settings;
  std::size_t states = 0;
  std::vector<CaseResult> cases;
};

// A plain table for people.
std::string to_table(const Report& report);

// Everything, quartiles and slower variants included, for programs.
std::string to_json(const Report& report);

}  // namespace rbd_bench
