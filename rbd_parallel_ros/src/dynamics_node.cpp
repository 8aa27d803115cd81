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
#include "diagnostics/diagnostics.hpp"
#include "dynamics.hpp"
#include "failure.hpp"
#include "locked_joints.hpp"
#include "log_limit.hpp"
#include "parameters.hpp"
#include "payloads.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "stream/effort_topics.hpp"
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
    : LifecycleNode("dynamics", options),
      backends_(std::make_unique<BackendLoader>()),
      description_log_(std::make_unique<LogLimit>()) {
  declare_node_parameters(*this);
  on_set_handle_ = add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& parameters) { return on_set(parameters); });
  after_set_handle_ = add_post_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& parameters) { after_set(parameters); });
  inverse_dynamics_ = serve<Dynamics::InverseDynamics>("~/inverse_dynamics");
  bias_forces_ = serve<Dynamics::BiasForces>("~/bias_forces");
  mass_matrix_ = serve<Dynamics::MassMatrix>("~/mass_matrix");
  forward_dynamics_ = serve<Dynamics::ForwardDynamics>("~/forward_dynamics");
  derivatives_ = serve<Dynamics::Derivatives>("~/derivatives");
  fill_trajectory_effort_ = serve<Dynamics::FillTrajectoryEffort>("~/fill_trajectory_effort");
  linearize_trajectory_ = serve<Dynamics::LinearizeTrajectory>("~/linearize_trajectory");
  serve_state_batches();
  serve_payloads();
  serve_model_info();
  description_subscription_ = create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(),
      [this](std_msgs::msg::String::ConstSharedPtr message) {
        report(failure_of([&] { take_description(*message); }));
      });
  diagnostics_ = std::make_unique<Diagnostics>(
      *this, std::chrono::nanoseconds(
                 static_cast<std::int64_t>(1e9 * get_parameter("diagnostics_period").as_double())));
  warn_of_unknown_parameters(*this);
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

/// Whatever comes, `out` is filled: with results or with an error. Counted by diagnostics.
template <class In, class Out>
void DynamicsNode::answer(const In& in, Out& out) {
  const auto start = std::chrono::steady_clock::now();
  answer_always(out, [&](Out& filled) {
    if (!active_) {
      throw RequestError(ErrorCode::not_active,
                         dynamics_ ? "the node is inactive; activate it first"
                                   : "the node is not configured; configure and activate it first");
    }
    dynamics_->answer(in, filled);
  });
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
  diagnostics_->services().count(out.status.size(), out.error_msg, took.count());
}

template <class Service>
typename rclcpp::Service<Service>::SharedPtr DynamicsNode::serve(const std::string& name) {
  using Request = typename Service::Request;
  using Response = typename Service::Response;
  return create_service<Service>(
      name,
      [this](const std::shared_ptr<Request> request, std::shared_ptr<Response> response) {
        answer(*request, *response);
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
          out.model_info = model_info();
        });
      },
      services_qos());
}

void DynamicsNode::serve_state_batches() {
  using rbd_parallel_msgs::msg::EffortBatch;
  using rbd_parallel_msgs::msg::StateBatch;
  const rclcpp::QoS qos(10);  // reliable
  effort_batch_publisher_ = create_publisher<EffortBatch>("~/effort_batch", qos);
  state_batch_subscription_ = create_subscription<StateBatch>(
      "~/state_batch", qos, [this](StateBatch::ConstSharedPtr states) {
        report(failure_of([&] {
          EffortBatch efforts;
          answer(*states, efforts);
          efforts.header = states->header;
          if (active_) effort_batch_publisher_->publish(efforts);
        }));
      });
}

void DynamicsNode::serve_payloads() {
  using SetPayload = rbd_parallel_msgs::srv::SetPayload;
  set_payload_ = create_service<SetPayload>(
      "~/set_payload",
      [this](const std::shared_ptr<SetPayload::Request> request,
             std::shared_ptr<SetPayload::Response> response) {
        answer_always(*response, [&](SetPayload::Response& out) {
          if (!dynamics_) {
            throw RequestError(ErrorCode::not_active,
                               "the node is not configured; configure it first");
          }
          use(payloads_->after(*request, *robot_));
          out.warning = doubt_about(*request, *robot_);
          if (!out.warning.empty()) RCLCPP_WARN(get_logger(), "%s", out.warning.c_str());
        });
      },
      services_qos());
}

rbd_parallel_msgs::msg::ModelInfo DynamicsNode::model_info() const {
  rbd_parallel_msgs::msg::ModelInfo info = dynamics_->model_info(settings_->backend);
  info.effort_mode = name_of(settings_->stream.mode);
  payloads_->describe(info);
  return info;
}

