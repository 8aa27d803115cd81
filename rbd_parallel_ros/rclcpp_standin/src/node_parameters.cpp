// SPDX-License-Identifier: Apache-2.0
#include <rcl/arguments.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rclcpp/detail/arguments.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces {

using rcl_interfaces::msg::ParameterDescriptor;
using rcl_interfaces::msg::SetParametersResult;

namespace {

SetParametersResult success() {
  SetParametersResult result;
  result.successful = true;
  return result;
}

SetParametersResult failure(const std::string& reason) {
  SetParametersResult result;
  result.successful = false;
  result.reason = reason;
  return result;
}

// The number of steps of a range up to a value must be whole; the last value always counts.
// Rounding is forgiven, so that a step such as 0.1 can be used.
bool same_but_for_rounding(double a, double b) {
  const double scale = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <= 200 * std::numeric_limits<double>::epsilon() * scale;
}

bool in_range(const rcl_interfaces::msg::IntegerRange& range, int64_t value) {
  const bool inside = range.from_value <= value && value <= range.to_value;
  const bool any_step = range.step == 0 || value == range.to_value;
  // Unsigned, since the difference of two int64 may not fit into one.
  const auto distance = static_cast<uint64_t>(value) - static_cast<uint64_t>(range.from_value);
  return inside && (any_step || distance % range.step == 0);
}

bool in_range(const rcl_interfaces::msg::FloatingPointRange& range, double value) {
  if (same_but_for_rounding(value, range.to_value)) return true;
  const bool inside = value <= range.to_value &&
                      (range.from_value <= value || same_but_for_rounding(value, range.from_value));
  if (!inside || range.step == 0.0) return inside;
  const double steps = std::round((value - range.from_value) / range.step);
  return same_but_for_rounding(value, range.from_value + steps * range.step);
}

constexpr char kOtherType[] = "expected a value of type ";

SetParametersResult check_value(const ParameterDescriptor& descriptor, const Parameter& parameter) {
  const auto type = static_cast<ParameterType>(descriptor.type);
  if (!descriptor.dynamic_typing && type != parameter.get_type()) {
    return failure(kOtherType + to_string(type) + " for the parameter '" + parameter.get_name() +
                   "', got one of type " + parameter.get_type_name());
  }
  if (parameter.get_type() == PARAMETER_INTEGER && !descriptor.integer_range.empty() &&
      !in_range(descriptor.integer_range[0], parameter.as_int())) {
    return failure("the value of '" + parameter.get_name() + "' is outside of its integer range");
  }
  if (parameter.get_type() == PARAMETER_DOUBLE && !descriptor.floating_point_range.empty() &&
      !in_range(descriptor.floating_point_range[0], parameter.as_double())) {
    return failure("the value of '" + parameter.get_name() +
                   "' is outside of its floating point range");
  }
  return success();
}

// Calls those callbacks whose handles are still held, and forgets the others.
template <typename ListT, typename CallT>
void for_each_callback(ListT& callbacks, CallT call) {
  for (auto weak = callbacks.begin(); weak != callbacks.end();) {
    if (auto handle = weak->lock()) {
      if (!call(*handle)) {
        return;
      }
      ++weak;
    } else {
      weak = callbacks.erase(weak);
    }
  }
}

template <typename HandleT, typename ListT, typename CallbackT>
std::shared_ptr<HandleT> add_callback(ListT& callbacks, CallbackT callback) {
  auto handle = std::make_shared<HandleT>();
  handle->callback = std::move(callback);
  callbacks.push_front(handle);  // the last one added is asked first
  return handle;
}

template <typename ListT, typename HandleT>
void remove_callback(ListT& callbacks, const HandleT* handle) {
  const auto found = std::find_if(callbacks.begin(), callbacks.end(), [handle](const auto& weak) {
    return weak.lock().get() == handle;
  });
  if (found == callbacks.end()) {
    throw std::runtime_error("Callback doesn't exist");
  }
  callbacks.erase(found);
}

}  // namespace

class NodeParametersInterface::ChangeGuard {
 public:
  explicit ChangeGuard(bool& changing) : changing_(changing) {
    if (changing_) {
      throw exceptions::ParameterModifiedInCallbackException(
          "a callback on parameters may not itself set or declare parameters or change callbacks");
    }
    changing_ = true;
  }
  ChangeGuard(const ChangeGuard&) = delete;
  ChangeGuard& operator=(const ChangeGuard&) = delete;
  ~ChangeGuard() { changing_ = false; }

 private:
  bool& changing_;
};

