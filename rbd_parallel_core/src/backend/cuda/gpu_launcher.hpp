// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_api.hpp"

namespace rbd_parallel_core {

/// Launches bodies in one stream. Entries: of<Body>() is the entry of a body.
template <class Entries>
struct GpuLauncher {
  const GpuApi* api;
  GpuApi::Stream stream;
  mutable int error = gpu_error::none;  ///< of the first launch that failed; no more follow

  template <class Body>
  void launch(const Body& body) const noexcept {
    if (error != gpu_error::none) return;
    error = api->launch(Entries::template of<Body>().function, body.shape(), &body, sizeof(Body),
                        stream);
  }
};

}  // namespace rbd_parallel_core
