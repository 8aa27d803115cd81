// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "unaccelerated.hpp"

namespace rbd_parallel_core {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Where the numbers of a sparse M lie in the full one.
std::vector<std::int32_t> sparse_entries(const ModelView<double>& model) {
  std::vector<std::int32_t> entries;
  for (std::int32_t i = 0; i < model.nv; ++i) {
    const std::size_t begin = entries.size();
    for (std::int32_t j = i; j >= 0; j = model.dof_parent[j]) entries.push_back(i * model.nv + j);
    std::reverse(entries.begin() + static_cast<std::ptrdiff_t>(begin), entries.end());
  }
  return entries;
}

template <class Real>
bool asks_for_factors(const BasicMassMatrix<Real>& args) {
  return !args.cholesky.empty() || !args.inverse.empty() || !args.sparse_cholesky.empty();
}

/// The arguments of a kernel, to be filled in.
template <class Body>
Body body_of(const BodyEntry<Body>&) {
  return {};
}

}  // namespace

int usable_devices(const GpuApi& api) noexcept {
  int driver = 0, count = 0;
  const bool has_driver = api.driver_version(&driver) == gpu_error::none && driver > 0;
  return has_driver && api.device_count(&count) == gpu_error::none ? count : 0;
}

void require_device(const GpuApi& api, int device) {
  const std::string advice = "; the backend 'cpu' needs none";
  int runtime = 0, driver = 0, count = 0;
  require(api, api.runtime_version(&runtime), "asking for the version of the runtime");
  const int driver_error = api.driver_version(&driver);
  if (driver_error != gpu_error::none || driver == 0) {
    throw std::runtime_error("cuda: there is no NVIDIA driver on this machine" + advice);
  }
  const int error = api.device_count(&count);
  if (error == gpu_error::driver_too_old) {
    throw std::runtime_error("cuda: the NVIDIA driver is for CUDA " + version_text(driver) +
                             ", this library needs one for CUDA " + version_text(runtime) +
                             ": update the driver" + advice);
  }
  if (error == gpu_error::no_device || (error == gpu_error::none && count == 0)) {
    throw std::runtime_error("cuda: the NVIDIA driver finds no device" + advice);
  }
  require(api, error, "counting the devices");
  if (device < 0 || device >= count) {
    throw std::invalid_argument("cuda: device " + std::to_string(device) +
                                " is not there; devices are numbered from 0 to " +
                                std::to_string(count - 1));
  }
  require(api, api.use_device(device), "choosing device " + std::to_string(device));
}

void require_kernel(const GpuApi& api, int device, void (*entry)()) {
  const int error = api.check_kernel(entry);
  if (error == gpu_error::none) return;
  int capability = 0;
  require(api, api.compute_capability(device, &capability), "asking what the device can run");
  const std::string number = std::to_string(capability);
  throw std::runtime_error("cuda: device " + std::to_string(device) + " has compute capability " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                           ", for which this library has no kernels (" + api.error_text(error) +
                           ", error " + std::to_string(error) +
                           "): build it with -DRBD_CUDA_ARCHITECTURES=" + number +
                           "; the backend 'cpu' needs none");
}

template <class Real>
std::string GpuBackend<Real>::explain(Operation operation, std::size_t batch) const {
  if (error_ == gpu_error::none) return BasicBackend<Real>::explain(operation, batch);
  return "cuda: unusable since a call failed (" + std::string(api_->error_text(error_)) +
         "); configure it again";
}

template <class Real>
std::size_t GpuBackend<Real>::memory_to_have() const {
  if (settings_.memory > 0) return settings_.memory;
  std::size_t memory = 0;
  require(*api_, api_->free_memory(&memory), "asking for the free memory");
  return memory / 2;
}

/// Throws for what cannot be, and for what would be without effect.
template <class Real>
void GpuBackend<Real>::check_settings(const Model& model, const BackendOptions& options) const {
  const auto expect = [](bool good, const std::string& otherwise) {
    if (!good) throw std::invalid_argument("cuda: " + otherwise);
  };
  expect(settings_.block >= 1 && settings_.block <= largest_block && settings_.chunk >= 1,
         "a block has 1 to " + std::to_string(largest_block) +
             " threads, a chunk at least one state; these have " + std::to_string(settings_.block) +
             " and " + std::to_string(settings_.chunk));
  expect(options.tree.block >= 0,
         "a block has " + std::to_string(options.tree.block) +
             " bodies; expected a positive number, or 0 to have it chosen");
  if (settings_.bodies_in_parallel) {
    expect(!settings_.overlap,
           "overlap is for states in parallel; with bodies_in_parallel one state comes after the "
           "other: leave one of them off");
    expect(!settings_.cub_scans || !takes_blocks(model, options),
           "cub_scans is for the scan forms, and this robot goes by blocks: set the family of "
           "BackendOptions::tree to scans, or leave cub_scans off");
  } else {
    const char* const needs = " is for bodies_in_parallel, which is off: set it, or leave ";
    expect(!settings_.graphs, std::string("graphs") + needs + "graphs off");
    expect(!settings_.cub_scans, std::string("cub_scans") + needs + "cub_scans off");
  }
}

