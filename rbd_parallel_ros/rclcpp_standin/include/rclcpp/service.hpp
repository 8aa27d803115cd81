// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/service.h>

#include <functional>
#include <memory>
#include <rosidl_runtime_cpp/traits.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

/// What services of all types have in common.
class ServiceBase : public detail::Entity, public std::enable_shared_from_this<ServiceBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ServiceBase)

  ServiceBase(detail::NodeHandle node, const std::string& service,
              const rosidl_service_type_support_t& type_support, const QoS& qos);
  /// Serves through an rcl service that somebody else owns and keeps alive.
  ServiceBase(detail::NodeHandle node, std::shared_ptr<rcl_service_t> service);

  const char* get_service_name() const { return rcl_service_get_service_name(service_.get()); }
  std::shared_ptr<rcl_service_t> get_service_handle() { return service_; }

  bool take_type_erased_request(void* request, rmw_request_id_t& id);

  Kind kind() const override { return Kind::Service; }
  size_t add_to(rcl_wait_set_t& wait_set) const override;
  bool is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const override;

 protected:
  void send_type_erased_response(rmw_request_id_t& id, void* response);

 private:
  detail::NodeHandle node_;
  std::shared_ptr<rcl_service_t> service_;
};

template <typename ServiceT>
class Service : public ServiceBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Service<ServiceT>)

  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using RequestId = std::shared_ptr<rmw_request_id_t>;
  /// Returns the response to be sent, or none: then the callback answers later, with send_response.
  using Callback = std::function<std::shared_ptr<Response>(std::shared_ptr<Service>, RequestId,
                                                           std::shared_ptr<Request>)>;

  Service(detail::NodeHandle node, const std::string& service, Callback callback, const QoS& qos)
      : ServiceBase(std::move(node), service,
                    *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), qos),
        callback_(std::move(callback)) {
    static_assert(rosidl_generator_traits::is_service<ServiceT>::value, "not a service type");
  }
  Service(detail::NodeHandle node, std::shared_ptr<rcl_service_t> service, Callback callback)
      : ServiceBase(std::move(node), std::move(service)), callback_(std::move(callback)) {}

  bool take_request(Request& request, rmw_request_id_t& id) {
    return take_type_erased_request(&request, id);
  }
  void send_response(rmw_request_id_t& id, Response& response) {
    send_type_erased_response(id, &response);
  }

  void execute() override {
    auto request = std::make_shared<Request>();
    auto id = std::make_shared<rmw_request_id_t>();
    // Another thread may have taken it in the meantime.
    if (!take_request(*request, *id)) {
      return;
    }
    auto self = std::static_pointer_cast<Service>(this->shared_from_this());
    if (auto response = callback_(std::move(self), id, std::move(request))) {
      send_response(*id, *response);
    }
  }

 private:
  Callback callback_;
};

namespace detail {

/// Brings any of the signatures that a callback may have to one.
template <typename ServiceT, typename CallbackT>
typename Service<ServiceT>::Callback adapt_service_callback(CallbackT callback) {
  using Request = std::shared_ptr<typename ServiceT::Request>;
  using Response = std::shared_ptr<typename ServiceT::Response>;
  using RequestId = std::shared_ptr<rmw_request_id_t>;
  using Self = std::shared_ptr<Service<ServiceT>>;
  if constexpr (std::is_invocable_v<CallbackT&, Request, Response>) {
    return [callback](Self, RequestId, Request request) mutable {
      auto response = std::make_shared<typename ServiceT::Response>();
      callback(std::move(request), response);
      return response;
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, RequestId, Request, Response>) {
    return [callback](Self, RequestId id, Request request) mutable {
      auto response = std::make_shared<typename ServiceT::Response>();
      callback(std::move(id), std::move(request), response);
      return response;
    };
  } else if constexpr (std::is_invocable_v<CallbackT&, RequestId, Request>) {
    return [callback](Self, RequestId id, Request request) mutable {
      callback(std::move(id), std::move(request));
      return Response();
    };
  } else {
    static_assert(std::is_invocable_v<CallbackT&, Self, RequestId, Request>,
                  "the stand-in knows no such signature of a service's callback");
    return [callback](Self self, RequestId id, Request request) mutable {
      callback(std::move(self), std::move(id), std::move(request));
      return Response();
    };
  }
}

}  // namespace detail
}  // namespace rclcpp
