// SPDX-License-Identifier: Apache-2.0
// Executors, callback groups, timers, clients and the lifecycle, all in one process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <thread>

using namespace std::chrono_literals;
using rcl_interfaces::srv::ListParameters;
using std_msgs::msg::String;
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
using lifecycle_msgs::msg::State;

namespace {

template <typename ExecutorT, typename ConditionT>
bool spin_until(ExecutorT& executor, ConditionT condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    executor.spin_once(10ms);
  }
  return true;
}

}  // namespace

TEST(Executor, TimersCancelAndReset) {
  auto node = std::make_shared<rclcpp::Node>("timers");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  int count = 0;
  auto timer = node->create_wall_timer(5ms, [&](rclcpp::TimerBase& self) {
    if (++count == 3) {
      self.cancel();
    }
  });
  EXPECT_TRUE(timer->is_steady());
  EXPECT_TRUE(spin_until(executor, [&] { return count == 3; }));
  EXPECT_TRUE(timer->is_canceled());
  EXPECT_EQ(timer->time_until_trigger(), std::chrono::nanoseconds::max());
  executor.spin_some();
  EXPECT_EQ(count, 3);
  timer->reset();
  EXPECT_TRUE(spin_until(executor, [&] { return count == 4; }));
  EXPECT_THROW(node->create_wall_timer(-1ms, [] {}), std::invalid_argument);
}

TEST(Executor, NodeIsInOneExecutorOnly) {
  auto node = std::make_shared<rclcpp::Node>("once");
  rclcpp::executors::SingleThreadedExecutor first, second;
  first.add_node(node);
  EXPECT_THROW(second.add_node(node), std::runtime_error);
  EXPECT_THROW(second.remove_node(node), std::runtime_error);
  first.remove_node(node);
  second.add_node(node);
}

TEST(Executor, CancelFromAnotherThread) {
  auto node = std::make_shared<rclcpp::Node>("cancelled");
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  EXPECT_EQ(executor.get_number_of_threads(), 3u);
  executor.add_node(node);
  std::thread spinner([&] { executor.spin(); });
  while (!executor.is_spinning()) {
    std::this_thread::sleep_for(1ms);
  }
  // An entity that comes later wakes up an executor that waits.
  std::atomic<bool> fired{false};
  auto timer = node->create_wall_timer(1ms, [&] { fired = true; });
  for (int i = 0; i < 5000 && !fired; ++i) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(fired);
  executor.cancel();
  spinner.join();
}

TEST(Executor, GroupThatIsAddedByHand) {
  auto node = std::make_shared<rclcpp::Node>("by_hand");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  int count = 0;
  auto timer = node->create_wall_timer(
      1ms, [&] { ++count; }, group);
  rclcpp::executors::SingleThreadedExecutor with_node, with_group;
  with_node.add_node(node);
  with_node.spin_once(20ms);
  EXPECT_EQ(count, 0);
  with_group.add_callback_group(group, node->get_node_base_interface());
  EXPECT_TRUE(spin_until(with_group, [&] { return count > 0; }));
  auto other = std::make_shared<rclcpp::Node>("other");
  EXPECT_THROW((void)other->create_wall_timer(
                   1ms, [] {}, group),
               std::runtime_error);
}

TEST(Executor, CallbackThatThrowsLeavesTheGroupFree) {
  auto node = std::make_shared<rclcpp::Node>("throwing");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  int count = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    if (++count == 1) {
      throw std::runtime_error("once");
    }
  });
  EXPECT_THROW(executor.spin(), std::runtime_error);
  EXPECT_FALSE(executor.is_spinning());
  EXPECT_TRUE(spin_until(executor, [&] { return count > 1; }));
}

