// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/client.h>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <rosidl_runtime_cpp/traits.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

namespace detail {

/// A future together with the number of the request that it belongs to.
template <typename FutureT>
struct FutureAndRequestId {
  FutureT future;
  int64_t request_id;

  FutureAndRequestId(FutureT the_future, int64_t id)
      : future(std::move(the_future)), request_id(id) {}

  auto get() { return future.get(); }
  bool valid() const noexcept { return future.valid(); }
  void wait() const { future.wait(); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& timeout) const {
    return future.wait_for(timeout);
  }
  template <class Clock, class Duration>
  std::future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return future.wait_until(time);
  }
};

}  // namespace detail

/// What clients of all types have in common.
class ClientBase : public detail::Entity, public std::enable_shared_from_this<ClientBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ClientBase)

  ClientBase(detail::NodeHandle node, Context::SharedPtr context, const std::string& service,
             const rosidl_service_type_support_t& type_support, const QoS& qos);

  const char* get_service_name() const { return rcl_client_get_service_name(client_.get()); }
  bool service_is_ready() const;
  /// Waits until there is a server; a negative time is for ever. False at the end of the time or of
  /// the context.
  template <typename Rep = int64_t, typename Period = std::milli>
  bool wait_for_service(
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return wait_for_service_nanoseconds(
        std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  Kind kind() const override { return Kind::Client; }
  size_t add_to(rcl_wait_set_t& wait_set) const override;
  bool is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const override;

 protected:
  int64_t send_request(const void* request);
  bool take_response(void* response, rmw_request_id_t& id);

 private:
  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);

  Context::SharedPtr context_;
  detail::NodeOwned<rcl_client_t, rcl_client_fini> client_;
};

template <typename ServiceT>
class Client : public ClientBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Client<ServiceT>)

  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Promise = std::promise<SharedResponse>;
  using SharedPromise = std::shared_ptr<Promise>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using CallbackType = std::function<void(SharedFuture)>;
  using CallbackWithRequestType =
      std::function<void(std::shared_future<std::pair<SharedRequest, SharedResponse>>)>;

  struct FutureAndRequestId : detail::FutureAndRequestId<Future> {
    using detail::FutureAndRequestId<Future>::FutureAndRequestId;
    SharedFuture share() noexcept { return this->future.share(); }
  };
  struct SharedFutureAndRequestId : detail::FutureAndRequestId<SharedFuture> {
    using detail::FutureAndRequestId<SharedFuture>::FutureAndRequestId;
  };

  Client(detail::NodeHandle node, Context::SharedPtr context, const std::string& service,
         const QoS& qos)
      : ClientBase(std::move(node), std::move(context), service,
                   *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), qos) {
    static_assert(rosidl_generator_traits::is_service<ServiceT>::value, "not a service type");
  }

  FutureAndRequestId async_send_request(SharedRequest request) {
    Promise promise;
    Future future = promise.get_future();
    const int64_t id =
        send(*request, [promise = std::make_shared<Promise>(std::move(promise))](
                           SharedResponse response) { promise->set_value(std::move(response)); });
    return FutureAndRequestId(std::move(future), id);
  }

  /// The callback gets the future, which is ready then.
  template <typename CallbackT>
  requires std::is_invocable_v<CallbackT&, SharedFuture> SharedFutureAndRequestId
  async_send_request(SharedRequest request, CallbackT&& callback) {
    auto promise = std::make_shared<Promise>();
    SharedFuture future = promise->get_future().share();
    const int64_t id = send(
        *request, [promise, future, callback = CallbackType(std::forward<CallbackT>(callback))](
                      SharedResponse response) {
          promise->set_value(std::move(response));
          callback(future);
        });
    return SharedFutureAndRequestId(std::move(future), id);
  }

  /// Forgets a request whose response is not awaited any more.
  bool remove_pending_request(int64_t request_id) {
    std::lock_guard lock(mutex_);
    return pending_.erase(request_id) != 0;
  }
  bool remove_pending_request(const FutureAndRequestId& future) {
    return remove_pending_request(future.request_id);
  }
  bool remove_pending_request(const SharedFutureAndRequestId& future) {
    return remove_pending_request(future.request_id);
  }
  size_t prune_pending_requests() {
    std::lock_guard lock(mutex_);
    const size_t count = pending_.size();
    pending_.clear();
    return count;
  }
  size_t prune_requests_older_than(std::chrono::time_point<std::chrono::system_clock> time,
                                   std::vector<int64_t>* pruned = nullptr) {
    std::lock_guard lock(mutex_);
    return std::erase_if(pending_, [&](const auto& entry) {
      const bool old = entry.second.sent < time;
      if (old && pruned) {
        pruned->push_back(entry.first);
      }
      return old;
    });
  }

  void execute() override {
    auto response = std::make_shared<Response>();
    rmw_request_id_t id;
    if (!take_response(response.get(), id)) {
      return;
    }
    Answer answer;
    {
      std::lock_guard lock(mutex_);
      auto entry = pending_.find(id.sequence_number);
      if (entry == pending_.end()) {
        return;  // forgotten by remove_pending_request
      }
      answer = std::move(entry->second.answer);
      pending_.erase(entry);
    }
    answer(std::move(response));
  }

 private:
  using Answer = std::function<void(SharedResponse)>;
  struct Pending {
    std::chrono::time_point<std::chrono::system_clock> sent;
    Answer answer;
  };

  int64_t send(const Request& request, Answer answer) {
    // The response may arrive before send_request has returned: execute waits for this lock.
    std::lock_guard lock(mutex_);
    const int64_t id = send_request(&request);
    pending_.emplace(id, Pending{std::chrono::system_clock::now(), std::move(answer)});
    return id;
  }

  std::mutex mutex_;
  std::map<int64_t, Pending> pending_;
};

}  // namespace rclcpp
