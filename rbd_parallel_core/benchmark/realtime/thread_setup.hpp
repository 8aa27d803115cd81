// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

// How a thread prepares for a loop that must be on time. Each function returns 0 or an errno.
namespace rbd_bench {

// Everything that the process has in memory stays there, and so does what it takes later. Call it
// after configure; it needs CAP_IPC_LOCK or a sufficient `ulimit -l`.
inline int lock_memory() { return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno; }

// Touches the pages of the stack that the loop will use, so that none is missing then.
inline void touch_stack() {
  constexpr std::size_t size = 256 * 1024, page = 4096;
  [[maybe_unused]] volatile char stack[size];
  for (std::size_t k = 0; k < size; k += page) stack[k] = 0;
}

// Before all ordinary threads. It needs CAP_SYS_NICE or a sufficient `ulimit -r`.
inline int use_fifo(int priority) {
  const sched_param parameters{.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

inline int stay_on_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  return pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

// Numbers below 2.2e-308 count as zero in this thread, on the way in and on the way out: some
// processors are slow with them.
inline int flush_denormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // DAZ and FTZ
#elif defined(__aarch64__)
  unsigned long control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (1ul << 24)));  // FZ
#else
  return ENOTSUP;
#endif
  return 0;
}

}  // namespace rbd_bench
