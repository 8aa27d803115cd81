// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_ros {

/// A backend that lets another one compute. pluginlib needs classes that can be made without
/// arguments; the core hands out its backends by name.
class DelegatingBackend : public rbd_parallel_core::Backend {
 public:
  std::string name() const override { return delegate_->name(); }
  std::string explain(rbd_parallel_core::Operation operation, std::size_t batch) const override {
    return delegate_->explain(operation, batch);
  }
  std::size_t lane_width() const noexcept override { return delegate_->lane_width(); }

 protected:
  using Model = rbd_parallel_core::Model;
  using Result = rbd_parallel_core::Result;

  explicit DelegatingBackend(std::unique_ptr<rbd_parallel_core::Backend> delegate)
      : delegate_(std::move(delegate)) {}

  /// Lets another backend compute, which is not configured yet.
  void delegate_to(std::unique_ptr<rbd_parallel_core::Backend> delegate) {
    delegate_ = std::move(delegate);
  }

  void do_configure(const Model& model, const rbd_parallel_core::BackendOptions& options) override {
    // Not an owner: this object keeps the model alive for as long as calls get through to the
    // delegate.
    delegate_->configure(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), options);
  }
  Result do_inverse_dynamics(const rbd_parallel_core::InverseDynamics& args) noexcept override {
    return delegate_->inverse_dynamics(args);
  }
  Result do_bias_forces(const rbd_parallel_core::Forces& args) noexcept override {
    return delegate_->bias_forces(args);
  }
  Result do_gravity_forces(const rbd_parallel_core::Forces& args) noexcept override {
    return delegate_->gravity_forces(args);
  }
  Result do_coriolis_forces(const rbd_parallel_core::Forces& args) noexcept override {
    return delegate_->coriolis_forces(args);
  }
  Result do_mass_matrix(const rbd_parallel_core::MassMatrix& args) noexcept override {
    return delegate_->mass_matrix(args);
  }
  Result do_forward_dynamics(const rbd_parallel_core::ForwardDynamics& args) noexcept override {
    return delegate_->forward_dynamics(args);
  }
  Result do_energies(const rbd_parallel_core::Energies& args) noexcept override {
    return delegate_->energies(args);
  }
  Result do_link_kinematics(const rbd_parallel_core::LinkKinematics& args) noexcept override {
    return delegate_->link_kinematics(args);
  }

 private:
  std::unique_ptr<rbd_parallel_core::Backend> delegate_;
};

}  // namespace rbd_parallel_ros
