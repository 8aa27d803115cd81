// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_python {

/// From now on the core's ModelError is rbd_parallel.ModelError in Python.
void translate_model_errors();

/// The model itself. What the core found odd is shown once by Python's warnings, and stays readable
/// as Model.warnings.
rbd_parallel_core::Model warned(rbd_parallel_core::Model model);

}  // namespace rbd_parallel_python
