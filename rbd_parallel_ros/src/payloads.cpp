// SPDX-License-Identifier: Apache-2.0
#include "payloads.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "request_error.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using SetPayload = rbd_parallel_msgs::srv::SetPayload;

std::string number(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}

core::LinkInertial inertial_of(const geometry_msgs::msg::Inertia& in) {
  core::LinkInertial out;
  out.mass = in.m;
  out.origin.position = {in.com.x, in.com.y, in.com.z};
  out.rotational = {in.ixx, in.ixy, in.ixz, in.iyy, in.iyz, in.izz};
  return out;
}

core::Model with(const core::Model& robot, const std::string& link,
                 const geometry_msgs::msg::Inertia& payload) {
  try {
    return robot.with_payload(link, inertial_of(payload));
  } catch (const core::ModelError& error) {
    throw RequestError(ErrorCode::invalid_argument, error.what());
  }
}

}  // namespace

Payloads Payloads::after(const SetPayload::Request& request, const core::Model& robot) const {
  Payloads out = *this;
  if (request.action > SetPayload::Request::REMOVE) {
    refuse_choice("action", request.action, "ATTACH (0) or REMOVE (1)");
  }
  const bool remove = request.action == SetPayload::Request::REMOVE;
  if (remove && request.link.empty()) return {};
  if (!robot.find_link(request.link)) {
    throw RequestError(
        ErrorCode::unknown_link,
        "link " + in_quotes(request.link) + " is not known; ask get_model_info for the names");
  }
  if (!remove) {
    with(robot, request.link, request.inertia);  // throws if it cannot be
    out.by_link_[request.link] = request.inertia;
  } else if (out.by_link_.erase(request.link) == 0) {
    throw RequestError(ErrorCode::invalid_argument,
                       "there is no payload on link " + in_quotes(request.link) + " to remove");
  }
  return out;
}

core::Model Payloads::attached_to(const core::Model& robot) const {
  std::optional<core::Model> loaded;  // a Model is not assignable
  loaded.emplace(robot);
  for (const auto& [link, inertia] : by_link_) {
    core::Model next = with(*loaded, link, inertia);
    loaded.emplace(std::move(next));
  }
  return std::move(*loaded);
}

void Payloads::describe(rbd_parallel_msgs::msg::ModelInfo& info) const {
  for (const auto& [link, inertia] : by_link_) {
    info.payload_links.push_back(link);
    info.payload_inertias.push_back(inertia);
  }
}

double Payloads::mass() const {
  double sum = 0;
  for (const auto& [link, inertia] : by_link_) sum += inertia.m;
  return sum;
}

std::string doubt_about(const SetPayload::Request& request, const core::Model& robot) {
  const bool attach = request.action == SetPayload::Request::ATTACH;
  if (!attach || !(request.inertia.m > robot.total_mass())) return "";
  return "the payload on link " + in_quotes(request.link) + " has " + number(request.inertia.m) +
         " kg, more than the whole robot, which has " + number(robot.total_mass()) +
         " kg; it is attached as it is. Expected are kg, m and kg m^2";
}

}  // namespace rbd_parallel_ros