void DynamicsNode::publish_model_info() {
  if (!model_info_publisher_) {
    model_info_publisher_ = create_publisher<rbd_parallel_msgs::msg::ModelInfo>(
        "~/model_info", rclcpp::QoS(1).transient_local());
  }
  // Transitions switch publishers off, but a payload may change in every state that has a model.
  if (!model_info_publisher_->is_activated()) model_info_publisher_->on_activate();
  model_info_publisher_->publish(model_info());
}

// Robot description

std::string DynamicsNode::description() const {
  const std::string parameter = get_parameter("robot_description").as_string();
  return parameter.empty() ? description_from_topic_ : parameter;
}

void DynamicsNode::take_description(const std_msgs::msg::String& message) {
  if (message.data == description_from_topic_) return;
  description_from_topic_ = message.data;
  const bool parameter = !get_parameter("robot_description").as_string().empty();
  if (const auto more = description_log_->next(std::chrono::steady_clock::now())) {
    const std::string others =
        *more == 0 ? "" : " (and so did " + std::to_string(*more) + " before it)";
    if (parameter) {
      RCLCPP_INFO(get_logger(),
                  "robot_description came by topic%s and is not used: the parameter is set",
                  others.c_str());
    } else if (active_) {
      RCLCPP_WARN(get_logger(),
                  "a new robot_description came while active%s: the one in use is kept until the "
                  "next configure",
                  others.c_str());
    } else {
      RCLCPP_INFO(get_logger(),
                  "robot_description came by topic (%zu bytes)%s; the next configure uses it",
                  message.data.size(), others.c_str());
    }
  }
  if (!parameter && !active_) start();
  if (dynamics_) tell_diagnostics(active_ ? "active" : "inactive");
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

std::shared_ptr<core::Backend> DynamicsNode::configured_backend(
    const std::shared_ptr<const core::Model>& model, const core::BackendOptions& options) {
  const std::shared_ptr<core::Backend> backend = backends_->load(settings_->backend);
  const std::string refusal = failure_of([&] { backend->configure(model, options); });
  if (!refusal.empty()) {
    throw std::runtime_error("backend " + in_quotes(settings_->backend) + " refuses: " + refusal +
                             "; available: " + backends_->available_text());
  }
  return backend;
}

void DynamicsNode::build() {
  const std::string urdf = description();
  if (urdf.empty()) {
    throw std::invalid_argument(
        "there is no robot description yet; set the parameter robot_description "
        "or publish the topic robot_description (transient local)");
  }
  urdf_in_use_ = urdf;
  settings_ = std::make_unique<Settings>(read_settings(*this));
  robot_ = std::make_shared<const core::Model>(build_model(urdf, *settings_));
  use({});
  declare_armatures(*this, *robot_);
  parameters_in_use_ = parameters_of_configure(*this);
  log_warnings(get_logger(), robot_->warnings());
}

/// All that is computed from now on is with these payloads. Nothing has changed if it throws.
void DynamicsNode::use(const Payloads& payloads) {
  const auto model = std::make_shared<const core::Model>(payloads.attached_to(*robot_));
  JointTable joints(*model, settings_->model.base == core::Base::floating, settings_->joints);
  std::shared_ptr<core::Backend> for_stream;
  if (settings_->stream.mode != EffortMode::off) {
    core::BackendOptions one_state = settings_->compute;
    one_state.max_batch = 1;
    one_state.threads = 1;  // so nobody is woken or stays awake for it
    for_stream = configured_backend(model, one_state);
  }
  if (for_stream && !effort_topics_) {
    effort_topics_ = std::make_shared<EffortTopics>(
        *this, std::make_unique<EffortStream>(std::move(for_stream), joints, settings_->stream));
  }
  auto dynamics =
      std::make_unique<Dynamics>(configured_backend(model, settings_->compute), std::move(joints));
  auto next_payloads = std::make_unique<Payloads>(payloads);
  if (for_stream) effort_topics_->stream().replace_backend(std::move(for_stream));
  dynamics_ = std::move(dynamics);
  payloads_ = std::move(next_payloads);
  report(failure_of([this] { publish_model_info(); }));
  tell_diagnostics(active_ ? "active" : "inactive");
}

void DynamicsNode::tell_diagnostics(const std::string& state, const std::string& fault) {
  Configuration out;
  out.lifecycle_state = state;
  out.active = active_;
  out.fault = fault;
  if (dynamics_) {
    const core::Model& model = dynamics_->model();
    out.robot = model.name();
    out.joints = model.joint_names().size();
    out.warnings = model.warnings().size();
    out.mass = model.total_mass();
    out.other_description = description() != urdf_in_use_;
    out.not_applied = names_of_changed(parameters_of_configure(*this), parameters_in_use_);
    out.payloads = payloads_->size();
    out.payload_mass = payloads_->mass();
    out.backend = settings_->backend;
    out.backend_name = dynamics_->backend().name();
    const core::Backend& backend = dynamics_->backend();
    out.backend_reason =
        (settings_->backend == default_backend ? "the default; "
                                               : "the parameter backend asks for it; ") +
        backend.explain(core::Operation::inverse_dynamics, backend.options().max_batch);
    out.effort_mode = name_of(settings_->stream.mode);
    out.latency_warning = settings_->latency_warning;
    out.latency_error = settings_->latency_error;
  }
  if (effort_topics_) {
    out.stream_settings = settings_->stream;
    out.stream_joints = effort_topics_->stream().joint_names();
    out.stream = effort_topics_->stream().statistics();
  }
  diagnostics_->set(std::move(out));
}

void DynamicsNode::release() {
  active_ = false;
  effort_topics_.reset();
  model_info_publisher_.reset();  // and with it what it had latched
  dynamics_.reset();
  payloads_.reset();
  robot_.reset();
  settings_.reset();
  parameters_in_use_.clear();
}

/// A backend whose explanation begins with "fell back" is not what was asked for.
void DynamicsNode::log_backend() const {
  const core::Backend& backend = dynamics_->backend();
  const std::size_t most = backend.options().max_batch;
  RCLCPP_INFO(get_logger(), "backend '%s' computes with '%s', up to %zu states in a request",
              settings_->backend.c_str(), backend.name().c_str(), most);
  const std::string why = backend.explain(core::Operation::inverse_dynamics, most);
  if (why.starts_with("fell back")) {
    RCLCPP_WARN(get_logger(), "backend '%s' %s", settings_->backend.c_str(), why.c_str());
  }
}

DynamicsNode::CallbackReturn DynamicsNode::on_configure(const rclcpp_lifecycle::State&) {
  const std::string failure = failure_of([&] { build(); });
  if (!failure.empty()) {
    release();
    tell_diagnostics("unconfigured", failure);
    RCLCPP_ERROR(get_logger(), "configure failed: %s", failure.c_str());
    return CallbackReturn::FAILURE;
  }
  waits_to_start_ = false;
  tell_diagnostics("inactive");
  const core::Model& model = dynamics_->model();
  RCLCPP_INFO(get_logger(), "configured: robot '%s' with %zu joints (nq %d, nv %d, %.3f kg)",
              model.name().c_str(), model.joint_names().size(), model.nq(), model.nv(),
              model.total_mass());
  log_backend();
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_activate(const rclcpp_lifecycle::State& previous) {
  const CallbackReturn result = LifecycleNode::on_activate(previous);
  active_ = result == CallbackReturn::SUCCESS;
  if (!active_) return result;
  const std::string failure = failure_of([&] {
    if (effort_topics_) effort_topics_->start();
  });
  if (!failure.empty()) {
    active_ = false;
    RCLCPP_ERROR(get_logger(), "activate failed: %s", failure.c_str());
    return CallbackReturn::FAILURE;
  }
  tell_diagnostics("active");
  warn_of_waiting(names_of_changed(parameters_of_configure(*this), parameters_in_use_));
  return result;
}

DynamicsNode::CallbackReturn DynamicsNode::on_deactivate(const rclcpp_lifecycle::State& previous) {
  active_ = false;
  if (effort_topics_) effort_topics_->stop();
  tell_diagnostics("inactive");
  return LifecycleNode::on_deactivate(previous);
}

DynamicsNode::CallbackReturn DynamicsNode::on_cleanup(const rclcpp_lifecycle::State&) {
  release();
  tell_diagnostics("unconfigured");
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_shutdown(const rclcpp_lifecycle::State&) {
  waits_to_start_ = false;
  release();
  tell_diagnostics("finalized");
  return CallbackReturn::SUCCESS;
}

DynamicsNode::CallbackReturn DynamicsNode::on_error(const rclcpp_lifecycle::State&) {
  RCLCPP_ERROR(get_logger(),
               "a transition failed; the node is unconfigured and can be configured again");
  release();
  tell_diagnostics("unconfigured");
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

void DynamicsNode::after_set(const std::vector<rclcpp::Parameter>& parameters) {
  if (parameters_in_use_.empty()) return;  // the next configure takes them
  warn_of_waiting(names_of_changed(parameters, parameters_in_use_));
  tell_diagnostics(active_ ? "active" : "inactive");
}

/// What was set since configure does not count yet.
void DynamicsNode::warn_of_waiting(const std::vector<std::string>& names) const {
  if (names.empty()) return;
  RCLCPP_WARN(get_logger(),
              "set since the last configure and not applied yet: %s; activate does not apply it, "
              "%sclean up and configure",
              listed(names).c_str(), active_ ? "deactivate, " : "");
}

}  // namespace rbd_parallel_ros
