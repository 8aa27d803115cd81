// SPDX-License-Identifier: Apache-2.0
#include "gpu_tree.hpp"

#include <type_traits>

#include "asked.hpp"
#include "gpu_plan.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {

template <class Real>
void GpuTree<Real>::configure(const Model& model, const BackendOptions& options,
                              MemoryAllowance& allowance) {
  friction_ = options.friction;
  const GpuDevice device = queue_.device(allowance);
  if (!takes_blocks(model, options)) {
    shape_ = DeviceTree(device, model.view());
    scans_ = kernels_.make_scans(device, {model_.view(), shape_.tree(), shape_.owners()},
                                 settings_.cub_scans);
    return;
  }
  const auto make = [&](const ModelView<Real>& view) {
    blocks_.emplace(device, view, model_.view(), options.tree.block);
    if (mass_matrix_nonzeros(model) > most_tree_nonzeros) return;
    matrix_.emplace(device, view, model_.view());
  };
  if constexpr (std::is_same_v<Real, double>) {
    make(model.view());
  } else {
    make(ConvertedModel<Real>(model.view()).view());
  }
}

template <class Real>
void GpuTree<Real>::give_back() noexcept {
  graphs_ = {};
  matrix_.reset();
  blocks_.reset();
  scans_.reset();
  shape_ = {};
}

/// Numbers of a state's results.
template <class Real>
std::int64_t GpuTree<Real>::results_of(Operation operation) const noexcept {
  if (operation == Operation::mass_matrix) return plan().tree_matrix;
  return operation == Operation::sparse_mass_matrix ? plan().tree_nonzeros : plan().nv;
}

/// Launches the kernels of inverse or forward dynamics, but for the one that looks at the state.
template <class Real>
void GpuTree<Real>::launch_dynamics(const TreeTask<Real>& task) noexcept {
  const Load<Real> load = load_of(task.operation, model_.view(), friction_);
  if (!blocks_) {
    queue_.good(
        scans_->inverse_dynamics(task.q, task.v, task.a, load.gravity, load.friction, task.out));
    return;
  }
  const auto operation = task.operation == Operation::forward_dynamics
                             ? kernels_.blocks.forward_dynamics
                             : kernels_.blocks.inverse_dynamics;
  const TreeState<Real> state{task.q,       task.v,        task.a,   task.f_ext,
                              load.gravity, load.friction, task.out, {}};
  queue_.good(operation(queue_.api(), queue_.stream(), blocks_->launch(state), blocks_->levels()));
}

/// The same for the mass matrix: its columns, unless they are there, and its entries.
template <class Real>
void GpuTree<Real>::launch_matrix(const TreeTask<Real>& task) noexcept {
  if (!matrix_) {
    queue_.good(scans_->mass_matrix(task.q, task.out));
    return;
  }
  if (!task.again) {
    TreeState<Real> state{};
    state.q = task.q;
    state.columns = matrix_->columns();
    queue_.good(kernels_.mass_matrix.columns(queue_.api(), queue_.stream(), blocks_->launch(state),
                                             blocks_->levels()));
  }
  if (task.operation == Operation::mass_matrix) {
    launch_entries(kernels_.mass_matrix.dense, matrix_->dense(), task.out);
  } else {
    launch_entries(kernels_.mass_matrix.sparse, matrix_->sparse(), task.out);
  }
}

template <class Real>
template <class Body>
void GpuTree<Real>::launch_entries(const BodyEntry<Body>& entry, Body body, Real* out) noexcept {
  if (!queue_.good()) return;
  body.out = out;
  body.taint = queue_.buffers().taint;
  queue_.clear(body.taint, sizeof(Real));
  queue_.launch(entry, body.shape(), body);
}

/// Launches all kernels of a task.
template <class Real>
void GpuTree<Real>::launch_task(const TreeTask<Real>& task) noexcept {
  if (!queue_.good()) return;
  const bool entries = matrix_ && task.is_matrix();
  if (task.is_matrix()) {
    launch_matrix(task);
  } else {
    launch_dynamics(task);
  }
  TreeStatusBody<Real> status{
      model_.view(),          task.q, task.v, task.a, task.out, results_of(task.operation),
      queue_.buffers().status};
  if (entries || task.f_ext != nullptr) status.taint = queue_.buffers().taint;
  status.results_seen = entries;
  if (task.operation == Operation::forward_dynamics) {
    status.singular = blocks_->singular().data();
    status.singular_count = static_cast<std::int32_t>(blocks_->singular().size());
  }
  queue_.launch(kernels_.states.tree_status, status.shape(), status);
}

/// Whether a call can come to such a task.
template <class Real>
bool GpuTree<Real>::arises(const TreeTask<Real>& task) const noexcept {
  const bool v = task.v != nullptr, a = task.a != nullptr, f_ext = task.f_ext != nullptr;
  if (task.is_matrix() && (v || a || f_ext)) return false;
  if (task.operation == Operation::sparse_mass_matrix) return matrix_.has_value();
  if (task.again) return false;
  if (task.is_matrix()) return plan().tree_matrix > 0 && (matrix_ || scans_ != nullptr);
  if (task.operation == Operation::forward_dynamics) return goes_by_two_ports();
  if (!blocks_) return plan().nv > 0 && v == a && !f_ext;
  return task.operation == Operation::inverse_dynamics || (!a && !f_ext);
}

