// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

/// Faults and warnings, a line each.
namespace rbd_parallel_core {

using Lines = std::vector<std::string>;

/// The faults of the ModelError that the action throws; none if it throws none.
inline Lines faults_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& error) {
    return error.faults();
  }
  return {};
}

inline std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline bool any_has(const Lines& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace rbd_parallel_core
