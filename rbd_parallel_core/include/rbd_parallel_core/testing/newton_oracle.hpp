// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/robots.hpp"

/// An oracle for backends that shares nothing with the algorithms of this library: no spatial
/// vectors, no recursion of forces, no canonical frames, no Model. It reads the description, finds
/// the motion of every link in world coordinates by the textbook's formulas for moving frames,
/// writes Newton's and Euler's equations for each link alone and projects them on the joints by
/// d'Alembert's principle:
///
///   tau_k = sum over links  Jv_k . m (a_com - g) + Jw_k . (I alpha + w x I w)  -  sum over
///   wrenches
///
/// Slow (O(n^2)) and meant to be.
namespace rbd_parallel_core::conformance {

/// A wrench on a link at its origin, along the axes of the world or of the link.
struct OracleWrench {
  std::string link;
  Vec3<double> force, torque;
  bool in_world_axes;
};

/// What one unit of one coordinate's rate does to a link: its turn, and the velocity of its origin.
struct OracleColumn {
  Vec3<double> turn, slide;
};

/// Motion of a link in world coordinates.
struct OracleLink {
  Mat3<double> R = Mat3<double>::identity();  ///< columns are the link's axes
  Vec3<double> p = Vec3<double>::zero();      ///< origin
  Vec3<double> w = Vec3<double>::zero(), alpha = Vec3<double>::zero();
  Vec3<double> v = Vec3<double>::zero(), a = Vec3<double>::zero();  ///< of the origin
  std::vector<OracleColumn> columns;                                ///< nv
};

class NewtonOracle {
 public:
  explicit NewtonOracle(const Robot& robot) : robot_(robot) {
    if (robot.options.base == Base::floating) add_floating_base();
    find_order(root_link());
    for (const int j : order_) {
      const JointDescription& joint = robot_.description.joints[index(j)];
      if (honours_mimic(joint)) continue;
      q_index_[joint.name] = nq_;
      v_index_[joint.name] = nv_;
      nq_ += nq(joint.kind);
      nv_ += nv(joint.kind);
    }
  }

  int nq() const { return nq_; }
  int nv() const { return nv_; }

  /// The motion of every link, by name.
  std::map<std::string, OracleLink> motion(const double* q, const double* v,
                                           const double* a) const {
    std::map<std::string, OracleLink> links;
    OracleLink world;
    world.columns.assign(index(nv_), {Vec3<double>::zero(), Vec3<double>::zero()});
    links[root_link()] = world;
    for (const int j : order_) {
      const JointDescription& joint = robot_.description.joints[index(j)];
      links[joint.child] = child(joint, links[joint.parent], q, v, a);
    }
    return links;
  }

  /// tau, nv numbers. Friction where it is asked for.
  std::vector<double> inverse_dynamics(const double* q, const double* v, const double* a,
                                       const std::vector<OracleWrench>& wrenches = {},
                                       bool with_gravity = true, bool friction = false) const {
    const auto links = motion(q, v, a);
    const Vec3<double> g = with_gravity ? robot_.options.gravity : Vec3<double>::zero();
    std::vector<double> tau(index(nv_), 0.0);
    for (const LinkDescription& description : robot_.description.links) {
      if (!description.inertial) continue;
      const OracleLink& link = links.at(description.name);
      const double m = description.inertial->mass;
      const Vec3<double> c = link.R * description.inertial->origin.position;
      const Mat3<double> I = rotational(link, *description.inertial);
      const Vec3<double> a_com = link.a + cross(link.alpha, c) + cross(link.w, cross(link.w, c));
      const Vec3<double> force = m * (a_com - g);
      const Vec3<double> moment = I * link.alpha + cross(link.w, I * link.w);
      project(link, force, moment + cross(c, force), 1, tau);
    }
    for (const OracleWrench& wrench : wrenches) {
      const OracleLink& link = links.at(wrench.link);
      const bool world = wrench.in_world_axes;
      project(link, world ? wrench.force : link.R * wrench.force,
              world ? wrench.torque : link.R * wrench.torque, -1, tau);
    }
    add_joint_terms(v, a, friction, tau);
    return tau;
  }