template <class Real>
void GpuBackend<Real>::plan_chunks(const BackendOptions& options) {
  const ModelView<Real>& model = model_.view();
  const std::int64_t square = std::int64_t{model.nv} * model.nv;
  const auto plan_for = [&](std::size_t states) {
    constexpr std::int64_t warp = 32;
    ChunkPlan plan{};
    plan.states = static_cast<std::int64_t>(states);
    plan.stride = plan.states < warp ? plan.states : (plan.states + warp - 1) / warp * warp;
    plan.nq = model.nq;
    plan.nv = model.nv;
    plan.bodies = model.body_count;
    plan.workspace = StateWorkspace<Real>::numbers(model.body_count, model.column_count);
    plan.matrix = model.nv <= largest_gpu_matrix ? square : 0;
    if (settings_.bodies_in_parallel && model.nv <= largest_tree_nv) plan.tree_matrix = square;
    if (matrix_) plan.tree_nonzeros = matrix_->nonzeros();
    // Eight wrenches for each state; a wrench on every link, four times, for one of them.
    plan.wrench_numbers = 6 * std::max<std::int64_t>(8 * plan.stride, 4 * model.link_count);
    return plan;
  };
  // A second pipeline is of use to those who have a second chunk.
  const auto pipelines_for = [&](std::size_t states) {
    return std::size_t{settings_.overlap && options.max_batch > states ? 2u : 1u};
  };
  const auto bytes_for = [&](std::size_t states) {
    return pipelines_for(states) * ChunkBuffers<Real>::device_bytes(plan_for(states));
  };
  std::size_t states = std::min(options.max_batch, settings_.chunk);
  while (states > 1 && bytes_for(states) > allowance_.left()) states /= 2;
  allowance_.require(bytes_for(states));
  plan_ = plan_for(states);
  pipeline_count_ = pipelines_for(states);
}

template <class Real>
void GpuBackend<Real>::give_back() noexcept {
  graphs_ = {};
  pipelines_ = {};
  begun_ = {};
  matrix_.reset();
  blocks_.reset();
  tree_.reset();
  tree_shape_ = {};
  model_ = {};
}

template <class Real>
void GpuBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  give_back();
  error_ = gpu_error::none;
  try {
    set_up(model, options);
  } catch (...) {
    give_back();
    throw;
  }
}

template <class Real>
void GpuBackend<Real>::set_up(const Model& model, const BackendOptions& options) {
  check_settings(model, options);
  require_device(*api_, settings_.device);
  require_kernel(*api_, settings_.device, entries_.transpose.function);
  allowance_ = MemoryAllowance(memory_to_have());
  friction_ = options.friction;
  pipelines_[0] = Pipeline<Real>(*api_);
  std::vector<std::int32_t> entries;
  if (model.nv() <= largest_gpu_matrix) entries = sparse_entries(model.view());
  nonzeros_ = entries.size();
  model_ = DeviceModel<Real>(gpu_device(), model, entries);
  if (settings_.bodies_in_parallel) make_tree(model, options);
  plan_chunks(options);
  if (pipeline_count_ > 1) {
    pipelines_[1] = Pipeline<Real>(*api_);
    begun_ = GpuEvent(*api_);
  }
  for (std::size_t k = 0; k < pipeline_count_; ++k) {
    pipelines_[k].buffers = ChunkBuffers<Real>(gpu_device(), plan_);
  }
  if (settings_.graphs) record_graphs();
}

/// Torques and entries of mimic joints add up from several blocks: they are left to scans.
template <class Real>
bool GpuBackend<Real>::takes_blocks(const Model& model, const BackendOptions& options) const {
  return options.tree.family == TreeFamily::blocks && !model.has_mimic() && model.nv() > 0;
}

template <class Real>
void GpuBackend<Real>::make_tree(const Model& model, const BackendOptions& options) {
  if (takes_blocks(model, options)) {
    make_blocks(model, options);
    return;
  }
  tree_shape_ = DeviceTree(gpu_device(), model.view());
  tree_ = make_tree_(gpu_device(), {model_.view(), tree_shape_.tree(), tree_shape_.owners()},
                     settings_.cub_scans);
}

template <class Real>
void GpuBackend<Real>::make_blocks(const Model& model, const BackendOptions& options) {
  const auto make = [&](const ModelView<Real>& view) {
    blocks_.emplace(gpu_device(), view, model_.view(), options.tree.block);
    if (mass_matrix_nonzeros(model) > most_tree_nonzeros) return;
    matrix_.emplace(gpu_device(), view, model_.view());
  };
  if constexpr (std::is_same_v<Real, double>) {
    make(model.view());
  } else {
    make(ConvertedModel<Real>(model.view()).view());
  }
}

// ---- for callers on the device ------------------------------------------------------------------

template <class Real>
int GpuBackend<Real>::wait_for(void* stream) noexcept {
  GpuApi::Event event = nullptr;
  int error = api_->use_device(settings_.device);
  if (error == gpu_error::none) error = api_->create_event(&event);
  if (error != gpu_error::none) return error;
  error = api_->record_event(event, stream);
  if (error == gpu_error::none) error = api_->wait_event(this->stream(), event);
  const int destroyed = api_->destroy_event(event);
  return error == gpu_error::none ? destroyed : error;
}

