// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "derivative_kernels.hpp"
#include "forward_solve.hpp"
#include "link_kernels.hpp"
#include "mass_matrix_of_states.hpp"
#include "state_io.hpp"

/// The operations on the states of a batch, written once for all Scalars: one state at a time where
/// the Scalar is a number, as many as it has lanes where it is a pack. Included by the files that
/// are compiled once for each instruction set; everything is local to them (RBD_KERNEL).
namespace rbd_parallel_core {

/// Calls visit(v, a). Where both or the accelerations are zero, their terms are left out of what is
/// compiled; that velocities alone are zero is rare and read as such.
template <class S, class Visit>
RBD_INLINE void with_rates(const Group<S>& group, const BasicInverseDynamics<RealOf<S>>& args,
                           std::size_t nv, const Scratch<S>& scratch, const Visit& visit) {
  if (!args.a.empty()) {
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    visit(v, group.read(args.a, nv, scratch.a));
  } else if (!args.v.empty()) {
    visit(group.read(args.v, nv, scratch.v), Zeros<S>{});
  } else {
    visit(Zeros<S>{}, Zeros<S>{});
  }
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::inverse_dynamics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicInverseDynamics<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const OutRow<S> tau = group.out(args.tau, nv, scratch.out);
    S bad = taint_of_q<S>(model, q) + taint_of_wrenches(group, args.f_ext);
    const auto f_ext = forces_on_bodies(model, scratch.workspace, group, args.f_ext, q);
    with_rates(group, args, nv, scratch, [&](const auto& v, const auto& a) RBD_INLINE_LAMBDA {
      rnea(model, scratch.workspace.rnea, q, v, a, f_ext, broadcast<S>(model.gravity),
           context.friction, tau);
      bad = bad + taint(v, nv) + taint(a, nv);
    });
    finish(group, outcome(bad + taint(tau, nv)), args.tau, nv, scratch.out, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::coriolis_forces>,
                        const KernelContext<RealOf<S>>& context, const BasicForces<RealOf<S>>& args,
                        StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const OutRow<S> tau = group.out(args.tau, nv, scratch.out);
    rnea(model, scratch.workspace.rnea, q, v, Zeros<S>{}, no_forces(scratch.workspace),
         Vec3<S>::zero(), false, tau);
    const S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(tau, nv);
    finish(group, outcome(bad), args.tau, nv, scratch.out, args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::forward_dynamics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicForwardDynamics<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const bool by_aba = args.method == ForwardMethod::aba;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const Row<S> tau = read_or_zeros(group, args.tau, nv, scratch.a, scratch);
    const OutRow<S> qdd = group.out(args.qdd, nv, scratch.out);
    const auto f_ext = forces_on_bodies(model, scratch.workspace, group, args.f_ext, q);
    const S singular = by_aba ? aba(model, scratch.workspace.aba, q, v, tau, f_ext,
                                    broadcast<S>(model.gravity), context.friction, qdd)
                              : solve_by_crba(context, scratch, q, v, tau, f_ext, qdd);
    const S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(tau, nv) +
                  taint_of_wrenches(group, args.f_ext);
    finish(group, outcome_of_solve(bad, singular, taint(qdd, nv)), args.qdd, nv, scratch.out,
           args.status);
  });
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::energies>, const KernelContext<RealOf<S>>& context,
                        const BasicEnergies<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const S mass = total_mass<S>(model);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    // kinetic, potential, centre of mass
    const OutRow<S> results{scratch.out};
    for (std::int32_t k = 0; k < 5; ++k) results.store(k, S(RealOf<S>(0)));
    if (!args.kinetic.empty()) {
      body_velocities(model, kinematics, q, v);
      results.store(0, kinetic_energy(model, kinematics, v));
    }
    forward_kinematics(model, kinematics, q);
    const Vec3<S> moment = first_moment(model, kinematics);
    if (!args.potential.empty()) {
      results.store(1, -dot(broadcast<S>(model.gravity), moment));
    }
    if (!args.com.empty()) {
      results.store(2, moment.x / mass);
      results.store(3, moment.y / mass);
      results.store(4, moment.z / mass);
    }
    const Outcome<S> result = outcome(taint_of_q<S>(model, q) + taint(v, nv) + taint(results, 5));
    result.report(group, args.status);
    const auto hand_out = [&](std::span<RealOf<S>> array, std::int32_t first, std::size_t n) {
      if (array.empty()) return;
      const OutRow<S> out = group.out(array, n, scratch.jacobian);
      for (std::int32_t k = 0; size(k) < n; ++k) out.store(k, results.load(first + k));
      group.write(array, n, scratch.jacobian);
      group.spoil_unless(result.good(), array, n);
    };
    hand_out(args.kinetic, 0, 1);
    hand_out(args.potential, 1, 1);
    hand_out(args.com, 2, 3);
  });
}

