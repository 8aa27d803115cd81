// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM end every context that wants it. Hardly anything may be done inside a signal
// handler, so it only posts a semaphore, and a thread does the rest.
#include <semaphore.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include "rclcpp/logging.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp {

namespace {

class SignalHandlers {
 public:
  static SignalHandlers& instance() {
    static SignalHandlers handlers;
    return handlers;
  }

  bool install(SignalHandlerOptions signals) {
    std::lock_guard lock(mutex_);
    if (installed_ || signals == SignalHandlerOptions::None) {
      return false;
    }
    if (thread_.joinable()) {
      thread_.join();  // of the time before, if that ended inside this thread
    }
    stop_ = false;
    thread_ = std::thread(&SignalHandlers::serve, this);
    if (signals != SignalHandlerOptions::SigTerm) {
      replace(SIGINT);
    }
    if (signals != SignalHandlerOptions::SigInt) {
      replace(SIGTERM);
    }
    installed_ = true;
    return true;
  }

  bool uninstall() {
    std::unique_lock lock(mutex_);
    if (!installed_) {
      return false;
    }
    for (auto& [number, before] : replaced_) {
      if (number != 0) {
        sigaction(number, &before, nullptr);
        number = 0;
      }
    }
    installed_ = false;
    stop_ = true;
    sem_post(&semaphore_);
    // The thread itself comes here if a callback that it calls at shutdown calls rclcpp::shutdown.
    if (thread_.get_id() != std::this_thread::get_id()) {
      std::thread ended = std::move(thread_);
      lock.unlock();  // or else that very thread could wait for us
      ended.join();
    }
    return true;
  }

  bool installed() {
    std::lock_guard lock(mutex_);
    return installed_;
  }

 private:
  struct Replaced {
    int number = 0;
    struct sigaction before {};
  };

  SignalHandlers() {
    sem_init(&semaphore_, 0, 0);
    contexts::get_global_default_context();  // made before this, so that it is destroyed after this
  }
  ~SignalHandlers() {
    uninstall();
    if (thread_.joinable()) {
      thread_.join();
    }
    sem_destroy(&semaphore_);
  }

  void replace(int number) {
    Replaced& replaced = replaced_[number == SIGINT ? 0 : 1];
    struct sigaction action {};
    action.sa_sigaction = &SignalHandlers::handle;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    // Known before the handler is there, which may be called at once.
    sigaction(number, nullptr, &replaced.before);
    sigaction(number, &action, nullptr);
    replaced.number = number;
  }

  static void handle(int number, siginfo_t* info, void* context) {
    const int saved_errno = errno;
    SignalHandlers& self = instance();
    const struct sigaction& before = self.replaced_[number == SIGINT ? 0 : 1].before;
    if (before.sa_flags & SA_SIGINFO) {
      if (before.sa_sigaction) {
        before.sa_sigaction(number, info, context);
      }
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(number);
    }
    self.number_ = number;
    sem_post(&self.semaphore_);
    errno = saved_errno;
  }

  void serve() {
    while (true) {
      while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
      }
      if (const int number = number_.exchange(0)) {
        RCLCPP_INFO(get_logger("rclcpp"), "got signal %d", number);
        for (const auto& context : detail::contexts_to_end_on_signal()) {
          context->shutdown("signal");
        }
      }
      if (stop_) {
        return;
      }
    }
  }

  std::mutex mutex_;
  bool installed_ = false;
  std::array<Replaced, 2> replaced_;
  std::thread thread_;
  sem_t semaphore_;
  std::atomic<bool> stop_{false};
  std::atomic<int> number_{0};
};

}  // namespace

bool install_signal_handlers(SignalHandlerOptions signals) {
  return SignalHandlers::instance().install(signals);
}

bool signal_handlers_installed() { return SignalHandlers::instance().installed(); }

bool uninstall_signal_handlers() { return SignalHandlers::instance().uninstall(); }

}  // namespace rclcpp
