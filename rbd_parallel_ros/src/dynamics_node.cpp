// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_ros/dynamics_node.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <lifecycle_msgs/msg/state.hpp>
#include <stdexcept>
#include <utility>

#include "answer_always.hpp"
#include "backend_loader.hpp"
#include "dynamics.hpp"
#include "locked_joints.hpp"
#include "parameters.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;

core::Model build_model(const std::string& urdf, const Settings& settings) {
  if (settings.joints.empty()) return core::load_urdf_string(urdf, settings.model);
  std::vector<std::string> warnings;  // build_model hands them on
  core::RobotDescription robot = core::read_urdf(urdf, warnings);
  lock_all_but(settings.joints, settings.model.mimic, robot);
  return core::build_model(robot, settings.model);
}

/// Deeper than the usual 10: requests of all clients wait in one queue while a large one is
/// computed, and a request that falls out of it is lost without a word.
rclcpp::QoS services_qos() { return rclcpp::ServicesQoS().keep_last(100); }

/// The reason why `action` failed, "" if it did not. Plugins may throw anything.
template <class Action>
std::string failure_of(const Action& action) {
  try {
    action();
    return "";
  } catch (const std::bad_alloc&) {
    return "not enough memory; a smaller max_batch needs less";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

void log_warnings(const rclcpp::Logger& logger, const std::vector<std::string>& warnings) {
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) {
    RCLCPP_WARN(logger, "robot_description: %s", warnings[i].c_str());
  }
  if (warnings.size() > most) {
    RCLCPP_WARN(logger, "robot_description: %zu more warnings; get_model_info has all of them",
                warnings.size() - most);
  }
}

}  // namespace

DynamicsNode::DynamicsNode(const rclcpp::NodeOptions& options)
    : LifecycleNode("dynamics", options), backends_(std::make_unique<BackendLoader>()) {
  declare_node_parameters(*this);
  on_set_handle_ = add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& parameters) { return on_set(parameters); });
  inverse_dynamics_ = serve<Dynamics::InverseDynamics>("~/inverse_dynamics");
  bias_forces_ = serve<Dynamics::BiasForces>("~/bias_forces");
  mass_matrix_ = serve<Dynamics::MassMatrix>("~/mass_matrix");
  forward_dynamics_ = serve<Dynamics::ForwardDynamics>("~/forward_dynamics");
  serve_model_info();
  description_subscription_ = create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(),
      [this](std_msgs::msg::String::ConstSharedPtr message) {
        report(failure_of([&] { take_description(*message); }));
      });
  waits_to_start_ = get_parameter("autostart").as_bool();
  if (waits_to_start_) {
    // Not in the constructor: transitions need a complete node, and an executor to report to.
    start_timer_ = create_wall_timer(std::chrono::milliseconds(1), [this] {
      start_timer_->cancel();
      report(failure_of([this] { start(); }));
    });
  }
}

DynamicsNode::~DynamicsNode() = default;

// Services

template <class Service>
typename rclcpp::Service<Service>::SharedPtr DynamicsNode::serve(const std::string& name) {
  using Request = typename Service::Request;
  using Response = typename Service::Response;
  return create_service<Service>(
      name,
      [this](const std::shared_ptr<Request> request, std::shared_ptr<Response> response) {
        answer_always(*response, [&](Response& out) {
          if (!active_) {
            throw RequestError(ErrorCode::not_active,
                               dynamics_
                                   ? "the node is inactive; activate it first"
                                   : "the node is not configured; configure and activate it first");
          }
          dynamics_->answer(*request, out);
        });
      },
      services_qos());
}

void DynamicsNode::serve_model_info() {
  using GetModelInfo = rbd_parallel_msgs::srv::GetModelInfo;
  get_model_info_ = create_service<GetModelInfo>(
      "~/get_model_info",
      [this](const std::shared_ptr<GetModelInfo::Request>,
             std::shared_ptr<GetModelInfo::Response> response) {
        answer_always(*response, [&](GetModelInfo::Response& out) {
          if (!dynamics_) {
            throw RequestError(ErrorCode::not_active,
                               "the node is not configured; it has no model yet");
          }
          out.model_info = dynamics_->model_info(backend_in_use_);
        });
      },
      services_qos());
}

// Robot description

std::string DynamicsNode::description() const {
  const std::string parameter = get_parameter("robot_description").as_string();
  return parameter.empty() ? description_from_topic_ : parameter;
}

