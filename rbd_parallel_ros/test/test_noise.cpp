// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "answer_always.hpp"
#include "consistent_answer.hpp"
#include "robots.hpp"

/// Law: whatever arrives, there is an answer, and it is consistent.
namespace rbd_parallel_ros::testing {
namespace {

class Noise {
 public:
  explicit Noise(unsigned seed) : generator_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(generator_);
  }
  bool rarely() { return below(8) == 0; }

  double number() {
    switch (below(12)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return -std::numeric_limits<double>::infinity();
      case 2:
        return std::numeric_limits<double>::max();
      default:
        return std::uniform_real_distribution<double>(-4, 4)(generator_);
    }
  }
  /// Mostly as many as are right.
  std::vector<double> numbers(std::size_t right) {
    std::vector<double> out(rarely() ? below(50) : rarely() ? 0 : right);
    for (double& x : out) x = number();
    return out;
  }
  template <class Array>
  void resize(Array& array, std::size_t right) {
    array.resize(rarely() ? below(10) : rarely() ? 0 : right);
  }
  std::vector<std::string> names(std::vector<std::string> from) {
    std::shuffle(from.begin(), from.end(), generator_);
    if (rarely()) from.resize(below(from.size() + 1));
    if (rarely() && !from.empty()) from.push_back(from.front());
    if (rarely()) from.push_back(std::string(below(300), 'x'));
    return rarely() ? std::vector<std::string>{} : from;
  }

