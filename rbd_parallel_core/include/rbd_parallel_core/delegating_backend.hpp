// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// A backend that has another one compute, and can do all that the other one can. pluginlib needs
/// it, for a plugin is a class that is made without arguments; a backend that changes one thing
/// about another one derives from it too.
template <class Real>
class BasicDelegatingBackend : public BasicBackend<Real> {
 public:
  using typename BasicBackend<Real>::Call;

  std::string name() const override { return delegate_->name(); }
  std::string explain(Operation operation, std::size_t batch) const override {
    if (!this->configured()) return name() + " is not configured";
    return delegate_->explain(operation, batch);
  }

 protected:
  explicit BasicDelegatingBackend(std::unique_ptr<BasicBackend<Real>> delegate)
      : delegate_(std::move(delegate)) {}

  /// Has another backend compute, which is not configured yet.
  void delegate_to(std::unique_ptr<BasicBackend<Real>> delegate) {
    delegate_ = std::move(delegate);
  }
  BasicBackend<Real>& delegate() noexcept { return *delegate_; }

  void do_configure(const Model& model, const BackendOptions& options) override {
    // Does not own the model: this object keeps it alive for as long as calls reach the delegate.
    delegate_->configure(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), options);
  }
  Capabilities do_capabilities() const noexcept override { return delegate_->capabilities(); }
  Result do_compute(const Call& call) noexcept override { return delegate_->compute(call); }

 private:
  std::unique_ptr<BasicBackend<Real>> delegate_;
};

using DelegatingBackend = BasicDelegatingBackend<double>;

}  // namespace rbd_parallel_core
