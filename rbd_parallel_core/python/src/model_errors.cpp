// SPDX-License-Identifier: Apache-2.0
#include "model_errors.hpp"

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <vector>

namespace rbd_parallel_python {
namespace {

namespace nb = nanobind;

/// Both are classes of Python, so that type checkers see their attributes.
nb::object class_of(const char* name) {
  return nb::module_::import_("rbd_parallel.errors").attr(name);
}

/// A message may quote a file that is not UTF-8.
nb::object decoded(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

}  // namespace

void translate_model_errors() {
  nb::register_exception_translator([](const std::exception_ptr& caught, void*) {
    try {
      std::rethrow_exception(caught);
    } catch (const rbd_parallel_core::ModelError& error) {
      const auto list = [](const std::vector<std::string>& lines) {
        nb::list decoded_lines;
        for (const std::string& line : lines) decoded_lines.append(decoded(line));
        return decoded_lines;
      };
      const nb::object model_error = class_of("ModelError");
      const nb::object instance =
          model_error(decoded(error.what()), list(error.faults()), list(error.warnings()));
      PyErr_SetObject(model_error.ptr(), instance.ptr());
    }
  });
}

rbd_parallel_core::Model warned(rbd_parallel_core::Model model) {
  if (model.warnings().empty()) return model;
  std::string text = model.name() + ":";
  for (const std::string& line : model.warnings()) text += "\n  " + line;
  if (PyErr_WarnFormat(class_of("ModelWarning").ptr(), 1, "%U", decoded(text).ptr()) != 0) {
    throw nb::python_error();
  }
  return model;
}

}  // namespace rbd_parallel_python
