// SPDX-License-Identifier: Apache-2.0
#include "chain_texts.hpp"

#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/instruction_set.hpp"

namespace rbd_bench {

namespace core = rbd_parallel_core;

namespace baseline {
extern const TextKernels text_kernels;
}
namespace avx2 {
extern const TextKernels text_kernels;
}

const TextKernels& text_kernels() {
#ifdef RBD_HAS_AVX2
  if (core::choose_instruction_set({}) != core::InstructionSet::baseline) {
    return avx2::text_kernels;
  }
#endif
  return baseline::text_kernels;
}

namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

struct TreeMemory {
  TreeMemory(std::int32_t leaves, std::size_t bodies)
      : node(size(core::assembly_nodes(leaves))), forces(node.size()), joined(bodies) {}
  core::AssemblyWorkspace<double, core::Column> view() {
    return {{node.data()}, {forces.data()}, {joined.data()}};
  }
  std::vector<core::TwoHandles<double>> node;
  std::vector<core::HandleForces<double>> forces;
  std::vector<core::JoinedAt<double>> joined;
};

}  // namespace

struct ChainTexts::Memory {
  Memory(std::size_t n, int blocks)
      : aba(core::Workspace<double>::bytes(n, n) / sizeof(double) + 1),
        inverse_inertia(n),
        whole(static_cast<std::int32_t>(n), n),
        first(size(blocks) + 1),
        y_over_D(n),
        singular(size(blocks)),
        cut(blocks, n),
        X(n),
        f(n),
        U_over_D(n),
        one_over_D(n),
        c_over_D(n),
        motion_steps(n),
        motion_scratch(n),
        linear_steps(n),
        linear_scratch(n) {}

  std::vector<double> aba;
  std::vector<core::Mobility<double>> inverse_inertia;
  TreeMemory whole;
  std::vector<std::int32_t> first;
  std::vector<core::Motion<double>> y_over_D;
  std::vector<double> singular;
  TreeMemory cut;
  std::vector<core::Transform<double>> X;
  std::vector<core::Force<double>> f, U_over_D;
  std::vector<double> one_over_D, c_over_D;
  std::vector<core::MotionStep<double>> motion_steps, motion_scratch;
  std::vector<core::LinearStep<double>> linear_steps, linear_scratch;
};

ChainTexts::ChainTexts(const Tree& chain, int blocks, double terminal_share)
    : numbers_(chain.model->view()),
      qdd_(chain.bodies()),
      memory_(std::make_shared<Memory>(chain.bodies(), blocks)) {
  Memory& m = *memory_;
  const auto n = static_cast<std::int32_t>(chain.bodies());
  core::cut_into_blocks(n, blocks, terminal_share, m.first.data());
  const auto aba = core::Workspace<double>::in(reinterpret_cast<std::byte*>(m.aba.data()),
                                               chain.bodies(), chain.bodies())
                       .aba;
  context_ = {.model = numbers_.view(),
              .aba = aba,
              .dca = {aba, {m.inverse_inertia.data()}, m.whole.view()},
              .dcae = {aba, {m.y_over_D.data()}, m.cut.view()},
              .hybrid = {{m.X.data()},
                         {m.f.data()},
                         {m.U_over_D.data()},
                         {m.one_over_D.data()},
                         {m.c_over_D.data()},
                         m.motion_steps.data(),
                         m.motion_scratch.data(),
                         m.linear_steps.data(),
                         m.linear_scratch.data()},
              .blocks = blocks,
              .first = m.first.data(),
              .singular = m.singular.data(),
              .q = chain.q.data(),
              .v = chain.v.data(),
              .tau = chain.a.data(),
              .qdd = qdd_.data()};
  text_kernels().prepare(context_);
}

}  // namespace rbd_bench
