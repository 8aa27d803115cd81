// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "machine_code.hpp"

namespace rbd_parallel_core::compiled {

/// `encode` for 64-bit ARM. Any processor can do it, so that tests can. The code's registers were
/// given as Target::fused_result says.
std::vector<std::byte> encode_neon(const AllocatedCode& code, const Target& target);

}  // namespace rbd_parallel_core::compiled
