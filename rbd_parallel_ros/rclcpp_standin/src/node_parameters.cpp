// SPDX-License-Identifier: Apache-2.0
#include <rcl/arguments.h>

#include <optional>

#include "rclcpp/detail/parameter_overrides.hpp"
#include "rclcpp/detail/parameter_rules.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces {

using detail::DeclaredParameter;
using detail::ParameterTable;
using detail::Refusal;
using rcl_interfaces::msg::ParameterDescriptor;
using rcl_interfaces::msg::SetParametersResult;

namespace {

SetParametersResult result_of(const std::optional<Refusal>& refusal) {
  SetParametersResult result;
  result.successful = !refusal;
  if (refusal) result.reason = refusal->reason;
  return result;
}

void check_name(const std::string& name) {
  if (name.empty()) {
    throw exceptions::InvalidParametersException("a parameter needs a name, got an empty one");
  }
}

// From the process's arguments, then the node's own, then its code: the last one wins.
detail::ParameterOverrides overrides_for(NodeBaseInterface& base, const NodeOptions& options) {
  const rcl_node_options_t* rcl_options = rcl_node_get_options(base.get_rcl_node_handle());
  if (!rcl_options) {
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "the node's options cannot be read");
  }
  const std::string node = base.get_fully_qualified_name();
  detail::ParameterOverrides overrides;
  if (rcl_options->use_global_arguments) {
    detail::read_overrides(base.get_context()->get_rcl_context()->global_arguments, node,
                           overrides);
  }
  detail::read_overrides(rcl_options->arguments, node, overrides);
  for (const auto& parameter : options.parameter_overrides()) {
    overrides.insert_or_assign(parameter.get_name(), parameter.get_parameter_value());
  }
  return overrides;
}

}  // namespace

