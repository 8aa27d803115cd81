// SPDX-License-Identifier: Apache-2.0
#include "urdf_check.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "rbd_parallel_core/model/model.hpp"
#include "urdf_text.hpp"

namespace rbd_parallel_core {
namespace {

using tinyxml2::XMLElement;
using urdf_text::Findings;
using urdf_text::shown;

/// How far from 1 the length of an axis may be before it is worth a warning: three written digits.
constexpr double axis_length_tolerance = 1e-3;

using Names = std::initializer_list<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct CheckedJoint {
  std::string name, type, parent, child, mimic;
  int line = 0, mimic_line = 0;
  CheckedUrdf::Joint result;

  bool moves_along_one_axis() const {
    return type == "revolute" || type == "continuous" || type == "prismatic";
  }
};

struct CheckedLink {
  std::string name;
  int line = 0;
};

/// Cycles of the graph in which i leads to next[i] (-1: nowhere), each once, from its lowest index.
std::vector<std::vector<int>> find_cycles(const std::vector<int>& next) {
  std::vector<std::vector<int>> cycles;
  std::vector<int> visited_by(next.size(), -1);
  for (int start = 0; start < static_cast<int>(next.size()); ++start) {
    int i = start;
    while (i >= 0 && visited_by[static_cast<std::size_t>(i)] < 0) {
      visited_by[static_cast<std::size_t>(i)] = start;
      i = next[static_cast<std::size_t>(i)];
    }
    if (i < 0 || visited_by[static_cast<std::size_t>(i)] != start) continue;
    std::vector<int> cycle;
    for (int k = i; cycle.empty() || k != i; k = next[static_cast<std::size_t>(k)]) {
      cycle.push_back(k);
    }
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

/// Of a text that was checked.
double number_of(std::string_view checked) {
  std::string unused;
  return urdf_text::parse_number(checked, unused).value_or(0);
}

/// 'a', 'b', 'c' and 4 more
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i) {
    text.append(i == 0 ? "" : ", ").append(shown(names[i]));
  }
  if (names.size() > longest) text += " and " + std::to_string(names.size() - longest) + " more";
  return text;
}

/// The attributes and children of one element, read for a message's `who`.
class Reader {
 public:
  Reader(const XMLElement& element, std::string who, Findings& findings)
      : element_(element), who_(std::move(who)), findings_(findings) {}

  int line() const { return element_.GetLineNum(); }
  std::string tag() const { return element_.Name(); }
  const std::string& who() const { return who_; }
  void fault(std::string_view what) const { findings_.fault(line(), who_, what); }
  void warning(std::string_view what) const { findings_.warning(line(), who_, what); }
  void ignored(const std::string& what) const { findings_.ignored(line(), who_, what); }

  /// The attribute with its entities replaced; nothing if it is missing (without a word) or bad.
  std::optional<std::string> attribute(const char* name) const {
    const char* raw = element_.Attribute(name);
    if (raw == nullptr) return std::nullopt;
    std::string bad;
    auto value = urdf_text::decode_entities(raw, bad);
    if (!value) {
      fault(std::string(name) + " has the entity " + shown(bad) +
            ", expected one of &amp; &lt; &gt; &quot; &apos; or a character reference");
    } else if (!urdf_text::is_utf8(*value)) {
      fault(std::string(name) + " is " + shown(*value) + ", which is not UTF-8");
      return std::nullopt;
    }
    return value;
  }

  std::optional<std::string> required_attribute(const char* name) const {
    if (element_.Attribute(name) == nullptr) {
      fault("<" + tag() + "> has no attribute '" + name + "'");
      return std::nullopt;
    }
    return attribute(name);
  }

