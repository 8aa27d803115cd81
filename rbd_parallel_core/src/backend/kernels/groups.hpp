// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "rbd_parallel_core/algorithm/access.hpp"
#include "rbd_parallel_core/operation.hpp"

/// Between the arrays of a batch, one state contiguous, and the Scalars of a kernel, one lane a
/// state.
namespace rbd_parallel_core {

/// `count` rows of n numbers each, one every `stride` numbers, of which `readable` exist from the
/// first on.
template <class Real>
struct Rows {
  Real* data;
  std::size_t stride, n, count;
  std::size_t readable;     ///< numbers from `data` to the end of the array
  bool past_cache = false;  ///< rows that are written are too many to stay in a cache
};

/// Calls visit(k, numbers) for blocks of as many numbers as a register has lanes, from number k of
/// each row on: lane l of numbers[j] is number k + j of row(l). Blocks cover the first n numbers;
/// the last one overlaps the one before where n is no multiple of the width. n >= width.
template <class S, class Row, class Visit>
RBD_INLINE void for_each_transposed_block(const Row& row, std::size_t n, const Visit& visit) {
  constexpr std::size_t width = ScalarTraits<S>::width;
  const auto block = [&](std::size_t k) RBD_INLINE_LAMBDA {
    S numbers[width];
    load_transposed([&](std::size_t l) RBD_INLINE_LAMBDA { return row(l) + k; }, numbers);
    visit(k, numbers);
  };
  std::size_t k = 0;
  for (; k + width <= n; k += width) block(k);
  if (k != n) block(n - width);
}

/// Number k of row l to lane l of the k-th Scalar in `lanes`. Rows beyond the last repeat it: a
/// lane without a state computes what its neighbour does. visit(numbers, used) sees what is stored,
/// a register full of numbers of each row at a time, of which the first `used` belong to the rows.
template <class S, class Real, class Visit>
RBD_INLINE void gather(const Rows<const Real>& rows, Real* lanes, const Visit& visit) {
  using T = ScalarTraits<S>;
  constexpr std::size_t width = T::width;
  // By value: a store to `lanes` might change `rows`, for all that the compiler knows.
  const Real* const data = rows.data;
  const std::size_t stride = rows.stride, n = rows.n, count = rows.count;
  const auto store = [&](std::size_t k, const S(&numbers)[width]) RBD_INLINE_LAMBDA {
    for (std::size_t j = 0; j < width; ++j) T::store(lanes + (k + j) * width, numbers[j]);
    visit(numbers, width);
  };
  if (count == width && n >= width) [[likely]] {
    for_each_transposed_block<S>([&](std::size_t l) RBD_INLINE_LAMBDA { return data + l * stride; },
                                 n, store);
    return;
  }
  const auto row = [&](std::size_t l)
                       RBD_INLINE_LAMBDA { return data + (l < count ? l : count - 1) * stride; };
  if (n >= width) {
    for_each_transposed_block<S>(row, n, store);
    return;
  }
  S numbers[width];
  // Shorter than a register: what is read beyond a row is the next row, unless there is none.
  if (row(width - 1) + width <= data + rows.readable) {
    load_transposed(row, numbers);
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      Real number[width];
      for (std::size_t l = 0; l < width; ++l) number[l] = row(l)[k];
      numbers[k] = T::load(number);
    }
  }
  for (std::size_t k = 0; k < n; ++k) T::store(lanes + k * width, numbers[k]);
  visit(numbers, n);
}

template <class S, class Real>
RBD_KERNEL void gather(const Rows<const Real>& rows, Real* lanes) {
  gather<S>(rows, lanes, [](const auto&, std::size_t) RBD_INLINE_LAMBDA {});
}

/// The reverse of gather. Nothing but the rows is written, and lanes beyond the last row go
/// nowhere.
template <class S, class Real>
RBD_KERNEL void scatter(const Real* lanes, const Rows<Real>& rows) {
  using T = ScalarTraits<S>;
  constexpr std::size_t width = T::width;
  Real* const data = rows.data;
  const std::size_t stride = rows.stride, n = rows.n, count = rows.count;
  if (count < width || n < width) {
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t k = 0; k < n; ++k) data[l * stride + k] = lanes[k * width + l];
    }
    return;
  }
  const auto block = [&](std::size_t k) RBD_INLINE_LAMBDA {
    S numbers[width];
    load_transposed([&](std::size_t j) RBD_INLINE_LAMBDA { return lanes + (k + j) * width; },
                    numbers);
    for (std::size_t l = 0; l < width; ++l) T::store(data + l * stride + k, numbers[l]);
  };
  std::size_t k = 0;
  for (; k + width <= n; k += width) block(k);
  if (k != n) block(n - width);
}

