// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Sine and cosine as the kernels compute them, through packs of each instruction set. n numbers,
/// a multiple of 16.
#define RBD_DECLARE_PACK_SINCOS(set)                                                      \
  namespace rbd_parallel_core::set {                                                      \
  void pack_sincos(const double* x, double* sine, double* cosine, std::size_t n);         \
  void pack_sincos(const float* x, float* sine, float* cosine, std::size_t n);            \
  void pack_reduced_sincos(const double* x, double* sine, double* cosine, std::size_t n); \
  void pack_reduced_sincos(const float* x, float* sine, float* cosine, std::size_t n);    \
  }
RBD_DECLARE_PACK_SINCOS(baseline)
RBD_DECLARE_PACK_SINCOS(avx2)
RBD_DECLARE_PACK_SINCOS(avx512)
#undef RBD_DECLARE_PACK_SINCOS