  /// A name that something else refers to.
  std::optional<std::string> name_attribute(const char* name) const {
    auto value = required_attribute(name);
    if (!value) return value;
    const auto is_control = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    };
    if (value->empty()) {
      fault("attribute '" + std::string(name) + "' of <" + tag() + "> is empty, expected a name");
      return std::nullopt;
    }
    if (std::any_of(value->begin(), value->end(), is_control)) {
      fault("attribute '" + std::string(name) + "' of <" + tag() + "> is " + shown(*value) +
            ", expected a name without control characters");
      return std::nullopt;
    }
    return value;
  }

  /// A number, given as text so that urdfdom reads the same digits. `label` is how messages call
  /// it.
  std::optional<std::string> number(const char* name, const std::string& label) const {
    const auto text = required_attribute(name);
    if (!text) return std::nullopt;
    std::string expected;
    if (urdf_text::parse_number(*text, expected)) return trimmed(*text);
    fault(label + " is " + shown(*text) + ", " + expected);
    return std::nullopt;
  }

  std::optional<std::array<double, 3>> vector(const char* name, const std::string& label,
                                              std::string& text) const {
    const auto raw = required_attribute(name);
    if (!raw) return std::nullopt;
    std::string expected;
    const auto values = urdf_text::parse_vector(*raw, expected);
    if (!values) fault(label + " is " + shown(*raw) + ", " + expected);
    text = single_spaced(*raw);
    return values;
  }

  /// The only child of that name, or null; a second one is a fault, since readers would pick one.
  const XMLElement* child(const char* name) const {
    const XMLElement* first = element_.FirstChildElement(name);
    if (first != nullptr && first->NextSiblingElement(name) != nullptr) {
      findings_.fault(first->NextSiblingElement(name)->GetLineNum(), who_,
                      "a second <" + std::string(name) + ">, expected one");
    }
    return first;
  }

  Reader of(const XMLElement& child) const { return {child, who_, findings_}; }

  /// Nothing is dropped in silence: what is not known is named. `ignored` is known to be of no
  /// concern.
  void expect_children(const Names& read, const Names& ignored = {}) const {
    for (const auto* node = element_.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (node->ToText() != nullptr) {
        findings_.ignored(node->GetLineNum(), who_, "text between the elements of <" + tag() + ">");
      }
      const XMLElement* child = node->ToElement();
      if (child == nullptr) continue;
      const std::string_view name = child->Name();
      if (name.starts_with("xacro:")) {
        findings_.fault(child->GetLineNum(), who_,
                        "the element " + shown(name) + " is xacro, expected URDF: run xacro first");
      } else if (!contains(read, name) && !contains(ignored, name)) {
        findings_.ignored(child->GetLineNum(), who_,
                          "the unknown element " + shown(name) + " in <" + tag() + ">");
      }
    }
  }

  void expect_attributes(const Names& read) const {
    std::vector<std::string_view> seen;
    for (const auto* a = element_.FirstAttribute(); a != nullptr; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name.starts_with("xml")) continue;
      if (!contains(read, name)) {
        findings_.ignored(a->GetLineNum(), who_,
                          "the unknown attribute " + shown(name) + " of <" + tag() + ">");
      } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        fault("<" + tag() + "> has the attribute " + shown(name) + " twice, expected once");
      } else {
        seen.push_back(name);
      }
    }
  }

 private:
  static std::string trimmed(const std::string& text) {
    return text.substr(text.find_first_not_of(" \t\n\v\f\r"));
  }

  static std::string single_spaced(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t start = text.find_first_not_of(" \t\n\v\f\r", i);
      if (start == std::string::npos) break;
      i = std::min(text.find_first_of(" \t\n\v\f\r", start), text.size());
      out.append(out.empty() ? "" : " ").append(text, start, i - start);
    }
    return out;
  }

  const XMLElement& element_;
  std::string who_;
  Findings& findings_;
};

