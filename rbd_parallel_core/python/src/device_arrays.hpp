// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "arrays.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"

/// Arrays that lie on a CUDA device, of whichever library: they say so by DLPack
/// (https://dmlc.github.io/dlpack) or by the CUDA array interface (of Numba, version 3).
namespace rbd_parallel_python {

using rbd_parallel_core::DeviceAccess;

/// Whether the memory of `object` is a CUDA device's. Refuses that of other kinds of devices.
bool lies_on_device(nb::handle object, std::string_view name);

/// Such an array in place: never a copy. The work that its owner has under way comes before the
/// next call. Refused by name: numbers of another type, gaps between them, another device.
template <class Real>
Array<Real> view_on_device(nb::handle object, std::string_view name, DeviceAccess& device);

/// The same to write into.
template <class Real>
Array<Real> view_out_on_device(nb::handle object, const Shape& shape, DeviceAccess& device);

/// A new one, not initialised. Python sees it by DLPack.
template <class Real>
Array<Real> make_on_device(const Shape& shape, DeviceAccess& device);

}  // namespace rbd_parallel_python
