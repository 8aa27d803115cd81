// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "../../float_mode.hpp"

namespace rbd_parallel_core {

/// Threads that stay together for the many short phases of one call. Waking a thread costs more
/// than a phase may take, so they are called once and then wait for the phases in a loop. One of
/// them leads: it goes through the call from top to bottom and hands out the tasks of each phase;
/// whoever is free takes the next. The leader never waits for a thread that has not come: if none
/// does, it does all the tasks itself.
class Team {
 public:
  explicit Team(int threads) : arena_(threads), threads_(threads) {
    // The threads are made and all that the scheduler keeps is taken now, not in the first call.
    for (int k = 0; k < 8; ++k) {
      call([this] { phase(4 * threads_, [](std::int32_t, int) {}); });
    }
  }

  int threads() const { return threads_; }

  /// Runs work() on one of the threads, with the others at hand for its phases. All of them compute
  /// as the calling thread does, but that denormal numbers count as zero.
  template <class Work>
  void call(const Work& work) {
    const FloatMode mode = FloatMode::of_this_thread().flushing();
    if (threads_ == 1) {
      const FloatModeScope scope(mode);
      work();
      return;
    }
    led_.store(false, std::memory_order_relaxed);
    over_.store(false, std::memory_order_relaxed);
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, threads_, 1),
          [&](const auto&) {
            const FloatModeScope scope(mode);
            if (led_.exchange(true, std::memory_order_acq_rel)) {
              help();
            } else {
              work();
              over_.store(true, std::memory_order_release);
            }
          },
          tbb::simple_partitioner{});
    });
  }

  /// Within call: runs task(k, thread) for 0 <= k < count and waits until all are done. `thread` is
  /// below threads(), and no two tasks at one time have the same.
  template <class Task>
  void phase(std::int32_t count, const Task& task) {
    if (threads_ == 1 || count <= 1) {
      const int thread = own_index();
      for (std::int32_t k = 0; k < count; ++k) task(k, thread);
      return;
    }
    task_.store(&task, std::memory_order_relaxed);
    run_.store([](const void* t, std::int32_t k,
                  int thread) { (*static_cast<const Task*>(t))(k, thread); },
               std::memory_order_relaxed);
    count_.store(count, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const std::uint64_t phase = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    ticket_.store(phase << 32 | static_cast<std::uint32_t>(count), std::memory_order_release);
    take_tasks(own_index());
    Pause pause;
    while (done_.load(std::memory_order_acquire) != count) pause();
  }

 private:
  /// Spins for a while, then lets others run.
  class Pause {
   public:
    void operator()() {
      if (++spins_ < 4096) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      } else {
        std::this_thread::yield();
      }
    }

   private:
    int spins_ = 0;
  };

  int own_index() const { return threads_ == 1 ? 0 : tbb::this_task_arena::current_thread_index(); }

  void help() {
    const int thread = own_index();
    Pause pause;
    while (!over_.load(std::memory_order_acquire)) {
      if (take_tasks(thread)) {
        pause = {};
      } else {
        pause();
      }
    }
  }

  /// A ticket is the number of the phase and of its tasks that nobody has taken yet, in one word:
  /// so a thread that comes late can never take a task of one phase for one of another. While the
  /// next phase is made ready none is left to take.
  bool take_tasks(int thread) {
    bool any = false;
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while ((ticket & 0xffffffffU) != 0) {
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
        continue;
      }
      const auto left = static_cast<std::int32_t>(ticket & 0xffffffffU);
      run_.load(std::memory_order_relaxed)(task_.load(std::memory_order_relaxed),
                                           count_.load(std::memory_order_relaxed) - left, thread);
      done_.fetch_add(1, std::memory_order_release);
      any = true;
      ticket = ticket_.load(std::memory_order_acquire);
    }
    return any;
  }

  tbb::task_arena arena_;
  int threads_;
  std::atomic<bool> led_{false}, over_{true};
  std::atomic<const void*> task_{nullptr};
  std::atomic<void (*)(const void*, std::int32_t, int)> run_{nullptr};
  std::atomic<std::int32_t> count_{0};
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<std::int32_t> done_{0};
};

}  // namespace rbd_parallel_core
