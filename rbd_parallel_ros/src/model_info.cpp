// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "dynamics.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using rbd_parallel_msgs::msg::ModelInfo;

void add_joint(const core::Joint& joint, const core::Model& model, ModelInfo& info) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const core::JointLimits limits = joint.limits.value_or(core::JointLimits{nan, nan, nan, nan});
  info.joint_names.push_back(joint.name);
  info.joint_types.push_back(core::name_of(joint.kind));
  info.joint_nq.push_back(static_cast<std::uint32_t>(joint.nq));
  info.joint_nv.push_back(static_cast<std::uint32_t>(joint.nv));
  info.position_lower.push_back(limits.lower);
  info.position_upper.push_back(limits.upper);
  info.effort_limit.push_back(limits.effort);
  info.velocity_limit.push_back(limits.velocity);
  for (int k = 0; k < joint.nv; ++k) {
    info.armature.push_back(model.view().armature[joint.v_index + k]);
  }
}

void add_mimic_joint(const core::Joint& joint, ModelInfo& info) {
  info.mimic_joints.push_back(joint.name);
  info.mimic_followed.push_back(joint.mimic->joint);
  info.mimic_multiplier.push_back(joint.mimic->multiplier);
  info.mimic_offset.push_back(joint.mimic->offset);
}

}  // namespace

ModelInfo Dynamics::model_info(const std::string& backend) const {
  ModelInfo info;
  info.name = model().name();
  for (const std::string& name : joints_.all().names) {
    add_joint(model().joints()[static_cast<std::size_t>(*model().find_joint(name))], model(), info);
  }
  for (const core::Joint& joint : model().joints()) {
    if (joint.mimic) add_mimic_joint(joint, info);
  }
  for (const core::Link& link : model().links()) {
    info.link_names.push_back(link.name);
    info.link_mass.push_back(link.mass);
  }
  info.total_mass = model().total_mass();
  info.floating_base = joints_.floating_base();
  info.nq = static_cast<std::uint32_t>(model().nq());
  info.nv = static_cast<std::uint32_t>(model().nv());
  info.gravity.x = model().gravity().x;
  info.gravity.y = model().gravity().y;
  info.gravity.z = model().gravity().z;
  info.backend = backend;
  info.backend_name = backend_->name();
  info.max_batch = static_cast<std::uint32_t>(backend_->options().max_batch);
  info.threads = static_cast<std::uint32_t>(backend_->options().threads);
  info.warnings = model().warnings();
  return info;
}

}  // namespace rbd_parallel_ros
