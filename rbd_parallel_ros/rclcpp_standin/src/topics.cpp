// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/publisher.hpp"
#include "rclcpp/subscription.hpp"

namespace rclcpp {

namespace {

QoS qos_from(const rmw_qos_profile_t* profile) {
  if (!profile) {
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "the QoS in use cannot be read");
  }
  return QoS(QoSInitialization::from_rmw(*profile), *profile);
}

}  // namespace

PublisherBase::PublisherBase(detail::NodeHandle node, const std::string& topic,
                             const rosidl_message_type_support_t& type_support, const QoS& qos)
    : publisher_(std::move(node), rcl_get_zero_initialized_publisher()) {
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  detail::check_topic(rcl_publisher_init(publisher_.get(), publisher_.node().get(), &type_support,
                                         topic.c_str(), &options),
                      topic, "no publisher to '" + topic + "'");
}

size_t PublisherBase::get_subscription_count() const {
  size_t count = 0;
  const rcl_ret_t ret = rcl_publisher_get_subscription_count(publisher_.get(), &count);
  if (ret == RCL_RET_PUBLISHER_INVALID && rcl_publisher_is_valid_except_context(publisher_.get())) {
    rcl_reset_error();
    return 0;  // the context is shut down
  }
  detail::check(ret, "the subscriptions cannot be counted");
  return count;
}

QoS PublisherBase::get_actual_qos() const {
  return qos_from(rcl_publisher_get_actual_qos(publisher_.get()));
}

bool PublisherBase::assert_liveliness() const {
  return rcl_publisher_assert_liveliness(publisher_.get()) == RCL_RET_OK;
}

bool PublisherBase::wait_for_all_acked_in(std::chrono::nanoseconds timeout) const {
  const rcl_ret_t ret = rcl_publisher_wait_for_all_acked(publisher_.get(), timeout.count());
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "nothing tells whether messages were received");
  return true;
}

void PublisherBase::publish_message(const void* message) {
  if (!message) {
    throw std::runtime_error("expected a message to publish, got a null pointer");
  }
  const rcl_ret_t ret = rcl_publish(publisher_.get(), message, nullptr);
  if (ret == RCL_RET_PUBLISHER_INVALID) {
    rcl_reset_error();
    if (rcl_publisher_is_valid_except_context(publisher_.get())) {
      return;  // the context was shut down, perhaps by a signal in the meantime
    }
  }
  detail::check(ret, "the message cannot be published");
}

SubscriptionBase::SubscriptionBase(detail::NodeHandle node, const std::string& topic,
                                   const rosidl_message_type_support_t& type_support,
                                   const QoS& qos, bool ignore_local_publications)
    : subscription_(std::move(node), rcl_get_zero_initialized_subscription()) {
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  options.rmw_subscription_options.ignore_local_publications = ignore_local_publications;
  detail::check_topic(rcl_subscription_init(subscription_.get(), subscription_.node().get(),
                                            &type_support, topic.c_str(), &options),
                      topic, "no subscription to '" + topic + "'");
}

size_t SubscriptionBase::get_publisher_count() const {
  size_t count = 0;
  detail::check(rcl_subscription_get_publisher_count(subscription_.get(), &count),
                "the publishers cannot be counted");
  return count;
}

QoS SubscriptionBase::get_actual_qos() const {
  return qos_from(rcl_subscription_get_actual_qos(subscription_.get()));
}

size_t SubscriptionBase::add_to(rcl_wait_set_t& wait_set) const {
  return detail::place_in(wait_set, subscription_.get(), rcl_wait_set_add_subscription);
}

bool SubscriptionBase::is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const {
  return wait_set.subscriptions[place] == subscription_.get();
}

bool SubscriptionBase::take_message(void* message, MessageInfo& info) {
  return detail::taken(
      rcl_take(subscription_.get(), message, &info.get_rmw_message_info(), nullptr),
      RCL_RET_SUBSCRIPTION_TAKE_FAILED, "a message");
}

}  // namespace rclcpp
