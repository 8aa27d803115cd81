// SPDX-License-Identifier: Apache-2.0
#include "peak.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/cpu_clock.hpp"
#include "peak_kernel.hpp"

namespace rbd_bench {

#define RBD_DECLARE_PEAK(set)             \
  namespace set {                         \
  extern const PeakKernel peak_of_double; \
  extern const PeakKernel peak_of_float;  \
  }
RBD_DECLARE_PEAK(baseline)
RBD_DECLARE_PEAK(avx2)
RBD_DECLARE_PEAK(avx512)
#undef RBD_DECLARE_PEAK

namespace {

using rbd_parallel_core::InstructionSet;

const PeakKernel& kernel_for(InstructionSet set, bool in_float) {
  switch (set) {
    case InstructionSet::baseline:
      return in_float ? baseline::peak_of_float : baseline::peak_of_double;
#ifdef RBD_HAS_AVX2
    case InstructionSet::avx2:
      return in_float ? avx2::peak_of_float : avx2::peak_of_double;
#endif
#ifdef RBD_HAS_AVX512
    case InstructionSet::avx512:
      return in_float ? avx512::peak_of_float : avx512::peak_of_double;
#endif
    default:
      throw std::invalid_argument("no peak is measured for " + name_of(set));
  }
}

}  // namespace

double measure_peak(InstructionSet set, bool in_float) {
  constexpr int kTries = 50;
  constexpr std::size_t kRounds = 100'000;
  const PeakKernel& kernel = kernel_for(set, in_float);
  double best = 0.0;
  volatile double kept = 0.0;
  for (int i = 0; i < kTries; ++i) {
    const double start = cpu_nanoseconds();
    kept = kernel.run(kRounds);
    const double elapsed = cpu_nanoseconds() - start;
    best = std::max(best, kernel.flops_per_round * static_cast<double>(kRounds) / elapsed);
  }
  static_cast<void>(kept);
  return best;
}

}  // namespace rbd_bench
