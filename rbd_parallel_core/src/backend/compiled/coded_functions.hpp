// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "rbd_parallel_core/operation.hpp"
#include "rbd_parallel_core/symbolic/trace.hpp"

/// What is compiled for a robot. A new function is one more entry of the table in
/// coded_functions.cpp.
namespace rbd_parallel_core::compiled {

/// Some of the arrays of an operation.
class ArgumentSet {
 public:
  constexpr ArgumentSet() noexcept = default;
  constexpr ArgumentSet(std::initializer_list<Argument> arguments) noexcept {
    for (const Argument argument : arguments) insert(argument);
  }
  constexpr void insert(Argument argument) noexcept { bits_ |= bit(argument); }
  constexpr bool contains(Argument argument) const noexcept { return (bits_ & bit(argument)) != 0; }
  constexpr bool contains(const ArgumentSet& others) const noexcept {
    return (others.bits_ & ~bits_) == 0;
  }
  friend constexpr bool operator==(const ArgumentSet&, const ArgumentSet&) = default;

 private:
  static_assert(argument_names.size() <= 64);
  static constexpr std::uint64_t bit(Argument argument) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(argument);
  }
  std::uint64_t bits_ = 0;
};

/// What of a call decides which function serves it.
struct CallShape {
  Operation operation;
  ArgumentSet outputs;  ///< that are asked for
  std::optional<ForwardMethod> method = std::nullopt;
  bool wrenches = false;
};

/// A function of the robot, and the calls that it serves: those of the operation that ask for
/// nothing but its outputs. Inputs that a call leaves out are zero.
struct CodedFunction {
  Operation operation;
  const char* when;  ///< which calls of the operation, as explain() says it; "": the plain ones
  ArgumentSet inputs, outputs;
  symbolic::Function (*trace)(const ModelView<double>&, const symbolic::TraceOptions&);
  std::optional<ForwardMethod> method = std::nullopt;
  bool wrenches = false;

  bool serves(const CallShape& call) const noexcept {
    return operation == call.operation && wrenches == call.wrenches && method == call.method &&
           outputs.contains(call.outputs);
  }
};

/// All of them. Where several serve a call, the first one computes least.
std::span<const CodedFunction> coded_functions();

}  // namespace rbd_parallel_core::compiled
