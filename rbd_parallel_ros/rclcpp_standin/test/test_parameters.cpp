// SPDX-License-Identifier: Apache-2.0
// Parameters from inside the node: what is declared, refused, overridden.
#include <gtest/gtest.h>

#include <map>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

namespace ex = rclcpp::exceptions;
using rcl_interfaces::msg::ParameterDescriptor;

namespace {

rclcpp::NodeOptions with_arguments(const std::vector<std::string>& arguments) {
  return rclcpp::NodeOptions().arguments(arguments);
}

rcl_interfaces::msg::SetParametersResult accept() {
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  return result;
}

}  // namespace

TEST(Parameters, DeclareGetAndTypes) {
  rclcpp::Node node("parameters");
  EXPECT_EQ(node.declare_parameter("integer", 5), 5);
  EXPECT_EQ(node.declare_parameter<std::string>("text", "word"), "word");
  EXPECT_EQ(node.declare_parameter("literal", "word"), "word");
  EXPECT_TRUE(node.has_parameter("integer"));
  EXPECT_THROW(node.declare_parameter("integer", 6), ex::ParameterAlreadyDeclaredException);
  EXPECT_THROW(node.declare_parameter("", 6), ex::InvalidParametersException);
  EXPECT_THROW(node.get_parameter("missing"), ex::ParameterNotDeclaredException);
  EXPECT_THROW(node.set_parameter(rclcpp::Parameter("missing", 1)),
               ex::ParameterNotDeclaredException);
  EXPECT_THROW(node.declare_parameter<double>("needed"),
               ex::UninitializedStaticallyTypedParameterException);
  node.declare_parameter("unset", rclcpp::PARAMETER_DOUBLE);
  EXPECT_THROW(node.get_parameter("unset"), ex::ParameterUninitializedException);
  int64_t integer = 0;
  EXPECT_TRUE(node.get_parameter("integer", integer));
  EXPECT_EQ(integer, 5);
  EXPECT_FALSE(node.get_parameter("missing", integer));
  EXPECT_EQ(node.get_parameter_or<std::string>("missing", "other"), "other");
  EXPECT_THROW(node.undeclare_parameter("integer"), ex::InvalidParameterTypeException);
  const auto inertia = node.declare_parameters<double>("armature", {{"a", 0.1}, {"b", 0.2}});
  EXPECT_EQ(inertia, (std::vector<double>{0.1, 0.2}));
  std::map<std::string, double> armature;
  EXPECT_TRUE(node.get_parameters("armature", armature));
  EXPECT_EQ(armature, (std::map<std::string, double>{{"a", 0.1}, {"b", 0.2}}));
}

TEST(Parameters, OverridesAndTheirOrder) {
  auto options = with_arguments({"--ros-args", "-p", "a:=1", "-p", "b:=2", "-p", "wrong:=text"});
  options.append_parameter_override("b", 3);
  rclcpp::Node node("overrides", options);
  EXPECT_EQ(node.declare_parameter("a", 0), 1);
  EXPECT_EQ(node.declare_parameter("b", 0),
            3);  // what the code says counts before the command line
  EXPECT_EQ(node.declare_parameter<int64_t>("c", 0, ParameterDescriptor(), true), 0);
  EXPECT_THROW(node.declare_parameter("wrong", 1.0), ex::InvalidParameterTypeException);
  rclcpp::Node automatic("automatic", with_arguments({"--ros-args", "-p", "some.thing:=[1.5]"})
                                          .automatically_declare_parameters_from_overrides(true));
  EXPECT_EQ(automatic.get_parameter("some.thing").as_double_array(), std::vector<double>{1.5});
  EXPECT_THROW(rclcpp::Node("empty", with_arguments({"--ros-args", "-p", "list:=[]"})),
               ex::InvalidParameterValueException);
  EXPECT_THROW(rclcpp::Node("bad", with_arguments({"--ros-args", "--no-such-thing"})),
               ex::UnknownROSArgsError);
}

TEST(Parameters, UndeclaredOnesWhereAllowed) {
  rclcpp::Node node("undeclared", rclcpp::NodeOptions().allow_undeclared_parameters(true));
  EXPECT_EQ(node.get_parameter("free").get_type(), rclcpp::PARAMETER_NOT_SET);
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("free", 1)).successful);
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("free", "now a text")).successful);
  EXPECT_EQ(node.get_parameter("free").as_string(), "now a text");
  EXPECT_EQ(node.get_parameter_types({"free", "other"}),
            (std::vector<uint8_t>{rclcpp::PARAMETER_STRING, rclcpp::PARAMETER_NOT_SET}));
  EXPECT_EQ(node.describe_parameter("other").name, "other");
  node.undeclare_parameter("free");
  EXPECT_FALSE(node.has_parameter("free"));
  EXPECT_THROW(node.undeclare_parameter("free"), ex::ParameterNotDeclaredException);
}

