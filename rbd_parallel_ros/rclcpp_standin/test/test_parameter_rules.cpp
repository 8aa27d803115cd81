// SPDX-License-Identifier: Apache-2.0
// The rules for parameters, without a node: ranges as rcl_interfaces documents them, names of
// sections in parameter files, what a change is reported as.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <rclcpp/detail/node_name_pattern.hpp>
#include <rclcpp/detail/parameter_rules.hpp>
#include <rclcpp/detail/parameter_table.hpp>
#include <string>
#include <vector>

using rcl_interfaces::msg::ParameterDescriptor;
using rclcpp::Parameter;
using rclcpp::ParameterValue;
using rclcpp::detail::matches_node_name;
using rclcpp::detail::ParameterTable;
using rclcpp::detail::Refusal;
using rclcpp::detail::refusal_of;

namespace {

bool integer_allowed(int64_t from, int64_t to, uint64_t step, int64_t value) {
  ParameterDescriptor descriptor;
  descriptor.type = rclcpp::PARAMETER_INTEGER;
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].from_value = from;
  descriptor.integer_range[0].to_value = to;
  descriptor.integer_range[0].step = step;
  return !refusal_of(Parameter("p", value), descriptor);
}

bool double_allowed(double from, double to, double step, double value) {
  ParameterDescriptor descriptor;
  descriptor.type = rclcpp::PARAMETER_DOUBLE;
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = from;
  descriptor.floating_point_range[0].to_value = to;
  descriptor.floating_point_range[0].step = step;
  return !refusal_of(Parameter("p", value), descriptor);
}

// Those of 0, 1, 2 ... 6 that a range allows.
template <typename ValueT, typename AllowedT>
std::vector<ValueT> allowed_up_to_six(AllowedT allowed) {
  std::vector<ValueT> found;
  for (int value = 0; value <= 6; ++value) {
    if (allowed(static_cast<ValueT>(value))) found.push_back(static_cast<ValueT>(value));
  }
  return found;
}

ParameterTable::Draft draft_of(const std::string& name, const ParameterValue& value) {
  ParameterTable::Draft draft;
  draft[name].value = value;
  return draft;
}

std::vector<std::string> names_of(const std::vector<rcl_interfaces::msg::Parameter>& messages) {
  std::vector<std::string> names;
  for (const auto& message : messages) names.push_back(message.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Ranges, IntegersAsTheMessageDocumentsThem) {
  const auto in = [](int64_t from, int64_t to, uint64_t step) {
    return allowed_up_to_six<int64_t>(
        [=](int64_t value) { return integer_allowed(from, to, step, value); });
  };
  EXPECT_EQ(in(2, 5, 2), (std::vector<int64_t>{2, 4, 5}));
  EXPECT_EQ(in(1, 2, 5), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(in(2, 5, 0), (std::vector<int64_t>{2, 3, 4, 5}));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(integer_allowed(kMin, kMax, 2, 0));
  EXPECT_FALSE(integer_allowed(kMin, kMax, 2, 1));
  EXPECT_TRUE(integer_allowed(kMin, kMax, 2, kMax));
}

TEST(Ranges, RealsAsTheMessageDocumentsThem) {
  const auto in = [](double from, double to, double step) {
    return allowed_up_to_six<double>(
        [=](double value) { return double_allowed(from, to, step, value); });
  };
  EXPECT_EQ(in(2, 5, 2), (std::vector<double>{2, 4, 5}));
  EXPECT_EQ(in(2, 5, -2), (std::vector<double>{2, 4, 5}));
  EXPECT_EQ(in(1, 2, 5), (std::vector<double>{1, 2}));
  EXPECT_EQ(in(2, 5, 0), (std::vector<double>{2, 3, 4, 5}));
}

TEST(Ranges, RoundingIsForgivenAndNothingElse) {
  EXPECT_TRUE(double_allowed(0, 1, 0.1, 0.1 + 0.2));
  EXPECT_TRUE(double_allowed(0, 0.3, 0, 0.1 + 0.2));
  EXPECT_FALSE(double_allowed(0, 1, 0.1, 0.3000001));
  EXPECT_FALSE(double_allowed(0, 1, 0, 1.0000001));
  EXPECT_FALSE(double_allowed(0, 1, 0, -1e-12));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(double_allowed(0, 1, 0, std::nan("")));
  EXPECT_FALSE(double_allowed(0, 1, 0.1, std::nan("")));
  EXPECT_FALSE(double_allowed(0, 1, 0, infinity));
  EXPECT_TRUE(double_allowed(0, infinity, 0, 1e300));
  EXPECT_FALSE(double_allowed(0, infinity, 0, -1.0));
}

TEST(Rules, RefusalNamesWhatWasExpectedAndWhatCame) {
  ParameterDescriptor descriptor;
  descriptor.type = rclcpp::PARAMETER_INTEGER;
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].to_value = 10;
  descriptor.integer_range[0].step = 2;
  EXPECT_FALSE(refusal_of(Parameter("p", 4), descriptor));
  const auto range = refusal_of(Parameter("p", 3), descriptor);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->cause, Refusal::Cause::range);
  EXPECT_EQ(range->reason,
            "'p' is 3, expected a value in its integer range from 0 to 10 in steps of 2");
  const auto type = refusal_of(Parameter("p", "text"), descriptor);
  ASSERT_TRUE(type);
  EXPECT_EQ(type->cause, Refusal::Cause::type);
  EXPECT_EQ(type->reason,
            "expected a value of type integer for the parameter 'p', got one of type string");
  descriptor.dynamic_typing = true;
  EXPECT_FALSE(refusal_of(Parameter("p", "text"), descriptor));
}

