// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/status.hpp"
#include "rbd_parallel_core/study/forward_methods.hpp"

namespace rbd_parallel_core {

/// Some of the methods of forward dynamics.
struct MethodSet {
  std::uint32_t bits = 0;

  static constexpr std::uint32_t bit(ForwardMethod method) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(method);
  }
  constexpr void insert(ForwardMethod method) noexcept { bits |= bit(method); }
  constexpr bool contains(ForwardMethod method) const noexcept { return (bits & bit(method)) != 0; }
  constexpr bool empty() const noexcept { return bits == 0; }

  /// Those that a backend computes itself, without prepare.
  MethodSet own() const noexcept {
    MethodSet result;
    for (const ForwardMethod method : all_forward_methods) {
      if (contains(method) && !published_method_of(method)) result.insert(method);
    }
    return result;
  }
  MethodSet published() const noexcept { return {bits & ~own().bits}; }

  /// "automatic, aba, crba"
  std::string names() const {
    std::string text;
    for (const ForwardMethod method : all_forward_methods) {
      if (contains(method)) text += (text.empty() ? "" : ", ") + name_of(method);
    }
    return text;
  }
};

/// A method of forward dynamics that was refused, and what would be taken in its place for this
/// model by this backend: what the two numbers of a Result about Argument::method say.
struct MethodRefusal {
  ForwardMethod method = ForwardMethod::automatic;
  MethodSet accepted = {};              ///< those of the literature after prepare
  std::int32_t nv = 0, largest_nv = 0;  ///< where crba has too large a matrix, else 0

  Result result(Code code, Argument argument) const noexcept {
    return {code, argument, pack(accepted.bits, largest_nv),
            pack(static_cast<std::uint32_t>(method), nv)};
  }
  static MethodRefusal of(const Result& result) noexcept {
    return {static_cast<ForwardMethod>(low(result.actual)),
            {low(result.expected)},
            high(result.actual),
            high(result.expected)};
  }

 private:
  static std::int64_t pack(std::uint32_t low, std::int32_t high) noexcept {
    return std::int64_t{high} << 32 | low;
  }
  static std::uint32_t low(std::int64_t packed) noexcept {
    return static_cast<std::uint32_t>(packed & 0xFFFFFFFF);
  }
  static std::int32_t high(std::int64_t packed) noexcept {
    return static_cast<std::int32_t>(packed >> 32);
  }
};

}  // namespace rbd_parallel_core
