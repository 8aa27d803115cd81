// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/detail/wait_set.hpp"
#include "rclcpp/executor_options.hpp"
#include "rclcpp/future_return_code.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp {

class Node;

namespace detail {

/// Something that is ready, with the group that says whether it may run.
struct Executable {
  std::shared_ptr<Entity> entity;
  CallbackGroup::SharedPtr group;
};

}  // namespace detail

/// Waits for the nodes' timers, messages, requests and responses, and runs their callbacks.
class Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Executor)

  explicit Executor(const ExecutorOptions& options = ExecutorOptions());
  virtual ~Executor();

  /// Runs callbacks until cancel or shutdown.
  virtual void spin() = 0;

  virtual void add_callback_group(CallbackGroup::SharedPtr group,
                                  node_interfaces::NodeBaseInterface::SharedPtr node,
                                  bool notify = true);
  virtual void remove_callback_group(CallbackGroup::SharedPtr group, bool notify = true);
  virtual void add_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  virtual void add_node(std::shared_ptr<Node> node, bool notify = true);
  virtual void remove_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  virtual void remove_node(std::shared_ptr<Node> node, bool notify = true);

  /// Runs what is ready now, for at most max_duration (zero: no limit).
  virtual void spin_some(std::chrono::nanoseconds max_duration = std::chrono::nanoseconds(0));
  /// As spin_some, and again what has become ready by it.
  virtual void spin_all(std::chrono::nanoseconds max_duration);
  /// Waits for one callback and runs it; a negative time is for ever.
  virtual void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));
  void spin_node_some(node_interfaces::NodeBaseInterface::SharedPtr node);
  void spin_node_some(std::shared_ptr<Node> node);

  template <typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
  FutureReturnCode spin_until_future_complete(
      const FutureT& future,
      std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1)) {
    return spin_until(
        [&future] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
        std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  /// Ends spin, from any thread.
  virtual void cancel();
  bool is_spinning() const { return spinning_; }

 protected:
  /// Marks the executor as spinning as long as it lives; throws if it is spinning already.
  class Spinning;

  /// Waits until something is ready that may run, and marks its group as taken. One thread at a
  /// time.
  bool next_executable(detail::Executable& executable, std::chrono::nanoseconds timeout);
  static void execute(const detail::Executable& executable);
  void wake_up() { interrupt_->trigger(); }

  const Context::SharedPtr context_;
  std::atomic_bool spinning_{false};

 private:
  struct Waited {
    detail::Executable executable;
    size_t place;
  };

  FutureReturnCode spin_until(const std::function<bool()>& done, std::chrono::nanoseconds timeout);
  void spin_some_impl(std::chrono::nanoseconds max_duration, bool exhaustive);
  void wait(std::chrono::nanoseconds timeout);
  bool take_ready(detail::Executable& executable);
  void collect();

  std::shared_ptr<GuardCondition> interrupt_;
  OnShutdownCallbackHandle shutdown_callback_;
  std::mutex nodes_mutex_;
  std::vector<node_interfaces::NodeBaseInterface::WeakPtr> nodes_;
  struct AddedGroup {
    CallbackGroup::WeakPtr group;
    node_interfaces::NodeBaseInterface::WeakPtr node;
  };
  std::vector<AddedGroup> groups_;

  // The rest belongs to the thread that waits: it holds wait_mutex_.
  std::mutex wait_mutex_;
  detail::WaitSet wait_set_;
  std::vector<Waited> waited_;
  std::vector<std::shared_ptr<GuardCondition>> notifiers_;
  std::deque<detail::Executable> ready_;
};

class Executor::Spinning {
 public:
  explicit Spinning(Executor& executor);
  Spinning(const Spinning&) = delete;
  Spinning& operator=(const Spinning&) = delete;
  ~Spinning() { executor_.spinning_ = false; }

 private:
  Executor& executor_;
};

}  // namespace rclcpp
