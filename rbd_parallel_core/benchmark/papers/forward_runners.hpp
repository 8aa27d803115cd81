// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/sampling.hpp"
#include "rbd_parallel_core/study/forward_methods.hpp"
#include "tree/shapes.hpp"

namespace rbd_bench {

// Who does the forward dynamics of one chain; all of them write to the same array.
class ForwardRunners {
 public:
  ForwardRunners(const Tree& chain, std::vector<double>& qdd) : chain_(chain), qdd_(qdd) {}

  // ABA: the backend `reference`, and the same text as the methods of the papers have.
  Runner reference() const;
  Runner text_aba() const;
  // Two-ports: the backend `tree`.
  Runner two_port(int threads) const;
  // DCAe in so many blocks, of which the last one has that share of the bodies.
  Runner dcae(std::string name, int threads, int blocks, double terminal_share) const;
  Runner dca(int threads) const;
  Runner hybrid_abia(int threads) const;
  // One inverse dynamics after the other, and all of them as one batch of the backend `cpu`.
  Runner serial_jsiia() const;
  Runner batched_jsiia(int threads) const;

 private:
  template <class Kernel>
  Runner by_text(std::string name, int threads, int blocks, double share, Kernel kernel) const;

  const Tree& chain_;
  std::vector<double>& qdd_;
};

}  // namespace rbd_bench
