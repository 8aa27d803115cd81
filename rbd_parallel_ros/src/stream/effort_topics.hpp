// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <nav_msgs/msg/odometry.hpp>
#include <rbd_parallel_msgs/msg/acceleration_reference.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>

#include "effort_stream.hpp"
#include "executor_thread.hpp"

namespace rbd_parallel_ros {

/// The effort stream as topics, in a thread of its own: joint_states, ~/reference and ~/base_state
/// in, ~/effort and ~/effort_commands out. Each joint state that comes gives one effort, or a
/// reason in the counts. It publishes from `start` to its end.
class EffortTopics : public std::enable_shared_from_this<EffortTopics> {
 public:
  EffortTopics(rclcpp_lifecycle::LifecycleNode& node, std::unique_ptr<EffortStream> stream);
  EffortTopics(const EffortTopics&) = delete;
  EffortTopics& operator=(const EffortTopics&) = delete;
  /// As `stop`.
  ~EffortTopics();

  void start();
  /// Publishes nothing more; before that zeros, where on_stale says so. Happens by itself when the
  /// process is told to end.
  void stop();

  EffortStream& stream() { return *stream_; }
  const EffortStream& stream() const { return *stream_; }

 private:
  EffortStream::Now now() const;
  template <class Message, class Callback>
  void listen(const char* topic, const rclcpp::QoS& qos, Callback callback);
  template <class Action>
  void guarded(const Action& action);
  void take_state(const sensor_msgs::msg::JointState& state);
  void watch();
  void log_summary() const;
  void publish(std::span<const double> effort, const builtin_interfaces::msg::Time& stamp);
  void publish_zeros();

  rclcpp_lifecycle::LifecycleNode& node_;
  std::unique_ptr<EffortStream> stream_;
  rclcpp::CallbackGroup::SharedPtr group_;
  sensor_msgs::msg::JointState effort_;
  std_msgs::msg::Float64MultiArray commands_;
  rclcpp_lifecycle::LifecyclePublisher<sensor_msgs::msg::JointState>::SharedPtr effort_publisher_;
  rclcpp_lifecycle::LifecyclePublisher<std_msgs::msg::Float64MultiArray>::SharedPtr
      commands_publisher_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions_;
  rclcpp::TimerBase::SharedPtr watch_timer_;
  std::mutex running_;  ///< of what follows: a signal stops the stream from a thread of its own
  rclcpp::PreShutdownCallbackHandle at_end_;
  std::unique_ptr<ExecutorThread> thread_;  ///< while started; ends before all that it uses
};

}  // namespace rbd_parallel_ros
