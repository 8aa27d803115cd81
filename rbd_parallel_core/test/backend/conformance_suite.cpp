// SPDX-License-Identifier: Apache-2.0
//
// The functions of the conformance suite, for all tests that link it, and the backend that lets its
// checks serve floats too.

#define RBD_CONFORMANCE_COMPILED_HERE
#include "plain_memory.hpp"
#include "rbd_parallel_core/testing/backend_checks.hpp"

namespace rbd_parallel_core {
template class RehousedBackend<float, PlainMemory>;
}  // namespace rbd_parallel_core
