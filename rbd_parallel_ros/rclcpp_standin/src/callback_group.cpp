// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/callback_group.hpp"

#include <utility>

namespace rclcpp {

void CallbackGroup::add(const std::shared_ptr<detail::Entity>& entity) {
  {
    std::lock_guard lock(mutex_);
    members_.push_back(entity);
  }
  on_change_();
}

void CallbackGroup::for_each(const std::function<void(std::shared_ptr<detail::Entity>)>& visit) {
  std::lock_guard lock(mutex_);
  std::erase_if(members_, [&](const auto& weak) {
    auto member = weak.lock();
    if (!member) {
      return true;
    }
    visit(std::move(member));
    return false;
  });
}

}  // namespace rclcpp
