// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <memory>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/parallel/aba.hpp>
#include <pinocchio/algorithm/parallel/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "peer.h"
#include "peer_guard.hpp"

namespace {

using Eigen::VectorXd;
using pinocchio::Convention;

// The type for which the wheel holds compiled instantiations. Any other argument type would compile
// the algorithms again, here, and the benchmark would no longer measure what the wheel's users run.
using ConstRef = Eigen::Ref<const VectorXd>;

constexpr Eigen::Index kFloatingNq = 7;
constexpr int kThreads = 2;

// One state in Pinocchio's layout, with the references it is passed by.
struct State {
  State(VectorXd q_in, VectorXd v_in, VectorXd a_in, VectorXd tau_in)
      : q(std::move(q_in)), v(std::move(v_in)), a(std::move(a_in)), tau(std::move(tau_in)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  VectorXd q, v, a, tau;
  ConstRef q_ref{q}, v_ref{v}, a_ref{a}, tau_ref{tau};
};

bool is_angle_on_circle(const pinocchio::JointModel& joint) {
  return joint.nq() == 2 && joint.nv() == 1;
}

}  // namespace

struct RbdPeer {
  explicit RbdPeer(const pinocchio::Model& model_in, bool floating_in)
      : model(model_in), data(model), pool(model, kThreads), floating(floating_in) {}

