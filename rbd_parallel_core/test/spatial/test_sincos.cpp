// SPDX-License-Identifier: Apache-2.0
//
// The sine and cosine of the kernels against those of long double: absolute error <= 5e-16 in
// double and 1.5e-7 in float, for one number and through the packs of every instruction set that
// the machine has.

#include "rbd_parallel_core/spatial/sincos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pack_sincos.hpp"
#include "rbd_parallel_core/instruction_set.hpp"

namespace rbd_parallel_core {
namespace {

template <class T>
constexpr long double largest_error = sizeof(T) == 4 ? 1.5e-7L : 5e-16L;

template <class T>
using Sincos = void (*)(const T*, T*, T*, std::size_t);

template <class T>
void one_by_one(const T* x, T* sine, T* cosine, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) reduced_sincos(x[k], sine[k], cosine[k]);
}

template <class T>
struct Way {
  std::string name;
  Sincos<T> compute;
};

/// Good up to the limit of the reduction.
template <class T>
std::vector<Way<T>> reduced_ways() {
  std::vector<Way<T>> ways{{"one by one", one_by_one<T>}};
  for (const InstructionSet set : available_instruction_sets()) {
    Sincos<T> compute = baseline::pack_reduced_sincos;
#ifdef RBD_HAS_AVX2
    if (set == InstructionSet::avx2) compute = avx2::pack_reduced_sincos;
#endif
#ifdef RBD_HAS_AVX512
    if (set == InstructionSet::avx512) compute = avx512::pack_reduced_sincos;
#endif
    ways.push_back({name_of(set), compute});
  }
  return ways;
}

/// Good for every number.
template <class T>
std::vector<Way<T>> whole_ways() {
  std::vector<Way<T>> ways;
  for (const InstructionSet set : available_instruction_sets()) {
    Sincos<T> compute = baseline::pack_sincos;
#ifdef RBD_HAS_AVX2
    if (set == InstructionSet::avx2) compute = avx2::pack_sincos;
#endif
#ifdef RBD_HAS_AVX512
    if (set == InstructionSet::avx512) compute = avx512::pack_sincos;
#endif
    ways.push_back({name_of(set), compute});
  }
  return ways;
}

/// Both signs of each; filled up to a multiple of 16.
template <class T>
std::vector<T> both_signs(std::vector<T> x) {
  const std::size_t n = x.size();
  for (std::size_t k = 0; k < n; ++k) x.push_back(-x[k]);
  x.resize((x.size() + 15) / 16 * 16, T(0.5));
  return x;
}

template <class T>
void expect_exact(const Way<T>& way, const std::vector<T>& x) {
  std::vector<T> sine(x.size()), cosine(x.size());
  way.compute(x.data(), sine.data(), cosine.data(), x.size());
  long double worst = 0;
  T where = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto exact = static_cast<long double>(x[k]);
    const long double error =
        std::max(std::abs(sine[k] - std::sin(exact)), std::abs(cosine[k] - std::cos(exact)));
    if (!(error <= worst)) {
      worst = error;
      where = x[k];
    }
  }
  EXPECT_LE(worst, largest_error<T>) << way.name << " at " << where;
}

template <class T>
std::vector<T> random_angles(T largest, std::size_t n) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<T> uniform(0, largest);
  std::vector<T> x(n);
  for (T& number : x) number = uniform(random);
  return x;
}

/// The numbers nearest to multiples of pi/4, where a quadrant begins or a function is zero.
template <class T>
std::vector<T> quadrant_borders() {
  constexpr long double eighth = 0.785398163397448309615660845819875721L;
  std::vector<T> x;
  const auto limit = static_cast<long double>(largest_reduced_angle<T>);
  for (long long k = 1; static_cast<long double>(k) * eighth < limit;
       k = k < 4000 ? k + 1 : k + 37) {
    const T border = static_cast<T>(static_cast<long double>(k) * eighth);
    x.push_back(border);
    x.push_back(std::nextafter(border, T(0)));
    x.push_back(std::min(std::nextafter(border, T(1e9)), largest_reduced_angle<T>));
  }
  return x;
}

template <class T>
std::vector<T> tiny_angles() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> x{0, Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min() / 2,
                   Limits::min()};
  for (T small = Limits::min(); small < 1; small *= T(1.7)) x.push_back(small);
  return x;
}

template <class T>
class SincosOf : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(SincosOf, Types);

TYPED_TEST(SincosOf, RandomAngles) {
  for (const TypeParam largest : {TypeParam(1), TypeParam(7), largest_reduced_angle<TypeParam>}) {
    const auto x = both_signs(random_angles<TypeParam>(largest, 100000));
    for (const auto& way : reduced_ways<TypeParam>()) expect_exact(way, x);
  }
}

TYPED_TEST(SincosOf, QuadrantBorders) {
  const auto x = both_signs(quadrant_borders<TypeParam>());
  for (const auto& way : reduced_ways<TypeParam>()) expect_exact(way, x);
}

TYPED_TEST(SincosOf, DenormalAndSmallAngles) {
  const auto x = both_signs(tiny_angles<TypeParam>());
  for (const auto& way : reduced_ways<TypeParam>()) {
    expect_exact(way, x);
    std::vector<TypeParam> sine(x.size()), cosine(x.size());
    way.compute(x.data(), sine.data(), cosine.data(), x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::abs(x[k]) < TypeParam(1e-8)) {
        EXPECT_EQ(sine[k], x[k]) << way.name;  // not flushed to zero
        EXPECT_EQ(cosine[k], 1) << way.name;
      }
    }
  }
}

TYPED_TEST(SincosOf, TheLimitOfTheReductionAndBeyond) {
  using T = TypeParam;
  const T limit = largest_reduced_angle<T>;
  std::vector<T> x{limit,
                   std::nextafter(limit, T(0)),
                   std::nextafter(limit, 2 * limit),
                   T(1.5) * limit,
                   T(1e6),
                   T(1e9),
                   T(1e18),
                   std::numeric_limits<T>::max()};
  for (const T large : random_angles<T>(T(1e6), 10000)) x.push_back(large);
  for (const auto& way : whole_ways<T>()) expect_exact(way, both_signs(x));
}

/// A lane that falls back to the library changes none of its neighbours, and NaN stays NaN.
TYPED_TEST(SincosOf, LanesAreIndependent) {
  using T = TypeParam;
  const std::vector<T> plain = both_signs(random_angles<T>(3, 8));
  for (const auto& way : whole_ways<T>()) {
    std::vector<T> expected_sine(16), expected_cosine(16);
    way.compute(plain.data(), expected_sine.data(), expected_cosine.data(), 16);
    for (const T odd :
         {T(1e6), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      for (std::size_t place = 0; place < 16; ++place) {
        std::vector<T> x = plain, sine(16), cosine(16);
        x[place] = odd;
        way.compute(x.data(), sine.data(), cosine.data(), 16);
        for (std::size_t k = 0; k < 16; ++k) {
          if (k == place) {
            EXPECT_EQ(std::isnan(sine[k]), !std::isfinite(odd)) << way.name;
          } else {
            EXPECT_EQ(sine[k], expected_sine[k]) << way.name;
            EXPECT_EQ(cosine[k], expected_cosine[k]) << way.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
