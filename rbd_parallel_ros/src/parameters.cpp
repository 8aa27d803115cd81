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

constexpr std::array used_by_configure{"robot_description",
                                       "backend",
                                       "joints",
                                       "base",
                                       "gravity",
                                       "mimic",
                                       "inertia_policy",
                                       "max_batch",
                                       "threads",
                                       "effort_mode",
                                       "missing_velocity",
                                       "on_stale",
                                       "effort_limits",
                                       "input_timeout",
                                       "reference_timeout",
                                       "base_state",
                                       "latency_warning",
                                       "latency_error"};

constexpr std::array seconds_parameters{"input_timeout", "reference_timeout", "latency_warning",
                                        "latency_error", "diagnostics_period"};

template <class Enum>
struct Word {
  const char* word;
  Enum value;
};
template <class Enum>
Word(const char*, Enum) -> Word<Enum>;

constexpr std::array base_words{Word{"fixed", Base::fixed}, Word{"floating", Base::floating}};
constexpr std::array mimic_words{Word{"honour", MimicPolicy::honour},
                                 Word{"independent", MimicPolicy::independent}};
constexpr std::array inertia_words{Word{"warn", InertiaPolicy::warn},
                                   Word{"error", InertiaPolicy::error},
                                   Word{"zero", InertiaPolicy::zero}};
constexpr std::array effort_mode_words{
    Word{"off", EffortMode::off}, Word{"gravity", EffortMode::gravity},
    Word{"bias", EffortMode::bias}, Word{"inverse_dynamics", EffortMode::inverse_dynamics}};
constexpr std::array missing_velocity_words{Word{"refuse", MissingVelocity::refuse},
                                            Word{"zero", MissingVelocity::zero}};
constexpr std::array on_stale_words{Word{"stop", OnStale::stop}, Word{"zero", OnStale::zero}};
constexpr std::array effort_limits_words{Word{"off", EffortLimits::off},
                                         Word{"warn", EffortLimits::warn},
                                         Word{"clamp", EffortLimits::clamp}};

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

/// Said again where the parameter's range says it already: not every version of rclcpp finds that
/// NaN and infinity are outside of one.
std::string fault_of_seconds(const rclcpp::Parameter& parameter) {
  const double value = parameter.as_double();
  if (std::isfinite(value)) return "";
  return parameter.get_name() + " is " + std::to_string(value) +
         ", expected a finite number of seconds";
}

std::string fault_of_armature(const rclcpp::Parameter& parameter) {
  const double value = parameter.as_double();
  if (std::isfinite(value) && value >= 0) return "";
  return parameter.get_name() + " is " + std::to_string(value) + ", expected a finite number >= 0";
}

