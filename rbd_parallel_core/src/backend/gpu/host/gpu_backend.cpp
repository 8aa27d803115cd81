// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "asked.hpp"
#include "device_check.hpp"
#include "gpu_plan.hpp"
#include "unaccelerated.hpp"

namespace rbd_parallel_core {
namespace {

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

/// The arguments of a kernel, to be filled in.
template <class Body>
Body body_of(const BodyEntry<Body>&) {
  return {};
}

}  // namespace

template <class Real>
std::string GpuBackend<Real>::explain(Operation operation, std::size_t batch) const {
  if (queue_.error() == gpu_error::none) return BasicBackend<Real>::explain(operation, batch);
  return "cuda: unusable since a call failed (" +
         std::string(queue_.api().error_text(queue_.error())) + "); configure it again";
}

template <class Real>
std::size_t GpuBackend<Real>::memory_to_have() const {
  if (settings_.memory > 0) return settings_.memory;
  std::size_t memory = 0;
  require(queue_.api(), queue_.api().free_memory(&memory), "asking for the free memory");
  return memory / 2;
}

template <class Real>
void GpuBackend<Real>::give_back() noexcept {
  tree_.give_back();
  queue_.give_back();
  model_ = {};
}

template <class Real>
void GpuBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  give_back();
  try {
    set_up(model, options);
  } catch (...) {
    give_back();
    throw;
  }
}

template <class Real>
void GpuBackend<Real>::set_up(const Model& model, const BackendOptions& options) {
  queue_.take_error();
  check_settings(settings_, model, options);
  require_device(queue_.api(), settings_.device);
  require_kernel(queue_.api(), settings_.device, kernels_.states.transpose.function);
  allowance_ = MemoryAllowance(memory_to_have());
  friction_ = options.friction;
  derivatives_.configure(friction_);
  queue_.open();
  std::vector<std::int32_t> entries;
  if (model.nv() <= largest_gpu_matrix) entries = sparse_entries(model.view());
  model_ = DeviceModel<Real>(queue_.device(allowance_), model, entries);
  if (settings_.bodies_in_parallel) tree_.configure(model, options, allowance_);
  const Chunking chunks =
      plan_chunks(model_.view(), settings_, options, tree_.nonzeros(), allowance_);
  arrays_.configure(chunks.plan, entries.size());
  queue_.take_buffers(allowance_, chunks.plan, chunks.pipelines);
  if (settings_.graphs) tree_.record_graphs();
}

// ---- for callers on the device ------------------------------------------------------------------

template <class Real>
int GpuBackend<Real>::wait_for(void* stream) noexcept {
  const GpuApi& api = queue_.api();
  GpuApi::Event event = nullptr;
  int error = api.use_device(settings_.device);
  if (error == gpu_error::none) error = api.create_event(&event);
  if (error != gpu_error::none) return error;
  error = api.record_event(event, stream);
  if (error == gpu_error::none) error = api.wait_event(this->stream(), event);
  const int destroyed = api.destroy_event(event);
  return error == gpu_error::none ? destroyed : error;
}

template <class Real>
bool GpuBackend<Real>::holds(const void* memory) noexcept {
  const GpuApi& api = queue_.api();
  bool answer = false;
  return api.use_device(settings_.device) == gpu_error::none &&
         api.is_on_device(memory, &answer) == gpu_error::none && answer;
}

/// A device that cannot tell is lost: the host does not try.
template <class Real>
Result GpuBackend<Real>::refuse_on_device(Argument argument, const void* memory) noexcept {
  if (!queue_.use_device()) return queue_.outcome();
  const bool there = queue_.on_device(memory);
  if (!queue_.good()) return queue_.outcome();
  return {there ? Code::on_device : Code::ok, argument, 0, 0};
}

template <class Real>
std::shared_ptr<void> GpuBackend<Real>::allocate(std::size_t bytes) {
  require(queue_.api(), queue_.api().use_device(settings_.device), "choosing a device");
  const auto memory = std::make_shared<GpuMemory>(queue_.api(), GpuMemory::Place::device, bytes);
  return {memory, memory->get()};
}

// ---- operations ---------------------------------------------------------------------------------

template <class Real>
Result GpuBackend<Real>::rnea(Operation operation, const InverseDynamics& args) noexcept {
  const bool by_scans = tree_.by_scans() && args.f_ext.links.empty() && plan().nv > 0;
  if (tree_.by_blocks() || by_scans) return tree_.dynamics(operation, args);
  if (const Result refusal = arrays_.refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto nq = static_cast<std::size_t>(plan().nq), nv = static_cast<std::size_t>(plan().nv);
  const Load<Real> load = load_of(operation, model_.view(), friction_);
  const auto compute = [&](const auto& entry, const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read(buffers.q, args.q, nq, range);
    auto body = body_of(entry);
    body.states = arrays_.chunk_of(range, load.friction);
    if (!args.v.empty() || !args.a.empty()) arrays_.read_or_zeros(buffers.v, args.v, nv, range);
    if (!args.a.empty()) arrays_.read(buffers.a, args.a, nv, range);
    body.v = buffers.v.lanes;
    body.a = buffers.a.lanes;
    body.forces = arrays_.read_forces(args.f_ext, range);
    body.gravity = load.gravity;
    body.tau = buffers.out.lanes;
    arrays_.launch_states(entry, body);
    arrays_.write(buffers.out.lanes, args.tau, nv, range);
    arrays_.write_status(args.status, range);
  };
  const std::size_t states = arrays_.states_with(args.f_ext);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    if (!args.a.empty()) {
      compute(kernels_.states.inverse_dynamics, range);
    } else if (!args.v.empty()) {
      compute(kernels_.states.moving, range);
    } else {
      compute(kernels_.states.at_rest, range);
    }
  });
}

