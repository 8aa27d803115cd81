// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "peer_pinocchio.h"
#include "states.hpp"

namespace rbd_bench {

// A robot in Pinocchio. Owns the C handle of peer_pinocchio.h and throws std::runtime_error with
// the peer's text where a call fails.
class Peer {
 public:
  Peer(const std::string& urdf_xml, bool floating_base);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::size_t nq() const { return api_->nq(handle_); }
  std::size_t nv() const { return api_->nv(handle_); }
  std::vector<std::string> joint_names() const;
  static std::string version();

  void set_states(const States& states);
  void run(RbdPeerOperation operation);
  std::vector<double> evaluate(RbdPeerOperation operation, std::size_t state);

 private:
  void check(int status) const;

  const RbdPeerApi* api_;
  RbdPeer* handle_;
};

}  // namespace rbd_bench
