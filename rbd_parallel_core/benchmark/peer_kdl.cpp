// SPDX-License-Identifier: Apache-2.0
#include <urdf_parser/urdf_parser.h>

#include <kdl/config.h>
#include <array>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peer.h"
#include "peer_guard.hpp"

namespace {

// Of its tree solvers, this is the only one for dynamics.
constexpr std::array<RbdPeerVariant, 1> kVariants{{{RBD_PEER_RNEA, "TreeIdSolver_RNE", 1, 0}}};

struct State {
  KDL::JntArray q, v, a;
};

KDL::Vector vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

KDL::Frame frame(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {KDL::Rotation::Quaternion(r.x, r.y, r.z, r.w), vector(pose.position)};
}

// KDL wants the inertia about the link's origin, along the link's axes; a URDF gives it about the
// centre of mass, along axes of its own.
KDL::RigidBodyInertia inertia(const urdf::Link& link) {
  if (!link.inertial) return KDL::RigidBodyInertia::Zero();
  const urdf::Inertial& i = *link.inertial;
  const KDL::RotationalInertia about_com(i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz);
  const KDL::Frame origin = frame(i.origin);
  const KDL::RigidBodyInertia turned =
      origin.M * KDL::RigidBodyInertia(0.0, KDL::Vector::Zero(), about_com);
  return KDL::RigidBodyInertia(i.mass, origin.p, turned.getRotationalInertia());
}

KDL::Joint joint(const urdf::Joint& j) {
  const KDL::Frame placement = frame(j.parent_to_joint_origin_transform);
  const KDL::Vector axis = placement.M * vector(j.axis);
  switch (j.type) {
    case urdf::Joint::FIXED:
      return KDL::Joint(j.name, KDL::Joint::Fixed);
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      return {j.name, placement.p, axis, KDL::Joint::RotAxis};
    case urdf::Joint::PRISMATIC:
      return {j.name, placement.p, axis, KDL::Joint::TransAxis};
    default:
      throw std::invalid_argument("joint '" + j.name + "' is neither revolute nor prismatic");
  }
}

}  // namespace

struct RbdPeer {
  KDL::Tree tree{"root"};
  std::vector<std::string> joint_names;
  std::unique_ptr<KDL::TreeIdSolver_RNE> solver;  // Refers to the tree.
  std::vector<State> states;
  KDL::WrenchMap no_wrenches;
  KDL::JntArray tau;
};

namespace {

void add_children(RbdPeer& peer, const urdf::Link& link, const std::string& parent) {
  for (const urdf::LinkSharedPtr& child : link.child_links) {
    const urdf::Joint& j = *child->parent_joint;
    const KDL::Segment segment(child->name, joint(j), frame(j.parent_to_joint_origin_transform),
                               inertia(*child));
    peer.tree.addSegment(segment, parent);
    if (j.type != urdf::Joint::FIXED) peer.joint_names.push_back(j.name);
    add_children(peer, *child, child->name);
  }
}

const char* name() { return "KDL"; }

const char* version() { return KDL_VERSION_STRING; }

const RbdPeerVariant* variants(std::size_t* count) {
  *count = kVariants.size();
  return kVariants.data();
}

RbdPeer* create(const char* urdf_xml, int floating_base) {
  auto peer = std::make_unique<RbdPeer>();
  const int failed = rbd_peer::guarded([&] {
    if (floating_base != 0) throw std::invalid_argument("it knows no floating base");
    const urdf::ModelInterfaceSharedPtr robot = urdf::parseURDF(urdf_xml);
    if (!robot) throw std::invalid_argument("urdfdom cannot read the robot");
    add_children(*peer, *robot->getRoot(), "root");
    peer->solver =
        std::make_unique<KDL::TreeIdSolver_RNE>(peer->tree, KDL::Vector(0.0, 0.0, -9.81));
    peer->tau.resize(peer->tree.getNrOfJoints());
  });
  return failed != 0 ? nullptr : peer.release();
}

void destroy(RbdPeer* peer) { delete peer; }

std::size_t nv(const RbdPeer* peer) { return peer->tree.getNrOfJoints(); }

std::size_t nq(const RbdPeer* peer) { return nv(peer); }

std::size_t joint_count(const RbdPeer* peer) { return peer->joint_names.size(); }

const char* joint_name(const RbdPeer* peer, std::size_t joint) {
  return peer->joint_names[joint].c_str();
}

int set_states(RbdPeer* peer, std::size_t count, const double* q, const double* v, const double* a,
               const double*) {
  return rbd_peer::guarded([&] {
    const std::size_t n = nv(peer);
    const auto row = [n](const double* base, std::size_t k) {
      KDL::JntArray result(static_cast<unsigned>(n));
      std::copy(base + k * n, base + (k + 1) * n, result.data.data());
      return result;
    };
    peer->states.clear();
    for (std::size_t k = 0; k < count; ++k) {
      peer->states.push_back({row(q, k), row(v, k), row(a, k)});
    }
  });
}

void compute(RbdPeer& peer, const State& s) {
  const int code = peer.solver->CartToJnt(s.q, s.v, s.a, peer.no_wrenches, peer.tau);
  if (code != 0) throw std::runtime_error(peer.solver->strError(code));
}

int run(RbdPeer* peer, std::size_t) {
  return rbd_peer::guarded([&] {
    for (const State& state : peer->states) compute(*peer, state);
  });
}

int results(RbdPeer* peer, std::size_t, std::size_t count, const std::size_t* states, double* out) {
  return rbd_peer::guarded([&] {
    for (std::size_t i = 0; i < count; ++i) {
      compute(*peer, peer->states.at(states[i]));
      out = std::copy_n(peer->tau.data.data(), nv(peer), out);
    }
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const RbdPeerApi* rbd_peer_api() {
  static const RbdPeerApi api{name, version,     rbd_peer::error, variants,   create, destroy, nq,
                              nv,   joint_count, joint_name,      set_states, run,    results};
  return &api;
}
