// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// The parts of the module `_core`, one function a source file.
namespace rbd_parallel_python {

void bind_model(nanobind::module_& module);
void bind_description(nanobind::module_& module);
void bind_backend(nanobind::module_& module);

}  // namespace rbd_parallel_python
