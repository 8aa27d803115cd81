// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

namespace rbd_parallel_ros {

/// Hands objects from one thread to another that must neither wait nor free memory: the giver makes
/// the new one and frees the old one, the taker only swaps pointers. One giver, one taker.
template <class T>
class HandOver {
 public:
  HandOver() = default;
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { collect(); }

  /// Giver: replaces what was offered before and not taken, and frees what the taker has put back.
  void offer(std::unique_ptr<T> object) {
    collect();
    offered_.store(object.release(), std::memory_order_release);
  }

  /// Taker: swaps `current` for what is offered, if anything is. Neither waits nor frees.
  bool take(std::unique_ptr<T>& current) noexcept {
    T* const object = offered_.exchange(nullptr, std::memory_order_acq_rel);
    if (object == nullptr) return false;
    // The place is empty: `offer` empties it after withdrawing what was offered.
    returned_.store(current.release(), std::memory_order_release);
    current.reset(object);
    return true;
  }

 private:
  void collect() {
    delete offered_.exchange(nullptr, std::memory_order_acq_rel);
    delete returned_.exchange(nullptr, std::memory_order_acq_rel);
  }

  std::atomic<T*> offered_{nullptr};
  std::atomic<T*> returned_{nullptr};
};

}  // namespace rbd_parallel_ros
