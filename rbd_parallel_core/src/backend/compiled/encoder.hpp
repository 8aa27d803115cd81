// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "machine_code.hpp"

namespace rbd_parallel_core::compiled {

/// Code for a processor as bytes: a function of the system's calling convention that takes the
/// block. Throws std::runtime_error in a build without an encoder, or for another processor.
std::vector<std::byte> encode(const AllocatedCode& code, const Target& target);

}  // namespace rbd_parallel_core::compiled
