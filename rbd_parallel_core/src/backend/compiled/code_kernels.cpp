// SPDX-License-Identifier: Apache-2.0
// Compiled once for each number type and instruction set; see cmake/instruction_sets.cmake.
#include "../kernels/pack.hpp"
// The packs must be known before what uses them.
#include "run_code.hpp"

namespace rbd_parallel_core::RBD_ISA {

template <>
constinit const rbd_parallel_core::compiled::CodeKernels<RBD_REAL>
    CompiledCodeKernels<RBD_REAL>::packs = {
        ScalarTraits<Pack<RBD_REAL>>::width,
        rbd_parallel_core::compiled::run_code<Pack<RBD_REAL>, Pack<RBD_REAL>>};
template <>
constinit const rbd_parallel_core::compiled::CodeKernels<RBD_REAL>
    CompiledCodeKernels<RBD_REAL>::scalars = {
        1, rbd_parallel_core::compiled::run_code<RBD_REAL, Pack<RBD_REAL>>};

}  // namespace rbd_parallel_core::RBD_ISA
