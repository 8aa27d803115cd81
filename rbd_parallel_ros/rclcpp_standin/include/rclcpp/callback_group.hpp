// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

enum class CallbackGroupType {
  MutuallyExclusive,  ///< one callback of the group at a time
  Reentrant,          ///< any number at the same time, even of the same callback
};

/// Says which callbacks may run at the same time.
class CallbackGroup {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(CallbackGroup)

  /// on_change is called when the group has got a new member, to wake up the executor.
  CallbackGroup(CallbackGroupType type, std::function<void()> on_change,
                bool automatically_add_to_executor_with_node = true)
      : type_(type),
        on_change_(std::move(on_change)),
        automatically_(automatically_add_to_executor_with_node) {}

  const CallbackGroupType& type() const { return type_; }
  /// Whether a callback of the group may start now.
  std::atomic_bool& can_be_taken_from() { return can_be_taken_from_; }
  bool automatically_add_to_executor_with_node() const { return automatically_; }
  /// Whether the group is in an executor.
  std::atomic_bool& get_associated_with_executor_atomic() { return associated_; }

  // The following are the stand-in's own.
  void add(const std::shared_ptr<detail::Entity>& entity);
  /// Calls visit for each member that is alive, and forgets those that are not.
  void for_each(const std::function<void(std::shared_ptr<detail::Entity>)>& visit);

 private:
  const CallbackGroupType type_;
  const std::function<void()> on_change_;
  const bool automatically_;
  std::atomic_bool can_be_taken_from_{true};
  std::atomic_bool associated_{false};
  std::mutex mutex_;
  std::vector<std::weak_ptr<detail::Entity>> members_;
};

}  // namespace rclcpp
