// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/load_urdf.hpp"

#include <console_bridge/console.h>
#include <urdf_model/joint.h>
#include <urdf_model/link.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "message_text.hpp"
#include "urdf_check.hpp"
#include "urdf_text.hpp"

namespace rbd_parallel_core {
namespace {

// Files

/// At most max_bytes + 1 bytes of a file, so that a device without end cannot fill the memory; the
/// check of the text names the limit.
std::string read_file(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw ModelError({"file '" + path + "': " + why + "; expected a readable URDF file"});
  };
  if (path.find('\0') != std::string::npos) refuse("the path has a zero byte");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse("is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("cannot be opened: " + std::generic_category().message(errno));

  std::string text;
  std::string chunk(std::size_t{1} << 20, '\0');
  while (file && text.size() <= urdf_text::max_bytes) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) refuse("cannot be read: " + std::generic_category().message(errno));
  return text;
}

// urdfdom

/// Collects what this thread logs through console_bridge and hands on what others log. The handler
/// is global, so one capture at a time.
class ConsoleCapture final : public console_bridge::OutputHandler {
 public:
  ConsoleCapture()
      : lock_(mutex()),
        previous_(console_bridge::getOutputHandler()),
        previous_level_(console_bridge::getLogLevel()) {
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_WARN);
    console_bridge::useOutputHandler(this);
  }

  ~ConsoleCapture() override {
    console_bridge::useOutputHandler(previous_);
    console_bridge::setLogLevel(previous_level_);
  }

  ConsoleCapture(const ConsoleCapture&) = delete;
  ConsoleCapture& operator=(const ConsoleCapture&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* file,
           int line) override {
    if (std::this_thread::get_id() != owner_) {
      if (previous_ != nullptr) previous_->log(text, level, file, line);
    } else if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) {
      errors.push_back("urdfdom: " + text);
    } else {
      warnings.push_back("urdfdom: " + text);
    }
  }

  std::vector<std::string> errors, warnings;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> lock_;
  std::thread::id owner_ = std::this_thread::get_id();
  console_bridge::OutputHandler* previous_;
  console_bridge::LogLevel previous_level_;
};

using UrdfModel = std::shared_ptr<const urdf::ModelInterface>;

/// The links of urdfdom own their children, so that its destructor recurses along a chain and a
/// long one overflows the stack. Here the links are taken apart first.
UrdfModel taken_apart_at_the_end(std::shared_ptr<urdf::ModelInterface> model) {
  const urdf::ModelInterface* pointer = model.get();
  return {pointer, [model = std::move(model)](const urdf::ModelInterface*) {
            for (auto& [name, link] : model->links_) link->child_links.clear();
          }};
}

UrdfModel parse_clean_text(const std::string& text, std::vector<std::string>& warnings) {
  ConsoleCapture console;
  std::shared_ptr<urdf::ModelInterface> parsed = urdf::parseURDF(text);
  const UrdfModel model = parsed ? taken_apart_at_the_end(std::move(parsed)) : nullptr;
  for (std::string& warning : console.warnings) warnings.push_back(std::move(warning));
  if (!model && console.errors.empty()) {
    console.errors.push_back("urdfdom refuses the text and gives no reason");
  }
  if (!console.errors.empty()) throw ModelError(std::move(console.errors), std::move(warnings));
  return model;
}

// From urdfdom's words to ours. Numbers are checked by build_model.

Vec3<double> vector_from(const urdf::Vector3& a) { return {a.x, a.y, a.z}; }

/// The columns are the axes of the turned frame. A quaternion without length gives NaN.
Mat3<double> rotation_from(const urdf::Rotation& q) {
  const double s = 2 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
  const double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
  const double xw = s * q.x * q.w, yw = s * q.y * q.w, zw = s * q.z * q.w;
  return {{1 - (yy + zz), xy - zw, xz + yw},
          {xy + zw, 1 - (xx + zz), yz - xw},
          {xz - yw, yz + xw, 1 - (xx + yy)}};
}

Pose pose_from(const urdf::Pose& pose) {
  return {vector_from(pose.position), rotation_from(pose.rotation)};
}

/// Unit length; what has no length is left for build_model to refuse.
Vec3<double> axis_from(const urdf::Vector3& axis) {
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!std::isfinite(length) || length == 0) return vector_from(axis);
  return {axis.x / length, axis.y / length, axis.z / length};
}

LinkDescription link_from(const urdf::Link& link) {
  LinkDescription out;
  out.name = link.name;
  if (link.inertial) {
    const urdf::Inertial& i = *link.inertial;
    out.inertial =
        LinkInertial{i.mass, pose_from(i.origin), {i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz}};
  }
  return out;
}

std::optional<JointKind> kind_from(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::FIXED:
      return JointKind::fixed;
    case urdf::Joint::REVOLUTE:
      return JointKind::revolute;
    case urdf::Joint::CONTINUOUS:
      return JointKind::continuous;
    case urdf::Joint::PRISMATIC:
      return JointKind::prismatic;
    case urdf::Joint::PLANAR:
      return JointKind::planar;
    case urdf::Joint::FLOATING:
      return JointKind::floating;
    default:
      return std::nullopt;
  }
}

