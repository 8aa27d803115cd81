// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::detail {

/// A node's parameters as its user sees them: with C++ types.
class ParameterFacade {
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;

 public:
  using PreSetParametersCallbackHandle = node_interfaces::PreSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackHandle = node_interfaces::OnSetParametersCallbackHandle;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackHandle = node_interfaces::PostSetParametersCallbackHandle;
  using PostSetParametersCallbackType =
      PostSetParametersCallbackHandle::PostSetParametersCallbackType;

  const ParameterValue& declare_parameter(const std::string& name,
                                          const ParameterValue& default_value,
                                          const Descriptor& descriptor = Descriptor(),
                                          bool ignore_override = false) {
    return parameters_->declare_parameter(name, default_value, descriptor, ignore_override);
  }
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type,
                                          const Descriptor& descriptor = Descriptor(),
                                          bool ignore_override = false) {
    return parameters_->declare_parameter(name, type, descriptor, ignore_override);
  }
  template <typename ParameterT>
  auto declare_parameter(const std::string& name, const ParameterT& default_value,
                         const Descriptor& descriptor = Descriptor(),
                         bool ignore_override = false) {
    try {
      return declare_parameter(name, ParameterValue(default_value), descriptor, ignore_override)
          .template get<ParameterT>();
    } catch (const ParameterTypeException& error) {
      throw exceptions::InvalidParameterTypeException(name, error.what());
    }
  }
  /// Without a default: an override must give the value.
  template <typename ParameterT>
  auto declare_parameter(const std::string& name, const Descriptor& descriptor = Descriptor(),
                         bool ignore_override = false) {
    const ParameterType type = ParameterValue(ParameterT{}).get_type();
    try {
      return declare_parameter(name, type, descriptor, ignore_override).template get<ParameterT>();
    } catch (const ParameterTypeException&) {
      throw exceptions::UninitializedStaticallyTypedParameterException(name);
    }
  }
  /// Several at once: "name_space.name" for each name.
  template <typename ParameterT>
  std::vector<ParameterT> declare_parameters(const std::string& name_space,
                                             const std::map<std::string, ParameterT>& parameters,
                                             bool ignore_overrides = false) {
    return declare_each<ParameterT>(
        name_space, parameters, [&](const auto& name, const auto& value) {
          return declare_parameter(name, value, Descriptor(), ignore_overrides);
        });
  }
  template <typename ParameterT>
  std::vector<ParameterT> declare_parameters(
      const std::string& name_space,
      const std::map<std::string, std::pair<ParameterT, Descriptor>>& parameters,
      bool ignore_overrides = false) {
    return declare_each<ParameterT>(
        name_space, parameters, [&](const auto& name, const auto& both) {
          return declare_parameter(name, both.first, both.second, ignore_overrides);
        });
  }
  void undeclare_parameter(const std::string& name) { parameters_->undeclare_parameter(name); }
  bool has_parameter(const std::string& name) const { return parameters_->has_parameter(name); }

  rcl_interfaces::msg::SetParametersResult set_parameter(const Parameter& parameter) {
    return parameters_->set_parameters_atomically({parameter});
  }
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
      const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters(parameters);
  }
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
      const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters_atomically(parameters);
  }

  Parameter get_parameter(const std::string& name) const {
    return parameters_->get_parameter(name);
  }
  bool get_parameter(const std::string& name, Parameter& parameter) const {
    return parameters_->get_parameter(name, parameter);
  }
  template <typename ParameterT>
  bool get_parameter(const std::string& name, ParameterT& value) const {
    Parameter parameter(name);
    const bool found = parameters_->get_parameter(name, parameter);
    if (found) {
      value = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return found;
  }
  template <typename ParameterT>
  bool get_parameter_or(const std::string& name, ParameterT& value,
                        const ParameterT& alternative) const {
    const bool found = get_parameter(name, value);
    if (!found) {
      value = alternative;
    }
    return found;
  }
  template <typename ParameterT>
  ParameterT get_parameter_or(const std::string& name, const ParameterT& alternative) const {
    ParameterT value;
    get_parameter_or(name, value, alternative);
    return value;
  }
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const {
    return parameters_->get_parameters(names);
  }
  /// All "prefix.name", under their names without the prefix.
  template <typename ParameterT>
  bool get_parameters(const std::string& prefix, std::map<std::string, ParameterT>& values) const {
    std::map<std::string, Parameter> parameters;
    const bool found = parameters_->get_parameters_by_prefix(prefix, parameters);
    for (const auto& [name, parameter] : parameters) {
      values[name] = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return found;
  }
  Descriptor describe_parameter(const std::string& name) const {
    return parameters_->describe_parameters({name}).at(0);
  }
  std::vector<Descriptor> describe_parameters(const std::vector<std::string>& names) const {
    return parameters_->describe_parameters(names);
  }
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string>& names) const {
    return parameters_->get_parameter_types(names);
  }
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, uint64_t depth) const {
    return parameters_->list_parameters(prefixes, depth);
  }

  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackType callback) {
    return parameters_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackType callback) {
    return parameters_->add_on_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackType callback) {
    return parameters_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* handle) {
    parameters_->remove_pre_set_parameters_callback(handle);
  }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* handle) {
    parameters_->remove_on_set_parameters_callback(handle);
  }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* handle) {
    parameters_->remove_post_set_parameters_callback(handle);
  }

 protected:
  ParameterFacade() = default;
  ~ParameterFacade() = default;

  node_interfaces::NodeParametersInterface::SharedPtr
      parameters_;  ///< set by the node it is part of

 private:
  template <typename ParameterT, typename MapT, typename DeclareT>
  static std::vector<ParameterT> declare_each(const std::string& name_space, const MapT& parameters,
                                              const DeclareT& declare) {
    const std::string prefix = name_space.empty() ? "" : name_space + ".";
    std::vector<ParameterT> values;
    for (const auto& [name, given] : parameters) {
      values.push_back(static_cast<ParameterT>(declare(prefix + name, given)));
    }
    return values;
  }
};

}  // namespace rclcpp::detail
