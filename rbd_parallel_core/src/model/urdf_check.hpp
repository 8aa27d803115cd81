// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// A URDF text whose every name, number and reference was checked.
struct CheckedUrdf {
  std::vector<std::string> links, joints;  ///< names in the order of the text
  /// The same robot in plain, flat XML: links, inertias, joints, and nothing of what was ignored.
  /// No parser can misread it: names are escaped, numbers are what they were, separated by single
  /// blanks. docs/conventions.md says why urdfdom gets this and not the text itself.
  std::string clean_text;

  /// URDF asks for these and urdfdom refuses a joint without them; dynamics needs none. Where one
  /// is missing, the clean text has a placeholder.
  struct Limits {
    bool has_limits = true, has_effort_limit = true, has_velocity_limit = true;
  };
  std::unordered_map<std::string, Limits> missing_limits;  ///< by joint, of those that miss one
};

/// Walks the text. Throws ModelError with all faults, each with element and line; what is odd but
/// harmless is appended to `warnings`. A <mimic> that cannot be followed is a fault where it is
/// honoured.
CheckedUrdf check_urdf(std::string_view xml, MimicPolicy mimic, std::vector<std::string>& warnings);

}  // namespace rbd_parallel_core
