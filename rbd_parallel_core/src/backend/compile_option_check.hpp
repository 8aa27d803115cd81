// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// Of a backend that makes no code: BackendOptions::compile is refused, so that nobody believes it
/// to be at work. Throws std::invalid_argument.
inline void refuse_compile_option(const BackendOptions& options, const std::string& backend) {
  if (!options.compile) return;
  throw std::invalid_argument("configure: compile is set, which the backend " + backend +
                              " does not take; leave it out, or use compiled or auto");
}

}  // namespace rbd_parallel_core