template <class Real>
Capabilities GpuBackend<Real>::do_capabilities() const noexcept {
  // Whoever asks for the capabilities of a backend may use it: the way to the device is not const.
  auto* const device = const_cast<GpuBackend*>(this);
  return {.operations = OperationSet::all(),
          .two_port = tree_.goes_by_two_ports(),
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
    case Operation::link_kinematics:
      return compute_link_kinematics(call.template arguments<Operation::link_kinematics>());
    case Operation::link_motion:
      return compute_link_motion(call.template arguments<Operation::link_motion>());
    default:
      return derivatives_.compute(call);
  }
}

/// For robots that are too large for one thread.
template <class Real>
Result GpuBackend<Real>::refuse_matrices(const MassMatrix& args) const noexcept {
  const bool factors = asks_for_factors(args);
  if (tree_.by_blocks() && !factors && args.mass_matrix.empty() && !args.sparse.empty()) {
    return {Code::unsupported, Argument::sparse, most_tree_nonzeros,
            static_cast<std::int64_t>(args.sparse.size() / args.batch)};
  }
  const bool in_parallel = !args.mass_matrix.empty() && !factors &&
                           (tree_.by_blocks() || (tree_.by_scans() && args.sparse.empty()));
  return {Code::unsupported, Argument::mass_matrix,
          in_parallel ? largest_tree_nv : largest_gpu_matrix, plan().nv};
}

template <class Real>
Result GpuBackend<Real>::compute_mass_matrix(const MassMatrix& args) noexcept {
  if (tree_.offers(args)) return tree_.mass_matrix(args);
  if (plan().nv > largest_gpu_matrix) return refuse_matrices(args);
  const auto square = static_cast<std::size_t>(plan().matrix);
  const auto states = static_cast<std::size_t>(plan().states);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read_inputs(args, range);
    MassMatrixBody<Real> mass{};
    mass.states = arrays_.chunk_of(range, false);
    mass.M = buffers.matrix;
    arrays_.launch_states(kernels_.states.mass_matrix, mass);
    arrays_.write(buffers.matrix, args.mass_matrix, square, range);
    arrays_.write_sparse(args.sparse, range);
    if (asks_for_factors(args)) {
      FactorBody<Real> factor{};
      factor.states = mass.states;
      factor.M = buffers.matrix;
      arrays_.launch_states(kernels_.states.factor, factor);
      arrays_.write(buffers.matrix, args.cholesky, square, range);
      arrays_.write_sparse(args.sparse_cholesky, range);
    }
    if (!args.inverse.empty()) {
      InverseBody<Real> inverse{};
      inverse.states = mass.states;
      inverse.L = buffers.matrix;
      inverse.inverse = buffers.inverse;
      arrays_.launch_states(kernels_.states.inverse, inverse);
      arrays_.write(buffers.inverse, args.inverse, square, range);
    }
    arrays_.write_status(args.status, range);
  });
}

template <class Real>
Result GpuBackend<Real>::compute_forward_dynamics(const ForwardDynamics& args) noexcept {
  if (tree_.goes_by_two_ports() && args.method != ForwardMethod::crba) {
    return tree_.dynamics(Operation::forward_dynamics, {.batch = args.batch,
                                                        .q = args.q,
                                                        .v = args.v,
                                                        .a = args.tau,
                                                        .f_ext = args.f_ext,
                                                        .tau = args.qdd,
                                                        .status = args.status,
                                                        .layout = args.layout});
  }
  const bool by_aba = args.method == ForwardMethod::aba;
  if (const Result refusal = arrays_.refuse_wrenches(args.f_ext); !refusal.ok()) return refusal;
  const auto compute = [&](const auto& entry, const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read_inputs(args, range);
    auto body = body_of(entry);
    body.states = arrays_.chunk_of(range, friction_);
    body.v = buffers.v.lanes;
    body.tau = buffers.a.lanes;
    body.forces = arrays_.read_forces(args.f_ext, range);
    body.M = buffers.matrix;
    body.qdd = buffers.out.lanes;
    arrays_.launch_states(entry, body);
    arrays_.write_outputs(buffers.out.lanes, args, range);
    arrays_.write_status(args.status, range);
  };
  const std::size_t states = arrays_.states_with(args.f_ext);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    if (by_aba) {
      compute(kernels_.states.aba, range);
    } else {
      compute(kernels_.states.crba_forward, range);
    }
  });
}

