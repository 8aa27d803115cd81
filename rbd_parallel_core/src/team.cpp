// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <string>
#include <system_error>

namespace rbd_parallel_core {
namespace {

using Clock = std::chrono::steady_clock;

/// Workers that sleep are woken for a call of so much work: that costs the caller 10 us, and they
/// come 20 to 60 us later, but calls that follow find them awake.
constexpr double worth_waking_us = 50;
/// Shorter calls have them woken when so many have followed one another: so much work altogether
/// makes up for what waking costs even if they end here.
constexpr double series_worth_waking_us = 400;

/// Portions of a phase at most: their numbers have 16 bits.
constexpr std::int32_t most_portions = 1 << 14;

constexpr std::uint64_t word_of(std::uint32_t phase, std::int32_t first, std::int32_t last) {
  return std::uint64_t{phase} << 32 | static_cast<std::uint64_t>(first) << 16 |
         static_cast<std::uint64_t>(last);
}
constexpr std::uint32_t phase_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}
constexpr std::int32_t first_of(std::uint64_t word) {
  return static_cast<std::int32_t>(word >> 16 & 0xffff);
}
constexpr std::int32_t last_of(std::uint64_t word) {
  return static_cast<std::int32_t>(word & 0xffff);
}

/// A moment in a loop that waits for another thread.
void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // as long as a pause of x86; `yield` is no time at all
#endif
}

/// How many pauses a thread waits before it lets others have its core: about a microsecond.
constexpr int short_wait = 64;

/// The first of the portions from the front, or the last from the back; -1: there are none.
std::int32_t take(std::atomic<std::uint64_t>& portions, bool from_front) noexcept {
  std::uint64_t word = portions.load(std::memory_order_acquire);
  while (first_of(word) < last_of(word)) {
    const std::uint64_t rest = from_front ? word + (1U << 16) : word - 1;
    if (portions.compare_exchange_weak(word, rest, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      return from_front ? first_of(word) : last_of(rest);
    }
  }
  return -1;
}

}  // namespace

