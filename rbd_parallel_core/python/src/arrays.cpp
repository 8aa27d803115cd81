// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>

namespace rbd_parallel_python {
namespace {

using Viewed = nb::ndarray<nb::ro, const double, nb::c_contig, nb::device::cpu>;

nb::module_ numpy() { return nb::module_::import_("numpy"); }

/// The class itself, not one derived from it, which may mean more than its memory says (a mask).
bool is_plain_array(nb::handle object) {
  return object.type().is(nb::object(numpy().attr("ndarray")));
}

struct Memory {
  const double* data;
  Shape shape;
};

/// The memory of `object` where it is float64, in C order and aligned.
std::optional<Memory> memory_of(nb::handle object) {
  Viewed array;
  if (!nb::try_cast<Viewed>(object, array, false)) return std::nullopt;
  const double* data = array.data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(double) != 0) return std::nullopt;
  Memory memory{data, {}};
  for (std::size_t i = 0; i < array.ndim(); ++i) memory.shape.push_back(array.shape(i));
  return memory;
}

std::string text_of(const nb::object& object) { return nb::str(object).c_str(); }

std::string describe(nb::handle object) { return text_of(object.type().attr("__name__")); }

std::string dtype_of(nb::handle array) { return text_of(array.attr("dtype")); }

/// Whatever numpy can read as an array of real numbers, in float64 and C order.
nb::object convert(nb::handle object, std::string_view name) {
  const std::string expected = std::string(name) + ": expected an array of float64, got ";
  if (nb::isinstance(object, numpy().attr("ma").attr("MaskedArray"))) {
    refuse(expected + "a masked array; fill it first, for instance with .filled(0.0)");
  }
  nb::object array;
  try {
    array = numpy().attr("asarray")(object);
  } catch (nb::python_error& error) {
    nb::raise_from(error, PyExc_ValueError, "%sa %s that is not an array", expected.c_str(),
                   describe(object).c_str());
  }
  const auto kind = text_of(array.attr("dtype").attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u") {
    refuse(expected + "a " + describe(object) + " of " + dtype_of(array));
  }
  nb::list requirements;
  requirements.append("C");
  requirements.append("A");
  return numpy().attr("require")(array, numpy().attr("float64"), requirements);
}

}  // namespace

void refuse(const std::string& text) { throw nb::value_error(text.c_str()); }

std::string text(const Shape& shape) {
  std::string result = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    result += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return result + (shape.size() == 1 ? ",)" : ")");
}

std::size_t Array::size() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
}

Array Array::view(nb::handle object, std::string_view name) {
  Array result;
  result.object_ = nb::borrow(object);
  std::optional<Memory> memory;
  if (is_plain_array(object)) memory = memory_of(object);
  if (!memory) {
    result.object_ = convert(object, name);
    memory = memory_of(result.object_);
  }
  if (!memory) {
    refuse(std::string(name) + ": expected an array of float64, got " + describe(object));
  }
  result.data_ = memory->data;
  result.shape_ = std::move(memory->shape);
  return result;
}

Array Array::make(const Shape& shape) {
  nb::list sizes;
  for (const std::size_t size : shape) sizes.append(size);
  return view(nb::object(numpy().attr("empty")(nb::tuple(sizes))), "result");
}

Array Array::view_out(nb::handle object, const Shape& shape) {
  const std::string expected =
      "out: expected a writable C-contiguous float64 array of shape " + text(shape) + ", got ";
  if (!is_plain_array(object)) refuse(expected + "a " + describe(object));
  const Shape actual = nb::cast<Shape>(nb::object(object.attr("shape")));
  if (actual != shape) refuse(expected + "shape " + text(actual));
  if (!nb::cast<bool>(object.attr("flags").attr("writeable"))) refuse(expected + "a read-only one");
  std::optional<Memory> memory = memory_of(object);
  if (!memory) refuse(expected + "strided or misaligned memory or dtype " + dtype_of(object));
  Array result;
  result.object_ = nb::borrow(object);
  result.data_ = memory->data;
  result.shape_ = std::move(memory->shape);
  return result;
}

bool Array::overlaps(const Array& other) const {
  const std::less<> before;  // a total order, unlike <, on pointers into different arrays
  return size() > 0 && other.size() > 0 && before(data_, other.data_ + other.size()) &&
         before(other.data_, data_ + size());
}

std::string utf8(nb::handle str, const char* errors) {
  const nb::bytes bytes(nb::object(str.attr("encode")("utf-8", errors)));
  return {bytes.c_str(), bytes.size()};
}

std::vector<double> numbers(nb::handle object, std::string_view name, std::size_t count) {
  const Array array = Array::view(object, name);
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