NodeParametersInterface::NodeParametersInterface(NodeBaseInterface::SharedPtr base,
                                                 Clock::SharedPtr clock, const NodeOptions& options)
    : base_(std::move(base)),
      clock_(std::move(clock)),
      allow_undeclared_(options.allow_undeclared_parameters()) {
  const rcl_node_options_t* rcl_options = rcl_node_get_options(base_->get_rcl_node_handle());
  if (!rcl_options) {
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "the node's options cannot be read");
  }
  // Arguments of the process, then those of the node, then what its code says: the last one wins.
  const std::string name = base_->get_fully_qualified_name();
  if (rcl_options->use_global_arguments) {
    detail::add_parameter_overrides(base_->get_context()->get_rcl_context()->global_arguments, name,
                                    overrides_);
  }
  detail::add_parameter_overrides(rcl_options->arguments, name, overrides_);
  for (const auto& parameter : options.parameter_overrides()) {
    overrides_[parameter.get_name()] = parameter.get_parameter_value();
  }
  if (options.start_parameter_event_publisher()) {
    events_ = std::make_shared<Publisher<rcl_interfaces::msg::ParameterEvent>>(
        base_->get_shared_rcl_node_handle(), "/parameter_events", options.parameter_event_qos());
  }
  if (options.automatically_declare_parameters_from_overrides()) {
    ParameterDescriptor descriptor;
    descriptor.dynamic_typing = true;
    for (const auto& [parameter, value] : overrides_) {
      if (!has_parameter(parameter)) {
        declare_parameter(parameter, value, descriptor, true);
      }
    }
  }
  if (options.start_parameter_services()) {
    create_services();
  }
}

void NodeParametersInterface::publish(rcl_interfaces::msg::ParameterEvent& event) {
  if (!events_) {
    return;
  }
  event.node = base_->get_fully_qualified_name();
  event.stamp = clock_->now();
  events_->publish(event);
}

NodeParametersInterface::Result NodeParametersInterface::set_common(
    const std::vector<Parameter>& parameters, Parameters& staged) {
  for (const auto& parameter : parameters) {
    Result result = check_value(staged.at(parameter.get_name()).descriptor, parameter);
    if (!result.successful) {
      return result;
    }
  }
  Result result = success();
  for_each_callback(on_set_callbacks_, [&](auto& handle) {
    result = handle.callback(parameters);
    return result.successful;
  });
  if (!result.successful) {
    return result;
  }
  for (const auto& parameter : parameters) {
    Declared& declared = staged.at(parameter.get_name());
    declared.value = parameter.get_parameter_value();
    declared.descriptor.name = parameter.get_name();
    declared.descriptor.type = parameter.get_type();
  }
  return result;
}

const ParameterValue& NodeParametersInterface::declare(const std::string& name, ParameterType type,
                                                       const ParameterValue& default_value,
                                                       ParameterDescriptor descriptor,
                                                       bool ignore_override) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  if (name.empty()) {
    throw exceptions::InvalidParametersException("a parameter needs a name");
  }
  if (parameters_.count(name) != 0) {
    throw exceptions::ParameterAlreadyDeclaredException("parameter '" + name +
                                                        "' is declared already");
  }
  descriptor.name = name;
  if (descriptor.dynamic_typing) {
    descriptor.type = PARAMETER_NOT_SET;
  } else {
    if (type == PARAMETER_NOT_SET) {
      type = default_value.get_type();
    }
    if (type == PARAMETER_NOT_SET) {
      throw exceptions::InvalidParameterTypeException(
          name, "it has a fixed type but no value: give a default or an override");
    }
    descriptor.type = type;
  }
  const auto overridden = overrides_.find(name);
  const bool use_override = !ignore_override && overridden != overrides_.end();
  const ParameterValue& initial = use_override ? overridden->second : default_value;
  Parameters staged{{name, {ParameterValue(), descriptor}}};
  rcl_interfaces::msg::ParameterEvent event;
  std::vector<Parameter> parameters;
  if (initial.get_type() != PARAMETER_NOT_SET) {
    parameters.emplace_back(name, initial);
    const Result result = set_common(parameters, staged);
    if (!result.successful) {
      if (result.reason.starts_with(kOtherType)) {
        throw exceptions::InvalidParameterTypeException(name, result.reason);
      }
      throw exceptions::InvalidParameterValueException("parameter '" + name +
                                                       "' could not be set: " + result.reason);
    }
    event.new_parameters.push_back(parameters[0].to_parameter_msg());
  }
  Declared& declared = parameters_[name] = staged.at(name);
  if (!parameters.empty()) {
    for_each_callback(post_set_callbacks_, [&](auto& handle) {
      handle.callback(parameters);
      return true;
    });
    publish(event);
  }
  return declared.value;
}

