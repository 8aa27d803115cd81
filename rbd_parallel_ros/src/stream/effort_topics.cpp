// SPDX-License-Identifier: Apache-2.0
#include "effort_topics.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "../failure.hpp"

namespace rbd_parallel_ros {
namespace {

using sensor_msgs::msg::JointState;

SteadyNanoseconds steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// How often inputs are looked for: often enough that the time-out is kept within a quarter.
std::chrono::nanoseconds watch_period(const StreamSettings& settings) {
  using namespace std::chrono_literals;
  const std::chrono::nanoseconds quarter(settings.input_timeout / 4);
  return std::clamp<std::chrono::nanoseconds>(quarter, 1ms, 100ms);
}

/// Deeper than the usual 5: where the thread was held up, the states that came meanwhile are all
/// answered, and those that became too old by it are refused by their stamps.
rclcpp::QoS joint_states_qos() { return rclcpp::SensorDataQoS().keep_last(50); }

/// Controllers read commands reliably; the newest one is all that counts.
rclcpp::QoS output_qos() { return rclcpp::QoS(1); }

}  // namespace

EffortTopics::EffortTopics(rclcpp_lifecycle::LifecycleNode& node,
                           std::unique_ptr<EffortStream> stream)
    : node_(node),
      stream_(std::move(stream)),
      group_(node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false)) {
  effort_.name = stream_->joint_names();
  effort_.effort.resize(effort_.name.size());
  commands_.data.resize(effort_.name.size());
  effort_publisher_ = node.create_publisher<JointState>("~/effort", output_qos());
  commands_publisher_ =
      node.create_publisher<std_msgs::msg::Float64MultiArray>("~/effort_commands", output_qos());
}

EffortTopics::~EffortTopics() {
  node_.get_node_base_interface()->get_context()->remove_pre_shutdown_callback(at_end_);
  stop();
}

/// Nothing that a callback throws may end the process: there is nobody above it in its thread.
template <class Action>
void EffortTopics::guarded(const Action& action) {
  const std::string failure = failure_of(action);
  if (failure.empty()) return;
  RCLCPP_ERROR_THROTTLE(node_.get_logger(), *node_.get_clock(), 1000, "effort stream: %s",
                        failure.c_str());
}

template <class Message, class Callback>
void EffortTopics::listen(const char* topic, const rclcpp::QoS& qos, Callback callback) {
  rclcpp::SubscriptionOptions options;
  options.callback_group = group_;
  subscriptions_.push_back(node_.create_subscription<Message>(
      topic, qos, [this, callback](const Message& message) { guarded([&] { callback(message); }); },
      options));
}

void EffortTopics::start() {
  using Reference = rbd_parallel_msgs::msg::AccelerationReference;
  using nav_msgs::msg::Odometry;
  stop();
  const std::lock_guard lock(running_);
  stream_->restart(steady_now());
  effort_publisher_->on_activate();
  commands_publisher_->on_activate();
  subscriptions_.clear();
  listen<JointState>("joint_states", joint_states_qos(),
                     [this](const JointState& state) { take_state(state); });
  listen<Reference>("~/reference", rclcpp::SensorDataQoS(),
                    [this](const Reference& reference) { stream_->take(reference, now()); });
  listen<Odometry>("~/base_state", rclcpp::SensorDataQoS(),
                   [this](const Odometry& base) { stream_->take(base, now()); });
  watch_timer_ = node_.create_wall_timer(
      watch_period(stream_->settings()), [this] { guarded([this] { watch(); }); }, group_);
  const auto context = node_.get_node_base_interface()->get_context();
  context->remove_pre_shutdown_callback(at_end_);
  at_end_ = context->add_pre_shutdown_callback([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->stop();
  });
  thread_ = std::make_unique<ExecutorThread>(node_.get_node_base_interface(), group_);
}

void EffortTopics::stop() {
  const std::lock_guard lock(running_);
  if (!thread_) return;
  thread_.reset();
  watch_timer_.reset();
  subscriptions_.clear();
  guarded([this] {
    if (stream_->settings().on_stale == OnStale::zero) {
      publish_zeros();
      // The process may be about to end, and what is still on its way would be lost.
      commands_publisher_->wait_for_all_acked(std::chrono::milliseconds(100));
    }
    log_summary();
  });
  effort_publisher_->on_deactivate();
  commands_publisher_->on_deactivate();
}

void EffortTopics::log_summary() const {
  const StreamStatistics& counts = stream_->counts();
  const LatencyHistogram::Summary latency = counts.latency.summary();
  const auto number = [](std::uint64_t count) { return std::to_string(count); };
  RCLCPP_INFO(node_.get_logger(),
              "effort stream since configure: %s joint states received, %s efforts computed, "
              "%s published; latency p50 %.1f us, p99 %.1f us, max %.1f us",
              number(counts.received).c_str(), number(counts.computed).c_str(),
              number(latency.count).c_str(), 1e6 * latency.p50, 1e6 * latency.p99,
              1e6 * latency.max);
  RCLCPP_DEBUG(node_.get_logger(), "latency histogram (below ns: count): %s",
               counts.latency.octaves().c_str());
}

EffortStream::Now EffortTopics::now() const { return {node_.now().nanoseconds(), steady_now()}; }

void EffortTopics::take_state(const JointState& state) {
  const EffortStream::Now received = now();
  if (stream_->take(state, received) != Refusal::none) return;
  publish(stream_->effort(), state.header.stamp);
  stream_->statistics()->latency.count(steady_now() - received.steady);
}

void EffortTopics::watch() {
  const bool turned = stream_->has_become_stale(steady_now());
  const bool zero = stream_->settings().on_stale == OnStale::zero;
  if (turned) {
    RCLCPP_ERROR(node_.get_logger(),
                 "no joint state that can be used for %.3f s (the last reason: %s); %s",
                 1e-9 * static_cast<double>(stream_->settings().input_timeout),
                 text_of(stream_->counts().states.standing).name,
                 zero ? "zeros are published until there is one" : "no effort is published");
  }
  if (zero && stream_->counts().stale) publish_zeros();
}

void EffortTopics::publish(std::span<const double> effort,
                           const builtin_interfaces::msg::Time& stamp) {
  effort_.header.stamp = stamp;
  std::copy(effort.begin(), effort.end(), effort_.effort.begin());
  std::copy(effort.begin(), effort.end(), commands_.data.begin());
  commands_publisher_->publish(commands_);
  effort_publisher_->publish(effort_);
}

void EffortTopics::publish_zeros() {
  std::fill(effort_.effort.begin(), effort_.effort.end(), 0.0);
  std::fill(commands_.data.begin(), commands_.data.end(), 0.0);
  effort_.header.stamp = node_.now();
  commands_publisher_->publish(commands_);
  effort_publisher_->publish(effort_);
}

}  // namespace rbd_parallel_ros
