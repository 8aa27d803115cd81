// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/model/description.hpp"
#include "rbd_parallel_core/model/model_view.hpp"

namespace rbd_parallel_core {

/// Thrown when a robot cannot be built. `faults()` has every fault found, each naming its element;
/// `warnings()` what else was odd until then, which may explain a fault. what() is all of it, a
/// line each, of many warnings the first ones.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(std::vector<std::string> faults, std::vector<std::string> warnings = {});
  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> faults_, warnings_;
};

enum class Base { fixed, floating };
enum class MimicPolicy { honour, independent };
enum class InertiaPolicy {
  warn,   ///< numbers as written, each fault is a warning
  error,  ///< a fault refuses the robot
  zero,   ///< the inertia of a faulty link becomes zero, with a warning
};

struct ModelOptions {
  Base base = Base::fixed;
  Vec3<double> gravity{0, 0, -9.81};  ///< world frame, m/s^2
  MimicPolicy mimic = MimicPolicy::honour;
  InertiaPolicy inertia_policy = InertiaPolicy::warn;
  std::map<std::string, double> armature;  ///< by joint name; replaces the description's
};

/// A moving joint. Fixed joints are gone: their links are lumped into the body that carries them.
struct Joint {
  std::string name;
  JointKind kind;  ///< as described; continuous and revolute are the same to the algorithms
  std::string parent_link, child_link;
  int body;         ///< index of the body it carries (= its own index)
  int parent;       ///< index of the parent body, -1: the world
  int q_index, nq;  ///< coordinates in q; those of the followed joint where it mimics
  int v_index, nv;  ///< coordinates in v, a, tau; likewise
  std::optional<JointLimits> limits;
  std::optional<Mimic> mimic;  ///< set if it follows another joint and has no coordinate itself
  bool periodic;      ///< q and q + 2 pi are one configuration: continuous, and no joint follows it
  Pose origin;        ///< the joint frame in the parent link, at q = 0 that of the child link
  Vec3<double> axis;  ///< in the joint frame, of length one; zero where the kind has no axis
  double pitch;       ///< helical: m/rad; 0 for other kinds
  double armature;    ///< kg m^2 or kg, what ModelOptions say included
  double damping;     ///< N m s/rad or N s/m
  double friction;    ///< N m or N
};

/// A link of the description. Its frame moves with `body`.
struct Link {
  std::string name;
  int body;  ///< index of the body, -1: fixed to the world
  Transform<double>
      offset;        ///< from the body frame (the world's where body is -1) to the link frame
  double mass;       ///< kg, payloads included
  Vec3<double> com;  ///< centre of mass in the link frame, m
  SymMat3<double> inertia;  ///< about the centre of mass, along the axes of the link, kg m^2
};

/// The robot: immutable, topologically ordered, shared by any number of threads.
/// Joints stand depth-first, children in the order of their joint names.
class Model {
 public:
  const std::string& name() const { return name_; }
  int body_count() const { return static_cast<int>(joints_.size()); }
  int nq() const { return view_.nq; }
  int nv() const { return view_.nv; }

  /// All moving joints, mimic ones included; joint i carries body i.
  const std::vector<Joint>& joints() const { return joints_; }
  /// Names of the joints that have coordinates (mimic joints have none), in the order of q and v.
  const std::vector<std::string>& joint_names() const { return joint_names_; }
  const std::vector<Link>& links() const { return links_; }

  std::optional<int> find_link(std::string_view name) const;
  std::optional<int> find_joint(std::string_view name) const;  ///< index into joints()
  /// Index of the joint that owns coordinate `v_index` of v.
  int joint_of_dof(int v_index) const { return joint_of_dof_[static_cast<std::size_t>(v_index)]; }

  const Vec3<double>& gravity() const { return view_.gravity; }
  double total_mass() const { return total_mass_; }  ///< kg, of all links, the root link included
  /// What is rigidly attached to the world, in the world frame: enters energies and centre of mass
  /// only.
  const Inertia<double>& base_inertia() const { return view_.base_inertia; }
  bool has_mimic() const { return view_.has_mimic; }

  /// What the regressor multiplies: ten numbers for each body, of all links that move with it, in
  /// the frame of the link that its joint carries: m, m c (x, y, z), and about that frame's origin
  /// I_xx, I_xy, I_yy, I_xz, I_yz, I_zz. kg, kg m, kg m^2.
  std::vector<double> inertial_parameters() const;

  /// q at rest: zeros, unit quaternions. size nq
  std::vector<double> neutral() const;

  /// What was odd but not refused, one line each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// The plain pointers for kernels, valid while this Model lives.
  const ModelView<double>& view() const { return view_; }

  /// The tree as text, a line per joint.
  std::string tree() const;

  /// A new Model in which `payload` (given in the frame of link `link`) is rigidly attached to that
  /// link. Throws ModelError for an unknown link or an impossible inertia.
  Model with_payload(std::string_view link, const LinkInertial& payload) const;

  Model(const Model& other);
  Model(Model&& other) noexcept;
  Model& operator=(const Model&) = delete;
  ~Model();

 private:
  friend class ModelAssembler;
  Model();
  void point_view();

  std::string name_;
  std::vector<Joint> joints_;
  std::vector<std::string> joint_names_;
  std::vector<Link> links_;
  std::map<std::string, int, std::less<>> link_index_, joint_index_;
  std::vector<int> joint_of_dof_;
  std::vector<std::string> warnings_;
  double total_mass_ = 0;

  std::vector<BodyView<double>> bodies_;
  std::vector<LinkView<double>> link_views_;
  std::vector<double> armature_, damping_, friction_, column_multiplier_;
  std::vector<std::int32_t> column_dof_, dof_parent_;
  ModelView<double> view_{};
};

/// Checks a description and builds the Model. Throws ModelError with every fault found: names,
/// parents, roots, cycles, numbers, axes, mimic targets, and inertias as the policy says.
Model build_model(const RobotDescription& robot, const ModelOptions& options = {});

}  // namespace rbd_parallel_core
