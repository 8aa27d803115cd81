// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels/state_io.hpp"
#include "code_block.hpp"
#include "code_kernels.hpp"
#include "rbd_parallel_core/algorithm/turning_wrenches.hpp"

/// External wrenches as inputs of compiled code, which takes a force for every body: which links
/// carry wrenches is known in a call only.
namespace rbd_parallel_core::compiled {

/// Those inputs, where they lie in the block.
template <class S>
struct WrenchInputs {
  Column<Force<S>> forces;
  Column<WorldWrench<S>> turning;  ///< null where the function does not take it

  static RBD_INLINE WrenchInputs in(const CodeView& code, const Block<S>& block) {
    const auto at = [&](std::int32_t k) RBD_INLINE_LAMBDA {
      return k < 0 ? nullptr : block.place(code.layout.inputs + k);
    };
    return {{reinterpret_cast<Force<S>*>(at(code.forces))},
            {reinterpret_cast<WorldWrench<S>*>(at(code.turning))}};
  }
};

/// Sets to zero what the wrenches of a call write. All other forces are zero for good.
template <class S>
RBD_INLINE void clear_wrenches(const ModelView<RealOf<S>>& model, const CodeView& code,
                               const BasicExternalWrenches<RealOf<S>>& f_ext,
                               const Block<S>& block) {
  const WrenchInputs<S> inputs = WrenchInputs<S>::in(code, block);
  for (const int link : f_ext.links) {
    const std::int32_t body = model.link[link].body;
    if (body < 0) continue;
    inputs.forces.store(body, Force<S>::zero());
    if (inputs.turning.data != nullptr) inputs.turning.store(body, WorldWrench<S>::zero());
  }
}

/// Brings the wrenches of a group into the block. X0: where the bodies are, needed along the axes
/// of the world. Returns NaN where one is not finite.
template <class S>
__attribute__((noinline)) RBD_KERNEL S read_wrenches(const ModelView<RealOf<S>>& model,
                                                     const CodeView& code,
                                                     const BasicExternalWrenches<RealOf<S>>& f_ext,
                                                     const Transform<S>* X0, const Group<S>& group,
                                                     const Block<S>& block) {
  using Real = RealOf<S>;
  const WrenchInputs<S> inputs = WrenchInputs<S>::in(code, block);
  clear_wrenches<S>(model, code, f_ext, block);
  const bool in_world_axes = f_ext.axes == Axes::world;
  const KinematicsWorkspace<S, Column> placed{
      .turns = {}, .X0 = {const_cast<Transform<S>*>(X0)}, .v = {nullptr}, .a = {nullptr}};
  const std::size_t n = 6 * f_ext.links.size();
  Real lanes[widest_row<S> * ScalarTraits<S>::width];
  S bad(Real(0));
  for (std::size_t k = 0; k < f_ext.links.size(); ++k) {
    const Row<S> w = group.read(f_ext.wrenches, n, 6 * k, 6, lanes);
    bad = bad + taint(w, 6);
    add_external_force(model, placed, f_ext.links[k], w, in_world_axes, inputs.forces);
    const LinkView<Real>& link = model.link[f_ext.links[k]];
    if (inputs.turning.data == nullptr || link.body < 0) continue;
    const WorldWrench<S> wrench = world_wrench<S>(X0[link.body].E, link, Vec3<S>{w(0), w(1), w(2)},
                                                  Vec3<S>{w(3), w(4), w(5)});
    inputs.turning.store(link.body, inputs.turning.load(link.body) + wrench);
  }
  return bad;
}

}  // namespace rbd_parallel_core::compiled
