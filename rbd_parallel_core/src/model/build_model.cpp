// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "body_frames.hpp"
#include "description_check.hpp"
#include "inertia_check.hpp"
#include "levers.hpp"
#include "limit_check.hpp"
#include "link_inertia.hpp"
#include "message_text.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {
namespace {

constexpr const char* floating_base_name = "floating_base";

std::size_t index(int i) { return static_cast<std::size_t>(i); }

JointType type_of(JointKind kind) {
  switch (kind) {
    case JointKind::prismatic:
      return JointType::prismatic;
    case JointKind::helical:
      return JointType::helical;
    case JointKind::planar:
      return JointType::planar;
    case JointKind::spherical:
      return JointType::spherical;
    case JointKind::floating:
      return JointType::floating;
    default:
      return JointType::revolute;
  }
}

bool has_axis(JointKind kind) {
  return kind != JointKind::floating && kind != JointKind::spherical;
}

Vec3<double> normalised(const Vec3<double>& a) { return (1 / std::sqrt(dot(a, a))) * a; }

/// The rotation into axes whose z lies along `axis`, by the shortest arc. Exact for axes of the
/// frame.
Mat3<double> turn_to_z(const Vec3<double>& axis) {
  const double c = axis.z;
  const Vec3<double> k{-axis.y, axis.x, 0};  // z x axis
  const double k2 = dot(k, k);
  if (k2 == 0) {
    const double sign = c > 0 ? 1 : -1;
    return {{1, 0, 0}, {0, sign, 0}, {0, 0, sign}};
  }
  // Rodrigues: R = c 1 + kx + k k^T / (1 + c), the last factor written so that c = -1 does no harm.
  const double factor = c > 0 ? 1 / (1 + c) : (1 - c) / k2;
  const Mat3<double> R{{c + factor * k.x * k.x, factor * k.x * k.y, k.y},
                       {factor * k.x * k.y, c + factor * k.y * k.y, -k.x},
                       {-k.y, k.x, c}};
  return transpose(R);
}

Transform<double> transform_of(const Pose& pose) {
  return {transpose(pose.rotation), pose.position};
}

/// Next smaller coupled coordinate of each coordinate, for a robot whose mimic joints couple
/// branches: symbolic elimination from the last coordinate to the first. All coordinates between a
/// body and the root are coupled; for the elimination tree it is enough to couple each of them with
/// the next smaller one.
std::vector<std::int32_t> elimination_tree(const std::vector<BodyView<double>>& bodies, int nv) {
  std::vector<std::set<std::int32_t>> coupled(index(nv));
  std::vector<char> below_follower(bodies.size(), 0);
  std::vector<std::int32_t> path;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyView<double>& body = bodies[i];
    const std::int32_t p = body.parent;
    // A follower's coordinate is out of order on its path, or already on it.
    const bool in_order = p < 0 || body.v_index > bodies[index(p)].v_index;
    below_follower[i] = !in_order || (p >= 0 && below_follower[index(p)] != 0);
    path.clear();
    const bool whole_path = below_follower[i] != 0 && !body.next_is_child;
    const std::int32_t last = whole_path ? -1 : p < 0 ? -1 : bodies[index(p)].parent;
    for (auto j = static_cast<std::int32_t>(i); j != last; j = bodies[index(j)].parent) {
      for (int k = 0; k < nv_of(bodies[index(j)].type); ++k)
        path.push_back(bodies[index(j)].v_index + k);
    }
    if (below_follower[i] != 0 && !whole_path)
      continue;  // a body further out has this path in its own
    std::sort(path.begin(), path.end());
    for (std::size_t k = 1; k < path.size(); ++k) {
      if (path[k] != path[k - 1]) coupled[index(path[k])].insert(path[k - 1]);
    }
  }
  std::vector<std::int32_t> parent(index(nv), -1);
  for (std::int32_t k = nv - 1; k >= 0; --k) {
    std::set<std::int32_t>& below = coupled[index(k)];
    if (below.empty()) continue;
    const std::int32_t p = *below.rbegin();
    parent[index(k)] = p;
    below.erase(p);
    coupled[index(p)].merge(below);
  }
  return parent;
}

}  // namespace

