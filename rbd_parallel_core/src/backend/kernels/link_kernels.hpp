// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/link_motion.hpp"
#include "state_io.hpp"

/// The kernels of poses, Jacobians and motions of links; see batch_kernels.hpp.
namespace rbd_parallel_core {

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::link_kinematics>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicLinkKinematics<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv), count = args.links.size();
  const bool in_link_axes = args.axes == Axes::link;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    forward_kinematics(model, kinematics, q);
    // Every link's placement follows from those of the bodies; if these are finite, so is it.
    S bad = taint_of_q<S>(model, q);
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      const Transform<S>& X = kinematics.X0.load(i);
      for (const S& coordinate : {X.r.x, X.r.y, X.r.z}) {
        bad = mul_add(S(RealOf<S>(0)), coordinate, bad);
      }
    }
    const Outcome<S> result = outcome(bad);
    result.report(group, args.status);
    for (std::size_t k = 0; k < count; ++k) {
      if (!args.poses.empty()) {
        const OutRow<S> pose = group.out(args.poses, 7 * count, 7 * k, scratch.out);
        link_pose(model, kinematics, args.links[k], pose);
        group.write(args.poses, 7 * count, 7 * k, 7, scratch.out);
      }
      if (!args.jacobian.empty()) {
        const std::size_t n = 6 * nv;
        const OutRow<S> J = group.out(args.jacobian, n * count, n * k, scratch.jacobian);
        link_jacobian(model, kinematics, args.links[k], in_link_axes, J);
        group.write(args.jacobian, n * count, n * k, n, scratch.jacobian);
      }
    }
    group.spoil_unless(result.good(), args.poses, 7 * count);
    group.spoil_unless(result.good(), args.jacobian, 6 * nv * count);
  });
}

/// Six numbers for each link of a call, written one link after the other.
template <class S>
struct LinkVectors {
  const Group<S>& group;
  std::span<RealOf<S>> array;  ///< batch x k x 6
  std::size_t count;           ///< links
  RealOf<S>* buffer;

  /// Has write(link, out) called for every link; returns NaN where a number is not finite.
  template <class Write>
  RBD_INLINE S fill(std::span<const int> links, const Write& write) const {
    S bad(RealOf<S>(0));
    for (std::size_t k = 0; k < count; ++k) {
      const OutRow<S> out = group.out(array, 6 * count, 6 * k, buffer);
      write(links[k], out);
      bad = bad + taint(out, 6);
      group.write(array, 6 * count, 6 * k, 6, buffer);
    }
    return bad;
  }
};

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::link_motion>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicLinkMotion<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const auto& kinematics = scratch.workspace.kinematics;
  const std::size_t nq = size(model.nq), nv = size(model.nv), count = args.links.size();
  const bool in_link_axes = args.axes == Axes::link;
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, nq, scratch.q);
    const Row<S> v = read_or_zeros(group, args.v, nv, scratch.v, scratch);
    const Row<S> a = read_or_zeros(group, args.a, nv, scratch.a, scratch);
    const Row<S> no_a{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
    S bad = taint_of_q<S>(model, q) + taint(v, nv) + taint(a, nv);
    if (!in_link_axes || !args.jacobian_rate.empty()) forward_kinematics(model, kinematics, q);
    body_velocities(model, kinematics, q, v);
    if (!args.twist.empty()) {
      const LinkVectors<S> out{group, args.twist, count, scratch.out};
      bad = bad + out.fill(args.links, [&](int link, const OutRow<S>& row) RBD_INLINE_LAMBDA {
        link_twist(model, kinematics, link, in_link_axes, row);
      });
    }
    for (const bool product : {false, true}) {
      const std::span<RealOf<S>> array = product ? args.velocity_product : args.acceleration;
      if (array.empty()) continue;
      body_accelerations(model, kinematics, q, v, product ? no_a : a);
      const LinkVectors<S> out{group, array, count, scratch.out};
      bad = bad + out.fill(args.links, [&](int link, const OutRow<S>& row) RBD_INLINE_LAMBDA {
        link_acceleration(model, kinematics, link, in_link_axes, row);
      });
    }
    for (std::size_t k = 0; k < count && !args.jacobian_rate.empty(); ++k) {
      const std::size_t n = 6 * nv;
      const OutRow<S> rate = group.out(args.jacobian_rate, n * count, n * k, scratch.jacobian);
      link_jacobian_rate(model, kinematics, args.links[k], in_link_axes, rate);
      bad = bad + taint(rate, n);
      group.write(args.jacobian_rate, n * count, n * k, n, scratch.jacobian);
    }
    const Outcome<S> result = outcome(bad);
    result.report(group, args.status);
    group.spoil_unless(result.good(), args.jacobian_rate, 6 * nv * count);
    group.spoil_unless(result.good(), args.twist, 6 * count);
    group.spoil_unless(result.good(), args.acceleration, 6 * count);
    group.spoil_unless(result.good(), args.velocity_product, 6 * count);
  });
}

}  // namespace rbd_parallel_core
