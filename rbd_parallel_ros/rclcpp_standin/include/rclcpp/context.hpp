// SPDX-License-Identifier: Apache-2.0
// One participant in ROS: from init to shutdown.
#pragma once

#include <rcl/context.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "rclcpp/init_options.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

class ContextAlreadyInitialized : public std::runtime_error {
 public:
  ContextAlreadyInitialized()
      : std::runtime_error("the context is initialized already; shut it down first") {}
};

/// Names a callback that was given to Context::add_on_shutdown_callback.
class OnShutdownCallbackHandle {
  friend class Context;
  using Callback = std::function<void()>;
  std::weak_ptr<Callback> callback;
};

class PreShutdownCallbackHandle {
  friend class Context;
  using Callback = std::function<void()>;
  std::weak_ptr<Callback> callback;
};

class Context : public std::enable_shared_from_this<Context> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Context)

  using OnShutdownCallback = std::function<void()>;
  using PreShutdownCallback = std::function<void()>;

  Context() = default;
  virtual ~Context();

  virtual void init(int argc, char const* const* argv, const InitOptions& options = InitOptions());
  virtual bool is_valid() const;
  const InitOptions& get_init_options() const { return options_; }
  size_t get_domain_id() const;
  std::string shutdown_reason() const;

  /// Ends the context; false if it was not valid. Everything that waits on it wakes up.
  virtual bool shutdown(const std::string& reason);

  virtual OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  virtual OnShutdownCallbackHandle add_on_shutdown_callback(OnShutdownCallback callback);
  virtual bool remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle);
  /// Called while the context is still valid, so that something can be published for the last time.
  virtual PreShutdownCallbackHandle add_pre_shutdown_callback(PreShutdownCallback callback);
  virtual bool remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle);

  std::shared_ptr<rcl_context_t> get_rcl_context() {
    std::lock_guard lock(mutex_);
    return context_;
  }

  /// Sleeps until the time is over (true) or the context is shut down (false).
  bool sleep_for(const std::chrono::nanoseconds& duration);

 private:
  void release();

  // Taken by init, shutdown and whoever needs the context not to change in between.
  mutable std::recursive_mutex mutex_;
  std::shared_ptr<rcl_context_t> context_;
  InitOptions options_;
  std::string reason_;
  bool owns_logging_ = false;
  using Callbacks = std::list<std::shared_ptr<std::function<void()>>>;
  void call_all(const Callbacks& callbacks);
  Callbacks callbacks_, pre_shutdown_callbacks_;
  mutable std::mutex callbacks_mutex_;
  std::mutex sleep_mutex_;
  std::condition_variable sleep_;
};

namespace contexts {

/// The context that is used where none is named.
Context::SharedPtr get_global_default_context();

}  // namespace contexts

namespace detail {

/// rcl's logging keeps a table of publishers to /rosout that is not made for several threads.
std::recursive_mutex& logging_mutex();

/// Every context that a signal has to end.
std::vector<Context::SharedPtr> contexts_to_end_on_signal();

}  // namespace detail
}  // namespace rclcpp
