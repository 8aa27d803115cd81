// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace rclcpp_lifecycle {

/// Something that follows a node's activation.
class ManagedEntityInterface {
 public:
  virtual ~ManagedEntityInterface() = default;
  virtual void on_activate() = 0;
  virtual void on_deactivate() = 0;
};

class SimpleManagedEntity : public ManagedEntityInterface {
 public:
  void on_activate() override { activated_ = true; }
  void on_deactivate() override { activated_ = false; }
  bool is_activated() const { return activated_; }

 private:
  std::atomic<bool> activated_{false};
};

}  // namespace rclcpp_lifecycle