class Checker {
 public:
  Checker(MimicPolicy mimic, Findings& findings) : mimic_policy_(mimic), findings_(findings) {}

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
    CheckedUrdf out;
    for (CheckedLink& link : links_) out.links.push_back(std::move(link.name));
    for (CheckedJoint& joint : joints_) {
      out.joints.push_back(std::move(joint.result));
      out.joints.back().name = std::move(joint.name);
    }
    out.clean_text = std::move(clean_);
    return out;
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
    const Reader robot(element, "robot", findings_);
    const auto name = robot.name_attribute("name");
    check_version(robot);
    robot.expect_attributes({"name", "version"});
    robot.expect_children({"link", "joint"},
                          {"material", "transmission", "gazebo", "ros2_control"});

    clean_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    put("<robot name=\"", urdf_text::escaped(name.value_or("")), "\">\n");
    for (const auto* e = element.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
      check_link(*e);
    }
    for (const auto* e = element.FirstChildElement("joint"); e;
         e = e->NextSiblingElement("joint")) {
      check_joint(*e);
    }
    put("</robot>\n");
    check_structure(robot);
  }

  void check_version(const Reader& robot) {
    const auto version = robot.attribute("version");
    if (version && *version != "1.0") {
      robot.fault("version is " + shown(*version) + ", expected 1.0 (or none)");
    }
  }

  // Links

  void check_link(const XMLElement& element) {
    const char* raw_name = element.Attribute("name");
    const std::string who = raw_name ? "link " + shown(raw_name) : "link without name";
    const Reader link(element, who, findings_);
    const auto name = link.name_attribute("name");
    link.expect_attributes({"name", "type"});
    link.expect_children({"inertial"}, {"visual", "collision", "material", "sensor", "gazebo"});
    put("<link name=\"", urdf_text::escaped(name.value_or("")), "\">");
    if (const XMLElement* inertial = link.child("inertial")) check_inertial(link.of(*inertial));
    put("</link>\n");
    if (name) links_.push_back({*name, element.GetLineNum()});
  }

  void check_inertial(const Reader& inertial) {
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
  void check_numbers(const Reader& reader, std::initializer_list<const char*> names, Label label) {
    reader.expect_attributes(Names{"value", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    put("<", reader.tag());
    for (const char* name : names) {
      put(" ", name, "=\"", reader.number(name, label(name)).value_or("0"), "\"");
    }
    put("/>");
  }

  void check_origin(const Reader& parent, const std::string& label) {
    const XMLElement* element = parent.child("origin");
    if (element == nullptr) return;
    const Reader origin = parent.of(*element);
    if (element->Attribute("quat_xyzw") != nullptr) {
      origin.fault(label + " has quat_xyzw, which URDF 1.0 does not know; expected rpy");
    }
    origin.expect_attributes({"xyz", "rpy", "quat_xyzw"});
    put("<origin");
    for (const char* name : {"xyz", "rpy"}) {
      std::string text;
      if (element->Attribute(name) != nullptr && origin.vector(name, label + " " + name, text)) {
        put(" ", name, "=\"", text, "\"");
      }
    }
    put("/>");
  }

  // Joints

  void check_joint(const XMLElement& element) {
    const char* raw_name = element.Attribute("name");
    const std::string who = raw_name ? "joint " + shown(raw_name) : "joint without name";
    const Reader reader(element, who, findings_);
    const auto name = reader.name_attribute("name");
    reader.expect_attributes({"name", "type"});
    reader.expect_children(
        {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"},
        {"safety_controller", "calibration", "gazebo", "hardwareInterface", "actuator"});

    CheckedJoint joint;
    joint.line = element.GetLineNum();
    joint.type = check_type(reader);
    put("<joint name=\"", urdf_text::escaped(name.value_or("")), "\" type=\"", joint.type, "\">");
    joint.parent = check_link_reference(reader, "parent");
    joint.child = check_link_reference(reader, "child");
    check_origin(reader, "origin");
    if (joint.type != "fixed" && joint.type != "floating") check_axis(reader);
    check_limit(reader, joint);
    check_dynamics(reader);
    check_mimic(reader, joint);
    put("</joint>\n");
    if (!name) return;
    joint.name = *name;
    joints_.push_back(std::move(joint));
  }

  std::string check_type(const Reader& joint) {
    const auto type = joint.required_attribute("type");
    const Names known = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    if (type && contains(known, *type)) return *type;
    if (type) {
      joint.fault("type is " + shown(*type) +
                  ", expected revolute, continuous, prismatic, fixed, floating or planar");
    }
    return "fixed";
  }

  std::string check_link_reference(const Reader& joint, const char* tag) {
    const XMLElement* element = joint.child(tag);
    if (element == nullptr) {
      joint.fault("has no <" + std::string(tag) + " link=\"...\"/>");
      return "";
    }
    const Reader reference = joint.of(*element);
    reference.expect_attributes({"link"});
    const auto name = reference.name_attribute("link");
    if (name) put("<", tag, " link=\"", urdf_text::escaped(*name), "\"/>");
    return name.value_or("");
  }

  void check_axis(const Reader& joint) {
    const XMLElement* element = joint.child("axis");
    if (element == nullptr) return;
    const Reader axis = joint.of(*element);
    axis.expect_attributes({"xyz"});
    std::string text;
    const auto values = axis.vector("xyz", "axis", text);
    if (!values) return;
    const double length = std::hypot((*values)[0], (*values)[1], (*values)[2]);
    if (length == 0) {
      axis.fault("axis is (" + text + "), expected a non-zero vector");
    } else if (!std::isfinite(length) || length < std::numeric_limits<double>::min()) {
      axis.fault("axis is (" + text + "), expected a vector whose length a double can hold");
    } else if (std::abs(length - 1) > axis_length_tolerance) {
      axis.warning("axis is (" + text + "), expected a unit vector; it is normalised");
    }
    put("<axis xyz=\"", text, "\"/>");
  }

  void check_limit(const Reader& joint, CheckedJoint& checked) {
    const bool required = checked.type == "revolute" || checked.type == "prismatic";
    const XMLElement* element = joint.child("limit");
    if (element == nullptr) {
      checked.result.has_limits = false;
      if (!required) return;
      joint.warning("a " + checked.type + " joint has no <limit>; it is taken as unlimited");
      put("<limit effort=\"0\" velocity=\"0\"/>");
      return;
    }
    const Reader limit = joint.of(*element);
    limit.expect_attributes({"lower", "upper", "effort", "velocity"});
    put("<limit");
    const auto lower = put_limit(limit, "lower");
    const auto upper = put_limit(limit, "upper");
    checked.result.has_effort_limit = put_required_limit(limit, "effort");
    checked.result.has_velocity_limit = put_required_limit(limit, "velocity");
    put("/>");
    if (required && lower.value_or(0) > upper.value_or(0)) {
      limit.warning("limit lower is above limit upper");
    }
  }

  std::optional<double> put_limit(const Reader& limit, const char* name) {
    if (!limit.attribute(name)) return std::nullopt;
    const auto text = limit.number(name, "limit " + std::string(name));
    if (!text) return std::nullopt;
    put(" ", name, "=\"", *text, "\"");
    return number_of(*text);
  }

  bool put_required_limit(const Reader& limit, const char* name) {
    if (limit.attribute(name)) {
      const auto value = put_limit(limit, name);
      if (value && *value < 0) limit.warning("limit " + std::string(name) + " is negative");
      return true;
    }
    limit.warning("<limit> has no attribute '" + std::string(name) + "'; it is taken as unlimited");
    put(" ", name, "=\"0\"");
    return false;
  }

  void check_dynamics(const Reader& joint) {
    const XMLElement* element = joint.child("dynamics");
    if (element == nullptr) return;
    const Reader dynamics = joint.of(*element);
    dynamics.expect_attributes({"damping", "friction"});
    put("<dynamics");
    for (const char* name : {"damping", "friction"}) {
      const bool written = element->Attribute(name) != nullptr;
      const auto value = written ? dynamics.number(name, name) : "0";
      if (value && value->starts_with('-') && number_of(*value) < 0) {
        dynamics.fault(std::string(name) + " is " + *value +
                       ", expected a number that is not negative");
      }
      put(" ", name, "=\"", value.value_or("0"), "\"");
    }
    put("/>");
  }

  void check_mimic(const Reader& joint, CheckedJoint& checked) {
    const XMLElement* element = joint.child("mimic");
    if (element == nullptr) return;
    const Reader mimic = joint.of(*element);
    mimic.expect_attributes({"joint", "multiplier", "offset"});
    if (checked.type == "fixed") return mimic.ignored("the <mimic> of a fixed joint");
    if (!checked.moves_along_one_axis()) {
      mimic_fault(
          mimic.line(), mimic.who(),
          "a " + checked.type +
              " joint has <mimic>, expected it on revolute, continuous or prismatic joints only");
    }
    const auto target = mimic.name_attribute("joint");
    put("<mimic joint=\"", urdf_text::escaped(target.value_or("")), "\"");
    for (const char* name : {"multiplier", "offset"}) {
      if (element->Attribute(name) == nullptr) continue;
      put(" ", name, "=\"", mimic.number(name, "mimic " + std::string(name)).value_or("0"), "\"");
    }
    put("/>");
    checked.mimic = target.value_or("");
    checked.mimic_line = mimic.line();
  }

  // The whole

  static std::string called(const CheckedLink& link) { return "link " + shown(link.name); }
  static std::string called(const CheckedJoint& joint) { return "joint " + shown(joint.name); }

  /// Index by name; a second element of the same name is a fault.
  template <class Element>
  std::unordered_map<std::string_view, int> index_names(const std::vector<Element>& elements) {
    std::unordered_map<std::string_view, int> index;
    index.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto [first, is_new] = index.emplace(elements[i].name, static_cast<int>(i));
      if (is_new) continue;
      const int line = elements[static_cast<std::size_t>(first->second)].line;
      findings_.fault(elements[i].line, called(elements[i]),
                      "the name is taken already, on line " + std::to_string(line));
    }
    return index;
  }

  void check_structure(const Reader& robot) {
    const auto link_at = index_names(links_);
    const auto joint_at = index_names(joints_);
    if (links_.empty()) return robot.fault("has no <link>");
    check_mimic_targets(joint_at);

    const std::size_t n = links_.size();
    std::vector<int> joint_above(n, -1), parent_of(n, -1);
    bool resolved = true;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int parent = find_link(link_at, joints_[j], "parent", joints_[j].parent);
      const int child = find_link(link_at, joints_[j], "child", joints_[j].child);
      resolved = resolved && parent >= 0 && child >= 0;
      if (child < 0) continue;
      int& above = joint_above[static_cast<std::size_t>(child)];
      if (above >= 0) {
        const CheckedJoint& other = joints_[static_cast<std::size_t>(above)];
        findings_.fault(joints_[j].line, called(joints_[j]),
                        "its child " + shown(joints_[j].child) + " is the child of joint " +
                            shown(other.name) + " too, expected one joint above each link");
        continue;
      }
      above = static_cast<int>(j);
      parent_of[static_cast<std::size_t>(child)] = parent;
    }
    check_loops(parent_of, joint_above);
    // Where a reference is broken, a link without parent says nothing new.
    if (resolved) check_roots(robot, joint_above);
  }

  int find_link(const std::unordered_map<std::string_view, int>& link_at, const CheckedJoint& joint,
                const char* role, const std::string& name) {
    if (name.empty()) return -1;  // reported already
    const auto found = link_at.find(name);
    if (found != link_at.end()) return found->second;
    findings_.fault(joint.line, called(joint),
                    "its " + std::string(role) + " is " + shown(name) + ", no link has that name");
    return -1;
  }

  void check_loops(const std::vector<int>& parent_of, const std::vector<int>& joint_above) {
    for (const auto& cycle : find_cycles(parent_of)) {
      std::vector<int> joints;
      for (const int link : cycle) joints.push_back(joint_above[static_cast<std::size_t>(link)]);
      std::sort(joints.begin(), joints.end());
      const CheckedJoint& first = joints_[static_cast<std::size_t>(joints[0])];
      if (joints.size() == 1) {
        findings_.fault(first.line, called(first),
                        "parent and child are the same link " + shown(first.child));
        continue;
      }
      std::vector<std::string> names;
      for (const int j : joints) names.push_back(joints_[static_cast<std::size_t>(j)].name);
      findings_.fault(
          first.line, called(first),
          "is part of a loop, expected a tree; the loop has the joints " + listed(names));
    }
  }

  void check_roots(const Reader& robot, const std::vector<int>& joint_above) {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (joint_above[i] < 0) roots.push_back(links_[i].name);
    }
    if (roots.empty()) robot.fault("every link is the child of a joint, expected one root link");
    if (roots.size() > 1) {
      robot.fault("has " + std::to_string(roots.size()) +
                  " root links (no joint has them as child), expected one: " + listed(roots));
    }
  }

  /// A joint that follows nothing sensible is a fault for those who want it to follow only.
  void mimic_fault(int line, std::string_view who, const std::string& what) {
    if (mimic_policy_ == MimicPolicy::honour) return findings_.fault(line, who, what);
    findings_.warning(line, who, what + "; it does not matter while the joint moves independently");
  }

  void check_mimic_targets(const std::unordered_map<std::string_view, int>& joint_at) {
    std::vector<int> target_of(joints_.size(), -1);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const CheckedJoint& joint = joints_[j];
      if (joint.mimic.empty()) continue;
      const auto found = joint_at.find(joint.mimic);
      if (found == joint_at.end()) {
        mimic_fault(joint.mimic_line, called(joint),
                    "mimics " + shown(joint.mimic) + ", no joint has that name");
        continue;
      }
      target_of[j] = found->second;
      const CheckedJoint& target = joints_[static_cast<std::size_t>(found->second)];
      if (target.moves_along_one_axis()) continue;
      mimic_fault(joint.mimic_line, called(joint),
                  "mimics the " + target.type + " joint " + shown(joint.mimic) +
                      ", expected a revolute, continuous or prismatic one");
    }
    for (const auto& cycle : find_cycles(target_of)) {
      const CheckedJoint& first = joints_[static_cast<std::size_t>(cycle[0])];
      std::vector<std::string> names;
      for (const int j : cycle) names.push_back(joints_[static_cast<std::size_t>(j)].name);
      mimic_fault(first.mimic_line, called(first),
                  cycle.size() == 1 ? "mimics itself"
                                    : "mimics in a circle, through the joints " + listed(names));
    }
  }

  template <class... Parts>
  void put(const Parts&... parts) {
    (clean_.append(parts), ...);
  }

  std::vector<CheckedLink> links_;
  std::vector<CheckedJoint> joints_;
  std::string clean_;
  MimicPolicy mimic_policy_;
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
  if (findings.has_faults()) throw ModelError(findings.take_faults());

  Checker checker(mimic, findings);
  {
    // Entities are left alone: tinyxml2 passes unknown ones through, decode_entities names them.
    tinyxml2::XMLDocument document(false);
    if (parse(document, line, body) != tinyxml2::XML_SUCCESS) {
      findings.fault(document.ErrorLineNum(), "", parser_words(document));
    } else {
      checker.check_document(document);
    }
  }
  if (findings.has_faults()) throw ModelError(findings.take_faults());
  for (std::string& text : findings.take_warnings()) warnings.push_back(std::move(text));
  return checker.result();
}

}  // namespace rbd_parallel_core
