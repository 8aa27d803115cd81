// SPDX-License-Identifier: Apache-2.0
#include "reference_backend.hpp"

#include "../instruction_set.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

const ReferenceKernels& kernels_for(InstructionSet set) {
#ifdef RBD_HAS_AVX2
  if (set == InstructionSet::avx2) return avx2::reference_kernels;
#endif
  static_cast<void>(set);
  return baseline::reference_kernels;
}

}  // namespace

void ReferenceBackend::do_configure(const Model& model, const BackendOptions& options) {
  kernels_ = &kernels_for(choose_instruction_set());
  context_.model = model.view();
  context_.friction = options.friction;
  const std::size_t bodies = size(context_.model.body_count), nv = size(context_.model.nv);
  const std::size_t columns = size(context_.model.column_count);
  memory_.assign(Workspace<double>::bytes(bodies, columns) / sizeof(double) + 1, 0.0);
  context_.workspace =
      Workspace<double>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  matrix_.assign(has_matrix() ? nv * nv : 0, 0.0);
  context_.matrix = matrix_.data();
}

Result ReferenceBackend::do_inverse_dynamics(const InverseDynamics& args) noexcept {
  kernels_->inverse_dynamics(context_, args);
  return {};
}

Result ReferenceBackend::do_bias_forces(const Forces& args) noexcept {
  return do_inverse_dynamics({.batch = args.batch,
                              .q = args.q,
                              .v = args.v,
                              .a = {},
                              .tau = args.tau,
                              .status = args.status});
}

Result ReferenceBackend::do_gravity_forces(const Forces& args) noexcept {
  return do_inverse_dynamics(
      {.batch = args.batch, .q = args.q, .v = {}, .a = {}, .tau = args.tau, .status = args.status});
}

Result ReferenceBackend::do_coriolis_forces(const Forces& args) noexcept {
  kernels_->coriolis_forces(context_, args);
  return {};
}

Result ReferenceBackend::do_mass_matrix(const MassMatrix& args) noexcept {
  const bool needs_matrix = args.cholesky.empty() && !args.inverse.empty();
  if (needs_matrix && !has_matrix()) return too_large_for_dense(Argument::inverse);
  kernels_->mass_matrix(context_, args);
  return {};
}

Result ReferenceBackend::do_forward_dynamics(const ForwardDynamics& args) noexcept {
  if (args.method != ForwardMethod::aba && !has_matrix()) {
    return too_large_for_dense(Argument::method);
  }
  kernels_->forward_dynamics(context_, args);
  return {};
}

Result ReferenceBackend::do_energies(const Energies& args) noexcept {
  kernels_->energies(context_, args);
  return {};
}

Result ReferenceBackend::do_link_kinematics(const LinkKinematics& args) noexcept {
  kernels_->link_kinematics(context_, args);
  return {};
}

Result ReferenceBackend::too_large_for_dense(Argument argument) const noexcept {
  return {Code::unsupported, argument, largest_dense_nv, context_.model.nv};
}

}  // namespace rbd_parallel_core
