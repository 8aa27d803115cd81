// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "loop.hpp"
#include "settings.hpp"

namespace rbd_bench {

// What the machine granted, each as a phrase: "SCHED_FIFO 80", or why not.
struct Granted {
  std::string scheduler, memory, core;
};

// A table for people.
std::string to_text(const RealtimeSettings& settings, const Granted& granted, const Loop& loop);
// Everything, with the histograms as pairs of a bucket's lower end in ns and its count.
std::string to_json(const RealtimeSettings& settings, const Granted& granted, const Loop& loop);

}  // namespace rbd_bench
