// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "model_arguments.hpp"
#include "model_errors.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

/// The path or text that `source` holds: str, bytes, or a path object.
std::string source_text(nb::handle source) {
  if (!nb::isinstance<nb::str>(source) && !nb::isinstance<nb::bytes>(source) &&
      !nb::hasattr(source, "__fspath__")) {
    throw nb::type_error(("path_or_xml: expected a path or URDF text, got a " + class_name(source) +
                          "; build_model() takes a RobotDescription")
                             .c_str());
  }
  const nb::object text = nb::module_::import_("os").attr("fspath")(source);
  if (nb::isinstance<nb::bytes>(text)) {
    const auto bytes = nb::cast<nb::bytes>(text);
    return {bytes.c_str(), bytes.size()};
  }
  return utf8(text, "surrogateescape");
}

Model with_payload(const Model& model, const std::string& link, double mass, nb::handle com,
                   nb::handle inertia) {
  LinkInertial payload;
  payload.mass = mass;
  payload.origin.position = vector_from(com, "com");
  payload.rotational = rotational_inertia_from(inertia);
  return model.with_payload(link, payload);
}

nb::object vector(const Vec3<double>& a) { return copied({a.x, a.y, a.z}, {3}); }

nb::object matrix(const Mat3<double>& a) {
  return copied({a.x.x, a.x.y, a.x.z, a.y.x, a.y.y, a.y.z, a.z.x, a.z.y, a.z.z}, {3, 3});
}

nb::object axis_of(const Joint& joint) {
  const bool has_axis = joint.kind != JointKind::spherical && joint.kind != JointKind::floating;
  return has_axis ? vector(joint.axis) : nb::none();
}

/// A link, and its place on the link that its joint carries: the frames of bodies are nobody's
/// business but the core's.
struct PlacedLink {
  Link link;
  Pose origin;
};

Pose pose_of(const Transform<double>& X) { return {X.r, transpose(X.E)}; }

std::vector<PlacedLink> links_of(const Model& model) {
  std::vector<PlacedLink> links;
  links.reserve(model.links().size());
  for (const Link& link : model.links()) {
    Transform<double> X = link.offset;
    if (link.body >= 0) {
      const Joint& joint = model.joints()[static_cast<std::size_t>(link.body)];
      if (joint.child_link == link.name) {
        X = Transform<double>::identity();
      } else {
        const int carried = *model.find_link(joint.child_link);
        X = X * inverse(model.links()[static_cast<std::size_t>(carried)].offset);
      }
    }
    links.push_back({link, pose_of(X)});
  }
  return links;
}

/// A number as Python writes it.
std::string text(double x) { return nb::repr(nb::float_(x)).c_str(); }

std::string quoted(const std::string& name) { return nb::repr(nb::str(name.c_str())).c_str(); }

std::string summary(const JointLimits& limits) {
  return "JointLimits(lower=" + text(limits.lower) + ", upper=" + text(limits.upper) +
         ", effort=" + text(limits.effort) + ", velocity=" + text(limits.velocity) + ")";
}

std::string summary(const Mimic& mimic) {
  return "Mimic(" + quoted(mimic.joint) + ", multiplier=" + text(mimic.multiplier) +
         ", offset=" + text(mimic.offset) + ")";
}

std::string summary(const Link& link) {
  return "Link(" + quoted(link.name) + ", " + text(link.mass) + " kg, " +
         (link.body < 0 ? "fixed to the world)"
                        : "carried by joints[" + std::to_string(link.body) + "])");
}

