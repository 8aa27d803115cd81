// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rbd_parallel_core {

/// Microseconds that threads stay awake after a call unless an option says otherwise: some times
/// what it takes to wake them (docs/backends.md).
inline constexpr int default_spin_us = 200;
inline constexpr int largest_spin_us = 1'000'000;

}  // namespace rbd_parallel_core