int usable_cores() {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(CPU_COUNT(&cores), 1);
#endif
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

Team::Team(int threads, std::chrono::microseconds spin)
    : threads_(threads),
      spin_(spin),
      seats_(std::make_unique<Seat[]>(static_cast<std::size_t>(threads))),
      job_{nullptr, nullptr, FloatMode::of_this_thread()},
      process_(getpid()),
      workers_(std::make_unique<std::vector<std::thread>>()) {
  try {
    for (int k = 1; k < threads; ++k) workers_->emplace_back([this, k] { stay(k); });
  } catch (const std::system_error& error) {
    stop();
    throw std::system_error(
        error.code(), "configure: thread " + std::to_string(workers_->size() + 2) + " of " +
                          std::to_string(threads) + " cannot be started; ask for fewer threads");
  }
}

Team::~Team() { stop(); }

void Team::stop() noexcept {
  if (!has_workers()) {
    static_cast<void>(workers_.release());  // what the system keeps of them must not be touched
    return;
  }
  stop_.store(true);
  for (std::size_t k = 1; k <= workers_->size(); ++k) ring(seats_[k]);
  for (std::thread& worker : *workers_) worker.join();
}

bool Team::has_workers() const noexcept { return process_ == getpid(); }

// ---- the calling thread ------------------------------------------------------------------------

bool Team::worth_calling(double us) noexcept {
  if (us >= worth_waking_us || !asleep()) return true;
  const Clock::time_point now = Clock::now();
  series_us_ = now - last_short_ < spin_ ? series_us_ + us : 0;
  last_short_ = now;
  return series_us_ >= series_worth_waking_us;
}

void Team::run_phase(std::int32_t count, int used, Job job) noexcept {
  // Nobody reads or writes these now: no portion is left, and all that were taken are done.
  job_ = job;
  job_.count = count;
  job_.tasks_of_portion = (count + most_portions - 1) / most_portions;
  const std::int32_t portions = (count + job_.tasks_of_portion - 1) / job_.tasks_of_portion;
  done_.store(0, std::memory_order_relaxed);
  ++phase_;
  const auto begin_of = [&](int thread) {
    return static_cast<std::int32_t>(std::int64_t{portions} * thread / used);
  };
  for (int k = used; k-- > 0;) {
    Seat& seat = seats_[static_cast<std::size_t>(k)];
    // In one order with `asleep`: either this finds the worker asleep, or the worker finds this.
    seat.portions.store(word_of(phase_, begin_of(k), begin_of(k + 1)));
    if (k > 0 && seat.asleep.load()) wake_elsewhere(seat);
  }
  do_portions(0);
  for (int k = 1; done_.load(std::memory_order_acquire) != portions; ++k) {
    pause();
    // A worker takes less long, unless others have its core, which may be this one.
    if (k > 16 * short_wait && k % short_wait == 0) std::this_thread::yield();
  }
}

/// Linux may have a thread that it wakes wait behind the one that wakes it, for milliseconds, while
/// another core has nothing to do: with two cores it does so in every other case where the caller
/// has slept before. So the worker may not wake on this core.
void Team::wake_elsewhere(Seat& seat) noexcept {
  // Who sets `asleep` back decides: the worker has seen its portions, or it waits for the bell.
  if (!has_workers() || !seat.asleep.exchange(false)) return;
#if defined(__linux__)
  cpu_set_t cores;
  const int here = sched_getcpu();
  if (here >= 0 && sched_getaffinity(seat.system_id, sizeof(cores), &cores) == 0 &&
      CPU_ISSET(here, &cores) && CPU_COUNT(&cores) > 1) {
    CPU_CLR(here, &cores);
    if (sched_setaffinity(seat.system_id, sizeof(cores), &cores) == 0) seat.kept_off = here;
  }
#endif
  ring(seat);
}

void Team::ring(Seat& seat) noexcept {
  seat.bell.fetch_add(1);
  seat.bell.notify_one();
}

// ---- all of them -------------------------------------------------------------------------------

void Team::do_portions(int thread) noexcept {
  std::int32_t done = 0;
  for (int k = 0; k < threads_; ++k) {
    const int other = (thread + k) % threads_;
    for (;;) {
      const std::int32_t portion = take(seats_[static_cast<std::size_t>(other)].portions, k == 0);
      if (portion < 0) break;
      do_portion(portion, thread);
      ++done;
    }
  }
  // All of them were of one phase: it cannot end before this.
  if (done > 0) done_.fetch_add(done, std::memory_order_release);
}

void Team::do_portion(std::int32_t portion, int thread) noexcept {
  const std::int32_t first = portion * job_.tasks_of_portion;
  const std::int32_t last = std::min(first + job_.tasks_of_portion, job_.count);
  const FloatModeScope as_the_caller(job_.mode);
  job_.run(job_.task, first, last, thread);
}

// ---- the workers -------------------------------------------------------------------------------

void Team::stay(int thread) noexcept {
  Seat& seat = seats_[static_cast<std::size_t>(thread)];
#if defined(__linux__)
  seat.system_id = gettid();
#endif
  std::uint32_t last_phase = 0;
  while (wait_for_phase(seat, last_phase)) {
    last_phase = phase_of(seat.portions.load(std::memory_order_acquire));
    do_portions(thread);
  }
}

/// False: there is none to come.
bool Team::wait_for_phase(Seat& seat, std::uint32_t last_phase) noexcept {
  Clock::time_point start = Clock::now();
  for (int k = 1; phase_of(seat.portions.load(std::memory_order_acquire)) == last_phase; ++k) {
    if (stop_.load(std::memory_order_relaxed)) return false;
    pause();
    if (k % short_wait != 0) continue;
    std::this_thread::yield();
    if (in_call_.load(std::memory_order_relaxed) || Clock::now() - start < spin_) continue;
    sleep(seat, last_phase);
    start = Clock::now();
  }
  return true;
}

void Team::sleep(Seat& seat, std::uint32_t last_phase) noexcept {
  const std::uint32_t bell = seat.bell.load();
  seat.asleep.store(true);
  const bool idle = phase_of(seat.portions.load()) == last_phase && !stop_.load();
  // If the caller has set it back, it is about to choose the cores of this thread, and rings then.
  if (idle || !seat.asleep.exchange(false)) seat.bell.wait(bell);
  seat.asleep.store(false);
#if defined(__linux__)
  cpu_set_t cores;
  const int kept_off = seat.kept_off.exchange(-1);
  if (kept_off >= 0 && sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    CPU_SET(kept_off, &cores);
    sched_setaffinity(0, sizeof(cores), &cores);
  }
#endif
}

}  // namespace rbd_parallel_core
