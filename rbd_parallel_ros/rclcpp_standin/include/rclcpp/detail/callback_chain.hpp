// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rclcpp::detail {

/// Callbacks, each in force as long as somebody holds its handle. The youngest is asked first.
template <typename HandleT>
class CallbackChain {
 public:
  template <typename CallbackT>
  std::shared_ptr<HandleT> add(CallbackT callback) {
    auto handle = std::make_shared<HandleT>();
    handle->callback = std::move(callback);
    std::erase_if(oldest_first_, [](const auto& weak) { return weak.expired(); });
    oldest_first_.push_back(handle);
    return handle;
  }

  void remove(const HandleT* handle) {
    const auto is_it = [handle](const auto& weak) { return weak.lock().get() == handle; };
    if (!handle || std::erase_if(oldest_first_, is_it) == 0) {
      throw std::runtime_error(
          "expected the handle of a callback on this node's parameters; it is another's, or was "
          "removed before");
    }
  }

  /// Held while it is looked at: a handle that is let go of meanwhile does no harm.
  std::vector<std::shared_ptr<HandleT>> youngest_first() const {
    std::vector<std::shared_ptr<HandleT>> handles;
    for (auto weak = oldest_first_.rbegin(); weak != oldest_first_.rend(); ++weak) {
      if (auto handle = weak->lock()) handles.push_back(std::move(handle));
    }
    return handles;
  }

  template <typename ParametersT>
  void call(ParametersT& parameters) const {
    for (const auto& handle : youngest_first()) handle->callback(parameters);
  }

 private:
  std::vector<std::weak_ptr<HandleT>> oldest_first_;
};

}  // namespace rclcpp::detail
