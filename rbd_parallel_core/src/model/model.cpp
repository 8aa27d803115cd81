// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/model.hpp"

#include <algorithm>
#include <utility>

#include "inertia_check.hpp"
#include "levers.hpp"
#include "link_inertia.hpp"
#include "message_text.hpp"

namespace rbd_parallel_core {
namespace {

std::string joined_lines(const std::vector<std::string>& faults,
                         const std::vector<std::string>& warnings) {
  constexpr std::size_t most_warnings = 20;
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "\n") + fault;
  for (std::size_t i = 0; i < std::min(warnings.size(), most_warnings); ++i) {
    text += "\nwarning: " + warnings[i];
  }
  if (warnings.size() > most_warnings) {
    text += "\nand " + std::to_string(warnings.size() - most_warnings) + " more warnings";
  }
  return text;
}

std::string coordinates_text(const Joint& joint) {
  const std::string first = std::to_string(joint.q_index);
  const std::string range =
      joint.nq == 1 ? "q[" + first + "]"
                    : "q[" + first + ".." + std::to_string(joint.q_index + joint.nq - 1) + "]";
  if (!joint.mimic) return range;
  return "mimics " + joint.mimic->joint + ": " + to_text(joint.mimic->multiplier) + " " + range +
         " + " + to_text(joint.mimic->offset);
}

/// Attaches `payload` to the link rigidly. Each part turns about the common centre of mass as it
/// does about its own, and both masses like one reduced mass at their distance.
void join(Link& link, const LinkInertial& payload) {
  const double mass = link.mass + payload.mass;
  const Vec3<double>& com = payload.origin.position;
  link.inertia = link.inertia + inertia_about_com(payload);
  if (mass != 0) {
    link.inertia =
        link.inertia + point_mass_inertia(link.mass * payload.mass / mass, link.com - com);
    link.com = (1 / mass) * (link.mass * link.com + payload.mass * com);
  }
  link.mass = mass;
}

}  // namespace

ModelError::ModelError(std::vector<std::string> faults, std::vector<std::string> warnings)
    : std::runtime_error(joined_lines(faults, warnings)),
      faults_(std::move(faults)),
      warnings_(std::move(warnings)) {}

Model::Model() = default;
Model::~Model() = default;

// A view points into the vectors of its own Model, so a copy needs its own.
Model::Model(const Model& other)
    : name_(other.name_),
      joints_(other.joints_),
      joint_names_(other.joint_names_),
      links_(other.links_),
      link_index_(other.link_index_),
      joint_index_(other.joint_index_),
      joint_of_dof_(other.joint_of_dof_),
      warnings_(other.warnings_),
      total_mass_(other.total_mass_),
      bodies_(other.bodies_),
      link_views_(other.link_views_),
      armature_(other.armature_),
      damping_(other.damping_),
      friction_(other.friction_),
      column_multiplier_(other.column_multiplier_),
      column_dof_(other.column_dof_),
      dof_parent_(other.dof_parent_),
      view_(other.view_) {
  point_view();
}

// Vectors keep their memory when moved. What is left behind is a robot without bodies.
Model::Model(Model&& other) noexcept
    : name_(std::move(other.name_)),
      joints_(std::move(other.joints_)),
      joint_names_(std::move(other.joint_names_)),
      links_(std::move(other.links_)),
      link_index_(std::move(other.link_index_)),
      joint_index_(std::move(other.joint_index_)),
      joint_of_dof_(std::move(other.joint_of_dof_)),
      warnings_(std::move(other.warnings_)),
      total_mass_(std::exchange(other.total_mass_, 0)),
      bodies_(std::move(other.bodies_)),
      link_views_(std::move(other.link_views_)),
      armature_(std::move(other.armature_)),
      damping_(std::move(other.damping_)),
      friction_(std::move(other.friction_)),
      column_multiplier_(std::move(other.column_multiplier_)),
      column_dof_(std::move(other.column_dof_)),
      dof_parent_(std::move(other.dof_parent_)),
      view_(std::exchange(other.view_, {})) {}

