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

/// External wrenches that a function takes.
enum class Wrenches : std::uint8_t { none, along_any_axes, along_links, along_world };

/// What of a call decides which function serves it.
struct CallShape {
  Operation operation;
  ArgumentSet outputs;  ///< that are asked for
  std::optional<ForwardMethod> method = std::nullopt;
  std::optional<Axes> wrenches = std::nullopt;  ///< along these axes, if there are any
};

/// A function of the robot, and the calls that it serves: those of the operation that ask for
/// nothing but its outputs. Inputs that a call leaves out are zero.
struct CodedFunction {
  Operation operation;
  const char* when;  ///< which calls of the operation, as explain() says it; "": the plain ones
  ArgumentSet inputs, outputs;
  symbolic::Function (*trace)(const ModelView<double>&, const symbolic::TraceOptions&,
                              symbolic::External);
  std::optional<ForwardMethod> method = std::nullopt;
  Wrenches wrenches = Wrenches::none;

  bool takes(std::optional<Axes> axes) const noexcept {
    if (!axes || wrenches == Wrenches::none) return !axes && wrenches == Wrenches::none;
    return wrenches == Wrenches::along_any_axes ||
           (wrenches == Wrenches::along_world) == (*axes == Axes::world);
  }
  bool serves(const CallShape& call) const noexcept {
    return operation == call.operation && method == call.method && outputs.contains(call.outputs) &&
           takes(call.wrenches);
  }
  /// As the function is traced.
  symbolic::External external() const noexcept {
    if (wrenches == Wrenches::none) return symbolic::External::none;
    return wrenches == Wrenches::along_world ? symbolic::External::in_world_axes
                                             : symbolic::External::on_bodies;
  }
};

/// All of them. Where several serve a call, the first one computes least.
std::span<const CodedFunction> coded_functions();

}  // namespace rbd_parallel_core::compiled
