// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rbd_parallel_ros {

/// How many letters have to be put in, taken out or replaced to make `a` of `b` (Levenshtein).
inline std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The known name that was most likely meant; "" where none is near: more than a third of the
/// letters would have to change.
inline std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 200;  // of what comes from outside
  std::string nearest;
  if (name.size() > longest) return nearest;
  std::size_t fewest = (name.size() + 2) / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace rbd_parallel_ros
