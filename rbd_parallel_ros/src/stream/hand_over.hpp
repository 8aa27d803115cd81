// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
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
  ~HandOver() { put(0); }

  /// Giver: replaces what was offered before and not taken, or frees what the taker has put back.
  void offer(std::unique_ptr<T> object) { put(address_of(object.release()) | offered); }

  /// Taker: swaps `current` for what is offered, if anything is. Neither waits nor frees. Where the
  /// giver comes in between, what it offers is there for the next time.
  bool take(std::unique_ptr<T>& current) noexcept {
    std::uintptr_t there = place_.load(std::memory_order_acquire);
    if ((there & offered) == 0) return false;
    if (!place_.compare_exchange_strong(there, address_of(current.get()),
                                        std::memory_order_acq_rel)) {
      return false;
    }
    static_cast<void>(current.release());  // now the giver's
    current.reset(object_at(there));
    return true;
  }

 private:
  /// Beside the address of an object: whether it is offered, or else put back.
  static constexpr std::uintptr_t offered = 1;
  static_assert(alignof(T) > 1);

  static std::uintptr_t address_of(T* object) { return reinterpret_cast<std::uintptr_t>(object); }
  static T* object_at(std::uintptr_t place) { return reinterpret_cast<T*>(place & ~offered); }

  void put(std::uintptr_t place) {
    delete object_at(place_.exchange(place, std::memory_order_acq_rel));
  }

  /// One place for both directions, so that no object can be put where one is already.
  std::atomic<std::uintptr_t> place_{0};
};

}  // namespace rbd_parallel_ros
