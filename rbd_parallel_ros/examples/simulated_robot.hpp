// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"

/// A robot as the core's forward dynamics moves it: no node, no clock, no joint limits, no friction
/// but damping.
class SimulatedRobot {
 public:
  struct Start {
    std::vector<double> position = {};  ///< of each joint; empty: zeros
    double damping = 0;                 ///< N m s/rad or N s/m, of every joint
    std::string tip = "";               ///< the link that is looked at; empty: the last one
  };

  /// At rest. Throws std::invalid_argument where the robot has joints of several coordinates, or
  /// `start` does not fit it.
  SimulatedRobot(std::shared_ptr<const rbd_parallel_core::Model> model, const Start& start);

  /// Goes on by `dt` seconds with `effort` (N m or N, in the order of the model's joints) held.
  /// Does not allocate. Throws std::runtime_error where the accelerations cannot be computed.
  void step(double dt, const std::vector<double>& effort);

  const rbd_parallel_core::Model& model() const { return backend_->model(); }
  const std::vector<double>& position() const { return state_.q; }
  const std::vector<double>& velocity() const { return state_.v; }
  double energy();                                           ///< J, kinetic and potential
  const std::array<double, 3>& tip() const { return tip_; }  ///< m, in the world
  double displacement() const;  ///< m, of the tip from where it started

 private:
  struct State {
    std::vector<double> q, v;
  };
  struct Slope {
    std::vector<double> v, a;
  };
  void find_slope(const State& state, const std::vector<double>& effort, Slope& slope);
  void find_tip();

  std::unique_ptr<rbd_parallel_core::Backend> backend_;
  double damping_;
  int tip_link_;
  State state_, probe_;
  std::array<Slope, 4> slopes_;
  std::vector<double> net_effort_;
  std::array<double, 3> tip_{}, tip_at_start_{};
};
