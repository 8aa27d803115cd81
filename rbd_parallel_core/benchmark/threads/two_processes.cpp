// SPDX-License-Identifier: Apache-2.0
#include "two_processes.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>
#include <stdexcept>
#include <system_error>

namespace rbd_bench {
namespace {

// This process runs on one core of those it may use as long as this lives: `place` counts from the
// end. Left to itself, Linux may have one of the two wait behind the other.
class OneCore {
 public:
  explicit OneCore(int place) {
    sched_getaffinity(0, sizeof(all_), &all_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = CPU_SETSIZE; core-- > 0;) {
      if (CPU_ISSET(core, &all_) && place-- == 0) CPU_SET(core, &one);
    }
    if (CPU_COUNT(&one) > 0) sched_setaffinity(0, sizeof(one), &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof(all_), &all_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t all_;
};

}  // namespace

struct TwoProcesses::Shared {
  alignas(64) std::atomic<bool> child_ready{false}, child_done{false};
  alignas(64) std::atomic<bool> go{false};
};

TwoProcesses::TwoProcesses(const std::function<Pass()>& make_half) {
  const auto fail = [](const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
  };
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  shared_ = new (memory) Shared;
  if (pipe(orders_) != 0) fail("pipe");
  child_ = fork();
  if (child_ < 0) fail("fork");
  if (child_ == 0) {
    serve(make_half());
    _exit(0);
  }
  close(orders_[0]);
  half_ = make_half();
}

TwoProcesses::~TwoProcesses() {
  close(orders_[1]);  // the child reads the end of the orders
  waitpid(child_, nullptr, 0);
  munmap(shared_, sizeof(Shared));
}

void TwoProcesses::serve(const Pass& half) {
  close(orders_[1]);
  const OneCore core(0);
  int passes = 0;
  while (read(orders_[0], &passes, sizeof(passes)) == sizeof(passes)) {
    half();  // brings code and data back into its caches
    shared_->child_ready = true;
    while (!shared_->go) {
    }
    for (int k = 0; k < passes; ++k) half();
    shared_->child_done = true;
  }
}

void TwoProcesses::wait_for_child() {
  for (long spins = 1; !shared_->child_ready; ++spins) {
    if (spins % 1000000 == 0 && waitpid(child_, nullptr, WNOHANG) != 0) {
      throw std::runtime_error("the second process ended before its work was done");
    }
  }
}

double TwoProcesses::run(int passes) {
  const OneCore core(1);
  shared_->child_ready = shared_->child_done = shared_->go = false;
  if (write(orders_[1], &passes, sizeof(passes)) != sizeof(passes)) {
    throw std::system_error(errno, std::generic_category(), "write");
  }
  half_();
  wait_for_child();
  const auto start = std::chrono::steady_clock::now();
  shared_->go = true;
  for (int k = 0; k < passes; ++k) half_();
  while (!shared_->child_done) {
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace rbd_bench