TEST(NodeNamePattern, WildcardsStandForTokens) {
  for (const char* pattern : {"/node", "node", "/*", "*", "/**", "**", "/**/node", "/**/**"}) {
    EXPECT_TRUE(matches_node_name(pattern, "/node")) << pattern;
  }
  for (const char* pattern : {"/a/b/node", "a/b/node", "/a/*/node", "/*/*/*", "/**", "/**/node",
                              "/a/**", "/a/**/node", "/**/b/*", "/a/b/**/node", "/**/*/node"}) {
    EXPECT_TRUE(matches_node_name(pattern, "/a/b/node")) << pattern;
  }
  for (const char* pattern : {"", "/", "node", "/*", "/*/node", "/b/**", "/a/b", "/a/b/node/*",
                              "/a/b/no*", "/a/b/*de", "/**/a", "a.b.node"}) {
    EXPECT_FALSE(matches_node_name(pattern, "/a/b/node")) << pattern;
  }
}

TEST(ParameterTable, TellsWhatIsNewChangedAndDeleted) {
  ParameterTable table(false);
  const auto made = table.enter(draft_of("p", ParameterValue(1)));
  EXPECT_EQ(names_of(made.new_parameters), Names{"p"});
  EXPECT_TRUE(made.changed_parameters.empty() && made.deleted_parameters.empty());
  const auto changed = table.enter(draft_of("p", ParameterValue(2)));
  EXPECT_EQ(names_of(changed.changed_parameters), Names{"p"});
  EXPECT_TRUE(changed.new_parameters.empty() && changed.deleted_parameters.empty());
  const auto deleted = table.enter(draft_of("p", ParameterValue()));
  EXPECT_EQ(names_of(deleted.deleted_parameters), Names{"p"});
  EXPECT_EQ(deleted.deleted_parameters[0].value.integer_value, 2);
  EXPECT_FALSE(table.contains("p"));
  EXPECT_THROW(table.at("p"), rclcpp::exceptions::ParameterNotDeclaredException);
}

TEST(ParameterTable, ListsByPrefixAndDepth) {
  ParameterTable table(false);
  for (const char* name : {"a", "ab", "a.b", "a.b.c", "a.b.c.d", "x.y"}) {
    table.enter(draft_of(name, ParameterValue(1)));
  }
  const auto names = [&](const Names& prefixes, uint64_t depth) {
    return table.list(prefixes, depth).names;
  };
  EXPECT_EQ(names({}, 0).size(), 6u);
  EXPECT_EQ(names({}, 1), (Names{"a", "ab"}));
  EXPECT_EQ(names({}, 2), (Names{"a", "a.b", "ab", "x.y"}));
  EXPECT_EQ(names({"a"}, 0), (Names{"a", "a.b", "a.b.c", "a.b.c.d"}));
  EXPECT_EQ(names({"a"}, 1), (Names{"a", "a.b"}));
  EXPECT_EQ(names({"a.b", "x"}, 1), (Names{"a.b", "a.b.c", "x.y"}));
  EXPECT_EQ(names({"no"}, 0), Names());
  EXPECT_EQ(table.list({}, 0).prefixes, (Names{"a", "a.b", "a.b.c", "x"}));
  EXPECT_EQ(table.below("a.b").size(), 2u);
  EXPECT_EQ(table.below("a.b").at("c").get_name(), "a.b.c");
}
