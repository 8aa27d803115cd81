// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "call_errors.hpp"

NB_MODULE(_core, module) {
  module.attr("version") = RBD_VERSION;
  rbd_parallel_python::bind_model(module);
  rbd_parallel_python::bind_description(module);
  rbd_parallel_python::bind_backend(module);
  rbd_parallel_python::bind_identification(module);
  rbd_parallel_python::explain_wrong_calls(module);
}
