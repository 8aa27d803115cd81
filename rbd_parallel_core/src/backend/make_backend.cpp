// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "auto/auto_backend.hpp"
#include "compiled/compiled_backend.hpp"
#include "cpu/cpu_backend.hpp"
#include "gpu/cuda/cuda_loader.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "reference/reference_backend.hpp"
#include "tree/tree_backend.hpp"

namespace rbd_parallel_core {
namespace {

template <class Real>
std::unique_ptr<BasicBackend<Real>> make(std::string_view name) {
  if (name == "auto") return std::make_unique<AutoBackend<Real>>();
  if (name == "compiled") return std::make_unique<CompiledBackend<Real>>();
  if (name == "cpu") return std::make_unique<CpuBackend<Real>>();
  if (name == "cuda") return load_cuda_backend<Real>();
  if (name == "reference") return std::make_unique<ReferenceBackend<Real>>();
  if (name == "tree") return std::make_unique<TreeBackend<Real>>();
  std::string known = "auto, cuda";
  for (const std::string& candidate : backend_names()) known += ", " + candidate;
  throw std::invalid_argument("backend '" + std::string(name) + "' is not known; expected one of " +
                              known);
}

}  // namespace

std::vector<std::string> backend_names() { return {"compiled", "cpu", "reference", "tree"}; }

template <>
std::unique_ptr<BasicBackend<double>> make_backend<double>(std::string_view name) {
  return make<double>(name);
}
template <>
std::unique_ptr<BasicBackend<float>> make_backend<float>(std::string_view name) {
  return make<float>(name);
}

}  // namespace rbd_parallel_core
