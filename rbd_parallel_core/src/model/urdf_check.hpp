// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// A URDF text whose every name, number and reference was checked.
struct CheckedUrdf {
  struct Joint {
    std::string name;
    // URDF asks for these, dynamics does not: where they are missing, the clean text has a
    // placeholder.
    bool has_limits = true, has_effort_limit = true, has_velocity_limit = true;
  };

  std::vector<std::string> links;  ///< names in the order of the text
  std::vector<Joint> joints;       ///< likewise
  /// The same robot in plain, flat XML: links, inertias, joints, and nothing of what was ignored.
  /// No parser can misread it: names are escaped, numbers are what they were, separated by single
  /// blanks.
  std::string clean_text;
};

/// Walks the text. Throws ModelError with all faults, each with element and line; what is odd but
/// harmless is appended to `warnings`. A <mimic> that cannot be followed is a fault where it is
/// honoured.
CheckedUrdf check_urdf(std::string_view xml, MimicPolicy mimic, std::vector<std::string>& warnings);

}  // namespace rbd_parallel_core
