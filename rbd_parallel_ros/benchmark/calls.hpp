// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "measure.hpp"

namespace rbd_parallel_bench {

/// What is asked: one service, a number of states.
struct Question {
  std::string service;
  std::size_t states;
  Duel duel;
};

/// The services that compute and are named, all of them where none is; each with one state and with
/// `batch` states of the robot's joints.
/// Waits until `/dynamics` is active and `/echo` answers; throws std::runtime_error otherwise.
/// Both are called by clients of one node in one executor.
std::vector<Question> questions(const rclcpp::Node::SharedPtr& node, std::size_t batch,
                                const std::vector<std::string>& services);

}  // namespace rbd_parallel_bench
