// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/executors.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "rclcpp/logging.hpp"

namespace rclcpp {

using node_interfaces::NodeBaseInterface;
using std::chrono::nanoseconds;

std::string to_string(const FutureReturnCode& code) {
  switch (code) {
    case FutureReturnCode::SUCCESS:
      return "SUCCESS";
    case FutureReturnCode::INTERRUPTED:
      return "INTERRUPTED";
    case FutureReturnCode::TIMEOUT:
      return "TIMEOUT";
  }
  return "no FutureReturnCode: " + std::to_string(static_cast<int>(code));
}

std::ostream& operator<<(std::ostream& os, const FutureReturnCode& code) {
  return os << to_string(code);
}

namespace executors {

void SingleThreadedExecutor::spin() {
  Spinning spinning(*this);
  while (spinning_ && context_->is_valid()) {
    detail::Executable executable;
    if (next_executable(executable, nanoseconds(-1))) {
      execute(executable);
    }
  }
}

MultiThreadedExecutor::MultiThreadedExecutor(const ExecutorOptions& options,
                                             size_t number_of_threads, bool yield_before_execute,
                                             nanoseconds timeout)
    : Executor(options),
      number_of_threads_(number_of_threads > 0
                             ? number_of_threads
                             : std::max<size_t>(std::thread::hardware_concurrency(), 2)),
      yield_before_execute_(yield_before_execute),
      timeout_(timeout) {
  if (number_of_threads == 1) {
    RCLCPP_WARN(get_logger("rclcpp"),
                "a MultiThreadedExecutor with one thread: "
                "a SingleThreadedExecutor does the same for less");
  }
}

void MultiThreadedExecutor::spin() {
  Spinning spinning(*this);
  // The first exception of a callback, in whatever thread, ends all of them and leaves by this one.
  std::mutex mutex;
  std::exception_ptr first;
  const auto work = [&] {
    try {
      run();
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      cancel();
    }
  };
  {
    std::vector<std::jthread> others;
    while (others.size() + 1 < number_of_threads_) others.emplace_back(work);
    work();
  }
  if (first) std::rethrow_exception(first);
}

void MultiThreadedExecutor::run() {
  while (spinning_ && context_->is_valid()) {
    detail::Executable executable;
    if (!next_executable(executable, timeout_)) {
      continue;
    }
    if (yield_before_execute_) {
      std::this_thread::yield();
    }
    execute(executable);
    if (executable.group->type() == CallbackGroupType::MutuallyExclusive) {
      wake_up();  // another thread waits without this group, which is free again
    }
  }
  wake_up();  // the next thread in line has to see the end as well
}

}  // namespace executors

namespace {

ExecutorOptions options_for(const NodeBaseInterface::SharedPtr& node) {
  ExecutorOptions options;
  options.context = node->get_context();
  return options;
}

}  // namespace

void spin(NodeBaseInterface::SharedPtr node) {
  SingleThreadedExecutor executor(options_for(node));
  executor.add_node(node);
  executor.spin();
  executor.remove_node(node);
}

void spin(Node::SharedPtr node) { spin(node->get_node_base_interface()); }

void spin_some(NodeBaseInterface::SharedPtr node) {
  SingleThreadedExecutor executor(options_for(node));
  executor.spin_node_some(node);
}

void spin_some(Node::SharedPtr node) { spin_some(node->get_node_base_interface()); }

}  // namespace rclcpp
