// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "../kernels/kernel_backend.hpp"
#include "coded_functions.hpp"
#include "robot_code.hpp"

namespace rbd_parallel_core {

/// Runs machine code that was made for the robot when it was configured: the algorithms of `cpu`
/// with all that is constant worked out, and no loop over bodies (docs/compiled.md). Which calls
/// have code is said by the table of coded_functions.hpp. What has none goes to the kernels of
/// `cpu`: calls that no function serves, robots that are too large, and everything where the system
/// does not let code be made.
template <class Real>
class CompiledBackend final : public KernelBackend<Real> {
 public:
  std::string name() const override { return "compiled"; }
  std::string explain(Operation operation, std::size_t batch) const override;

  /// Whether plain calls of an operation run code. Only when configured.
  bool has_code(Operation operation) const noexcept;

 protected:
  using typename BasicBackend<Real>::Call;
  void do_configure(const Model& model, const BackendOptions& options) override;
  Result do_compute(const Call& call) noexcept override;

 private:
  using Code = compiled::RobotCode<Real>;
  using CodeCall = compiled::CodeCall<Real>;

  /// An entry of the table, for the robot.
  struct Coded {
    const compiled::CodedFunction* function;
    std::unique_ptr<Code> code;  ///< null where there is none
    std::string why_not;         ///< then
  };

  /// What code is made of and for.
  struct Making {
    ModelView<double> model;
    symbolic::TraceOptions options;
    InstructionSet set;
    OperationSet operations;
  };
  void compile(const Making& making);
  Coded compile(const compiled::CodedFunction& function, const Making& making) const;
  void compile_placements(const Making& making);
  /// The first function of an operation, which serves its plain calls; null where there is none.
  const Coded* plain(Operation operation) const noexcept;
  /// Null where no code serves the call.
  const Coded* coded_for(const compiled::CallShape& call) const noexcept;
  /// Computes a call of the operation if there is code for it, or says that there is none.
  template <class Args>
  bool run(Operation operation, const Args& args) noexcept;
  bool run_inverse_dynamics(const BasicInverseDynamics<Real>& args) noexcept;
  void run(const Code& code, const CodeCall& call, std::size_t batch) noexcept;

  std::vector<Coded> coded_;  ///< in the order of the table, without what no call can ask for
  /// Where those of an operation begin and end; the table has them one after the other.
  struct Functions {
    const Coded *begin = nullptr, *end = nullptr;
  };
  std::array<Functions, operation_count> functions_{};
  /// Where the bodies are: what wrenches along the axes of the world need. May be null.
  std::unique_ptr<Code> placements_;
};

extern template class CompiledBackend<double>;
extern template class CompiledBackend<float>;

}  // namespace rbd_parallel_core
