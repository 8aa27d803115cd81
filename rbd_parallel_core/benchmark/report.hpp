// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "measure.hpp"

namespace rbd_bench {

// Who did it, and how.
struct Label {
  std::string who;      // "rbd_parallel", or the name of a peer.
  std::string variant;  // The backend, or the peer's convention or function.
  std::string precision = "double";
  std::string layout;           // Of our arrays; the peers have their own.
  std::string instruction_set;  // Of our kernels.
  int threads = 1;

  std::string text() const;
};

struct Entry {
  Label label;
  double disagreement = 0.0;
  Timing timing;
};

// One robot, one operation, one size of batch, one number of threads: all who can do it.
struct CaseResult {
  std::string robot;
  std::size_t nq = 0;
  std::size_t nv = 0;
  std::size_t bodies = 0;
  std::string operation;
  std::size_t batch = 0;
  int threads = 1;
  double flops = 0.0;  // Of our kernels for one state.
  std::vector<Entry> entries;
};

struct Peak {
  std::string instruction_set;
  std::string precision;
  double flops_per_ns = 0.0;
};

struct PeerVersion {
  std::string name, version;
};

struct Report {
  Settings settings;
  std::vector<PeerVersion> peers;
  std::vector<Peak> peaks;
  std::vector<Bandwidth> bandwidths;
  std::vector<std::string> left_out;  // Sentences: who did not take part, and why.
  std::vector<CaseResult> cases;
};

// Everything that was measured, for programs.
std::string to_json(const Report& report);

}  // namespace rbd_bench