template <class Real>
bool GpuBackend<Real>::holds(const void* memory) noexcept {
  bool answer = false;
  return api_->use_device(settings_.device) == gpu_error::none &&
         api_->is_on_device(memory, &answer) == gpu_error::none && answer;
}

/// A device that cannot tell is lost: the host does not try.
template <class Real>
Result GpuBackend<Real>::refuse_on_device(Argument argument, const void* memory) noexcept {
  if (!good(gpu_error::none) || !good(api_->use_device(settings_.device))) return outcome();
  const bool there = on_device(memory);
  if (!good(gpu_error::none)) return outcome();
  return {there ? Code::on_device : Code::ok, argument, 0, 0};
}

template <class Real>
std::shared_ptr<void> GpuBackend<Real>::allocate(std::size_t bytes) {
  require(*api_, api_->use_device(settings_.device), "choosing a device");
  const auto memory = std::make_shared<GpuMemory>(*api_, GpuMemory::Place::device, bytes);
  return {memory, memory->get()};
}

// ---- steps of a call ----------------------------------------------------------------------------

template <class Real>
bool GpuBackend<Real>::good(int error) noexcept {
  if (error_ == gpu_error::none) error_ = error;
  return error_ == gpu_error::none;
}

template <class Real>
Result GpuBackend<Real>::outcome() const noexcept {
  if (error_ == gpu_error::none) return {};
  return {Code::failed, Argument::none, 0, error_};
}

template <class Real>
template <class Work>
Result GpuBackend<Real>::in_chunks(std::size_t batch, std::size_t most,
                                   std::span<Pipeline<Real>> pipelines, const Work& work) noexcept {
  if (!good(gpu_error::none) || !good(api_->use_device(settings_.device))) return outcome();
  for (Pipeline<Real>& pipeline : pipelines) pipeline.reset();
  if (pipelines.size() > 1 && batch > most) {
    // What the first stream was told to wait for holds for the second one too.
    if (good(api_->record_event(begun_.get(), pipelines[0].stream()))) {
      good(api_->wait_event(pipelines[1].stream(), begun_.get()));
    }
  }
  std::size_t turn = 0;
  for (std::size_t first = 0; first < batch; first += most) {
    pipeline_ = &pipelines[turn++ % pipelines.size()];
    if (!good(pipeline_->deliver())) break;
    work(Range{first, std::min(most, batch - first)});
    if (!good(gpu_error::none) || !good(pipeline_->finish())) break;
  }
  for (Pipeline<Real>& pipeline : pipelines) {
    if (good(gpu_error::none)) good(pipeline.deliver());
  }
  if (!good(gpu_error::none)) {
    // What was queued before the failure may still write to arrays of the caller.
    for (Pipeline<Real>& pipeline : pipelines) {
      static_cast<void>(api_->synchronize(pipeline.stream()));
    }
  }
  return outcome();
}

template <class Real>
template <class Work>
Result GpuBackend<Real>::in_chunks(std::size_t batch, std::size_t most, const Work& work) noexcept {
  return in_chunks(batch, most, std::span(pipelines_).first(pipeline_count_), work);
}

template <class Real>
template <class Work>
Result GpuBackend<Real>::one_by_one(std::size_t batch, const Work& work) noexcept {
  return in_chunks(batch, 1, std::span(pipelines_).first(1), work);
}

template <class Real>
bool GpuBackend<Real>::on_device(const void* memory) noexcept {
  bool answer = false;
  good(api_->is_on_device(memory, &answer));
  return answer;
}

template <class Real>
template <class Body>
void GpuBackend<Real>::launch(const BodyEntry<Body>& entry, const LaunchShape& shape,
                              const Body& body) noexcept {
  if (shape.grid == 0 || !good(gpu_error::none)) return;
  good(api_->launch(entry.function, shape, &body, sizeof(Body), pipeline_->stream()));
}

template <class Real>
typename GpuBackend<Real>::Load GpuBackend<Real>::load_of(Operation operation) const noexcept {
  if (operation == Operation::coriolis_forces) return {Vec3<Real>::zero(), false};
  return {model_.view().gravity, friction_};
}

template <class Real>
StateChunk<Real> GpuBackend<Real>::chunk_of(const Range& range, bool friction) noexcept {
  const ModelView<Real>& model = model_.view();
  const std::size_t bytes = sizeof(BodyView<Real>) * static_cast<std::size_t>(model.body_count);
  return {model,
          bytes <= most_shared_bytes,
          friction,
          static_cast<std::int64_t>(range.count),
          plan_.stride,
          buffers().q.lanes,
          buffers().workspace,
          buffers().taint,
          buffers().status};
}

/// Where the caller's rows are on the device: sent there, unless they are there already.
template <class Real>
const Real* GpuBackend<Real>::send(const Slot<Real>& slot, std::span<const Real> array,
                                   std::size_t n, const Range& range) noexcept {
  if (!good(gpu_error::none)) return nullptr;
  const Real* const from = array.data() + range.first * n;
  if (on_device(from)) return from;
  const std::size_t bytes = range.count * n * sizeof(Real);
  std::memcpy(slot.pinned, from, bytes);
  good(api_->copy(slot.rows, slot.pinned, bytes, pipeline_->stream()));
  return slot.rows;
}