std::string summary(const Joint& joint) {
  std::string result =
      "Joint(\"" + joint.name + "\", " + name_of(joint.kind) + ", " + joint.parent_link + " -> " +
      joint.child_link + ", q[" + std::to_string(joint.q_index) + ":" +
      std::to_string(joint.q_index + joint.nq) + "], v[" + std::to_string(joint.v_index) + ":" +
      std::to_string(joint.v_index + joint.nv) + "]";
  if (joint.mimic) result += ", follows " + joint.mimic->joint;
  return result + ")";
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The parts of a joint, which descriptions have too. Nothing can be written to: a Model shares
/// them.
void bind_joint_parts(nb::module_& m) {
  nb::class_<JointLimits>(m, "JointLimits",
                          "Limits of a joint; not enforced. What is not given is unlimited.\n\n"
                          "lower, upper: rad or m; effort: N m or N; velocity: rad/s or m/s.")
      .def(
          "__init__",
          [](JointLimits* self, double lower, double upper, double effort, double velocity) {
            new (self) JointLimits{lower, upper, effort, velocity};
          },
          "lower"_a = -unlimited, "upper"_a = unlimited, "effort"_a = unlimited,
          "velocity"_a = unlimited)
      .def_ro("lower", &JointLimits::lower, "rad or m")
      .def_ro("upper", &JointLimits::upper, "rad or m")
      .def_ro("effort", &JointLimits::effort, "N m or N")
      .def_ro("velocity", &JointLimits::velocity, "rad/s or m/s")
      .def("__repr__", [](const JointLimits& limits) { return summary(limits); })
      // For copy and pickle.
      .def("__getstate__",
           [](const JointLimits& self) {
             return std::make_tuple(self.lower, self.upper, self.effort, self.velocity);
           })
      .def("__setstate__",
           [](JointLimits& self, const std::tuple<double, double, double, double>& state) {
             const auto [lower, upper, effort, velocity] = state;
             new (&self) JointLimits{lower, upper, effort, velocity};
           });

  nb::class_<Mimic>(m, "Mimic",
                    "q of this joint = multiplier * q of `joint` + offset.\n\n"
                    "joint: a name; multiplier: in the unit of this joint for one of the followed "
                    "joint; offset: rad\n"
                    "or m.")
      .def(
          "__init__",
          [](Mimic* self, const std::string& joint, double multiplier, double offset) {
            new (self) Mimic{joint, multiplier, offset};
          },
          "joint"_a, "multiplier"_a = 1.0, "offset"_a = 0.0)
      .def_ro("joint", &Mimic::joint, "name of the joint that is followed")
      .def_ro("multiplier", &Mimic::multiplier,
              "in the unit of this joint for one of the followed joint")
      .def_ro("offset", &Mimic::offset, "rad or m")
      .def("__repr__", [](const Mimic& mimic) { return summary(mimic); })
      .def("__getstate__",
           [](const Mimic& self) {
             return std::make_tuple(self.joint, self.multiplier, self.offset);
           })
      .def("__setstate__", [](Mimic& self, const std::tuple<std::string, double, double>& state) {
        const auto& [joint, multiplier, offset] = state;
        new (&self) Mimic{joint, multiplier, offset};
      });
}

/// What never changes is its own copy, as with Python's tuples.
template <class T>
void bind_copy(nb::class_<T>& bound) {
  bound.def("__copy__", [](nb::handle_t<T> self) { return nb::borrow(self); })
      .def(
          "__deepcopy__", [](nb::handle_t<T> self, nb::handle) { return nb::borrow(self); },
          "memo"_a.none());
}

}  // namespace

#define RBD_VECTOR(name) nb::sig("def " name "(self) -> numpy.ndarray")

