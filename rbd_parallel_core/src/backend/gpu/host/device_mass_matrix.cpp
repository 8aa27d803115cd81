// SPDX-License-Identifier: Apache-2.0
#include "device_mass_matrix.hpp"

#include "device_image.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "tree/column_order.hpp"

namespace rbd_parallel_core {

template <class Real>
DeviceMassMatrix<Real>::DeviceMassMatrix(const GpuDevice& device, const ModelView<Real>& model,
                                         const ModelView<Real>& on_device) {
  const std::span<const std::int32_t> parent(model.dof_parent, static_cast<std::size_t>(model.nv));
  const MassMatrixRows rows(parent);
  const std::vector<std::int32_t> ends = subtree_ends(parent), begins = chain_begins(parent);
  DeviceImage image;
  const std::size_t at_ends = image.append(std::span(ends)),
                    at_begins = image.append(std::span(begins)),
                    at_rows = image.append(rows.row_start()), at_depth = image.append(rows.depth());
  order_ = image.sent_to(device, "sending the order of the coordinates");
  const auto place = [&]<class T>(const T*& pointer, std::size_t at) {
    pointer = reinterpret_cast<const T*>(order_.get() + at);
  };
  nonzeros_ = rows.row_start().back();
  from_.nv = model.nv;
  from_.dof_parent = on_device.dof_parent;
  place(from_.subtree_end, at_ends);
  place(from_.chain_begin, at_begins);
  place(from_.rows.row_start, at_rows);
  place(from_.rows.depth, at_depth);
  take_columns(device);
}

template <class Real>
void DeviceMassMatrix<Real>::take_columns(const GpuDevice& device) {
  TreeColumns<Real>& columns = from_.columns;
  const auto lay_out = [&](DeviceArena arena) {
    for (Real*& array : columns.axis) arena.cut(array, from_.nv);
    for (Real*& array : columns.force) arena.cut(array, from_.nv);
    for (Real*& array : columns.high) arena.cut(array, from_.nv);
    for (Real*& array : columns.low) arena.cut(array, from_.nv);
    arena.cut(columns.diagonal, from_.nv);
    return arena.used;
  };
  numbers_ = GpuMemory(device, lay_out({}));
  lay_out({numbers_.get()});
}

template class DeviceMassMatrix<double>;
template class DeviceMassMatrix<float>;

}  // namespace rbd_parallel_core
