// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../call_plan.hpp"
#include "kernel_memory.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "tiles.hpp"

namespace rbd_parallel_core {

/// A backend that runs the kernels of this folder. What derives from it says which ones, and on how
/// many threads.
template <class Real>
class KernelBackend : public BasicBackend<Real> {
 public:
  /// Matrices of one state at most; 128 MB in double.
  static constexpr int largest_dense_nv = 4096;
  /// The same where a pack of states is computed at once. Beyond it they are computed one by one.
  static constexpr int largest_pack_nv = 512;
  /// The same for one by one in several threads.
  static constexpr int largest_threaded_nv = 1024;

  using typename BasicBackend<Real>::Call;
  using typename BasicBackend<Real>::InverseDynamics;
  using typename BasicBackend<Real>::MassMatrix;
  using typename BasicBackend<Real>::ForwardDynamics;

  /// How a batch of rows is computed.
  CallPlan plan(Operation operation, std::size_t batch) const noexcept;

 protected:
  /// Takes all memory. `with_packs`: batches of two and more run in SIMD lanes.
  void configure_kernels(const Model& model, const BackendOptions& options, bool with_packs,
                         int threads);

  /// The model in the backend's own numbers. Only when configured.
  const ModelView<Real>& kernel_model() const noexcept { return model_; }
  /// The wrenches of one state as forces on the bodies.
  const Force<Real>* body_forces(std::span<const Real> q, const BasicExternalWrenches<Real>& f_ext,
                                 std::size_t state) const noexcept {
    return scalars_.table->body_forces(scalars_.contexts.front(), q, f_ext, state);
  }

  /// Whether a batch is computed one state at a time.
  bool one_by_one(std::size_t batch, Layout layout, bool needs_matrix) const noexcept {
    return &kernels_for(batch, layout, needs_matrix) == &scalars_;
  }
  /// The threads that may work on packs of states at once.
  std::size_t pack_threads() const noexcept { return packs_.contexts.size(); }
  /// Calls work(range, thread) for ranges that make up a batch that is computed in packs. `us`:
  /// predicted for one thread.
  template <class Work>
  void for_each_range_of_packs(std::size_t batch, double us, const Work& work) noexcept {
    if (tiles_) {
      tiles_->run(batch, us, work);
    } else {
      work(StateRange{0, batch}, std::size_t{0});
    }
  }
  /// The runs of the kernels for packs that a batch takes.
  std::size_t runs_of_packs(std::size_t batch) const noexcept {
    return (batch + packs_.table->width - 1) / packs_.table->width;
  }

  Capabilities do_capabilities() const noexcept override;
  Result do_compute(const Call& call) noexcept override;

 private:
  /// Kernels with memory for each thread that may run them.
  struct Kernels {
    const KernelTable<Real>* table = nullptr;
    std::vector<KernelMemory> memory;
    std::vector<KernelContext<Real>> contexts;
  };
  Kernels make_kernels(const KernelTable<Real>& table, bool friction, bool dense,
                       int threads) const;

  /// The kernels that suit a batch.
  const Kernels& kernels_for(std::size_t batch, Layout layout, bool needs_matrix) const noexcept;
  /// What one thread is predicted to take for a batch, in microseconds.
  double predicted_us(const Kernels& kernels, Operation operation,
                      std::size_t batch) const noexcept;
  /// Runs the kernel of the call's operation with the kernels that suit the batch, over threads if
  /// that is shared out. `needs_matrix`: the operation keeps a matrix of its own.
  void run(const Call& call, bool needs_matrix = false) noexcept;
  void run_inverse_dynamics(const InverseDynamics& args) noexcept;
  Result run_mass_matrix(const Call& call) noexcept;
  /// Refuses matrices that the kernels have no room for.
  Result run_if_it_fits(const Call& call) noexcept;
  /// The largest nv that kernels for the layout have matrices for.
  int largest_matrix(Layout layout) const noexcept {
    return packs_.table != nullptr && layout == Layout::lanes ? largest_pack_nv : largest_dense_nv;
  }

  std::optional<ConvertedModel<Real>> converted_;
  ModelView<Real> model_{};
  MassMatrixRows sparse_rows_;
  Kernels scalars_, packs_;
  std::optional<Tiles> tiles_;
};

extern template class KernelBackend<double>;
extern template class KernelBackend<float>;

}  // namespace rbd_parallel_core
