// SPDX-License-Identifier: Apache-2.0
// A lifecycle node with one of everything, which the tests in Python talk to. Written as for rclcpp
// itself.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <rclcpp_lifecycle/lifecycle_publisher.hpp>
#include <std_msgs/msg/int64.hpp>
#include <std_msgs/msg/string.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using std_msgs::msg::Int64;
using std_msgs::msg::String;
// A service with lists of strings both ways, whatever its name says.
using Strings = rcl_interfaces::srv::ListParameters;

// Where callbacks wait until they are let through, so that tests know who is inside, however slow
// the machine is.
class Gate {
 public:
  // The largest number that were inside at the same time.
  int pass() {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++inside_);
    while (admitted_ == 0 && rclcpp::ok()) {
      changed_.wait_for(lock, 50ms);
    }
    admitted_ -= admitted_ > 0 ? 1 : 0;
    --inside_;
    return most_;
  }

  // How many are inside, those who may leave now included.
  int admit(int count) {
    std::lock_guard lock(mutex_);
    admitted_ += count;
    changed_.notify_all();
    return inside_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0, most_ = 0, admitted_ = 0;
};

class TestNode : public rclcpp_lifecycle::LifecycleNode {
 public:
  explicit TestNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions())
      : LifecycleNode("test_node", options) {
    declare_parameters_of_all_kinds();
    reentrant_ = create_callback_group(rclcpp::CallbackGroupType::Reentrant);
    exclusive_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);

    echo_ = create_service<Strings>("~/echo", [](const Strings::Request::SharedPtr request,
                                                 Strings::Response::SharedPtr response) {
      response->result.names = request->prefixes;
    });
    echo_bound_ = create_service<Strings>("echo_bound",
                                          std::bind(&TestNode::answer, this, std::placeholders::_1,
                                                    std::placeholders::_2, std::placeholders::_3));
    deferred_ = create_service<Strings>(
        "~/deferred", [this](std::shared_ptr<rclcpp::Service<Strings>> service,
                             const std::shared_ptr<rmw_request_id_t> id,
                             const std::shared_ptr<Strings::Request> request) {
          answer_later_ = create_wall_timer(20ms, [this, service, id, request] {
            answer_later_->cancel();
            Strings::Response response;
            response.result.names = {"later", request->prefixes.at(0)};
            service->send_response(*id, response);
          });
        });
    // Answer how many were in them at the same time.
    const auto pass_gate = [this](Strings::Request::SharedPtr,
                                  Strings::Response::SharedPtr response) {
      response->result.names = {std::to_string(gate_.pass())};
    };
    gated_ = create_service<Strings>("~/gated", pass_gate, rclcpp::ServicesQoS(), reentrant_);
    gated_exclusive_ =
        create_service<Strings>("~/gated_exclusive", pass_gate, rclcpp::ServicesQoS(), exclusive_);
    open_gate_ = create_service<Strings>("~/open_gate", [this](
                                                            Strings::Request::SharedPtr request,
                                                            Strings::Response::SharedPtr response) {
      response->result.names = {std::to_string(gate_.admit(std::stoi(request->prefixes.at(0))))};
    });
    nap_ = create_service<Strings>(
        "~/nap",
        [this](Strings::Request::SharedPtr, Strings::Response::SharedPtr response) {
          nap(*response);
        },
        rclcpp::ServicesQoS(), reentrant_);
    memory_ = create_service<Strings>(
        "~/memory", [this](Strings::Request::SharedPtr, Strings::Response::SharedPtr response) {
          response->result.names = {heard_, std::to_string(count_)};
        });
    remote_ = create_client<Strings>("remote", rclcpp::ServicesQoS(), reentrant_);
    relay_ = create_service<Strings>(
        "~/relay",
        [this](const Strings::Request::SharedPtr request, Strings::Response::SharedPtr response) {
          if (!remote_->wait_for_service(20s)) {
            throw std::runtime_error("no remote service");
          }
          auto future = remote_->async_send_request(request);
          if (future.wait_for(20s) != std::future_status::ready) {
            remote_->remove_pending_request(future);
            response->result.names = {"timeout"};
            return;
          }
          *response = *future.get();
        },
        rclcpp::ServicesQoS(), exclusive_);
    clock_ = create_service<Strings>("~/clock", [this](Strings::Request::SharedPtr,
                                                       Strings::Response::SharedPtr response) {
      response->result.names = {std::to_string(now().nanoseconds()), std::to_string(sim_ticks_)};
    });
    sim_timer_ = create_timer(1s, [this] { ++sim_ticks_; });
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override {
    RCLCPP_INFO(get_logger(), "configure from %s", previous.label().c_str());
    const std::string fail = get_parameter("fail").as_string();
    if (fail == "configure") return CallbackReturn::FAILURE;
    if (fail == "error" || fail == "fatal") return CallbackReturn::ERROR;
    if (fail == "throw") throw std::runtime_error("as asked for");
    rcl_interfaces::msg::ParameterDescriptor dynamic;
    dynamic.dynamic_typing = true;
    declare_parameter("while_configured", rclcpp::ParameterValue(1), dynamic);
    out_ = create_publisher<String>("out", 10);
    latched_ = create_publisher<String>("~/latched", rclcpp::QoS(1).transient_local().reliable());
    ticks_ = create_publisher<Int64>("ticks", rclcpp::SensorDataQoS());
    const auto send = [this](const std::string& text) {
      String message;
      message.data = text;
      out_->publish(message);
    };
    by_reference_ = create_subscription<String>(
        "in/reference", 10, [send](const String& message) { send("reference " + message.data); });
    by_shared_ =
        create_subscription<String>("in/shared", rclcpp::QoS(10).best_effort(),
                                    std::bind(&TestNode::receive, this, std::placeholders::_1));
    by_unique_ = create_subscription<String>("in/unique", rclcpp::QoS(rclcpp::KeepLast(10)),
                                             [this](String::UniquePtr message) {
                                               message->data = "unique " + message->data;
                                               out_->publish(std::move(message));
                                             });
    by_info_ = create_subscription<String>(
        "in/info", 10,
        [send](const String::ConstSharedPtr& message, const rclcpp::MessageInfo& info) {
          send((info.get_rmw_message_info().source_timestamp > 0 ? "info " : "no info ") +
               message->data);
        });
    late_ = create_subscription<String>("early", rclcpp::QoS(1).transient_local(),
                                        [this](const String& message) { heard_ = message.data; });
    count_ = 0;
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override {
    LifecycleNode::on_activate(previous);
    timer_ = create_wall_timer(20ms, [this] {
      Int64 message;
      message.data = count_++;
      ticks_->publish(message);
    });
    String message;
    message.data = "for those who come late";
    latched_->publish(message);
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override {
    timer_.reset();
    return LifecycleNode::on_deactivate(previous);
  }

  CallbackReturn on_cleanup(const rclcpp_lifecycle::State&) override {
    release();
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_shutdown(const rclcpp_lifecycle::State& previous) override {
    RCLCPP_INFO(get_logger(), "shutdown from %s", previous.label().c_str());
    release();
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_error(const rclcpp_lifecycle::State& previous) override {
    RCLCPP_WARN(get_logger(), "error from %s", previous.label().c_str());
    release();
    return get_parameter("fail").as_string() == "fatal" ? CallbackReturn::FAILURE
                                                        : CallbackReturn::SUCCESS;
  }

 private:
  void declare_parameters_of_all_kinds() {
    declare_parameter("text", "default");
    declare_parameter("flag", false);
    declare_parameter("number", 1);
    declare_parameter("real", 0.5);
    declare_parameter("bytes", std::vector<uint8_t>{1, 2});
    declare_parameter("flags", std::vector<bool>{true, false});
    declare_parameter("numbers", std::vector<int64_t>{1, 2, 3});
    declare_parameter("reals", std::vector<double>{1.5});
    declare_parameter<std::vector<std::string>>("texts", {"a", "b"});
    declare_parameter("group.inner", 3);
    declare_parameter("group.deep.er", 4);
    declare_parameter("fail", std::string());

    rcl_interfaces::msg::ParameterDescriptor even;
    even.description = "an even number";
    even.integer_range.resize(1);
    even.integer_range[0].from_value = 0;
    even.integer_range[0].to_value = 10;
    even.integer_range[0].step = 2;
    declare_parameter("even", 4, even);

    rcl_interfaces::msg::ParameterDescriptor fraction;
    fraction.floating_point_range.resize(1);
    fraction.floating_point_range[0].from_value = 0.0;
    fraction.floating_point_range[0].to_value = 1.0;
    declare_parameter("fraction", 0.5, fraction);

    rcl_interfaces::msg::ParameterDescriptor fixed;
    fixed.read_only = true;
    declare_parameter("fixed", "for ever", fixed);

    rcl_interfaces::msg::ParameterDescriptor dynamic;
    dynamic.dynamic_typing = true;
    declare_parameter("any", rclcpp::ParameterValue(7), dynamic);

    on_set_ =
        add_on_set_parameters_callback([this](const std::vector<rclcpp::Parameter>& parameters) {
          rcl_interfaces::msg::SetParametersResult result;
          result.successful = true;
          for (const auto& parameter : parameters) {
            if (parameter.get_name() == "real" && parameter.as_double() < 0) {
              result.successful = false;
              result.reason = "real must not be negative";
            }
            if (parameter.get_name() == "number" &&
                get_current_state().id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
              result.successful = false;
              result.reason = "number cannot be changed while active";
            }
          }
          return result;
        });
  }

  void answer(const std::shared_ptr<rmw_request_id_t> id,
              const std::shared_ptr<Strings::Request> request,
              std::shared_ptr<Strings::Response> response) {
    response->result.names = request->prefixes;
    response->result.names.push_back(std::to_string(id->sequence_number));
  }

  void receive(const String::SharedPtr message) {
    String answer;
    answer.data = "shared " + message->data;
    out_->publish(answer);
  }

  // Answers how many were in here at the same time, at the most.
  void nap(Strings::Response& response) {
    const int now = ++napping_;
    int most = most_napping_;
    while (now > most && !most_napping_.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(100ms);
    --napping_;
    response.result.names = {std::to_string(most_napping_)};
  }

  void release() {
    if (has_parameter("while_configured")) undeclare_parameter("while_configured");
    timer_.reset();
    by_reference_.reset();
    by_shared_.reset();
    by_unique_.reset();
    by_info_.reset();
    late_.reset();
    out_.reset();
    latched_.reset();
    ticks_.reset();
  }

  rclcpp::CallbackGroup::SharedPtr reentrant_, exclusive_;
  rclcpp::Service<Strings>::SharedPtr echo_, echo_bound_, deferred_, gated_, gated_exclusive_,
      open_gate_, nap_, memory_, relay_, clock_;
  rclcpp::Client<Strings>::SharedPtr remote_;
  rclcpp::TimerBase::SharedPtr timer_, sim_timer_, answer_later_;
  rclcpp_lifecycle::LifecyclePublisher<String>::SharedPtr out_, latched_;
  rclcpp_lifecycle::LifecyclePublisher<Int64>::SharedPtr ticks_;
  rclcpp::Subscription<String>::SharedPtr by_reference_, by_shared_, by_unique_, by_info_, late_;
  OnSetParametersCallbackHandle::SharedPtr on_set_;
  Gate gate_;
  std::atomic<int> napping_{0}, most_napping_{0};
  std::atomic<int64_t> sim_ticks_{0};
  int64_t count_ = 0;
  std::string heard_;
};

// test_node [single|multi] [--ros-args ...]
int main(int argc, char** argv) {
  const auto arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
  const bool multi = arguments.size() > 1 && arguments[1] == "multi";
  rclcpp::on_shutdown([] { RCLCPP_INFO(rclcpp::get_logger("main"), "on_shutdown"); });
  try {
    auto node = std::make_shared<TestNode>();
    if (multi) {
      rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
      executor.add_node(node->get_node_base_interface());
      executor.spin();
    } else {
      rclcpp::spin(node->get_node_base_interface());
    }
  } catch (const std::exception& error) {
    // If a signal came while the node was being made, nothing can be made any more: that is no
    // fault.
    if (rclcpp::ok()) {
      RCLCPP_FATAL(rclcpp::get_logger("main"), "%s", error.what());
      rclcpp::shutdown();  // an abort instead would leave others waiting for a node that is gone
      return 1;
    }
  }
  rclcpp::shutdown();
  std::fputs("ended\n", stderr);
}
