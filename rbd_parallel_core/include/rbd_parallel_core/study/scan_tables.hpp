// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/study/root_coordinates.hpp"
#include "rbd_parallel_core/vtree/vtree.hpp"

/// What the scan forms read of a robot besides its ModelView, made once for it.
namespace rbd_parallel_core {

/// The bodies of a robot; those on the world hang on a virtual root.
inline VTree tree_of_bodies(const ModelView<double>& model) {
  std::vector<std::int32_t> parents;
  for (std::int32_t i = 0; i < model.body_count; ++i) parents.push_back(model.body[i].parent);
  return VTree(parents);
}

/// The memory behind ColumnOwners.
struct ColumnTables {
  std::vector<std::int32_t> first, column, body;

  explicit ColumnTables(const ModelView<double>& model)
      : first(size(model.nv) + 1, 0), column(size(model.column_count)) {
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      body.insert(body.end(), size(nv_of(model.body[i].type)), i);
    }
    for (std::int32_t l = 0; l < model.column_count; ++l) {
      ++first[size(model.column_dof[l]) + 1];
    }
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    std::vector<std::int32_t> next = first;
    for (std::int32_t l = 0; l < model.column_count; ++l) {
      column[size(next[size(model.column_dof[l])]++)] = l;
    }
  }
  ColumnOwners view() const { return {first.data(), column.data(), body.data()}; }

 private:
  static std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }
};

}  // namespace rbd_parallel_core
