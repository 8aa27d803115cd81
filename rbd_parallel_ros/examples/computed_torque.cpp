// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <string>
#include <vector>

#include "csv_file.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace core = rbd_parallel_core;
using sensor_msgs::msg::JointState;
using std_msgs::msg::Float64MultiArray;

/// Tracks a trajectory by computed torque, with the library in this process and no service:
///
///   tau = M(q) (a_ref + kd (v_ref - v) + kp (q_ref - q)) + C(q, v) v + g(q)
///
/// Takes joint_states, publishes effort_commands in the order of the model's joints. What it does
/// for a joint state allocates nothing of its own.
class ComputedTorque : public rclcpp::Node {
 public:
  ComputedTorque()
      : Node("computed_torque"),
        kp_(declare_parameter("kp", 100.0)),
        kd_(declare_parameter("kd", 20.0)),
        amplitude_(declare_parameter("amplitude", 0.6)),
        duration_(declare_parameter("duration", 10.0)),
        model_(std::make_shared<const core::Model>(
            core::load_urdf(declare_parameter<std::string>("robot_description", "")))),
        backend_(core::make_backend()),
        csv_(declare_parameter<std::string>("csv", ""), csv_columns()) {
    backend_->configure(model_);  // takes all memory that it needs
    if (model_->nq() != model_->nv()) throw std::invalid_argument("a joint has a quaternion");
    const auto n = static_cast<std::size_t>(model_->nv());
    for (auto* numbers : {&q_, &v_, &a_, &start_, &q_ref_, &v_ref_, &a_ref_, &error_}) {
      numbers->resize(n);
    }
    command_.data.resize(n);
    efforts_ = create_publisher<Float64MultiArray>("effort_commands", 1);
    states_ = create_subscription<JointState>("joint_states", rclcpp::SensorDataQoS(),
                                              [this](const JointState& state) { update(state); });
  }

 private:
  void update(const JointState& state) {
    const double stamp = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec;
    if (!read(state) || !(stamp > last_stamp_)) {
      RCLCPP_ERROR_THROTTLE(get_logger(), *get_clock(), 1000,
                            "joint_states out of order, or without finite position and velocity of "
                            "every joint");
      return;  // no command rather than a wrong one
    }
    last_stamp_ = stamp;
    if (!begin_) {
      begin_ = stamp;
      start_ = q_;
    }
    const double time = stamp - *begin_;
    if (time > duration_) return finish();
    find_reference(time);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      error_[i] = q_ref_[i] - q_[i];
      a_[i] = a_ref_[i] + kd_ * (v_ref_[i] - v_[i]) + kp_ * error_[i];
    }
    core::StateStatus status;
    const core::Result result = backend_->inverse_dynamics(
        {.q = q_, .v = v_, .a = a_, .tau = command_.data, .status = {&status, 1}});
    if (!result || !status.ok()) {
      RCLCPP_ERROR_THROTTLE(get_logger(), *get_clock(), 1000, "%s",
                            (result ? message(status, *model_) : message(result)).c_str());
      return;
    }
    efforts_->publish(command_);
    record(time);
  }

  /// Joint states come in an order of their own, which hardly ever changes.
  bool read(const JointState& state) {
    const std::size_t count = state.name.size();
    if (state.position.size() != count || state.velocity.size() != count) return false;
    if (state.name != names_ && !find_joints(state.name)) return false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      q_[i] = state.position[places_[i]];
      v_[i] = state.velocity[places_[i]];
      if (!std::isfinite(q_[i]) || !std::isfinite(v_[i])) return false;
    }
    return true;
  }

  bool find_joints(const std::vector<std::string>& names) {
    names_.clear();
    places_.clear();
    for (const std::string& joint : model_->joint_names()) {
      const auto found = std::find(names.begin(), names.end(), joint);
      if (found == names.end()) return false;
      places_.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    names_ = names;
    return true;
  }

  /// From where the robot was, to and fro by the amplitude, each joint with a period of its own.
  void find_reference(double time) {
    for (std::size_t i = 0; i < q_ref_.size(); ++i) {
      const double w = 2 * std::numbers::pi / (3.0 + 0.5 * static_cast<double>(i));
      q_ref_[i] = start_[i] + amplitude_ / 2 * (1 - std::cos(w * time));
      v_ref_[i] = amplitude_ / 2 * w * std::sin(w * time);
      a_ref_[i] = amplitude_ / 2 * w * w * std::cos(w * time);
    }
  }

  void record(double time) {
    for (const double error : error_) {
      square_sum_ += error * error;
      largest_ = std::max(largest_, std::abs(error));
    }
    ++updates_;
    csv_.row(time, {q_ref_, q_, error_});
  }

  void finish() {
    csv_.close();
    const double rms = std::sqrt(square_sum_ / static_cast<double>(updates_ * error_.size()));
    RCLCPP_INFO(get_logger(), "tracking error: rms %.6f rad, largest %.6f rad in %zu updates", rms,
                largest_, updates_);
    rclcpp::shutdown();
  }

  std::vector<std::string> csv_columns() const {
    std::vector<std::string> out{"time"};
    for (const char* what : {"reference", "position", "error"}) {
      const auto columns = columns_of(what, model_->joint_names());
      out.insert(out.end(), columns.begin(), columns.end());
    }
    return out;
  }

  double kp_, kd_;               // 1/s^2, 1/s
  double amplitude_, duration_;  // rad or m, s
  std::shared_ptr<const core::Model> model_;
  std::unique_ptr<core::Backend> backend_;
  CsvFile csv_;
  std::vector<std::string> names_;   // of the last joint states
  std::vector<std::size_t> places_;  // of the model's joints among them
  std::vector<double> q_, v_, a_, start_, q_ref_, v_ref_, a_ref_, error_;
  std::optional<double> begin_;  // s, the stamp of the first joint states
  double last_stamp_ = 0;        // s
  double square_sum_ = 0, largest_ = 0;
  std::size_t updates_ = 0;
  Float64MultiArray command_;
  rclcpp::Publisher<Float64MultiArray>::SharedPtr efforts_;
  rclcpp::Subscription<JointState>::SharedPtr states_;
};

int main(int argc, char** argv) try {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<ComputedTorque>());
  rclcpp::shutdown();
} catch (const std::exception& error) {
  RCLCPP_FATAL(rclcpp::get_logger("computed_torque"), "%s", error.what());
  return 1;
}
