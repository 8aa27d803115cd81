// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "rbd_parallel_core/spatial/vec3.hpp"

namespace rbd_parallel_core {

/// A number as messages show it: at most six digits, the same in every locale.
inline std::string to_text(double x) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), x, std::chars_format::general, 6);
  return {buffer.data(), end.ptr};
}

inline std::string to_text(const Vec3<double>& a) {
  return "(" + to_text(a.x) + " " + to_text(a.y) + " " + to_text(a.z) + ")";
}

/// Numbers of a robot are finite and stay clear of overflow, so that what is computed from them
/// does too.
inline bool usable(double x) { return std::abs(x) < 1e100; }
inline constexpr const char* not_usable = "not finite or not below 1e100";

inline std::string quoted(std::string_view name) {
  std::string text;
  text.reserve(name.size() + 2);
  return text.append("'").append(name).append("'");
}

}  // namespace rbd_parallel_core
