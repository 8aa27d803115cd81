// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace rbd_parallel_python {

/// A call that fits no signature is answered by nanobind with a list of all of them. From now on
/// rbd_parallel.call_errors says what is wrong with it, for every function of the module and every
/// method and property of its classes. A call that succeeds does one jump more.
void explain_wrong_calls(nanobind::module_& module);

}  // namespace rbd_parallel_python