/// The same, in the buffer if launches are recorded.
template <class Real>
const Real* GpuBackend<Real>::stage(const Slot<Real>& slot, std::span<const Real> array,
                                    std::size_t n, const Range& range) noexcept {
  const Real* const sent = send(slot, array, n, range);
  if (!settings_.graphs || sent == slot.rows || !good(gpu_error::none)) return sent;
  good(api_->copy(slot.rows, sent, range.count * n * sizeof(Real), pipeline_->stream()));
  return slot.rows;
}

/// Brings n numbers a state from the caller's rows to lanes of that stride.
template <class Real>
void GpuBackend<Real>::read(const Slot<Real>& slot, std::span<const Real> array, std::size_t n,
                            const Range& range, std::int64_t stride) noexcept {
  if (n == 0) return;
  const Real* const from = send(slot, array, n, range);
  const auto columns = static_cast<std::int64_t>(n);
  const Transpose<Real> body{
      from, static_cast<std::int64_t>(range.count), columns, columns, slot.lanes, stride};
  launch(entries_.transpose, body.shape(), body);
}

template <class Real>
void GpuBackend<Real>::read_or_zeros(const Slot<Real>& slot, std::span<const Real> array,
                                     std::size_t n, const Range& range) noexcept {
  if (!array.empty()) {
    read(slot, array, n, range);
  } else if (n > 0 && good(gpu_error::none)) {
    const std::size_t numbers = n * static_cast<std::size_t>(plan_.stride);
    good(api_->clear(slot.lanes, numbers * sizeof(Real), pipeline_->stream()));
  }
}

/// Of the lanes of the wrenches, which are as long as their buffer allows.
template <class Real>
std::int64_t GpuBackend<Real>::wrench_stride(
    const BasicExternalWrenches<Real>& f_ext) const noexcept {
  if (f_ext.links.empty()) return plan_.stride;
  const auto wrenches = static_cast<std::int64_t>(f_ext.links.size());
  return std::min(plan_.stride, plan_.wrench_numbers / (6 * wrenches));
}

template <class Real>
std::size_t GpuBackend<Real>::states_with(const BasicExternalWrenches<Real>& f_ext) const noexcept {
  return static_cast<std::size_t>(std::min(plan_.states, wrench_stride(f_ext)));
}

template <class Real>
Result GpuBackend<Real>::refuse_wrenches(const BasicExternalWrenches<Real>& f_ext) const noexcept {
  const auto most = plan_.wrench_numbers / 6;
  const auto given = static_cast<std::int64_t>(f_ext.links.size());
  if (given <= most) return {};
  return {Code::unsupported, Argument::links, most, given};
}

template <class Real>
void GpuBackend<Real>::send_links(const BasicExternalWrenches<Real>& f_ext) noexcept {
  std::copy(f_ext.links.begin(), f_ext.links.end(), buffers().pinned_links);
  good(api_->copy(buffers().links, buffers().pinned_links,
                  f_ext.links.size() * sizeof(std::int32_t), pipeline_->stream()));
}

/// The forces that the wrenches put on the bodies, and the taint. Null: there are none.
template <class Real>
const Real* GpuBackend<Real>::read_forces(const BasicExternalWrenches<Real>& f_ext,
                                          const Range& range) noexcept {
  if (!good(gpu_error::none)) return nullptr;
  const std::size_t count = f_ext.links.size();
  if (count == 0) {
    const auto states = static_cast<std::size_t>(plan_.stride);
    good(api_->clear(buffers().taint, states * sizeof(Real), pipeline_->stream()));
    return nullptr;
  }
  send_links(f_ext);
  const Slot<Real>& slot = buffers().wrenches;
  read(slot, f_ext.wrenches, 6 * count, range, wrench_stride(f_ext));
  ExternalForcesBody<Real> body{};
  body.states = chunk_of(range, false);
  body.links = buffers().links;
  body.link_count = static_cast<std::int32_t>(count);
  body.wrenches = slot.lanes;
  body.wrench_stride = wrench_stride(f_ext);
  body.in_world_axes = f_ext.axes == Axes::world;
  body.forces = buffers().forces;
  launch_states(entries_.external_forces, body);
  return buffers().forces;
}

/// The same for one state whose q is there. Its rows are lanes of one.
template <class Real>
const Force<Real>* GpuBackend<Real>::send_forces(const BasicExternalWrenches<Real>& f_ext,
                                                 const Real* q, const Range& range) noexcept {
  if (f_ext.links.empty() || !good(gpu_error::none)) return nullptr;
  send_links(f_ext);
  ExternalForcesBody<Real> body{};
  body.states = chunk_of(range, false);
  body.states.stride = 1;
  body.states.q = q;
  body.links = buffers().links;
  body.link_count = static_cast<std::int32_t>(f_ext.links.size());
  body.wrenches = send(buffers().wrenches, f_ext.wrenches, 6 * f_ext.links.size(), range);
  body.wrench_stride = 1;
  body.in_world_axes = f_ext.axes == Axes::world;
  body.forces = buffers().forces;
  launch_states(entries_.external_forces, body);
  return body_forces();
}

