// SPDX-License-Identifier: Apache-2.0
//
// Calls a backend as a controller would: memory locked, SCHED_FIFO, one core, one state a call.
// Shows how long the calls take, and what the kernel and the allocator did meanwhile.

#include <sched.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "common/program.hpp"
#include "inputs.hpp"
#include "loop.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "realtime_report.hpp"
#include "settings.hpp"
#include "thread_setup.hpp"

namespace {

using namespace rbd_bench;

// So many that the processor cannot learn them by heart.
constexpr std::size_t kStates = 512;

std::string phrase(int error, const std::string& granted, const std::string& refused) {
  return error == 0 ? granted : refused + " (" + std::strerror(error) + ")";
}

int last_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  int last = 0;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return last;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &cores)) last = core;
  }
  return last;
}

// What the machine refuses is said, and the loop runs all the same.
Granted set_up_thread(const RealtimeSettings& settings) {
  Granted granted{"ordinary", "not locked", ""};
  const int core = settings.core >= 0 ? settings.core : last_core();
  granted.core = phrase(stay_on_core(core), std::to_string(core), "any");
  touch_stack();
  if (settings.lock_memory) granted.memory = phrase(lock_memory(), "locked", "not locked");
  if (settings.priority > 0) {
    granted.scheduler =
        phrase(use_fifo(settings.priority), "SCHED_FIFO " + std::to_string(settings.priority),
               "ordinary, SCHED_FIFO was refused");
  }
  if (settings.flush_denormals) {
    const int error = flush_denormals();
    if (error != 0) throw std::runtime_error("--flush-denormals: this processor has no such mode");
  }
  return granted;
}

void run(const RealtimeSettings& settings) {
  const auto model =
      std::make_shared<const rbd_parallel_core::Model>(rbd_parallel_core::load_urdf(settings.urdf));
  if (model->nq() != model->nv()) {
    throw std::runtime_error("a robot whose joints have one coordinate each is needed");
  }
  const auto backend = rbd_parallel_core::make_backend(settings.backend);
  const States states =
      states_of_kind(settings.inputs, kStates, static_cast<std::size_t>(model->nv()));
  Loop loop(*backend, states);
  backend->configure(model, {.max_batch = 1, .threads = 1});

  const Granted granted = set_up_thread(settings);
  loop.run_first_calls();
  if (settings.period_us == 0) {
    loop.run_back_to_back(settings.calls);
  } else {
    const double cycles = settings.seconds * 1e6 / static_cast<double>(settings.period_us);
    loop.run_periodically(static_cast<std::uint64_t>(std::llround(cycles)),
                          settings.period_us * 1000);
  }

  std::fputs(to_text(settings, granted, loop).c_str(), stdout);
  if (!settings.json_file.empty()) write_file(settings.json_file, to_json(settings, granted, loop));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("rbd_realtime", [&] { run(parse_settings(argc, argv)); });
}
