// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <geometry_msgs/msg/inertia.hpp>
#include <map>
#include <rbd_parallel_msgs/msg/model_info.hpp>
#include <rbd_parallel_msgs/srv/set_payload.hpp>
#include <string>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_ros {

/// What is attached to the links of a robot, at most one payload to each.
class Payloads {
 public:
  /// What `request` makes of these. Throws RequestError where it asks for something impossible.
  Payloads after(const rbd_parallel_msgs::srv::SetPayload::Request& request,
                 const rbd_parallel_core::Model& robot) const;

  /// `robot` with all of them attached.
  rbd_parallel_core::Model attached_to(const rbd_parallel_core::Model& robot) const;

  void describe(rbd_parallel_msgs::msg::ModelInfo& info) const;
  std::size_t size() const { return by_link_.size(); }
  double mass() const;  ///< kg, of all

 private:
  std::map<std::string, geometry_msgs::msg::Inertia> by_link_;
};

/// Why a payload is probably not meant as it is written; "" where nothing speaks against it. It is
/// attached all the same: a crane lifts more than it weighs.
std::string doubt_about(const rbd_parallel_msgs::srv::SetPayload::Request& request,
                        const rbd_parallel_core::Model& robot);

}  // namespace rbd_parallel_ros
