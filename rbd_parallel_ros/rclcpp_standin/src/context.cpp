// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/context.hpp"

#include <rcl/arguments.h>
#include <rcl/init.h>
#include <rcl/logging.h>

#include <algorithm>
#include <cstdarg>

#include "rclcpp/detail/arguments.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp {

namespace {

// Contexts that are valid, and how many of them use rcl's logging, which is one for the process.
struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<Context>> contexts;
  size_t logging_users = 0;
};

Registry& registry() {
  static Registry the_registry;
  return the_registry;
}

void log_with_lock(const rcutils_log_location_t* location, int severity, const char* name,
                   rcutils_time_point_value_t timestamp, const char* format, va_list* args) {
  std::lock_guard lock(detail::logging_mutex());
  rcl_logging_multiple_output_handler(location, severity, name, timestamp, format, args);
}

}  // namespace

std::recursive_mutex& detail::logging_mutex() {
  // Never destroyed: something may be logged at the very end of the process.
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

std::vector<Context::SharedPtr> detail::contexts_to_end_on_signal() {
  std::vector<std::weak_ptr<Context>> known;
  {
    std::lock_guard lock(registry().mutex);
    known = registry().contexts;
  }
  // A context is never locked, nor destroyed, under the registry's lock: it takes that itself.
  std::vector<Context::SharedPtr> found;
  for (const auto& weak : known) {
    auto context = weak.lock();
    if (context && context->is_valid() && context->get_init_options().shutdown_on_signal) {
      found.push_back(std::move(context));
    }
  }
  return found;
}

InitOptions::InitOptions(rcl_allocator_t allocator) {
  auto options = std::make_unique<rcl_init_options_t>(rcl_get_zero_initialized_init_options());
  detail::check(rcl_init_options_init(options.get(), allocator), "no init options");
  options_ = std::shared_ptr<rcl_init_options_t>(options.release(), [](rcl_init_options_t* owned) {
    if (rcl_init_options_fini(owned) != RCL_RET_OK) {
      rcl_reset_error();
    }
    delete owned;
  });
}

void InitOptions::set_domain_id(size_t domain_id) {
  detail::check(rcl_init_options_set_domain_id(options_.get(), domain_id),
                "the domain cannot be set");
}

size_t InitOptions::get_domain_id() const {
  size_t domain_id = 0;
  detail::check(rcl_init_options_get_domain_id(options_.get(), &domain_id),
                "the domain cannot be read");
  return domain_id;
}

void InitOptions::use_default_domain_id() {
  size_t domain_id = RCL_DEFAULT_DOMAIN_ID;
  detail::check(rcl_get_default_domain_id(&domain_id), "no default domain");
  set_domain_id(domain_id);
}

Context::~Context() {
  try {
    if (is_valid()) {
      shutdown("the context goes away");
    }
    release();
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger("rclcpp"), "in the destructor of a context: %s", error.what());
  }
}

// Ends this context's use of rcl's logging.
void Context::release() {
  std::lock_guard lock(mutex_);
  context_.reset();
  if (owns_logging_) {
    owns_logging_ = false;
    std::lock_guard registry_lock(registry().mutex);
    if (--registry().logging_users == 0) {
      std::lock_guard logging_lock(detail::logging_mutex());
      if (rcl_logging_fini() != RCL_RET_OK) {
        rcl_reset_error();
      }
    }
  }
}

