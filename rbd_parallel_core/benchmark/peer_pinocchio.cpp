// SPDX-License-Identifier: Apache-2.0
#include "peer_pinocchio.h"

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Eigen::VectorXd;
using pinocchio::Convention;

// The type for which the wheel holds compiled instantiations. Any other argument type would compile
// the algorithms again, here, and the benchmark would no longer measure what the wheel's users run.
using ConstRef = Eigen::Ref<const VectorXd>;

constexpr Eigen::Index kFloatingNq = 7;

thread_local std::string last_error;

// One state in Pinocchio's layout, with the references it is passed by.
struct State {
  State(VectorXd q_in, VectorXd v_in, VectorXd a_in, VectorXd tau_in)
      : q(std::move(q_in)), v(std::move(v_in)), a(std::move(a_in)), tau(std::move(tau_in)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  VectorXd q, v, a, tau;
  ConstRef q_ref{q}, v_ref{v}, a_ref{a}, tau_ref{tau};
};

// Runs `body`, turning an exception into a message: none may cross the C border.
template <typename Body>
bool guarded(Body&& body) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception& e) {
    last_error = e.what();
  } catch (...) {
    last_error = "unknown exception";
  }
  return false;
}

bool is_angle_on_circle(const pinocchio::JointModel& joint) {
  return joint.nq() == 2 && joint.nv() == 1;
}

}  // namespace

struct RbdPeer {
  explicit RbdPeer(const pinocchio::Model& model_in, bool floating_in)
      : model(model_in), data(model), floating(floating_in) {}

  pinocchio::Model model;
  pinocchio::Data data;
  bool floating;
  std::vector<std::unique_ptr<State>> states;
};

namespace {

pinocchio::Model build_model(const std::string& urdf_xml, bool floating) {
  pinocchio::Model model;
  if (floating) {
    pinocchio::urdf::buildModelFromXML(urdf_xml, pinocchio::JointModelFreeFlyer(), model);
  } else {
    pinocchio::urdf::buildModelFromXML(urdf_xml, model);
  }
  return model;
}

void require_known_joints(const pinocchio::Model& model, bool floating) {
  for (std::size_t i = floating ? 2 : 1; i < model.joints.size(); ++i) {
    if (model.joints[i].nv() != 1) {
      throw std::invalid_argument("joint '" + model.names[i] +
                                  "' is neither revolute nor prismatic");
    }
  }
}

Eigen::Index border_nq(const RbdPeer& peer) { return peer.model.nv + (peer.floating ? 1 : 0); }

// A continuous joint is one angle outside and a point on the unit circle in Pinocchio.
VectorXd to_pinocchio_q(const RbdPeer& peer, const double* q) {
  VectorXd out(peer.model.nq);
  std::size_t first = 1;
  if (peer.floating) {
    out.head(kFloatingNq) = Eigen::Map<const VectorXd>(q, kFloatingNq);
    q += kFloatingNq;
    first = 2;
  }
  for (std::size_t i = first; i < peer.model.joints.size(); ++i, ++q) {
    const auto& joint = peer.model.joints[i];
    if (is_angle_on_circle(joint)) {
      out[joint.idx_q()] = std::cos(*q);
      out[joint.idx_q() + 1] = std::sin(*q);
    } else {
      out[joint.idx_q()] = *q;
    }
  }
  return out;
}

void compute(RbdPeer& peer, RbdPeerOperation operation, const State& s) {
  auto& [model, data, floating, states] = peer;
  switch (operation) {
    case RBD_PEER_RNEA:
      pinocchio::rnea(model, data, s.q_ref, s.v_ref, s.a_ref);
      return;
    case RBD_PEER_ABA_LOCAL:
      pinocchio::aba(model, data, s.q_ref, s.v_ref, s.tau_ref, Convention::LOCAL);
      return;
    case RBD_PEER_ABA_WORLD:
      pinocchio::aba(model, data, s.q_ref, s.v_ref, s.tau_ref, Convention::WORLD);
      return;
    case RBD_PEER_CRBA_LOCAL:
      pinocchio::crba(model, data, s.q_ref, Convention::LOCAL);
      return;
    case RBD_PEER_CRBA_WORLD:
      pinocchio::crba(model, data, s.q_ref, Convention::WORLD);
      return;
  }
  throw std::invalid_argument("unknown operation " + std::to_string(static_cast<int>(operation)));
}

void copy_result(const RbdPeer& peer, RbdPeerOperation operation, double* result) {
  const Eigen::Index n = peer.model.nv;
  if (operation == RBD_PEER_RNEA) {
    Eigen::Map<VectorXd>(result, n) = peer.data.tau;
  } else if (operation == RBD_PEER_ABA_LOCAL || operation == RBD_PEER_ABA_WORLD) {
    Eigen::Map<VectorXd>(result, n) = peer.data.ddq;
  } else {
    Eigen::Map<Eigen::MatrixXd>(result, n, n) =
        peer.data.M.selfadjointView<Eigen::Upper>().toDenseMatrix();
  }
}

const char* version() { return PINOCCHIO_VERSION; }

const char* error() { return last_error.c_str(); }

RbdPeer* create(const char* urdf_xml, int floating_base) {
  std::unique_ptr<RbdPeer> peer;
  guarded([&] {
    const bool floating = floating_base != 0;
    const pinocchio::Model model = build_model(urdf_xml, floating);
    require_known_joints(model, floating);
    peer = std::make_unique<RbdPeer>(model, floating);
  });
  return peer.release();
}

void destroy(RbdPeer* peer) { delete peer; }

std::size_t nq(const RbdPeer* peer) { return static_cast<std::size_t>(border_nq(*peer)); }

std::size_t nv(const RbdPeer* peer) { return static_cast<std::size_t>(peer->model.nv); }

// Joint 0 of Pinocchio is the universe.
std::size_t joint_count(const RbdPeer* peer) { return peer->model.joints.size() - 1; }

const char* joint_name(const RbdPeer* peer, std::size_t joint) {
  return joint < joint_count(peer) ? peer->model.names[joint + 1].c_str() : "";
}

int set_states(RbdPeer* peer, std::size_t count, const double* q, const double* v, const double* a,
               const double* tau) {
  const bool ok = guarded([&] {
    const Eigen::Index n = peer->model.nv;
    const auto row = [n](const double* base, std::size_t k) -> VectorXd {
      return Eigen::Map<const VectorXd>(base + static_cast<Eigen::Index>(k) * n, n);
    };
    peer->states.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const double* q_row = q + static_cast<Eigen::Index>(k) * border_nq(*peer);
      peer->states.push_back(
          std::make_unique<State>(to_pinocchio_q(*peer, q_row), row(v, k), row(a, k), row(tau, k)));
    }
  });
  return ok ? 0 : 1;
}

int run(RbdPeer* peer, RbdPeerOperation operation) {
  const bool ok = guarded([&] {
    for (const auto& state : peer->states) compute(*peer, operation, *state);
  });
  return ok ? 0 : 1;
}

int evaluate(RbdPeer* peer, RbdPeerOperation operation, std::size_t state, double* result) {
  const bool ok = guarded([&] {
    compute(*peer, operation, *peer->states.at(state));
    copy_result(*peer, operation, result);
  });
  return ok ? 0 : 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const RbdPeerApi* rbd_peer_api() {
  static const RbdPeerApi api{version,     error,      create,     destroy, nq,      nv,
                              joint_count, joint_name, set_states, run,     evaluate};
  return &api;
}
