// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace rbd_bench {

struct RealtimeSettings {
  std::string urdf;
  std::string backend = "cpu";
  std::string inputs = "ordinary";
  std::int64_t period_us = 1000;    // 0: back to back
  double seconds = 60;              // Of the periodic loop.
  std::uint64_t calls = 1'000'000;  // Of each operation, back to back.
  int priority = 80;                // Of SCHED_FIFO; 0: the ordinary scheduler.
  int core = -1;                    // -1: the last one that the process may use.
  bool lock_memory = true;
  bool flush_denormals = false;
  std::string json_file;
};

// Throws std::runtime_error with what is wrong and how it is used.
RealtimeSettings parse_settings(int argc, char** argv);

}  // namespace rbd_bench
