// SPDX-License-Identifier: Apache-2.0
#include "loop.hpp"

#include <time.h>

#include <algorithm>

namespace rbd_bench {
namespace {

using rbd_parallel_core::Result;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kBlock = 1000;     // Calls in a row.
constexpr std::int64_t kRest = 1'000'000;  // Between blocks, in nanoseconds.
constexpr std::size_t kNumbersInLine = 64 / sizeof(std::uint64_t);  // Of a cache.
constexpr std::size_t kControlLines = 256;                          // 4 pages.

std::int64_t nanoseconds(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

// Until this time of CLOCK_MONOTONIC. An absolute time, so that delays do not add up.
void sleep_until(std::int64_t time) noexcept {
  const timespec wanted{.tv_sec = time / kSecond, .tv_nsec = time % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wanted, nullptr) != 0) {
  }
}

// A chain of multiplications in which each waits for the one before, and a number from a new line
// of the cache for every other: about as long as a call.
void multiply(const std::vector<std::uint64_t>& memory) noexcept {
  std::uint64_t x = 1;
  for (std::size_t k = 0; k < memory.size(); k += kNumbersInLine) {
    x = (x * 0x9E3779B97F4A7C15u + memory[k]) * 0x9E3779B97F4A7C15u;
    asm volatile("" : "+r"(x));
  }
}

}  // namespace

Loop::Loop(rbd_parallel_core::Backend& backend, const States& states)
    : backend_(backend),
      states_(states),
      vector_(states.nv),
      matrix_(states.nv * states.nv),
      control_(kControlLines * kNumbersInLine) {
  // The clock's page comes with its first reading, and that would count as a fault of a call.
  nanoseconds(CLOCK_MONOTONIC_RAW);
}

Result Loop::call(std::size_t operation) noexcept {
  const auto q = states_.q_of(state_), v = states_.v_of(state_);
  switch (operation) {
    case 0:
      return backend_.gravity_forces({.q = q, .v = {}, .tau = vector_});
    case 1:
      return backend_.bias_forces({.q = q, .v = v, .tau = vector_});
    case 2:
      return backend_.inverse_dynamics({.q = q, .v = v, .a = states_.a_of(state_), .tau = vector_});
    case 3:
      return backend_.mass_matrix({.q = q, .mass_matrix = matrix_});
    case 4:
      return backend_.forward_dynamics(
          {.q = q, .v = v, .tau = states_.tau_of(state_), .qdd = vector_});
    default:
      multiply(control_);
      return {};
  }
}

std::int64_t Loop::timed_call(std::size_t operation) noexcept {
  state_ = state_ + 1 < states_.count ? state_ + 1 : 0;
  const std::int64_t begin = nanoseconds(CLOCK_MONOTONIC_RAW);
  const Result result = call(operation);
  const std::int64_t end = nanoseconds(CLOCK_MONOTONIC_RAW);
  if (!result) ++counts_->refused;
  return end - begin;
}

void Loop::block(std::uint64_t repeats) noexcept {
  const Usage before = usage_so_far();
  for (std::size_t k = 0; k < kOperations.size(); ++k) {
    const std::size_t operation = (first_of_block_ + k) % kOperations.size();
    for (std::uint64_t n = 0; n < repeats; ++n) {
      counts_->calls[operation].add(timed_call(operation));
    }
  }
  ++first_of_block_;
  counts_->inside += usage_so_far() - before;
}

void Loop::run_first_calls() noexcept {
  const Usage before = usage_so_far();
  for (std::size_t k = 0; k < kOperations.size(); ++k) first_[k] = timed_call(k);
  first_usage_ = usage_so_far() - before;
}

void Loop::run_periodically(std::uint64_t cycles, std::int64_t period) noexcept {
  const Usage before = usage_so_far(), inside_before = counts_->inside;
  std::int64_t due = nanoseconds(CLOCK_MONOTONIC) + period;
  for (std::uint64_t k = 0; k < cycles; ++k) {
    sleep_until(due);
    counts_->wake_up.add(nanoseconds(CLOCK_MONOTONIC) - due);
    block(1);
    due += period;
    const std::int64_t now = nanoseconds(CLOCK_MONOTONIC);
    if (now > due) {
      ++counts_->missed;
      due = now + period;
    }
  }
  counts_->outside += (usage_so_far() - before) - (counts_->inside - inside_before);
}

void Loop::run_back_to_back(std::uint64_t calls) noexcept {
  const Usage before = usage_so_far(), inside_before = counts_->inside;
  for (std::uint64_t done = 0; done < calls; done += kBlock) {
    block(std::min(kBlock, calls - done));
    sleep_until(nanoseconds(CLOCK_MONOTONIC) + kRest);
  }
  counts_->outside += (usage_so_far() - before) - (counts_->inside - inside_before);
}

}  // namespace rbd_bench
