// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rbd_parallel_core/study/dca.hpp"
#include "rbd_parallel_core/study/dcae.hpp"
#include "rbd_parallel_core/study/hybrid_abia.hpp"
#include "team_loop.hpp"

namespace rbd_bench {

// The texts of algorithm/ for one state of a chain, all of them with the same number, the same
// compiler and the same instructions: so that what differs between two of them is the method.
struct TextContext {
  rbd_parallel_core::ModelView<double> model;
  rbd_parallel_core::AbaWorkspace<double, rbd_parallel_core::Column> aba;
  rbd_parallel_core::DcaWorkspace<double, rbd_parallel_core::Column> dca;
  rbd_parallel_core::DcaeWorkspace<double, rbd_parallel_core::Column> dcae;
  rbd_parallel_core::HybridAbiaWorkspace<double, rbd_parallel_core::Column> hybrid;
  std::int32_t blocks;  // Of DCAe, and where each begins.
  const std::int32_t* first;
  double* singular;  // One number for each block.
  const double *q, *v, *tau;
  double* qdd;
};

// Those with Threads use them; without (nullptr) they run one step after the other and pay for no
// loop.
using Threads = TeamLoop;
struct TextKernels {
  void (*prepare)(const TextContext&);  // Once for a model.
  void (*aba)(const TextContext&);
  void (*dca)(const TextContext&, const Threads*);
  void (*dcae)(const TextContext&, const Threads*);
  void (*hybrid_abia)(const TextContext&, const Threads*);
};

// For the instruction set that the backend `reference` takes on this machine.
const TextKernels& text_kernels();

}  // namespace rbd_bench
