// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "device_blocks.hpp"
#include "device_mass_matrix.hpp"
#include "device_model.hpp"
#include "gpu/kernels/mass_matrix_launch.hpp"
#include "pipeline.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"
#include "rbd_parallel_core/gpu/kernels/state_entries.hpp"
#include "tree_dynamics.hpp"
#include "tree_task.hpp"

namespace rbd_parallel_core {

/// All kernels, of a device or of a CPU.
template <class Real>
struct GpuKernels {
  StateEntries<Real> states;
  MakeTreeDynamics<Real> make_tree;
  BlockOperations<Real> blocks;
  MassMatrixOperations<Real> mass_matrix;
};

/// The device as a backend: a batch goes to it in chunks, one thread computes one state. Which
/// device, real or emulated, is a matter of the api and of the entries.
template <class Real>
class GpuBackend final : public BasicBackend<Real>, public DeviceAccess {
 public:
  using typename BasicBackend<Real>::Call;
  using typename BasicBackend<Real>::InverseDynamics;
  using typename BasicBackend<Real>::Forces;
  using typename BasicBackend<Real>::MassMatrix;
  using typename BasicBackend<Real>::ForwardDynamics;
  using typename BasicBackend<Real>::Energies;
  using typename BasicBackend<Real>::LinkKinematics;

  /// The same where the bodies are computed in parallel: 800 MB of doubles.
  static constexpr int largest_tree_nv = 10000;
  /// Of a sparse matrix by blocks: those of a chain of that size.
  static constexpr std::int64_t most_tree_nonzeros =
      std::int64_t{largest_tree_nv} * (largest_tree_nv + 1) / 2;

  GpuBackend(const GpuApi& api, const GpuKernels<Real>& kernels, const GpuSettings& settings = {})
      : api_(&api),
        entries_(kernels.states),
        make_tree_(kernels.make_tree),
        block_operations_(kernels.blocks),
        matrix_operations_(kernels.mass_matrix),
        settings_(settings) {}

  std::string name() const override { return "cuda"; }
  std::string explain(Operation operation, std::size_t batch) const override;
  /// States that are computed at once. Only when configured.
  std::int64_t chunk() const noexcept { return plan_.states; }

  int device() const noexcept override { return settings_.device; }
  void* stream() const noexcept override { return pipelines_[0].stream(); }
  int wait_for(void* stream) noexcept override;
  bool holds(const void* memory) noexcept override;
  Result refuse_on_device(Argument argument, const void* memory) noexcept override;
  std::shared_ptr<void> allocate(std::size_t bytes) override;

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Capabilities do_capabilities() const noexcept override;
  Result do_compute(const Call& call) noexcept override;

 private:
  bool goes_by_two_ports() const noexcept { return blocks_ && blocks_->can_go_forward(); }
  Result compute_mass_matrix(const MassMatrix& args) noexcept;
  Result compute_forward_dynamics(const ForwardDynamics& args) noexcept;
  Result compute_energies(const Energies& args) noexcept;
  Result compute_link_kinematics(const LinkKinematics& args) noexcept;

  /// States of a batch that are computed at once.
  struct Range {
    std::size_t first, count;
  };

  void give_back() noexcept;
  void set_up(const Model& model, const BackendOptions& options);
  void check_settings(const Model& model, const BackendOptions& options) const;
  bool takes_blocks(const Model& model, const BackendOptions& options) const;
  std::size_t memory_to_have() const;
  GpuDevice gpu_device() noexcept { return {*api_, stream(), allowance_}; }
  void plan_chunks(const BackendOptions& options);
  void make_tree(const Model& model, const BackendOptions& options);
  void make_blocks(const Model& model, const BackendOptions& options);
  void record_graphs();

  /// Calls work(range) for chunks that make up the batch, and says how it went. With two pipelines
  /// the chunks take turns: while the device works on one, the next is sent.
  template <class Work>
  Result in_chunks(std::size_t batch, std::size_t most, const Work& work) noexcept;
  /// The same one state at a time in the first pipeline, for the memory of tree_ is there once.
  template <class Work>
  Result one_by_one(std::size_t batch, const Work& work) noexcept;
  template <class Work>
  Result in_chunks(std::size_t batch, std::size_t most, std::span<Pipeline<Real>> pipelines,
                   const Work& work) noexcept;
  Result refuse_wrenches(const BasicExternalWrenches<Real>& f_ext) const noexcept;
  std::int64_t wrench_stride(const BasicExternalWrenches<Real>& f_ext) const noexcept;
  std::size_t states_with(const BasicExternalWrenches<Real>& f_ext) const noexcept;
  Result by_tree(Operation operation, const InverseDynamics& args) noexcept;
  bool goes_by_blocks(const MassMatrix& args) const noexcept;
  bool goes_by_scans(const MassMatrix& args) const noexcept;
  Result refuse_matrices(const MassMatrix& args) const noexcept;
  Result tree_mass_matrix(const MassMatrix& args) noexcept;
  Result rnea(Operation operation, const InverseDynamics& args) noexcept;
  Result outcome() const noexcept;

