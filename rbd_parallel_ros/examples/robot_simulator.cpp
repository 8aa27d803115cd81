// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <string>
#include <thread>
#include <vector>

#include "csv_file.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "simulated_robot.hpp"

using namespace std::chrono_literals;
namespace core = rbd_parallel_core;
using sensor_msgs::msg::JointState;
using std_msgs::msg::Float64MultiArray;

/// What a robot's driver is to ROS, with a simulated robot behind it: publishes joint_states 1000
/// times a second and takes effort commands. Its time is the wall clock's: a process that was held
/// up makes up for it, as a robot would have gone on with the last command.
class RobotSimulator : public rclcpp::Node {
 public:
  RobotSimulator()
      : Node("robot_simulator"),
        hold_time_(declare_parameter("hold_time", 0.0)),
        command_timeout_(declare_parameter("command_timeout", 0.1)),
        duration_(declare_parameter("duration", 0.0)),
        robot_(load_model(), start()),
        csv_(declare_parameter<std::string>("csv", ""), csv_columns()),
        command_(robot_.position().size()),
        no_effort_(robot_.position().size()) {
    state_.name = robot_.model().joint_names();
    states_ = create_publisher<JointState>("joint_states", 10);
    // The newest command counts: one that is lost must not hold up those after it, as it would
    // where delivery is reliable.
    commands_ = create_subscription<Float64MultiArray>(
        declare_parameter<std::string>("effort_topic", "dynamics/effort_commands"),
        rclcpp::QoS(1).best_effort(), [this](const Float64MultiArray& command) { take(command); });
  }

  /// Until the duration is over or the process is told to end.
  void run() {
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(shared_from_this());
    begin_ = next_ = Clock::now();
    while (rclcpp::ok() && !over()) {
      executor.spin_some();
      catch_up(Clock::now());
      publish();
      std::this_thread::sleep_until(next_);
    }
    csv_.close();
    RCLCPP_INFO(get_logger(), "largest displacement of the tip: %.6f mm in %.3f s, %zu commands",
                1e3 * largest_, time_, command_count_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration period = 1ms;
  static constexpr Clock::duration longest_stall = 500ms;

  std::shared_ptr<const core::Model> load_model() {
    core::ModelOptions options;
    const auto gravity = declare_parameter("gravity", std::vector<double>{0, 0, -9.81});
    if (gravity.size() != 3) throw std::invalid_argument("gravity needs 3 numbers");
    options.gravity = {gravity[0], gravity[1], gravity[2]};
    core::Model model =
        core::load_urdf(declare_parameter<std::string>("robot_description", ""), options);
    const double mass = declare_parameter("payload_mass", 0.0);
    const std::string link = declare_parameter("payload_link", model.links().back().name);
    if (mass == 0) return std::make_shared<const core::Model>(std::move(model));
    core::LinkInertial ball;  // of radius 50 mm, around the origin of the link
    ball.mass = mass;
    const double inertia = 0.4 * mass * 0.05 * 0.05;
    ball.rotational = {inertia, 0, 0, inertia, 0, inertia};
    return std::make_shared<const core::Model>(model.with_payload(link, ball));
  }

  SimulatedRobot::Start start() {
    return {.position = declare_parameter("start", std::vector<double>{}),
            .damping = declare_parameter("damping", 0.0),
            .tip = declare_parameter<std::string>("tip", "")};
  }

  std::vector<std::string> csv_columns() const {
    const auto& names = robot_.model().joint_names();
    std::vector<std::string> out{"time"};
    for (const auto& columns : {columns_of("position", names), columns_of("tip", {"x", "y", "z"}),
                                columns_of("effort", names)}) {
      out.insert(out.end(), columns.begin(), columns.end());
    }
    return out;
  }

  /// A command that makes no sense is no command.
  void take(const Float64MultiArray& command) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (command.data.size() != command_.size() ||
        !std::all_of(command.data.begin(), command.data.end(), finite)) {
      RCLCPP_ERROR_THROTTLE(get_logger(), *get_clock(), 1000,
                            "a command with %zu numbers, expected %zu finite ones",
                            command.data.size(), command_.size());
      return;
    }
    std::copy(command.data.begin(), command.data.end(), command_.begin());
    command_time_ = Clock::now();
    ++command_count_;
  }

  void catch_up(Clock::time_point now) {
    if (now - next_ > longest_stall) {
      RCLCPP_WARN(get_logger(), "held up for %.3f s, in which the robot stood still",
                  seconds(now - next_));
      next_ = now;
    }
    for (; next_ <= now && !over(); next_ += period) step();
  }

  void step() {
    if (!released()) return;
    const bool commanded = command_count_ > 0 && seconds(next_ - command_time_) <= command_timeout_;
    const std::vector<double>& effort = commanded ? command_ : no_effort_;
    csv_.row(time_, {robot_.position(), robot_.tip(), effort});
    robot_.step(seconds(period), effort);
    largest_ = std::max(largest_, robot_.displacement());
    time_ = seconds(period) * static_cast<double>(++steps_);
    if (steps_ % 1000 == 0) {
      RCLCPP_INFO(get_logger(), "%.0f s: the tip is %.6f mm from its start, largest %.6f mm", time_,
                  1e3 * robot_.displacement(), 1e3 * largest_);
    }
  }

  /// Brakes hold the robot until the first command, and no longer than hold_time if that is given.
  bool released() {
    if (released_) return true;
    released_ = command_count_ > 0 || (hold_time_ > 0 && seconds(next_ - begin_) >= hold_time_);
    if (released_) {
      RCLCPP_INFO(get_logger(), "brakes released, %s", command_count_ > 0 ? "commanded" : "limp");
    }
    return released_;
  }

  bool over() const { return duration_ > 0 && time_ >= duration_; }

  void publish() {
    state_.header.stamp = now();
    state_.position = robot_.position();
    state_.velocity = robot_.velocity();
    states_->publish(state_);
  }

  static double seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  double hold_time_, command_timeout_, duration_;  // s
  SimulatedRobot robot_;
  CsvFile csv_;
  std::vector<double> command_;  // the latest
  const std::vector<double> no_effort_;
  Clock::time_point begin_, next_, command_time_;
  bool released_ = false;
  std::size_t command_count_ = 0, steps_ = 0;
  double time_ = 0;     // s, since the brakes were released
  double largest_ = 0;  // m
  JointState state_;
  rclcpp::Publisher<JointState>::SharedPtr states_;
  rclcpp::Subscription<Float64MultiArray>::SharedPtr commands_;
};

int main(int argc, char** argv) try {
  rclcpp::init(argc, argv);
  std::make_shared<RobotSimulator>()->run();
  rclcpp::shutdown();
} catch (const std::exception& error) {
  RCLCPP_FATAL(rclcpp::get_logger("robot_simulator"), "%s", error.what());
  return 1;
}
