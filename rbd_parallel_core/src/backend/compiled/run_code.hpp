// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "../kernels/state_io.hpp"
#include "code_block.hpp"
#include "code_kernels.hpp"
#include "code_wrenches.hpp"
#include "one_state.hpp"

/// The kernels of code_kernels.hpp, written once for all Scalars S. Wide: the pack that one state
/// alone uses for several of its numbers at once; S itself where that is a pack of states.
namespace rbd_parallel_core::compiled {

template <class S, class Wide>
inline constexpr bool is_alone = !std::is_same_v<S, Wide>;

/// NaN once a number that it was given is not finite, else zero. Several sums, so that none waits
/// for the one before.
template <class S>
class Taint {
 public:
  /// number(0), number(1), ... up to n of them.
  template <class Number>
  RBD_INLINE void add(std::size_t n, const Number& number) {
    std::size_t k = 0;
    for (; k + sums <= n; k += sums) {
      for (std::size_t j = 0; j < sums; ++j) add(number(k + j), j);
    }
    for (; k < n; ++k) add(number(k));
  }
  /// k: neighbours of different k do not wait for each other.
  RBD_INLINE void add(const S& number, std::size_t k = 0) {
    sum_[k % sums] = mul_add(S(RealOf<S>(0)), number, sum_[k % sums]);
  }
  /// The first `used` of a register full of numbers. Which sum takes which number is known when
  /// this is compiled: else the sums would lie in memory.
  RBD_INLINE void add_block(const S (&numbers)[ScalarTraits<S>::width], std::size_t used) {
    constexpr std::size_t width = ScalarTraits<S>::width;
    if (used == width) [[likely]] {
      for (std::size_t j = 0; j < width; ++j) add(numbers[j], j);
      return;
    }
    for (std::size_t j = 0; j < used; ++j) add(numbers[j]);
  }
  RBD_INLINE S total() const { return (sum_[0] + sum_[1]) + (sum_[2] + sum_[3]); }

