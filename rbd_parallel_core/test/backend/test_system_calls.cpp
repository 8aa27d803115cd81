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

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "plain_memory.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rehoused_backend.hpp"

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

/// Every way to call the backend with this batch.
void expect_no_system_calls(Backend& backend, const Robot& robot, const Batch& batch) {
  for (const Call& call : every_call()) {
    if (!call.possible(backend.model())) continue;
    Outputs out = room_for(call, backend.model(), batch);
    const Outcome outcome =
        run_without_system_calls([&] { static_cast<void>(call.run(backend, batch, out)); });
    if (outcome == Outcome::no_seccomp) GTEST_SKIP() << "the kernel offers no seccomp here";
    EXPECT_EQ(outcome, Outcome::returned) << call.name << " on " << robot.name;
  }
}

void expect_no_system_calls(Backend& backend) {
  constexpr std::size_t size = 19;
  for (const Robot& robot : small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    backend.configure(model, {.max_batch = size, .threads = 1});
    Batch batch = random_batch(*model, size, 5);
    batch.q[0] = 1e6;                   // sine and cosine by the library
    batch.v[1 % batch.v.size()] = NAN;  // a state that is reported
    expect_no_system_calls(backend, robot, batch);
    if (testing::Test::IsSkipped()) return;
  }
}

TEST(SystemCalls, AreNotMadeAfterConfigure) {
  for (const std::string& name : backend_names()) expect_no_system_calls(*make_backend(name));
}

TEST(SystemCalls, AreNotMadeInFloat) {
  for (const std::string& name : backend_names()) {
    RehousedBackend<float, PlainMemory> backend(name);
    expect_no_system_calls(backend);
  }
}

TEST(SystemCalls, OneIsCaught) {
  const Outcome outcome = run_without_system_calls([] { syscall(SYS_getppid); });
  if (outcome == Outcome::no_seccomp) GTEST_SKIP() << "the kernel offers no seccomp here";
  EXPECT_EQ(outcome, Outcome::killed);
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