TEST(Parameters, CallbacksInTheirOrder) {
  rclcpp::Node node("callbacks");
  node.declare_parameter("a", 1);
  node.declare_parameter("b", 1);
  std::string order;
  auto pre = node.add_pre_set_parameters_callback([&](std::vector<rclcpp::Parameter>& parameters) {
    order += "pre ";
    parameters.emplace_back("b", parameters.at(0).as_int() * 2);
  });
  auto first = node.add_on_set_parameters_callback([&](const auto&) {
    order += "first ";
    return accept();
  });
  auto second = node.add_on_set_parameters_callback([&](const auto& parameters) {
    order += "second ";
    auto result = accept();
    result.successful = parameters.at(0).as_int() != 13;
    result.reason = "unlucky";
    return result;
  });
  auto post = node.add_post_set_parameters_callback(
      [&](const auto&) { order += std::to_string(node.get_parameter("b").as_int()); });
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("a", 5)).successful);
  EXPECT_EQ(order, "pre second first 10");
  order.clear();
  const auto refused = node.set_parameter(rclcpp::Parameter("a", 13));
  EXPECT_FALSE(refused.successful);
  EXPECT_EQ(refused.reason, "unlucky");
  EXPECT_EQ(order, "pre second ");
  EXPECT_EQ(node.get_parameter("b").as_int(), 10);
  node.remove_on_set_parameters_callback(second.get());
  EXPECT_THROW(node.remove_on_set_parameters_callback(second.get()), std::runtime_error);
  EXPECT_THROW(node.remove_pre_set_parameters_callback(nullptr), std::runtime_error);
  pre.reset();  // a handle that is let go of ends its callback
  order.clear();
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("a", 13)).successful);
  EXPECT_EQ(order, "first 10");
}

TEST(Parameters, CallbackMustNotChangeParameters) {
  rclcpp::Node node("recursion");
  node.declare_parameter("a", 1);
  auto handle = node.add_on_set_parameters_callback([&](const auto&) {
    EXPECT_THROW(node.set_parameter(rclcpp::Parameter("a", 7)),
                 ex::ParameterModifiedInCallbackException);
    return accept();
  });
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("a", 2)).successful);
  EXPECT_EQ(node.get_parameter("a").as_int(), 2);
}

TEST(Parameters, ReadOnlyOnesKeepTheirFirstValue) {
  rclcpp::Node node("read_only", with_arguments({"--ros-args", "-p", "fixed:=2"}));
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  descriptor.dynamic_typing = true;
  node.declare_parameter("fixed", rclcpp::ParameterValue(1), descriptor);
  EXPECT_FALSE(node.set_parameter(rclcpp::Parameter("fixed", 3)).successful);
  EXPECT_EQ(node.get_parameter("fixed").as_int(), 2);
  EXPECT_THROW(node.undeclare_parameter("fixed"), ex::ParameterImmutableException);
}

TEST(Parameters, DeclaringAsksTheCallbacks) {
  rclcpp::Node node("asked");
  auto handle = node.add_on_set_parameters_callback([&](const auto& parameters) {
    auto result = accept();
    result.successful = parameters.at(0).as_int() > 0;
    result.reason = "too small";
    return result;
  });
  EXPECT_EQ(node.declare_parameter("one", 1), 1);
  EXPECT_THROW(node.declare_parameter("zero", 0), ex::InvalidParameterValueException);
  EXPECT_FALSE(node.has_parameter("zero"));
}

TEST(Parameters, RangesWithSteps) {
  rclcpp::Node node("ranges");
  ParameterDescriptor descriptor;
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].to_value = 1.0;
  descriptor.floating_point_range[0].step = 0.1;
  node.declare_parameter("tenth", 0.3, descriptor);
  EXPECT_TRUE(node.set_parameter(rclcpp::Parameter("tenth", 0.1 + 0.2)).successful);
  EXPECT_FALSE(node.set_parameter(rclcpp::Parameter("tenth", 0.35)).successful);
  EXPECT_FALSE(node.set_parameter(rclcpp::Parameter("tenth", -0.1)).successful);
  EXPECT_THROW(node.declare_parameter("other", 2.0, descriptor),
               ex::InvalidParameterValueException);
  EXPECT_FALSE(node.has_parameter("other"));
}