/// Results of more bytes than this do not stay in the caches that a core has for itself: they are
/// better written past them.
inline constexpr std::size_t largest_cached_result = std::size_t{32} << 20;

/// As `scatter`, for numbers that lie anywhere: entry(k) is the place of number k. zeros[k] says
/// that those from k on are zero whatever the state is, as many as a register has lanes. In the
/// order of memory, and in pieces that do not straddle cache lines, since that is most of the work.
template <class S, class Real, class Entry>
RBD_INLINE void scatter_blocks(const Entry& entry, const std::uint8_t* zeros,
                               const Rows<Real>& rows) {
  using T = ScalarTraits<S>;
  constexpr std::size_t width = T::width;
  const std::size_t n = rows.n, stride = rows.stride;
  Real* const out = rows.data;
  if (rows.count < width || n < width) {
    for (std::size_t l = 0; l < rows.count; ++l) {
      for (std::size_t e = 0; e < n; ++e) out[l * stride + e] = entry(e)[l];
    }
    return;
  }
  const auto transposed = [&](std::size_t first, S(&numbers)[width]) RBD_INLINE_LAMBDA {
    if (zeros[first] != 0) {
      for (std::size_t l = 0; l < width; ++l) numbers[l] = S(Real(0));
    } else {
      load_transposed([&](std::size_t k) RBD_INLINE_LAMBDA { return entry(first + k); }, numbers);
    }
  };
  const auto block = [&](std::size_t first) RBD_INLINE_LAMBDA {
    S numbers[width];
    transposed(first, numbers);
    for (std::size_t l = 0; l < width; ++l) T::store(out + l * stride + first, numbers[l]);
  };
  // As many registers as a cache line has, so that each line is written at once.
  constexpr std::size_t line = 64, pieces = line / sizeof(S), length = line / sizeof(Real);
  const auto whole_lines = [&](std::size_t first, bool past_cache) RBD_INLINE_LAMBDA {
    S numbers[pieces][width];
    for (std::size_t k = 0; k < pieces; ++k) transposed(first + k * width, numbers[k]);
    for (std::size_t l = 0; l < width; ++l) {
      for (std::size_t k = 0; k < pieces; ++k) {
        Real* const at = out + l * stride + first + k * width;
        if (past_cache) {
          T::store_past_cache(at, numbers[k][l]);
        } else {
          T::store(at, numbers[k][l]);
        }
      }
    }
  };
  const std::size_t bytes = reinterpret_cast<std::uintptr_t>(out) % line;
  const std::size_t begin = bytes == 0 ? 0 : (line - bytes) / sizeof(Real);
  std::size_t first = begin % width;
  if (first != 0) block(0);
  for (; first + width <= n && first < begin; first += width) block(first);
  if (rows.past_cache && stride % width == 0 && bytes % sizeof(Real) == 0) {
    for (; first + length <= n; first += length) whole_lines(first, true);
  } else {
    for (; first + length <= n; first += length) whole_lines(first, false);
  }
  for (; first + width <= n; first += width) block(first);
  if (first != n) block(n - width);
}

template <class S, class Real>
RBD_KERNEL void scatter_with_zeros(const Real* lanes, const std::uint8_t* zeros,
                                   const Rows<Real>& rows) {
  scatter_blocks<S>([&](std::size_t e)
                        RBD_INLINE_LAMBDA { return lanes + e * ScalarTraits<S>::width; },
                    zeros, rows);
}

/// Where the entries of a symmetric matrix of n x n are found in its lower triangle, and which are
/// zero whatever the state is.
struct SymmetricSources {
  std::uint32_t* scalar;  ///< n x n, row after row: the number of the entry's Scalar
  std::uint8_t* zeros;    ///< n x n: all entries of a block that begins here are zero
};

/// A symmetric matrix of which `lanes` has the lower triangle.
template <class S, class Real>
RBD_KERNEL void scatter_symmetric(const Real* lanes, SymmetricSources sources,
                                  const Rows<Real>& rows) {
  scatter_blocks<S>(
      [&](std::size_t e) RBD_INLINE_LAMBDA {
        return lanes + std::size_t{sources.scalar[e]} * ScalarTraits<S>::width;
      },
      sources.zeros, rows);
}

