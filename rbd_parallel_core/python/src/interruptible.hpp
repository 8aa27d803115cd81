// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <thread>
#include <type_traits>
#include <utility>

/// Python handles signals between its own instructions only, so that Ctrl-C would wait for the end
/// of a call. Calls that may take long look for signals themselves.
namespace rbd_parallel_python {

namespace nb = nanobind;

/// How long Ctrl-C may go unnoticed.
inline constexpr std::chrono::milliseconds signal_interval{50};

/// Raises what a signal handler raises, KeyboardInterrupt for Ctrl-C. Needs the GIL.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// work(), without the GIL and in a thread of its own, while this one waits for it or for a signal.
/// Nobody can stop the work; on a signal it is left to come to its end alone, and its result is
/// dropped. So `work` owns what it uses, and does not touch Python.
template <class Work>
auto interruptible(Work work) {
  std::packaged_task<std::invoke_result_t<Work&>()> task(std::move(work));
  auto future = task.get_future();  // does not wait for the work when it goes
  std::thread(std::move(task)).detach();
  for (;;) {
    {
      const nb::gil_scoped_release release;
      if (future.wait_for(signal_interval) == std::future_status::ready) break;
    }
    check_signals();
  }
  return future.get();
}

}  // namespace rbd_parallel_python
