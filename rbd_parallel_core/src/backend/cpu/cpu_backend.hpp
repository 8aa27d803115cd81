// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compile_option_check.hpp"
#include "../kernels/kernel_backend.hpp"
#include "../tree_options_check.hpp"

namespace rbd_parallel_core {

/// Runs the same algorithms with a pack of states as its Scalar, as many as a SIMD register of the
/// machine holds, and spreads large batches over threads. One state alone is computed as
/// `reference` does.
template <class Real>
class CpuBackend final : public KernelBackend<Real> {
 public:
  std::string name() const override { return "cpu"; }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    refuse_tree_options(options.tree, name());
    refuse_compile_option(options, name());
    this->configure_kernels(model, options, /*with_packs=*/true, options.threads);
  }
};

}  // namespace rbd_parallel_core
