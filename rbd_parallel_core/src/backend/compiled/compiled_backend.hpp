// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "../kernels/kernel_backend.hpp"
#include "rbd_parallel_core/symbolic/trace.hpp"
#include "robot_code.hpp"

namespace rbd_parallel_core {

/// Runs machine code that was made for the robot when it was configured: the algorithms of `cpu`
/// with all that is constant worked out, and no loop over bodies (docs/compiled.md). What has no
/// code goes to the kernels of `cpu`: other operations, external wrenches, robots that are too
/// large, and everything where the system does not let code be made.
template <class Real>
class CompiledBackend final : public KernelBackend<Real> {
 public:
  std::string name() const override { return "compiled"; }
  std::string explain(Operation operation, std::size_t batch) const override;

 protected:
  using typename BasicBackend<Real>::Call;
  void do_configure(const Model& model, const BackendOptions& options) override;
  Result do_compute(const Call& call) noexcept override;

 private:
  using Code = compiled::RobotCode<Real>;
  using CodeCall = compiled::CodeCall<Real>;

  /// The functions that are compiled.
  enum Slot : std::size_t {
    gravity,
    bias,
    coriolis,
    inverse_dynamics,
    mass_matrix,
    forward_dynamics,
    inverse_derivatives,
    inverse_derivatives_and_mass,
    forward_derivatives,
    slot_count,
  };

  void compile(const ModelView<double>& model, const symbolic::TraceOptions& options,
               InstructionSet set);
  /// The slot of an operation as it is called most, or slot_count.
  static Slot slot_of(Operation operation);

  bool run(Slot slot, std::size_t batch, Layout layout, std::span<StateStatus> status,
           std::initializer_list<std::span<const Real>> inputs,
           std::initializer_list<std::span<Real>> outputs) noexcept;
  bool compute_inverse_dynamics(const BasicInverseDynamics<Real>& args) noexcept;
  bool compute_mass_matrix(const BasicMassMatrix<Real>& args) noexcept;
  bool compute_by_code(const Call& call) noexcept;

  std::array<std::unique_ptr<Code>, slot_count> code_;
  std::array<std::string, slot_count> why_not_;  ///< per slot without code
};

extern template class CompiledBackend<double>;
extern template class CompiledBackend<float>;

}  // namespace rbd_parallel_core
