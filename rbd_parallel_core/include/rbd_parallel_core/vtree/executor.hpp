// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>

#include "rbd_parallel_core/spatial/scalar.hpp"

/// Marks the lambdas that a data-parallel text hands to an executor, after their capture. They
/// capture copies, so that they can be sent to a device.
#if defined(__CUDACC__)
#define RBD_LAMBDA __device__
#else
#define RBD_LAMBDA
#endif

/// Marks a text that runs on the host and hands out such lambdas; local to its file as RBD_KERNEL.
#define RBD_DRIVER static

/// What runs a data-parallel text. The texts in vtree/ and the scan forms in algorithm/ know four
/// words only: map, exclusive scan, scatter and gather. They contain no other loop over nodes and
/// keep no memory, so that a GPU can stand behind the same words.
namespace rbd_parallel_core {

/// The words:
///   map(n, f, work)   f(i) for 0 <= i < n, in any order, many at a time. `work`: how much one f is
///                     worth, 1 being some tens of multiplications. Calls must not disturb each
///                     other.
///   exclusive_scan(data, n, op, neutral, scratch)
///                     data[k] <- data[0] op ... op data[k-1], data[0] <- neutral. op must be
///                     associative and may be non-commutative; its first argument is the earlier.
///   scan_scratch(n)   how many elements `scratch` must have for that. Calls allocate nothing.
///   mapped_sums       whether sums of vectors shall run as one scalar scan for each of their
///                     numbers (see Steps in tree_scan.hpp)
template <class E>
concept Executor = requires(const E& e, std::int32_t n, int* data, void (*f)(std::int32_t),
                            std::plus<int> op) {
  e.map(n, f, 1);
  e.exclusive_scan(data, n, op, 0, data);
  { e.scan_scratch(n) } -> std::same_as<std::int32_t>;
  { E::mapped_sums } -> std::convertible_to<bool>;
};

/// store(to[i], value(i)) for 0 <= i < n: no two i may share a place.
template <Executor Exec, class Value, class Store>
void scatter(const Exec& executor, std::int32_t n, const std::int32_t* to, const Value& value,
             const Store& store) {
  executor.map(
      n, [=] RBD_LAMBDA(std::int32_t i) { store(to[i], value(i)); }, 1);
}

/// use(i, load(from[i])) for 0 <= i < n.
template <Executor Exec, class Load, class Use>
void gather(const Exec& executor, std::int32_t n, const std::int32_t* from, const Load& load,
            const Use& use) {
  executor.map(
      n, [=] RBD_LAMBDA(std::int32_t i) { use(i, load(from[i])); }, 1);
}

/// data[first], ..., data[last - 1] become their running combination after `carry`, exclusively.
/// Returns the combination of all of it. The one sequential scan that every executor ends in.
template <class T, class Op>
RBD_INLINE T scan_range(T* data, std::int32_t first, std::int32_t last, const Op& op, T carry) {
  for (std::int32_t k = first; k < last; ++k) {
    const T next = op(carry, data[k]);
    data[k] = carry;
    carry = next;
  }
  return carry;
}

/// One after the other.
struct SequentialExecutor {
  static constexpr bool mapped_sums = false;

  template <class F>
  void map(std::int32_t n, const F& f, int = 1) const {
    for (std::int32_t i = 0; i < n; ++i) f(i);
  }
  template <class T, class Op>
  void exclusive_scan(T* data, std::int32_t n, const Op& op, const T& neutral, T*) const {
    scan_range(data, 0, n, op, neutral);
  }
  std::int32_t scan_scratch(std::int32_t) const { return 0; }
};

/// A loop in the calling thread, to build executors with. ThreadedLoop (threaded_loop.hpp) is the
/// other one. A loop calls f(k) for 0 <= k < count; what a call for one k does is not cut further.
struct SerialLoop {
  template <class F>
  void operator()(std::int32_t count, const F& f) const {
    for (std::int32_t k = 0; k < count; ++k) f(k);
  }
};

/// n items in pieces of `length`, the last one shorter.
RBD_INLINE constexpr std::int32_t pieces(std::int32_t n, std::int32_t length) {
  return n / length + (n % length != 0 ? 1 : 0);
}

/// Calls f(i) for 0 <= i < n, in pieces that are worth handing out. How they are cut depends on n
/// and work alone.
template <class Loop, class F>
void map_in_pieces(const Loop& loop, std::int32_t n, const F& f, int work) {
  constexpr std::int32_t worth_it = 256;
  const std::int32_t length = std::max(worth_it / std::max(work, 1), 1);
  loop(pieces(n, length), [&](std::int32_t piece) {
    const std::int32_t first = piece * length, last = first + std::min(length, n - first);
    for (std::int32_t i = first; i < last; ++i) f(i);
  });
}

/// The two-pass scan of a CPU: the total of every block, the scan of the totals, then every block
/// with what came before it. 2 n combinations. Blocks are cut by n alone, so the bits of a result
/// do not depend on how many threads a loop has.
template <class Loop>
class BlockedExecutor {
 public:
  static constexpr bool mapped_sums = false;