void check(const std::string& fault) {
  if (!fault.empty()) throw std::invalid_argument("parameter " + fault);
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

ParameterDescriptor seconds(const std::string& description, double from, double to) {
  ParameterDescriptor out = described(description);
  out.floating_point_range.resize(1);
  out.floating_point_range[0].from_value = from;
  out.floating_point_range[0].to_value = to;
  return out;
}

template <class Words>
void declare_word(LifecycleNode& node, const std::string& name, const char* initial,
                  const std::string& description, const Words& words) {
  const auto& given = node.get_node_parameters_interface()->get_parameter_overrides();
  const auto found = given.find(name);
  if (found != given.end() && found->second.get_type() == rclcpp::PARAMETER_BOOL) {
    throw std::invalid_argument("parameter " + name + " is a boolean, expected " + choices(words) +
                                "; YAML reads a bare off as a boolean: put it in quotes, \"off\"");
  }
  node.declare_parameter(name, std::string(initial), described(description, choices(words)));
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

void declare_stream_parameters(LifecycleNode& node) {
  const std::string used = std::string(" ") + when;
  declare_word(
      node, "effort_mode", "off",
      "What the effort stream computes from joint_states: gravity is g(q), bias is C(q, v) v + "
      "g(q), inverse_dynamics adds M(q) a for the accelerations of ~/reference." +
          used,
      effort_mode_words);
  declare_word(node, "missing_velocity", "refuse",
               "Joint states without velocities: not used, or taken as standing still." + used,
               missing_velocity_words);
  declare_word(node, "on_stale", "stop",
               "When joint states stop, or the node is deactivated: publish no effort any more, or "
               "zeros." +
                   used,
               on_stale_words);
  declare_word(node, "effort_limits", "warn",
               "Efforts beyond the limits of the URDF: as computed, as computed with a warning, or "
               "cut off at the limit." +
                   used,
               effort_limits_words);
  node.declare_parameter(
      "input_timeout", 0.1,
      seconds(
          "s. Joint states and base states older than this, or further apart, are not used." + used,
          0.001, 3600));
  node.declare_parameter(
      "reference_timeout", 0.1,
      seconds("s. How long an acceleration of ~/reference holds; then it counts as zero." + used,
              0.001, 3600));
  node.declare_parameter(
      "base_state", false,
      described("Floating base: true says that ~/base_state is published. The effort stream of a "
                "floating base needs it." +
                used));
  ParameterDescriptor period =
      seconds("s. Time between two messages on /diagnostics. Read at start.", 0.05, 60);
  period.read_only = true;
  node.declare_parameter("diagnostics_period", 0.5, period);
  check(fault_of(node.get_parameter("diagnostics_period")));
  node.declare_parameter(
      "latency_warning", 0.001,
      seconds("s. Diagnostics warn when the effort stream takes longer in 1 of 100 cases." + used,
              0, 3600));
  node.declare_parameter("latency_error", 0.005,
                         seconds("s. The same for an error." + used, 0, 3600));
}

void read_stream_settings(const LifecycleNode& node, Settings& settings) {
  const auto word = [&](const char* name) { return node.get_parameter(name).as_string(); };
  const auto seconds_of = [&](const char* name) { return node.get_parameter(name).as_double(); };
  const auto nanoseconds = [&](const char* name) {
    return static_cast<std::int64_t>(1e9 * seconds_of(name));
  };
  StreamSettings& stream = settings.stream;
  stream.mode = find_word(effort_mode_words, word("effort_mode"))->value;
  stream.missing_velocity = find_word(missing_velocity_words, word("missing_velocity"))->value;
  stream.on_stale = find_word(on_stale_words, word("on_stale"))->value;
  stream.limits = find_word(effort_limits_words, word("effort_limits"))->value;
  stream.input_timeout = nanoseconds("input_timeout");
  stream.reference_timeout = nanoseconds("reference_timeout");
  settings.base_state = node.get_parameter("base_state").as_bool();
  settings.latency_warning = seconds_of("latency_warning");
  settings.latency_error = seconds_of("latency_error");
  if (stream.mode != EffortMode::off && settings.model.base == Base::floating &&
      !settings.base_state) {
    throw std::invalid_argument(
        "the base floats, and the effort stream cannot know where it is; publish ~/base_state and "
        "set "
        "the parameter base_state to true, or set effort_mode to off");
  }
}

}  // namespace

void declare_node_parameters(LifecycleNode& node) {
  const std::string used = std::string(" ") + when;
  node.declare_parameter(
      "robot_description", std::string(),
      described("URDF text of the robot. Empty: taken from the topic robot_description." + used));
  node.declare_parameter("backend", std::string(default_backend),
                         described("Name of the pluginlib class that computes." + used,
                                   "a plugin of base class rbd_parallel_core::Backend"));
  node.declare_parameter(
      "joints", std::vector<std::string>(),
      described("Joints that move, in the order for requests that name none. The others "
                "are held at position 0. Empty: all, in the order of the model." +
                    used,
                "joints of the robot, each once"));
  declare_word(node, "base", "fixed", "How the root link hangs on the world." + used, base_words);
  node.declare_parameter("gravity", std::vector<double>{0.0, 0.0, -9.81},
                         described("m/s^2, in the world frame." + used, "3 finite numbers"));
  declare_word(node, "mimic", "honour",
               "Whether joints with <mimic> follow or have coordinates of their own." + used,
               mimic_words);
  declare_word(node, "inertia_policy", "warn",
               "What to do about impossible inertias in the URDF." + used, inertia_words);
  node.declare_parameter(
      "max_batch", std::int64_t{10000},
      ranged("Largest number of states in one request; memory is taken for it." + used, 1,
             1000000));
  node.declare_parameter("threads", std::int64_t{1},
                         ranged("Threads that one request may use." + used, 1, 1024));
  declare_stream_parameters(node);
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
  read_stream_settings(node, settings);
  return settings;
}

std::string fault_of(const rclcpp::Parameter& parameter) {
  const std::string& name = parameter.get_name();
  if (name == "base") return fault_of_word(base_words, parameter);
  if (name == "mimic") return fault_of_word(mimic_words, parameter);
  if (name == "inertia_policy") return fault_of_word(inertia_words, parameter);
  if (name == "effort_mode") return fault_of_word(effort_mode_words, parameter);
  if (name == "missing_velocity") return fault_of_word(missing_velocity_words, parameter);
  if (name == "on_stale") return fault_of_word(on_stale_words, parameter);
  if (name == "effort_limits") return fault_of_word(effort_limits_words, parameter);
  if (name == "gravity") return fault_of_gravity(parameter);
  if (name.starts_with(armature_prefix)) return fault_of_armature(parameter);
  if (std::find(seconds_parameters.begin(), seconds_parameters.end(), name) !=
      seconds_parameters.end()) {
    return fault_of_seconds(parameter);
  }
  return "";
}

const char* name_of(EffortMode mode) {
  return std::find_if(effort_mode_words.begin(), effort_mode_words.end(),
                      [mode](const auto& candidate) { return candidate.value == mode; })
      ->word;
}

bool is_used_by_configure(const std::string& name) {
  return name.starts_with(armature_prefix) ||
         std::find(used_by_configure.begin(), used_by_configure.end(), name) !=
             used_by_configure.end();
}

}  // namespace rbd_parallel_ros
