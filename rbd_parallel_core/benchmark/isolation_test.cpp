// SPDX-License-Identifier: Apache-2.0
// Two urdfdoms in one process: the one this project links, and the wheel's inside the peer library.
// Both read the same robot, in turns, and must go on giving right answers. With the argument
// `control` the peer is loaded without RTLD_DEEPBIND, as it must not be, to show that this program
// would notice.
#include <dlfcn.h>
#include <urdf_parser/urdf_parser.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain.hpp"
#include "peer.hpp"

namespace {

int calls_of_linked_urdfdom = 0;
bool linked_urdfdom_answers = true;

}  // namespace

// Stands before the linked urdfdom and counts who comes by: a wheel that is not isolated does.
namespace urdf {

ModelInterfaceSharedPtr parseURDF(const std::string& xml) {
  using Function = ModelInterfaceSharedPtr (*)(const std::string&);
  constexpr const char* kMangledName =
      "_ZN4urdf9parseURDFERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  ++calls_of_linked_urdfdom;
  if (!linked_urdfdom_answers) return nullptr;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, kMangledName))(xml);
}

}  // namespace urdf

namespace {

constexpr std::size_t kBodies = 5;
constexpr const char* kPeerLibrary = "librbd_peer_pinocchio.so";
constexpr std::size_t kRnea = 0;  // The peer's first variant.

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

void check_linked_urdfdom(const std::string& xml) {
  const auto model = urdf::parseURDF(xml);
  require(model != nullptr, "the linked urdfdom cannot read the chain");
  require(model->joints_.size() == kBodies, "the linked urdfdom miscounts the joints");
  require(model->getLink("link0004")->inertial->mass == 1.0, "the linked urdfdom misreads a mass");
}

// Without skew all axes are parallel to gravity, so the torque that accelerates the last joint
// alone is its inertia.
void check_peer(const std::string& xml) {
  constexpr double kInertiaAboutJoint = 1.015 / 12.0 + 0.25;
  static const rbd_bench::PeerLibrary library(kPeerLibrary);
  // Joints that the peer miscounts or misnames make it throw.
  rbd_bench::Peer peer(library, xml, false,
                       {"joint0000", "joint0001", "joint0002", "joint0003", "joint0004"});

  const std::vector<double> zero(kBodies, 0.0);
  rbd_bench::States states{
      .count = 1, .nq = kBodies, .nv = kBodies, .q = zero, .v = zero, .a = zero, .tau = zero};
  states.a.back() = 1.0;
  peer.set_states(states);
  const double torque = peer.results(kRnea, std::array{std::size_t{0}}).back();
  require(std::abs(torque - kInertiaAboutJoint) < 1e-12, "the peer computes a wrong torque");
}

void check_isolation(const std::string& xml) {
  check_linked_urdfdom(xml);
  check_peer(xml);
  require(calls_of_linked_urdfdom == 1, "the peer calls into the linked urdfdom");
  check_linked_urdfdom(xml);
  check_peer(xml);
  require(calls_of_linked_urdfdom == 2, "the peer calls into the linked urdfdom");
}

void check_that_missing_isolation_is_noticed(const std::string& xml) {
  linked_urdfdom_answers = false;  // Its model would have the wrong layout for the wheel.
  void* library = dlopen(kPeerLibrary, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, dlerror());
  const auto api = reinterpret_cast<RbdPeerApiFunction>(dlsym(library, RBD_PEER_API_SYMBOL))();
  require(api->create(xml.c_str(), 0) == nullptr, "the peer has read a robot it was not given");
  require(calls_of_linked_urdfdom == 1, "a peer without isolation went unnoticed");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string xml = rbd_bench::chain_urdf(kBodies, 0.0);
    if (argc > 1 && std::string_view(argv[1]) == "control") {
      check_that_missing_isolation_is_noticed(xml);
    } else {
      check_isolation(xml);
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "isolation_test: %s\n", e.what());
    return 1;
  }
}
