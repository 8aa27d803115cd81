// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rbd_parallel_core/delegating_backend.hpp"

namespace rbd_parallel_ros {

using rbd_parallel_core::DelegatingBackend;

/// The backend "cuda", or "cpu" where its library, the driver or the device is missing: then
/// explain() says what, and the node goes on.
class CudaPlugin : public DelegatingBackend {
 public:
  using Make = std::function<std::unique_ptr<rbd_parallel_core::Backend>()>;

  CudaPlugin() : CudaPlugin([] { return rbd_parallel_core::make_backend("cuda"); }) {}
  /// For tests: another device.
  explicit CudaPlugin(Make make_cuda)
      : DelegatingBackend(rbd_parallel_core::make_backend("cpu")),
        make_cuda_(std::move(make_cuda)) {}

  std::string explain(rbd_parallel_core::Operation operation, std::size_t batch) const override {
    const std::string why = DelegatingBackend::explain(operation, batch);
    return missing_.empty() ? why : "fell back to cpu: " + missing_ + "; " + why;
  }

 protected:
  void do_configure(const rbd_parallel_core::Model& model,
                    const rbd_parallel_core::BackendOptions& options) override {
    missing_.clear();
    try {
      delegate_to(make_cuda_());
      DelegatingBackend::do_configure(model, options);
    } catch (const std::runtime_error& error) {
      missing_ = error.what();
      delegate_to(rbd_parallel_core::make_backend("cpu"));
      DelegatingBackend::do_configure(model, options);
    }
  }

 private:
  Make make_cuda_;
  std::string missing_;  ///< what made it fall back, or empty
};

}  // namespace rbd_parallel_ros
