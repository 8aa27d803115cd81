// SPDX-License-Identifier: Apache-2.0
// Values: time, duration, QoS, parameters; names; the process's environment for all tests in C++.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

using namespace std::chrono_literals;

TEST(Duration, ArithmeticAndMessages) {
  const rclcpp::Duration duration = rclcpp::Duration(1, 500'000'000) + rclcpp::Duration(250ms);
  EXPECT_EQ(duration.nanoseconds(), 1'750'000'000);
  EXPECT_DOUBLE_EQ((duration * 2.0).seconds(), 3.5);
  EXPECT_EQ(rclcpp::Duration::from_seconds(-0.25).nanoseconds(), -250'000'000);
  const builtin_interfaces::msg::Duration message = rclcpp::Duration::from_seconds(-0.25);
  EXPECT_EQ(message.sec, -1);
  EXPECT_EQ(message.nanosec, 750'000'000u);
  EXPECT_EQ(rclcpp::Duration(message), rclcpp::Duration::from_seconds(-0.25));
  EXPECT_THROW(rclcpp::Duration::max() + rclcpp::Duration(1, 0), std::overflow_error);
  EXPECT_LT(rclcpp::Duration(1s), rclcpp::Duration(1001ms));
}

TEST(Time, KindsOfClocksDoNotMix) {
  const rclcpp::Time ros(5, 0, RCL_ROS_TIME), system(5, 0, RCL_SYSTEM_TIME);
  EXPECT_THROW((void)(ros == system), std::runtime_error);
  EXPECT_THROW((void)(ros - system), std::runtime_error);
  EXPECT_EQ((ros + rclcpp::Duration(1s) - ros).seconds(), 1.0);
  EXPECT_THROW(rclcpp::Time(-1, 0), std::runtime_error);
  const builtin_interfaces::msg::Time message = rclcpp::Time(7, 8);
  EXPECT_EQ(message.sec, 7);
  EXPECT_EQ(message.nanosec, 8u);
  EXPECT_EQ(rclcpp::Clock(RCL_STEADY_TIME).now().get_clock_type(), RCL_STEADY_TIME);
}

TEST(Time, OnlyRosTimeIsSimulated) {
  const auto simulated = [](rcl_clock_type_t clock) {
    return rclcpp::NodeOptions().clock_type(clock).append_parameter_override("use_sim_time", true);
  };
  rclcpp::Node ros("simulated", simulated(RCL_ROS_TIME));
  EXPECT_TRUE(ros.get_clock()->ros_time_is_active());
  EXPECT_EQ(ros.now().nanoseconds(), 0);  // until /clock says otherwise
  EXPECT_TRUE(ros.set_parameter(rclcpp::Parameter("use_sim_time", false)).successful);
  EXPECT_GT(ros.now().nanoseconds(), 0);
  rclcpp::Node steady("not_simulated", simulated(RCL_STEADY_TIME));
  EXPECT_FALSE(steady.get_clock()->ros_time_is_active());
  EXPECT_GT(steady.now().nanoseconds(), 0);
}

TEST(QoS, SettersAndProfiles) {
  rclcpp::QoS qos(5);
  EXPECT_EQ(qos.depth(), 5u);
  EXPECT_EQ(qos.reliability(), rclcpp::ReliabilityPolicy::Reliable);
  EXPECT_EQ(qos.durability(), rclcpp::DurabilityPolicy::Volatile);
  qos.transient_local().best_effort().keep_all();
  EXPECT_EQ(qos.durability(), rclcpp::DurabilityPolicy::TransientLocal);
  EXPECT_EQ(qos.reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_EQ(qos.history(), rclcpp::HistoryPolicy::KeepAll);
  EXPECT_EQ(rclcpp::SensorDataQoS().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_EQ(rclcpp::SensorDataQoS(rclcpp::KeepLast(3)).depth(), 3u);
  EXPECT_EQ(rclcpp::ServicesQoS().reliability(), rclcpp::ReliabilityPolicy::Reliable);
  EXPECT_EQ(rclcpp::QoS(1).deadline(2s).deadline(), rclcpp::Duration(2s));
  EXPECT_NE(rclcpp::QoS(1), rclcpp::QoS(2));
}

TEST(ParameterValue, TypesAreKept) {
  EXPECT_EQ(rclcpp::ParameterValue().get_type(), rclcpp::PARAMETER_NOT_SET);
  EXPECT_EQ(rclcpp::ParameterValue(3).get<int>(), 3);
  EXPECT_EQ(rclcpp::ParameterValue(0.5f).get<double>(), 0.5);
  EXPECT_EQ(rclcpp::ParameterValue("text").get<std::string>(), "text");
  EXPECT_EQ(rclcpp::ParameterValue(std::vector<int>{1, 2}).get<std::vector<int64_t>>(),
            (std::vector<int64_t>{1, 2}));
  EXPECT_THROW(rclcpp::ParameterValue(3).get<double>(), rclcpp::ParameterTypeException);
  EXPECT_THROW(rclcpp::ParameterValue(true).get<int>(), rclcpp::ParameterTypeException);
  const std::vector<rclcpp::ParameterValue> values{
      rclcpp::ParameterValue(),
      rclcpp::ParameterValue(true),
      rclcpp::ParameterValue(1),
      rclcpp::ParameterValue(1.5),
      rclcpp::ParameterValue("x"),
      rclcpp::ParameterValue(std::vector<uint8_t>{1}),
      rclcpp::ParameterValue(std::vector<bool>{true}),
      rclcpp::ParameterValue(std::vector<int64_t>{1}),
      rclcpp::ParameterValue(std::vector<double>{1.5}),
      rclcpp::ParameterValue(std::vector<std::string>{"x"})};
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].get_type(), i);
    EXPECT_EQ(values[i].to_value_msg().type, i);
    EXPECT_EQ(rclcpp::ParameterValue(values[i].to_value_msg()), values[i]);
  }
  const rclcpp::Parameter parameter("name", 5);
  EXPECT_EQ(parameter.as_int(), 5);
  EXPECT_EQ(rclcpp::Parameter::from_parameter_msg(parameter.to_parameter_msg()), parameter);
  EXPECT_THROW(parameter.get_value<std::string>(),
               rclcpp::exceptions::InvalidParameterTypeException);
  EXPECT_EQ(rclcpp::Parameter("p", std::vector<bool>{true, false}).value_to_string(),
            "[true, false]");
}

