// SPDX-License-Identifier: Apache-2.0
#include <rcl/graph.h>

#include <algorithm>

#include "rclcpp/client.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp {

namespace {

std::shared_ptr<rcl_service_t> create_service(const detail::NodeHandle& node,
                                              const std::string& name,
                                              const rosidl_service_type_support_t& type_support,
                                              const QoS& qos) {
  using Owner = detail::NodeOwned<rcl_service_t, rcl_service_fini>;
  auto owner = std::make_shared<Owner>(node, rcl_get_zero_initialized_service());
  rcl_service_options_t options = rcl_service_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  detail::check_service(
      rcl_service_init(owner->get(), node.get(), &type_support, name.c_str(), &options), name,
      "no service '" + name + "'");
  return std::shared_ptr<rcl_service_t>(owner, owner->get());
}

}  // namespace

ServiceBase::ServiceBase(detail::NodeHandle node, const std::string& service,
                         const rosidl_service_type_support_t& type_support, const QoS& qos)
    : node_(std::move(node)), service_(create_service(node_, service, type_support, qos)) {}

ServiceBase::ServiceBase(detail::NodeHandle node, std::shared_ptr<rcl_service_t> service)
    : node_(std::move(node)), service_(std::move(service)) {}

bool ServiceBase::take_type_erased_request(void* request, rmw_request_id_t& id) {
  return detail::taken(rcl_take_request(service_.get(), &id, request), RCL_RET_SERVICE_TAKE_FAILED,
                       "a request");
}

void ServiceBase::send_type_erased_response(rmw_request_id_t& id, void* response) {
  const rcl_ret_t ret = rcl_send_response(service_.get(), &id, response);
  if (ret == RCL_RET_TIMEOUT) {
    // The client has gone, or its reader is not known yet: no reason to end this node.
    RCLCPP_WARN(get_node_logger(node_.get()), "the response on %s was not taken in time: %s",
                get_service_name(), rcl_get_error_string().str);
    rcl_reset_error();
    return;
  }
  detail::check(ret, "the response cannot be sent");
}

size_t ServiceBase::add_to(rcl_wait_set_t& wait_set) const {
  return detail::place_in(wait_set, service_.get(), rcl_wait_set_add_service);
}

bool ServiceBase::is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const {
  return wait_set.services[place] == service_.get();
}

ClientBase::ClientBase(detail::NodeHandle node, Context::SharedPtr context,
                       const std::string& service,
                       const rosidl_service_type_support_t& type_support, const QoS& qos)
    : context_(std::move(context)), client_(std::move(node), rcl_get_zero_initialized_client()) {
  rcl_client_options_t options = rcl_client_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  detail::check_service(rcl_client_init(client_.get(), client_.node().get(), &type_support,
                                        service.c_str(), &options),
                        service, "no client of the service '" + service + "'");
}

bool ClientBase::service_is_ready() const {
  bool ready = false;
  const rcl_ret_t ret =
      rcl_service_server_is_available(client_.node().get(), client_.get(), &ready);
  if (ret == RCL_RET_NODE_INVALID && !context_->is_valid()) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "whether the service is there cannot be told");
  return ready;
}

bool ClientBase::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout) {
  // Looks again at short intervals; rclcpp has a thread that listens to changes of the graph
  // instead.
  constexpr auto kInterval = std::chrono::nanoseconds(std::chrono::milliseconds(5));
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (!service_is_ready()) {
    auto left = kInterval;
    if (timeout >= std::chrono::nanoseconds::zero()) {
      left = std::min<std::chrono::nanoseconds>(kInterval, timeout - (Clock::now() - start));
      if (left <= std::chrono::nanoseconds::zero()) {
        return false;
      }
    }
    if (!context_->sleep_for(left)) {
      return false;
    }
  }
  return true;
}

int64_t ClientBase::send_request(const void* request) {
  int64_t number = 0;
  detail::check(rcl_send_request(client_.get(), request, &number), "the request cannot be sent");
  return number;
}

bool ClientBase::take_response(void* response, rmw_request_id_t& id) {
  return detail::taken(rcl_take_response(client_.get(), &id, response), RCL_RET_CLIENT_TAKE_FAILED,
                       "a response");
}

size_t ClientBase::add_to(rcl_wait_set_t& wait_set) const {
  return detail::place_in(wait_set, client_.get(), rcl_wait_set_add_client);
}

bool ClientBase::is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const {
  return wait_set.clients[place] == client_.get();
}

}  // namespace rclcpp
