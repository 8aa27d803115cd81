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

namespace {

/// The services of one node, each at <node>/<name>.
class Services {
 public:
  Services(NodeBaseInterface& base, std::vector<ServiceBase::SharedPtr>& made)
      : base_(base), made_(made) {}

  /// fill(request, response); where it throws, the response goes out as far as it got: empty.
  template <typename ServiceT, typename FillT>
  void add(const std::string& name, FillT fill) {
    const std::string full_name = std::string(base_.get_name()) + "/" + name;
    const auto answer = [full_name, fill](auto, auto,
                                          std::shared_ptr<typename ServiceT::Request> request) {
      auto response = std::make_shared<typename ServiceT::Response>();
      try {
        fill(*request, *response);
      } catch (const std::exception& error) {
        // The types of the answers have no place for a reason.
        RCLCPP_DEBUG(get_logger("rclcpp"), "%s: %s", full_name.c_str(), error.what());
      }
      return response;
    };
    auto service = std::make_shared<Service<ServiceT>>(base_.get_shared_rcl_node_handle(),
                                                       full_name, answer, ParametersQoS());
    base_.add(service, nullptr);
    made_.push_back(std::move(service));
  }

 private:
  NodeBaseInterface& base_;
  std::vector<ServiceBase::SharedPtr>& made_;
};

// Sets all of them or none. What throws in the node that owns the parameters (one that is not
// declared, one without a name, a type that there is not) is an answer for somebody else.
template <typename MessagesT>
rcl_interfaces::msg::SetParametersResult set_all(NodeParametersInterface& node,
                                                 const MessagesT& messages) {
  try {
    std::vector<Parameter> parameters;
    for (const auto& message : messages) {
      parameters.push_back(Parameter::from_parameter_msg(message));
    }
    return node.set_parameters_atomically(parameters);
  } catch (const std::exception& error) {
    rcl_interfaces::msg::SetParametersResult refused;
    refused.successful = false;
    refused.reason = error.what();
    return refused;
  }
}

}  // namespace

void NodeParametersInterface::create_services() {
  Services services(*base_, services_);
  services.add<srv::GetParameters>("get_parameters", [this](const auto& request, auto& response) {
    for (const auto& parameter : get_parameters(request.names)) {
      response.values.push_back(parameter.get_value_message());
    }
  });
  services.add<srv::GetParameterTypes>("get_parameter_types",
                                       [this](const auto& request, auto& response) {
                                         response.types = get_parameter_types(request.names);
                                       });
  services.add<srv::SetParameters>("set_parameters", [this](const auto& request, auto& response) {
    for (const auto& message : request.parameters) {
      response.results.push_back(set_all(*this, std::vector{message}));
    }
  });
  services.add<srv::SetParametersAtomically>("set_parameters_atomically",
                                             [this](const auto& request, auto& response) {
                                               response.result = set_all(*this, request.parameters);
                                             });
  services.add<srv::DescribeParameters>("describe_parameters",
                                        [this](const auto& request, auto& response) {
                                          response.descriptors = describe_parameters(request.names);
                                        });
  services.add<srv::ListParameters>("list_parameters", [this](const auto& request, auto& response) {
    response.result = list_parameters(request.prefixes, request.depth);
  });
}

}  // namespace rclcpp::node_interfaces