  /// nv x nv, row-major: sum of m Jv^T Jv + Jw^T I Jw, and the armature.
  std::vector<double> mass_matrix(const double* q) const {
    const std::vector<double> zeros(index(nv_), 0.0);
    const auto links = motion(q, zeros.data(), zeros.data());
    std::vector<double> M(index(nv_ * nv_), 0.0);
    for (const LinkDescription& description : robot_.description.links) {
      if (!description.inertial) continue;
      const OracleLink& link = links.at(description.name);
      const Vec3<double> c = link.R * description.inertial->origin.position;
      const Mat3<double> I = rotational(link, *description.inertial);
      for (int j = 0; j < nv_; ++j) {
        const OracleColumn& s = link.columns[index(j)];
        const Vec3<double> momentum = description.inertial->mass * (s.slide + cross(s.turn, c));
        const Vec3<double> spin = I * s.turn + cross(c, momentum);
        for (int k = 0; k < nv_; ++k) {
          const OracleColumn& t = link.columns[index(k)];
          M[index(j * nv_ + k)] += dot(t.slide, momentum) + dot(t.turn, spin);
        }
      }
    }
    for (const JointDescription& joint : robot_.description.joints) {
      const auto [first, count, multiplier] = coordinates(joint);
      for (int k = first; k < first + count; ++k) {
        M[index(k * nv_ + k)] += multiplier * multiplier * armature(joint);
      }
    }
    return M;
  }

  /// 6 x nv, row-major: momentum of all links, then angular momentum about their centre of mass,
  /// for one unit of each rate.
  std::vector<double> momentum_matrix(const double* q) const {
    const std::vector<double> zeros(index(nv_), 0.0);
    const auto links = motion(q, zeros.data(), zeros.data());
    const Vec3<double> com = centre_of_mass(q);
    std::vector<double> A(index(6 * nv_), 0.0);
    for (const LinkDescription& description : robot_.description.links) {
      if (!description.inertial) continue;
      const OracleLink& link = links.at(description.name);
      const Vec3<double> c = link.R * description.inertial->origin.position;
      const Mat3<double> I = rotational(link, *description.inertial);
      for (int k = 0; k < nv_; ++k) {
        const OracleColumn& s = link.columns[index(k)];
        const Vec3<double> momentum = description.inertial->mass * (s.slide + cross(s.turn, c));
        const Vec3<double> spin = I * s.turn + cross(link.p + c - com, momentum);
        const double rows[6] = {momentum.x, momentum.y, momentum.z, spin.x, spin.y, spin.z};
        for (int r = 0; r < 6; ++r) A[index(r * nv_ + k)] += rows[r];
      }
    }
    return A;
  }

  /// Centre of mass of all links, and their mass.
  Vec3<double> centre_of_mass(const double* q, double* mass = nullptr) const {
    const std::vector<double> zeros(index(nv_), 0.0);
    const auto links = motion(q, zeros.data(), zeros.data());
    Vec3<double> moment = Vec3<double>::zero();
    double total = 0;
    for (const LinkDescription& description : robot_.description.links) {
      if (!description.inertial) continue;
      const OracleLink& link = links.at(description.name);
      moment +=
          description.inertial->mass * (link.p + link.R * description.inertial->origin.position);
      total += description.inertial->mass;
    }
    if (mass != nullptr) *mass = total;
    return (1 / total) * moment;
  }

 private:
  struct Coordinates {
    int first, count;
    double multiplier;
  };

  static int nq(JointKind kind) {
    switch (kind) {
      case JointKind::fixed:
        return 0;
      case JointKind::planar:
        return 3;
      case JointKind::spherical:
        return 4;
      case JointKind::floating:
        return 7;
      default:
        return 1;
    }
  }
  static int nv(JointKind kind) {
    const int n = nq(kind);
    return n > 3 ? n - 1 : n;
  }

  bool honours_mimic(const JointDescription& joint) const {
    return joint.mimic && robot_.options.mimic == MimicPolicy::honour;
  }

  void add_floating_base() {
    JointDescription joint;
    joint.name = "floating_base";
    joint.kind = JointKind::floating;
    joint.parent = "oracle's world";
    joint.child = root_link();
    robot_.description.links.push_back({joint.parent, std::nullopt});
    robot_.description.joints.push_back(joint);
  }

  std::string root_link() const {
    for (const LinkDescription& link : robot_.description.links) {
      const auto& joints = robot_.description.joints;
      if (std::none_of(joints.begin(), joints.end(),
                       [&](const JointDescription& joint) { return joint.child == link.name; })) {
        return link.name;
      }
    }
    return {};
  }

