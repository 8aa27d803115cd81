// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <optional>
#include <rbd_parallel_msgs/srv/bias_forces.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>

using namespace std::chrono_literals;
using rbd_parallel_msgs::srv::BiasForces;
using sensor_msgs::msg::JointState;
using std_msgs::msg::Float64MultiArray;

/// Holds an arm against gravity: takes joint_states, publishes effort_commands in their order.
class GravityCompensation : public rclcpp::Node {
 public:
  GravityCompensation() : Node("gravity_compensation") {
    client_ = create_client<BiasForces>("dynamics/bias_forces");
    efforts_ = create_publisher<Float64MultiArray>("effort_commands", 1);
    states_ = create_subscription<JointState>(
        "joint_states", rclcpp::SensorDataQoS(),
        [this](JointState::ConstSharedPtr state) { state_ = std::move(state); });
    timer_ = create_wall_timer(10ms, [this] { update(); });
  }

 private:
  using Future = rclcpp::Client<BiasForces>::SharedFuture;

  /// The loop never waits for an answer: it asks, and take() gets the answer when it comes.
  void update() {
    if (!state_) return;                  // nothing is known of the robot yet
    if (request_ && !given_up()) return;  // the answer is on its way
    if (!client_->service_is_ready()) {
      RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "the dynamics node is not there");
      return;
    }
    auto request = std::make_shared<BiasForces::Request>();
    request->joint_names = state_->name;
    request->position = state_->position;
    request->terms = BiasForces::Request::TERMS_GRAVITY;
    sent_ = std::chrono::steady_clock::now();
    request_ =
        client_->async_send_request(request, [this](Future f) { take(*f.get()); }).request_id;
  }

  /// A node that dies never answers; then it is time for a new request.
  bool given_up() {
    if (std::chrono::steady_clock::now() - sent_ < 100ms) return false;
    RCLCPP_WARN(get_logger(), "no answer within 100 ms");
    client_->remove_pending_request(*request_);
    request_.reset();
    return true;
  }

  void take(const BiasForces::Response& response) {
    request_.reset();
    if (response.error_code != BiasForces::Response::OK) {  // error_msg says what to do about it
      RCLCPP_ERROR_THROTTLE(get_logger(), *get_clock(), 1000, "%s", response.error_msg.c_str());
      return;  // no command rather than a wrong one
    }
    Float64MultiArray command;
    command.data = response.effort;
    efforts_->publish(command);
  }

  rclcpp::Client<BiasForces>::SharedPtr client_;
  rclcpp::Publisher<Float64MultiArray>::SharedPtr efforts_;
  rclcpp::Subscription<JointState>::SharedPtr states_;
  rclcpp::TimerBase::SharedPtr timer_;
  JointState::ConstSharedPtr state_;  // the latest
  std::optional<int64_t> request_;    // the number of the one that waits for its answer
  std::chrono::steady_clock::time_point sent_;
};

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<GravityCompensation>());
  rclcpp::shutdown();
}
