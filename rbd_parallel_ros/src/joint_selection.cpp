// SPDX-License-Identifier: Apache-2.0
#include "joint_selection.hpp"

#include <stdexcept>
#include <unordered_set>

#include "request_error.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

bool counts_up(const std::vector<std::size_t>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != i) return false;
  }
  return true;
}

}  // namespace

JointTable::JointTable(const rbd_parallel_core::Model& model, bool floating_base,
                       std::span<const std::string> order)
    : rest_position_(model.neutral()),
      nv_(static_cast<std::size_t>(model.nv())),
      floating_base_(floating_base) {
  std::vector<std::string> names;
  for (const rbd_parallel_core::Joint& joint : model.joints()) {
    if (floating_base && joint.body == 0) continue;
    if (joint.mimic) {
      followed_.emplace(joint.name, joint.mimic->joint);
      continue;
    }
    columns_.emplace(
        joint.name,
        Columns{static_cast<std::size_t>(joint.q_index), static_cast<std::size_t>(joint.nq),
                static_cast<std::size_t>(joint.v_index), static_cast<std::size_t>(joint.nv)});
    names.push_back(joint.name);
  }
  try {
    all_ = columns_of(names);
    if (!order.empty()) all_ = columns_of(order);
  } catch (const RequestError& error) {
    throw std::invalid_argument(std::string("joints: ") + error.what());
  }
  if (!all_.complete) {
    throw std::invalid_argument("joints: names " + std::to_string(all_.names.size()) + " of " +
                                std::to_string(columns_.size()) + " joints, expected all of them");
  }
}

std::string JointTable::reason_unknown(const std::string& name) const {
  if (const std::string* followed = followed_by(name)) {
    return "joint " + in_quotes(name) + " mimics " + in_quotes(*followed) +
           " and has no coordinates of its own; leave it out";
  }
  return "joint " + in_quotes(name) + " is not known; expected some of " + listed(all_.names);
}

JointSelection JointTable::select(std::span<const std::string> names) const {
  return names.empty() ? all_ : columns_of(names);
}

const std::string* JointTable::followed_by(const std::string& name) const {
  const auto follower = followed_.find(name);
  return follower == followed_.end() ? nullptr : &follower->second;
}

JointSelection JointTable::columns_of(std::span<const std::string> names) const {
  JointSelection selection;
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    const auto found = columns_.find(name);
    if (found == columns_.end()) throw RequestError(ErrorCode::unknown_joint, reason_unknown(name));
    if (!seen.insert(name).second) {
      throw RequestError(ErrorCode::duplicate_joint,
                         "joint " + in_quotes(name) + " is named twice; name each joint once");
    }
    const Columns& columns = found->second;
    for (std::size_t k = 0; k < columns.nq; ++k) selection.q.push_back(columns.q + k);
    for (std::size_t k = 0; k < columns.nv; ++k) selection.v.push_back(columns.v + k);
    selection.names.push_back(name);
  }
  selection.complete = selection.names.size() == columns_.size();
  selection.in_model_order = selection.q.size() == nq() && selection.v.size() == nv() &&
                             counts_up(selection.q) && counts_up(selection.v);
  return selection;
}

}  // namespace rbd_parallel_ros
