// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "run_code.hpp"

/// The kernel of code_kernels.hpp for one state after the other. A state alone has nothing to share
/// a register with but itself: its numbers are copied and judged several at a time, and the sines
/// of several joints are computed at once. What matters is how long each step waits for the one
/// before.
namespace rbd_parallel_core::compiled {

/// n numbers from one array to another. Returns NaN in a lane where one is not finite, else zeros.
template <class Pack, class Real>
RBD_INLINE Pack copy_and_judge(const Real* from, std::size_t n, Real* to) {
  using T = ScalarTraits<Pack>;
  const Pack zero(Real(0));
  Pack sums[2] = {zero, zero};
  if (n < T::width) {
    Real sum = Real(0);
    for (std::size_t k = 0; k < n; ++k) {
      to[k] = from[k];
      sum = ScalarTraits<Real>::mul_add(Real(0), from[k], sum);
    }
    return Pack(sum);
  }
  const auto copy = [&](std::size_t k, Pack& sum) RBD_INLINE_LAMBDA {
    const Pack x = T::load(from + k);
    T::store(to + k, x);
    sum = mul_add(zero, x, sum);
  };
  std::size_t k = 0;
  for (; k + T::width <= n; k += T::width) copy(k, sums[0]);
  if (k != n) copy(n - T::width, sums[1]);
  return sums[0] + sums[1];
}

/// Numbers from anywhere in a row. One instruction each, but no store that a load would wait for.
template <class Pack, class Real, std::size_t... j>
RBD_INLINE Pack collect(const Real* row, const std::int32_t* which, std::index_sequence<j...>) {
  Pack result;
  result.x = typename Pack::Register{row[which[j]]...};
  return result;
}

/// Sines and cosines, a register full of joints at a time. Only if all turns are inputs as they
/// are.
template <class Pack, class Real>
RBD_INLINE void compute_plain_turns(const CodeView& code, const Real* row, Real* sines,
                                    Real* cosines) {
  using T = ScalarTraits<Pack>;
  const std::size_t count = code.turns.size();
  const std::int32_t* const which = code.plain_turns;
  for (std::size_t k = 0; k < count; k += T::width) {
    Pack sine, cosine;
    T::sincos(collect<Pack>(row, which + k, std::make_index_sequence<T::width>{}), sine, cosine);
    T::store(sines + k, sine);
    T::store(cosines + k, cosine);
  }
}

template <class Pack, class Real>
RBD_KERNEL void run_code_alone(const ModelView<Real>& model, const CodeView& code,
                               const CodeCall<Real>& call, std::byte* memory,
                               StateRange range) noexcept {
  const Block<Real> block{memory};
  Real* const inputs = block.place(code.layout.inputs);
  for (std::size_t s = range.begin; s < range.end; ++s) {
    Pack bad(Real(0));
    Real* to = inputs;
    for (std::size_t i = 0; i < code.input_count; ++i) {
      const std::size_t n = size(code.inputs[i]);
      if (call.inputs[i].empty()) {
        std::fill_n(to, n, Real(0));
      } else {
        bad = bad + copy_and_judge<Pack>(call.inputs[i].data() + s * n, n, to);
      }
      to += n;
    }
    if (code.plain_turns != nullptr) {
      compute_plain_turns<Pack>(code, call.inputs[0].data() + s * size(code.inputs[0]),
                                block.place(code.layout.sines), block.place(code.layout.cosines));
    } else {
      compute_turns_of_code(code, block);
    }
    code.run(memory);
    const bool good = ScalarTraits<Pack>::all(ScalarTraits<Pack>::less_equal(bad, Pack(Real(0))));
    const Real bad_inputs = good ? Real(0) : std::numeric_limits<Real>::quiet_NaN();
    finish_group(code, call, Group<Real>{s, 1, call.layout}, block,
                 taint_if_no_rotation<Real>(model, Row<Real>{inputs}, bad_inputs));
  }
}

}  // namespace rbd_parallel_core::compiled
