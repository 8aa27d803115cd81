// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "rbd_parallel_core/model/converted_model.hpp"
#include "text_kernels.hpp"
#include "tree/shapes.hpp"

namespace rbd_bench {

// One chain and its state, with memory for each text of TextKernels.
class ChainTexts {
 public:
  // blocks, terminal_share: of DCAe, see cut_into_blocks.
  ChainTexts(const Tree& chain, int blocks, double terminal_share);
  ChainTexts(const ChainTexts&) = delete;
  ChainTexts& operator=(const ChainTexts&) = delete;

  const TextContext& context() const { return context_; }
  std::vector<double>& qdd() { return qdd_; }

 private:
  struct Memory;

  rbd_parallel_core::ConvertedModel<double> numbers_;
  std::vector<double> qdd_;
  std::shared_ptr<Memory> memory_;
  TextContext context_{};
};

}  // namespace rbd_bench