class NodeParametersInterface::Turn {
 public:
  explicit Turn(NodeParametersInterface& parameters)
      : lock_(parameters.mutex_), taken_(parameters.turn_taken_) {
    // The lock lets the thread that has it in again; only a callback can come here that way.
    if (taken_) {
      throw exceptions::ParameterModifiedInCallbackException(
          "a callback on parameters may not itself set or declare parameters, nor add or remove "
          "callbacks");
    }
    taken_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { taken_ = false; }

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  bool& taken_;
};

NodeParametersInterface::NodeParametersInterface(NodeBaseInterface::SharedPtr base,
                                                 Clock::SharedPtr clock, const NodeOptions& options)
    : base_(std::move(base)),
      clock_(std::move(clock)),
      table_(options.allow_undeclared_parameters()),
      overrides_(overrides_for(*base_, options)) {
  if (options.start_parameter_event_publisher()) {
    events_ = std::make_shared<Publisher<rcl_interfaces::msg::ParameterEvent>>(
        base_->get_shared_rcl_node_handle(), "/parameter_events", options.parameter_event_qos());
  }
  if (options.automatically_declare_parameters_from_overrides()) {
    ParameterDescriptor any_type;
    any_type.dynamic_typing = true;
    for (const auto& [name, value] : overrides_) {
      declare_parameter(name, value, any_type, true);
    }
  }
  if (options.start_parameter_services()) {
    create_services();
  }
}

// ---- declaring ----

const ParameterValue& NodeParametersInterface::declare_parameter(
    const std::string& name, const ParameterValue& default_value,
    const ParameterDescriptor& descriptor, bool ignore_override) {
  if (!descriptor.dynamic_typing && default_value.get_type() == PARAMETER_NOT_SET) {
    throw exceptions::InvalidParameterTypeException(
        name,
        "expected a type, got neither that nor a default value; give one of them, or a "
        "descriptor with dynamic_typing");
  }
  return declare(name, default_value.get_type(), default_value, descriptor, ignore_override);
}

const ParameterValue& NodeParametersInterface::declare_parameter(
    const std::string& name, ParameterType type, const ParameterDescriptor& descriptor,
    bool ignore_override) {
  if (type == PARAMETER_NOT_SET || descriptor.dynamic_typing) {
    throw std::invalid_argument("declare_parameter: expected a fixed type for '" + name +
                                "', got PARAMETER_NOT_SET or a descriptor with dynamic_typing");
  }
  return declare(name, type, ParameterValue(), descriptor, ignore_override);
}

const ParameterValue& NodeParametersInterface::declare(const std::string& name, ParameterType type,
                                                       const ParameterValue& default_value,
                                                       ParameterDescriptor descriptor,
                                                       bool ignore_override) {
  Turn turn(*this);
  check_name(name);
  if (table_.contains(name)) {
    throw exceptions::ParameterAlreadyDeclaredException("the parameter '" + name +
                                                        "' is declared already");
  }
  descriptor.name = name;
  descriptor.type = type;
  const auto given = ignore_override ? overrides_.end() : overrides_.find(name);
  const Parameter initial(name, given == overrides_.end() ? default_value : given->second);
  if (initial.get_type() == PARAMETER_NOT_SET) {
    table_.declare(name, {ParameterValue(), std::move(descriptor)});
  } else {
    ParameterTable::Draft draft{{name, {ParameterValue(), std::move(descriptor)}}};
    if (const auto refusal = fill(draft, {initial})) {
      if (refusal->cause == Refusal::Cause::type) {
        throw exceptions::InvalidParameterTypeException(name, refusal->reason);
      }
      throw exceptions::InvalidParameterValueException(
          "the parameter '" + name + "' cannot be declared with this value: " + refusal->reason);
    }
    enter(std::move(draft), {initial});
  }
  return table_.at(name).value;
}

void NodeParametersInterface::undeclare_parameter(const std::string& name) {
  Turn turn(*this);
  if (!table_.contains(name)) {
    throw exceptions::ParameterNotDeclaredException("the parameter '" + name +
                                                    "' cannot be undeclared: it is not declared");
  }
  const ParameterDescriptor& descriptor = table_.at(name).descriptor;
  if (descriptor.read_only) {
    throw exceptions::ParameterImmutableException("the parameter '" + name +
                                                  "' cannot be undeclared: it is read-only");
  }
  if (!descriptor.dynamic_typing) {
    throw exceptions::InvalidParameterTypeException(
        name, "only one with dynamic_typing can be undeclared");
  }
  table_.remove(name);
}

// ---- setting ----

std::vector<SetParametersResult> NodeParametersInterface::set_parameters(
    const std::vector<Parameter>& parameters) {
  std::vector<SetParametersResult> results;
  for (const auto& parameter : parameters) {
    results.push_back(set_parameters_atomically({parameter}));
  }
  return results;
}

SetParametersResult NodeParametersInterface::set_parameters_atomically(
    const std::vector<Parameter>& parameters) {
  Turn turn(*this);
  std::vector<Parameter> wanted = parameters;
  pre_set_.call(wanted);
  if (wanted.empty()) {
    return result_of(Refusal{Refusal::Cause::callback,
                             "expected at least one parameter to set, got none; or the callback "
                             "before setting took all of them away"});
  }
  ParameterTable::Draft draft;
  for (const auto& parameter : wanted) {
    const std::string& name = parameter.get_name();
    check_name(name);
    DeclaredParameter& drafted = draft[name] = table_.at(name);
    if (drafted.descriptor.read_only) {
      return result_of(Refusal{Refusal::Cause::read_only,
                               "the parameter '" + name + "' is read-only: it keeps its value"});
    }
    if (!table_.contains(name)) {
      drafted.descriptor.name = name;
      drafted.descriptor.dynamic_typing = true;
    }
  }
  const auto refusal = fill(draft, wanted);
  if (!refusal) enter(std::move(draft), wanted);
  return result_of(refusal);
}

std::optional<Refusal> NodeParametersInterface::fill(
    ParameterTable::Draft& draft, const std::vector<Parameter>& parameters) const {
  for (const auto& parameter : parameters) {
    DeclaredParameter& drafted = draft.at(parameter.get_name());
    if (auto refusal = detail::refusal_of(parameter, drafted.descriptor)) return refusal;
    drafted.value = parameter.get_parameter_value();
    drafted.descriptor.type = parameter.get_type();
  }
  for (const auto& handle : on_set_.youngest_first()) {
    const SetParametersResult answer = handle->callback(parameters);
    if (!answer.successful) return Refusal{Refusal::Cause::callback, answer.reason};
  }
  return std::nullopt;
}

void NodeParametersInterface::enter(ParameterTable::Draft draft,
                                    const std::vector<Parameter>& parameters) {
  auto event = table_.enter(std::move(draft));
  post_set_.call(parameters);
  const bool changed = !event.new_parameters.empty() || !event.changed_parameters.empty() ||
                       !event.deleted_parameters.empty();
  if (events_ && changed) {
    event.node = base_->get_fully_qualified_name();
    event.stamp = clock_->now();
    events_->publish(event);
  }
}

// ---- asking ----

bool NodeParametersInterface::has_parameter(const std::string& name) const {
  std::lock_guard lock(mutex_);
  return table_.contains(name);
}

bool NodeParametersInterface::get_parameter(const std::string& name, Parameter& parameter) const {
  std::lock_guard lock(mutex_);
  if (!table_.contains(name) || !table_.at(name).is_set()) return false;
  parameter = Parameter(name, table_.at(name).value);
  return true;
}

Parameter NodeParametersInterface::get_parameter(const std::string& name) const {
  std::lock_guard lock(mutex_);
  const DeclaredParameter& found = table_.at(name);
  const bool must_be_set = table_.contains(name) && !found.descriptor.dynamic_typing;
  if (must_be_set && !found.is_set()) throw exceptions::ParameterUninitializedException(name);
  return Parameter(name, found.value);
}

std::vector<Parameter> NodeParametersInterface::get_parameters(
    const std::vector<std::string>& names) const {
  return for_each_name(names, [this](const std::string& name) { return get_parameter(name); });
}

bool NodeParametersInterface::get_parameters_by_prefix(
    const std::string& prefix, std::map<std::string, Parameter>& parameters) const {
  std::lock_guard lock(mutex_);
  const auto found = table_.below(prefix);
  for (const auto& [name, parameter] : found) parameters.insert_or_assign(name, parameter);
  return !found.empty();
}

std::vector<ParameterDescriptor> NodeParametersInterface::describe_parameters(
    const std::vector<std::string>& names) const {
  return for_each_name(names, [this](const std::string& name) {
    ParameterDescriptor descriptor = table_.at(name).descriptor;
    descriptor.name = name;
    return descriptor;
  });
}

std::vector<uint8_t> NodeParametersInterface::get_parameter_types(
    const std::vector<std::string>& names) const {
  return for_each_name(names, [this](const std::string& name) -> uint8_t {
    return table_.at(name).value.get_type();
  });
}

rcl_interfaces::msg::ListParametersResult NodeParametersInterface::list_parameters(
    const std::vector<std::string>& prefixes, uint64_t depth) const {
  std::lock_guard lock(mutex_);
  return table_.list(prefixes, depth);
}

// ---- callbacks ----

PreSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback) {
  Turn turn(*this);
  return pre_set_.add(std::move(callback));
}

OnSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_on_set_parameters_callback(
    OnSetParametersCallbackType callback) {
  Turn turn(*this);
  return on_set_.add(std::move(callback));
}

PostSetParametersCallbackHandle::SharedPtr
NodeParametersInterface::add_post_set_parameters_callback(PostSetParametersCallbackType callback) {
  Turn turn(*this);
  return post_set_.add(std::move(callback));
}

void NodeParametersInterface::remove_pre_set_parameters_callback(
    const PreSetParametersCallbackHandle* handle) {
  Turn turn(*this);
  pre_set_.remove(handle);
}

void NodeParametersInterface::remove_on_set_parameters_callback(
    const OnSetParametersCallbackHandle* handle) {
  Turn turn(*this);
  on_set_.remove(handle);
}

void NodeParametersInterface::remove_post_set_parameters_callback(
    const PostSetParametersCallbackHandle* handle) {
  Turn turn(*this);
  post_set_.remove(handle);
}

}  // namespace rclcpp::node_interfaces
