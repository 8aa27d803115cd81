// SPDX-License-Identifier: Apache-2.0
//
// Loads a robot and shows what the library computes for it: the tree, gravity torques in a few
// poses, the mass matrix, and a check that inverse dynamics undoes forward dynamics.
//
//   rbd_demo ROBOT.urdf [--floating]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd = rbd_parallel_core;

namespace {

constexpr int most_columns = 12;

void require(const rbd::Result& result) {
  if (!result.ok()) throw std::runtime_error(rbd::message(result));
}

/// One angle (or shift) for every joint of one coordinate; the others stay at rest.
std::vector<double> pose(const rbd::Model& model, double value) {
  std::vector<double> q = model.neutral();
  for (const rbd::Joint& joint : model.joints()) {
    if (joint.nq == 1) q[static_cast<std::size_t>(joint.q_index)] = value;
  }
  return q;
}

/// A name for every coordinate of v.
std::vector<std::string> coordinate_names(const rbd::Model& model) {
  std::vector<std::string> names;
  for (int k = 0; k < model.nv(); ++k) {
    const rbd::Joint& joint = model.joints()[static_cast<std::size_t>(model.joint_of_dof(k))];
    names.push_back(joint.nv == 1 ? joint.name
                                  : joint.name + "." + std::to_string(k - joint.v_index));
  }
  return names;
}

/// A number that would print as -0.0000 is shown as 0.
double shown(double x) { return std::abs(x) < 5e-5 ? 0.0 : x; }

void print_gravity_torques(rbd::Backend& backend) {
  const rbd::Model& model = backend.model();
  const std::vector<double> poses = {0.0, 0.5, 1.0};
  std::vector<std::vector<double>> tau;
  for (const double value : poses) {
    tau.emplace_back(static_cast<std::size_t>(model.nv()));
    require(backend.gravity_forces({.q = pose(model, value), .v = {}, .tau = tau.back()}));
  }
  std::printf("Gravity torques g(q), N m or N, with every joint at the same value\n");
  std::printf("  %-24s %12s %12s %12s\n", "joint", "q = 0", "q = 0.5", "q = 1");
  const std::vector<std::string> names = coordinate_names(model);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::printf("  %-24s %12.4f %12.4f %12.4f\n", names[k].c_str(), shown(tau[0][k]),
                shown(tau[1][k]), shown(tau[2][k]));
  }
}

void print_mass_matrix(rbd::Backend& backend) {
  const rbd::Model& model = backend.model();
  const auto n = static_cast<std::size_t>(model.nv());
  std::vector<double> M(n * n);
  require(backend.mass_matrix({.q = pose(model, 0.5), .mass_matrix = M}));
  const std::size_t part = std::min<std::size_t>(n, most_columns);
  std::printf("\nMass matrix M(q) at q = 0.5, %zu x %zu%s\n", n, n,
              part < n ? " (its first rows and columns)" : "");
  for (std::size_t i = 0; i < part; ++i) {
    for (std::size_t j = 0; j < part; ++j) std::printf(" %9.4f", shown(M[i * n + j]));
    std::printf("\n");
  }
}

/// qdd = FD(q, v, tau) for random states, then ID(q, v, qdd) must give tau back. True if it does.
bool check_round_trip(rbd::Backend& backend, std::size_t batch) {
  const rbd::Model& model = backend.model();
  const auto nv = static_cast<std::size_t>(model.nv());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> q, v(batch * nv), tau(batch * nv), qdd(batch * nv), back(batch * nv);
  for (std::size_t s = 0; s < batch; ++s) {
    const std::vector<double> one = pose(model, uniform(random));
    q.insert(q.end(), one.begin(), one.end());
  }
  for (double& x : v) x = uniform(random);
  for (double& x : tau) x = 10 * uniform(random);
  std::vector<rbd::StateStatus> status(batch);
  require(backend.forward_dynamics(
      {.batch = batch, .q = q, .v = v, .tau = tau, .qdd = qdd, .status = status}));
  for (const rbd::StateStatus& one : status) {
    if (one.ok()) continue;
    std::printf("\nForward dynamics: %s\n", rbd::message(one, model).c_str());
    return one.code == rbd::StateStatus::Code::singular;  // a property of the robot, said plainly
  }
  require(backend.inverse_dynamics({.batch = batch, .q = q, .v = v, .a = qdd, .tau = back}));
  double error = 0;
  for (std::size_t k = 0; k < tau.size(); ++k) error = std::max(error, std::abs(back[k] - tau[k]));
  const bool good = error < 1e-9;
  std::printf("\nCheck ID(FD(tau)) = tau on %zu random states: largest difference %.1e N m  %s\n",
              batch, error, good ? "ok" : "WRONG");
  return good;
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: rbd_demo ROBOT.urdf [--floating]\n");
    return 2;
  }
  rbd::ModelOptions options;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--floating") != 0) {
      throw std::invalid_argument("unknown argument '" + std::string(argv[i]) +
                                  "', expected --floating");
    }
    options.base = rbd::Base::floating;
  }
  const auto model = std::make_shared<const rbd::Model>(rbd::load_urdf(argv[1], options));
  std::printf("%s\n", model->tree().c_str());
  for (const std::string& warning : model->warnings())
    std::printf("warning: %s\n", warning.c_str());

  constexpr std::size_t batch = 1000;
  const auto backend = rbd::make_backend("reference");
  backend->configure(model, {.max_batch = batch});
  print_gravity_torques(*backend);
  print_mass_matrix(*backend);
  return check_round_trip(*backend, batch) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rbd_demo: %s\n", error.what());
    return 1;
  }
}
