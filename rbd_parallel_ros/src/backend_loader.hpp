// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <pluginlib/class_loader.hpp>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_ros {

/// Backends by their pluginlib names, `rbd_parallel/reference` for instance.
class BackendLoader {
 public:
  /// Names that can be loaded, as the ament index has them now.
  std::vector<std::string> available();

  /// The same as text for a message.
  std::string available_text() noexcept;

  /// A new backend. Throws std::runtime_error that says what failed and lists what is available.
  /// The backend keeps its library loaded, so that it may outlive this object: destroying the
  /// loader first would leave an object without code (class_loader #218).
  std::shared_ptr<rbd_parallel_core::Backend> load(const std::string& name);

 private:
  using Loader = pluginlib::ClassLoader<rbd_parallel_core::Backend>;
  Loader& loader();
  std::shared_ptr<rbd_parallel_core::Backend> create(const std::string& name);

  std::shared_ptr<Loader> loader_;
};

}  // namespace rbd_parallel_ros
