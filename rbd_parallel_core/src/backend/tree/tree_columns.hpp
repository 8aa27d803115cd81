// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rbd_parallel_core {

/// Arrays can be read in whole registers past their ends: so many numbers more.
inline constexpr std::int32_t mass_matrix_padding = 16;

/// Every column's axis S and force F = Ic S in world axes about the origin of its run, and where
/// that origin is: as the sum of two numbers, so that the difference of two of them has all digits
/// however far away the root is. Each array has column_count + mass_matrix_padding numbers.
template <class Real>
struct TreeColumns {
  Real* axis[6];   ///< angular, then linear
  Real* force[6];  ///< moment, then force
  Real* high[3];
  Real* low[3];
  Real* diagonal;  ///< of M, armature included
};

}  // namespace rbd_parallel_core
