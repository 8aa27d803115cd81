// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/publisher.h>

#include <chrono>
#include <memory>
#include <rosidl_runtime_cpp/traits.hpp>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

/// What publishers of all types have in common.
class PublisherBase : public std::enable_shared_from_this<PublisherBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(PublisherBase)

  PublisherBase(detail::NodeHandle node, const std::string& topic,
                const rosidl_message_type_support_t& type_support, const QoS& qos);
  virtual ~PublisherBase() = default;

  const char* get_topic_name() const { return rcl_publisher_get_topic_name(publisher_.get()); }
  size_t get_queue_size() const { return get_actual_qos().depth(); }
  size_t get_subscription_count() const;
  size_t get_intra_process_subscription_count() const { return 0; }
  QoS get_actual_qos() const;
  bool assert_liveliness() const;
  template <typename Rep = int64_t, typename Period = std::milli>
  bool wait_for_all_acked(
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) const {
    return wait_for_all_acked_in(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

 protected:
  /// Sends a message; does nothing once the context is shut down.
  void publish_message(const void* message);

 private:
  bool wait_for_all_acked_in(std::chrono::nanoseconds timeout) const;

  detail::NodeOwned<rcl_publisher_t, rcl_publisher_fini> publisher_;
};

template <typename MessageT, typename AllocatorT = std::allocator<void>>
class Publisher : public PublisherBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Publisher<MessageT, AllocatorT>)

  using PublishedType = MessageT;
  using ROSMessageType = MessageT;

  Publisher(detail::NodeHandle node, const std::string& topic, const QoS& qos)
      : PublisherBase(std::move(node), topic,
                      *rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>(), qos) {
    static_assert(rosidl_generator_traits::is_message<MessageT>::value, "not a message type");
  }

  virtual void publish(const MessageT& message) { publish_message(&message); }
  virtual void publish(std::unique_ptr<MessageT> message) { publish_message(message.get()); }
};

}  // namespace rclcpp
