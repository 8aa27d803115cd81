// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/node.hpp"

#include <rcl/graph.h>
#include <rcutils/types/string_array.h>

namespace rclcpp::detail {

namespace {

using NamesAndTypes = std::map<std::string, std::vector<std::string>>;

NamesAndTypes take(rcl_names_and_types_t& raw) {
  NamesAndTypes result;
  for (size_t i = 0; i < raw.names.size; ++i) {
    const auto& types = raw.types[i];
    result[raw.names.data[i]] = std::vector<std::string>(types.data, types.data + types.size);
  }
  check(rcl_names_and_types_fini(&raw), "names and types cannot be released");
  return result;
}

}  // namespace

NodeFacade::NodeFacade(const std::string& name, const std::string& name_space,
                       const NodeOptions& options)
    : options_(options),
      base_(std::make_shared<node_interfaces::NodeBaseInterface>(name, name_space, options)),
      logging_(std::make_shared<node_interfaces::NodeLoggingInterface>(
          get_node_logger(base_->get_rcl_node_handle()))),
      clock_(std::make_shared<node_interfaces::NodeClockInterface>(
          std::make_shared<Clock>(options.clock_type()))) {
  parameters_ = std::make_shared<node_interfaces::NodeParametersInterface>(
      base_, clock_->get_clock(), options);
  time_source_ = std::make_unique<TimeSource>(base_, clock_->get_clock(), parameters_,
                                              options.clock_qos(), options.use_clock_thread());
}

std::vector<std::string> NodeFacade::get_node_names() const {
  rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
  rcutils_string_array_t spaces = rcutils_get_zero_initialized_string_array();
  check(rcl_get_node_names(base_->get_rcl_node_handle(), rcl_get_default_allocator(), &names,
                           &spaces),
        "nodes cannot be listed");
  std::vector<std::string> result;
  for (size_t i = 0; i < names.size; ++i) {
    const std::string space = spaces.data[i];
    result.push_back(space + (space == "/" ? "" : "/") + names.data[i]);
  }
  if (rcutils_string_array_fini(&names) != RCUTILS_RET_OK ||
      rcutils_string_array_fini(&spaces) != RCUTILS_RET_OK) {
    rcl_reset_error();
  }
  return result;
}

NamesAndTypes NodeFacade::get_topic_names_and_types() const {
  rcl_names_and_types_t raw = rcl_get_zero_initialized_names_and_types();
  rcl_allocator_t allocator = rcl_get_default_allocator();
  check(rcl_get_topic_names_and_types(base_->get_rcl_node_handle(), &allocator, false, &raw),
        "topics cannot be listed");
  return take(raw);
}

NamesAndTypes NodeFacade::get_service_names_and_types() const {
  rcl_names_and_types_t raw = rcl_get_zero_initialized_names_and_types();
  rcl_allocator_t allocator = rcl_get_default_allocator();
  check(rcl_get_service_names_and_types(base_->get_rcl_node_handle(), &allocator, &raw),
        "services cannot be listed");
  return take(raw);
}

size_t NodeFacade::count_publishers(const std::string& topic_name) const {
  size_t count = 0;
  const std::string topic = base_->resolve_topic_or_service_name(topic_name, false);
  check(rcl_count_publishers(base_->get_rcl_node_handle(), topic.c_str(), &count),
        "publishers cannot be counted");
  return count;
}

size_t NodeFacade::count_subscribers(const std::string& topic_name) const {
  size_t count = 0;
  const std::string topic = base_->resolve_topic_or_service_name(topic_name, false);
  check(rcl_count_subscribers(base_->get_rcl_node_handle(), topic.c_str(), &count),
        "subscriptions cannot be counted");
  return count;
}

}  // namespace rclcpp::detail
