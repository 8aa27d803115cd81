// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dynamics.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_parallel_ros::testing {

using rbd_parallel_core::Base;
using rbd_parallel_core::Model;
using rbd_parallel_core::ModelOptions;

inline std::string robot_path(const std::string& name) {
  return std::string(RBD_ROBOTS_DIR) + "/" + name + ".urdf";
}

inline Model load(const std::string& name, const ModelOptions& options = {}) {
  return rbd_parallel_core::load_urdf_file(robot_path(name), options);
}

inline rbd_parallel_core::RobotDescription read(const std::string& name) {
  std::ifstream file(robot_path(name));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> warnings;
  return rbd_parallel_core::read_urdf(text, warnings);
}

/// One robot with the reference backend, and that backend once more to compare with.
struct Robot {
  explicit Robot(const std::string& name, Base base = Base::fixed,
                 std::vector<std::string> order = {}, std::size_t max_batch = 100) {
    ModelOptions options;
    options.base = base;
    model = std::make_shared<const Model>(load(name, options));
    for (auto* backend : {&served, &direct}) {
      *backend = rbd_parallel_core::make_backend("reference");
      (*backend)->configure(model, {.max_batch = max_batch});
    }
    dynamics =
        std::make_unique<Dynamics>(served, JointTable(*model, base == Base::floating, order));
  }

  std::shared_ptr<const Model> model;
  std::shared_ptr<rbd_parallel_core::Backend> served, direct;
  std::unique_ptr<Dynamics> dynamics;
};

inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> out(count);
  for (double& x : out) x = number(generator);
  return out;
}

}  // namespace rbd_parallel_ros::testing
