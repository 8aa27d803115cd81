// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

#include <new>
#include <stdexcept>
#include <string>

namespace rbd_parallel_core {
namespace {

std::span<const std::int32_t> dof_parents(const Model& model) {
  return {model.view().dof_parent, static_cast<std::size_t>(model.nv())};
}

}  // namespace

MassMatrixRows::MassMatrixRows(std::span<const std::int32_t> dof_parent) {
  row_start_.reserve(dof_parent.size() + 1);
  depth_.reserve(dof_parent.size());
  for (const std::int32_t parent : dof_parent) {
    depth_.push_back(parent < 0 ? 0 : depth_[static_cast<std::size_t>(parent)] + 1);
    row_start_.push_back(row_start_.back() + depth_.back() + 1);
  }
}

MassMatrixPattern::MassMatrixPattern(const Model& model) {
  const std::span<const std::int32_t> parents = dof_parents(model);
  const MassMatrixRows rows(parents);
  row_start_.assign(rows.row_start().begin(), rows.row_start().end());
  depth_.assign(rows.depth().begin(), rows.depth().end());
  try {
    column_.resize(static_cast<std::size_t>(nonzeros()));
  } catch (const std::bad_alloc&) {
    throw std::length_error("MassMatrixPattern: the columns of " + std::to_string(nonzeros()) +
                            " entries do not fit in memory; the backend tree computes the values "
                            "of M without them");
  }
  for (std::size_t k = 0; k < parents.size(); ++k) {
    auto e = static_cast<std::size_t>(row_start_[k + 1]);
    for (auto j = static_cast<std::int32_t>(k); j >= 0; j = parents[static_cast<std::size_t>(j)]) {
      column_[--e] = j;
    }
  }
}

std::int64_t mass_matrix_nonzeros(const Model& model) {
  return MassMatrixRows(dof_parents(model)).row_start().back();
}

std::int64_t dense_mass_matrix_bytes(const Model& model, std::size_t size_of_number) {
  return std::int64_t{model.nv()} * model.nv() * static_cast<std::int64_t>(size_of_number);
}

std::int64_t sparse_mass_matrix_bytes(const Model& model, std::size_t size_of_number) {
  return mass_matrix_nonzeros(model) * static_cast<std::int64_t>(size_of_number);
}

}  // namespace rbd_parallel_core