void bind_model(nb::module_& m) {
  translate_model_errors();

  bind_joint_parts(m);
  nb::class_<Joint> bound_joint(m, "Joint", "A moving joint of a Model.");
  bind_copy(bound_joint);
  bound_joint.def_ro("name", &Joint::name)
      .def_prop_ro(
          "kind", [](const Joint& joint) { return name_of(joint.kind); },
          "revolute, continuous, prismatic, helical, planar, spherical or floating")
      .def_ro("parent_link", &Joint::parent_link)
      .def_ro("child_link", &Joint::child_link)
      .def_ro("parent", &Joint::parent,
              "index of the joint that carries the parent link, -1: fixed to the world")
      .def_ro("q_index", &Joint::q_index,
              "first coordinate in q; that of the followed joint where this one mimics")
      .def_ro("nq", &Joint::nq)
      .def_ro("v_index", &Joint::v_index,
              "first coordinate in v, a and tau; that of the followed joint where this one mimics")
      .def_ro("nv", &Joint::nv)
      .def_ro("limits", &Joint::limits)
      .def_ro("mimic", &Joint::mimic,
              "set where this joint follows another one and has no coordinate of its own")
      .def_prop_ro(
          "position", [](const Joint& joint) { return vector(joint.origin.position); },
          RBD_VECTOR("position"),
          "(3,), m: of the joint frame in the parent link. At q = 0 the frame of the child link is "
          "there.")
      .def_prop_ro(
          "rotation", [](const Joint& joint) { return matrix(joint.origin.rotation); },
          RBD_VECTOR("rotation"),
          "(3, 3): of the joint frame in the parent link; columns are the axes of the frame")
      .def_prop_ro(
          "axis", &axis_of, nb::sig("def axis(self) -> numpy.ndarray | None"),
          "(3,), of length one, in the joint frame; the normal of a planar joint, None for "
          "spherical and floating ones")
      .def_ro("pitch", &Joint::pitch, "of a helical joint, m/rad")
      .def_ro("armature", &Joint::armature, "reflected rotor inertia, kg m^2 or kg")
      .def_ro("damping", &Joint::damping, "N m s/rad or N s/m")
      .def_ro("friction", &Joint::friction, "N m or N")
      .def("__repr__", [](const Joint& joint) { return summary(joint); });

  nb::class_<PlacedLink> bound_link(m, "Link",
                                    "A link of a Model. Links on fixed joints are links too.");
  bind_copy(bound_link);
  bound_link.def_prop_ro("name", [](const PlacedLink& placed) { return placed.link.name; })
      .def_prop_ro(
          "joint", [](const PlacedLink& placed) { return placed.link.body; },
          "index of the moving joint that carries it, -1: it is fixed to the world")
      .def_prop_ro(
          "mass", [](const PlacedLink& placed) { return placed.link.mass; },
          "kg, payloads included")
      .def_prop_ro(
          "com", [](const PlacedLink& placed) { return vector(placed.link.com); },
          RBD_VECTOR("com"), "(3,), m: the centre of mass in the link frame")
      .def_prop_ro(
          "inertia", [](const PlacedLink& placed) { return matrix(dense(placed.link.inertia)); },
          RBD_VECTOR("inertia"),
          "(3, 3), kg m^2: about the centre of mass, along the axes of the link")
      .def_prop_ro(
          "position", [](const PlacedLink& placed) { return vector(placed.origin.position); },
          RBD_VECTOR("position"),
          "(3,), m: of the link frame in the frame of the link that `joint` carries, in the world "
          "where it is -1")
      .def_prop_ro(
          "rotation", [](const PlacedLink& placed) { return matrix(placed.origin.rotation); },
          RBD_VECTOR("rotation"), "(3, 3): of the link frame, in the same frame as `position`")
      .def("__repr__", [](const PlacedLink& placed) { return summary(placed.link); });

  nb::class_<Model> bound(
      m, "Model",
      "A robot: immutable, may be shared by any number of threads and backends.\n\n"
      "Made by load_urdf(), build_model() or auto_tree(). Joints stand depth-first, "
      "children in the\n"
      "order of their joint names. SI units throughout.");
  bind_configuration(bound);
  bind_copy(bound);
  bound.def_prop_ro("name", &Model::name)
      .def_prop_ro("nq", &Model::nq, "Size of q.")
      .def_prop_ro("nv", &Model::nv, "Size of v, a and tau.")
      .def_prop_ro("joint_names", &Model::joint_names,
                   "Names of the joints that have coordinates, in the order of q and v.")
      .def_prop_ro("joints", &Model::joints, "All moving joints, the mimic ones included.")
      .def_prop_ro(
          "parents",
          [](const Model& model) {
            std::vector<int> parents;
            for (const Joint& joint : model.joints()) parents.push_back(joint.parent);
            return parents;
          },
          "For each of `joints` the index of the parent joint, -1: the world.")
      .def_prop_ro("links", &links_of, nb::sig("def links(self) -> list[Link]"),
                   "All links, in the order of link_names.")
      .def_prop_ro(
          "link_names",
          [](const Model& model) {
            std::vector<std::string> names;
            for (const Link& link : model.links()) names.push_back(link.name);
            return names;
          },
          "Names of all links, the rigidly attached ones included.")
      .def_prop_ro("total_mass", &Model::total_mass, "kg, of all links.")
      .def_prop_ro(
          "gravity",
          [](const Model& model) {
            const Vec3<double>& g = model.gravity();
            return vector(g);
          },
          nb::sig("def gravity(self) -> numpy.ndarray"), "(3,), m/s^2, in the world frame.")
      .def_prop_ro("warnings", &Model::warnings, "What was odd but not refused, one line each.")
      .def_prop_ro(
          "inertial_parameters",
          [](const Model& model) {
            const std::vector<double> numbers = model.inertial_parameters();
            return copied(numbers, {numbers.size()});
          },
          nb::sig("def inertial_parameters(self) -> numpy.ndarray"),
          "What the regressor multiplies, (10 bodies,): for each body m, m c (x y z), and I_xx "
          "I_xy\n"
          "I_yy I_xz I_yz I_zz about the origin of the link that its joint carries; kg, kg m, kg "
          "m^2.")
      .def(
          "neutral",
          [](const Model& model) { return copied(model.neutral(), {model.neutral().size()}); },
          nb::sig("def neutral(self) -> numpy.ndarray"),
          "q at rest, (nq,): zeros and unit quaternions.")
      .def("with_payload", &with_payload, "link"_a, "mass"_a, "com"_a = nb::make_tuple(0, 0, 0),
           "inertia"_a = nb::none(),
           nb::sig(
               "def with_payload(self, link: str, mass: float, com: numpy.typing.ArrayLike = (0, "
               "0, 0), inertia: numpy.typing.ArrayLike | None = None) -> Model"),
           "A new Model with a payload rigidly attached to the link.\n\n"
           "mass: kg; com: (3,), m, in the link frame; inertia: (3, 3), or (6,) with\n"
           "xx xy xz yy yz zz, kg m^2, about the centre of mass along the axes of the link;\n"
           "None: a point mass.")
      .def("__repr__", [](const Model& model) {
        std::string tree = model.tree();
        while (tree.ends_with('\n')) tree.pop_back();  // a repr brings no line of its own
        return tree;
      });

  m.def(
      "load_urdf",
      [](nb::handle path_or_xml, std::string_view base, nb::handle gravity, std::string_view mimic,
         std::string_view inertia_policy, const Armature& armature) {
        const ModelOptions options = model_options(base, gravity, mimic, inertia_policy, armature);
        return warned(interruptible(
            [source = source_text(path_or_xml), options] { return load_urdf(source, options); }));
      },
      "path_or_xml"_a, "base"_a = "fixed", "gravity"_a = nb::make_tuple(0, 0, -9.81),
      "mimic"_a = "honour", "inertia_policy"_a = "warn", "armature"_a = nb::dict(),
      nb::sig(
          "def load_urdf(path_or_xml: str | bytes | os.PathLike[str], base: str = \"fixed\", "
          "gravity: "
          "numpy.typing.ArrayLike = (0, 0, -9.81), mimic: str = \"honour\", inertia_policy: str "
          "= \"warn\", armature: dict[str, float] = {}) -> Model"),
      "Reads a robot from a URDF file, or from the text itself (which starts with '<').\n\n"
      "base: \"fixed\" or \"floating\" (q starts with x y z, qx qy qz qw of the root link);\n"
      "gravity: (3,), m/s^2, in the world frame;\n"
      "mimic: \"honour\", or \"independent\" to give each mimic joint a coordinate of its own;\n"
      "inertia_policy: what a faulty inertia does: \"warn\" (numbers as written), \"error\", or\n"
      "\"zero\" (that link's inertia becomes zero);\n"
      "armature: reflected rotor inertia by joint name, kg m^2 or kg.\n\n"
      "Raises ModelError with every fault found. Issues a ModelWarning for what is odd.");

  m.def(
      "auto_tree",
      [](int bodies, double branching, double skew, double taper, std::string_view base,
         nb::handle gravity, const Armature& armature) {
        const ModelOptions options = model_options(base, gravity, "honour", "warn", armature);
        return interruptible([=] { return auto_tree({bodies, branching, skew, taper}, options); });
      },
      "bodies"_a, "branching"_a = 1.0, "skew"_a = 0.0, "taper"_a = 1.0, "base"_a = "fixed",
      "gravity"_a = nb::make_tuple(0, 0, -9.81), "armature"_a = nb::dict(),
      nb::sig(
          "def auto_tree(bodies: int, branching: float = 1.0, skew: float = 0.0, taper: float = "
          "1.0, base: str = \"fixed\", gravity: numpy.typing.ArrayLike = (0, 0, -9.81), armature: "
          "dict[str, float] = {}) -> Model"),
      "Featherstone's autoTree: cylinders of 1 m and 1 kg, each on the tip of its parent.\n\n"
      "branching: 1 is a chain, 2 a binary tree; skew: rad, turn about x from one body to the\n"
      "next; taper: body i has length taper^i and mass taper^(3 i). The other arguments are those\n"
      "of load_urdf().");
}

}  // namespace rbd_parallel_python
