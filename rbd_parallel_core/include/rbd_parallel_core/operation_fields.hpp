// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rbd_parallel_core/status.hpp"

/// The words that operation.hpp describes the arguments of an operation with. Everything here is
/// known at compile time: a check written with it costs what a check written by hand does.
namespace rbd_parallel_core {

/// The length of an axis that depends on the model or on the call.
enum class Extent : std::int16_t { nq = -1, nv = -2, nonzeros = -3, links = -4, parameters = -5 };

/// Those lengths for one call.
struct Extents {
  std::size_t nq = 0;
  std::size_t nv = 0;
  std::size_t nonzeros = 0;    ///< of the lower triangle of M
  std::size_t links = 0;       ///< that the call names
  std::size_t parameters = 0;  ///< ten for each body

  __attribute__((always_inline)) constexpr std::size_t of(Extent extent) const noexcept {
    switch (extent) {
      case Extent::nq:
        return nq;
      case Extent::nv:
        return nv;
      case Extent::nonzeros:
        return nonzeros;
      case Extent::parameters:
        return parameters;
      default:
        return links;
    }
  }
};

/// A number, or an Extent.
struct Axis {
  std::int16_t code;
  constexpr Axis(int length) noexcept : code(static_cast<std::int16_t>(length)) {}
  constexpr Axis(Extent extent) noexcept : code(static_cast<std::int16_t>(extent)) {}

  __attribute__((always_inline)) constexpr std::size_t length(
      const Extents& extents) const noexcept {
    return code >= 0 ? static_cast<std::size_t>(code) : extents.of(static_cast<Extent>(code));
  }
  /// "6", "nv", "k" for the links of the call.
  std::string text() const;
};

/// The shape of what one state has in an array: {} is one number, {Extent::links, 6, Extent::nv} a
/// Jacobian for each link.
class StateShape {
 public:
  constexpr StateShape(std::initializer_list<Axis> axes) noexcept : rank_(axes.size()) {
    std::size_t k = 0;
    for (const Axis& axis : axes) axes_[k++] = axis;
  }

  constexpr std::size_t rank() const noexcept { return rank_; }
  constexpr const Axis& axis(std::size_t k) const noexcept { return axes_[k]; }
  /// Numbers of one state; the largest size where that does not fit. Inlined, so that a constant
  /// shape is a constant of the code.
  __attribute__((always_inline)) constexpr std::size_t numbers(
      const Extents& extents) const noexcept {
    std::size_t product = 1;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (__builtin_mul_overflow(product, axes_[k].length(extents), &product)) return SIZE_MAX;
    }
    return product;
  }
  /// "batch x k x 6 x nv"
  std::string text() const;

 private:
  std::array<Axis, 3> axes_{0, 0, 0};
  std::size_t rank_;
};

enum class Presence : std::uint8_t { required, optional };

/// An array of numbers that the operation reads. One that is optional and left empty is zero.
template <class Args, class Real>
struct InputField {
  Argument argument;
  std::span<const Real> Args::*array;
  StateShape shape;
  Presence presence;
};

/// An array of numbers that the operation writes. One that is optional and left empty is not
/// computed.
template <class Args, class Real>
struct OutputField {
  Argument argument;
  std::span<Real> Args::*array;
  StateShape shape;
  Presence presence;
  const char* meaning;  ///< with its unit and its frame
};

/// Indices of links. Extent::links counts them.
template <class Args>
struct LinksField {
  std::span<const int> Args::*links;
};

/// Wrenches on links.
template <class Args, class Wrenches>
struct WrenchesField {
  Wrenches Args::*wrenches;
};

/// A choice that is the same for all states.
template <class Args, class Choice>
struct ChoiceField {
  Choice Args::*choice;
};

template <class Args, class Real>
constexpr InputField<Args, Real> input(Argument argument, std::span<const Real> Args::*array,
                                       StateShape shape) {
  return {argument, array, shape, Presence::required};
}
template <class Args, class Real>
constexpr InputField<Args, Real> optional_input(Argument argument,
                                                std::span<const Real> Args::*array,
                                                StateShape shape) {
  return {argument, array, shape, Presence::optional};
}
template <class Args, class Real>
constexpr OutputField<Args, Real> output(Argument argument, std::span<Real> Args::*array,
                                         StateShape shape, const char* meaning) {
  return {argument, array, shape, Presence::required, meaning};
}
template <class Args, class Real>
constexpr OutputField<Args, Real> optional_output(Argument argument, std::span<Real> Args::*array,
                                                  StateShape shape, const char* meaning) {
  return {argument, array, shape, Presence::optional, meaning};
}
template <class Args>
constexpr LinksField<Args> links_field(std::span<const int> Args::*links) {
  return {links};
}
template <class Args, class Wrenches>
constexpr WrenchesField<Args, Wrenches> wrenches_field(Wrenches Args::*wrenches) {
  return {wrenches};
}
template <class Args, class Choice>
constexpr ChoiceField<Args, Choice> choice_field(Choice Args::*choice) {
  return {choice};
}

/// Lambdas for the kinds of fields as one visitor.
template <class... Visitors>
struct FieldVisitor : Visitors... {
  using Visitors::operator()...;
};

/// The fields of a kind of arguments, made when the program is compiled.
template <class Args>
inline constexpr auto fields_of = Args::fields();

/// Has `visit` called with every field of Args, in the order in which they are described.
template <class Args, class Visit>
constexpr void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, fields_of<Args>);
}

/// Has `visit` called with std::integral_constant<std::size_t, k> for every field, where the field
/// itself, std::get<k>(fields_of<Args>), is to be a constant of the code.
template <class Args, class Visit>
constexpr void for_each_field_index(const Visit& visit) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (visit(std::integral_constant<std::size_t, k>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(Args::fields())>>());
}

/// Has `visit` called with the fields of two kinds of arguments that have the same description:
/// those of one operation in two types of numbers.
template <class One, class Other, class Visit>
constexpr void for_each_field_of_both(const Visit& visit) {
  for_each_field_index<One>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
    visit(std::get<k>(fields_of<One>), std::get<k>(fields_of<Other>));
  });
}

}  // namespace rbd_parallel_core