 private:
  std::mt19937 generator_;
};

template <class Request>
void fill(Noise& noise, const std::vector<std::string>& joints, Request& request,
          std::size_t batch) {
  request.joint_names = noise.names(joints);
  const std::size_t n = request.joint_names.empty() ? joints.size() : request.joint_names.size();
  request.batch_size = static_cast<std::uint32_t>(noise.rarely()   ? 0
                                                  : noise.rarely() ? noise.below(1000)
                                                                   : batch);
  request.position = noise.numbers(batch * n);
  if constexpr (requires { request.velocity; }) request.velocity = noise.numbers(batch * n);
  if constexpr (requires { request.acceleration; }) request.acceleration = noise.numbers(batch * n);
  if constexpr (requires { request.effort; }) request.effort = noise.numbers(batch * n);
  if constexpr (requires { request.method; })
    request.method = static_cast<std::uint8_t>(noise.below(10));
  if constexpr (requires { request.terms; })
    request.terms = static_cast<std::uint8_t>(noise.below(4));
  if constexpr (requires { request.blocks; }) {
    request.blocks =
        static_cast<std::uint16_t>(noise.rarely() ? noise.below(1 << 16) : noise.below(64));
    if (noise.below(4) > 0) request.acceleration.clear();
    if (noise.below(4) > 0) request.effort.clear();
  }
  noise.resize(request.base_pose, batch);
  for (auto& pose : request.base_pose) pose.orientation.w = noise.number();
  if constexpr (requires { request.external_wrenches; }) {
    if (noise.rarely())
      request.external_wrench_links = noise.names({"FL_foot", "trunk", "nothing"});
    noise.resize(request.external_wrenches, batch * request.external_wrench_links.size());
    request.external_wrench_axes = static_cast<std::uint8_t>(noise.below(3));
  }
}

/// The topic as if it were a service.
struct Batches {
  using Request = Dynamics::StateBatch;
  using Response = Dynamics::EffortBatch;
};

using FillTrajectory = Dynamics::FillTrajectoryEffort;

using Linearize = Dynamics::LinearizeTrajectory;

/// A trajectory whose points mostly have accelerations, or efforts, where they are wanted.
void fill(Noise& noise, const std::vector<std::string>& joints,
          trajectory_msgs::msg::JointTrajectory& trajectory, std::size_t points, bool accelerations,
          bool efforts) {
  trajectory.joint_names = noise.names(joints);
  const std::size_t n = trajectory.joint_names.size();
  trajectory.points.resize(noise.rarely() ? 0 : points);
  const auto number_each = [&](std::vector<double>& out, bool there) {
    out.resize(noise.below(30) == 0 ? noise.below(50) : there ? n : 0);
    for (double& x : out) x = noise.below(100) == 0 ? noise.number() : 0.5;
  };
  for (std::size_t i = 0; i < trajectory.points.size(); ++i) {
    auto& point = trajectory.points[i];
    number_each(point.positions, true);
    number_each(point.velocities, true);
    number_each(point.accelerations, accelerations != noise.rarely());
    number_each(point.effort, efforts);
    point.time_from_start.sec =
        noise.rarely() ? std::numeric_limits<std::int32_t>::min() : static_cast<std::int32_t>(i);
    point.time_from_start.nanosec = noise.rarely() ? std::numeric_limits<std::uint32_t>::max() : 0u;
  }
}

void fill(Noise& noise, const std::vector<std::string>& joints, Linearize::Request& request,
          std::size_t points) {
  const bool accelerations = noise.below(2) == 0;
  fill(noise, joints, request.trajectory, points, accelerations, !accelerations);
  request.input = static_cast<std::uint8_t>(noise.rarely() ? noise.below(256) : accelerations);
  request.scheme = static_cast<std::uint8_t>(noise.rarely() ? noise.below(256) : noise.below(2));
  request.dt = noise.rarely() ? noise.number() : noise.rarely() ? 0 : 0.01;
  noise.resize(request.base_pose, points);
  for (auto& pose : request.base_pose) pose.orientation.w = noise.number();
  if (noise.rarely()) noise.resize(request.base_twist, points);
  if (noise.rarely()) noise.resize(request.base_wrench, points);
  if (noise.rarely()) noise.resize(request.base_acceleration, points);
  if (noise.rarely()) request.external_wrench_links = {"FL_foot"};
  noise.resize(request.external_wrenches, points * request.external_wrench_links.size());
  request.external_wrench_axes = static_cast<std::uint8_t>(noise.below(3));
}

void fill(Noise& noise, const std::vector<std::string>& joints, FillTrajectory::Request& request,
          std::size_t points) {
  fill(noise, joints, request.trajectory, points, noise.below(2) == 0, false);
  if (noise.rarely()) {
    request.others.name = noise.names(joints);
    request.others.position = noise.numbers(request.others.name.size());
    request.others.velocity = noise.numbers(0);
  }
  request.missing_acceleration = static_cast<std::uint8_t>(noise.rarely() ? 2 : noise.below(2));
  request.base_pose.resize(noise.rarely() ? noise.below(5) : 1);
  for (auto& pose : request.base_pose) pose.orientation.w = noise.number();
}

template <class Service>
void send_noise(Base base, unsigned seed) {
  Robot robot("quadruped", base);
  std::vector<std::string> joints = robot.model->joint_names();
  if (base == Base::floating) joints.erase(joints.begin());
  Noise noise(seed);
  std::size_t answered = 0;
  for (int round = 0; round < 3000; ++round) {
    typename Service::Request request;
    fill(noise, joints, request, 1 + noise.below(4));
    if (base == Base::fixed && !noise.rarely()) request.base_pose.clear();
    typename Service::Response response;
    answer_always(response, [&](auto& out) { robot.dynamics->answer(request, out); });
    EXPECT_EQ(inconsistency_of(response, base == Base::floating ? 6 : 0), "");
    answered += !response.status.empty();
  }
  EXPECT_GT(answered, 100u) << "the noise must get through now and then";
}

TEST(Noise, GetsAConsistentAnswer) {
  for (const Base base : {Base::fixed, Base::floating}) {
    send_noise<Dynamics::InverseDynamics>(base, 1);
    send_noise<Dynamics::BiasForces>(base, 2);
    send_noise<Dynamics::MassMatrix>(base, 3);
    send_noise<Dynamics::ForwardDynamics>(base, 4);
    send_noise<FillTrajectory>(base, 5);
    send_noise<Batches>(base, 6);
    send_noise<Dynamics::Derivatives>(base, 7);
    send_noise<Linearize>(base, 8);
  }
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