  /// Depth-first, children by joint name.
  void find_order(const std::string& link) {
    std::map<std::string, int> children;
    for (std::size_t j = 0; j < robot_.description.joints.size(); ++j) {
      const JointDescription& joint = robot_.description.joints[j];
      if (joint.parent == link) children[joint.name] = static_cast<int>(j);
    }
    for (const auto& [name, j] : children) {
      order_.push_back(j);
      find_order(robot_.description.joints[index(j)].child);
    }
  }

  const JointDescription& joint_named(const std::string& name) const {
    return *std::find_if(robot_.description.joints.begin(), robot_.description.joints.end(),
                         [&](const JointDescription& joint) { return joint.name == name; });
  }

  /// The rates of a joint are `multiplier` times v[first ...]; a mimic joint's are those of its
  /// leader.
  Coordinates coordinates(const JointDescription& joint) const {
    if (!honours_mimic(joint)) {
      return {joint.kind == JointKind::fixed ? 0 : v_index_.at(joint.name), nv(joint.kind), 1};
    }
    Coordinates leader = coordinates(joint_named(joint.mimic->joint));
    leader.multiplier *= joint.mimic->multiplier;
    return leader;
  }

  double single_coordinate(const JointDescription& joint, const double* q) const {
    if (!honours_mimic(joint)) return q[q_index_.at(joint.name)];
    return joint.mimic->multiplier * single_coordinate(joint_named(joint.mimic->joint), q) +
           joint.mimic->offset;
  }

  double armature(const JointDescription& joint) const {
    const auto option = robot_.options.armature.find(joint.name);
    return option == robot_.options.armature.end() ? joint.armature : option->second;
  }

  static Mat3<double> turn_about(const Vec3<double>& axis, double angle) {
    const Mat3<double> K = skew(axis), KK = K * K;
    const double s = std::sin(angle), c = 1 - std::cos(angle);
    const auto row = [&](const Vec3<double>& one, const Vec3<double>& k, const Vec3<double>& kk) {
      return one + s * k + c * kk;
    };
    return {row({1, 0, 0}, K.x, KK.x), row({0, 1, 0}, K.y, KK.y), row({0, 0, 1}, K.z, KK.z)};
  }

  /// The shortest arc that takes z to n.
  static Mat3<double> arc_from_z(const Vec3<double>& n) {
    const Vec3<double> across{-n.y, n.x, 0};
    const double sine = std::sqrt(dot(across, across));
    if (sine == 0) return turn_about({1, 0, 0}, n.z > 0 ? 0 : std::acos(-1.0));
    return turn_about((1 / sine) * across, std::atan2(sine, n.z));
  }

  /// Rotation of the child in the joint frame, shift of its origin, and the columns of its rates,
  /// at q.
  struct Relative {
    Mat3<double> R = Mat3<double>::identity();
    Vec3<double> d = Vec3<double>::zero();
    std::vector<OracleColumn> columns{};
  };

  Relative relative(const JointDescription& joint, const double* q) const {
    Relative x;
    const Vec3<double> zero = Vec3<double>::zero();
    const Vec3<double> u = (1 / std::sqrt(dot(joint.axis, joint.axis))) * joint.axis;
    const double* at = honours_mimic(joint) || joint.kind == JointKind::fixed
                           ? nullptr
                           : q + q_index_.at(joint.name);
    const auto axes = [](const Mat3<double>& R) {
      const Mat3<double> T = transpose(R);
      return std::vector<Vec3<double>>{T.x, T.y, T.z};
    };
    switch (joint.kind) {
      case JointKind::fixed:
        break;
      case JointKind::revolute:
      case JointKind::continuous:
        x.R = turn_about(u, single_coordinate(joint, q));
        x.columns = {{u, zero}};
        break;
      case JointKind::prismatic:
        x.d = single_coordinate(joint, q) * u;
        x.columns = {{zero, u}};
        break;
      case JointKind::helical:
        x.R = turn_about(u, single_coordinate(joint, q));
        x.d = joint.pitch * single_coordinate(joint, q) * u;
        x.columns = {{u, joint.pitch * u}};
        break;
      case JointKind::planar: {
        x.R = turn_about(u, at[2]);
        x.d = arc_from_z(u) * Vec3<double>{at[0], at[1], 0};
        const auto moving = axes(x.R * arc_from_z(u));
        x.columns = {{zero, moving[0]}, {zero, moving[1]}, {u, zero}};
        break;
      }
      case JointKind::spherical:
        x.R = detail::quaternion_matrix(at);
        for (const Vec3<double>& axis : axes(x.R)) x.columns.push_back({axis, zero});
        break;
      case JointKind::floating:
        x.R = detail::quaternion_matrix(at + 3);
        x.d = {at[0], at[1], at[2]};
        for (const Vec3<double>& axis : axes(x.R)) x.columns.push_back({zero, axis});
        for (const Vec3<double>& axis : axes(x.R)) x.columns.push_back({axis, zero});
        break;
    }
    return x;
  }

