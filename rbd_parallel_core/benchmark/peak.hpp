// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/instruction_set.hpp"

namespace rbd_bench {

// Floating-point operations per nanosecond of one thread that does nothing but fused multiply-adds
// with the registers of `set` (without a fused instruction: a multiplication and an addition). The
// best of several tries: the peak is what the machine can do, not what it does when disturbed.
double measure_peak(rbd_parallel_core::InstructionSet set, bool in_float);

}  // namespace rbd_bench
