// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/launch.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

namespace rbd_parallel_core {

/// f(i) for 0 <= i < n, a thread each.
template <class F>
struct MapBody {
  static constexpr int phases = 1;
  std::int32_t n;
  F f;

  LaunchShape shape() const { return one_thread_each(n, largest_block); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    if (at.global() < n) f(static_cast<std::int32_t>(at.global()));
  }
};

/// The total of every piece of `length` elements, a thread each.
template <class T, class Op>
struct TotalsBody {
  static constexpr int phases = 1;
  const T* data;
  std::int32_t n, length;
  Op op;
  T* totals;  ///< out: pieces(n, length)

  LaunchShape shape() const { return one_thread_each(pieces(n, length), 64); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    if (at.global() >= pieces(n, length)) return;
    const auto piece = static_cast<std::int32_t>(at.global());
    const std::int32_t first = piece * length;
    const std::int32_t last = n - first < length ? n : first + length;
    T total = data[first];
    for (std::int32_t k = first + 1; k < last; ++k) total = op(total, data[k]);
    totals[piece] = total;
  }
};

/// Every piece becomes its exclusive scan after what came before it, a thread each.
template <class T, class Op>
struct ScanPiecesBody {
  static constexpr int phases = 1;
  T* data;
  std::int32_t n, length;
  Op op;
  T neutral;
  const T* before;  ///< for each piece, or null: it is the only one

  LaunchShape shape() const { return one_thread_each(pieces(n, length), 64); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    if (at.global() >= pieces(n, length)) return;
    const auto piece = static_cast<std::int32_t>(at.global());
    const std::int32_t first = piece * length;
    const std::int32_t last = n - first < length ? n : first + length;
    scan_range(data, first, last, op, before == nullptr ? neutral : before[piece]);
  }
};

/// An Executor (executor.hpp) whose maps and scans are launches. All pointers that the text hands
/// out are the device's. Launcher: launch(body), which knows the entry of every body, and
/// scan(data, n, op, neutral, scratch), which has a library do it or returns false.
///
/// A scan of our own cuts its data into pieces of 64, scans their totals the same way, and then the
/// pieces. The order of the operations depends on n alone, so the bits of a result do not change
/// from run to run; 10^5 elements are five launches.
template <class Launcher>
class GpuExecutor {
 public:
  static constexpr bool mapped_sums = false;
  static constexpr std::int32_t piece = 64;

  explicit GpuExecutor(const Launcher& launcher) : launcher_(&launcher) {}

  template <class F>
  void map(std::int32_t n, const F& f, int = 1) const {
    if (n > 0) launcher_->launch(MapBody<F>{n, f});
  }

  template <class T, class Op>
  void exclusive_scan(T* data, std::int32_t n, const Op& op, const T& neutral, T* scratch) const {
    if (launcher_->scan(data, n, op, neutral, scratch)) return;
    const std::int32_t count = pieces(n, piece);
    if (count > 1) {
      launcher_->launch(TotalsBody<T, Op>{data, n, piece, op, scratch});
      exclusive_scan(scratch, count, op, neutral, scratch + count);
    }
    if (count > 0) {
      launcher_->launch(
          ScanPiecesBody<T, Op>{data, n, piece, op, neutral, count > 1 ? scratch : nullptr});
    }
  }

  /// Of our own.
  std::int32_t scan_scratch(std::int32_t n) const {
    const std::int32_t count = pieces(n, piece);
    return count > 1 ? count + scan_scratch(count) : 0;
  }

 private:
  const Launcher* launcher_;
};

}  // namespace rbd_parallel_core
