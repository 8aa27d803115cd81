// SPDX-License-Identifier: Apache-2.0
#include "gpu_arrays.hpp"

#include <algorithm>
#include <cstring>

namespace rbd_parallel_core {

template <class Real>
const Real* GpuArrays<Real>::send(const Slot<Real>& slot, std::span<const Real> array,
                                  std::size_t n, const ChunkRange& range) noexcept {
  if (!queue_.good()) return nullptr;
  const Real* const from = array.data() + range.first * n;
  if (queue_.on_device(from)) return from;
  const std::size_t bytes = range.count * n * sizeof(Real);
  std::memcpy(slot.pinned, from, bytes);
  queue_.copy(slot.rows, slot.pinned, bytes);
  return slot.rows;
}

template <class Real>
const Real* GpuArrays<Real>::stage(const Slot<Real>& slot, std::span<const Real> array,
                                   std::size_t n, const ChunkRange& range) noexcept {
  const Real* const sent = send(slot, array, n, range);
  if (!settings_.graphs || sent == slot.rows || !queue_.good()) return sent;
  queue_.copy(slot.rows, sent, range.count * n * sizeof(Real));
  return slot.rows;
}

template <class Real>
void GpuArrays<Real>::read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                           const ChunkRange& range, std::int64_t stride) noexcept {
  if (n == 0) return;
  const Real* const from = send(slot, array, n, range);
  const auto columns = static_cast<std::int64_t>(n);
  const Transpose<Real> body{
      from, static_cast<std::int64_t>(range.count), columns, columns, slot.lanes, stride};
  queue_.launch(entries_.transpose, body.shape(), body);
}

template <class Real>
void GpuArrays<Real>::read_or_zeros(const Slot<Real>& slot, std::span<const Real> array,
                                    std::size_t n, const ChunkRange& range) noexcept {
  if (!array.empty()) {
    read(slot, array, n, range);
  } else if (n > 0 && queue_.good()) {
    const std::size_t numbers = n * static_cast<std::size_t>(plan_.stride);
    queue_.clear(slot.lanes, numbers * sizeof(Real));
  }
}

/// Of the lanes of the wrenches, which are as long as their buffer allows.
template <class Real>
std::int64_t GpuArrays<Real>::wrench_stride(
    const BasicExternalWrenches<Real>& f_ext) const noexcept {
  if (f_ext.links.empty()) return plan_.stride;
  const auto wrenches = static_cast<std::int64_t>(f_ext.links.size());
  return std::min(plan_.stride, plan_.wrench_numbers / (6 * wrenches));
}

template <class Real>
std::size_t GpuArrays<Real>::states_with(const BasicExternalWrenches<Real>& f_ext) const noexcept {
  return static_cast<std::size_t>(std::min(plan_.states, wrench_stride(f_ext)));
}

template <class Real>
Result GpuArrays<Real>::refuse_wrenches(const BasicExternalWrenches<Real>& f_ext) const noexcept {
  const auto most = plan_.wrench_numbers / 6;
  const auto given = static_cast<std::int64_t>(f_ext.links.size());
  if (given <= most) return {};
  return {Code::unsupported, Argument::links, most, given};
}

template <class Real>
void GpuArrays<Real>::send_links(const BasicExternalWrenches<Real>& f_ext) noexcept {
  std::copy(f_ext.links.begin(), f_ext.links.end(), queue_.buffers().pinned_links);
  queue_.copy(queue_.buffers().links, queue_.buffers().pinned_links,
              f_ext.links.size() * sizeof(std::int32_t));
}

/// What makes forces on bodies of the wrenches, but for these.
template <class Real>
ExternalForcesBody<Real> GpuArrays<Real>::forces_body(const BasicExternalWrenches<Real>& f_ext,
                                                      const ChunkRange& range) noexcept {
  ExternalForcesBody<Real> body{};
  body.states = chunk_of(range, false);
  body.links = queue_.buffers().links;
  body.link_count = static_cast<std::int32_t>(f_ext.links.size());
  body.in_world_axes = f_ext.axes == Axes::world;
  body.forces = queue_.buffers().forces;
  return body;
}

template <class Real>
const Real* GpuArrays<Real>::read_forces(const BasicExternalWrenches<Real>& f_ext,
                                         const ChunkRange& range) noexcept {
  if (!queue_.good()) return nullptr;
  const std::size_t count = f_ext.links.size();
  if (count == 0) {
    const auto states = static_cast<std::size_t>(plan_.stride);
    queue_.clear(queue_.buffers().taint, states * sizeof(Real));
    return nullptr;
  }
  send_links(f_ext);
  const Slot<Real>& slot = queue_.buffers().wrenches;
  read(slot, f_ext.wrenches, 6 * count, range, wrench_stride(f_ext));
  ExternalForcesBody<Real> body = forces_body(f_ext, range);
  body.wrenches = slot.lanes;
  body.wrench_stride = wrench_stride(f_ext);
  launch_states(entries_.external_forces, body);
  return queue_.buffers().forces;
}

