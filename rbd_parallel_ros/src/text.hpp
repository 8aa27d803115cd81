// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace rbd_parallel_ros {

/// A name from outside, fit for a message: in quotes, without control characters, and not endless.
inline std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 100;
  std::string shown(name.substr(0, longest));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return "'" + shown + (name.size() > longest ? "...'" : "'");
}

/// The first few of a list of names: 'a', 'b', 'c' and 40 more.
template <class Names>
std::string listed(const Names& names, std::size_t most = 20) {
  std::string out;
  std::size_t count = 0;
  for (const auto& name : names) {
    if (count < most) out += (count == 0 ? "" : ", ") + in_quotes(name);
    ++count;
  }
  if (count == 0) return "none";
  return count > most ? out + " and " + std::to_string(count - most) + " more" : out;
}

}  // namespace rbd_parallel_ros
