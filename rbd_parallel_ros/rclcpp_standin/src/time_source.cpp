// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/time_source.hpp"

#include <future>
#include <thread>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/executors.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp {

namespace {

ExecutorOptions options_for(node_interfaces::NodeBaseInterface& base) {
  ExecutorOptions options;
  options.context = base.get_context();
  return options;
}

void set_time(Clock& clock, const rosgraph_msgs::msg::Clock& message) {
  if (message.clock.sec < 0) {
    return;  // no time; whoever publishes it must not end the node
  }
  std::lock_guard lock(clock.get_clock_mutex());
  bool simulated = false;
  detail::check(rcl_is_enabled_ros_time_override(clock.get_clock_handle(), &simulated),
                "whether time is simulated cannot be told");
  // A message that came before the time was switched back must not switch it over again.
  if (simulated) {
    detail::check(
        rcl_set_ros_time_override(clock.get_clock_handle(), Time(message.clock).nanoseconds()),
        "simulated time cannot be set");
  }
}

}  // namespace

/// Runs the callbacks of one group of a node.
class TimeSource::Thread {
 public:
  Thread(const node_interfaces::NodeBaseInterface::SharedPtr& base,
         const CallbackGroup::SharedPtr& group)
      : executor_(options_for(*base)) {
    executor_.add_callback_group(group, base);
    // Not spin: a cancel that comes before it has begun would be lost.
    thread_ = std::thread(
        [this, stop = stop_.get_future().share()] { executor_.spin_until_future_complete(stop); });
  }

  ~Thread() {
    stop_.set_value();
    executor_.cancel();
    thread_.join();
  }

 private:
  executors::SingleThreadedExecutor executor_;
  std::promise<void> stop_;
  std::thread thread_;
};

TimeSource::TimeSource(node_interfaces::NodeBaseInterface::SharedPtr base, Clock::SharedPtr clock,
                       node_interfaces::NodeParametersInterface::SharedPtr parameters,
                       const QoS& qos, bool use_clock_thread)
    : base_(std::move(base)),
      clock_(std::move(clock)),
      qos_(qos),
      use_clock_thread_(use_clock_thread),
      // A group of its own: a multi-threaded executor keeps the time going too.
      group_(
          base_->create_callback_group(CallbackGroupType::MutuallyExclusive, !use_clock_thread)) {
  static constexpr char kName[] = "use_sim_time";
  if (!parameters->has_parameter(kName)) {
    parameters->declare_parameter(kName, ParameterValue(false));
  }
  Parameter initial;
  parameters->get_parameter(kName, initial);
  if (initial.get_type() != PARAMETER_BOOL) {
    throw exceptions::InvalidParameterTypeException(kName, "it must be a bool");
  }
  on_set_ = parameters->add_on_set_parameters_callback([](const std::vector<Parameter>& changes) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    for (const auto& change : changes) {
      if (change.get_name() == kName && change.get_type() != PARAMETER_BOOL) {
        result.successful = false;
        result.reason = "'use_sim_time' must be a bool";
      }
    }
    return result;
  });
  post_set_ =
      parameters->add_post_set_parameters_callback([this](const std::vector<Parameter>& changes) {
        for (const auto& change : changes) {
          if (change.get_name() == kName && change.get_type() == PARAMETER_BOOL) {
            use_sim_time(change.as_bool());
          }
        }
      });
  use_sim_time(initial.as_bool());
}

TimeSource::~TimeSource() = default;

void TimeSource::use_sim_time(bool use) {
  if (use == (subscription_ != nullptr)) return;
  if (clock_->get_clock_type() != RCL_ROS_TIME) {
    RCLCPP_WARN(get_node_logger(base_->get_rcl_node_handle()),
                "use_sim_time has no effect: the node was made with another clock than ROS time");
    return;
  }
  if (!use) {
    thread_.reset();
    subscription_.reset();
    std::lock_guard lock(clock_->get_clock_mutex());
    detail::check(rcl_disable_ros_time_override(clock_->get_clock_handle()),
                  "simulated time cannot be left");
    return;
  }
  {
    std::lock_guard lock(clock_->get_clock_mutex());
    detail::check(rcl_enable_ros_time_override(clock_->get_clock_handle()),
                  "simulated time cannot be entered");
  }
  subscribe();
}

void TimeSource::subscribe() {
  subscription_ = std::make_shared<Subscription<rosgraph_msgs::msg::Clock>>(
      base_->get_shared_rcl_node_handle(), "/clock", qos_,
      [clock = clock_](std::unique_ptr<rosgraph_msgs::msg::Clock> message, const MessageInfo&) {
        set_time(*clock, *message);
      },
      SubscriptionOptions());
  base_->add(subscription_, group_);
  if (use_clock_thread_) {
    thread_ = std::make_unique<Thread>(base_, group_);
  }
}

}  // namespace rclcpp