TEST(Names, WrongOnesAreRefused) {
  EXPECT_THROW(rclcpp::Node("no spaces"), rclcpp::exceptions::InvalidNodeNameError);
  EXPECT_THROW(rclcpp::Node("node", "//"), rclcpp::exceptions::InvalidNamespaceError);
  rclcpp::Node node("names", "space");
  EXPECT_STREQ(node.get_namespace(), "/space");
  EXPECT_STREQ(node.get_fully_qualified_name(), "/space/names");
  const auto base = node.get_node_base_interface();
  EXPECT_EQ(base->resolve_topic_or_service_name("~/private", false), "/space/names/private");
  EXPECT_EQ(base->resolve_topic_or_service_name("relative", false), "/space/relative");
  EXPECT_EQ(base->resolve_topic_or_service_name("/absolute", false), "/absolute");
}

TEST(Logging, FormsCompileAndCount) {
  const auto logger = rclcpp::get_logger("forms");
  rclcpp::Clock clock(RCL_STEADY_TIME);
  int evaluated = 0;
  rclcpp::get_logger("forms").set_level(rclcpp::Logger::Level::Error);
  EXPECT_EQ(logger.get_effective_level(), rclcpp::Logger::Level::Error);
  RCLCPP_DEBUG(logger, "%d", ++evaluated);
  RCLCPP_INFO_STREAM(logger, "number " << ++evaluated);
  EXPECT_EQ(evaluated, 0);  // not wanted, so not made
  for (int i = 0; i < 3; ++i) {
    RCLCPP_ERROR_ONCE(logger, "once %d", ++evaluated);
  }
  EXPECT_EQ(evaluated, 1);
  for (int i = 0; i < 3; ++i) {
    RCLCPP_FATAL_THROTTLE(logger, clock, 60000, "throttled %d", ++evaluated);
    RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, 60000, "throttled " << ++evaluated);
  }
  EXPECT_EQ(evaluated, 3);
  RCLCPP_WARN_EXPRESSION(logger, true, "not wanted");
}

TEST(Process, ArgumentsOfOthersAreLeft) {
  const char* argv[] = {"program", "one", "--ros-args", "-r", "a:=b", "--", "two"};
  EXPECT_EQ(rclcpp::remove_ros_arguments(7, argv),
            (std::vector<std::string>{"program", "one", "two"}));
  EXPECT_TRUE(rclcpp::signal_handlers_installed());
  EXPECT_THROW(rclcpp::init(0, nullptr), rclcpp::ContextAlreadyInitialized);
}

int main(int argc, char** argv) {
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  if (!getenv("ROS_DOMAIN_ID")) {
    setenv("ROS_DOMAIN_ID", std::to_string(1 + getpid() % 100).c_str(), 1);
  }
  testing::InitGoogleTest(&argc, argv);
  rclcpp::init(argc, argv);
  const int failed = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return failed;
}
