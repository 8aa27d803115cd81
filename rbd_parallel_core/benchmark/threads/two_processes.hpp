// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

namespace rbd_bench {

// Does a piece of work in two processes at once, this one and a child: what two cores reach where
// nothing is handed from one to the other. The child sleeps in between.
class TwoProcesses {
 public:
  using Pass = std::function<void()>;
  // Starts the child, and calls make_half() in both: what it gives does one pass, in memory of its
  // own and without other threads. Throws std::system_error.
  explicit TwoProcesses(const std::function<Pass()>& make_half);
  ~TwoProcesses();
  TwoProcesses(const TwoProcesses&) = delete;
  TwoProcesses& operator=(const TwoProcesses&) = delete;

  // Both make so many passes, from the same moment on. Nanoseconds until both are done.
  // Throws std::runtime_error if the child is gone.
  double run(int passes);

 private:
  struct Shared;
  void serve(const Pass& half);
  void wait_for_child();

  Pass half_;
  Shared* shared_ = nullptr;  // memory of both
  int orders_[2] = {-1, -1};  // a pipe to the child: passes
  pid_t child_ = -1;
};

}  // namespace rbd_bench