/// Fills a Model from a checked description.
class ModelAssembler {
 public:
  ModelAssembler(const RobotDescription& robot, const ModelOptions& options)
      : robot_(robot), options_(options), tree_(check_description(robot, options)) {}

  Model run() {
    model_.name_ = robot_.name;
    model_.warnings_ = robot_.warnings;
    walk();
    choose_body_frames(model_.bodies_, model_.links_);
    assign_coordinates();
    assign_runs_and_columns();
    attach_inertias();
    set_levers(model_.bodies_);
    warn_of_massless_leaves();
    fill_joint_numbers();
    fill_dof_parents();
    model_.view_.body_count = static_cast<std::int32_t>(model_.bodies_.size());
    model_.view_.link_count = static_cast<std::int32_t>(model_.links_.size());
    model_.view_.gravity = options_.gravity;
    for (const Link& link : model_.links_) model_.link_views_.push_back({link.offset, link.body});
    model_.point_view();
    return std::move(model_);
  }

 private:
  struct Step {
    int joint;        ///< of the description
    int parent_link;  ///< of the model
  };

  /// Depth-first, children by joint name; a loop with its own stack, because chains may be very
  /// long.
  void walk() {
    add_root();
    std::vector<Step> stack;
    push_children(stack, tree_.root, 0);
    while (!stack.empty()) {
      const Step step = stack.back();
      stack.pop_back();
      const int child = tree_.child_link[index(step.joint)];
      add_joint(step, child);
      push_children(stack, child, static_cast<int>(model_.links_.size()) - 1);
    }
  }

