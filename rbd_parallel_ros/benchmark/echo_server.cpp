// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <rbd_parallel_msgs/srv/bias_forces.hpp>
#include <rbd_parallel_msgs/srv/forward_dynamics.hpp>
#include <rbd_parallel_msgs/srv/inverse_dynamics.hpp>
#include <rbd_parallel_msgs/srv/mass_matrix.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

/// The services of the dynamics node without dynamics: responses of the same types and sizes,
/// filled with numbers of the request. Executor and quality of service are the node's, so that the
/// difference between the two is what the node does with a request.
namespace {

using rbd_parallel_msgs::srv::BiasForces;
using rbd_parallel_msgs::srv::ForwardDynamics;
using rbd_parallel_msgs::srv::InverseDynamics;
using rbd_parallel_msgs::srv::MassMatrix;

/// What every response starts with, and a status for each state.
template <class Request, class Response>
void echo_frame(const Request& in, Response& out) {
  out.joint_names = in.joint_names;
  out.batch_size = in.batch_size;
  out.status.resize(in.batch_size);
}

void echo(const InverseDynamics::Request& in, InverseDynamics::Response& out) {
  echo_frame(in, out);
  out.effort = in.position;
}

void echo(const BiasForces::Request& in, BiasForces::Response& out) {
  echo_frame(in, out);
  out.effort = in.position;
}

void echo(const ForwardDynamics::Request& in, ForwardDynamics::Response& out) {
  echo_frame(in, out);
  out.acceleration = in.position;
}

/// Each row of a matrix is the position of its state.
void echo(const MassMatrix::Request& in, MassMatrix::Response& out) {
  echo_frame(in, out);
  const std::size_t rows = in.joint_names.size();
  out.rows = static_cast<std::uint32_t>(rows);
  out.mass_matrix.resize(in.position.size() * rows);
  for (std::size_t i = 0; i < in.batch_size * rows; ++i) {
    std::copy_n(in.position.begin() + static_cast<std::ptrdiff_t>(i / rows * rows), rows,
                out.mass_matrix.begin() + static_cast<std::ptrdiff_t>(i * rows));
  }
}

class EchoServer : public rclcpp::Node {
 public:
  EchoServer() : Node("echo") {
    serve<InverseDynamics>("~/inverse_dynamics");
    serve<BiasForces>("~/bias_forces");
    serve<MassMatrix>("~/mass_matrix");
    serve<ForwardDynamics>("~/forward_dynamics");
  }

 private:
  template <class Service>
  void serve(const std::string& name) {
    services_.push_back(create_service<Service>(
        name,
        [](const std::shared_ptr<typename Service::Request> request,
           std::shared_ptr<typename Service::Response> response) { echo(*request, *response); },
        rclcpp::ServicesQoS().keep_last(100)));
  }

  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};

}  // namespace

int main(int argc, char** argv) try {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<EchoServer>());
  rclcpp::shutdown();
} catch (const std::exception& error) {
  RCLCPP_FATAL(rclcpp::get_logger("echo_server"), "%s", error.what());
  return 1;
}
