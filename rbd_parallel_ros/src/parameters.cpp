// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <stdexcept>
#include <string_view>

#include "nearest_name.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

using rbd_parallel_core::Base;
using rbd_parallel_core::default_spin_us;
using rbd_parallel_core::InertiaPolicy;
using rbd_parallel_core::largest_spin_us;
using rbd_parallel_core::MimicPolicy;
using rcl_interfaces::msg::ParameterDescriptor;
using rclcpp_lifecycle::LifecycleNode;

constexpr std::string_view armature_prefix = "armature.";
constexpr std::string_view qos_prefix = "qos_overrides.";  // rclcpp's own
constexpr std::size_t most_armatures_declared = 1000;
constexpr const char* when = "Used by the next configure; refused while active.";

constexpr std::array used_by_configure{
    "robot_description", "backend",         "joints",         "base",
    "gravity",           "mimic",           "inertia_policy", "max_batch",
    "threads",           "spin_us",         "effort_mode",    "missing_velocity",
    "on_stale",          "effort_limits",   "input_timeout",  "reference_timeout",
    "base_state",        "latency_warning", "latency_error"};

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

bool is_array(rclcpp::ParameterType type) { return type >= rclcpp::PARAMETER_BYTE_ARRAY; }

/// How to write a value of the type that is expected; "" where the types say it all.
std::string how_to_write(rclcpp::ParameterType expected, rclcpp::ParameterType given) {
  using namespace rclcpp;
  if (expected == PARAMETER_INTEGER && given == PARAMETER_DOUBLE) {
    return "; write it without decimal point and exponent";
  }
  if ((expected == PARAMETER_DOUBLE && given == PARAMETER_INTEGER) ||
      (expected == PARAMETER_DOUBLE_ARRAY && given == PARAMETER_INTEGER_ARRAY)) {
    return "; write the decimal point, 1.0";
  }
  if (expected == PARAMETER_STRING && given == PARAMETER_BOOL) {
    return "; YAML reads a bare off as a boolean: put it in quotes, \"off\"";
  }
  if (is_array(expected) && !is_array(given)) return "; put it in brackets, [...]";
  return "";
}

std::string expected_value(rclcpp::ParameterType type, const ParameterDescriptor& descriptor) {
  std::string out = "a value of type " + to_string(type);
  for (const auto& range : descriptor.integer_range) {
    out += " from " + std::to_string(range.from_value) + " to " + std::to_string(range.to_value);
  }
  const std::string& constraints = descriptor.additional_constraints;
  return constraints.empty() ? out : out + ": " + constraints;
}

/// Declares a parameter. Throws for a value of another type, as rclcpp does, in words that say what
/// was expected, what came and what to write.
template <class Value>
void declare(LifecycleNode& node, const std::string& name, const Value& initial,
             const ParameterDescriptor& descriptor) {
  const rclcpp::ParameterType type = rclcpp::ParameterValue(initial).get_type();
  const auto& given = node.get_node_parameters_interface()->get_parameter_overrides();
  const auto found = given.find(name);
  if (found != given.end() && found->second.get_type() != type) {
    const rclcpp::ParameterType other = found->second.get_type();
    throw std::invalid_argument("parameter " + name + " is " +
                                in_quotes(rclcpp::to_string(found->second)) + " of type " +
                                to_string(other) + ", expected " +
                                expected_value(type, descriptor) + how_to_write(type, other));
  }
  node.declare_parameter(name, initial, descriptor);
}