  void push_children(std::vector<Step>& stack, int described_link, int model_link) const {
    const std::vector<int>& joints = tree_.child_joints[index(described_link)];
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
      stack.push_back({*joint, model_link});
    }
  }

  void add_root() {
    const std::string& name = robot_.links[index(tree_.root)].name;
    int body = -1;
    if (options_.base == Base::floating) {
      JointDescription joint;
      joint.name = floating_base_name;
      joint.kind = JointKind::floating;
      joint.parent = "world";
      joint.child = name;
      body = add_body(joint, -1, -1, Transform<double>::identity());
    }
    add_link(tree_.root, body, Transform<double>::identity());
  }

  void add_joint(const Step& step, int child) {
    const JointDescription& joint = robot_.joints[index(step.joint)];
    const Link& parent = model_.links_[index(step.parent_link)];
    const Transform<double> to_joint = transform_of(joint.origin) * parent.offset;
    if (joint.limits && !robot_.warned_of_limits) {
      for (const std::string& odd : odd_limits(joint.kind, *joint.limits)) {
        warn("joint " + shown(joint.name) + ": " + odd);
      }
    }
    if (joint.pitch != 0 && joint.kind != JointKind::helical) {
      warn("joint " + shown(joint.name) + ": is " + name_of(joint.kind) +
           ", its pitch means nothing; only helical joints have one");
    }
    if (joint.kind == JointKind::fixed) {
      if (joint.mimic) warn("joint " + shown(joint.name) + ": is fixed, its <mimic> means nothing");
      add_link(child, parent.body, to_joint);
      return;
    }
    const Mat3<double> turn =
        has_axis(joint.kind) ? turn_to_z(normalised(joint.axis)) : Mat3<double>::identity();
    const Transform<double> canonical{turn, Vec3<double>::zero()};
    const int body = add_body(joint, step.joint, parent.body, canonical * to_joint);
    add_link(child, body, inverse(canonical));
  }

  int add_body(const JointDescription& joint, int described, int parent_body,
               const Transform<double>& placement) {
    const int body = static_cast<int>(model_.bodies_.size());
    BodyView<double> view{};
    view.placement = placement;
    view.inertia = Inertia<double>::zero();
    view.pitch = joint.kind == JointKind::helical ? joint.pitch : 0;
    view.multiplier = 1;
    view.parent = parent_body;
    view.type = type_of(joint.kind);
    model_.bodies_.push_back(view);
    described_joint_.push_back(described);

    Joint info{};
    info.name = joint.name;
    info.kind = joint.kind;
    info.parent_link = joint.parent;
    info.child_link = joint.child;
    info.body = body;
    info.parent = parent_body;
    info.nq = nq_of(view.type);
    info.nv = nv_of(view.type);
    info.limits = joint.limits;
    info.origin = joint.origin;
    info.axis = has_axis(joint.kind) ? normalised(joint.axis) : Vec3<double>::zero();
    info.pitch = view.pitch;
    info.damping = joint.damping;
    info.friction = joint.friction;
    if (!model_.joint_index_.emplace(joint.name, body).second) {
      throw ModelError({"joint " + shown(joint.name) +
                        ": this name is taken by the joint of the floating base; rename it"},
                       robot_.warnings);
    }
    model_.joints_.push_back(std::move(info));
    return body;
  }

  void add_link(int described, int body, const Transform<double>& offset) {
    const LinkDescription& link = robot_.links[index(described)];
    const int at = static_cast<int>(model_.links_.size());
    model_.link_index_.emplace(link.name, at);
    model_.links_.push_back(
        {link.name, body, offset, 0, Vec3<double>::zero(), SymMat3<double>::zero()});
    described_link_.push_back(described);
  }

  void assign_coordinates() {
    std::int32_t nq = 0, nv = 0;
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      if (follows(i)) continue;
      Joint& joint = model_.joints_[i];
      joint.q_index = nq;
      joint.v_index = nv;
      joint.periodic = joint.kind == JointKind::continuous;
      nq += joint.nq;
      nv += joint.nv;
      model_.joint_names_.push_back(joint.name);
      model_.joint_of_dof_.insert(model_.joint_of_dof_.end(), index(joint.nv), static_cast<int>(i));
    }
    model_.view_.nq = nq;
    model_.view_.nv = nv;
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      if (follows(i)) follow(i);
      model_.bodies_[i].q_index = model_.joints_[i].q_index;
      model_.bodies_[i].v_index = model_.joints_[i].v_index;
    }
  }

  void assign_runs_and_columns() {
    std::int32_t columns = 0;
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      BodyView<double>& body = model_.bodies_[i];
      const auto own = static_cast<std::int32_t>(i);
      const bool goes_on = body.parent >= 0 && body.parent == own - 1 &&
                           own - model_.bodies_[i - 1].head < longest_run;
      body.head = goes_on ? model_.bodies_[i - 1].head : own;
      body.column = columns;
      columns += nv_of(body.type);
      for (int k = 0; k < nv_of(body.type); ++k) {
        model_.column_dof_.push_back(body.v_index + k);
        model_.column_multiplier_.push_back(body.multiplier);
      }
      if (body.parent >= 0) {
        BodyView<double>& parent = model_.bodies_[index(body.parent)];
        (body.parent == own - 1 ? parent.next_is_child : parent.has_more_children) = true;
      }
    }
    model_.view_.column_count = columns;
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      const BodyView<double>& body = model_.bodies_[i];
      if (body.parent != static_cast<std::int32_t>(i) - 1) model_.view_.has_branches = true;
      if (nq_of(body.type) != nv_of(body.type)) model_.view_.has_quaternions = true;
    }
  }

  bool follows(std::size_t body) const {
    const int described = described_joint_[body];
    return described >= 0 && tree_.leader[index(described)].joint != described;
  }

  void follow(std::size_t body) {
    const DescriptionTree::Leader& leader = tree_.leader[index(described_joint_[body])];
    const std::string& name = robot_.joints[index(leader.joint)].name;
    Joint& followed = model_.joints_[index(*model_.find_joint(name))];
    followed.periodic = false;  // its follower is elsewhere after a turn
    Joint& joint = model_.joints_[body];
    joint.q_index = followed.q_index;
    joint.v_index = followed.v_index;
    joint.mimic = Mimic{name, leader.multiplier, leader.offset};
    model_.bodies_[body].multiplier = leader.multiplier;
    model_.bodies_[body].offset = leader.offset;
    model_.view_.has_mimic = true;
  }

  void attach_inertias() {
    std::vector<std::string> faults;
    for (std::size_t i = 0; i < model_.links_.size(); ++i) {
      const LinkDescription& described = robot_.links[index(described_link_[i])];
      if (!described.inertial) continue;
      if (const auto fault = inertia_fault(*described.inertial)) {
        const std::string text = "link " + shown(described.name) + ": " + *fault;
        if (options_.inertia_policy == InertiaPolicy::error || !usable(*described.inertial)) {
          faults.push_back(text);
          continue;
        }
        const bool zero = options_.inertia_policy == InertiaPolicy::zero;
        warn(text + (zero ? "; its inertia is set to zero" : "; the numbers are used as written"));
        if (zero) continue;
      }
      attach(model_.links_[i], *described.inertial);
    }
    if (!faults.empty()) throw ModelError(std::move(faults), std::move(model_.warnings_));
  }

  void attach(Link& link, const LinkInertial& inertial) {
    const Inertia<double> inertia = apply_inverse(link.offset, link_inertia(inertial));
    Inertia<double>& carrier =
        link.body < 0 ? model_.view_.base_inertia : model_.bodies_[index(link.body)].inertia;
    carrier += inertia;
    link.mass = inertial.mass;
    link.com = inertial.origin.position;
    link.inertia = inertia_about_com(inertial);
    model_.total_mass_ += inertial.mass;
  }

  void warn_of_massless_leaves() {
    std::vector<char> carries(model_.bodies_.size(), 0);
    for (const BodyView<double>& body : model_.bodies_) {
      if (body.parent >= 0) carries[index(body.parent)] = 1;
    }
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      const Inertia<double>& I = model_.bodies_[i].inertia;
      const bool massless = I.m == 0 && I.I.xx == 0 && I.I.yy == 0 && I.I.zz == 0;
      if (massless && carries[i] == 0 && armature_of(i) == 0) {
        warn("link " + shown(model_.joints_[i].child_link) +
             ": has no inertia and carries none, but joint " + shown(model_.joints_[i].name) +
             " moves it; without armature the mass matrix is singular there");
      }
    }
  }

  double armature_of(std::size_t body) const {
    const Joint& joint = model_.joints_[body];
    const auto option = options_.armature.find(joint.name);
    if (option != options_.armature.end()) return option->second;
    return described_joint_[body] < 0 ? 0 : robot_.joints[index(described_joint_[body])].armature;
  }

  /// A follower's armature and damping count with the square of its multiplier, its friction with
  /// the magnitude: the same power at the coordinate that both share.
  void fill_joint_numbers() {
    const std::size_t nv = index(model_.view_.nv);
    model_.armature_.assign(nv, 0);
    model_.damping_.assign(nv, 0);
    model_.friction_.assign(nv, 0);
    for (std::size_t i = 0; i < model_.bodies_.size(); ++i) {
      const double m = model_.bodies_[i].multiplier;
      Joint& joint = model_.joints_[i];
      joint.armature = armature_of(i);
      for (int k = 0; k < joint.nv; ++k) {
        const std::size_t at = index(joint.v_index + k);
        model_.armature_[at] += m * m * joint.armature;
        model_.damping_[at] += m * m * joint.damping;
        model_.friction_[at] += std::abs(m) * joint.friction;
      }
    }
  }

  void fill_dof_parents() {
    if (model_.view_.has_mimic) {
      model_.dof_parent_ = elimination_tree(model_.bodies_, model_.view_.nv);
      return;
    }
    // Without mimic joints the elimination tree is the tree of coordinates.
    model_.dof_parent_.resize(index(model_.view_.nv));
    for (const BodyView<double>& body : model_.bodies_) {
      std::int32_t below = -1;
      if (body.parent >= 0) {
        const BodyView<double>& parent = model_.bodies_[index(body.parent)];
        below = parent.v_index + nv_of(parent.type) - 1;
      }
      for (int k = 0; k < nv_of(body.type); ++k) {
        model_.dof_parent_[index(body.v_index + k)] = below;
        below = body.v_index + k;
      }
    }
  }

  void warn(std::string text) { model_.warnings_.push_back(std::move(text)); }

  const RobotDescription& robot_;
  const ModelOptions& options_;
  DescriptionTree tree_;
  Model model_;
  std::vector<int> described_joint_;  ///< of each body; -1: the floating base
  std::vector<int> described_link_;   ///< of each link
};

Model build_model(const RobotDescription& robot, const ModelOptions& options) {
  return ModelAssembler(robot, options).run();
}

}  // namespace rbd_parallel_core