/// As many states of a batch as the Scalar has lanes, from state `first` on, of which `count`
/// exist. Hands out readers and writers of their rows: straight into the arrays where these hold
/// what the Scalar needs, otherwise by way of a buffer.
template <class S>
struct Group {
  using Real = RealOf<S>;
  static constexpr std::size_t width = ScalarTraits<S>::width;

  std::size_t first, count;
  Layout layout;

  RBD_INLINE bool direct() const { return width == 1 || layout == Layout::lanes; }

  /// n numbers a state. `buffer`: room for n Scalars, and for as many as a register has lanes.
  RBD_INLINE Row<S> read(std::span<const Real> array, std::size_t n, Real* buffer) const {
    return read(array, n, 0, n, buffer);
  }
  /// The same for those from `begin` on, `length` of them.
  RBD_INLINE Row<S> read(std::span<const Real> array, std::size_t n, std::size_t begin,
                         std::size_t length, Real* buffer) const {
    const Real* data = array.data() + first * n;
    if (direct()) return {data + begin * width};
    if constexpr (width > 1) {
      gather<S>(Rows<const Real>{data + begin, n, length, count, array.size() - first * n - begin},
                buffer);
    }
    return {buffer};
  }
  /// Where n numbers a state are read.
  RBD_INLINE Rows<const Real> rows_of(std::span<const Real> array, std::size_t n) const {
    return {array.data() + first * n, n, n, count, array.size() - first * n};
  }

  /// Where n results a state go, until `write` brings them there.
  RBD_INLINE OutRow<S> out(std::span<Real> array, std::size_t n, Real* buffer) const {
    return out(array, n, 0, buffer);
  }
  RBD_INLINE OutRow<S> out(std::span<Real> array, std::size_t n, std::size_t begin,
                           Real* buffer) const {
    return {direct() ? array.data() + first * n + begin * width : buffer};
  }
  RBD_INLINE void write(std::span<Real> array, std::size_t n, const Real* buffer) const {
    write(array, n, 0, n, buffer);
  }
  RBD_INLINE void write(std::span<Real> array, std::size_t n, std::size_t begin, std::size_t length,
                        const Real* buffer) const {
    if constexpr (width > 1) {
      if (direct()) return;
      scatter<S>(buffer, Rows<Real>{array.data() + first * n + begin, n, length, count, 0});
    }
  }
  /// Where n results a state are written.
  RBD_INLINE Rows<Real> rows_of(std::span<Real> array, std::size_t n) const {
    return {array.data() + first * n, n, n, count, 0, array.size_bytes() > largest_cached_result};
  }
  /// n numbers with blocks of zeros, see scatter_with_zeros.
  RBD_INLINE void write_with_zeros(std::span<Real> array, std::size_t n, const Real* buffer,
                                   const std::uint8_t* zeros) const {
    if constexpr (width > 1) {
      if (direct()) return;
      scatter_with_zeros<S>(buffer, zeros, rows_of(array, n));
    }
  }
  /// A symmetric matrix of n x n, from its lower triangle in `buffer`.
  RBD_INLINE void write_symmetric(std::span<Real> array, std::size_t n, const Real* buffer,
                                  const SymmetricSources& sources) const {
    if constexpr (width > 1) {
      scatter_symmetric<S>(buffer, sources, rows_of(array, n * n));
    }
  }

  /// Where `good` does not hold, the n results in `array` become NaN, so that no wrong number is
  /// taken for a right one.
  RBD_INLINE void spoil_unless(const typename ScalarTraits<S>::Mask& good, std::span<Real> array,
                               std::size_t n) const {
    using T = ScalarTraits<S>;
    if (array.empty() || T::all(good)) [[likely]]
      return;
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    Real mark[width];  // NaN where not good
    T::store(mark, T::select(good, S(Real(0)), S(nan)));
    const std::size_t lane_step = direct() ? 1 : n, number_step = direct() ? width : 1;
    for (std::size_t l = 0; l < count; ++l) {
      if (mark[l] == mark[l]) continue;
      Real* numbers = array.data() + first * n + l * lane_step;
      for (std::size_t k = 0; k < n; ++k) numbers[k * number_step] = nan;
    }
  }
};

}  // namespace rbd_parallel_core