/// What stands in the rows of the results goes to the caller, once the chunk is done.
template <class Real>
void GpuBackend<Real>::fetch(Real* to, std::size_t rows, std::size_t numbers,
                             std::size_t step) noexcept {
  const std::size_t bytes = numbers * sizeof(Real);
  if (good(gpu_error::none) &&
      good(pipeline_->promise_results(to, rows, bytes, step * sizeof(Real)))) {
    good(api_->copy(buffers().out.pinned, buffers().out.rows, rows * bytes, pipeline_->stream()));
  }
}

/// Brings numbers of each state from lanes to a part of the caller's rows, which have n.
template <class Real>
void GpuBackend<Real>::write_part(const Real* lanes, std::span<Real> array, std::size_t n,
                                  const Part& part, const Range& range) noexcept {
  if (array.empty() || part.count == 0 || !good(gpu_error::none)) return;
  Real* const target = array.data() + range.first * n + part.first;
  const bool direct = on_device(target);
  const Transpose<Real> body{lanes,
                             static_cast<std::int64_t>(part.count),
                             static_cast<std::int64_t>(range.count),
                             plan_.stride,
                             direct ? target : buffers().out.rows,
                             static_cast<std::int64_t>(direct ? n : part.count)};
  launch(entries_.transpose, body.shape(), body);
  if (direct) return;
  if (part.count == n) {
    fetch(target, range.count * n);
  } else {
    fetch(target, range.count, part.count, n);
  }
}

template <class Real>
void GpuBackend<Real>::write_sparse(std::span<Real> array, const Range& range) noexcept {
  if (array.empty() || !good(gpu_error::none)) return;
  Real* const target = array.data() + range.first * nonzeros_;
  const bool direct = on_device(target);
  const SparseRowsBody<Real> body{buffers().matrix,
                                  plan_.stride,
                                  static_cast<std::int64_t>(range.count),
                                  model_.entries(),
                                  static_cast<std::int64_t>(nonzeros_),
                                  direct ? target : buffers().out.rows};
  launch(entries_.sparse_rows, body.shape(), body);
  if (!direct) fetch(target, range.count * nonzeros_);
}

/// The last step of a chunk.
template <class Real>
void GpuBackend<Real>::write_status(std::span<StateStatus> status, const Range& range) noexcept {
  if (status.empty() || !good(gpu_error::none)) return;
  const std::size_t bytes = range.count * sizeof(StateStatus);
  StateStatus* const target = status.data() + range.first;
  const bool direct = on_device(target);
  if (!direct) pipeline_->promise_status(target, bytes);
  good(api_->copy(direct ? target : buffers().pinned_status, buffers().status, bytes,
                  pipeline_->stream()));
}

// ---- one large tree -----------------------------------------------------------------------------

/// Numbers of a state's results.
template <class Real>
std::int64_t GpuBackend<Real>::results_of(Operation operation) const noexcept {
  if (operation == Operation::mass_matrix) return plan_.tree_matrix;
  return operation == Operation::sparse_mass_matrix ? plan_.tree_nonzeros : plan_.nv;
}

/// Launches the kernels of inverse or forward dynamics, but for the one that looks at the state.
template <class Real>
void GpuBackend<Real>::launch_dynamics(const TreeTask<Real>& task) noexcept {
  const Load load = load_of(task.operation);
  if (!blocks_) {
    good(tree_->inverse_dynamics(task.q, task.v, task.a, load.gravity, load.friction, task.out));
    return;
  }
  const auto operation = task.operation == Operation::forward_dynamics
                             ? block_operations_.forward_dynamics
                             : block_operations_.inverse_dynamics;
  const TreeState<Real> state{task.q,       task.v,        task.a,   task.f_ext,
                              load.gravity, load.friction, task.out, {}};
  good(operation(*api_, pipeline_->stream(), blocks_->launch(state), blocks_->levels()));
}

/// The same for the mass matrix: its columns, unless they are there, and its entries.
template <class Real>
void GpuBackend<Real>::launch_matrix(const TreeTask<Real>& task) noexcept {
  if (!matrix_) {
    good(tree_->mass_matrix(task.q, task.out));
    return;
  }
  if (!task.again) {
    TreeState<Real> state{};
    state.q = task.q;
    state.columns = matrix_->columns();
    good(matrix_operations_.columns(*api_, pipeline_->stream(), blocks_->launch(state),
                                    blocks_->levels()));
  }
  if (task.operation == Operation::mass_matrix) {
    launch_entries(matrix_operations_.dense, matrix_->dense(), task.out);
  } else {
    launch_entries(matrix_operations_.sparse, matrix_->sparse(), task.out);
  }
}

template <class Real>
template <class Body>
void GpuBackend<Real>::launch_entries(const BodyEntry<Body>& entry, Body body, Real* out) noexcept {
  if (!good(gpu_error::none)) return;
  body.out = out;
  body.taint = buffers().taint;
  good(api_->clear(body.taint, sizeof(Real), pipeline_->stream()));
  launch(entry, body.shape(), body);
}

