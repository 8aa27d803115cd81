// SPDX-License-Identifier: Apache-2.0
//
// With one thread, no call after configure makes a system call: it could wait there for anything. A
// child process asks the kernel to kill it at the first one (seccomp, strict mode) and then goes
// through every way to call the backend.

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core::conformance {
namespace {

enum class Outcome { returned, killed, no_seccomp };

/// Runs `work` in a child that may do nothing but compute.
Outcome run_without_system_calls(const std::function<void()>& work) {
  constexpr int no_seccomp = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(no_seccomp);
    work();
    syscall(SYS_exit, 0);  // the one way out that strict mode allows
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return Outcome::killed;
  return WEXITSTATUS(status) == no_seccomp ? Outcome::no_seccomp : Outcome::returned;
}

TEST(SystemCalls, AreNotMadeAfterConfigure) {
  for (const Robot& robot : small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const auto backend = make_backend("reference");
    backend->configure(model, {.max_batch = 3, .threads = 1});
    const Batch batch = random_batch(*model, 3, 5);
    for (const Call& call : every_call()) {
      if (!call.possible(*model)) continue;
      Outputs out = room_for(call, *model, batch);
      const Outcome outcome =
          run_without_system_calls([&] { static_cast<void>(call.run(*backend, batch, out)); });
      if (outcome == Outcome::no_seccomp) GTEST_SKIP() << "the kernel offers no seccomp here";
      EXPECT_EQ(outcome, Outcome::returned) << call.name << " on " << robot.name;
    }
  }
}

TEST(SystemCalls, OneIsCaught) {
  const Outcome outcome = run_without_system_calls([] { syscall(SYS_getppid); });
  if (outcome == Outcome::no_seccomp) GTEST_SKIP() << "the kernel offers no seccomp here";
  EXPECT_EQ(outcome, Outcome::killed);
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