const ParameterValue& NodeParametersInterface::declare_parameter(
    const std::string& name, const ParameterValue& default_value,
    const ParameterDescriptor& descriptor, bool ignore_override) {
  return declare(name, PARAMETER_NOT_SET, default_value, descriptor, ignore_override);
}

const ParameterValue& NodeParametersInterface::declare_parameter(
    const std::string& name, ParameterType type, const ParameterDescriptor& descriptor,
    bool ignore_override) {
  if (type == PARAMETER_NOT_SET) {
    throw std::invalid_argument("declare_parameter: PARAMETER_NOT_SET is no type to declare");
  }
  if (descriptor.dynamic_typing) {
    throw std::invalid_argument(
        "declare_parameter: a parameter of a given type cannot have a descriptor with "
        "dynamic_typing");
  }
  return declare(name, type, ParameterValue(), descriptor, ignore_override);
}

void NodeParametersInterface::undeclare_parameter(const std::string& name) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    throw exceptions::ParameterNotDeclaredException("cannot undeclare parameter '" + name +
                                                    "', which is not declared");
  }
  if (found->second.descriptor.read_only) {
    throw exceptions::ParameterImmutableException("cannot undeclare parameter '" + name +
                                                  "', which is read-only");
  }
  if (!found->second.descriptor.dynamic_typing) {
    throw exceptions::InvalidParameterTypeException(name,
                                                    "a parameter of fixed type stays declared");
  }
  parameters_.erase(found);
}

bool NodeParametersInterface::has_parameter(const std::string& name) const {
  std::lock_guard lock(mutex_);
  return parameters_.count(name) != 0;
}

std::vector<SetParametersResult> NodeParametersInterface::set_parameters(
    const std::vector<Parameter>& parameters) {
  std::vector<SetParametersResult> results;
  for (const auto& parameter : parameters) {
    results.push_back(set_parameters_atomically({parameter}));
  }
  return results;
}

SetParametersResult NodeParametersInterface::set_parameters_atomically(
    const std::vector<Parameter>& given) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  std::vector<Parameter> parameters = given;
  for_each_callback(pre_set_callbacks_, [&](auto& handle) {
    handle.callback(parameters);
    return true;
  });
  if (parameters.empty()) {
    return failure(
        "no parameters are left to set: none came, or the callback before setting took them away");
  }
  // All changes are made to copies, which replace the originals only if every one of them is
  // accepted.
  Parameters staged;
  for (const auto& parameter : parameters) {
    const std::string& name = parameter.get_name();
    if (name.empty()) {
      throw exceptions::InvalidParametersException("a parameter needs a name");
    }
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) {
      if (!allow_undeclared_) {
        throw exceptions::ParameterNotDeclaredException("parameter '" + name + "' is not declared");
      }
      Declared implicit;
      implicit.descriptor.name = name;
      implicit.descriptor.dynamic_typing = true;
      staged[name] = implicit;
    } else {
      if (found->second.descriptor.read_only) {
        return failure("parameter '" + name + "' is read-only");
      }
      staged[name] = found->second;
    }
  }
  Result result = set_common(parameters, staged);
  if (!result.successful) {
    return result;
  }
  rcl_interfaces::msg::ParameterEvent event;
  for (auto& [name, declared] : staged) {
    const bool is_new = parameters_.count(name) == 0;
    rcl_interfaces::msg::Parameter message = Parameter(name, declared.value).to_parameter_msg();
    if (declared.value.get_type() == PARAMETER_NOT_SET) {
      // Only a dynamically typed one comes here; to unset it is to undeclare it.
      if (!is_new) {
        message.value = parameters_.at(name).value.to_value_msg();
        parameters_.erase(name);
        event.deleted_parameters.push_back(std::move(message));
      }
      continue;
    }
    (is_new ? event.new_parameters : event.changed_parameters).push_back(std::move(message));
    parameters_[name] = std::move(declared);
  }
  for_each_callback(post_set_callbacks_, [&](auto& handle) {
    handle.callback(parameters);
    return true;
  });
  publish(event);
  return result;
}

bool NodeParametersInterface::get_parameter(const std::string& name, Parameter& parameter) const {
  std::lock_guard lock(mutex_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end() || found->second.value.get_type() == PARAMETER_NOT_SET) {
    return false;
  }
  parameter = Parameter(name, found->second.value);
  return true;
}

Parameter NodeParametersInterface::get_parameter(const std::string& name) const {
  std::lock_guard lock(mutex_);
  const auto found = parameters_.find(name);
  if (found != parameters_.end()) {
    if (found->second.value.get_type() != PARAMETER_NOT_SET ||
        found->second.descriptor.dynamic_typing) {
      return Parameter(name, found->second.value);
    }
    throw exceptions::ParameterUninitializedException(name);
  }
  if (allow_undeclared_) {
    return Parameter(name);
  }
  throw exceptions::ParameterNotDeclaredException(name);
}