/// Launches all kernels of a task.
template <class Real>
void GpuBackend<Real>::launch_task(const TreeTask<Real>& task) noexcept {
  if (!good(gpu_error::none)) return;
  const bool entries = matrix_ && task.is_matrix();
  if (task.is_matrix()) {
    launch_matrix(task);
  } else {
    launch_dynamics(task);
  }
  TreeStatusBody<Real> status{model_.view(),   task.q,   task.v,
                              task.a,          task.out, results_of(task.operation),
                              buffers().status};
  if (entries || task.f_ext != nullptr) status.taint = buffers().taint;
  status.results_seen = entries;
  if (task.operation == Operation::forward_dynamics) {
    status.singular = blocks_->singular().data();
    status.singular_count = static_cast<std::int32_t>(blocks_->singular().size());
  }
  launch(entries_.tree_status, status.shape(), status);
}

/// Whether a call can come to such a task.
template <class Real>
bool GpuBackend<Real>::arises(const TreeTask<Real>& task) const noexcept {
  const bool v = task.v != nullptr, a = task.a != nullptr, f_ext = task.f_ext != nullptr;
  if (task.is_matrix() && (v || a || f_ext)) return false;
  if (task.operation == Operation::sparse_mass_matrix) return matrix_.has_value();
  if (task.again) return false;
  if (task.is_matrix()) return plan_.tree_matrix > 0 && (matrix_ || tree_ != nullptr);
  if (task.operation == Operation::forward_dynamics) return goes_by_two_ports();
  if (!blocks_) return plan_.nv > 0 && v == a && !f_ext;
  return task.operation == Operation::inverse_dynamics || (!a && !f_ext);
}

template <class Real>
void GpuBackend<Real>::record_graphs() {
  pipeline_ = pipelines_.data();
  for (const Operation operation :
       {Operation::inverse_dynamics, Operation::coriolis_forces, Operation::forward_dynamics,
        Operation::mass_matrix, Operation::sparse_mass_matrix}) {
    for (unsigned given = 0; given < TreeTask<Real>::kinds_of_operation; ++given) {
      const TreeTask<Real> task{operation,
                                buffers().q.rows,
                                (given & 1) != 0 ? buffers().v.rows : nullptr,
                                (given & 2) != 0 ? buffers().a.rows : nullptr,
                                (given & 4) != 0 ? body_forces() : nullptr,
                                (given & 8) != 0,
                                buffers().out.rows};
      if (!arises(task)) continue;
      graphs_[task.kind()] = recorded(*api_, stream(), [&] {
        launch_task(task);
        return std::exchange(error_, gpu_error::none);
      });
    }
  }
}

/// Computes one state, whose results go to the array: by the graph of the task, if there is one.
/// Those know the buffers only.
template <class Real>
void GpuBackend<Real>::compute(TreeTask<Real> task, std::span<Real> array,
                               std::span<StateStatus> status, const Range& range) noexcept {
  const auto n = static_cast<std::size_t>(results_of(task.operation));
  Real* const target = array.data() + range.first * n;
  const bool there = good(gpu_error::none) && on_device(target);
  task.out = there && !settings_.graphs ? target : buffers().out.rows;
  const GpuGraph& graph = graphs_[task.kind()];
  if (graph.get() == nullptr) {
    launch_task(task);
  } else if (good(gpu_error::none)) {
    good(api_->launch_graph(graph.get(), pipeline_->stream()));
  }
  if (!there) {
    fetch(target, n);
  } else if (task.out != target && good(gpu_error::none)) {
    good(api_->copy(target, task.out, n * sizeof(Real), pipeline_->stream()));
  }
  write_status(status, range);
}

