// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
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
  using Value = std::invoke_result_t<Work&>;
  struct Task {
    Work work;
    std::optional<Value> value = std::nullopt;
    std::exception_ptr error = nullptr;
    bool done = false;
    std::mutex mutex{};
    std::condition_variable changed{};

    void run() noexcept {
      std::optional<Value> result;
      std::exception_ptr caught;
      try {
        result.emplace(work());
      } catch (...) {
        caught = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (result) value.emplace(std::move(*result));
      error = caught;
      done = true;
      changed.notify_all();
    }
    bool wait() {
      std::unique_lock lock(mutex);
      return changed.wait_for(lock, signal_interval, [this] { return done; });
    }
  };
  const auto task = std::make_shared<Task>(Task{std::move(work)});
  try {
    std::thread([task] { task->run(); }).detach();
  } catch (const std::system_error&) {  // no more threads: then Ctrl-C waits
    const nb::gil_scoped_release release;
    task->run();
  }
  for (;;) {
    {
      const nb::gil_scoped_release release;
      if (task->wait()) break;
    }
    check_signals();
  }
  if (task->error) std::rethrow_exception(task->error);
  return std::move(*task->value);
}

}  // namespace rbd_parallel_python
