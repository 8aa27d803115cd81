// SPDX-License-Identifier: Apache-2.0
#include "column_order.hpp"

#include <algorithm>

namespace rbd_parallel_core {

std::vector<std::int32_t> subtree_ends(std::span<const std::int32_t> dof_parent) {
  std::vector<std::int32_t> ends(dof_parent.size());
  for (std::size_t k = ends.size(); k-- > 0;) {
    ends[k] = std::max(ends[k], static_cast<std::int32_t>(k) + 1);
    if (dof_parent[k] < 0) continue;
    std::int32_t& end = ends[static_cast<std::size_t>(dof_parent[k])];
    end = std::max(end, ends[k]);
  }
  return ends;
}

std::vector<std::int32_t> chain_begins(std::span<const std::int32_t> dof_parent) {
  std::vector<std::int32_t> begins(dof_parent.size());
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const auto self = static_cast<std::int32_t>(k);
    const bool goes_on = k > 0 && dof_parent[k] == self - 1;
    begins[k] = goes_on ? begins[k - 1] : self;
  }
  return begins;
}

}  // namespace rbd_parallel_core