TEST(Executor, CallbackThatThrowsInAnyThreadEndsSpin) {
  auto node = std::make_shared<rclcpp::Node>("throwing_in_threads");
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  executor.add_node(node);
  std::atomic<bool> thrown{false};
  const auto spinner = std::this_thread::get_id();
  auto timer = node->create_wall_timer(
      1ms,
      [&] {
        if (std::this_thread::get_id() != spinner && !thrown.exchange(true)) {
          throw std::runtime_error("not in the thread that spins");
        }
      },
      group);
  EXPECT_THROW(executor.spin(), std::runtime_error);
  EXPECT_FALSE(executor.is_spinning());
  EXPECT_TRUE(thrown);
}

TEST(Client, FutureCallbackAndTimeout) {
  auto server = std::make_shared<rclcpp::Node>("server");
  auto node = std::make_shared<rclcpp::Node>("client");
  auto client = node->create_client<ListParameters>("twice");
  EXPECT_FALSE(client->wait_for_service(20ms));
  auto service = server->create_service<ListParameters>(
      "twice", [](const std::shared_ptr<ListParameters::Request> request,
                  std::shared_ptr<ListParameters::Response> response) {
        response->result.names = {request->prefixes.at(0), request->prefixes.at(0)};
      });
  ASSERT_TRUE(client->wait_for_service(10s));
  auto request = std::make_shared<ListParameters::Request>();
  request->prefixes = {"x"};
  auto unanswered = client->async_send_request(request);
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, unanswered, 50ms),
            rclcpp::FutureReturnCode::TIMEOUT);
  EXPECT_TRUE(client->remove_pending_request(unanswered));

  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(server);
  executor.add_node(node);
  auto future = client->async_send_request(request);
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->result.names, (std::vector<std::string>{"x", "x"}));
  bool called = false;
  client->async_send_request(request, [&](rclcpp::Client<ListParameters>::SharedFuture ready) {
    called = ready.get()->result.names.size() == 2;
  });
  EXPECT_TRUE(spin_until(executor, [&] { return called; }));
  EXPECT_EQ(client->prune_pending_requests(), 0u);
}

TEST(Topics, PublishAndSubscribeInOneProcess) {
  auto node = std::make_shared<rclcpp::Node>("topics");
  auto publisher =
      node->create_publisher<String>("chatter", rclcpp::QoS(rclcpp::KeepLast(1)).transient_local());
  EXPECT_STREQ(publisher->get_topic_name(), "/chatter");
  auto message = std::make_unique<String>();
  message->data = "early";
  publisher->publish(std::move(message));
  std::string heard;
  auto subscription = node->create_subscription<String>(
      "chatter", rclcpp::QoS(1).transient_local(),
      [&](String::ConstSharedPtr received) { heard = received->data; });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  EXPECT_TRUE(spin_until(executor, [&] { return heard == "early"; }));
  EXPECT_EQ(publisher->get_subscription_count(), 1u);
  EXPECT_EQ(subscription->get_publisher_count(), 1u);
  EXPECT_EQ(node->count_publishers("chatter"), 1u);
  EXPECT_THROW(node->create_publisher<String>("not a name", 1),
               rclcpp::exceptions::InvalidTopicNameError);
  EXPECT_THROW(publisher->publish(std::unique_ptr<String>()), std::runtime_error);
}

namespace {

// A node under simulated time, and /clock, which says 5 s again and again.
class SimulatedTime : public testing::TestWithParam<bool> {
 protected:
  static constexpr int64_t kTold = 5'000'000'000;

  bool tell_until(const std::function<bool()>& condition) {
    rosgraph_msgs::msg::Clock message;
    message.clock.sec = 5;
    for (int i = 0; i < 1000 && !condition(); ++i) {
      clock_->publish(message);
      std::this_thread::sleep_for(10ms);
    }
    return condition();
  }

