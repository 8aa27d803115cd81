// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <stdexcept>
#include <string_view>

#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

using rbd_parallel_core::Base;
using rbd_parallel_core::InertiaPolicy;
using rbd_parallel_core::MimicPolicy;
using rcl_interfaces::msg::ParameterDescriptor;
using rclcpp_lifecycle::LifecycleNode;

constexpr std::string_view armature_prefix = "armature.";
constexpr std::size_t most_armatures_declared = 1000;
constexpr const char* when = "Used by the next configure; refused while active.";

constexpr std::array used_by_configure{
    "robot_description", "backend",   "joints", "base", "gravity", "mimic",
    "inertia_policy",    "max_batch", "threads"};

template <class Enum>
struct Word {
  const char* word;
  Enum value;
};
constexpr std::array base_words{Word<Base>{"fixed", Base::fixed},
                                Word<Base>{"floating", Base::floating}};
constexpr std::array mimic_words{Word<MimicPolicy>{"honour", MimicPolicy::honour},
                                 Word<MimicPolicy>{"independent", MimicPolicy::independent}};
constexpr std::array inertia_words{Word<InertiaPolicy>{"warn", InertiaPolicy::warn},
                                   Word<InertiaPolicy>{"error", InertiaPolicy::error},
                                   Word<InertiaPolicy>{"zero", InertiaPolicy::zero}};

template <class Words>
std::string choices(const Words& words) {
  std::vector<std::string> names;
  for (const auto& candidate : words) names.emplace_back(candidate.word);
  return "one of " + listed(names);
}

template <class Words>
auto find_word(const Words& words, const std::string& word) {
  return std::find_if(words.begin(), words.end(),
                      [&](const auto& candidate) { return word == candidate.word; });
}

template <class Words>
std::string fault_of_word(const Words& words, const rclcpp::Parameter& parameter) {
  if (find_word(words, parameter.as_string()) != words.end()) return "";
  return parameter.get_name() + " is " + in_quotes(parameter.as_string()) + ", expected " +
         choices(words);
}

std::string fault_of_gravity(const rclcpp::Parameter& parameter) {
  const std::vector<double> value = parameter.as_double_array();
  const bool finite =
      std::all_of(value.begin(), value.end(), [](double x) { return std::isfinite(x); });
  if (value.size() == 3 && finite) return "";
  return "gravity has " + std::to_string(value.size()) + " numbers" +
         (finite ? "" : ", not all finite") +
         "; expected 3 finite ones: x, y, z in the world frame, in m/s^2";
}

std::string fault_of_armature(const rclcpp::Parameter& parameter) {
  const double value = parameter.as_double();
  if (std::isfinite(value) && value >= 0) return "";
  return parameter.get_name() + " is " + std::to_string(value) + ", expected a finite number >= 0";
}

ParameterDescriptor described(const std::string& description, const std::string& constraints = "") {
  ParameterDescriptor out;
  out.description = description;
  out.additional_constraints = constraints;
  return out;
}

ParameterDescriptor ranged(const std::string& description, std::int64_t from, std::int64_t to) {
  ParameterDescriptor out = described(description);
  out.integer_range.resize(1);
  out.integer_range[0].from_value = from;
  out.integer_range[0].to_value = to;
  out.integer_range[0].step = 1;
  return out;
}

void declare_armature(LifecycleNode& node, const std::string& name) {
  ParameterDescriptor descriptor = described(
      "Reflected rotor inertia of the joint, kg m^2 or kg, added to the diagonal of the mass "
      "matrix. " +
          std::string(when),
      "finite, not negative");
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = 0;
  descriptor.floating_point_range[0].to_value = std::numeric_limits<double>::max();
  node.declare_parameter(name, 0.0, descriptor);
}

void check(const std::string& fault) {
  if (!fault.empty()) throw std::invalid_argument("parameter " + fault);
}

}  // namespace

