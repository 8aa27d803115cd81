// SPDX-License-Identifier: Apache-2.0
#include "flops.hpp"

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "batch_kernels.hpp"
#include "calls.hpp"

namespace rbd_bench {
namespace {

std::uint64_t operations = 0;

// A double that counts what is done with it.
struct Counted {
  double x;

  Counted() = default;
  explicit Counted(double value) : x(value) {}
};

Counted counted(double value, std::uint64_t count = 1) {
  operations += count;
  return Counted(value);
}

Counted operator+(const Counted& a, const Counted& b) { return counted(a.x + b.x); }
Counted operator-(const Counted& a, const Counted& b) { return counted(a.x - b.x); }
Counted operator*(const Counted& a, const Counted& b) { return counted(a.x * b.x); }
Counted operator/(const Counted& a, const Counted& b) { return counted(a.x / b.x); }
Counted operator-(const Counted& a) { return Counted(-a.x); }

}  // namespace
}  // namespace rbd_bench

template <>
struct rbd_parallel_core::ScalarTraits<rbd_bench::Counted> {
  using S = rbd_bench::Counted;
  using Real = double;
  using Mask = bool;
  static constexpr std::size_t width = 1;

  static S load(const Real* at) { return S(*at); }
  static void store(Real* at, const S& x) { *at = x.x; }
  static S mul_add(const S& a, const S& b, const S& c) {
    return rbd_bench::counted(a.x * b.x + c.x, 2);
  }
  static S neg_mul_add(const S& a, const S& b, const S& c) { return mul_add(-a, b, c); }
  static S sqrt(const S& x) { return rbd_bench::counted(std::sqrt(x.x)); }
  static S abs(const S& x) { return S(std::abs(x.x)); }
  static S max(const S& a, const S& b) { return a.x < b.x ? b : a; }
  static void sincos(const S& x, S& sine, S& cosine) { reduced_sincos(x, sine, cosine); }
  static Mask less(const S& a, const S& b) { return a.x < b.x; }
  static Mask less_equal(const S& a, const S& b) { return a.x <= b.x; }
  static S select(Mask mask, const S& a, const S& b) { return mask ? a : b; }
  static bool all(Mask mask) { return mask; }
};

namespace rbd_bench {

double count_flops(Operation operation, const rbd_parallel_core::Model& model) {
  namespace core = rbd_parallel_core;
  constexpr core::KernelTable<double> kTable = core::kernel_table<Counted>();
  const auto nv = static_cast<std::size_t>(model.nv());
  AlignedVector<std::byte> memory(kTable.bytes(model.view(), true));
  const core::KernelContext<double> context{model.view(), false, true, {}, memory.data()};
  const std::vector<double> q = model.neutral(), rates(nv, 0.5);
  std::vector<double> out(result_size(operation, nv));

  kTable.prepare(context);
  operations = 0;
  with_arguments<double>(operation, {1, q, rates, rates, rates}, std::span(out),
                         [&](auto tag, const auto& args) {
                           kTable.kernel[static_cast<std::size_t>(tag())](context, &args, {0, 1});
                         });
  return static_cast<double>(operations);
}

}  // namespace rbd_bench