template <class Real>
LaneWrenches<Real> GpuArrays<Real>::wrenches_of(const BasicExternalWrenches<Real>& f_ext) noexcept {
  return {queue_.buffers().links, static_cast<std::int32_t>(f_ext.links.size()),
          queue_.buffers().wrenches.lanes, wrench_stride(f_ext), f_ext.axes == Axes::world};
}

template <class Real>
const Force<Real>* GpuArrays<Real>::send_forces(const BasicExternalWrenches<Real>& f_ext,
                                                const Real* q, const ChunkRange& range) noexcept {
  if (f_ext.links.empty() || !queue_.good()) return nullptr;
  send_links(f_ext);
  ExternalForcesBody<Real> body = forces_body(f_ext, range);
  body.states.stride = 1;
  body.states.q = q;
  body.wrenches = send(queue_.buffers().wrenches, f_ext.wrenches, 6 * f_ext.links.size(), range);
  body.wrench_stride = 1;
  launch_states(entries_.external_forces, body);
  return body_forces();
}

template <class Real>
void GpuArrays<Real>::fetch(Real* to, std::size_t rows, std::size_t numbers,
                            std::size_t step) noexcept {
  const std::size_t bytes = numbers * sizeof(Real);
  if (queue_.good() &&
      queue_.good(queue_.pipeline().promise_results(to, rows, bytes, step * sizeof(Real)))) {
    queue_.copy(queue_.buffers().out.pinned, queue_.buffers().out.rows, rows * bytes);
  }
}

template <class Real>
void GpuArrays<Real>::write_part(const Real* lanes, std::span<Real> array, std::size_t n,
                                 const Part& part, const ChunkRange& range,
                                 std::int64_t stride) noexcept {
  if (array.empty() || part.count == 0 || !queue_.good()) return;
  Real* const target = array.data() + range.first * n + part.first;
  const bool direct = queue_.on_device(target);
  const Transpose<Real> body{lanes,
                             static_cast<std::int64_t>(part.count),
                             static_cast<std::int64_t>(range.count),
                             stride,
                             direct ? target : queue_.buffers().out.rows,
                             static_cast<std::int64_t>(direct ? n : part.count)};
  queue_.launch(entries_.transpose, body.shape(), body);
  if (direct) return;
  if (part.count == n) {
    fetch(target, range.count * n);
  } else {
    fetch(target, range.count, part.count, n);
  }
}

template <class Real>
void GpuArrays<Real>::write_sparse(std::span<Real> array, const ChunkRange& range) noexcept {
  if (array.empty() || !queue_.good()) return;
  Real* const target = array.data() + range.first * nonzeros_;
  const bool direct = queue_.on_device(target);
  const SparseRowsBody<Real> body{queue_.buffers().matrix,
                                  plan_.stride,
                                  static_cast<std::int64_t>(range.count),
                                  model_.entries(),
                                  static_cast<std::int64_t>(nonzeros_),
                                  direct ? target : queue_.buffers().out.rows};
  queue_.launch(entries_.sparse_rows, body.shape(), body);
  if (!direct) fetch(target, range.count * nonzeros_);
}

template <class Real>
void GpuArrays<Real>::write_status(std::span<StateStatus> status,
                                   const ChunkRange& range) noexcept {
  if (status.empty() || !queue_.good()) return;
  const std::size_t bytes = range.count * sizeof(StateStatus);
  StateStatus* const target = status.data() + range.first;
  const bool direct = queue_.on_device(target);
  if (!direct) queue_.pipeline().promise_status(target, bytes);
  queue_.copy(direct ? target : queue_.buffers().pinned_status, queue_.buffers().status, bytes);
}

template <class Real>
StateChunk<Real> GpuArrays<Real>::chunk_of(const ChunkRange& range, bool friction) noexcept {
  const ModelView<Real>& model = model_.view();
  const std::size_t bytes = sizeof(BodyView<Real>) * static_cast<std::size_t>(model.body_count);
  return {model,
          bytes <= most_shared_bytes,
          friction,
          static_cast<std::int64_t>(range.count),
          plan_.stride,
          queue_.buffers().q.lanes,
          queue_.buffers().workspace,
          queue_.buffers().taint,
          queue_.buffers().status};
}

template class GpuArrays<double>;
template class GpuArrays<float>;

}  // namespace rbd_parallel_core