  // By another name, since other programs on this machine may publish /clock.
  const std::string topic_ = "/clock_" + std::to_string(getpid());
  rclcpp::Node::SharedPtr sender_ = std::make_shared<rclcpp::Node>("clock");
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_ =
      sender_->create_publisher<rosgraph_msgs::msg::Clock>(topic_, rclcpp::ClockQoS());
  rclcpp::Node::SharedPtr node_ = std::make_shared<rclcpp::Node>(
      "simulated", rclcpp::NodeOptions()
                       .append_parameter_override("use_sim_time", true)
                       .arguments({"--ros-args", "-r", "/clock:=" + topic_})
                       .use_clock_thread(GetParam()));
};

}  // namespace

TEST_P(SimulatedTime, GoesOnWithoutTheExecutorIfItHasAThread) {
  const auto told = [this] { return node_->now().nanoseconds() == kTold; };
  if (GetParam()) {
    EXPECT_TRUE(tell_until(told));  // nobody spins the node
  } else {
    ASSERT_TRUE(tell_until([this] { return clock_->get_subscription_count() == 1; }));
    EXPECT_EQ(node_->now().nanoseconds(), 0);
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(node_);
    EXPECT_TRUE(tell_until([&] {
      executor.spin_some();
      return told();
    }));
  }
}

TEST_P(SimulatedTime, IsLeftAndEnteredAgain) {
  for (const bool simulated : {false, true, false}) {
    EXPECT_TRUE(node_->set_parameter(rclcpp::Parameter("use_sim_time", simulated)).successful);
    EXPECT_EQ(node_->get_clock()->ros_time_is_active(), simulated);
  }
}

INSTANTIATE_TEST_SUITE_P(ClockThread, SimulatedTime, testing::Bool());

TEST(Lifecycle, TransitionsFromCode) {
  auto node = std::make_shared<rclcpp_lifecycle::LifecycleNode>("life");
  auto publisher = node->create_publisher<String>("words", 1);
  EXPECT_EQ(node->get_current_state().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(node->configure().label(), "inactive");
  EXPECT_FALSE(publisher->is_activated());
  EXPECT_EQ(node->activate().label(), "active");
  EXPECT_TRUE(publisher->is_activated());
  CallbackReturn code = CallbackReturn::SUCCESS;
  EXPECT_EQ(node->configure(code).label(), "active");  // not possible from here
  EXPECT_EQ(code, CallbackReturn::ERROR);
  EXPECT_EQ(node->deactivate(code).label(), "inactive");
  EXPECT_EQ(code, CallbackReturn::SUCCESS);
  EXPECT_FALSE(publisher->is_activated());
  EXPECT_EQ(node->cleanup().label(), "unconfigured");
  node->register_on_configure([](const rclcpp_lifecycle::State& previous) {
    EXPECT_EQ(previous.label(), "unconfigured");
    return CallbackReturn::FAILURE;
  });
  EXPECT_EQ(node->configure(code).label(), "unconfigured");
  EXPECT_EQ(code, CallbackReturn::FAILURE);
  EXPECT_EQ(node->get_available_states().size(), 11u);
  EXPECT_EQ(node->get_available_transitions().size(), 2u);
  EXPECT_EQ(node->shutdown().label(), "finalized");
  EXPECT_TRUE(node->get_available_transitions().empty());
}

TEST(Lifecycle, ContextOfItsOwn) {
  auto context = std::make_shared<rclcpp::Context>();
  context->init(0, nullptr);
  auto node = std::make_shared<rclcpp_lifecycle::LifecycleNode>(
      "own", rclcpp::NodeOptions().context(context));
  rclcpp::ExecutorOptions options;
  options.context = context;
  rclcpp::executors::SingleThreadedExecutor executor(options);
  executor.add_node(node->get_node_base_interface());
  std::thread ender([&] {
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(rclcpp::shutdown(context, "enough"));
  });
  executor.spin();
  ender.join();
  EXPECT_FALSE(rclcpp::ok(context));
  EXPECT_TRUE(rclcpp::ok());
  EXPECT_EQ(context->shutdown_reason(), "enough");
}
