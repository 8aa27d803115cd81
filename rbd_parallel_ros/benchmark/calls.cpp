// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <rbd_parallel_msgs/srv/bias_forces.hpp>
#include <rbd_parallel_msgs/srv/forward_dynamics.hpp>
#include <rbd_parallel_msgs/srv/get_model_info.hpp>
#include <rbd_parallel_msgs/srv/inverse_dynamics.hpp>
#include <rbd_parallel_msgs/srv/mass_matrix.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

namespace rbd_parallel_bench {
namespace {

using namespace std::chrono_literals;
using rbd_parallel_msgs::srv::BiasForces;
using rbd_parallel_msgs::srv::ForwardDynamics;
using rbd_parallel_msgs::srv::GetModelInfo;
using rbd_parallel_msgs::srv::InverseDynamics;
using rbd_parallel_msgs::srv::MassMatrix;
using Clock = std::chrono::steady_clock;
using Executor = rclcpp::executors::SingleThreadedExecutor;

constexpr auto patience = 20s;

// Requests: random states, every array of them filled.

std::vector<double> random_numbers(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(size);
  for (double& x : numbers) x = uniform(random);
  return numbers;
}

void fill(InverseDynamics::Request& request, std::size_t size) {
  request.velocity = random_numbers(size, 2);
  request.acceleration = random_numbers(size, 3);
}
void fill(BiasForces::Request& request, std::size_t size) {
  request.velocity = random_numbers(size, 2);
}
void fill(MassMatrix::Request&, std::size_t) {}
void fill(ForwardDynamics::Request& request, std::size_t size) {
  request.velocity = random_numbers(size, 2);
  request.effort = random_numbers(size, 3);
}

template <class Service>
std::shared_ptr<typename Service::Request> request_for(const std::vector<std::string>& joints,
                                                       std::size_t states) {
  auto request = std::make_shared<typename Service::Request>();
  const std::size_t size = states * joints.size();
  request->joint_names = joints;
  request->batch_size = static_cast<std::uint32_t>(states);
  request->position = random_numbers(size, 1);
  fill(*request, size);
  return request;
}

// Responses

std::size_t numbers_in(const InverseDynamics::Response& response) { return response.effort.size(); }
std::size_t numbers_in(const BiasForces::Response& response) { return response.effort.size(); }
std::size_t numbers_in(const MassMatrix::Response& response) { return response.mass_matrix.size(); }
std::size_t numbers_in(const ForwardDynamics::Response& response) {
  return response.acceleration.size();
}

/// A comparison of responses of different sizes would mean nothing.
template <class Response>
void require_same_size(const Response& node, const Response& echo) {
  if (node.joint_names == echo.joint_names && node.batch_size == echo.batch_size &&
      numbers_in(node) == numbers_in(echo) && node.status.size() == echo.status.size() &&
      node.status_joint.size() == echo.status_joint.size()) {
    return;
  }
  throw std::runtime_error("the node answers with " + std::to_string(numbers_in(node)) +
                           " numbers for " + std::to_string(node.batch_size) +
                           " states, the echo with " + std::to_string(numbers_in(echo)) +
                           " numbers for " + std::to_string(echo.batch_size) +
                           "; expected responses of one size");
}

// Calls

template <class Service>
class Caller {
 public:
  using Request = typename Service::Request;
  using Response = typename Service::Response;

  Caller(rclcpp::Node& node, std::shared_ptr<Executor> executor, const std::string& service)
      : executor_(std::move(executor)), client_(node.create_client<Service>(service)) {}

  /// The response, null if there is none in time.
  std::shared_ptr<Response> try_call(const std::shared_ptr<Request>& request,
                                     std::chrono::milliseconds timeout) {
    auto future = client_->async_send_request(request);
    if (executor_->spin_until_future_complete(future, timeout) !=
        rclcpp::FutureReturnCode::SUCCESS) {
      client_->remove_pending_request(future);
      return nullptr;
    }
    return future.get();
  }

  /// The response of a server that may have to start first, and that may not know this client yet.
  std::shared_ptr<Response> first_call(const std::shared_ptr<Request>& request) {
    const auto end = Clock::now() + patience;
    std::string reason = "no answer";
    while (rclcpp::ok() && Clock::now() < end) {
      const auto response = client_->wait_for_service(1s) ? try_call(request, 1s) : nullptr;
      if (response && response->error_code == Response::OK) return response;
      if (response) reason = response->error_msg;
      std::this_thread::sleep_for(10ms);
    }
    throw std::runtime_error(std::string(client_->get_service_name()) + " does not serve within " +
                             std::to_string(patience.count()) + " s: " + reason);
  }

  double round_trip(const std::shared_ptr<Request>& request) {
    const auto begin = Clock::now();
    const auto response = try_call(request, patience);
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    if (!response || response->error_code != Response::OK) {
      throw std::runtime_error(std::string(client_->get_service_name()) + ": " +
                               (response ? response->error_msg : "a response was lost"));
    }
    return elapsed.count();
  }

 private:
  std::shared_ptr<Executor> executor_;
  typename rclcpp::Client<Service>::SharedPtr client_;
};

struct Connection {
  rclcpp::Node::SharedPtr node;
  std::shared_ptr<Executor> executor;
  std::vector<std::string> joints;    ///< of the robot
  std::vector<std::string> services;  ///< that are wanted; none: all
};

template <class Service>
void add_questions(const Connection& connection, const std::string& service,
                   const std::vector<std::size_t>& batches, std::vector<Question>& out) {
  using C = Caller<Service>;
  const auto& wanted = connection.services;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), service) == wanted.end()) return;
  const auto caller = [&](const std::string& server) {
    return std::make_shared<C>(*connection.node, connection.executor, server + "/" + service);
  };
  const auto node = caller("/dynamics"), echo = caller("/echo");
  for (const std::size_t states : batches) {
    const auto request = request_for<Service>(connection.joints, states);
    require_same_size(*node->first_call(request), *echo->first_call(request));
    out.push_back({service,
                   states,
                   {.node = [node, request] { return node->round_trip(request); },
                    .echo = [echo, request] { return echo->round_trip(request); }}});
  }
}

}  // namespace

std::vector<Question> questions(const rclcpp::Node::SharedPtr& node, std::size_t batch,
                                const std::vector<std::string>& services) {
  Connection connection{node, std::make_shared<Executor>(), {}, services};
  connection.executor->add_node(node);
  Caller<GetModelInfo> info(*node, connection.executor, "/dynamics/get_model_info");
  const auto answer = info.first_call(std::make_shared<GetModelInfo::Request>());
  connection.joints = answer->model_info.joint_names;
  std::vector<Question> out;
  add_questions<InverseDynamics>(connection, "inverse_dynamics", {1, batch}, out);
  add_questions<MassMatrix>(connection, "mass_matrix", {1, batch}, out);
  add_questions<BiasForces>(connection, "bias_forces", {1, batch}, out);
  add_questions<ForwardDynamics>(connection, "forward_dynamics", {1, batch}, out);
  return out;
}

}  // namespace rbd_parallel_bench
