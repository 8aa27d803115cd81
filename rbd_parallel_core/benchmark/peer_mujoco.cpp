// SPDX-License-Identifier: Apache-2.0
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peer.h"
#include "peer_guard.hpp"

namespace {

constexpr std::array<RbdPeerVariant, 4> kVariants{{
    {RBD_PEER_RNEA, "kinematics + rne", 1, 0},
    {RBD_PEER_CRBA, "kinematics + crb", 1, 0},
    {RBD_PEER_RNEA_DERIVATIVES, "mjd_inverseFD", 1, 1},
    {RBD_PEER_ABA_DERIVATIVES, "mjd_transitionFD", 1, 1},
}};

constexpr mjtNum kStep = 1e-6;  // Of finite differences, forward ones: the cheaper kind.

// The arrays of an mjData that a state is read from.
struct State {
  std::vector<mjtNum> q, v, a, tau;
};

template <typename T, void (*release)(T*)>
struct Release {
  void operator()(T* object) const { release(object); }
};
using Spec = std::unique_ptr<mjSpec, Release<mjSpec, mj_deleteSpec>>;
using Model = std::unique_ptr<mjModel, Release<mjModel, mj_deleteModel>>;
using Data = std::unique_ptr<mjData, Release<mjData, mj_deleteData>>;

// MuJoCo ends the program on an error unless told otherwise.
[[noreturn]] void throw_error(const char* text) { throw std::runtime_error(text); }

// A motor for each joint, so that torques are among the inputs of mjd_transitionFD.
void add_motors(mjSpec* spec) {
  for (mjsElement* joint = mjs_firstElement(spec, mjOBJ_JOINT); joint != nullptr;
       joint = mjs_nextElement(spec, joint)) {
    mjsActuator* motor = mjs_addActuator(spec, nullptr);
    mjs_setToMotor(motor);
    motor->trntype = mjTRN_JOINT;
    mjs_setString(motor->target, mjs_getString(mjs_getName(joint)));
  }
}

// Links that cannot move are merged, as Pinocchio and this project do. Inertias stay as written.
// Torques are those of rigid bodies alone: no friction, no damping, no limits.
Model build_model(const char* urdf_xml) {
  std::array<char, 1000> text{};
  const Spec spec(mj_parseXMLString(urdf_xml, nullptr, text.data(), static_cast<int>(text.size())));
  if (!spec) throw std::runtime_error(text.data());
  spec->compiler.fusestatic = 1;
  spec->compiler.balanceinertia = 0;
  spec->option.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_EULERDAMP;
  add_motors(spec.get());
  Model model(mj_compile(spec.get(), nullptr));
  if (!model) throw std::runtime_error(mjs_getError(spec.get()));
  return model;
}

}  // namespace

struct RbdPeer {
  Model model;
  Data data;
  std::vector<State> states;
  std::vector<mjtNum> tau;
  std::vector<mjtNum> by_q, by_v;  // Of inverse dynamics; a row for each coordinate of q or v.
  std::vector<mjtNum> by_state, by_control;  // Of the next state; a row for each of its numbers.
};

