// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstdint>

#include "rbd_parallel_core/testing/allocation_count.hpp"

namespace rbd_bench {

// What the kernel and the allocator have done for the calling thread (allocations: for the
// process).
struct Usage {
  std::int64_t minor_faults = 0;          // A page was missing, but in memory.
  std::int64_t major_faults = 0;          // A page was read from a disk.
  std::int64_t voluntary_switches = 0;    // The thread waited for something.
  std::int64_t involuntary_switches = 0;  // The scheduler took the processor away.
  std::int64_t allocations = 0;           // Calls of malloc, free and their like.

  Usage& operator+=(const Usage& other) {
    minor_faults += other.minor_faults;
    major_faults += other.major_faults;
    voluntary_switches += other.voluntary_switches;
    involuntary_switches += other.involuntary_switches;
    allocations += other.allocations;
    return *this;
  }
  friend Usage operator-(const Usage& a, const Usage& b) {
    return {a.minor_faults - b.minor_faults, a.major_faults - b.major_faults,
            a.voluntary_switches - b.voluntary_switches,
            a.involuntary_switches - b.involuntary_switches, a.allocations - b.allocations};
  }
};

// Since the thread began. Needs an allocation counter in the executable.
inline Usage usage_so_far() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw,
          static_cast<std::int64_t>(rbd_allocation_count())};
}

}  // namespace rbd_bench