 private:
  static constexpr std::size_t sums = 4;
  S sum_[sums] = {S(RealOf<S>(0)), S(RealOf<S>(0)), S(RealOf<S>(0)), S(RealOf<S>(0))};
};

/// Brings n numbers of each state of a group into the block.
template <class S, class Wide>
RBD_INLINE void read_input(std::span<const RealOf<S>> array, std::size_t n, const Group<S>& group,
                           RealOf<S>* to, Taint<S>& taint) {
  using T = ScalarTraits<S>;
  constexpr std::size_t width = T::width;
  const RealOf<S>* const from = array.data() + group.first * n;
  if (array.empty()) {
    for (std::size_t k = 0; k < n; ++k) T::store(to + k * width, S(RealOf<S>(0)));
  } else if constexpr (is_alone<S, Wide>) {
    taint.add(copy_and_judge<Wide>(from, n, to));
  } else if (!group.direct()) {
    gather<S>(group.rows_of(array, n), to,
              [&](const S(&numbers)[width], std::size_t used)
                  RBD_INLINE_LAMBDA { taint.add_block(numbers, used); });
  } else {
    taint.add(n, [&](std::size_t k) RBD_INLINE_LAMBDA {
      const S number = T::load(from + k * width);
      T::store(to + k * width, number);
      return number;
    });
  }
}

/// Brings the inputs of a group into the block. Returns NaN where one is not finite.
template <class S, class Wide>
RBD_INLINE S read_inputs(const ModelView<RealOf<S>>& model, const CodeView& code,
                         const CodeCall<RealOf<S>>& call, const Group<S>& group,
                         const Block<S>& block) {
  std::int32_t place = code.layout.inputs;
  Taint<S> taint;
  for (std::size_t i = 0; i < code.input_count; ++i) {
    read_input<S, Wide>(call.inputs[i], size(code.inputs[i]), group, block.place(place), taint);
    place += code.inputs[i];
  }
  return taint_if_no_rotation<S>(model, Row<S>{block.place(code.layout.inputs)}, taint.total());
}

/// Sines and cosines. q: as the caller gave it.
template <class S, class Wide>
RBD_INLINE void compute_turns_of_code(const CodeView& code, std::span<const RealOf<S>> q,
                                      const Group<S>& group, const Block<S>& block) {
  const BlockLayout& layout = code.layout;
  if constexpr (is_alone<S, Wide>) {
    if (code.turns_are_of_first_array) {
      const Turns<S> turns{code.turns, block.place(layout.factors), block.place(layout.offsets),
                           block.place(layout.sines), block.place(layout.cosines)};
      compute_turns<Wide>(q.data() + group.first * size(code.inputs[0]), turns, code.turn_count);
      return;
    }
  }
  const Row<S> input{block.place(layout.inputs)}, factor{block.place(layout.factors)},
      offset{block.place(layout.offsets)};
  const OutRow<S> angle{block.place(layout.angles)};
  const auto count = static_cast<std::int32_t>(code.turn_count);
  for (std::int32_t k = 0; k < count; ++k) {
    angle.store(k, mul_add(factor(k), input(code.turns[k]), offset(k)));
  }
  const auto column = [&](std::int32_t place) RBD_INLINE_LAMBDA {
    return Column<S>{reinterpret_cast<S*>(block.place(place))};
  };
  sincos_all(column(layout.angles), column(layout.sines), column(layout.cosines), count);
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
      } else if (output.dense) {
        scatter<S>(results, rows);
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
/// Of one state alone both triangles of a matrix are results: they are judged and written in one
/// go. Returns NaN where one is not finite, else zero.
template <class Wide, class Real>
RBD_INLINE Real write_alone(const CodeOutput& output, std::span<Real> array, std::size_t state,
                            const Real* results) {
  const std::size_t n = size(output.n);
  return copy_results_and_judge<Wide>(results, n, array.data() + state * n);
}

/// NaN where a result that the code writes is not finite, else zero.
template <class S>
RBD_INLINE S taint_of_results(const CodeOutput& output, const RealOf<S>* results) {
  using T = ScalarTraits<S>;
  Taint<S> taint;
  if (output.dense) {
    taint.add(size(output.n),
              [&](std::size_t k) RBD_INLINE_LAMBDA { return T::load(results + k * T::width); });
  } else {
    const std::uint32_t* const at = output.computed.data();
    taint.add(output.computed.size(), [&](std::size_t k) RBD_INLINE_LAMBDA {
      return T::load(results + std::size_t{at[k]} * T::width);
    });
  }
  return taint.total();
}

/// Brings q to the code that places the bodies.
template <class S, class Wide>
__attribute__((noinline)) RBD_KERNEL void read_placed_q(const CodeInMemory& placements,
                                                        std::span<const RealOf<S>> q,
                                                        const Group<S>& group) {
  const CodeView& code = *placements.code;
  Taint<S> judged_before;
  read_input<S, Wide>(q, size(code.inputs[0]), group,
                      Block<S>{placements.block}.place(code.layout.inputs), judged_before);
}

/// Where the code put the bodies, or null.
template <class S>
RBD_INLINE const Transform<S>* placed_bodies(const CodeInMemory& placements) {
  if (placements.code == nullptr) return nullptr;
  const std::int32_t results = placements.code->layout.results;
  return reinterpret_cast<const Transform<S>*>(Block<S>{placements.block}.place(results));
}

/// Judges the results of a group, brings them to where they belong, and reports how the states
/// went. bad: NaN where an input is not finite.
template <class S, class Wide>
RBD_INLINE void finish_group(const CodeView& code, const CodeCall<RealOf<S>>& call,
                             const Group<S>& group, const Block<S>& block, S bad) {
  using T = ScalarTraits<S>;
  const S zero(RealOf<S>(0));
  const auto results = [&](std::int32_t k)
                           RBD_INLINE_LAMBDA { return block.place(code.layout.results + k); };
  S bad_results = zero;
  for (std::size_t i = 0; i < code.output_count; ++i) {
    if (call.outputs[i].empty()) continue;
    const CodeOutput& output = code.outputs[i];
    S& sum = output.solved ? bad_results : bad;
    if constexpr (is_alone<S, Wide>) {
      sum = sum + write_alone<Wide>(output, call.outputs[i], group.first, results(output.first));
    } else {
      sum = sum + taint_of_results<S>(output, results(output.first));
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
    if constexpr (!is_alone<S, Wide>) {
      write_output<S>(output, call.outputs[i], group, results(output.first));
    }
    group.spoil_unless(output.solved ? good : good_before_solving, call.outputs[i], size(output.n));
  }
  outcome.report(group, call.status);
}

template <class S, class Wide>
RBD_KERNEL void run_code(const ModelView<RealOf<S>>& model, const CodeInMemory& function,
                         const CodeCall<RealOf<S>>& call, const CodeInMemory& placements,
                         StateRange range) noexcept {
  const CodeView& code = *function.code;
  const Block<S> block{function.block};
  for_each_group<S>(range, call.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    S bad = read_inputs<S, Wide>(model, code, call, group, block);
    bool placing = placements.code != nullptr;
    if (placing) [[unlikely]]
      read_placed_q<S, Wide>(placements, call.inputs[0], group);
    // Sines and cosines are computed in one place of this code, so that they are inlined.
    for (;; placing = false) {
      const CodeInMemory& now = placing ? placements : function;
      compute_turns_of_code<S, Wide>(*now.code, call.inputs[0], group, Block<S>{now.block});
      if (!placing && code.forces >= 0) [[unlikely]] {
        bad = bad +
              read_wrenches(model, code, *call.f_ext, placed_bodies<S>(placements), group, block);
      }
      now.code->run(now.block);
      if (!placing) break;
    }
    finish_group<S, Wide>(code, call, group, block, bad);
  });
  if (code.forces >= 0) clear_wrenches<S>(model, code, *call.f_ext, block);
}

}  // namespace rbd_parallel_core::compiled