  OracleLink child(const JointDescription& joint, const OracleLink& parent, const double* q,
                   const double* v, const double* a) const {
    const Relative x = relative(joint, q);
    const auto [first, count, multiplier] = coordinates(joint);
    const Mat3<double> R_joint = parent.R * joint.origin.rotation;
    const Vec3<double> arm = parent.R * joint.origin.position + R_joint * x.d;

    // Rates of the child in the joint frame, and their derivatives there. The columns of planar and
    // floating joints turn with the child, which gives w_rel x v_rel; those of spherical ones would
    // give w_rel x w_rel = 0.
    Vec3<double> w_rel = Vec3<double>::zero(), v_rel = w_rel, alpha_rel = w_rel, a_rel = w_rel;
    for (std::size_t k = 0; k < x.columns.size(); ++k) {
      const double rate = multiplier * v[index(first) + k],
                   change = multiplier * a[index(first) + k];
      w_rel += rate * x.columns[k].turn;
      v_rel += rate * x.columns[k].slide;
      alpha_rel += change * x.columns[k].turn;
      a_rel += change * x.columns[k].slide;
    }
    if (count > 1) a_rel += cross(w_rel, v_rel);
    w_rel = R_joint * w_rel;
    v_rel = R_joint * v_rel;

    OracleLink link;
    link.R = R_joint * x.R;
    link.p = parent.p + arm;
    link.w = parent.w + w_rel;
    link.v = parent.v + cross(parent.w, arm) + v_rel;
    link.alpha = parent.alpha + R_joint * alpha_rel + cross(parent.w, w_rel);
    link.a = parent.a + cross(parent.alpha, arm) + cross(parent.w, cross(parent.w, arm)) +
             2 * cross(parent.w, v_rel) + R_joint * a_rel;
    link.columns = parent.columns;
    for (OracleColumn& column : link.columns) column.slide += cross(column.turn, arm);
    for (std::size_t k = 0; k < x.columns.size(); ++k) {
      OracleColumn& column = link.columns[index(first) + k];
      column.turn += multiplier * (R_joint * x.columns[k].turn);
      column.slide += multiplier * (R_joint * x.columns[k].slide);
    }
    return link;
  }

  static Mat3<double> rotational(const OracleLink& link, const LinkInertial& inertial) {
    const Mat3<double> R = link.R * inertial.origin.rotation;
    return R * (dense(inertial.rotational) * transpose(R));
  }

  /// tau += sign J^T (force, moment about the link's origin)
  static void project(const OracleLink& link, const Vec3<double>& force, const Vec3<double>& moment,
                      double sign, std::vector<double>& tau) {
    for (std::size_t k = 0; k < tau.size(); ++k) {
      tau[k] += sign * (dot(link.columns[k].slide, force) + dot(link.columns[k].turn, moment));
    }
  }

  void add_joint_terms(const double* v, const double* a, bool friction,
                       std::vector<double>& tau) const {
    for (const JointDescription& joint : robot_.description.joints) {
      const auto [first, count, multiplier] = coordinates(joint);
      for (int k = first; k < first + count; ++k) {
        const double rate = multiplier * v[k];
        double torque = armature(joint) * multiplier * a[k];
        if (friction) torque += joint.damping * rate + joint.friction * ((rate > 0) - (rate < 0));
        tau[index(k)] += multiplier * torque;
      }
    }
  }

  Robot robot_;
  std::vector<int> order_;
  std::map<std::string, int> q_index_, v_index_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace rbd_parallel_core::conformance
