// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "rbd_parallel_core/backend.hpp"
#include "reference/reference_backend.hpp"

namespace rbd_parallel_core {

std::vector<std::string> backend_names() { return {"reference"}; }

std::unique_ptr<Backend> make_backend(std::string_view name) {
  if (name == "reference") return std::make_unique<ReferenceBackend>();
  std::string known;
  for (const std::string& candidate : backend_names())
    known += (known.empty() ? "" : ", ") + candidate;
  throw std::invalid_argument("backend '" + std::string(name) +
                              "' is not known; there is: " + known);
}

}  // namespace rbd_parallel_core
