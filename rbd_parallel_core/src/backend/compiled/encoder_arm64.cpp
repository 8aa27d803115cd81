// SPDX-License-Identifier: Apache-2.0
#include "encoder.hpp"
#include "neon_encoder.hpp"

namespace rbd_parallel_core::compiled {

std::vector<std::byte> encode(const AllocatedCode& code, const Target& target) {
  return encode_neon(code, target);
}

}  // namespace rbd_parallel_core::compiled
