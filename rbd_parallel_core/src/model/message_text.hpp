// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/spatial/vec3.hpp"

/// How messages about a robot show numbers and names.
namespace rbd_parallel_core {

/// At most six digits, the same in every locale.
std::string to_text(double x);
/// "(0 0 1)"
std::string to_text(const Vec3<double>& a);

/// Between quotes: shortened, control characters and broken UTF-8 replaced.
std::string shown(std::string_view text);

/// 'a', 'b', 'c' and 4 more
std::string listed(const std::vector<std::string>& names);

}  // namespace rbd_parallel_core
