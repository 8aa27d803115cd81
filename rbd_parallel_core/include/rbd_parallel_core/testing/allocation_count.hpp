// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Where an interposer of malloc and its kin is linked into the executable, it defines this
/// function: how often the process has asked for memory or given it back so far. Elsewhere its
/// address is null and nothing can be counted.
extern "C" std::uint64_t rbd_allocation_count() noexcept __attribute__((weak));

namespace rbd_parallel_core::conformance {

inline bool can_count_allocations() { return rbd_allocation_count != nullptr; }

}  // namespace rbd_parallel_core::conformance
