// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rbd_parallel_core/symbolic/function.hpp"

namespace rbd_parallel_core::symbolic {

/// Which additions take in a product, so that a processor computes both in one instruction.
struct Fusion {
  enum class Product : std::uint8_t { none, first, second };

  std::vector<Product> product;  ///< per node: which operand of an addition it is
  std::vector<char> taken_in;    ///< per node: a product that nobody needs by itself
  int count = 0;                 ///< how many products vanished
};

/// A product is taken in if all that use it are additions that can: then it is computed nowhere
/// else. Products with few users come first. One with more users than `most_users` stays, since
/// taking it in would read its factors that often.
Fusion fuse(const Function& function, const std::vector<char>& live, int most_users = 3);

}  // namespace rbd_parallel_core::symbolic
