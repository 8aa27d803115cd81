// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set, as the kernels of the library are.
#include "text_kernels.hpp"

#include "rbd_parallel_core/algorithm/aba.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

// Without threads there is no loop.
template <class Run>
void with_executor(const Threads* threads, const Run& run) {
  if (threads == nullptr) {
    run(core::SequentialExecutor{});
  } else {
    run(core::BlockedExecutor(*threads));
  }
}

core::Row<double> row(const double* numbers) { return {numbers}; }

void prepare(const TextContext& c) { invert_inertias(c.model, c.dca); }

void aba(const TextContext& c) {
  core::aba(c.model, c.aba, row(c.q), row(c.v), row(c.tau), core::NoForces{}, c.model.gravity,
            false, core::OutRow<double>{c.qdd});
}

void dca(const TextContext& c, const Threads* threads) {
  with_executor(threads, [&](const auto& executor) {
    core::dca(executor, c.model, c.dca, row(c.q), row(c.v), row(c.tau), core::NoForces{},
              c.model.gravity, false, core::OutRow<double>{c.qdd});
  });
}

void dcae(const TextContext& c, const Threads* threads) {
  with_executor(threads, [&](const auto& executor) {
    core::dcae(executor, c.model, c.dcae, c.blocks, c.first, core::Column<double>{c.singular},
               row(c.q), row(c.v), row(c.tau), core::NoForces{}, c.model.gravity, false,
               core::OutRow<double>{c.qdd});
  });
}

void hybrid_abia(const TextContext& c, const Threads* threads) {
  with_executor(threads, [&](const auto& executor) {
    core::hybrid_abia(executor, c.model, c.hybrid, row(c.q), row(c.v), row(c.tau), core::NoForces{},
                      c.model.gravity, false, core::OutRow<double>{c.qdd});
  });
}

}  // namespace

namespace RBD_ISA {

extern const TextKernels text_kernels{prepare, aba, dca, dcae, hybrid_abia};

}  // namespace RBD_ISA
}  // namespace rbd_bench
