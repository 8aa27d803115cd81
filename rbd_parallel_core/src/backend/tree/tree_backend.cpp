// SPDX-License-Identifier: Apache-2.0
#include "tree_backend.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <limits>

#include "rbd_parallel_core/algorithm/finite.hpp"

namespace rbd_parallel_core {
namespace {

/// NaN if a number is not finite.
template <class Real>
Real taint_of(std::span<const Real> numbers) noexcept {
  return taint_if_not_finite(Row<Real>{numbers.data()}, static_cast<std::int32_t>(numbers.size()),
                             Real(0));
}

}  // namespace

template <class Real>
void TreeBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  blocks_.reset();
  this->configure_kernels(model, options, /*with_packs=*/false, 1);
  const bool large = model.body_count() >= smallest_cut || options.tree.block > 0;
  if (!large || model.body_count() == 0 || model.has_mimic()) return;
  blocks_.emplace(this->kernel_model(), choose_instruction_set(options.instruction_set),
                  std::min(options.threads, tbb::info::default_concurrency()), options.tree.block);
}

template <class Real>
void TreeBackend<Real>::compute(const InverseDynamics& args, std::size_t s,
                                const Vec3<Real>& gravity, bool friction) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const auto row = [s](std::span<const Real> array, std::size_t n) -> const Real* {
    return array.empty() ? nullptr : array.data() + s * n;
  };
  const std::span<Real> tau = args.tau.subspan(s * nv, nv);
  const Real* q = row(args.q, nq);
  Real taint = 0;
  const Force<Real>* f_ext = nullptr;
  if (!args.f_ext.links.empty()) {
    const std::size_t n = 6 * args.f_ext.links.size();
    taint = taint_of(args.f_ext.wrenches.subspan(s * n, n));
    f_ext = this->body_forces(args, s);
  }
  blocks_->inverse_dynamics(
      {q, row(args.v, nv), row(args.a, nv), f_ext, gravity, friction, tau.data()});
  taint = taint_if_no_rotation(model, Row<Real>{q}, taint + blocks_->taint());
  const bool good = taint == Real(0);
  if (!good) std::fill(tau.begin(), tau.end(), std::numeric_limits<Real>::quiet_NaN());
  if (args.status.empty()) return;
  args.status[s] = good ? StateStatus{} : StateStatus{StateStatus::Code::not_finite, -1};
}

template <class Real>
Result TreeBackend<Real>::do_inverse_dynamics(const InverseDynamics& args) noexcept {
  if (!blocks_) return KernelBackend<Real>::do_inverse_dynamics(args);
  for (std::size_t s = 0; s < args.batch; ++s) {
    compute(args, s, this->kernel_model().gravity, this->options().friction);
  }
  return {};
}

template <class Real>
Result TreeBackend<Real>::do_coriolis_forces(const Forces& args) noexcept {
  if (!blocks_) return KernelBackend<Real>::do_coriolis_forces(args);
  const InverseDynamics still{.batch = args.batch,
                              .q = args.q,
                              .v = args.v,
                              .a = {},
                              .tau = args.tau,
                              .status = args.status,
                              .layout = args.layout};
  for (std::size_t s = 0; s < args.batch; ++s) compute(still, s, Vec3<Real>::zero(), false);
  return {};
}

template class TreeBackend<double>;
template class TreeBackend<float>;

}  // namespace rbd_parallel_core
