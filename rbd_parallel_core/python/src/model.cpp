// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

using Armature = std::map<std::string, double>;

Vec3<double> vec3(const std::vector<double>& a) { return {a[0], a[1], a[2]}; }

ModelOptions model_options(std::string_view base, nb::handle gravity, std::string_view mimic,
                           std::string_view inertia_policy, const Armature& armature) {
  ModelOptions options;
  options.base = choice("base", base, {"fixed", "floating"}) == 0 ? Base::fixed : Base::floating;
  options.gravity = vec3(numbers(gravity, "gravity", 3));
  options.mimic = choice("mimic", mimic, {"honour", "independent"}) == 0 ? MimicPolicy::honour
                                                                         : MimicPolicy::independent;
  switch (choice("inertia_policy", inertia_policy, {"warn", "error", "zero"})) {
    case 0:
      options.inertia_policy = InertiaPolicy::warn;
      break;
    case 1:
      options.inertia_policy = InertiaPolicy::error;
      break;
    default:
      options.inertia_policy = InertiaPolicy::zero;
      break;
  }
  options.armature = armature;
  return options;
}

/// The path or text that `source` holds: str, bytes, or a path object.
std::string source_text(nb::handle source) {
  const nb::object text = nb::module_::import_("os").attr("fspath")(source);
  if (nb::isinstance<nb::bytes>(text)) {
    const auto bytes = nb::cast<nb::bytes>(text);
    return {bytes.c_str(), bytes.size()};
  }
  return utf8(text, "surrogateescape");
}

/// A new array that holds a copy of `values`.
nb::object copied(const std::vector<double>& values) {
  const auto result = Array<double>::make({values.size()});
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result.object();
}

/// A rotational inertia about the centre of mass: 3 x 3 and symmetric, or xx xy xz yy yz zz.
SymMat3<double> rotational_inertia(nb::handle object) {
  if (object.is_none()) return {0, 0, 0, 0, 0, 0};
  const auto array = Array<double>::view(object, "inertia");
  const double* a = array.data();
  if (array.shape() == Shape{6}) return {a[0], a[1], a[2], a[3], a[4], a[5]};
  if (array.shape() != Shape{3, 3}) {
    refuse("inertia: expected shape (3, 3), or (6,) with xx xy xz yy yz zz, got " +
           text(array.shape()));
  }
  // Written so that NaN passes: the core refuses it, and says so better.
  if (a[1] > a[3] || a[1] < a[3] || a[2] > a[6] || a[2] < a[6] || a[5] > a[7] || a[5] < a[7]) {
    refuse("inertia: expected a symmetric matrix, got one that is not");
  }
  return {a[0], a[1], a[2], a[4], a[5], a[8]};
}

Model with_payload(const Model& model, const std::string& link, double mass, nb::handle com,
                   nb::handle inertia) {
  LinkInertial payload;
  payload.mass = mass;
  payload.origin.position = vec3(numbers(com, "com", 3));
  payload.rotational = rotational_inertia(inertia);
  return model.with_payload(link, payload);
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

/// A message may quote a file that is not UTF-8.
nb::object decoded(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

/// What the core found odd is shown once by Python's warnings, and stays readable as
/// Model.warnings.
Model warned(Model model, nb::handle category) {
  if (!model.warnings().empty()) {
    std::string text = model.name() + ":";
    for (const std::string& line : model.warnings()) text += "\n  " + line;
    if (PyErr_WarnFormat(category.ptr(), 1, "%U", decoded(text).ptr()) != 0) {
      throw nb::python_error();
    }
  }
  return model;
}

void bind_errors(nb::module_& m) {
  // The core's error with its list of faults: one more attribute than nanobind's own translation
  // has.
  static PyObject* model_error = nullptr;
  model_error = PyErr_NewExceptionWithDoc("rbd_parallel._core.ModelError",
                                          "A robot cannot be built. str() has every fault found, a "
                                          "line each; so has the list `faults`. What else was odd "
                                          "is in the list `warnings`.",
                                          PyExc_ValueError, nullptr);
  if (model_error == nullptr) throw nb::python_error();
  m.attr("ModelError") = nb::handle(model_error);
  nb::register_exception_translator([](const std::exception_ptr& caught, void*) {
    try {
      std::rethrow_exception(caught);
    } catch (const ModelError& error) {
      const auto list = [](const std::vector<std::string>& lines) {
        nb::list result;
        for (const std::string& line : lines) result.append(decoded(line));
        return result;
      };
      const nb::object instance = nb::handle(model_error)(decoded(error.what()));
      instance.attr("faults") = list(error.faults());
      instance.attr("warnings") = list(error.warnings());
      PyErr_SetObject(model_error, instance.ptr());
    }
  });
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_errors(m);
  const nb::object model_warning = nb::steal(PyErr_NewExceptionWithDoc(
      "rbd_parallel._core.ModelWarning",
      "Something in a robot is odd but was not refused; also in Model.warnings.", PyExc_UserWarning,
      nullptr));
  m.attr("ModelWarning") = model_warning;

  nb::class_<JointLimits>(m, "JointLimits",
                          "Limits of a joint as written in the URDF; not enforced.")
      .def_ro("lower", &JointLimits::lower, "rad or m")
      .def_ro("upper", &JointLimits::upper, "rad or m")
      .def_ro("effort", &JointLimits::effort, "N m or N")
      .def_ro("velocity", &JointLimits::velocity, "rad/s or m/s");

  nb::class_<Mimic>(m, "Mimic", "q of this joint = multiplier * q of `joint` + offset.")
      .def_ro("joint", &Mimic::joint, "name of the joint that is followed")
      .def_ro("multiplier", &Mimic::multiplier)
      .def_ro("offset", &Mimic::offset, "rad or m");

  nb::class_<Joint>(m, "Joint", "A moving joint of a Model.")
      .def_ro("name", &Joint::name)
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
      .def("__repr__", [](const Joint& joint) { return summary(joint); });

  nb::class_<Model> model(
      m, "Model",
      "A robot: immutable, may be shared by any number of threads and backends.\n\n"
      "Made by load_urdf() or auto_tree(). Joints stand depth-first, children in the\n"
      "order of their joint names. SI units throughout.");
  bind_configuration(model);
  model.def_prop_ro("name", &Model::name)
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
            return copied({g.x, g.y, g.z});
          },
          nb::sig("def gravity(self) -> numpy.ndarray"), "(3,), m/s^2, in the world frame.")
      .def_prop_ro("warnings", &Model::warnings, "What was odd but not refused, one line each.")
      .def(
          "neutral", [](const Model& model) { return copied(model.neutral()); },
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
      [model_warning](nb::handle path_or_xml, std::string_view base, nb::handle gravity,
                      std::string_view mimic, std::string_view inertia_policy,
                      const Armature& armature) {
        const ModelOptions options = model_options(base, gravity, mimic, inertia_policy, armature);
        return warned(load_urdf(source_text(path_or_xml), options), model_warning);
      },
      "path_or_xml"_a, "base"_a = "fixed", "gravity"_a = nb::make_tuple(0, 0, -9.81),
      "mimic"_a = "honour", "inertia_policy"_a = "warn", "armature"_a = nb::dict(),
      nb::sig(
          "def load_urdf(path_or_xml: str | bytes | os.PathLike, base: str = \"fixed\", gravity: "
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
        return auto_tree({bodies, branching, skew, taper},
                         model_options(base, gravity, "honour", "warn", armature));
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