template <class S>
RBD_KERNEL std::size_t scratch_bytes(const ModelView<RealOf<S>>& model, bool dense) {
  return Scratch<S>::bytes(model, dense);
}

/// Whether coordinate j is i, an ancestor of it or a descendant: then they act on each other.
RBD_INLINE bool act_on_each_other(const std::int32_t* dof_parent, std::int32_t i, std::int32_t j) {
  const std::int32_t upper = i < j ? i : j;
  std::int32_t lower = i < j ? j : i;
  while (lower > upper) lower = dof_parent[lower];
  return lower == upper;
}

/// Writes what the memory of a context holds before the first call.
template <class S>
RBD_KERNEL void prepare(const KernelContext<RealOf<S>>& context) {
  const auto scratch = Scratch<S>::in(context.memory, context.model, context.dense);
  const SymmetricSources& sources = scratch.sources;
  if (sources.scalar == nullptr) return;
  const std::int32_t nv = context.model.nv, width = static_cast<std::int32_t>(Group<S>::width);
  // From the last entry to the first: how many zeros follow each other from here on.
  std::int32_t zeros = 0;
  for (std::int32_t e = nv * nv - 1; e >= 0; --e) {
    const std::int32_t i = e / nv, j = e % nv;
    zeros = act_on_each_other(context.model.dof_parent, i, j) ? 0 : zeros + 1;
    sources.scalar[e] = static_cast<std::uint32_t>(i < j ? j * nv + i : i * nv + j);
    sources.zeros[e] = zeros >= width ? 1 : 0;
  }
  for (std::int32_t i = 0; i < nv; ++i) {
    for (std::int32_t j = i; j >= 0; j = context.model.dof_parent[j]) {
      scratch.sparse_sources.scalar[context.sparse.at(i, j)] =
          static_cast<std::uint32_t>(i * nv + j);
    }
  }
}

/// See KernelTable::body_forces.
template <class S>
RBD_KERNEL const Force<RealOf<S>>* body_forces(const KernelContext<RealOf<S>>& context,
                                               std::span<const RealOf<S>> states,
                                               const BasicExternalWrenches<RealOf<S>>& f_ext,
                                               std::size_t state) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const Group<S> group{state, 1, Layout::rows};
  const Row<S> q = group.read(states, size(model.nq), scratch.q);
  forces_on_bodies(model, scratch.workspace, group, f_ext, q);
  return scratch.workspace.f_ext.data;
}

/// A kernel with its arguments as KernelTable has them.
template <class S, Operation operation>
RBD_KERNEL void compute_erased(const KernelContext<RealOf<S>>& context, const void* args,
                               StateRange range) noexcept {
  compute<S>(OperationTag<operation>{}, context,
             *static_cast<const ArgumentsOf<operation, RealOf<S>>*>(args), range);
}

/// The kernel of an operation, null where there is none.
template <class S, Operation operation>
constexpr typename KernelTable<RealOf<S>>::Kernel kernel_of() {
  if constexpr (is_called<operation>) {
    using Args = ArgumentsOf<operation, RealOf<S>>;
    if constexpr (requires(const KernelContext<RealOf<S>>& context, const Args& args) {
                    compute<S>(OperationTag<operation>{}, context, args, StateRange{});
                  }) {
      return compute_erased<S, operation>;
    }
  }
  return nullptr;
}

/// The table of all of them for one Scalar.
template <class S>
constexpr KernelTable<RealOf<S>> kernel_table() {
  KernelTable<RealOf<S>> table{};
  table.width = ScalarTraits<S>::width;
  table.bytes = scratch_bytes<S>;
  table.prepare = prepare<S>;
  if constexpr (std::is_same_v<S, RealOf<S>>) table.body_forces = body_forces<S>;
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    ((table.kernel[k] = kernel_of<S, static_cast<Operation>(k)>()), ...);
  }
  (std::make_index_sequence<operation_count>());
  return table;
}

}  // namespace rbd_parallel_core
