// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rbd_parallel_core/testing/allocation_count.hpp"

namespace rbd_parallel_core {

/// Calls of malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign, free and their like
/// while `action` runs, from any thread and library of the process.
template <class Action>
std::uint64_t allocations_during(const Action& action) {
  const std::uint64_t before = rbd_allocation_count();
  action();
  return rbd_allocation_count() - before;
}

}  // namespace rbd_parallel_core
