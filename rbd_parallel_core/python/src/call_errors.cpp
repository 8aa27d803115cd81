// SPDX-License-Identifier: Apache-2.0
#include "call_errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace rbd_parallel_python {
namespace {

namespace nb = nanobind;

/// The functions that nanobind calls its functions by: a few, chosen by their number of arguments.
constexpr std::size_t most_entries = 16;
std::array<vectorcallfunc, most_entries> entries{};

bool fits_no_signature(PyObject* error) {
  const nb::object text = nb::steal(PyObject_Str(error));
  if (!text.is_valid()) {
    PyErr_Clear();
    return false;
  }
  return std::string_view(nb::cast<nb::str>(text).c_str())
             .find("incompatible function arguments") != std::string_view::npos;
}

/// The sentence for Python's TypeError.
nb::object explanation(PyObject* function, PyObject* const* args, std::size_t count,
                       PyObject* names) {
  nb::list positional;
  for (std::size_t i = 0; i < count; ++i) positional.append(nb::handle(args[i]));
  nb::dict named;
  const std::size_t named_count =
      names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(names));
  for (std::size_t i = 0; i < named_count; ++i) {
    named[nb::handle(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i)))] =
        nb::handle(args[count + i]);
  }
  const nb::object explain = nb::module_::import_("rbd_parallel.call_errors").attr("explain");
  const bool ready = count == 0 || !nb::inst_check(args[0]) || nb::inst_ready(args[0]);
  return explain(nb::handle(function), nb::tuple(positional), named, ready);
}

/// Puts the explanation in the place of nanobind's error; leaves every other error alone.
void explain_error(PyObject* function, PyObject* const* args, std::size_t count,
                   PyObject* names) noexcept {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  try {
    nb::python_error raised;  // takes the error over
    if (!fits_no_signature(raised.value().ptr())) {
      raised.restore();
      return;
    }
    try {
      PyErr_SetObject(PyExc_TypeError, explanation(function, args, count, names).ptr());
    } catch (nb::python_error& error) {
      // Ctrl-C; or a signature that call_errors cannot read, whose dump is better than nothing.
      error.matches(PyExc_Exception) ? raised.restore() : error.restore();
    }
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
}

template <std::size_t k>
PyObject* call(PyObject* function, PyObject* const* args, std::size_t flagged_count,
               PyObject* names) {
  PyObject* result = entries[k](function, args, flagged_count, names);
  if (result == nullptr) [[unlikely]] {
    // The upper half of the number has flags, of Python and of nanobind.
    explain_error(function, args, static_cast<std::uint32_t>(flagged_count), names);
  }
  return result;
}

template <std::size_t... k>
constexpr std::array<vectorcallfunc, most_entries> calls_of(std::index_sequence<k...>) {
  return {call<k>...};
}
constexpr auto calls = calls_of(std::make_index_sequence<most_entries>());

/// Our entry in the place of nanobind's, by Python's protocol of vector calls.
void explain_calls_of(nb::handle function) {
  auto* const place = reinterpret_cast<vectorcallfunc*>(
      reinterpret_cast<char*>(function.ptr()) + Py_TYPE(function.ptr())->tp_vectorcall_offset);
  for (std::size_t k = 0; k < most_entries; ++k) {
    if (*place == calls[k]) return;
    if (entries[k] == nullptr) entries[k] = *place;
    if (entries[k] == *place) {
      *place = calls[k];
      return;
    }
  }
  throw std::logic_error("more ways to call a function of nanobind than there are entries");
}

bool is_compiled(nb::handle value) {
  return nb::hasattr(value, "__nb_signature__") && PyVectorcall_Function(value.ptr()) != nullptr;
}

void explain_calls_in(nb::handle names) {
  for (const nb::handle value : nb::object(names.attr("values")())) {
    if (is_compiled(value)) explain_calls_of(value);
    if (value.type().is(nb::handle(reinterpret_cast<PyObject*>(&PyProperty_Type)))) {
      const nb::object getter = value.attr("fget");
      if (is_compiled(getter)) explain_calls_of(getter);
    }
  }
}

}  // namespace

void explain_wrong_calls(nb::module_& module) {
  const nb::object names = module.attr("__dict__");
  explain_calls_in(names);
  for (const nb::handle value : nb::object(names.attr("values")())) {
    if (value.is_type()) explain_calls_in(value.attr("__dict__"));
  }
}

}  // namespace rbd_parallel_python
