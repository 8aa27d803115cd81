// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compile_option_check.hpp"
#include "../kernels/kernel_backend.hpp"
#include "../tree_options_check.hpp"

namespace rbd_parallel_core {

/// Runs the algorithms with a number as Scalar, state by state, on the calling thread: the plainest
/// backend, against which the others are measured. `threads` is accepted and not used.
template <class Real>
class ReferenceBackend final : public KernelBackend<Real> {
 public:
  std::string name() const override { return "reference"; }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    refuse_tree_options(options.tree, name());
    refuse_compile_option(options, name());
    this->configure_kernels(model, options, /*with_packs=*/false, 1);
  }
};

}  // namespace rbd_parallel_core