JointDescription joint_from(const urdf::Joint& joint, JointKind kind) {
  JointDescription out;
  out.name = joint.name;
  out.kind = kind;
  out.parent = joint.parent_link_name;
  out.child = joint.child_link_name;
  out.origin = pose_from(joint.parent_to_joint_origin_transform);
  if (kind != JointKind::fixed && kind != JointKind::floating) out.axis = axis_from(joint.axis);
  if (joint.limits) {
    const urdf::JointLimits& l = *joint.limits;
    out.limits = JointLimits{l.lower, l.upper, l.effort, l.velocity};
  }
  if (joint.mimic) {
    out.mimic = Mimic{joint.mimic->joint_name, joint.mimic->multiplier, joint.mimic->offset};
  }
  if (joint.dynamics) {
    out.damping = joint.dynamics->damping;
    out.friction = joint.dynamics->friction;
  }
  return out;
}

/// Takes the placeholders of the clean text out again.
void restore_missing_limits(const CheckedUrdf::Limits& written, JointDescription& joint) {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  if (!written.has_limits) joint.limits.reset();
  if (!joint.limits) return;
  if (!written.has_effort_limit) joint.limits->effort = unlimited;
  if (!written.has_velocity_limit) joint.limits->velocity = unlimited;
}

/// Of the named links and joints, in that order; urdfdom has forgotten that of the text.
RobotDescription description_of(const urdf::ModelInterface& urdf,
                                const std::vector<std::string>& links,
                                const std::vector<std::string>& joints) {
  const auto find = [](const auto& elements, const std::string& name) {
    const auto found = elements.find(name);
    return found == elements.end() ? nullptr : found->second.get();
  };
  RobotDescription robot;
  robot.name = urdf.name_;
  std::vector<std::string> faults;
  for (const std::string& name : links) {
    if (const urdf::Link* link = find(urdf.links_, name)) {
      robot.links.push_back(link_from(*link));
    } else {
      faults.push_back("link " + shown(name) + ": is a null pointer, expected a link");
    }
  }
  for (const std::string& name : joints) {
    const urdf::Joint* joint = find(urdf.joints_, name);
    const auto kind = joint != nullptr ? kind_from(*joint) : std::nullopt;
    if (kind) {
      robot.joints.push_back(joint_from(*joint, *kind));
    } else if (joint != nullptr) {
      faults.push_back("joint " + shown(name) + ": its type is UNKNOWN, expected REVOLUTE, " +
                       "CONTINUOUS, PRISMATIC, FIXED, FLOATING or PLANAR");
    } else {
      faults.push_back("joint " + shown(name) + ": is a null pointer, expected a joint");
    }
  }
  if (!faults.empty()) throw ModelError(std::move(faults));
  return robot;
}

RobotDescription read(std::string_view xml, MimicPolicy mimic) {
  std::vector<std::string> warnings;
  const CheckedUrdf checked = check_urdf(xml, mimic, warnings);
  const UrdfModel model = parse_clean_text(checked.clean_text, warnings);
  RobotDescription robot = description_of(*model, checked.links, checked.joints);
  for (JointDescription& joint : robot.joints) {
    const auto missing = checked.missing_limits.find(joint.name);
    if (missing != checked.missing_limits.end()) restore_missing_limits(missing->second, joint);
  }
  robot.warnings = std::move(warnings);
  robot.warned_of_limits = true;
  return robot;
}

}  // namespace

RobotDescription read_urdf(std::string_view xml, std::vector<std::string>& warnings) {
  // Whether <mimic> is to be honoured is not known here; build_model refuses what cannot be
  // followed.
  RobotDescription robot = read(xml, MimicPolicy::independent);
  warnings.insert(warnings.end(), robot.warnings.begin(), robot.warnings.end());
  return robot;
}

Model load_urdf_string(std::string_view xml, const ModelOptions& options) {
  return build_model(read(xml, options.mimic), options);
}

Model load_urdf_file(const std::string& path, const ModelOptions& options) {
  return load_urdf_string(read_file(path), options);
}

Model load_urdf(const std::string& path_or_xml, const ModelOptions& options) {
  int line = 1;
  const std::string_view text = urdf_text::without_preamble(path_or_xml, line);
  if (text.empty()) {
    throw ModelError({"got an empty text, expected the path of a URDF file or URDF text"});
  }
  if (text.starts_with('<')) return load_urdf_string(path_or_xml, options);
  return load_urdf_file(path_or_xml, options);
}

Model model_from(const urdf::ModelInterface& urdf, const ModelOptions& options) {
  std::vector<std::string> links, joints;
  for (const auto& [name, link] : urdf.links_) links.push_back(name);
  for (const auto& [name, joint] : urdf.joints_) joints.push_back(name);
  return build_model(description_of(urdf, links, joints), options);
}

}  // namespace rbd_parallel_core
