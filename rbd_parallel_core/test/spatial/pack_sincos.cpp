// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "pack_sincos.hpp"

#include <cmath>

#include "pack.hpp"

namespace rbd_parallel_core::RBD_ISA {
namespace {

template <class T, class Compute>
RBD_INLINE void for_each_pack(const T* x, T* sine, T* cosine, std::size_t n,
                              const Compute& compute) {
  using S = Pack<T>;
  using Traits = ScalarTraits<S>;
  for (std::size_t k = 0; k < n; k += Traits::width) {
    S s, c;
    compute(Traits::load(x + k), s, c);
    Traits::store(sine + k, s);
    Traits::store(cosine + k, c);
  }
}

}  // namespace

#define RBD_DEFINE_PACK_SINCOS(T)                                                             \
  void pack_sincos(const T* x, T* sine, T* cosine, std::size_t n) {                           \
    for_each_pack(x, sine, cosine, n, [](const auto& a, auto& s, auto& c) RBD_INLINE_LAMBDA { \
      ScalarTraits<Pack<T>>::sincos(a, s, c);                                                 \
    });                                                                                       \
  }                                                                                           \
  void pack_reduced_sincos(const T* x, T* sine, T* cosine, std::size_t n) {                   \
    for_each_pack(x, sine, cosine, n, [](const auto& a, auto& s, auto& c) RBD_INLINE_LAMBDA { \
      reduced_sincos(a, s, c);                                                                \
    });                                                                                       \
  }
RBD_DEFINE_PACK_SINCOS(double)
RBD_DEFINE_PACK_SINCOS(float)
#undef RBD_DEFINE_PACK_SINCOS

}  // namespace rbd_parallel_core::RBD_ISA
