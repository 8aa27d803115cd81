// SPDX-License-Identifier: Apache-2.0
//
// A deliberate offender for check_kernel_symbols.cmake: a file that emits an inline function which
// others emit too.

#include <vector>

namespace rbd_parallel_core::offender {
std::vector<double> leak(std::size_t n) { return std::vector<double>(n, 1.0); }
}  // namespace rbd_parallel_core::offender
