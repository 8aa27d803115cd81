// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../kernels/kernel_memory.hpp"
#include "code_kernels.hpp"
#include "machine_code.hpp"
#include "rbd_parallel_core/symbolic/function.hpp"

namespace rbd_parallel_core::compiled {

/// One function of one robot, ready to run: code for packs and for one state, and the memory that
/// they work in.
template <class Real>
class RobotCode {
 public:
  /// More lines than this are slower than the kernels of `cpu`, whose code is short: a processor
  /// fetches long code from its second and third cache.
  static constexpr std::size_t most_lines = 60000;

  /// Throws what MachineCode does. `threads`: that may run packs at once.
  RobotCode(const symbolic::Function& function, InstructionSet set, std::size_t threads);

  /// Computes the states of a range. `thread`: 0 unless in packs. placements: as CodeKernels::run
  /// takes them, null where they are not needed.
  void run(const ModelView<Real>& model, const CodeCall<Real>& call, bool in_packs,
           std::size_t thread, StateRange range,
           const RobotCode* placements = nullptr) const noexcept {
    const CodeInMemory other =
        placements == nullptr ? CodeInMemory{} : placements->in_memory(in_packs, thread);
    const Form& form = in_packs ? packs_ : scalars_;
    form.kernels->run(model, in_memory(in_packs, thread), call, other, range);
  }

  std::size_t lines() const { return packs_.lines; }
  std::size_t bytes() const { return packs_.code->bytes() + scalars_.code->bytes(); }

 private:
  struct Form {
    const CodeKernels<Real>* kernels = nullptr;
    std::unique_ptr<MachineCode> code;
    BlockLayout layout;
    CodeView view;
    std::vector<std::int32_t> turns;  ///< see CodeView
    std::size_t turn_count = 0;
    std::vector<KernelMemory> memory;  ///< for each thread
    std::size_t lines = 0;
  };
  /// Where the numbers of an output are found among its results.
  struct Output {
    std::vector<std::uint32_t> from, computed;
    std::vector<std::uint8_t> zeros;
  };
  CodeInMemory in_memory(bool in_packs, std::size_t thread) const noexcept {
    const Form& form = in_packs ? packs_ : scalars_;
    return {&form.view, form.memory[thread].get()};
  }
  Form make_form(const symbolic::Function& function, const CodeKernels<Real>& kernels,
                 const Target& target, std::size_t threads) const;
  /// Describes an output, and keeps what the description points to.
  CodeOutput add_output(const symbolic::Function& function, const symbolic::Function::Array& array,
                        Output& kept) const;
  /// What both forms have in common.
  void describe(const symbolic::Function& function);

  Form packs_, scalars_;
  std::array<Output, most_outputs> outputs_;
};

extern template class RobotCode<double>;
extern template class RobotCode<float>;

}  // namespace rbd_parallel_core::compiled