  /// block: steps in a block; 0 chooses it by n.
  explicit BlockedExecutor(const Loop& loop = {}, std::int32_t block = 0)
      : loop_(loop), block_(block) {}

  template <class F>
  void map(std::int32_t n, const F& f, int work = 1) const {
    map_in_pieces(loop_, n, f, work);
  }

  template <class T, class Op>
  void exclusive_scan(T* data, std::int32_t n, const Op& op, const T& neutral, T* totals) const {
    const std::int32_t length = block_length(n), count = pieces(n, length);
    const auto end = [&](std::int32_t b) { return b * length + std::min(length, n - b * length); };
    loop_(count - 1, [&](std::int32_t b) {  // nobody asks for the total of the last block
      T total = data[b * length];
      for (std::int32_t k = b * length + 1; k < end(b); ++k) total = op(total, data[k]);
      totals[b] = total;
    });
    if (count > 0) totals[count - 1] = scan_range(totals, 0, count - 1, op, neutral);
    loop_(count, [&](std::int32_t b) { scan_range(data, b * length, end(b), op, totals[b]); });
  }
  std::int32_t scan_scratch(std::int32_t n) const { return pieces(n, block_length(n)); }

 private:
  /// At most 64 blocks, so that several threads share them evenly and the scan of the totals is
  /// nothing; none so short that handing it out costs more than its work.
  std::int32_t block_length(std::int32_t n) const {
    return block_ > 0 ? block_ : std::max(pieces(n, 64), 512);
  }

  Loop loop_;
  std::int32_t block_;
};

/// Blelloch's work-efficient scan (Prefix Sums and Their Applications, 1990): totals up a binary
/// tree, prefixes down it, 2 log n rounds. What a machine with many threads wants; on a few cores
/// every round is one more walk through memory.
template <class Loop>
class BlellochExecutor {
 public:
  static constexpr bool mapped_sums = false;

  explicit BlellochExecutor(const Loop& loop = {}) : loop_(loop) {}

  template <class F>
  void map(std::int32_t n, const F& f, int work = 1) const {
    map_in_pieces(loop_, n, f, work);
  }

  template <class T, class Op>
  void exclusive_scan(T* data, std::int32_t n, const Op& op, const T& neutral, T* padded) const {
    const std::int32_t leaves = scan_scratch(n);
    if (leaves == 0) return;
    map(leaves, [&](std::int32_t k) { padded[k] = k < n ? data[k] : neutral; });
    // Node k of the round with this `stride` spans `2 stride` leaves; its total is kept at the last
    // leaf, the total of its left half `stride` before.
    for (std::int32_t stride = 1; stride < leaves; stride *= 2) {
      map(leaves / (2 * stride), [&](std::int32_t k) {
        T& right = padded[(2 * k + 2) * stride - 1];
        right = op(padded[(2 * k + 1) * stride - 1], right);
      });
    }
    padded[leaves - 1] = neutral;
    for (std::int32_t stride = leaves / 2; stride >= 1; stride /= 2) {
      map(leaves / (2 * stride), [&](std::int32_t k) {
        T& left = padded[(2 * k + 1) * stride - 1];
        T& right = padded[(2 * k + 2) * stride - 1];  // holds what comes before the node
        const T before_right = op(right, left);
        left = right;
        right = before_right;
      });
    }
    map(n, [&](std::int32_t k) { data[k] = padded[k]; });
  }
  /// n rounded up to a power of two.
  std::int32_t scan_scratch(std::int32_t n) const {
    std::int32_t leaves = n > 0 ? 1 : 0;
    while (leaves < n) leaves *= 2;
    return leaves;
  }

 private:
  Loop loop_;
};

/// The same executor, asked to sum vectors number by number ("mapped"): D independent scalar scans
/// over contiguous numbers in place of one scan over structs. Adds the same numbers in the same
/// order, so every bit stays.
template <class Base>
class MappedSums : public Base {
 public:
  static constexpr bool mapped_sums = true;
  explicit MappedSums(const Base& base) : Base(base) {}
};

}  // namespace rbd_parallel_core
