// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "peer.h"
#include "states.hpp"

namespace rbd_bench {

// A library that implements peer.h. It stays loaded to the end: unloading it would buy nothing.
class PeerLibrary {
 public:
  // `file` is looked up beside the program. Throws std::runtime_error where it cannot be loaded.
  explicit PeerLibrary(const std::string& file);

  const RbdPeerApi& api() const { return *api_; }
  std::string name() const { return api_->name(); }
  std::string version() const { return api_->version(); }
  std::span<const RbdPeerVariant> variants() const;

 private:
  const RbdPeerApi* api_;
};

// A robot in a peer. Owns the C handle and throws std::runtime_error with the peer's text where a
// call fails. Peers number the joints in ways of their own; states and results are in the order of
// `joint_names`, the floating base (whose name is everyone's own) left out.
class Peer {
 public:
  Peer(const PeerLibrary& library, const std::string& urdf_xml, bool floating_base,
       const std::vector<std::string>& joint_names);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const PeerLibrary& library() const { return *library_; }
  std::size_t nv() const { return library_->api().nv(handle_); }
  // Whether some of its ways are finite differences, which take much longer than all others.
  bool has_finite_differences() const;

  void set_states(const States& states);
  void run(std::size_t variant);
  // Of some of the states, one after the other: nv numbers, or as many matrices of nv x nv as
  // peer.h has for the operation.
  std::vector<double> results(std::size_t variant, std::span<const std::size_t> states);

 private:
  void find_order(bool floating_base, const std::vector<std::string>& joint_names);
  std::vector<double> to_peer(const std::vector<double>& rows, std::size_t width) const;
  [[noreturn]] void fail(const std::string& what) const;
  void check(int status) const;

  const PeerLibrary* library_;
  RbdPeer* handle_;
  std::size_t base_nv_ = 0;         // Coordinates of the floating base, which keep their places.
  std::vector<std::size_t> order_;  // Where the peer has each of the other coordinates.
};

}  // namespace rbd_bench
