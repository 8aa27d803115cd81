// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set, as the kernels of the library are.
#include "peak_kernel.hpp"
#include "pack.hpp"

namespace rbd_bench {
namespace {

// So many that the processor need never wait for a result, and that they stay in registers.
constexpr std::size_t kChains = 12;

// Fused multiply-adds of the packs that the kernels are made of, and nothing else.
template <class Real>
double fused_multiply_adds(std::size_t rounds) {
  using S = rbd_parallel_core::Pack<Real>;
  using T = rbd_parallel_core::ScalarTraits<S>;
  const S factor(Real(0.5)), term(Real(1));
  S chains[kChains];
  for (std::size_t i = 0; i < kChains; ++i) chains[i] = S(static_cast<Real>(i));
  for (std::size_t k = 0; k < rounds; ++k) {
    for (std::size_t i = 0; i < kChains; ++i) chains[i] = T::mul_add(chains[i], factor, term);
  }
  S sum = chains[0];
  for (std::size_t i = 1; i < kChains; ++i) sum = sum + chains[i];
  Real lanes[S::width];
  T::store(lanes, sum);
  return static_cast<double>(lanes[0]);
}

template <class Real>
constexpr PeakKernel peak_kernel() {
  constexpr std::size_t kFlops = 2;  // A multiplication and an addition.
  return {fused_multiply_adds<Real>,
          static_cast<double>(kFlops * kChains * rbd_parallel_core::Pack<Real>::width)};
}

}  // namespace

namespace RBD_ISA {

extern const PeakKernel peak_of_double = peak_kernel<double>();
extern const PeakKernel peak_of_float = peak_kernel<float>();

}  // namespace RBD_ISA
}  // namespace rbd_bench
