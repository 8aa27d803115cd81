// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// numpy arrays at the edge of the core: what comes in is viewed in place where that is possible
/// and copied where it is not, and what cannot be read as numbers is refused by name.
namespace rbd_parallel_python {

namespace nb = nanobind;

using Shape = std::vector<std::size_t>;

/// "(20, 7)", "(7,)", "()" as Python writes it.
std::string text(const Shape& shape);

/// "float64" or "float32", as numpy calls the numbers of this type.
template <class Real>
constexpr const char* dtype_name = sizeof(Real) == 4 ? "float32" : "float64";

/// An array of numbers of one type, row-major and contiguous. Keeps the memory that it views alive.
template <class Real>
class Array {
 public:
  /// No numbers at all.
  Array() = default;

  /// Any numpy array or sequence of real numbers. What has this type, is in C order and aligned is
  /// viewed, everything else is copied. Complex numbers, texts, objects, masked arrays and arrays
  /// of a wider floating type are refused: numpy would drop a part of them.
  static Array view(nb::handle object, std::string_view name);
  /// A new array, not initialised.
  static Array make(const Shape& shape);
  /// `object` itself to write into: this type, C order, writable, of this shape. Never a copy.
  static Array view_out(nb::handle object, const Shape& shape);
  /// Memory of a device, which nobody here may read. `owner` keeps it.
  static Array there(const Real* data, const Shape& shape, nb::object object, nb::object owner);

  const Shape& shape() const { return shape_; }
  const Real* data() const { return data_; }
  Real* mutable_data() const { return const_cast<Real*>(data_); }
  std::size_t size() const;
  std::span<const Real> span() const { return {data_, size()}; }
  std::span<Real> mutable_span() const { return {mutable_data(), size()}; }
  bool overlaps(const Array& other) const;
  bool on_device() const { return owner_.is_valid(); }
  const nb::object& object() const { return object_; }

 private:
  nb::object object_;
  nb::object owner_;  ///< of memory of a device
  Shape shape_{0};
  const Real* data_ = nullptr;
};

extern template class Array<double>;
extern template class Array<float>;

/// Of numpy's class itself, not one derived from it, which may mean more than its memory says (a
/// mask).
bool is_plain_array(nb::handle object);

/// A new array of this shape that holds a copy of `values`.
nb::object copied(const std::vector<double>& values, const Shape& shape);

/// "str", "ndarray": of the class of `object`.
std::string class_name(nb::handle object);

/// Refuses with a ValueError.
[[noreturn]] void refuse(const std::string& text);

/// A Python str in UTF-8. `errors` as for str.encode: "surrogateescape" lets bytes of a path
/// through that are not UTF-8.
std::string utf8(nb::handle str, const char* errors = "strict");

/// A fixed number of numbers: gravity, a centre of mass.
std::vector<double> numbers(nb::handle object, std::string_view name, std::size_t count);

/// The index of `value` among `names`; refuses a value that is none of them.
std::size_t choice(std::string_view name, std::string_view value,
                   std::initializer_list<std::string_view> names);

}  // namespace rbd_parallel_python
