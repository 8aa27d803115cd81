// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "rbd_parallel_core/trajectory/linearize.hpp"

namespace rbd_parallel_python {

namespace nb = nanobind;

/// What Python gives for a step of time.
struct StepCall {
  nb::handle q, v, tau, dt, scheme, f_ext, axes;
};

/// A finite number of seconds.
double time_step(nb::handle dt);
rbd_parallel_core::StepScheme step_scheme(nb::handle scheme);

/// A Python str that names one of several choices.
std::string word(const char* parameter, nb::handle object);

}  // namespace rbd_parallel_python
