// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "rbd_parallel_core/model/model.hpp"

/// The parts of the module `_core`, one function a source file.
namespace rbd_parallel_python {

void bind_model(nanobind::module_& module);
/// More methods of Model.
void bind_configuration(nanobind::class_<rbd_parallel_core::Model>& model);
void bind_description(nanobind::module_& module);
void bind_backend(nanobind::module_& module);
void bind_identification(nanobind::module_& module);

}  // namespace rbd_parallel_python
