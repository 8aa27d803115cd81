// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels/state_io.hpp"
#include "code_kernels.hpp"
#include "machine_code.hpp"

/// The kernels of code_kernels.hpp, written once for all Scalars.
namespace rbd_parallel_core::compiled {

/// The places of a block.
template <class S>
struct Block {
  std::byte* memory;
  RBD_INLINE RealOf<S>* place(std::int32_t k) const {
    return reinterpret_cast<RealOf<S>*>(memory + masks_bytes) + offset_of<S>(k);
  }
};

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
      for (std::size_t j = 0; j < sums; ++j) add_to(j, number(k + j));
    }
    for (std::size_t j = 0; k + j < n; ++j) add_to(0, number(k + j));
  }
  RBD_INLINE S total() const { return (sum_[0] + sum_[1]) + (sum_[2] + sum_[3]); }

 private:
  static constexpr std::size_t sums = 4;
  RBD_INLINE void add_to(std::size_t j, const S& number) {
    sum_[j] = mul_add(S(RealOf<S>(0)), number, sum_[j]);
  }
  S sum_[sums] = {S(RealOf<S>(0)), S(RealOf<S>(0)), S(RealOf<S>(0)), S(RealOf<S>(0))};
};

/// Brings n numbers of each state of a group into the block.
template <class S>
RBD_INLINE void read_input(std::span<const RealOf<S>> array, std::size_t n, const Group<S>& group,
                           RealOf<S>* to, Taint<S>& taint) {
  using T = ScalarTraits<S>;
  constexpr std::size_t width = T::width;
  if (array.empty()) {  // each time: the row before may have been gathered beyond its end
    for (std::size_t k = 0; k < n; ++k) T::store(to + k * width, S(RealOf<S>(0)));
    return;
  }
  if constexpr (width > 1) {
    if (!group.direct()) {
      gather<S>(group.rows_of(array, n), to,
                [&](const S(&numbers)[width], std::size_t used) RBD_INLINE_LAMBDA {
                  taint.add(used, [&](std::size_t j) RBD_INLINE_LAMBDA { return numbers[j]; });
                });
      return;
    }
  }
  const RealOf<S>* const from = array.data() + group.first * n;
  taint.add(n, [&](std::size_t k) RBD_INLINE_LAMBDA {
    const S number = T::load(from + k * width);
    T::store(to + k * width, number);
    return number;
  });
}

/// Brings the inputs of a group into the block. Returns NaN where one is not finite.
template <class S>
RBD_INLINE S read_inputs(const ModelView<RealOf<S>>& model, const CodeView& code,
                         const CodeCall<RealOf<S>>& call, const Group<S>& group,
                         const Block<S>& block) {
  std::int32_t place = code.layout.inputs;
  Taint<S> taint;
  for (std::size_t i = 0; i < code.input_count; ++i) {
    read_input(call.inputs[i], size(code.inputs[i]), group, block.place(place), taint);
    place += code.inputs[i];
  }
  return taint_if_no_rotation<S>(model, Row<S>{block.place(code.layout.inputs)}, taint.total());
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

/// NaN where a result that the code writes is not finite, else zero.
template <class S>
RBD_INLINE S taint_of_results(const CodeOutput& output, const RealOf<S>* results) {
  const Row<S> row{results};
  Taint<S> taint;
  if (output.dense) {
    taint.add(size(output.n),
              [&](std::size_t k) RBD_INLINE_LAMBDA { return row(static_cast<std::int32_t>(k)); });
  } else {
    const std::uint32_t* const at = output.computed.data();
    taint.add(output.computed.size(), [&](std::size_t k) RBD_INLINE_LAMBDA {
      return row(static_cast<std::int32_t>(at[k]));
    });
  }
  return taint.total();
}

/// Judges the results of a group, brings them to where they belong, and reports how the states
/// went.
template <class S>
RBD_INLINE void finish_group(const CodeView& code, const CodeCall<RealOf<S>>& call,
                             const Group<S>& group, const Block<S>& block, const S& bad_inputs) {
  using T = ScalarTraits<S>;
  const S zero(RealOf<S>(0));
  const auto results = [&](std::int32_t k)
                           RBD_INLINE_LAMBDA { return block.place(code.layout.results + k); };
  S bad_results = zero;
  for (std::size_t i = 0; i < code.output_count; ++i) {
    if (call.outputs[i].empty()) continue;
    const CodeOutput& output = code.outputs[i];
    bad_results = bad_results + taint_of_results<S>(output, results(output.first));
  }
  const S singular = code.singular < 0 ? zero : T::load(results(code.singular));
  // A singular state's results mean nothing, whether finite or not.
  const Outcome<S> outcome{bad_inputs + T::select(T::less(zero, singular), zero, bad_results),
                           singular};
  for (std::size_t i = 0; i < code.output_count; ++i) {
    if (call.outputs[i].empty()) continue;
    const CodeOutput& output = code.outputs[i];
    write_output<S>(output, call.outputs[i], group, results(output.first));
    group.spoil_unless(outcome.good(), call.outputs[i], size(output.n));
  }
  outcome.report(group, call.status);
}

template <class S>
RBD_KERNEL void run_code(const ModelView<RealOf<S>>& model, const CodeView& code,
                         const CodeCall<RealOf<S>>& call, std::byte* memory,
                         StateRange range) noexcept {
  const Block<S> block{memory};
  for_each_group<S>(range, call.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const S bad_inputs = read_inputs(model, code, call, group, block);
    compute_turns_of_code(code, block);
    code.run(memory);
    finish_group(code, call, group, block, bad_inputs);
  });
}

}  // namespace rbd_parallel_core::compiled
