// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine_code.hpp"
#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core::compiled {

/// The places of a block.
template <class S>
struct Block {
  std::byte* memory;
  RBD_INLINE RealOf<S>* place(std::int32_t k) const {
    return reinterpret_cast<RealOf<S>*>(memory + masks_bytes) + offset_of<S>(k);
  }
};

}  // namespace rbd_parallel_core::compiled
