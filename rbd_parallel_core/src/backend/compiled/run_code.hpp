// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels/state_io.hpp"
#include "code_block.hpp"
#include "code_kernels.hpp"
#include "code_wrenches.hpp"

/// The kernels of code_kernels.hpp, written once for all Scalars.
namespace rbd_parallel_core::compiled {

/// Brings the inputs of a group into the block. Returns NaN where one is not finite.
template <class S>
RBD_INLINE S read_inputs(const ModelView<RealOf<S>>& model, const CodeView& code,
                         const CodeCall<RealOf<S>>& call, const Group<S>& group,
                         const Block<S>& block) {
  using Real = RealOf<S>;
  std::int32_t place = code.layout.inputs;
  S bad(Real(0));
  for (std::size_t i = 0; i < code.input_count; ++i) {
    const std::int32_t n = code.inputs[i];
    Real* const to = block.place(place);
    place += n;
    if (call.inputs[i]
            .empty()) {  // each time: the row before may have been gathered beyond its end
      for (std::int32_t k = 0; k < n; ++k) OutRow<S>{to}.store(k, S(Real(0)));
      continue;
    }
    const Row<S> row = group.read(call.inputs[i], size(n), to);
    if (row.data != to) {
      for (std::int32_t k = 0; k < n; ++k) OutRow<S>{to}.store(k, row(k));
    }
    bad = bad + taint(row, size(n));
  }
  return taint_if_no_rotation<S>(model, Row<S>{block.place(code.layout.inputs)}, bad);
}

template <class S>
RBD_INLINE void compute_turns_of_code(const CodeView& code, const Block<S>& block) {
  using Real = RealOf<S>;
  const Row<S> input{block.place(code.layout.inputs)};
  const OutRow<S> angle{block.place(code.layout.angles)};
  const auto count = static_cast<std::int32_t>(code.turns.size());
  for (std::int32_t k = 0; k < count; ++k) {
    const StraightLine::Turn& turn = code.turns[size(k)];
    angle.store(k, mul_add(S(Real(turn.factor)), input(turn.input), S(Real(turn.offset))));
  }
  const auto column = [&](std::int32_t place) RBD_INLINE_LAMBDA {
    return Column<S>{reinterpret_cast<S*>(block.place(place))};
  };
  sincos_all(column(code.layout.angles), column(code.layout.sines), column(code.layout.cosines),
             count);
}

/// Brings results of a group to where they belong.
template <class S>
RBD_INLINE void write_output(const CodeOutput& output, std::span<RealOf<S>> array,
                             const Group<S>& group, const RealOf<S>* results) {
  constexpr std::size_t width = Group<S>::width;
  const std::size_t n = size(output.n);
  if (!group.direct()) {
    if constexpr (width > 1) {
      const Rows<RealOf<S>> rows = group.rows_of(array, n);
      if (output.symmetric) {
        // Only read, as those of mass_matrix_of_states are.
        const SymmetricSources sources{const_cast<std::uint32_t*>(output.from),
                                       const_cast<std::uint8_t*>(output.zeros)};
        scatter_symmetric<S>(results, sources, rows);
      } else {
        scatter_with_zeros<S>(results, output.zeros, rows);
      }
    }
    return;
  }
  const OutRow<S> to = group.out(array, n, nullptr);
  const Row<S> from{results};
  for (std::int32_t k = 0; k < output.n; ++k) {
    to.store(k, from(output.symmetric ? static_cast<std::int32_t>(output.from[k]) : k));
  }
}

/// NaN where a result that the code writes is not finite, else zero. Several sums, so that none
/// waits for the one before.
template <class S>
RBD_INLINE S taint_of_results(const CodeOutput& output, const RealOf<S>* results) {
  constexpr std::size_t sums = 8;
  const S zero(RealOf<S>(0));
  const Row<S> row{results};
  const std::uint32_t* const at = output.computed.data();
  const std::size_t n = output.computed.size();
  S sum[sums] = {zero, zero, zero, zero, zero, zero, zero, zero};
  std::size_t k = 0;
  for (; k + sums <= n; k += sums) {
    for (std::size_t j = 0; j < sums; ++j) {
      sum[j] = mul_add(zero, row(static_cast<std::int32_t>(at[k + j])), sum[j]);
    }
  }
  for (; k < n; ++k)
    sum[k % sums] = mul_add(zero, row(static_cast<std::int32_t>(at[k])), sum[k % sums]);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/// Brings q to the code that places the bodies.
template <class S>
__attribute__((noinline)) RBD_KERNEL void read_placed_q(const CodeInMemory& placements,
                                                        std::span<const RealOf<S>> q,
                                                        const Group<S>& group) {
  const std::int32_t nq = placements.code->inputs[0];
  RealOf<S>* const to = Block<S>{placements.block}.place(placements.code->layout.inputs);
  const Row<S> row = group.read(q, size(nq), to);
  if (row.data == to) return;
  for (std::int32_t k = 0; k < nq; ++k) OutRow<S>{to}.store(k, row(k));
}

/// Where the code put the bodies, or null.
template <class S>
RBD_INLINE const Transform<S>* placed_bodies(const CodeInMemory& placements) {
  if (placements.code == nullptr) return nullptr;
  const std::int32_t results = placements.code->layout.results;
  return reinterpret_cast<const Transform<S>*>(Block<S>{placements.block}.place(results));
}

template <class S>
RBD_KERNEL void run_code(const ModelView<RealOf<S>>& model, const CodeInMemory& function,
                         const CodeCall<RealOf<S>>& call, const CodeInMemory& placements,
                         StateRange range) noexcept {
  using Real = RealOf<S>;
  using T = ScalarTraits<S>;
  const CodeView& code = *function.code;
  std::byte* const memory = function.block;
  const Block<S> block{memory};
  const S zero(Real(0));
  const auto results = [&](std::int32_t k)
                           RBD_INLINE_LAMBDA { return block.place(code.layout.results + k); };
  for_each_group<S>(range, call.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    S bad = read_inputs(model, code, call, group, block);
    bool placing = placements.code != nullptr;
    if (placing) [[unlikely]]
      read_placed_q<S>(placements, call.inputs[0], group);
    // Sines and cosines are computed in one place of this code, so that they are inlined.
    for (;; placing = false) {
      const CodeInMemory& now = placing ? placements : function;
      compute_turns_of_code(*now.code, Block<S>{now.block});
      if (!placing && code.forces >= 0) [[unlikely]] {
        bad = bad +
              read_wrenches(model, code, *call.f_ext, placed_bodies<S>(placements), group, block);
      }
      now.code->run(now.block);
      if (!placing) break;
    }
    S bad_results = zero;
    for (std::size_t i = 0; i < code.output_count; ++i) {
      if (call.outputs[i].empty()) continue;
      const CodeOutput& output = code.outputs[i];
      const S taint = taint_of_results<S>(output, results(output.first));
      if (output.solved) {
        bad_results = bad_results + taint;
      } else {
        bad = bad + taint;
      }
    }
    const S singular = code.singular < 0 ? zero : T::load(results(code.singular));
    // A singular state's results mean nothing, whether finite or not.
    const Outcome<S> outcome{bad + T::select(T::less(zero, singular), zero, bad_results), singular};
    const auto good = outcome.good();
    const auto good_before_solving = code.singular < 0 ? good : Outcome<S>{bad, zero}.good();
    for (std::size_t i = 0; i < code.output_count; ++i) {
      if (call.outputs[i].empty()) continue;
      const CodeOutput& output = code.outputs[i];
      write_output<S>(output, call.outputs[i], group, results(output.first));
      group.spoil_unless(output.solved ? good : good_before_solving, call.outputs[i],
                         size(output.n));
    }
    outcome.report(group, call.status);
  });
  if (code.forces >= 0) clear_wrenches<S>(model, code, *call.f_ext, block);
}

}  // namespace rbd_parallel_core::compiled
