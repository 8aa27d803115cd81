// SPDX-License-Identifier: Apache-2.0
//
// Law: whatever a request holds, there is an answer, and it is consistent.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "answer_always.hpp"
#include "choices.hpp"
#include "consistent_answer.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

struct Target {
  Target(const char* name, Base base, std::vector<std::string> order = {})
      : robot(name, base, std::move(order)), floating(base == Base::floating) {
    for (const rbd_parallel_core::Joint& joint : robot.model->joints())
      joints.push_back(joint.name);
    for (const rbd_parallel_core::Link& link : robot.model->links()) links.push_back(link.name);
  }
  Robot robot;
  bool floating;
  std::vector<std::string> joints, links;
};

/// The sizes that fit the named joints, where all of them are known.
struct Sizes {
  std::size_t q, v;
};

Sizes sizes_of(const Target& target, const std::vector<std::string>& names) {
  const rbd_parallel_core::Model& model = *target.robot.model;
  Sizes sizes{0, 0};
  for (const rbd_parallel_core::Joint& joint : model.joints()) {
    const bool named = std::find(names.begin(), names.end(), joint.name) != names.end();
    const bool is_base = target.floating && joint.parent < 0;
    if (joint.mimic || is_base || !(named || names.empty())) continue;
    sizes.q += static_cast<std::size_t>(joint.nq);
    sizes.v += static_cast<std::size_t>(joint.nv);
  }
  return sizes;
}

template <class Request>
void fill(Choices& choices, const Target& target, Request& request) {
  const std::size_t batch = choices.up_to(9);
  if (choices.byte() % 2 == 0) request.joint_names = choices.names(target.joints);
  request.batch_size = static_cast<std::uint32_t>(choices.size(batch));
  if (choices.rarely()) request.batch_size = std::numeric_limits<std::uint32_t>::max();
  const auto [nq, nv] = sizes_of(target, request.joint_names);
  const std::size_t bases = target.floating ? batch : 0;
  request.position = choices.numbers(batch * nq);
  choices.fill_all(request.base_pose, bases);
  if constexpr (requires { request.velocity; }) request.velocity = choices.numbers(batch * nv);
  if constexpr (requires { request.base_twist; }) choices.fill_all(request.base_twist, bases);
  if constexpr (requires { request.acceleration; }) {
    request.acceleration = choices.numbers(batch * nv);
    choices.fill_all(request.base_acceleration, bases);
  }
  if constexpr (requires { request.effort; }) {
    request.effort = choices.numbers(batch * nv);
    choices.fill_all(request.base_wrench, bases);
  }
  if constexpr (requires { request.method; }) request.method = choices.byte();
  if constexpr (requires { request.blocks; }) {
    request.blocks = choices.rarely() ? static_cast<std::uint16_t>(choices.bits())
                                      : static_cast<std::uint16_t>(choices.up_to(63));
    if (choices.byte() % 2 == 0) request.acceleration.clear(), request.base_acceleration.clear();
    if (choices.byte() % 2 == 0) request.effort.clear(), request.base_wrench.clear();
  }
  if constexpr (requires { request.terms; }) request.terms = choices.byte();
  if constexpr (requires { request.external_wrenches; }) {
    if (choices.rarely()) request.external_wrench_links = choices.names(target.links);
    choices.fill_all(request.external_wrenches, batch * request.external_wrench_links.size());
    request.external_wrench_axes = choices.byte() % 4;
  }
}

using Linearize = Dynamics::LinearizeTrajectory;

void fill(Choices& choices, const Target& target, Linearize::Request& request) {
  const std::size_t points = choices.up_to(5);
  request.trajectory.joint_names = choices.names(target.joints);
  const std::size_t n = request.trajectory.joint_names.size();
  for (std::size_t i = 0; i < choices.size(points); ++i) {
    auto& point = request.trajectory.points.emplace_back();
    point.positions = choices.numbers(n);
    point.velocities = choices.numbers(n);
    point.accelerations = choices.numbers(n);
    point.effort = choices.numbers(n);
    point.time_from_start.sec = static_cast<std::int32_t>(choices.rarely() ? choices.bits() : i);
    point.time_from_start.nanosec =
        static_cast<std::uint32_t>(choices.rarely() ? choices.bits() : i);
  }
  request.input = choices.byte() % 3;
  request.scheme = choices.byte() % 3;
  request.dt = choices.byte() % 2 == 0 ? 0 : choices.number();
  const std::size_t bases = target.floating ? points : 0;
  choices.fill_all(request.base_pose, bases);
  choices.fill_all(request.base_twist, bases);
  choices.fill_all(request.base_wrench, request.input == 0 ? bases : 0);
  choices.fill_all(request.base_acceleration, request.input == 1 ? bases : 0);
  if (choices.rarely()) request.external_wrench_links = choices.names(target.links);
  choices.fill_all(request.external_wrenches, points * request.external_wrench_links.size());
  request.external_wrench_axes = choices.byte() % 4;
}

template <class Service>
void ask(Choices& choices, Target& target) {
  typename Service::Request request;
  fill(choices, target, request);
  typename Service::Response response;
  answer_always(response, [&](auto& out) { target.robot.dynamics->answer(request, out); });
  const std::string fault = inconsistency_of(response, target.floating ? 6 : 0);
  if (fault.empty()) return;
  std::fprintf(stderr, "the answer is inconsistent: %s\n", fault.c_str());
  std::abort();
}

}  // namespace
}  // namespace rbd_parallel_ros::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rbd_parallel_ros::testing;
  static std::array targets{Target("arm7", Base::fixed), Target("quadruped", Base::fixed),
                            Target("quadruped", Base::floating),
                            Target("gripper", Base::fixed, {})};
  Choices choices(data, size);
  Target& target = targets[choices.up_to(targets.size() - 1)];
  switch (choices.up_to(5)) {
    case 0:
      ask<rbd_parallel_ros::Dynamics::InverseDynamics>(choices, target);
      break;
    case 1:
      ask<rbd_parallel_ros::Dynamics::BiasForces>(choices, target);
      break;
    case 2:
      ask<rbd_parallel_ros::Dynamics::MassMatrix>(choices, target);
      break;
    case 3:
      ask<rbd_parallel_ros::Dynamics::Derivatives>(choices, target);
      break;
    case 4:
      ask<rbd_parallel_ros::Dynamics::LinearizeTrajectory>(choices, target);
      break;
    default:
      ask<rbd_parallel_ros::Dynamics::ForwardDynamics>(choices, target);
  }
  return 0;
}