void Context::init(int argc, char const* const* argv, const InitOptions& options) {
  std::lock_guard lock(mutex_);
  if (is_valid()) {
    throw ContextAlreadyInitialized();
  }
  release();
  std::shared_ptr<rcl_context_t> context(
      new rcl_context_t(rcl_get_zero_initialized_context()), [](rcl_context_t* owned) {
        // Not shut down yet only if a later step of this function failed.
        if (rcl_context_is_valid(owned) && rcl_shutdown(owned) != RCL_RET_OK) {
          rcl_reset_error();
        }
        if (rcl_context_fini(owned) != RCL_RET_OK) {
          rcl_reset_error();
        }
        delete owned;
      });
  detail::check(rcl_init(argc, argv, options.get_rcl_init_options(), context.get()),
                "rcl cannot be initialized");
  auto unknown = detail::unknown_ros_arguments(context->global_arguments, argv);
  if (!unknown.empty()) {
    throw exceptions::UnknownROSArgsError(std::move(unknown));
  }
  if (options.auto_initialize_logging()) {
    std::lock_guard registry_lock(registry().mutex);
    if (registry().logging_users == 0) {
      std::lock_guard logging_lock(detail::logging_mutex());
      const rcl_allocator_t allocator = rcl_get_default_allocator();
      detail::check(rcl_logging_configure_with_output_handler(&context->global_arguments,
                                                              &allocator, log_with_lock),
                    "logging cannot be set up");
    }
    ++registry().logging_users;
    owns_logging_ = true;
  }
  context_ = std::move(context);
  options_ = options;
  reason_.clear();
  std::lock_guard registry_lock(registry().mutex);
  auto& contexts = registry().contexts;
  std::erase_if(contexts, [](const auto& weak) { return weak.expired(); });
  const auto self = weak_from_this();
  const bool known = std::any_of(contexts.begin(), contexts.end(), [&self](const auto& weak) {
    return !weak.owner_before(self) && !self.owner_before(weak);
  });
  if (!known) {
    contexts.push_back(self);
  }
}

bool Context::is_valid() const {
  std::lock_guard lock(mutex_);
  return context_ && rcl_context_is_valid(context_.get());
}

size_t Context::get_domain_id() const {
  std::lock_guard lock(mutex_);
  size_t domain_id = 0;
  if (!context_) {
    throw std::runtime_error("the context is not initialized");
  }
  detail::check(rcl_context_get_domain_id(context_.get(), &domain_id), "no domain of the context");
  return domain_id;
}

std::string Context::shutdown_reason() const {
  std::lock_guard lock(mutex_);
  return reason_;
}

void Context::call_all(const Callbacks& callbacks) {
  Callbacks copy;  // a callback may add or remove some
  {
    std::lock_guard lock(callbacks_mutex_);
    copy = callbacks;
  }
  for (const auto& callback : copy) {
    (*callback)();
  }
}

bool Context::shutdown(const std::string& reason) {
  if (is_valid()) {
    call_all(pre_shutdown_callbacks_);
  }
  {
    std::lock_guard lock(mutex_);
    if (!is_valid()) {
      return false;
    }
    detail::check(rcl_shutdown(context_.get()), "rcl cannot be shut down");
    reason_ = reason;
  }
  call_all(callbacks_);
  {
    // So that no sleeper misses it between its check and its wait.
    std::lock_guard lock(sleep_mutex_);
  }
  sleep_.notify_all();
  return true;
}

Context::OnShutdownCallback Context::on_shutdown(OnShutdownCallback callback) {
  add_on_shutdown_callback(callback);
  return callback;
}

OnShutdownCallbackHandle Context::add_on_shutdown_callback(OnShutdownCallback callback) {
  OnShutdownCallbackHandle handle;
  std::lock_guard lock(callbacks_mutex_);
  callbacks_.push_back(std::make_shared<OnShutdownCallback>(std::move(callback)));
  handle.callback = callbacks_.back();
  return handle;
}

bool Context::remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle) {
  const auto callback = handle.callback.lock();
  std::lock_guard lock(callbacks_mutex_);
  return callback && std::erase(callbacks_, callback) != 0;
}

PreShutdownCallbackHandle Context::add_pre_shutdown_callback(PreShutdownCallback callback) {
  PreShutdownCallbackHandle handle;
  std::lock_guard lock(callbacks_mutex_);
  pre_shutdown_callbacks_.push_back(std::make_shared<PreShutdownCallback>(std::move(callback)));
  handle.callback = pre_shutdown_callbacks_.back();
  return handle;
}

bool Context::remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle) {
  const auto callback = handle.callback.lock();
  std::lock_guard lock(callbacks_mutex_);
  return callback && std::erase(pre_shutdown_callbacks_, callback) != 0;
}

bool Context::sleep_for(const std::chrono::nanoseconds& duration) {
  std::unique_lock lock(sleep_mutex_);
  return !sleep_.wait_for(lock, duration, [this] { return !is_valid(); });
}

Context::SharedPtr contexts::get_global_default_context() {
  static const Context::SharedPtr context = std::make_shared<Context>();
  return context;
}

}  // namespace rclcpp