void declare_node_parameters(LifecycleNode& node) {
  const std::string used = std::string(" ") + when;
  node.declare_parameter(
      "robot_description", std::string(),
      described("URDF text of the robot. Empty: taken from the topic robot_description." + used));
  node.declare_parameter("backend", std::string("rbd_parallel/auto"),
                         described("Name of the pluginlib class that computes." + used,
                                   "a plugin of base class rbd_parallel_core::Backend"));
  node.declare_parameter(
      "joints", std::vector<std::string>(),
      described("Joints that move, in the order for requests that name none. The others "
                "are held at position 0. Empty: all, in the order of the model." +
                    used,
                "joints of the robot, each once"));
  node.declare_parameter(
      "base", std::string("fixed"),
      described("How the root link hangs on the world." + used, choices(base_words)));
  node.declare_parameter("gravity", std::vector<double>{0.0, 0.0, -9.81},
                         described("m/s^2, in the world frame." + used, "3 finite numbers"));
  node.declare_parameter(
      "mimic", std::string("honour"),
      described("Whether joints with <mimic> follow or have coordinates of their own." + used,
                choices(mimic_words)));
  node.declare_parameter("inertia_policy", std::string("warn"),
                         described("What to do about impossible inertias in the URDF." + used,
                                   choices(inertia_words)));
  node.declare_parameter(
      "max_batch", std::int64_t{10000},
      ranged("Largest number of states in one request; memory is taken for it." + used, 1,
             1000000));
  node.declare_parameter("threads", std::int64_t{1},
                         ranged("Threads that one request may use." + used, 1, 1024));
  ParameterDescriptor autostart =
      described("Configure and activate at start, as soon as there is a robot description.");
  autostart.read_only = true;
  node.declare_parameter("autostart", false, autostart);
  for (const auto& [name, value] :
       node.get_node_parameters_interface()->get_parameter_overrides()) {
    if (name.starts_with(armature_prefix)) declare_armature(node, name);
  }
}

void declare_armatures(LifecycleNode& node, const rbd_parallel_core::Model& model) {
  if (model.joints().size() > most_armatures_declared) return;
  for (const rbd_parallel_core::Joint& joint : model.joints()) {
    const std::string name = std::string(armature_prefix) + joint.name;
    if (joint.nv == 1 && !node.has_parameter(name)) declare_armature(node, name);
  }
}

Settings read_settings(const LifecycleNode& node) {
  for (const char* name : used_by_configure) check(fault_of(node.get_parameter(name)));
  const auto word = [&](const char* name) { return node.get_parameter(name).as_string(); };
  Settings settings;
  settings.backend = word("backend");
  settings.joints = node.get_parameter("joints").as_string_array();
  std::erase(settings.joints, "");  // YAML has no empty list of strings; [""] is the usual stand-in
  const std::vector<double> gravity = node.get_parameter("gravity").as_double_array();
  settings.model.base = find_word(base_words, word("base"))->value;
  settings.model.gravity = {gravity[0], gravity[1], gravity[2]};
  settings.model.mimic = find_word(mimic_words, word("mimic"))->value;
  settings.model.inertia_policy = find_word(inertia_words, word("inertia_policy"))->value;
  for (const std::string& name : node.list_parameters({"armature"}, 0).names) {
    const rclcpp::Parameter parameter = node.get_parameter(name);
    check(fault_of(parameter));
    // Zero is what a joint has anyway; so the joints of an earlier robot do no harm.
    if (parameter.as_double() != 0) {
      settings.model.armature[name.substr(armature_prefix.size())] = parameter.as_double();
    }
  }
  settings.compute.max_batch = static_cast<std::size_t>(node.get_parameter("max_batch").as_int());
  settings.compute.threads = static_cast<int>(node.get_parameter("threads").as_int());
  return settings;
}

std::string fault_of(const rclcpp::Parameter& parameter) {
  const std::string& name = parameter.get_name();
  if (name == "base") return fault_of_word(base_words, parameter);
  if (name == "mimic") return fault_of_word(mimic_words, parameter);
  if (name == "inertia_policy") return fault_of_word(inertia_words, parameter);
  if (name == "gravity") return fault_of_gravity(parameter);
  if (name.starts_with(armature_prefix)) return fault_of_armature(parameter);
  return "";
}

bool is_used_by_configure(const std::string& name) {
  return name.starts_with(armature_prefix) ||
         std::find(used_by_configure.begin(), used_by_configure.end(), name) !=
             used_by_configure.end();
}

}  // namespace rbd_parallel_ros
