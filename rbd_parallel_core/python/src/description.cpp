// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/description.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "model_arguments.hpp"
#include "model_errors.hpp"

/// A RobotDescription of Python (rbd_parallel/description.py) as one of the core.
namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

nb::object description_class(const char* name) {
  return nb::module_::import_("rbd_parallel.description").attr(name);
}

std::string text_from(nb::handle object, std::string_view name) {
  if (nb::isinstance<nb::str>(object)) return utf8(object);
  refuse(std::string(name) + ": expected a str, got a " + class_name(object));
}

double number_from(nb::handle object, std::string_view name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nb::python_error();  // Ctrl-C
  PyErr_Clear();
  refuse(std::string(name) + ": expected a number, got a " + class_name(object));
}

JointKind kind_from(nb::handle object) {
  static constexpr JointKind kinds[] = {
      JointKind::fixed,   JointKind::revolute, JointKind::continuous, JointKind::prismatic,
      JointKind::helical, JointKind::planar,   JointKind::spherical,  JointKind::floating};
  return kinds[choice("kind", text_from(object, "kind"),
                      {"fixed", "revolute", "continuous", "prismatic", "helical", "planar",
                       "spherical", "floating"})];
}

/// A JointLimits or a Mimic, or None.
template <class T>
std::optional<T> value_from(nb::handle object, const char* name, const char* expected) {
  if (object.is_none()) return std::nullopt;
  T* value = nullptr;
  if (nb::try_cast(object, value, false) && value != nullptr) return *value;
  refuse(std::string(name) + ": expected a " + expected + " or None, got a " + class_name(object));
}

/// Reads the fields of one link or joint. What cannot be read becomes a fault with the name of its
/// element, and the next field is read all the same.
class Fields {
 public:
  Fields(nb::handle object, std::string element, std::vector<std::string>& faults)
      : object_(object), element_(std::move(element)), faults_(faults) {
    read("name", text_from, name_);
    if (!name_.empty()) element_ = element_.substr(0, element_.find(' ')) + " '" + name_ + "'";
  }

  const std::string& name() const { return name_; }

  /// into = convert(field), or convert(field, its name).
  template <class Convert, class T>
  void read(const char* field, const Convert& convert, T& into) {
    try {
      const nb::object value = object_.attr(field);
      if constexpr (std::is_invocable_v<Convert, nb::handle, std::string_view>) {
        into = convert(value, field);
      } else {
        into = convert(value);
      }
    } catch (const nb::builtin_exception& refused) {
      faults_.push_back(element_ + ": " + refused.what());
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_ValueError)) throw;  // of numpy, about an array that is none
      faults_.push_back(element_ + ": " + nb::str(error.value()).c_str());
    }
  }

 private:
  nb::handle object_;
  std::string element_, name_;
  std::vector<std::string>& faults_;
};

LinkDescription link_from(Fields fields) {
  LinkDescription link;
  link.name = fields.name();
  LinkInertial inertial;
  fields.read("mass", number_from, inertial.mass);
  fields.read("com", vector_from, inertial.origin.position);
  fields.read("inertia", rotational_inertia_from, inertial.rotational);
  fields.read("inertia_rotation", rotation_from, inertial.origin.rotation);
  link.inertial = inertial;
  return link;
}

JointDescription joint_from(Fields fields) {
  JointDescription joint;
  joint.name = fields.name();
  fields.read("kind", kind_from, joint.kind);
  fields.read("parent", text_from, joint.parent);
  fields.read("child", text_from, joint.child);
  fields.read("position", vector_from, joint.origin.position);
  fields.read("rotation", rotation_from, joint.origin.rotation);
  fields.read("axis", vector_from, joint.axis);
  fields.read("pitch", number_from, joint.pitch);
  fields.read(
      "limits",
      [](nb::handle value) { return value_from<JointLimits>(value, "limits", "JointLimits"); },
      joint.limits);
  fields.read(
      "mimic", [](nb::handle value) { return value_from<Mimic>(value, "mimic", "Mimic"); },
      joint.mimic);
  fields.read("armature", number_from, joint.armature);
  fields.read("damping", number_from, joint.damping);
  fields.read("friction", number_from, joint.friction);
  return joint;
}

/// The elements of robot.links or robot.joints.
template <class T>
void read_elements(nb::handle robot, const char* list, const char* element, const char* class_,
                   T (*read)(Fields), std::vector<T>& into, std::vector<std::string>& faults) {
  const nb::object expected = description_class(class_);
  std::size_t index = 0;
  for (const nb::handle object : nb::object(robot.attr(list))) {
    if (nb::isinstance(object, expected)) {
      into.push_back(read(Fields(object, element + (" number " + std::to_string(index)), faults)));
    } else {
      faults.push_back(std::string(list) + "[" + std::to_string(index) + "]: expected a " + class_ +
                       ", got a " + class_name(object));
    }
    ++index;
  }
}

RobotDescription description_from(nb::handle object) {
  if (!nb::isinstance(object, description_class("RobotDescription"))) {
    throw nb::type_error(("robot: expected a RobotDescription, got a " + class_name(object) +
                          "; load_urdf() takes paths and URDF text")
                             .c_str());
  }
  RobotDescription robot;
  std::vector<std::string> faults;
  try {
    robot.name = text_from(object.attr("name"), "name");
  } catch (const nb::builtin_exception& refused) {
    faults.push_back(refused.what());
  }
  read_elements(object, "links", "link", "LinkDescription", link_from, robot.links, faults);
  read_elements(object, "joints", "joint", "JointDescription", joint_from, robot.joints, faults);
  if (!faults.empty()) throw ModelError(std::move(faults));
  return robot;
}

}  // namespace

void bind_description(nb::module_& m) {
  m.def(
      "build_model",
      [](nb::handle robot, std::string_view base, nb::handle gravity, std::string_view mimic,
         std::string_view inertia_policy, const Armature& armature) {
        const ModelOptions options = model_options(base, gravity, mimic, inertia_policy, armature);
        return warned(interruptible([description = description_from(robot), options] {
          return build_model(description, options);
        }));
      },
      "robot"_a, "base"_a = "fixed", "gravity"_a = nb::make_tuple(0, 0, -9.81),
      "mimic"_a = "honour", "inertia_policy"_a = "warn", "armature"_a = nb::dict(),
      nb::sig("def build_model(robot: rbd_parallel.description.RobotDescription, base: str = "
              "\"fixed\", gravity: numpy.typing.ArrayLike = (0, 0, -9.81), mimic: str = "
              "\"honour\", inertia_policy: str = \"warn\", armature: dict[str, float] = {}) -> "
              "Model"),
      "Checks a RobotDescription and makes a Model of it.\n\n"
      "The other arguments are those of load_urdf(). Raises ModelError with every fault found.\n"
      "Issues a ModelWarning for what is odd.");
}

}  // namespace rbd_parallel_python