void Model::point_view() {
  view_.body = bodies_.data();
  view_.link = link_views_.data();
  view_.armature = armature_.data();
  view_.damping = damping_.data();
  view_.friction = friction_.data();
  view_.column_multiplier = column_multiplier_.data();
  view_.column_dof = column_dof_.data();
  view_.dof_parent = dof_parent_.data();
}

std::optional<int> Model::find_link(std::string_view name) const {
  const auto found = link_index_.find(name);
  return found == link_index_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> Model::find_joint(std::string_view name) const {
  const auto found = joint_index_.find(name);
  return found == joint_index_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<double> Model::inertial_parameters() const {
  std::vector<double> parameters;
  parameters.reserve(bodies_.size() * parameters_per_body);
  for_each_carried_link(view_, [&](std::int32_t body, std::int32_t link) {
    const Inertia<double> I = apply(view_.link[link].offset, view_.body[body].inertia);
    parameters.insert(parameters.end(),
                      {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.yy, I.I.xz, I.I.yz, I.I.zz});
  });
  return parameters;
}

std::vector<double> Model::neutral() const {
  std::vector<double> q(static_cast<std::size_t>(nq()), 0.0);
  for (const Joint& joint : joints_) {
    const bool quaternion = joint.kind == JointKind::floating || joint.kind == JointKind::spherical;
    if (quaternion) q[static_cast<std::size_t>(joint.q_index + joint.nq - 1)] = 1;
  }
  return q;
}

std::string Model::tree() const {
  constexpr std::size_t most_lines = 100;
  std::string text = name_ + ": " + std::to_string(joints_.size()) + " moving joints, nq " +
                     std::to_string(nq()) + ", nv " + std::to_string(nv()) + ", " +
                     to_text(total_mass_) + " kg\n";
  std::vector<std::string> links_of_body(joints_.size() + 1);
  for (const Link& link : links_) {
    std::string& names = links_of_body[static_cast<std::size_t>(link.body + 1)];
    names += (names.empty() ? "" : " + ") + link.name;
  }
  text += "world" + (links_of_body[0].empty() ? "" : " = " + links_of_body[0]) + "\n";

  std::vector<int> depth(joints_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    depth[i] = joint.parent < 0 ? 1 : depth[static_cast<std::size_t>(joint.parent)] + 1;
    if (i >= most_lines) {
      text += "... and " + std::to_string(joints_.size() - most_lines) + " more joints\n";
      break;
    }
    text += std::string(static_cast<std::size_t>(2 * depth[i]), ' ') + joint.name + " (" +
            name_of(joint.kind) + ", " + coordinates_text(joint) + ") -> " + links_of_body[i + 1] +
            ", " + to_text(bodies_[i].inertia.m) + " kg\n";
  }
  return text;
}

Model Model::with_payload(std::string_view link_name, const LinkInertial& payload) const {
  const std::optional<int> index = find_link(link_name);
  if (!index) {
    throw ModelError({"payload: link " + shown(link_name) + " is not in " + shown(name_) +
                      ", which has " + std::to_string(links_.size()) + " links"});
  }
  if (const auto fault = inertia_fault(payload)) {
    throw ModelError({"payload on link " + shown(link_name) + ": " + *fault});
  }
  Model loaded(*this);
  Link& link = loaded.links_[static_cast<std::size_t>(*index)];
  const Inertia<double> inertia = apply_inverse(link.offset, link_inertia(payload));
  if (link.body < 0) {
    loaded.view_.base_inertia += inertia;
  } else {
    loaded.bodies_[static_cast<std::size_t>(link.body)].inertia += inertia;
    set_levers(loaded.bodies_);
  }
  join(link, payload);
  loaded.total_mass_ += payload.mass;
  return loaded;
}

}  // namespace rbd_parallel_core
