// SPDX-License-Identifier: Apache-2.0
#include "simulated_robot.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace core = rbd_parallel_core;

namespace {

int tip_link(const core::Model& model, const std::string& name) {
  if (name.empty()) return static_cast<int>(model.links().size()) - 1;
  const auto found = model.find_link(name);
  if (!found) throw std::invalid_argument("the robot has no link '" + name + "'");
  return *found;
}

/// Positions of such joints change as their velocities say.
void check_joints(const core::Model& model) {
  for (const core::Joint& joint : model.joints()) {
    if (joint.nq == 1 && joint.nv == 1) continue;
    throw std::invalid_argument("joint '" + joint.name +
                                "' has several coordinates; only joints with one are simulated");
  }
}

/// y = x + h dx
void advance(const std::vector<double>& x, double h, const std::vector<double>& dx,
             std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + h * dx[i];
}

}  // namespace

SimulatedRobot::SimulatedRobot(std::shared_ptr<const core::Model> model, const Start& start)
    : backend_(core::make_backend()),
      damping_(start.damping),
      tip_link_(tip_link(*model, start.tip)),
      net_effort_(static_cast<std::size_t>(model->nv())) {
  check_joints(*model);
  const auto n = static_cast<std::size_t>(model->nv());
  if (!start.position.empty() && start.position.size() != n) {
    throw std::invalid_argument("the start has " + std::to_string(start.position.size()) +
                                " positions, the robot " + std::to_string(n) + " joints");
  }
  state_ = {start.position.empty() ? model->neutral() : start.position, std::vector<double>(n)};
  probe_ = state_;
  slopes_.fill({std::vector<double>(n), std::vector<double>(n)});
  backend_->configure(std::move(model));
  find_tip();
  tip_at_start_ = tip_;
}

void SimulatedRobot::find_slope(const State& state, const std::vector<double>& effort,
                                Slope& slope) {
  advance(effort, -damping_, state.v, net_effort_);
  core::StateStatus status;
  const core::Result result = backend_->forward_dynamics(
      {.q = state.q, .v = state.v, .tau = net_effort_, .qdd = slope.a, .status = {&status, 1}});
  if (!result) throw std::runtime_error(message(result));
  if (!status.ok()) throw std::runtime_error(message(status, model()));
  slope.v = state.v;
}

/// Runge and Kutta's method of order 4.
void SimulatedRobot::step(double dt, const std::vector<double>& effort) {
  find_slope(state_, effort, slopes_[0]);
  const double part[] = {dt / 2, dt / 2, dt};
  for (std::size_t i = 0; i < 3; ++i) {
    advance(state_.q, part[i], slopes_[i].v, probe_.q);
    advance(state_.v, part[i], slopes_[i].a, probe_.v);
    find_slope(probe_, effort, slopes_[i + 1]);
  }
  const double weight[] = {dt / 6, dt / 3, dt / 3, dt / 6};
  for (std::size_t i = 0; i < 4; ++i) {
    advance(state_.q, weight[i], slopes_[i].v, state_.q);
    advance(state_.v, weight[i], slopes_[i].a, state_.v);
  }
  find_tip();
}

void SimulatedRobot::find_tip() {
  std::array<double, 7> pose;
  const core::Result result =
      backend_->link_kinematics({.q = state_.q, .links = {&tip_link_, 1}, .poses = pose});
  if (!result) throw std::runtime_error(message(result));
  std::copy_n(pose.begin(), 3, tip_.begin());
}

double SimulatedRobot::energy() {
  double kinetic = 0, potential = 0;
  const core::Result result = backend_->energies(
      {.q = state_.q, .v = state_.v, .kinetic = {&kinetic, 1}, .potential = {&potential, 1}});
  if (!result) throw std::runtime_error(message(result));
  return kinetic + potential;
}

double SimulatedRobot::displacement() const {
  return std::hypot(tip_[0] - tip_at_start_[0], tip_[1] - tip_at_start_[1],
                    tip_[2] - tip_at_start_[2]);
}
