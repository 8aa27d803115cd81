// SPDX-License-Identifier: Apache-2.0
// The six services through which other nodes reach the parameters. A request that cannot be met
// gets an answer that says so, as far as the service's type allows; it never ends the node.
#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces {

namespace srv = rcl_interfaces::srv;

void NodeParametersInterface::create_services() {
  const auto create = [this](auto type, const std::string& name, auto callback) {
    using ServiceT = decltype(type);
    const std::string full_name = std::string(base_->get_name()) + "/" + name;
    auto service = std::make_shared<Service<ServiceT>>(
        base_->get_shared_rcl_node_handle(), full_name,
        [this, full_name, callback](auto, auto,
                                    std::shared_ptr<typename ServiceT::Request> request) {
          auto response = std::make_shared<typename ServiceT::Response>();
          try {
            callback(*request, *response);
          } catch (const exceptions::ParameterNotDeclaredException& error) {
            RCLCPP_DEBUG(get_logger("rclcpp"), "%s: %s", full_name.c_str(), error.what());
          } catch (const exceptions::ParameterUninitializedException& error) {
            RCLCPP_DEBUG(get_logger("rclcpp"), "%s: %s", full_name.c_str(), error.what());
          }
          return response;
        },
        ParametersQoS());
    base_->add(service, nullptr);
    services_.push_back(std::move(service));
  };

  create(srv::GetParameters(), "get_parameters", [this](const auto& request, auto& response) {
    std::lock_guard lock(mutex_);
    for (const auto& parameter : get_parameters(request.names)) {
      response.values.push_back(parameter.get_value_message());
    }
  });

  create(srv::GetParameterTypes(), "get_parameter_types",
         [this](const auto& request, auto& response) {
           response.types = get_parameter_types(request.names);
         });

  create(srv::SetParameters(), "set_parameters", [this](const auto& request, auto& response) {
    for (const auto& message : request.parameters) {
      Result result;
      try {
        result = set_parameters_atomically({Parameter::from_parameter_msg(message)});
      } catch (const std::exception& error) {  // not declared, no name, a type that is none
        result.successful = false;
        result.reason = error.what();
      }
      response.results.push_back(std::move(result));
    }
  });

  create(srv::SetParametersAtomically(), "set_parameters_atomically",
         [this](const auto& request, auto& response) {
           try {
             std::vector<Parameter> parameters;
             for (const auto& message : request.parameters) {
               parameters.push_back(Parameter::from_parameter_msg(message));
             }
             response.result = set_parameters_atomically(parameters);
           } catch (const std::exception& error) {
             response.result.successful = false;
             response.result.reason = "not declared: " + std::string(error.what());
           }
         });

  create(srv::DescribeParameters(), "describe_parameters",
         [this](const auto& request, auto& response) {
           response.descriptors = describe_parameters(request.names);
         });

  create(srv::ListParameters(), "list_parameters", [this](const auto& request, auto& response) {
    response.result = list_parameters(request.prefixes, request.depth);
  });
}

}  // namespace rclcpp::node_interfaces
