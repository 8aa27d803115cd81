// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <fstream>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

/// Sends joint states of the 7-axis arm to /dynamics, which runs already, 1000 times a second, and
/// counts what comes back. The result goes into a file.
namespace rbd_parallel_bench {
namespace {

using namespace std::chrono_literals;
using diagnostic_msgs::msg::DiagnosticArray;
using diagnostic_msgs::msg::DiagnosticStatus;
using sensor_msgs::msg::JointState;
using std_msgs::msg::Float64MultiArray;
using Clock = std::chrono::steady_clock;

constexpr const char* usage = "usage: stream_bench SECONDS RESULT.json [--ros-args ...]";
constexpr std::size_t warm_up = 500;  ///< joint states before those that count
constexpr int joints = 7;
constexpr std::size_t queue = 10000;  ///< what the client itself must not lose
constexpr auto patience = 30s;

/// What the node itself has counted.
struct NodeCounts {
  std::uint64_t received = 0, computed = 0;
};

class StreamClient : public rclcpp::Node {
 public:
  explicit StreamClient(std::size_t messages) : Node("stream_bench") {
    round_trips_.reserve(messages + warm_up);
    for (int i = 1; i <= joints; ++i) state_.name.push_back("joint_" + std::to_string(i));
    state_.position.resize(joints);
    state_.velocity.resize(joints);
    states_ = create_publisher<JointState>("joint_states", 10);
    efforts_ = create_subscription<JointState>("dynamics/effort", queue,
                                               [this](const JointState& effort) { take(effort); });
    commands_ = create_subscription<Float64MultiArray>(
        "dynamics/effort_commands", queue,
        [this](const Float64MultiArray&) { command_count_.fetch_add(1); });
    diagnostics_ = create_subscription<DiagnosticArray>(
        "/diagnostics", 10, [this](const DiagnosticArray& message) { take(message); });
  }

  /// Sends `count` joint states, one each millisecond; those that are late follow at once.
  void send(std::size_t count) {
    auto next = Clock::now();
    for (std::size_t i = 0; i < count && rclcpp::ok(); ++i) {
      std::this_thread::sleep_until(next += 1ms);
      if (Clock::now() > next + 1ms) ++late_;
      for (std::size_t j = 0; j < joints; ++j) {
        state_.position[j] = std::sin(1e-3 * static_cast<double>(i + 100 * j));
      }
      state_.header.stamp = now();
      states_->publish(state_);
    }
  }

  /// Waits until the node and this know each other.
  void connect() {
    wait_for("the node's topics", [this] {
      return states_->get_subscription_count() > 0 && efforts_->get_publisher_count() > 0 &&
             commands_->get_publisher_count() > 0;
    });
    wait_for("an effort", [this] {
      send(1);
      return effort_count_ > 0;
    });
  }

  /// Waits until the node reports that nothing comes any more, so that its counts are complete.
  NodeCounts counts_at_rest() {
    const std::size_t efforts = effort_count_;
    stale_ = false;
    wait_for("diagnostics", [&] { return stale_ && received_ >= efforts; });
    return {received_, computed_};
  }

  std::size_t efforts() const { return effort_count_; }
  std::size_t commands() const { return command_count_; }
  std::size_t late() const { return late_; }
  /// s, in the order in which they came. Only when nothing is spinning.
  const std::vector<double>& round_trips() const { return round_trips_; }

 private:
  void take(const JointState& effort) {
    round_trips_.push_back((now() - rclcpp::Time(effort.header.stamp)).seconds());
    effort_count_.fetch_add(1);
  }

  void take(const DiagnosticArray& message) {
    for (const DiagnosticStatus& status : message.status) {
      if (!status.name.ends_with("/dynamics: effort stream")) continue;
      for (const auto& value : status.values) {
        if (value.key == "received") received_ = std::stoull(value.value);
        if (value.key == "computed") computed_ = std::stoull(value.value);
      }
      stale_ = status.message.starts_with("no joint state");
    }
  }

  static void wait_for(const char* what, const std::function<bool()>& condition) {
    const auto end = Clock::now() + patience;
    while (!condition()) {
      if (!rclcpp::ok()) throw std::runtime_error("interrupted");
      if (Clock::now() > end) throw std::runtime_error(std::string(what) + " did not come");
      std::this_thread::sleep_for(10ms);
    }
  }

  JointState state_;
  std::vector<double> round_trips_;
  std::size_t late_ = 0;
  std::atomic<std::size_t> effort_count_{0}, command_count_{0};
  std::atomic<std::uint64_t> received_{0}, computed_{0};
  std::atomic<bool> stale_{false};
  rclcpp::Publisher<JointState>::SharedPtr states_;
  rclcpp::Subscription<JointState>::SharedPtr efforts_;
  rclcpp::Subscription<Float64MultiArray>::SharedPtr commands_;
  rclcpp::Subscription<DiagnosticArray>::SharedPtr diagnostics_;
};

/// Spins a node in a thread of its own.
class Spinner {
 public:
  explicit Spinner(const std::shared_ptr<rclcpp::Node>& node) {
    executor_.add_node(node);
    thread_ = std::thread([this] { executor_.spin(); });
  }
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;
  ~Spinner() {
    executor_.cancel();
    thread_.join();
  }

 private:
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::thread thread_;
};

/// us
double percentile(std::vector<double> seconds, double share) {
  if (seconds.empty()) return std::nan("");
  const auto place = static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1));
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(place),
                   seconds.end());
  return 1e6 * seconds[place];
}

void run(const std::vector<std::string>& words) {
  if (words.size() != 3) throw std::invalid_argument(usage);
  const double seconds = std::stod(words[1]);
  if (!(seconds > 0)) throw std::invalid_argument(usage);
  const auto messages = static_cast<std::size_t>(1000 * seconds);
  const auto client = std::make_shared<StreamClient>(messages);
  NodeCounts before, after;
  std::size_t efforts_before = 0, commands_before = 0, late_before = 0;
  {
    const Spinner spinner(client);
    client->connect();
    client->send(warm_up);
    before = client->counts_at_rest();
    efforts_before = client->efforts();
    commands_before = client->commands();
    late_before = client->late();
    client->send(messages);
    after = client->counts_at_rest();
  }
  const auto& all = client->round_trips();
  const std::vector<double> trips(all.begin() + static_cast<std::ptrdiff_t>(efforts_before),
                                  all.end());
  std::ofstream file(words[2]);
  file << "{\"sent\": " << messages << ", \"sent_late\": " << client->late() - late_before
       << ", \"received\": " << after.received - before.received
       << ", \"computed\": " << after.computed - before.computed
       << ", \"efforts\": " << trips.size()
       << ", \"commands\": " << client->commands() - commands_before
       << ", \"round_trip_us\": {\"p50\": " << percentile(trips, 0.5)
       << ", \"p99\": " << percentile(trips, 0.99) << ", \"max\": " << percentile(trips, 1)
       << "}}\n";
  if (!file.flush()) throw std::runtime_error("cannot write '" + words[2] + "'");
}

}  // namespace
}  // namespace rbd_parallel_bench

int main(int argc, char** argv) try {
  rbd_parallel_bench::run(rclcpp::init_and_remove_ros_arguments(argc, argv));
  rclcpp::shutdown();
} catch (const std::exception& error) {
  std::fprintf(stderr, "stream_bench: %s\n", error.what());
  return 1;
}