template <class Real>
void GpuTree<Real>::record_graphs() {
  for (const Operation operation :
       {Operation::inverse_dynamics, Operation::coriolis_forces, Operation::forward_dynamics,
        Operation::mass_matrix, Operation::sparse_mass_matrix}) {
    for (unsigned given = 0; given < TreeTask<Real>::kinds_of_operation; ++given) {
      const TreeTask<Real> task{operation,
                                queue_.buffers().q.rows,
                                (given & 1) != 0 ? queue_.buffers().v.rows : nullptr,
                                (given & 2) != 0 ? queue_.buffers().a.rows : nullptr,
                                (given & 4) != 0 ? arrays_.body_forces() : nullptr,
                                (given & 8) != 0,
                                queue_.buffers().out.rows};
      if (!arises(task)) continue;
      graphs_[task.kind()] = recorded(queue_.api(), queue_.first_stream(), [&] {
        launch_task(task);
        return queue_.take_error();
      });
    }
  }
}

/// Computes one state, whose results go to the array: by the graph of the task, if there is one.
/// Those know the buffers only.
template <class Real>
void GpuTree<Real>::compute(TreeTask<Real> task, std::span<Real> array,
                            std::span<StateStatus> status, const ChunkRange& range) noexcept {
  const auto n = static_cast<std::size_t>(results_of(task.operation));
  Real* const target = array.data() + range.first * n;
  const bool there = queue_.good() && queue_.on_device(target);
  task.out = there && !settings_.graphs ? target : queue_.buffers().out.rows;
  const GpuGraph& graph = graphs_[task.kind()];
  if (graph.get() == nullptr) {
    launch_task(task);
  } else if (queue_.good()) {
    queue_.good(queue_.api().launch_graph(graph.get(), queue_.stream()));
  }
  if (!there) {
    arrays_.fetch(target, n);
  } else if (task.out != target) {
    queue_.copy(target, task.out, n * sizeof(Real));
  }
  arrays_.write_status(status, range);
}

template <class Real>
Result GpuTree<Real>::dynamics(Operation operation, const InverseDynamics& args) noexcept {
  if (const Result refusal = arrays_.refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto nq = static_cast<std::size_t>(plan().nq), nv = static_cast<std::size_t>(plan().nv);
  // Scans take velocities and accelerations both or none.
  const bool zeros_too = !blocks_ && (!args.v.empty() || !args.a.empty());
  return queue_.one_by_one(args.batch, [&](const ChunkRange& range) {
    const auto rates = [&](const Slot<Real>& slot, std::span<const Real> array) -> const Real* {
      if (!array.empty()) return arrays_.stage(slot, array, nv, range);
      if (!zeros_too) return nullptr;
      queue_.clear(slot.rows, nv * sizeof(Real));
      return slot.rows;
    };
    TreeTask<Real> task{operation, arrays_.stage(queue_.buffers().q, args.q, nq, range)};
    task.v = rates(queue_.buffers().v, args.v);
    task.a = rates(queue_.buffers().a, args.a);
    task.f_ext = arrays_.send_forces(args.f_ext, task.q, range);
    compute(task, args.tau, args.status, range);
  });
}

template <class Real>
bool GpuTree<Real>::goes_by_blocks(const MassMatrix& args) const noexcept {
  if (!matrix_ || asks_for_factors(args)) return false;
  return args.mass_matrix.empty() ? !args.sparse.empty() : plan().tree_matrix > 0;
}

template <class Real>
bool GpuTree<Real>::goes_by_scans(const MassMatrix& args) const noexcept {
  return scans_ != nullptr && plan().tree_matrix > 0 && !args.mass_matrix.empty() &&
         args.sparse.empty() && !asks_for_factors(args);
}

template <class Real>
Result GpuTree<Real>::mass_matrix(const MassMatrix& args) noexcept {
  const auto nq = static_cast<std::size_t>(plan().nq);
  return queue_.one_by_one(args.batch, [&](const ChunkRange& range) {
    const Real* const q = arrays_.stage(queue_.buffers().q, args.q, nq, range);
    const bool dense = !args.mass_matrix.empty(), sparse = !args.sparse.empty();
    // The status of the last one holds for both: it is what q leads to.
    const std::span<StateStatus> none;
    if (dense)
      compute({Operation::mass_matrix, q}, args.mass_matrix, sparse ? none : args.status, range);
    if (!sparse) return;
    TreeTask<Real> task{Operation::sparse_mass_matrix, q};
    task.again = dense;
    compute(task, args.sparse, args.status, range);
  });
}

template class GpuTree<double>;
template class GpuTree<float>;

}  // namespace rbd_parallel_core
