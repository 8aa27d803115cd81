// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "encoder.hpp"

namespace rbd_parallel_core::compiled {

std::vector<std::byte> encode(const AllocatedCode&, const Target&) {
  throw std::runtime_error(
      "this build has no encoder of instructions (xbyak, and a processor of x86-64)");
}

}  // namespace rbd_parallel_core::compiled
