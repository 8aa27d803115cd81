// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "float_mode.hpp"

namespace rbd_parallel_core {

/// How many threads of this process can run at a time: the cores that it may use.
int usable_cores();

/// Threads that stay together from call to call. To wake a sleeping thread takes longer than many
/// a call, so the workers stay awake for a while after a call, and take the next one within a
/// microsecond. They let others run meanwhile.
///
/// The calling thread leads: it hands out the tasks of a phase and does its share. It never waits
/// for a worker that has not come: what nobody else has begun it does itself. So a call ends
/// whether or not workers are awake, have a core to run on, or exist, which after a fork they do
/// not.
///
/// Every thread begins with a part of the tasks that is the same from phase to phase and from call
/// to call, whose numbers are in its caches then; who is done with it takes from the others.
class Team {
 public:
  /// `threads`: with the calling one, at least 1. `spin`: how long workers stay awake. All memory
  /// is taken here. Throws std::system_error with what to do where no thread can be started.
  Team(int threads, std::chrono::microseconds spin);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const noexcept { return threads_; }
  /// Whether the first of the workers is asleep, and with it most likely the others.
  bool asleep() const noexcept {
    return threads_ > 1 && seats_[1].asleep.load(std::memory_order_relaxed);
  }

  /// Whether a call gains by this team: the workers are awake, or it pays to wake them. `us`: what
  /// one thread is predicted to take for it, in microseconds. To be asked before each call.
  bool worth_calling(double us) noexcept;

  /// Calls work() on this thread, with the workers at hand for its phases: none of them goes to
  /// sleep between two. All of them compute as the calling thread does, but that denormal numbers
  /// count as zero.
  template <class Work>
  void call(const Work& work) noexcept {
    const FloatModeScope scope(FloatMode::of_this_thread().flushing());
    in_call_.store(true, std::memory_order_relaxed);
    work();
    in_call_.store(false, std::memory_order_relaxed);
  }

  /// Runs task(k, thread) for 0 <= k < count and returns when all are done. `thread` is below
  /// threads(), and no two tasks at one time have the same. `used`: how many of the threads are
  /// called, this one included; who sleeps is woken. The workers compute in the floating point mode
  /// of this one. One phase of a team at a time.
  template <class Task>
  void phase(std::int32_t count, int used, const Task& task) noexcept {
    if (used == 1 || count <= 1) {
      for (std::int32_t k = 0; k < count; ++k) task(k, 0);
      return;
    }
    run_phase(count, used,
              {&task,
               [](const void* t, std::int32_t first, std::int32_t last, int thread) {
                 for (std::int32_t k = first; k < last; ++k) {
                   (*static_cast<const Task*>(t))(k, thread);
                 }
               },
               FloatMode::of_this_thread()});
  }
  template <class Task>
  void phase(std::int32_t count, const Task& task) noexcept {
    phase(count, threads_, task);
  }

 private:
  /// What the workers of a phase do.
  struct Job {
    const void* task;
    void (*run)(const void* task, std::int32_t first, std::int32_t last, int thread);
    FloatMode mode;
    std::int32_t count = 0, tasks_of_portion = 1;
  };
  /// Of one thread. `portions` is the number of the phase (32 bits) and those of its portions that
  /// nobody has taken yet, from the first one (16 bits) to before the last (16 bits), in one word:
  /// so a thread that comes late can never take a portion of one phase for one of another.
  struct alignas(64) Seat {
    std::atomic<std::uint64_t> portions{0};
    std::atomic<bool> asleep{false};     ///< set back by who wakes it: the caller, or itself
    std::atomic<std::uint32_t> bell{0};  ///< rung: changed, to wake the thread
    std::atomic<int> system_id{0};       ///< of the thread, where the system has numbers for them
    std::atomic<int> kept_off{-1};       ///< the core that it may not wake on
  };

  void run_phase(std::int32_t count, int used, Job job) noexcept;
  void wake_elsewhere(Seat& seat) noexcept;
  void ring(Seat& seat) noexcept;
  /// Takes portions until none is left.
  void do_portions(int thread) noexcept;
  void do_portion(std::int32_t portion, int thread) noexcept;
  void stay(int thread) noexcept;
  bool wait_for_phase(Seat& seat, std::uint32_t last_phase) noexcept;
  void sleep(Seat& seat, std::uint32_t last_phase) noexcept;
  /// Not after a fork: the child has the objects of the workers, but not the workers.
  bool has_workers() const noexcept;
  void stop() noexcept;

  int threads_;
  std::chrono::steady_clock::duration spin_;
  std::unique_ptr<Seat[]> seats_;
  Job job_;
  std::uint32_t phase_ = 0;
  double series_us_ = 0;                                ///< of short calls that found all asleep
  std::chrono::steady_clock::time_point last_short_{};  ///< of them
  std::atomic<bool> in_call_{false}, stop_{false};
  alignas(64) std::atomic<std::int32_t> done_{0};  ///< portions
  std::int32_t process_;                           ///< that has the workers
  std::unique_ptr<std::vector<std::thread>> workers_;
};

}  // namespace rbd_parallel_core
