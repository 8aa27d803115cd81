// SPDX-License-Identifier: Apache-2.0
#include "urdf_check.hpp"

#include <tinyxml2.h>

#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "limit_check.hpp"
#include "message_text.hpp"
#include "structure_check.hpp"
#include "urdf_reader.hpp"
#include "urdf_text.hpp"

namespace rbd_parallel_core {
namespace {

using tinyxml2::XMLElement;

/// How far from 1 the length of an axis may be before it is worth a warning: three written digits.
constexpr double axis_length_tolerance = 1e-3;

std::optional<JointKind> kind_of(std::string_view type) {
  for (const JointKind kind : {JointKind::revolute, JointKind::continuous, JointKind::prismatic,
                               JointKind::fixed, JointKind::floating, JointKind::planar}) {
    if (type == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::string called(const XMLElement& element) {
  const char* name = element.Attribute("name");
  const std::string tag = element.Name();
  return name != nullptr ? tag + " " + shown(name) : tag + " without name";
}

/// Walks the elements of a document and writes the clean text on the way.
class UrdfChecker {
 public:
  UrdfChecker(MimicPolicy mimic, Findings& findings) : findings_(findings) {
    structure_.honours_mimic = mimic == MimicPolicy::honour;
    structure_.followable = "revolute, continuous or prismatic";
  }

  void check_document(const tinyxml2::XMLDocument& document) {
    const XMLElement* root = document.RootElement();
    if (root == nullptr) return findings_.fault(0, "", "no element, expected <robot>");
    check_nothing_beside(*root);
    if (std::string_view(root->Name()) != "robot") {
      return findings_.fault(root->GetLineNum(), "",
                             "the root element is " + shown(root->Name()) + ", expected <robot>");
    }
    check_robot(*root);
  }

  CheckedUrdf result() {
    for (const Structure::Link& link : structure_.links) checked_.links.emplace_back(link.name);
    for (const Structure::Joint& joint : structure_.joints) {
      checked_.joints.emplace_back(joint.name);
    }
    return std::move(checked_);
  }

 private:
  void check_nothing_beside(const XMLElement& root) {
    for (const auto* node = root.GetDocument()->FirstChild(); node != nullptr;
         node = node->NextSibling()) {
      if (node->ToText() != nullptr || (node->ToElement() != nullptr && node != &root)) {
        findings_.fault(node->GetLineNum(), "",
                        shown(node->Value()) + " stands outside <" + root.Name() +
                            ">, expected one root element and nothing else");
      }
    }
  }

  void check_robot(const XMLElement& element) {
    const UrdfReader robot(element, "robot", findings_);
    const auto name = robot.name_attribute("name");
    const auto version = robot.attribute("version");
    if (version && *version != "1.0") {
      robot.fault("version is " + shown(*version) + ", expected 1.0 (or none)");
    }
    robot.expect_attributes({"name", "version"});
    robot.expect_children({"link", "joint"},
                          {"material", "transmission", "gazebo", "ros2_control"});

    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot");
    put_attribute("name", name.value_or(""));
    put(">\n");
    for (const auto* e = element.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
      check_link(*e);
    }
    for (const auto* e = element.FirstChildElement("joint"); e;
         e = e->NextSiblingElement("joint")) {
      check_joint(*e);
    }
    put("</robot>\n");
    structure_.line = element.GetLineNum();
    check_structure(structure_, findings_);
  }

  // Links

  void check_link(const XMLElement& element) {
    const UrdfReader link(element, called(element), findings_);
    const auto name = link.name_attribute("name");
    link.expect_attributes({"name", "type"});
    link.expect_children({"inertial"}, {"visual", "collision", "material", "sensor", "gazebo"});
    put("<link");
    put_attribute("name", name.value_or(""));
    put(">");
    if (const XMLElement* inertial = link.child("inertial")) check_inertial(link.of(*inertial));
    put("</link>\n");
    if (name) structure_.links.push_back({kept(*name), element.GetLineNum()});
  }

  void check_inertial(const UrdfReader& inertial) {
    inertial.expect_attributes({});
    inertial.expect_children({"origin", "mass", "inertia"});
    put("<inertial>");
    check_origin(inertial, "inertial origin");
    if (const XMLElement* mass = inertial.child("mass")) {
      check_numbers(inertial.of(*mass), {"value"}, [](auto) { return std::string("mass"); });
    } else {
      inertial.fault("<inertial> has no <mass>");
    }
    if (const XMLElement* inertia = inertial.child("inertia")) {
      check_numbers(inertial.of(*inertia), {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"},
                    [](const char* name) { return "inertia " + std::string(name); });
    } else {
      inertial.fault("<inertial> has no <inertia>");
    }
    put("</inertial>");
  }

  template <class Label>
  void check_numbers(const UrdfReader& reader, std::initializer_list<const char*> names,
                     Label label) {
    reader.expect_attributes({"value", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    put("<", reader.tag());
    for (const char* name : names) put_number(name, reader.number(name, label(name)));
    put("/>");
  }

  void check_origin(const UrdfReader& parent, const std::string& label) {
    const XMLElement* element = parent.child("origin");
    if (element == nullptr) return;
    const UrdfReader origin = parent.of(*element);
    if (origin.has("quat_xyzw")) {
      origin.fault(label + " has quat_xyzw, which URDF 1.0 does not know; expected rpy");
    }
    origin.expect_attributes({"xyz", "rpy", "quat_xyzw"});
    put("<origin");
    for (const char* name : {"xyz", "rpy"}) {
      if (!origin.has(name)) continue;
      const auto vector = origin.vector(name, label + " " + name);
      if (vector) put_attribute(name, vector->text);
    }
    put("/>");
  }

  // Joints

  void check_joint(const XMLElement& element) {
    const UrdfReader reader(element, called(element), findings_);
    const auto name = reader.name_attribute("name");
    reader.expect_attributes({"name", "type"});
    reader.expect_children(
        {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"},
        {"safety_controller", "calibration", "gazebo", "hardwareInterface", "actuator"});

    Structure::Joint joint;
    joint.name = kept(name.value_or(""));
    joint.line = element.GetLineNum();
    joint.kind = check_type(reader);
    put("<joint");
    put_attribute("name", joint.name);
    put_attribute("type", name_of(joint.kind));
    put(">");
    joint.parent = check_link_reference(reader, "parent");
    joint.child = check_link_reference(reader, "child");
    check_origin(reader, "origin");
    if (joint.kind != JointKind::fixed && joint.kind != JointKind::floating) check_axis(reader);
    check_limit(reader, joint);
    check_dynamics(reader);
    check_mimic(reader, joint);
    put("</joint>\n");
    if (name) structure_.joints.push_back(joint);
  }

  JointKind check_type(const UrdfReader& joint) {
    const auto type = joint.required_attribute("type");
    const auto kind = type ? kind_of(*type) : std::nullopt;
    if (type && !kind) {
      joint.fault("type is " + shown(*type) +
                  ", expected revolute, continuous, prismatic, fixed, floating or planar");
    }
    return kind.value_or(JointKind::fixed);
  }

  std::string_view check_link_reference(const UrdfReader& joint, const char* tag) {
    const XMLElement* element = joint.child(tag);
    if (element == nullptr) {
      joint.fault("has no <" + std::string(tag) + " link=\"...\"/>");
      return "";
    }
    const UrdfReader reference = joint.of(*element);
    reference.expect_attributes({"link"});
    const auto name = reference.name_attribute("link");
    if (!name) return "";
    put("<", tag);
    put_attribute("link", *name);
    put("/>");
    return kept(*name);
  }

  void check_axis(const UrdfReader& joint) {
    const XMLElement* element = joint.child("axis");
    if (element == nullptr) return;
    const UrdfReader axis = joint.of(*element);
    axis.expect_attributes({"xyz"});
    const auto vector = axis.vector("xyz", "axis");
    if (!vector) return;
    const auto& [x, y, z] = vector->values;
    const double length = std::hypot(x, y, z);
    const std::string written = "axis is (" + vector->text + "), expected a ";
    if (length == 0) {
      axis.fault(written + "non-zero vector");
    } else if (!std::isfinite(length) || length < std::numeric_limits<double>::min()) {
      axis.fault(written + "vector whose length a double can hold");
    } else if (std::abs(length - 1) > axis_length_tolerance) {
      axis.warning(written + "unit vector; it is normalised");
    }
    put("<axis");
    put_attribute("xyz", vector->text);
    put("/>");
  }

  void check_limit(const UrdfReader& joint, const Structure::Joint& checked) {
    const bool required =
        checked.kind == JointKind::revolute || checked.kind == JointKind::prismatic;
    const XMLElement* element = joint.child("limit");
    if (element == nullptr) {
      if (!required) return;
      joint.warning("a " + std::string(name_of(checked.kind)) +
                    " joint has no <limit>; it is taken as unlimited");
      put("<limit effort=\"0\" velocity=\"0\"/>");
      missing_limits(checked).has_limits = false;
      return;
    }
    const UrdfReader limit = joint.of(*element);
    limit.expect_attributes({"lower", "upper", "effort", "velocity"});
    put("<limit");
    JointLimits limits;
    limits.lower = put_limit(limit, "lower");
    limits.upper = put_limit(limit, "upper");
    if (limit.has("effort")) {
      limits.effort = put_limit(limit, "effort");
    } else {
      put_missing_limit(limit, "effort");
      missing_limits(checked).has_effort_limit = false;
    }
    if (limit.has("velocity")) {
      limits.velocity = put_limit(limit, "velocity");
    } else {
      put_missing_limit(limit, "velocity");
      missing_limits(checked).has_velocity_limit = false;
    }
    put("/>");
    for (const std::string& odd : odd_limits(checked.kind, limits)) limit.warning(odd);
  }

  CheckedUrdf::Limits& missing_limits(const Structure::Joint& joint) {
    return checked_.missing_limits[std::string(joint.name)];
  }

  /// URDF's default is 0. A fault gives 0 too: the text is refused anyway.
  double put_limit(const UrdfReader& limit, const char* name) {
    const auto number =
        limit.has(name) ? limit.number(name, "limit " + std::string(name)) : std::nullopt;
    if (!number) return 0;
    put_attribute(name, number->text);
    return number->value;
  }

  void put_missing_limit(const UrdfReader& limit, const char* name) {
    limit.warning("<limit> has no attribute '" + std::string(name) + "'; it is taken as unlimited");
    put_attribute(name, "0");
  }

  void check_dynamics(const UrdfReader& joint) {
    const XMLElement* element = joint.child("dynamics");
    if (element == nullptr) return;
    const UrdfReader dynamics = joint.of(*element);
    dynamics.expect_attributes({"damping", "friction"});
    put("<dynamics");
    for (const char* name : {"damping", "friction"}) {
      const auto number = dynamics.has(name) ? dynamics.number(name, name) : std::nullopt;
      if (number && number->value < 0) {
        dynamics.fault(std::string(name) + " is " + number->text +
                       ", expected a number that is not negative");
      }
      put_number(name, number);
    }
    put("/>");
  }

  void check_mimic(const UrdfReader& joint, Structure::Joint& checked) {
    const XMLElement* element = joint.child("mimic");
    if (element == nullptr) return;
    const UrdfReader mimic = joint.of(*element);
    mimic.expect_attributes({"joint", "multiplier", "offset"});
    if (checked.kind == JointKind::fixed) return mimic.ignored("the <mimic> of a fixed joint");
    checked.mimic = kept(mimic.name_attribute("joint").value_or(""));
    checked.mimic_line = mimic.line();
    put("<mimic");
    put_attribute("joint", checked.mimic);
    for (const char* name : {"multiplier", "offset"}) {
      if (mimic.has(name)) put_number(name, mimic.number(name, "mimic " + std::string(name)));
    }
    put("/>");
  }

  // The clean text

  template <class... Parts>
  void put(const Parts&... parts) {
    (checked_.clean_text.append(parts), ...);
  }
  void put_attribute(const char* name, std::string_view value) {
    put(" ", name, "=\"", urdf_text::escaped(value), "\"");
  }
  void put_number(const char* name, const std::optional<UrdfReader::Number>& number) {
    put_attribute(name, number ? number->text : "0");
  }

  /// Names live as long as the checker.
  std::string_view kept(std::string name) { return names_.emplace_back(std::move(name)); }

  std::deque<std::string> names_;
  Structure structure_;
  CheckedUrdf checked_;
  Findings& findings_;
};

std::string parser_words(const tinyxml2::XMLDocument& document) {
  std::string reason;
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      reason = "an element is closed by the wrong tag, or not at all";
      break;
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      reason = "an attribute is not of the form name=\"value\"";
      break;
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      reason = "a comment is not closed";
      break;
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      reason = "a CDATA section is not closed";
      break;
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      reason = "a <?...?> is not at the start of the text, or not closed";
      break;
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      reason = "a tag is malformed or not closed";
      break;
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      reason = "text is not followed by a tag";
      break;
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      reason = "there is no element";
      break;
    default:
      reason = document.ErrorName();
      break;
  }
  return "not well-formed XML: " + reason;
}

/// tinyxml2 counts lines from where it starts: blank lines stand for the preamble.
tinyxml2::XMLError parse(tinyxml2::XMLDocument& document, int line, std::string_view body) {
  if (line == 1) return document.Parse(body.data(), body.size());
  const std::string padded = std::string(static_cast<std::size_t>(line - 1), '\n').append(body);
  return document.Parse(padded.data(), padded.size());
}

}  // namespace

CheckedUrdf check_urdf(std::string_view xml, MimicPolicy mimic,
                       std::vector<std::string>& warnings) {
  Findings findings;
  int line = 1;
  const std::string_view body = urdf_text::without_preamble(xml, line);
  urdf_text::check_markup(body, line, findings);
  findings.throw_faults();

  UrdfChecker checker(mimic, findings);
  {
    // Entities are left alone: tinyxml2 passes unknown ones through, decode_entities names them.
    tinyxml2::XMLDocument document(false);
    if (parse(document, line, body) != tinyxml2::XML_SUCCESS) {
      findings.fault(document.ErrorLineNum(), "", parser_words(document));
    } else {
      checker.check_document(document);
    }
  }
  findings.throw_faults();
  for (std::string& text : findings.take_warnings()) warnings.push_back(std::move(text));
  return checker.result();
}

}  // namespace rbd_parallel_core
