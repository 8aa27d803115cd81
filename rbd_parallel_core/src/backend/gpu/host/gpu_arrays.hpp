// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "device_model.hpp"
#include "gpu_queue.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_lanes.hpp"
#include "rbd_parallel_core/gpu/kernels/state_entries.hpp"

namespace rbd_parallel_core {

/// The arrays of a call on their way to the device and back: rows of the caller, wherever they lie,
/// and lanes of the states of a chunk. Nothing is done once a step of the queue has failed.
template <class Real>
class GpuArrays {
 public:
  using Wrenches = BasicExternalWrenches<Real>;

  /// All of these stay those of the backend.
  GpuArrays(GpuQueue<Real>& queue, const StateEntries<Real>& entries, const GpuSettings& settings,
            const DeviceModel<Real>& model)
      : queue_(queue), entries_(entries), settings_(settings), model_(model) {}

  /// nonzeros: of a sparse mass matrix.
  void configure(const ChunkPlan& plan, std::size_t nonzeros) noexcept {
    plan_ = plan;
    nonzeros_ = nonzeros;
  }
  const ChunkPlan& plan() const noexcept { return plan_; }

  /// What kernels work with that take a thread for each state.
  StateChunk<Real> chunk_of(const ChunkRange& range, bool friction) noexcept;
  template <class Body>
  void launch_states(const BodyEntry<Body>& entry, const Body& body) noexcept {
    queue_.launch(entry, body.shape(settings_.block), body);
  }

  /// Brings n numbers a state from the caller's rows to lanes of that stride.
  void read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
            const ChunkRange& range, std::int64_t stride) noexcept;
  void read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
            const ChunkRange& range) noexcept {
    read(slot, array, n, range, plan_.stride);
  }
  /// Zeros for an empty array.
  void read_or_zeros(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                     const ChunkRange& range) noexcept;
  /// Brings all inputs of a call but its wrenches to lanes; zeros for what is not given.
  template <class Args>
  void read_inputs(const Args& args, const ChunkRange& range) noexcept {
    for_each_field<Args>(FieldVisitor{[&](const InputField<Args, Real>& field) {
                                        read_or_zeros(slot_of(field.argument), args.*field.array,
                                                      field.shape.numbers(extents()), range);
                                      },
                                      [](const auto&) {}});
  }
  /// Where the caller's rows are on the device: sent there, unless they are there already. In the
  /// buffer if launches are recorded, which know that only.
  const Real* stage(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                    const ChunkRange& range) noexcept;

  /// Refuses more wrenches than a chunk of one state has room for.
  Result refuse_wrenches(const Wrenches& f_ext) const noexcept;
  /// How many states of a call with such wrenches are computed at once.
  std::size_t states_with(const Wrenches& f_ext) const noexcept;
  /// The forces that the wrenches put on the bodies, and the taint. Null: there are none.
  const Real* read_forces(const Wrenches& f_ext, const ChunkRange& range) noexcept;
  /// The wrenches themselves, for kernels that need more than those forces. After read_forces.
  LaneWrenches<Real> wrenches_of(const Wrenches& f_ext) noexcept;
  /// Those of one state whose q is on the device, as rows, which are lanes of one.
  const Force<Real>* send_forces(const Wrenches& f_ext, const Real* q,
                                 const ChunkRange& range) noexcept;
  const Force<Real>* body_forces() noexcept {
    return reinterpret_cast<const Force<Real>*>(queue_.buffers().forces);
  }

  /// Brings n numbers a state from lanes to the caller's rows.
  void write(const Real* lanes, std::span<Real> array, std::size_t n,
             const ChunkRange& range) noexcept {
    write(lanes, array, n, range, plan_.stride);
  }
  /// Lanes of that stride.
  void write(const Real* lanes, std::span<Real> array, std::size_t n, const ChunkRange& range,
             std::int64_t stride) noexcept {
    write_part(lanes, array, n, {0, n}, range, stride);
  }
  /// Brings all outputs of a call from lanes, in which they follow each other, to the caller's
  /// rows.
  template <class Args>
  void write_outputs(const Real* lanes, const Args& args, const ChunkRange& range) noexcept {
    for_each_field<Args>(FieldVisitor{[&](const OutputField<Args, Real>& field) {
                                        const std::size_t n = field.shape.numbers(extents());
                                        write(lanes, args.*field.array, n, range);
                                        lanes += static_cast<std::int64_t>(n) * plan_.stride;
                                      },
                                      [](const auto&) {}});
  }
  /// Numbers of a row.
  struct Part {
    std::size_t first, count;
  };
  /// To a part of rows that have n.
  void write_part(const Real* lanes, std::span<Real> array, std::size_t n, const Part& part,
                  const ChunkRange& range) noexcept {
    write_part(lanes, array, n, part, range, plan_.stride);
  }
  void write_part(const Real* lanes, std::span<Real> array, std::size_t n, const Part& part,
                  const ChunkRange& range, std::int64_t stride) noexcept;
  /// Of the mass matrix that lies in the buffers what can differ from zero.
  void write_sparse(std::span<Real> array, const ChunkRange& range) noexcept;
  /// What stands in the rows of the results goes to the caller, once the chunk is done.
  void fetch(Real* to, std::size_t numbers) noexcept { fetch(to, 1, numbers, numbers); }
  /// The last step of a chunk.
  void write_status(std::span<StateStatus> status, const ChunkRange& range) noexcept;

 private:
  Extents extents() const noexcept {
    return {.nq = static_cast<std::size_t>(plan_.nq),
            .nv = static_cast<std::size_t>(plan_.nv),
            .nonzeros = nonzeros_};
  }
  /// The buffer of an input. Accelerations and torques are never both inputs, nor are their
  /// changes and weights.
  const Slot<Real>& slot_of(Argument argument) noexcept {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    switch (argument) {
      case Argument::q:
        return buffers.q;
      case Argument::v:
        return buffers.v;
      case Argument::dq:
        return buffers.dq;
      case Argument::dv:
        return buffers.dv;
      case Argument::da:
      case Argument::dtau:
      case Argument::weights:
        return buffers.da;
      default:
        return buffers.a;
    }
  }
  const Real* send(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                   const ChunkRange& range) noexcept;
  std::int64_t wrench_stride(const Wrenches& f_ext) const noexcept;
  void send_links(const Wrenches& f_ext) noexcept;
  ExternalForcesBody<Real> forces_body(const Wrenches& f_ext, const ChunkRange& range) noexcept;
  void fetch(Real* to, std::size_t rows, std::size_t numbers, std::size_t step) noexcept;

  GpuQueue<Real>& queue_;
  const StateEntries<Real>& entries_;
  const GpuSettings& settings_;
  const DeviceModel<Real>& model_;
  ChunkPlan plan_{};
  std::size_t nonzeros_ = 0;
};

extern template class GpuArrays<double>;
extern template class GpuArrays<float>;

}  // namespace rbd_parallel_core