std::vector<Parameter> NodeParametersInterface::get_parameters(
    const std::vector<std::string>& names) const {
  std::lock_guard lock(mutex_);
  std::vector<Parameter> parameters;
  for (const auto& name : names) {
    parameters.push_back(get_parameter(name));
  }
  return parameters;
}

bool NodeParametersInterface::get_parameters_by_prefix(
    const std::string& prefix, std::map<std::string, Parameter>& parameters) const {
  std::lock_guard lock(mutex_);
  const std::string start = prefix.empty() ? prefix : prefix + ".";
  bool found = false;
  for (const auto& [name, declared] : parameters_) {
    if (name.starts_with(start) && name.size() > start.size()) {
      parameters[name.substr(start.size())] = Parameter(name, declared.value);
      found = true;
    }
  }
  return found;
}

std::vector<ParameterDescriptor> NodeParametersInterface::describe_parameters(
    const std::vector<std::string>& names) const {
  std::lock_guard lock(mutex_);
  std::vector<ParameterDescriptor> descriptors;
  for (const auto& name : names) {
    const auto found = parameters_.find(name);
    if (found != parameters_.end()) {
      descriptors.push_back(found->second.descriptor);
    } else if (allow_undeclared_) {
      descriptors.emplace_back().name = name;
    } else {
      throw exceptions::ParameterNotDeclaredException(name);
    }
  }
  return descriptors;
}

std::vector<uint8_t> NodeParametersInterface::get_parameter_types(
    const std::vector<std::string>& names) const {
  std::lock_guard lock(mutex_);
  std::vector<uint8_t> types;
  for (const auto& name : names) {
    const auto found = parameters_.find(name);
    if (found != parameters_.end()) {
      types.push_back(found->second.value.get_type());
    } else if (allow_undeclared_) {
      types.push_back(PARAMETER_NOT_SET);
    } else {
      throw exceptions::ParameterNotDeclaredException(name);
    }
  }
  return types;
}

rcl_interfaces::msg::ListParametersResult NodeParametersInterface::list_parameters(
    const std::vector<std::string>& prefixes, uint64_t depth) const {
  std::lock_guard lock(mutex_);
  rcl_interfaces::msg::ListParametersResult result;
  // depth: how many dots a name may have, counted behind the prefix; zero is any number.
  const auto shallow = [depth](std::string_view name) {
    return depth == 0 || static_cast<uint64_t>(std::count(name.begin(), name.end(), '.')) < depth;
  };
  for (const auto& [name, declared] : parameters_) {
    const std::string& parameter = name;
    const bool listed =
        (prefixes.empty() && shallow(parameter)) ||
        std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
          return parameter == prefix ||
                 (parameter.starts_with(prefix + ".") &&
                  shallow(std::string_view(parameter).substr(prefix.size() + 1)));
        });
    if (!listed) {
      continue;
    }
    result.names.push_back(parameter);
    const size_t dot = parameter.rfind('.');
    if (dot != std::string::npos) {
      const std::string prefix = parameter.substr(0, dot);
      if (std::find(result.prefixes.begin(), result.prefixes.end(), prefix) ==
          result.prefixes.end()) {
        result.prefixes.push_back(prefix);
      }
    }
  }
  return result;
}

PreSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  return add_callback<PreSetParametersCallbackHandle>(pre_set_callbacks_, std::move(callback));
}

OnSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_on_set_parameters_callback(
    OnSetParametersCallbackType callback) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  return add_callback<OnSetParametersCallbackHandle>(on_set_callbacks_, std::move(callback));
}

PostSetParametersCallbackHandle::SharedPtr
NodeParametersInterface::add_post_set_parameters_callback(PostSetParametersCallbackType callback) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  return add_callback<PostSetParametersCallbackHandle>(post_set_callbacks_, std::move(callback));
}

void NodeParametersInterface::remove_pre_set_parameters_callback(
    const PreSetParametersCallbackHandle* handle) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  remove_callback(pre_set_callbacks_, handle);
}

void NodeParametersInterface::remove_on_set_parameters_callback(
    const OnSetParametersCallbackHandle* handle) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  remove_callback(on_set_callbacks_, handle);
}

void NodeParametersInterface::remove_post_set_parameters_callback(
    const PostSetParametersCallbackHandle* handle) {
  std::lock_guard lock(mutex_);
  ChangeGuard guard(changing_);
  remove_callback(post_set_callbacks_, handle);
}

}  // namespace rclcpp::node_interfaces