namespace {

void require_known_joints(const mjModel& model) {
  for (int i = 0; i < model.njnt; ++i) {
    if (model.jnt_type[i] != mjJNT_HINGE && model.jnt_type[i] != mjJNT_SLIDE) {
      throw std::invalid_argument("joint " + std::to_string(i) +
                                  " is neither revolute nor prismatic");
    }
  }
}

const char* name() { return "MuJoCo"; }

const char* version() { return mj_versionString(); }

const RbdPeerVariant* variants(std::size_t* count) {
  *count = kVariants.size();
  return kVariants.data();
}

RbdPeer* create(const char* urdf_xml, int floating_base) {
  std::unique_ptr<RbdPeer> peer;
  rbd_peer::guarded([&] {
    if (floating_base != 0) {
      throw std::invalid_argument(
          "a floating base is left out, since MuJoCo's velocity of one is another one");
    }
    mju_user_error = throw_error;
    Model model = build_model(urdf_xml);
    require_known_joints(*model);
    Data data(mj_makeData(model.get()));
    if (!data) throw std::runtime_error("mj_makeData failed");
    const auto nv = static_cast<std::size_t>(model->nv);
    if (model->nu != model->nv) throw std::runtime_error("not every joint has got a motor");
    const auto zeros = [](std::size_t count) { return std::vector<mjtNum>(count); };
    peer = std::make_unique<RbdPeer>(RbdPeer{std::move(model),
                                             std::move(data),
                                             {},
                                             zeros(nv),
                                             zeros(nv * nv),
                                             zeros(nv * nv),
                                             zeros(2 * nv * 2 * nv),
                                             zeros(2 * nv * nv)});
  });
  return peer.release();
}

void destroy(RbdPeer* peer) { delete peer; }

std::size_t nq(const RbdPeer* peer) { return static_cast<std::size_t>(peer->model->nq); }

std::size_t nv(const RbdPeer* peer) { return static_cast<std::size_t>(peer->model->nv); }

std::size_t joint_count(const RbdPeer* peer) { return static_cast<std::size_t>(peer->model->njnt); }

const char* joint_name(const RbdPeer* peer, std::size_t joint) {
  return mj_id2name(peer->model.get(), mjOBJ_JOINT, static_cast<int>(joint));
}

int set_states(RbdPeer* peer, std::size_t count, const double* q, const double* v, const double* a,
               const double* tau) {
  return rbd_peer::guarded([&] {
    const std::size_t n = nv(peer);
    const auto row = [n](const double* base, std::size_t k) {
      return std::vector<mjtNum>(base + k * n, base + (k + 1) * n);
    };
    peer->states.clear();
    for (std::size_t k = 0; k < count; ++k) {
      peer->states.push_back({row(q, k), row(v, k), row(a, k), row(tau, k)});
    }
  });
}

// For the time of a call, an mjData whose state lies in the prepared arrays: nothing is copied.
class Borrowed {
 public:
  explicit Borrowed(mjData* data) : data_(data), q_(data->qpos), v_(data->qvel), a_(data->qacc) {}
  ~Borrowed() { point_to(q_, v_, a_); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  void read(State& state) { point_to(state.q.data(), state.v.data(), state.a.data()); }

 private:
  void point_to(mjtNum* q, mjtNum* v, mjtNum* a) {
    data_->qpos = q;
    data_->qvel = v;
    data_->qacc = a;
  }

  mjData* data_;
  mjtNum *q_, *v_, *a_;
};

// The least that inverse dynamics or the mass matrix needs of its pipeline.
void compute(RbdPeer& peer, RbdPeerOperation operation) {
  const mjModel* model = peer.model.get();
  mjData* data = peer.data.get();
  mj_kinematics(model, data);
  mj_comPos(model, data);
  if (operation == RBD_PEER_CRBA) {
    mj_crb(model, data);
  } else {
    mj_comVel(model, data);
    mj_rne(model, data, 1, peer.tau.data());
  }
}

// Finite differences step through the arrays of the mjData, so these get a copy: it costs nothing
// beside them.
void differentiate(RbdPeer& peer, RbdPeerOperation operation, const State& state) {
  const mjModel* model = peer.model.get();
  mjData* data = peer.data.get();
  std::copy(state.q.begin(), state.q.end(), data->qpos);
  std::copy(state.v.begin(), state.v.end(), data->qvel);
  if (operation == RBD_PEER_RNEA_DERIVATIVES) {
    std::copy(state.a.begin(), state.a.end(), data->qacc);
    mjd_inverseFD(model, data, kStep, 0, peer.by_q.data(), peer.by_v.data(), nullptr, nullptr,
                  nullptr, nullptr, nullptr);
  } else {
    std::copy(state.tau.begin(), state.tau.end(), data->ctrl);
    mjd_transitionFD(model, data, kStep, 0, peer.by_state.data(), peer.by_control.data(), nullptr,
                     nullptr);
  }
}

// Of one of the states.
class Evaluation {
 public:
  Evaluation(RbdPeer& peer, std::size_t variant)
      : peer_(peer), variant_(kVariants.at(variant)), borrowed_(peer.data.get()) {}

  void operator()(State& state) {
    if (variant_.finite_differences != 0) return differentiate(peer_, variant_.operation, state);
    borrowed_.read(state);
    compute(peer_, variant_.operation);
  }

 private:
  RbdPeer& peer_;
  const RbdPeerVariant& variant_;
  Borrowed borrowed_;
};

int run(RbdPeer* peer, std::size_t variant) {
  return rbd_peer::guarded([&] {
    Evaluation evaluate(*peer, variant);
    for (State& state : peer->states) evaluate(state);
  });
}

double* copy_transposed(const std::vector<mjtNum>& matrix, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) *out++ = matrix[j * n + i];
  }
  return out;
}

// The accelerations are in the velocities of the next state, v + h qdd.
double* copy_accelerations(const RbdPeer& peer, double* out) {
  const std::size_t n = nv(&peer);
  const mjtNum h = peer.model->opt.timestep;
  for (const std::size_t first : {std::size_t{0}, n}) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const mjtNum of_v = first > 0 && i == j ? 1 : 0;
        *out++ = (peer.by_state[(n + i) * 2 * n + first + j] - of_v) / h;
      }
    }
  }
  for (std::size_t k = 0; k < n * n; ++k) *out++ = peer.by_control[n * n + k] / h;
  return out;
}

double* copy_result(const RbdPeer& peer, RbdPeerOperation operation, double* out) {
  const std::size_t n = nv(&peer);
  switch (operation) {
    case RBD_PEER_CRBA:
      mj_fullM(peer.model.get(), peer.data.get(), out);
      return out + n * n;
    case RBD_PEER_RNEA_DERIVATIVES:
      return copy_transposed(peer.by_v, n, copy_transposed(peer.by_q, n, out));
    case RBD_PEER_ABA_DERIVATIVES:
      return copy_accelerations(peer, out);
    default:
      return std::copy(peer.tau.begin(), peer.tau.end(), out);
  }
}

int results(RbdPeer* peer, std::size_t variant, std::size_t count, const std::size_t* states,
            double* out) {
  return rbd_peer::guarded([&] {
    Evaluation evaluate(*peer, variant);
    for (std::size_t i = 0; i < count; ++i) {
      evaluate(peer->states.at(states[i]));
      out = copy_result(*peer, kVariants.at(variant).operation, out);
    }
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const RbdPeerApi* rbd_peer_api() {
  static const RbdPeerApi api{name, version,     rbd_peer::error, variants,   create, destroy, nq,
                              nv,   joint_count, joint_name,      set_states, run,    results};
  return &api;
}
