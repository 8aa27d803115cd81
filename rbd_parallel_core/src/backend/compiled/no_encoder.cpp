// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "encoder.hpp"

namespace rbd_parallel_core::compiled {

std::vector<std::byte> encode(const AllocatedCode&, const Target&) {
  throw std::runtime_error(
      "this build has no encoder of instructions (expected x86-64 with xbyak, or 64-bit ARM)");
}

}  // namespace rbd_parallel_core::compiled
