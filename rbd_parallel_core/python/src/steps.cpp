// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <cmath>

#include "arrays.hpp"

namespace rbd_parallel_python {

using namespace rbd_parallel_core;

double time_step(nb::handle dt) {
  const double value = PyFloat_AsDouble(dt.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(
        ("dt: expected a number of seconds, the same for all states, got a " + class_name(dt))
            .c_str());
  }
  if (!std::isfinite(value)) {
    refuse("dt: expected a finite number of seconds, got " + std::to_string(value));
  }
  return value;
}

StepScheme step_scheme(nb::handle scheme) {
  return all_step_schemes[choice("scheme", word("scheme", scheme),
                                 {name_of(all_step_schemes[0]), name_of(all_step_schemes[1])})];
}

std::string word(const char* parameter, nb::handle object) {
  if (!nb::isinstance<nb::str>(object)) {
    throw nb::type_error(
        (std::string(parameter) + ": expected a str, got " + utf8(nb::repr(object))).c_str());
  }
  return utf8(object);
}

}  // namespace rbd_parallel_python
