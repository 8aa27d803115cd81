// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>

namespace rbd_parallel_python {
namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

template <class Real>
struct Memory {
  const Real* data;
  Shape shape;
};

/// The memory of `object` where it is of this type, in C order and aligned.
template <class Real>
std::optional<Memory<Real>> memory_of(nb::handle object) {
  using Viewed = nb::ndarray<nb::ro, const Real, nb::c_contig, nb::device::cpu>;
  Viewed array;
  if (!nb::try_cast<Viewed>(object, array, false)) return std::nullopt;
  const Real* data = array.data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(Real) != 0) return std::nullopt;
  Memory<Real> memory{data, {}};
  for (std::size_t i = 0; i < array.ndim(); ++i) memory.shape.push_back(array.shape(i));
  return memory;
}

std::string text_of(const nb::object& object) { return nb::str(object).c_str(); }

std::string dtype_of(nb::handle array) { return text_of(array.attr("dtype")); }

template <class Real>
std::string expected_array(std::string_view name) {
  return std::string(name) + ": expected an array of " + dtype_name<Real> + ", got ";
}

/// Whether `array`, made by numpy of `object`, holds more digits than a Real. A list of Python's
/// numbers has no type of its own.
template <class Real>
bool is_wider(nb::handle object, nb::handle array) {
  return nb::hasattr(object, "dtype") && text_of(array.attr("dtype").attr("kind")) == "f" &&
         nb::cast<std::size_t>(array.attr("dtype").attr("itemsize")) > sizeof(Real);
}

/// Whatever numpy can read as an array of real numbers, as Reals in C order.
template <class Real>
nb::object convert(nb::handle object, std::string_view name) {
  const std::string expected = expected_array<Real>(name);
  if (nb::isinstance(object, numpy().attr("ma").attr("MaskedArray"))) {
    refuse(expected + "a masked array; fill it first, for instance with .filled(0.0)");
  }
  if (object.is_none()) refuse(expected + "None");
  nb::object array;
  try {
    array = numpy().attr("asarray")(object);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    nb::raise_from(error, PyExc_ValueError, "%sa %s that is not an array", expected.c_str(),
                   class_name(object).c_str());
  }
  const auto kind = text_of(array.attr("dtype").attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u") {
    refuse(expected + "a " + class_name(object) + " of " + dtype_of(array));
  }
  if (is_wider<Real>(object, array)) {
    refuse(expected + "a " + class_name(object) + " of " + dtype_of(array) +
           ", which has more digits; round it with .astype(\"" + dtype_name<Real> +
           "\"), or make the Backend with another dtype");
  }
  nb::list requirements;
  requirements.append("C");
  requirements.append("A");
  return numpy().attr("require")(array, dtype_name<Real>, requirements);
}

}  // namespace

bool is_plain_array(nb::handle object) {
  return object.type().is(nb::object(numpy().attr("ndarray")));
}

std::string class_name(nb::handle object) {
  return text_of(nb::object(object.type().attr("__name__")));
}

void refuse(const std::string& text) { throw nb::value_error(text.c_str()); }

std::string text(const Shape& shape) {
  std::string result = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    result += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return result + (shape.size() == 1 ? ",)" : ")");
}

template <class Real>
std::size_t Array<Real>::size() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
}

template <class Real>
Array<Real> Array<Real>::view(nb::handle object, std::string_view name) {
  Array result;
  result.object_ = nb::borrow(object);
  std::optional<Memory<Real>> memory;
  if (is_plain_array(object)) memory = memory_of<Real>(object);
  if (!memory) {
    result.object_ = convert<Real>(object, name);
    memory = memory_of<Real>(result.object_);
  }
  if (!memory) refuse(expected_array<Real>(name) + class_name(object));
  result.data_ = memory->data;
  result.shape_ = std::move(memory->shape);
  return result;
}

template <class Real>
Array<Real> Array<Real>::make(const Shape& shape) {
  nb::list sizes;
  for (const std::size_t size : shape) sizes.append(size);
  return view(nb::object(numpy().attr("empty")(nb::tuple(sizes), dtype_name<Real>)), "result");
}

template <class Real>
Array<Real> Array<Real>::view_out(nb::handle object, const Shape& shape) {
  const std::string expected = std::string("out: expected a writable C-contiguous ") +
                               dtype_name<Real> + " array of shape " + text(shape) + ", got ";
  if (!is_plain_array(object)) refuse(expected + "a " + class_name(object));
  const Shape actual = nb::cast<Shape>(nb::object(object.attr("shape")));
  if (actual != shape) refuse(expected + "shape " + text(actual));
  if (!nb::cast<bool>(object.attr("flags").attr("writeable"))) refuse(expected + "a read-only one");
  std::optional<Memory<Real>> memory = memory_of<Real>(object);
  if (!memory) refuse(expected + "strided or misaligned memory or dtype " + dtype_of(object));
  Array result;
  result.object_ = nb::borrow(object);
  result.data_ = memory->data;
  result.shape_ = std::move(memory->shape);
  return result;
}

template <class Real>
Array<Real> Array<Real>::there(const Real* data, const Shape& shape, nb::object object,
                               nb::object owner) {
  Array result;
  result.object_ = std::move(object);
  result.owner_ = std::move(owner);
  result.data_ = data;
  result.shape_ = shape;
  return result;
}

template <class Real>
bool Array<Real>::overlaps(const Array& other) const {
  const std::less<> before;  // a total order, unlike <, on pointers into different arrays
  return size() > 0 && other.size() > 0 && before(data_, other.data_ + other.size()) &&
         before(other.data_, data_ + size());
}

template class Array<double>;
template class Array<float>;

nb::object copied(const std::vector<double>& values, const Shape& shape) {
  const auto result = Array<double>::make(shape);
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result.object();
}

std::string utf8(nb::handle str, const char* errors) {
  const nb::bytes bytes(nb::object(str.attr("encode")("utf-8", errors)));
  return {bytes.c_str(), bytes.size()};
}

std::vector<double> numbers(nb::handle object, std::string_view name, std::size_t count) {
  const auto array = Array<double>::view(object, name);
  if (array.shape() != Shape{count}) {
    refuse(std::string(name) + ": expected " + std::to_string(count) + " numbers, got shape " +
           text(array.shape()));
  }
  return {array.data(), array.data() + count};
}

std::size_t choice(std::string_view name, std::string_view value,
                   std::initializer_list<std::string_view> names) {
  std::string expected;
  std::size_t index = 0;
  for (const std::string_view candidate : names) {
    if (candidate == value) return index;
    if (index > 0) expected += index + 1 == names.size() ? " or " : ", ";
    expected += '"' + std::string(candidate) + '"';
    ++index;
  }
  refuse(std::string(name) + ": expected " + expected + ", got \"" + std::string(value) + '"');
}

}  // namespace rbd_parallel_python