template <class Real>
Result GpuBackend<Real>::compute_energies(const Energies& args) noexcept {
  const auto states = static_cast<std::size_t>(plan().states);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read_inputs(args, range);
    EnergiesBody<Real> body{};
    body.states = arrays_.chunk_of(range, false);
    body.v = buffers.v.lanes;
    body.kinetic = !args.kinetic.empty();
    body.potential = !args.potential.empty();
    body.com = !args.com.empty();
    body.results = buffers.out.lanes;
    arrays_.launch_states(kernels_.states.energies, body);
    arrays_.write_outputs(body.results, args, range);
    arrays_.write_status(args.status, range);
  });
}

template <class Real>
Result GpuBackend<Real>::compute_link_kinematics(const LinkKinematics& args) noexcept {
  const std::size_t count = args.links.size(), jacobian = 6 * static_cast<std::size_t>(plan().nv);
  const auto states = static_cast<std::size_t>(plan().states);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read_inputs(args, range);
    PlacementsBody<Real> placements{};
    placements.states = arrays_.chunk_of(range, false);
    arrays_.launch_states(kernels_.states.placements, placements);
    for (std::size_t k = 0; k < count; ++k) {
      LinkPoseBody<Real> pose{};
      pose.states = placements.states;
      pose.link = args.links[k];
      pose.pose = buffers.link;
      if (!args.poses.empty()) arrays_.launch_states(kernels_.states.link_pose, pose);
      arrays_.write_part(pose.pose, args.poses, 7 * count, {7 * k, 7}, range);
      LinkJacobianBody<Real> twists{};
      twists.states = placements.states;
      twists.link = args.links[k];
      twists.in_link_axes = args.axes == Axes::link;
      twists.jacobian = buffers.link;
      if (!args.jacobian.empty()) arrays_.launch_states(kernels_.states.link_jacobian, twists);
      arrays_.write_part(twists.jacobian, args.jacobian, jacobian * count, {jacobian * k, jacobian},
                         range);
    }
    arrays_.write_status(args.status, range);
  });
}

template <class Real>
Result GpuBackend<Real>::compute_link_motion(const LinkMotion& args) noexcept {
  const auto states = static_cast<std::size_t>(plan().states);
  return queue_.in_chunks(args.batch, states, [&](const ChunkRange& range) {
    ChunkBuffers<Real>& buffers = queue_.buffers();
    arrays_.read_inputs(args, range);
    BodyMotionsBody<Real> motions{};
    motions.states = arrays_.chunk_of(range, false);
    motions.v = buffers.v.lanes;
    motions.a = buffers.a.lanes;
    motions.rated = !args.jacobian_rate.empty();
    motions.placed = motions.rated || args.axes == Axes::world;
    motions.of = Motions::both;
    arrays_.launch_states(kernels_.states.body_motions, motions);
    write_links(args, args.twist, LinkVector::twist, range);
    write_links(args, args.velocity_product, LinkVector::acceleration, range);
    write_jacobian_rates(args, range);
    if (!args.acceleration.empty()) {
      motions.of = Motions::accelerated;
      arrays_.launch_states(kernels_.states.body_motions, motions);
    }
    write_links(args, args.acceleration, LinkVector::acceleration, range);
    arrays_.write_status(args.status, range);
  });
}

/// Six numbers for each link, of the motions that stand in the workspace.
template <class Real>
void GpuBackend<Real>::write_links(const LinkMotion& args, std::span<Real> array, LinkVector vector,
                                   const ChunkRange& range) noexcept {
  if (array.empty()) return;
  const std::size_t count = args.links.size();
  for (std::size_t k = 0; k < count; ++k) {
    LinkVectorBody<Real> body{};
    body.states = arrays_.chunk_of(range, false);
    body.link = args.links[k];
    body.in_link_axes = args.axes == Axes::link;
    body.vector = vector;
    body.out = queue_.buffers().link;
    arrays_.launch_states(kernels_.states.link_vector, body);
    arrays_.write_part(body.out, array, 6 * count, {6 * k, 6}, range);
  }
}

/// Six times nv numbers for each link, of the velocities that stand in the workspace.
template <class Real>
void GpuBackend<Real>::write_jacobian_rates(const LinkMotion& args,
                                            const ChunkRange& range) noexcept {
  if (args.jacobian_rate.empty()) return;
  const std::size_t count = args.links.size(), n = 6 * static_cast<std::size_t>(plan().nv);
  for (std::size_t k = 0; k < count; ++k) {
    LinkJacobianRateBody<Real> body{};
    body.states = arrays_.chunk_of(range, false);
    body.link = args.links[k];
    body.in_link_axes = args.axes == Axes::link;
    body.rate = queue_.buffers().link;
    arrays_.launch_states(kernels_.derivatives.link_jacobian_rate, body);
    arrays_.write_part(body.rate, args.jacobian_rate, n * count, {n * k, n}, range);
  }
}

template class GpuBackend<double>;
template class GpuBackend<float>;

}  // namespace rbd_parallel_core
