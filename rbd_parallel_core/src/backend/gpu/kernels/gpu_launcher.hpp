// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// Launches bodies in one stream. Entries: of<Body>() is the entry of a body, scan(...) the scan of
/// a library, where one may be asked for.
template <class Entries>
struct GpuLauncher {
  const GpuApi* api;
  GpuApi::Stream stream;
  std::size_t library_bytes = 0;        ///< scratch memory of scans of a library; 0: they are none
  mutable int error = gpu_error::none;  ///< of the first launch that failed; no more follow

  template <class Body>
  void launch(const Body& body) const noexcept {
    if (error != gpu_error::none) return;
    error = api->launch(Entries::template of<Body>().function, body.shape(), &body, sizeof(Body),
                        stream);
  }

  /// Has a library scan the data, or returns false.
  template <class T, class Op>
  bool scan(T* data, std::int32_t n, const Op& op, const T& neutral, T* scratch) const noexcept {
    if (library_bytes == 0) return false;
    std::size_t bytes = library_bytes;
    if (error == gpu_error::none) {
      error = Entries::scan(*api, stream, scratch, bytes, data, n, op, neutral);
    }
    return true;
  }
};

}  // namespace rbd_parallel_core