void DynamicsNode::take_description(const std_msgs::msg::String& message) {
  if (message.data == description_from_topic_) return;
  description_from_topic_ = message.data;
  if (!get_parameter("robot_description").as_string().empty()) {
    RCLCPP_INFO(get_logger(),
                "robot_description came by topic and is not used: the parameter is set");
  } else if (active_) {
    RCLCPP_WARN(get_logger(),
                "a new robot_description came while active: the one in use is kept until the next "
                "configure");
  } else {
    RCLCPP_INFO(get_logger(),
                "robot_description came by topic (%zu bytes); the next configure uses it",
                message.data.size());
    start();
  }
}

void DynamicsNode::report(const std::string& failure) const {
  if (!failure.empty()) RCLCPP_ERROR(get_logger(), "unexpected error: %s", failure.c_str());
}

void DynamicsNode::start() {
  if (!waits_to_start_) return;
  if (description().empty()) {
    RCLCPP_INFO(get_logger(), "autostart waits for the topic robot_description");
    return;
  }
  if (configure().id() == lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE) activate();
}

// Transitions

std::unique_ptr<Dynamics> DynamicsNode::build_dynamics() {
  const std::string urdf = description();
  if (urdf.empty()) {
    throw std::invalid_argument(
        "there is no robot description yet; set the parameter robot_description "
        "or publish the topic robot_description (transient local)");
  }
  const Settings settings = read_settings(*this);
  const auto model = std::make_shared<const core::Model>(build_model(urdf, settings));
  JointTable joints(*model, settings.model.base == core::Base::floating, settings.joints);
  const std::shared_ptr<core::Backend> backend = backends_->load(settings.backend);
  const std::string refusal = failure_of([&] { backend->configure(model, settings.compute); });
  if (!refusal.empty()) {
    throw std::runtime_error("backend " + in_quotes(settings.backend) + " refuses: " + refusal +
                             "; available: " + backends_->available_text());
  }
  declare_armatures(*this, *model);
  log_warnings(get_logger(), model->warnings());
  backend_in_use_ = settings.backend;
  return std::make_unique<Dynamics>(backend, std::move(joints));
}

void DynamicsNode::release() {
  active_ = false;
  dynamics_.reset();
  backend_in_use_.clear();
}

DynamicsNode::CallbackReturn DynamicsNode::on_configure(const rclcpp_lifecycle::State&) {
  const std::string failure = failure_of([&] { dynamics_ = build_dynamics(); });
  if (!failure.empty()) {
    release();
    RCLCPP_ERROR(get_logger(), "configure failed: %s", failure.c_str());
    return CallbackReturn::FAILURE;
  }
  waits_to_start_ = false;
  const core::Model& model = dynamics_->model();
  RCLCPP_INFO(get_logger(), "configured: robot '%s' with %zu joints (nq %d, nv %d, %.3f kg)",
              model.name().c_str(), model.joint_names().size(), model.nq(), model.nv(),
              model.total_mass());
  RCLCPP_INFO(get_logger(), "backend '%s' computes with '%s', up to %zu states in a request",
              backend_in_use_.c_str(), dynamics_->backend().name().c_str(),
              dynamics_->backend().options().max_batch);
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_activate(const rclcpp_lifecycle::State& previous) {
  const CallbackReturn result = LifecycleNode::on_activate(previous);
  active_ = result == CallbackReturn::SUCCESS;
  return result;
}

DynamicsNode::CallbackReturn DynamicsNode::on_deactivate(const rclcpp_lifecycle::State& previous) {
  active_ = false;
  return LifecycleNode::on_deactivate(previous);
}

DynamicsNode::CallbackReturn DynamicsNode::on_cleanup(const rclcpp_lifecycle::State&) {
  release();
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_shutdown(const rclcpp_lifecycle::State&) {
  waits_to_start_ = false;
  release();
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_error(const rclcpp_lifecycle::State&) {
  RCLCPP_ERROR(get_logger(),
               "a transition failed; the node is unconfigured and can be configured again");
  release();
  return CallbackReturn::SUCCESS;
}

// Parameters

rcl_interfaces::msg::SetParametersResult DynamicsNode::on_set(
    const std::vector<rclcpp::Parameter>& parameters) const {
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  for (const rclcpp::Parameter& parameter : parameters) {
    if (active_ && is_used_by_configure(parameter.get_name())) {
      result.reason = parameter.get_name() +
                      " is used by configure and cannot change while the node is " +
                      "active; deactivate it, set the parameter, clean up and configure again";
    } else {
      const std::string refusal = failure_of([&] { result.reason = fault_of(parameter); });
      if (!refusal.empty()) result.reason = refusal;
    }
    result.successful = result.reason.empty();
    if (!result.successful) break;
  }
  return result;
}

}  // namespace rbd_parallel_ros
