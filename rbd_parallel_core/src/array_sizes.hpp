// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "rbd_parallel_core/operation_fields.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// An array of a call with its name and how many numbers of it one state takes.
struct ArraySize {
  Argument argument;
  std::size_t size;
  std::size_t numbers;
  Presence presence = Presence::required;  ///< an optional one may be empty
};

/// The first array of the wrong size, for calls that are no operation of a Backend.
inline Result check_sizes(std::size_t batch, std::initializer_list<ArraySize> arrays,
                          std::size_t status) noexcept {
  const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  for (const ArraySize& array : arrays) {
    if (array.size == 0 && array.presence == Presence::optional) continue;
    std::size_t expected = 0;
    if (__builtin_mul_overflow(batch, array.numbers, &expected)) {
      expected = std::numeric_limits<std::int64_t>::max();
    }
    if (array.size == expected) continue;
    return {array.size == 0 ? Code::missing : Code::wrong_size, array.argument, number(expected),
            number(array.size)};
  }
  if (status != 0 && status != batch) {
    return {Code::wrong_size, Argument::status, number(batch), number(status)};
  }
  return {};
}

}  // namespace rbd_parallel_core
