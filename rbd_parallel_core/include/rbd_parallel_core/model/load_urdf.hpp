// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rbd_parallel_core/model/model.hpp"

namespace urdf {
class ModelInterface;
}

namespace rbd_parallel_core {

/// Reads a robot from URDF: a path, or the text itself (told apart by its first character: text
/// starts with '<', after a byte order mark and white space if any). The text is checked before any
/// other library sees it; every fault is reported at once, with the element's name and line. Throws
/// ModelError.
///
/// Limits: 128 MiB of text, 12 million elements and attributes, elements nested 64 deep, UTF-8, no
/// document type declarations. Chains of any length within these limits are read on a small stack.
/// Numbers are read the same in every locale: finite, with a decimal point, and nothing after them.
Model load_urdf(const std::string& path_or_xml, const ModelOptions& options = {});

Model load_urdf_file(const std::string& path, const ModelOptions& options = {});
Model load_urdf_string(std::string_view xml, const ModelOptions& options = {});

/// The links and joints of a URDF text as they are written, checked; what load_urdf builds from.
/// Appends what is odd but harmless to `warnings`.
RobotDescription read_urdf(std::string_view xml, std::vector<std::string>& warnings);

/// From a parsed tree, as ROS's urdf::Model is one. Throws ModelError.
Model model_from(const urdf::ModelInterface& urdf, const ModelOptions& options = {});

}  // namespace rbd_parallel_core
