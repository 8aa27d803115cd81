// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "device_image.hpp"
#include "kernels/float_range.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/study/scan_tables.hpp"

namespace rbd_parallel_core {

/// The numbers of a Model in the memory of a device.
template <class Real>
class DeviceModel {
 public:
  DeviceModel() = default;

  /// `entries`: where the numbers of a sparse M lie in the full one, i nv + j.
  DeviceModel(const GpuDevice& device, const Model& model, std::span<const std::int32_t> entries) {
    std::optional<ConvertedModel<Real>> converted;
    if constexpr (std::is_same_v<Real, double>) {
      view_ = model.view();
    } else {
      converted.emplace(model.view());
      view_ = converted->view();
      require_float_range(view_, model);
    }
    DeviceImage image;
    const auto append = [&]<class T>(const T* array, std::int32_t count) {
      return image.append(std::span(array, static_cast<std::size_t>(count)));
    };
    const std::size_t at_body = append(view_.body, view_.body_count);
    const std::size_t at_link = append(view_.link, view_.link_count);
    const std::size_t at_armature = append(view_.armature, view_.nv);
    const std::size_t at_damping = append(view_.damping, view_.nv);
    const std::size_t at_friction = append(view_.friction, view_.nv);
    const std::size_t at_dof = append(view_.column_dof, view_.column_count);
    const std::size_t at_multiplier = append(view_.column_multiplier, view_.column_count);
    const std::size_t at_parent = append(view_.dof_parent, view_.nv);
    const std::size_t at_entries = image.append(entries);
    memory_ = image.sent_to(device, "sending the model");
    place(view_.body, at_body);
    place(view_.link, at_link);
    place(view_.armature, at_armature);
    place(view_.damping, at_damping);
    place(view_.friction, at_friction);
    place(view_.column_dof, at_dof);
    place(view_.column_multiplier, at_multiplier);
    place(view_.dof_parent, at_parent);
    place(entries_, at_entries);
  }

  const ModelView<Real>& view() const { return view_; }
  const std::int32_t* entries() const { return entries_; }

 private:
  template <class T>
  void place(const T*& pointer, std::size_t at) const {
    pointer = reinterpret_cast<const T*>(memory_.get() + at);
  }

  GpuMemory memory_;
  ModelView<Real> view_{};
  const std::int32_t* entries_ = nullptr;
};

/// The shape of its tree there, for the scan forms.
class DeviceTree {
 public:
  DeviceTree() = default;
  DeviceTree(const GpuDevice& device, const ModelView<double>& model) {
    const VTree tree = tree_of_bodies(model);
    const ColumnTables columns(model);
    const VTreeView view = tree.view();
    std::vector<std::int32_t> block;
    const auto append = [&](const std::int32_t* array, std::size_t count) {
      const std::size_t at = block.size();
      block.insert(block.end(), array, array + count);
      return at;
    };
    const auto nodes = static_cast<std::size_t>(view.node_count);
    const std::size_t at_lp = append(view.lp, nodes), at_rp = append(view.rp, nodes);
    const std::size_t at_first = append(columns.first.data(), columns.first.size());
    const std::size_t at_column = append(columns.column.data(), columns.column.size());
    const std::size_t at_body = append(columns.body.data(), columns.body.size());

    memory_ = sent(device, std::as_bytes(std::span(block)), "sending the tree");
    const auto* const first = reinterpret_cast<const std::int32_t*>(memory_.get());
    tree_ = {view.size, view.node_count, first + at_lp, first + at_rp};
    owners_ = {first + at_first, first + at_column, first + at_body};
  }

  const VTreeView& tree() const { return tree_; }
  const ColumnOwners& owners() const { return owners_; }

 private:
  GpuMemory memory_;
  VTreeView tree_{};
  ColumnOwners owners_{};
};

}  // namespace rbd_parallel_core
