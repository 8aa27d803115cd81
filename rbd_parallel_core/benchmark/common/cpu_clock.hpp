// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

namespace rbd_bench {

// Nanoseconds that the calling thread has run: other programs of a busy machine do not show in it.
inline double cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace rbd_bench