  // Steps of a call. Each does nothing once one has failed.
  bool good(int error) noexcept;
  bool on_device(const void* memory) noexcept;
  template <class Body>
  void launch(const BodyEntry<Body>& entry, const LaunchShape& shape, const Body& body) noexcept;
  template <class Body>
  void launch_states(const BodyEntry<Body>& entry, const Body& body) noexcept {
    launch(entry, body.shape(settings_.block), body);
  }
  ChunkBuffers<Real>& buffers() noexcept { return pipeline_->buffers; }
  StateChunk<Real> chunk_of(const Range& range, bool friction) noexcept;
  void read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n, const Range& range,
            std::int64_t stride) noexcept;
  void read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
            const Range& range) noexcept {
    read(slot, array, n, range, plan_.stride);
  }
  void read_or_zeros(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                     const Range& range) noexcept;
  void send_links(const BasicExternalWrenches<Real>& f_ext) noexcept;
  const Real* read_forces(const BasicExternalWrenches<Real>& f_ext, const Range& range) noexcept;
  const Force<Real>* send_forces(const BasicExternalWrenches<Real>& f_ext, const Real* q,
                                 const Range& range) noexcept;
  void write(const Real* lanes, std::span<Real> array, std::size_t n, const Range& range) noexcept {
    write_part(lanes, array, n, {0, n}, range);
  }
  /// Numbers of a row.
  struct Part {
    std::size_t first, count;
  };
  void write_part(const Real* lanes, std::span<Real> array, std::size_t n, const Part& part,
                  const Range& range) noexcept;
  void write_sparse(std::span<Real> array, const Range& range) noexcept;
  const Real* send(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                   const Range& range) noexcept;
  const Real* stage(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                    const Range& range) noexcept;
  const Force<Real>* body_forces() noexcept {
    return reinterpret_cast<const Force<Real>*>(buffers().forces);
  }
  /// What acts besides the motion.
  struct Load {
    Vec3<Real> gravity;
    bool friction;
  };
  Load load_of(Operation operation) const noexcept;
  std::int64_t results_of(Operation operation) const noexcept;
  void launch_dynamics(const TreeTask<Real>& task) noexcept;
  void launch_matrix(const TreeTask<Real>& task) noexcept;
  template <class Body>
  void launch_entries(const BodyEntry<Body>& entry, Body body, Real* out) noexcept;
  void launch_task(const TreeTask<Real>& task) noexcept;
  bool arises(const TreeTask<Real>& task) const noexcept;
  void compute(TreeTask<Real> task, std::span<Real> array, std::span<StateStatus> status,
               const Range& range) noexcept;
  void fetch(Real* to, std::size_t numbers) noexcept { fetch(to, 1, numbers, numbers); }
  void fetch(Real* to, std::size_t rows, std::size_t numbers, std::size_t step) noexcept;
  void write_status(std::span<StateStatus> status, const Range& range) noexcept;

  const GpuApi* api_;
  StateEntries<Real> entries_;
  MakeTreeDynamics<Real> make_tree_;
  BlockOperations<Real> block_operations_;
  MassMatrixOperations<Real> matrix_operations_;
  GpuSettings settings_;
  MemoryAllowance allowance_;  ///< of the last configure
  std::array<Pipeline<Real>, 2> pipelines_;
  std::size_t pipeline_count_ = 1;
  Pipeline<Real>* pipeline_ = pipelines_.data();  ///< of the chunk at hand
  GpuEvent begun_;                                ///< from here on the second one may work
  DeviceModel<Real> model_;
  DeviceTree tree_shape_;
  std::unique_ptr<TreeDynamics<Real>> tree_;            ///< where bodies in parallel go by scans
  std::optional<DeviceBlocks<Real>> blocks_;            ///< where they go by blocks
  std::optional<DeviceMassMatrix<Real>> matrix_;        ///< likewise, unless it is too large
  std::array<GpuGraph, TreeTask<Real>::kinds> graphs_;  ///< of the tasks that arise, or of none
  ChunkPlan plan_{};
  std::size_t nonzeros_ = 0;
  bool friction_ = false;
  int error_ = gpu_error::none;  ///< of the call that made the backend unusable
};

extern template class GpuBackend<double>;
extern template class GpuBackend<float>;

/// How many devices there are; none without a driver that is new enough.
int usable_devices(const GpuApi& api) noexcept;

/// Throws std::runtime_error that says what is missing: a driver, a newer one, or a device.
void require_device(const GpuApi& api, int device);

/// Throws std::runtime_error unless the device, the current one, can run the kernel: a library has
/// kernels for the devices that it was compiled for, and for newer ones if it brings PTX.
void require_kernel(const GpuApi& api, int device, void (*entry)());

}  // namespace rbd_parallel_core