template <class Words>
void declare_word(LifecycleNode& node, const std::string& name, const char* initial,
                  const std::string& description, const Words& words) {
  declare(node, name, std::string(initial), described(description, choices(words)));
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
  declare(node, name, 0.0, descriptor);
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
  declare(
      node, "input_timeout", 0.1,
      seconds(
          "s. Joint states and base states older than this, or further apart, are not used." + used,
          0.001, 3600));
  declare(
      node, "reference_timeout", 0.1,
      seconds("s. How long an acceleration of ~/reference holds; then it counts as zero." + used,
              0.001, 3600));
  declare(
      node, "base_state", false,
      described("Floating base: true says that ~/base_state is published. The effort stream of a "
                "floating base needs it." +
                used));
  ParameterDescriptor period =
      seconds("s. Time between two messages on /diagnostics. Read at start.", 0.05, 60);
  period.read_only = true;
  declare(node, "diagnostics_period", 0.5, period);
  check(fault_of(node.get_parameter("diagnostics_period")));
  declare(
      node, "latency_warning", 0.001,
      seconds("s. Diagnostics warn when the effort stream takes longer in 1 of 100 cases." + used,
              0, 3600));
  declare(
      node, "latency_error", 0.005,
      seconds(
          "s. Diagnostics report an error when the effort stream takes longer in 1 of 100 cases." +
              used,
          0, 3600));
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
  declare(
      node, "robot_description", std::string(),
      described("URDF text of the robot. Empty: taken from the topic robot_description." + used));
  declare(node, "backend", std::string(default_backend),
          described("Name of the pluginlib class that computes." + used,
                    "a plugin of base class rbd_parallel_core::Backend"));
  declare(node, "joints", std::vector<std::string>(),
          described("Joints that move, in the order for requests that name none. The others "
                    "are held at position 0. Empty: all, in the order of the model." +
                        used,
                    "joints of the robot, each once"));
  declare_word(node, "base", "fixed", "How the root link hangs on the world." + used, base_words);
  declare(node, "gravity", std::vector<double>{0.0, 0.0, -9.81},
          described("m/s^2, in the world frame." + used, "3 finite numbers"));
  declare_word(node, "mimic", "honour",
               "Whether joints with <mimic> follow or have coordinates of their own." + used,
               mimic_words);
  declare_word(node, "inertia_policy", "warn",
               "What to do about impossible inertias in the URDF." + used, inertia_words);
  declare(node, "max_batch", std::int64_t{10000},
          ranged("Largest number of states in one request; memory is taken for it." + used, 1,
                 1000000));
  declare(node, "threads", std::int64_t{1},
          ranged("Threads that one request may use." + used, 1, 1024));
  declare(node, "spin_us", std::int64_t{default_spin_us},
          ranged("Microseconds that they stay awake after a request, at most." + used, 0,
                 largest_spin_us));
  declare_stream_parameters(node);
  ParameterDescriptor autostart =
      described("Configure and activate at start, as soon as there is a robot description.");
  autostart.read_only = true;
  declare(node, "autostart", false, autostart);
  for (const auto& [name, value] :
       node.get_node_parameters_interface()->get_parameter_overrides()) {
    if (name.starts_with(armature_prefix)) declare_armature(node, name);
  }
}

void warn_of_unknown_parameters(LifecycleNode& node) {
  std::vector<std::string> known = node.list_parameters({}, 0).names;
  std::erase_if(known, [](const std::string& name) { return name.find('.') != name.npos; });
  for (const auto& [name, value] :
       node.get_node_parameters_interface()->get_parameter_overrides()) {
    if (node.has_parameter(name) || name.starts_with(qos_prefix)) continue;
    const std::string nearest = nearest_name(name, known);
    const std::string hint = nearest.empty() ? "Known are " + listed(known, known.size())
                                             : "Did you mean " + in_quotes(nearest) + "?";
    RCLCPP_WARN(node.get_logger(), "there is no parameter %s; it has no effect. %s",
                in_quotes(name).c_str(), hint.c_str());
  }
}

std::vector<rclcpp::Parameter> parameters_of_configure(const LifecycleNode& node) {
  std::vector<rclcpp::Parameter> out;
  for (const std::string& name : node.list_parameters({}, 0).names) {
    if (is_used_by_configure(name)) out.push_back(node.get_parameter(name));
  }
  return out;
}

std::vector<std::string> names_of_changed(const std::vector<rclcpp::Parameter>& now,
                                          const std::vector<rclcpp::Parameter>& before) {
  std::vector<std::string> out;
  for (const rclcpp::Parameter& parameter : now) {
    const auto same_name = [&](const rclcpp::Parameter& other) {
      return other.get_name() == parameter.get_name();
    };
    const auto found = std::find_if(before.begin(), before.end(), same_name);
    if (found != before.end() && !(*found == parameter)) out.push_back(parameter.get_name());
  }
  return out;
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
  settings.compute.spin_us = static_cast<int>(node.get_parameter("spin_us").as_int());
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