/// Of forward dynamics a are the torques, tau the accelerations.
template <class Real>
Result GpuBackend<Real>::by_tree(Operation operation, const InverseDynamics& args) noexcept {
  if (const Result refusal = refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto nq = static_cast<std::size_t>(plan_.nq), nv = static_cast<std::size_t>(plan_.nv);
  // Scans take velocities and accelerations both or none.
  const bool zeros_too = !blocks_ && (!args.v.empty() || !args.a.empty());
  return one_by_one(args.batch, [&](const Range& range) {
    const auto rates = [&](const Slot<Real>& slot, std::span<const Real> array) -> const Real* {
      if (!array.empty()) return stage(slot, array, nv, range);
      if (!zeros_too || !good(gpu_error::none)) return nullptr;
      good(api_->clear(slot.rows, nv * sizeof(Real), pipeline_->stream()));
      return slot.rows;
    };
    TreeTask<Real> task{operation, stage(buffers().q, args.q, nq, range)};
    task.v = rates(buffers().v, args.v);
    task.a = rates(buffers().a, args.a);
    task.f_ext = send_forces(args.f_ext, task.q, range);
    compute(task, args.tau, args.status, range);
  });
}

template <class Real>
bool GpuBackend<Real>::goes_by_blocks(const MassMatrix& args) const noexcept {
  if (!matrix_ || asks_for_factors(args)) return false;
  return args.mass_matrix.empty() ? !args.sparse.empty() : plan_.tree_matrix > 0;
}

template <class Real>
bool GpuBackend<Real>::goes_by_scans(const MassMatrix& args) const noexcept {
  return tree_ != nullptr && plan_.tree_matrix > 0 && !args.mass_matrix.empty() &&
         args.sparse.empty() && !asks_for_factors(args);
}

template <class Real>
Result GpuBackend<Real>::tree_mass_matrix(const MassMatrix& args) noexcept {
  const auto nq = static_cast<std::size_t>(plan_.nq);
  return one_by_one(args.batch, [&](const Range& range) {
    const Real* const q = stage(buffers().q, args.q, nq, range);
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

template <class Real>
Result GpuBackend<Real>::rnea(Operation operation, const InverseDynamics& args) noexcept {
  const bool by_scans = tree_ != nullptr && args.f_ext.links.empty() && plan_.nv > 0;
  if (blocks_ || by_scans) return by_tree(operation, args);
  if (const Result refusal = refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto nq = static_cast<std::size_t>(plan_.nq), nv = static_cast<std::size_t>(plan_.nv);
  const Load load = load_of(operation);
  const auto compute = [&](const auto& entry, const Range& range) {
    read(buffers().q, args.q, nq, range);
    auto body = body_of(entry);
    body.states = chunk_of(range, load.friction);
    if (!args.v.empty() || !args.a.empty()) read_or_zeros(buffers().v, args.v, nv, range);
    if (!args.a.empty()) read(buffers().a, args.a, nv, range);
    body.v = buffers().v.lanes;
    body.a = buffers().a.lanes;
    body.forces = read_forces(args.f_ext, range);
    body.gravity = load.gravity;
    body.tau = buffers().out.lanes;
    launch_states(entry, body);
    write(buffers().out.lanes, args.tau, nv, range);
    write_status(args.status, range);
  };
  return in_chunks(args.batch, states_with(args.f_ext), [&](const Range& range) {
    if (!args.a.empty()) {
      compute(entries_.inverse_dynamics, range);
    } else if (!args.v.empty()) {
      compute(entries_.moving, range);
    } else {
      compute(entries_.at_rest, range);
    }
  });
}

template <class Real>
Capabilities GpuBackend<Real>::do_capabilities() const noexcept {
  // Whoever asks for the capabilities of a backend may use it: the way to the device is not const.
  auto* const device = const_cast<GpuBackend*>(this);
  return {.operations = OperationSet::all().without({Operation::link_motion}),
          .two_port = goes_by_two_ports(),
          .largest_nv_by_crba = largest_gpu_matrix,
          .device = device};
}

template <class Real>
Result GpuBackend<Real>::do_compute(const Call& call) noexcept {
  switch (call.operation()) {
    case Operation::inverse_dynamics:
      return rnea(Operation::inverse_dynamics,
                  call.template arguments<Operation::inverse_dynamics>());
    case Operation::bias_forces:
      return rnea(Operation::inverse_dynamics,
                  unaccelerated(call.template arguments<Operation::bias_forces>()));
    case Operation::gravity_forces:
      return rnea(Operation::inverse_dynamics,
                  at_rest(call.template arguments<Operation::gravity_forces>()));
    case Operation::coriolis_forces:
      return rnea(Operation::coriolis_forces,
                  unaccelerated(call.template arguments<Operation::coriolis_forces>()));
    case Operation::mass_matrix:
      return compute_mass_matrix(call.template arguments<Operation::mass_matrix>());
    case Operation::forward_dynamics:
      return compute_forward_dynamics(call.template arguments<Operation::forward_dynamics>());
    case Operation::energies:
      return compute_energies(call.template arguments<Operation::energies>());
    default:
      return compute_link_kinematics(call.template arguments<Operation::link_kinematics>());
  }
}

/// For robots that are too large for one thread.
template <class Real>
Result GpuBackend<Real>::refuse_matrices(const MassMatrix& args) const noexcept {
  const bool factors = asks_for_factors(args);
  if (blocks_ && !factors && args.mass_matrix.empty() && !args.sparse.empty()) {
    return {Code::unsupported, Argument::sparse, most_tree_nonzeros,
            static_cast<std::int64_t>(args.sparse.size() / args.batch)};
  }
  const bool in_parallel = !args.mass_matrix.empty() && !factors &&
                           (blocks_ || (tree_ != nullptr && args.sparse.empty()));
  return {Code::unsupported, Argument::mass_matrix,
          in_parallel ? largest_tree_nv : largest_gpu_matrix, plan_.nv};
}

template <class Real>
Result GpuBackend<Real>::compute_mass_matrix(const MassMatrix& args) noexcept {
  if (goes_by_blocks(args) || goes_by_scans(args)) return tree_mass_matrix(args);
  if (plan_.nv > largest_gpu_matrix) return refuse_matrices(args);
  const auto square = static_cast<std::size_t>(plan_.matrix);
  return in_chunks(args.batch, static_cast<std::size_t>(plan_.states), [&](const Range& range) {
    read(buffers().q, args.q, static_cast<std::size_t>(plan_.nq), range);
    MassMatrixBody<Real> mass{};
    mass.states = chunk_of(range, false);
    mass.M = buffers().matrix;
    launch_states(entries_.mass_matrix, mass);
    write(buffers().matrix, args.mass_matrix, square, range);
    write_sparse(args.sparse, range);
    if (asks_for_factors(args)) {
      FactorBody<Real> factor{};
      factor.states = mass.states;
      factor.M = buffers().matrix;
      launch_states(entries_.factor, factor);
      write(buffers().matrix, args.cholesky, square, range);
      write_sparse(args.sparse_cholesky, range);
    }
    if (!args.inverse.empty()) {
      InverseBody<Real> inverse{};
      inverse.states = mass.states;
      inverse.L = buffers().matrix;
      inverse.inverse = buffers().inverse;
      launch_states(entries_.inverse, inverse);
      write(buffers().inverse, args.inverse, square, range);
    }
    write_status(args.status, range);
  });
}

template <class Real>
Result GpuBackend<Real>::compute_forward_dynamics(const ForwardDynamics& args) noexcept {
  if (goes_by_two_ports() && args.method != ForwardMethod::crba) {
    return by_tree(Operation::forward_dynamics, {.batch = args.batch,
                                                 .q = args.q,
                                                 .v = args.v,
                                                 .a = args.tau,
                                                 .f_ext = args.f_ext,
                                                 .tau = args.qdd,
                                                 .status = args.status,
                                                 .layout = args.layout});
  }
  const bool by_aba = args.method == ForwardMethod::aba;
  if (!by_aba && args.method != ForwardMethod::crba) {
    return {Code::unsupported, Argument::method, 0, 0};
  }
  if (const Result refusal = refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto nq = static_cast<std::size_t>(plan_.nq), nv = static_cast<std::size_t>(plan_.nv);
  const auto compute = [&](const auto& entry, const Range& range) {
    read(buffers().q, args.q, nq, range);
    read_or_zeros(buffers().v, args.v, nv, range);
    read_or_zeros(buffers().a, args.tau, nv, range);
    auto body = body_of(entry);
    body.states = chunk_of(range, friction_);
    body.v = buffers().v.lanes;
    body.tau = buffers().a.lanes;
    body.forces = read_forces(args.f_ext, range);
    body.M = buffers().matrix;
    body.qdd = buffers().out.lanes;
    launch_states(entry, body);
    write(buffers().out.lanes, args.qdd, nv, range);
    write_status(args.status, range);
  };
  return in_chunks(args.batch, states_with(args.f_ext), [&](const Range& range) {
    if (by_aba) {
      compute(entries_.aba, range);
    } else {
      compute(entries_.crba_forward, range);
    }
  });
}

template <class Real>
Result GpuBackend<Real>::compute_energies(const Energies& args) noexcept {
  const auto nq = static_cast<std::size_t>(plan_.nq), nv = static_cast<std::size_t>(plan_.nv);
  return in_chunks(args.batch, static_cast<std::size_t>(plan_.states), [&](const Range& range) {
    read(buffers().q, args.q, nq, range);
    read_or_zeros(buffers().v, args.v, nv, range);
    EnergiesBody<Real> body{};
    body.states = chunk_of(range, false);
    body.v = buffers().v.lanes;
    body.kinetic = !args.kinetic.empty();
    body.potential = !args.potential.empty();
    body.com = !args.com.empty();
    body.results = buffers().out.lanes;
    launch_states(entries_.energies, body);
    write(body.results, args.kinetic, 1, range);
    write(body.results + plan_.stride, args.potential, 1, range);
    write(body.results + 2 * plan_.stride, args.com, 3, range);
    write_status(args.status, range);
  });
}

template <class Real>
Result GpuBackend<Real>::compute_link_kinematics(const LinkKinematics& args) noexcept {
  const std::size_t count = args.links.size(), jacobian = 6 * static_cast<std::size_t>(plan_.nv);
  return in_chunks(args.batch, static_cast<std::size_t>(plan_.states), [&](const Range& range) {
    read(buffers().q, args.q, static_cast<std::size_t>(plan_.nq), range);
    PlacementsBody<Real> placements{};
    placements.states = chunk_of(range, false);
    launch_states(entries_.placements, placements);
    for (std::size_t k = 0; k < count; ++k) {
      LinkPoseBody<Real> pose{};
      pose.states = placements.states;
      pose.link = args.links[k];
      pose.pose = buffers().link;
      if (!args.poses.empty()) launch_states(entries_.link_pose, pose);
      write_part(pose.pose, args.poses, 7 * count, {7 * k, 7}, range);
      LinkJacobianBody<Real> twists{};
      twists.states = placements.states;
      twists.link = args.links[k];
      twists.in_link_axes = args.axes == Axes::link;
      twists.jacobian = buffers().link;
      if (!args.jacobian.empty()) launch_states(entries_.link_jacobian, twists);
      write_part(twists.jacobian, args.jacobian, jacobian * count, {jacobian * k, jacobian}, range);
    }
    write_status(args.status, range);
  });
}

template class GpuBackend<double>;
template class GpuBackend<float>;

}  // namespace rbd_parallel_core