  pinocchio::Model model;
  pinocchio::Data data;
  pinocchio::ModelPool pool;  // What its functions for several threads work with.
  bool floating;
  std::vector<std::unique_ptr<State>> states;
  Eigen::MatrixXd q, v, a, tau, result;  // The same states for those functions: one a column.
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

// Inverse dynamics has one convention. The functions for several threads exist for two of the
// operations, with the WORLD convention.
enum Way { kPlain, kLocal, kWorld, kParallel };

struct Variant {
  RbdPeerVariant border;
  Way way;
};

constexpr std::array kVariants{
    Variant{{RBD_PEER_RNEA, "", 1, 0}, kPlain},
    Variant{{RBD_PEER_RNEA, "rneaInParallel", kThreads, 0}, kParallel},
    Variant{{RBD_PEER_CRBA, "LOCAL", 1, 0}, kLocal},
    Variant{{RBD_PEER_CRBA, "WORLD", 1, 0}, kWorld},
    Variant{{RBD_PEER_ABA, "LOCAL", 1, 0}, kLocal},
    Variant{{RBD_PEER_ABA, "WORLD", 1, 0}, kWorld},
    Variant{{RBD_PEER_ABA, "abaInParallel", kThreads, 0}, kParallel},
    Variant{{RBD_PEER_RNEA_DERIVATIVES, "", 1, 0}, kPlain},
    Variant{{RBD_PEER_ABA_DERIVATIVES, "", 1, 0}, kPlain},
};

void compute(RbdPeer& peer, const Variant& variant, const State& s) {
  const Convention convention = variant.way == kLocal ? Convention::LOCAL : Convention::WORLD;
  switch (variant.border.operation) {
    case RBD_PEER_RNEA:
      pinocchio::rnea(peer.model, peer.data, s.q_ref, s.v_ref, s.a_ref);
      return;
    case RBD_PEER_ABA:
      pinocchio::aba(peer.model, peer.data, s.q_ref, s.v_ref, s.tau_ref, convention);
      return;
    case RBD_PEER_CRBA:
      pinocchio::crba(peer.model, peer.data, s.q_ref, convention);
      return;
    case RBD_PEER_RNEA_DERIVATIVES:
      pinocchio::computeRNEADerivatives(peer.model, peer.data, s.q_ref, s.v_ref, s.a_ref);
      return;
    case RBD_PEER_ABA_DERIVATIVES:
      pinocchio::computeABADerivatives(peer.model, peer.data, s.q_ref, s.v_ref, s.tau_ref);
      return;
  }
}

void compute_in_parallel(RbdPeer& peer, const Variant& variant) {
  if (variant.border.operation == RBD_PEER_RNEA) {
    pinocchio::rneaInParallel(kThreads, peer.pool, peer.q, peer.v, peer.a, peer.result);
  } else {
    pinocchio::abaInParallel(kThreads, peer.pool, peer.q, peer.v, peer.tau, peer.result);
  }
}

double* copy_matrix(const Eigen::MatrixXd& matrix, double* out) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(out, matrix.rows(), matrix.cols()) = matrix;
  return out + matrix.size();
}

double* copy_vector(const VectorXd& vector, double* out) {
  Eigen::Map<VectorXd>(out, vector.size()) = vector;
  return out + vector.size();
}

// Pinocchio fills the upper triangle of M and of its inverse only; here the lower one is mirrored.
double* copy_result(const RbdPeer& peer, RbdPeerOperation operation, double* out) {
  const pinocchio::Data& data = peer.data;
  switch (operation) {
    case RBD_PEER_RNEA:
      return copy_vector(data.tau, out);
    case RBD_PEER_ABA:
      return copy_vector(data.ddq, out);
    case RBD_PEER_CRBA:
      return copy_matrix(data.M.selfadjointView<Eigen::Upper>(), out);
    case RBD_PEER_RNEA_DERIVATIVES:
      return copy_matrix(data.dtau_dv, copy_matrix(data.dtau_dq, out));
    case RBD_PEER_ABA_DERIVATIVES:
      out = copy_matrix(data.ddq_dv, copy_matrix(data.ddq_dq, out));
      return copy_matrix(data.Minv.selfadjointView<Eigen::Upper>(), out);
  }
  throw std::invalid_argument("unknown operation");
}

const char* name() { return "Pinocchio"; }

const char* version() { return PINOCCHIO_VERSION; }

const RbdPeerVariant* variants(std::size_t* count) {
  static const auto list = [] {
    std::array<RbdPeerVariant, kVariants.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = kVariants[i].border;
    return result;
  }();
  *count = list.size();
  return list.data();
}

RbdPeer* create(const char* urdf_xml, int floating_base) {
  std::unique_ptr<RbdPeer> peer;
  rbd_peer::guarded([&] {
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

void set_columns(RbdPeer& peer) {
  const auto count = static_cast<Eigen::Index>(peer.states.size());
  peer.q.resize(peer.model.nq, count);
  for (Eigen::MatrixXd* matrix : {&peer.v, &peer.a, &peer.tau, &peer.result}) {
    matrix->resize(peer.model.nv, count);
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const State& state = *peer.states[static_cast<std::size_t>(k)];
    peer.q.col(k) = state.q;
    peer.v.col(k) = state.v;
    peer.a.col(k) = state.a;
    peer.tau.col(k) = state.tau;
  }
}

int set_states(RbdPeer* peer, std::size_t count, const double* q, const double* v, const double* a,
               const double* tau) {
  return rbd_peer::guarded([&] {
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
    set_columns(*peer);
  });
}

int run(RbdPeer* peer, std::size_t index) {
  return rbd_peer::guarded([&] {
    const Variant& variant = kVariants.at(index);
    if (variant.way == kParallel) return compute_in_parallel(*peer, variant);
    for (const auto& state : peer->states) compute(*peer, variant, *state);
  });
}

int results(RbdPeer* peer, std::size_t index, std::size_t count, const std::size_t* states,
            double* out) {
  return rbd_peer::guarded([&] {
    const Variant& variant = kVariants.at(index);
    const Eigen::Index n = peer->model.nv;
    if (variant.way == kParallel) compute_in_parallel(*peer, variant);
    for (std::size_t i = 0; i < count; ++i) {
      if (variant.way == kParallel) {
        Eigen::Map<VectorXd>(out, n) = peer->result.col(static_cast<Eigen::Index>(states[i]));
        out += n;
      } else {
        compute(*peer, variant, *peer->states.at(states[i]));
        out = copy_result(*peer, variant.border.operation, out);
      }
    }
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const RbdPeerApi* rbd_peer_api() {
  static const RbdPeerApi api{name, version,     rbd_peer::error, variants,   create, destroy, nq,
                              nv,   joint_count, joint_name,      set_states, run,    results};
  return &api;
}
