// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/subscription.h>

#include <functional>
#include <memory>
#include <rosidl_runtime_cpp/traits.hpp>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/subscription_options.hpp"

namespace rclcpp {

/// What subscriptions of all types have in common.
class SubscriptionBase : public detail::Entity,
                         public std::enable_shared_from_this<SubscriptionBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(SubscriptionBase)

  SubscriptionBase(detail::NodeHandle node, const std::string& topic,
                   const rosidl_message_type_support_t& type_support, const QoS& qos,
                   bool ignore_local_publications);

  const char* get_topic_name() const {
    return rcl_subscription_get_topic_name(subscription_.get());
  }
  size_t get_publisher_count() const;
  QoS get_actual_qos() const;

  Kind kind() const override { return Kind::Subscription; }
  size_t add_to(rcl_wait_set_t& wait_set) const override;
  bool is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const override;

 protected:
  /// False if there was no message.
  bool take_message(void* message, MessageInfo& info);

 private:
  detail::NodeOwned<rcl_subscription_t, rcl_subscription_fini> subscription_;
};

namespace detail {

/// Brings any of the signatures that a callback may have to one: it gets the message and may keep
/// it.
template <typename MessageT, typename CallbackT>
std::function<void(std::unique_ptr<MessageT>, const MessageInfo&)> adapt_subscription_callback(
    CallbackT callback) {
  using Unique = std::unique_ptr<MessageT>;
  using Shared = std::shared_ptr<MessageT>;
  using ConstShared = std::shared_ptr<const MessageT>;
  // A callback that takes a shared_ptr also takes a unique_ptr, so that one is tried last.
  if constexpr (std::is_invocable_v<CallbackT&, const MessageT&>) {
    return [callback](Unique message, const MessageInfo&) mutable {
      callback(static_cast<const MessageT&>(*message));
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, const MessageT&, const MessageInfo&>) {
    return [callback](Unique message, const MessageInfo& info) mutable {
      callback(static_cast<const MessageT&>(*message), info);
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, ConstShared>) {
    return [callback](Unique message, const MessageInfo&) mutable {
      callback(ConstShared(std::move(message)));
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, ConstShared, const MessageInfo&>) {
    return [callback](Unique message, const MessageInfo& info) mutable {
      callback(ConstShared(std::move(message)), info);
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, Shared>) {
    return [callback](Unique message, const MessageInfo&) mutable {
      callback(Shared(std::move(message)));
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, Shared, const MessageInfo&>) {
    return [callback](Unique message, const MessageInfo& info) mutable {
      callback(Shared(std::move(message)), info);
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, Unique>) {
    return [callback](Unique message, const MessageInfo&) mutable { callback(std::move(message)); };
  } else {
    static_assert(std::is_invocable_v<CallbackT&, Unique, const MessageInfo&>,
                  "the stand-in knows no such signature of a subscription's callback");
    return [callback](Unique message, const MessageInfo& info) mutable {
      callback(std::move(message), info);
    };
  }
}

}  // namespace detail

template <typename MessageT, typename AllocatorT = std::allocator<void>>
class Subscription : public SubscriptionBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Subscription<MessageT, AllocatorT>)

  using SubscribedType = MessageT;
  using ROSMessageType = MessageT;
  using Callback = std::function<void(std::unique_ptr<MessageT>, const MessageInfo&)>;

  Subscription(detail::NodeHandle node, const std::string& topic, const QoS& qos, Callback callback,
               const SubscriptionOptions& options)
      : SubscriptionBase(std::move(node), topic,
                         *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), qos,
                         options.ignore_local_publications),
        callback_(std::move(callback)) {
    static_assert(rosidl_generator_traits::is_message<MessageT>::value, "not a message type");
  }

  bool take(MessageT& message, MessageInfo& info) { return take_message(&message, info); }

  void execute() override {
    auto message = std::make_unique<MessageT>();
    MessageInfo info;
    // Another thread may have taken it in the meantime.
    if (take_message(message.get(), info)) {
      callback_(std::move(message), info);
    }
  }

 private:
  Callback callback_;
};

}  // namespace rclcpp
