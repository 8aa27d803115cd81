// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/logging.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"

namespace rclcpp_lifecycle {

/// A publisher that sends only while it is active; what is published otherwise is dropped, with one
/// warning.
template <typename MessageT, typename AllocatorT = std::allocator<void>>
class LifecyclePublisher : public SimpleManagedEntity,
                           public rclcpp::Publisher<MessageT, AllocatorT> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecyclePublisher<MessageT, AllocatorT>)

  using rclcpp::Publisher<MessageT, AllocatorT>::Publisher;

  void publish(const MessageT& message) override {
    if (may_publish()) {
      rclcpp::Publisher<MessageT, AllocatorT>::publish(message);
    }
  }
  void publish(std::unique_ptr<MessageT> message) override {
    if (may_publish()) {
      rclcpp::Publisher<MessageT, AllocatorT>::publish(std::move(message));
    }
  }

  void on_activate() override {
    SimpleManagedEntity::on_activate();
    warned_ = false;
  }

 private:
  bool may_publish() {
    if (this->is_activated()) {
      return true;
    }
    if (!warned_.exchange(
            true)) {  // once until the next activation, so that a loop does not fill the log
      RCLCPP_WARN(
          rclcpp::get_logger("LifecyclePublisher"),
          "a message for '%s' is dropped: its publisher is not active; activate the node first",
          this->get_topic_name());
    }
    return false;
  }

  std::atomic<bool> warned_{false};
};

}  // namespace rclcpp_lifecycle
