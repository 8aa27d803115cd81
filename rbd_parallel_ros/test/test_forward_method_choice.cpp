// SPDX-License-Identifier: Apache-2.0
#include "forward_method_choice.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "answer_always.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

namespace core = rbd_parallel_core;
using Forward = rbd_parallel_msgs::srv::ForwardDynamics;

struct Case {
  std::string backend;
  Model model;
  bool wrenches = false;
};

/// Forward dynamics at rest by a method.
Forward::Response ask(Dynamics& dynamics, std::uint8_t method, bool wrenches) {
  Forward::Request request;
  request.position = dynamics.model().neutral();
  request.method = method;
  if (wrenches) {
    request.external_wrench_links = {dynamics.model().links().back().name};
    request.external_wrenches.resize(1);
  }
  Forward::Response response;
  answer_always(response, [&](Forward::Response& out) { dynamics.answer(request, out); });
  return response;
}

/// Law: what a refusal recommends is answered, and nothing that would be is left out.
void expect_good_advice(const Case& robot) {
  const auto model = std::make_shared<const Model>(robot.model);
  const std::shared_ptr<core::Backend> backend = core::make_backend(robot.backend);
  backend->configure(model);
  Dynamics dynamics(backend, JointTable(*model, false));
  std::vector<std::string> answered;
  std::vector<Forward::Response> refused;
  for (const core::ForwardMethod method : core::all_forward_methods) {
    const auto response = ask(dynamics, static_cast<std::uint8_t>(method), robot.wrenches);
    if (response.error_code == Forward::Response::UNSUPPORTED) {
      EXPECT_TRUE(response.error_msg.starts_with(constant_of(method) + " cannot be used: "))
          << response.error_msg;
      // Once is enough.
      EXPECT_EQ(response.error_msg.find("cannot be used"),
                response.error_msg.rfind("cannot be used"))
          << response.error_msg;
      refused.push_back(response);
    } else {
      EXPECT_EQ(response.error_msg, "");
      answered.push_back(constant_of(method));
    }
  }
  ASSERT_FALSE(refused.empty()) << "nothing was tested";
  for (const Forward::Response& response : refused) {
    const std::string text = response.error_msg;
    const std::size_t advice = text.find("; use ");
    ASSERT_NE(advice, std::string::npos) << text;
    std::vector<std::string> recommended;
    static const std::regex constant("METHOD_[A-Z_]+");
    for (std::sregex_iterator match(text.begin() + static_cast<std::ptrdiff_t>(advice), text.end(),
                                    constant);
         match != std::sregex_iterator(); ++match) {
      recommended.push_back(match->str());
    }
    EXPECT_EQ(recommended, answered) << text;
    EXPECT_EQ(text.find("prepare"), std::string::npos) << text;
    EXPECT_EQ(text.find("f_ext"), std::string::npos) << text;
  }
}

TEST(ForwardMethodChoice, RecommendsWhatIsAnswered) {
  for (const char* backend : {"reference", "cpu", "tree", "auto"}) {
    SCOPED_TRACE(backend);
    expect_good_advice({backend, load("quadruped")});
    expect_good_advice({backend, load("gripper")});  // mimic joints
    expect_good_advice({backend, load("arm7"), true});
  }
}

/// A chain whose dense mass matrix is too large: crba is out, and what replaces it there is too.
TEST(ForwardMethodChoice, RecommendsWhatIsAnsweredForAVeryLongChain) {
  const Model chain = core::serial_chain(20'000);
  for (const char* backend : {"cpu", "auto"}) {
    SCOPED_TRACE(backend);
    expect_good_advice({backend, chain});
  }
}

TEST(ForwardMethodChoice, ANumberThatStandsForNothingIsRefused) {
  Robot robot("arm7");
  const auto response = ask(*robot.dynamics, 9, false);
  EXPECT_EQ(response.error_code, Forward::Response::INVALID_ARGUMENT);
  EXPECT_EQ(response.error_msg, "method is 9, expected METHOD_AUTOMATIC (0) to METHOD_DCAE (8)");
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
