// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../joint_selection.hpp"
#include "refusal.hpp"

namespace rbd_parallel_ros {

/// From joint states to the coordinates of the model, by name. Publishers keep their order, so
/// names are looked up once, and again only when they change; joints that the model does not have
/// are passed over.
class JointStateReader {
 public:
  /// Joints of one coordinate each: JointState has no room for others. Throws std::invalid_argument
  /// otherwise.
  explicit JointStateReader(const JointSelection& joints);
  JointStateReader(const JointStateReader&) = delete;
  JointStateReader& operator=(const JointStateReader&) = delete;

  /// True for a message that names joints, but none of these.
  bool is_for_others(const sensor_msgs::msg::JointState& message) const;

  enum class Velocity { unused, needed, zero_where_missing };

  /// Writes the joints' columns of q (nq) and v (nv), or says why not; then they are left half
  /// written. Allocates only when the names have changed.
  Refusal read(const sensor_msgs::msg::JointState& message, Velocity velocity, std::span<double> q,
               std::span<double> v);

  /// The joint that the last refusal was about, by its place among the joints; -1: about none.
  int index_at_fault() const {
    return at_fault_ < joints_.names.size() ? static_cast<int>(at_fault_) : -1;
  }

 private:
  Refusal look_up(const std::vector<std::string>& names);

  JointSelection joints_;
  std::unordered_map<std::string_view, std::size_t> index_of_;  ///< of each name in joints_
  std::vector<std::string> names_;                              ///< of the last message
  std::vector<std::size_t> places_;                             ///< of each joint in it
  Refusal names_refusal_ = Refusal::missing_joint;
  std::size_t at_fault_ = 0;  ///< index into joints_.names; its size for none
};

}  // namespace rbd_parallel_ros
