// SPDX-License-Identifier: Apache-2.0
#include <mujoco/mujoco.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peer.h"
#include "peer_guard.hpp"

namespace {

constexpr std::array<RbdPeerVariant, 2> kVariants{{
    {RBD_PEER_RNEA, "kinematics + rne", 1},
    {RBD_PEER_CRBA, "kinematics + crb", 1},
}};

// The arrays of an mjData that a state is read from.
struct State {
  std::vector<mjtNum> q, v, a;
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

// Links that cannot move are merged, as Pinocchio and this project do. Inertias stay as written.
Model build_model(const char* urdf_xml) {
  std::array<char, 1000> text{};
  const Spec spec(mj_parseXMLString(urdf_xml, nullptr, text.data(), static_cast<int>(text.size())));
  if (!spec) throw std::runtime_error(text.data());
  spec->compiler.fusestatic = 1;
  spec->compiler.balanceinertia = 0;
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
    peer = std::make_unique<RbdPeer>(
        RbdPeer{std::move(model), std::move(data), {}, std::vector<mjtNum>(nv)});
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
               const double*) {
  return rbd_peer::guarded([&] {
    const std::size_t n = nv(peer);
    const auto row = [n](const double* base, std::size_t k) {
      return std::vector<mjtNum>(base + k * n, base + (k + 1) * n);
    };
    peer->states.clear();
    for (std::size_t k = 0; k < count; ++k) {
      peer->states.push_back({row(q, k), row(v, k), row(a, k)});
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

int run(RbdPeer* peer, std::size_t variant) {
  return rbd_peer::guarded([&] {
    const RbdPeerOperation operation = kVariants.at(variant).operation;
    Borrowed borrowed(peer->data.get());
    for (State& state : peer->states) {
      borrowed.read(state);
      compute(*peer, operation);
    }
  });
}

int results(RbdPeer* peer, std::size_t variant, std::size_t count, const std::size_t* states,
            double* out) {
  return rbd_peer::guarded([&] {
    const RbdPeerOperation operation = kVariants.at(variant).operation;
    Borrowed borrowed(peer->data.get());
    for (std::size_t i = 0; i < count; ++i) {
      borrowed.read(peer->states.at(states[i]));
      compute(*peer, operation);
      if (operation == RBD_PEER_CRBA) {
        mj_fullM(peer->model.get(), peer->data.get(), out);
        out += nv(peer) * nv(peer);
      } else {
        out = std::copy(peer->tau.begin(), peer->tau.end(), out);
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
