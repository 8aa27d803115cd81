// SPDX-License-Identifier: Apache-2.0
// What an executor waits for, and the owner of the rcl object behind it.
#pragma once

#include <rcl/node.h>
#include <rcl/wait.h>

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

using NodeHandle = std::shared_ptr<rcl_node_t>;

/// A timer, subscription, service or client, as an executor sees it.
class Entity {
 public:
  /// In the order in which an executor serves what is ready at the same time.
  enum class Kind { Timer, Subscription, Service, Client };

  virtual ~Entity() = default;

  virtual Kind kind() const = 0;
  /// Adds itself to a wait set and returns its place there.
  virtual size_t add_to(rcl_wait_set_t& wait_set) const = 0;
  virtual bool is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const = 0;
  /// Called once before execute, by one thread at a time: false if there is nothing to be done
  /// after all.
  virtual bool claim() { return true; }
  virtual void execute() = 0;
};

/// Adds an object to a wait set, with rcl's function for its kind; returns its place there.
template <typename ObjectT>
size_t place_in(rcl_wait_set_t& wait_set, const ObjectT* object,
                rcl_ret_t (*add)(rcl_wait_set_t*, const ObjectT*, size_t*)) {
  size_t place = 0;
  check(add(&wait_set, object, &place), "no room in the wait set");
  return place;
}

/// Whether rcl took something; `nothing` is how it says that there was nothing, perhaps since
/// another thread was faster.
inline bool taken(rcl_ret_t ret, rcl_ret_t nothing, const char* what) {
  if (ret == nothing) {
    rcl_reset_error();
    return false;
  }
  check(ret, std::string(what) + " cannot be taken");
  return true;
}

/// Logs that an rcl object could not be ended; a destructor cannot throw.
void report_fini_error(const char* what) noexcept;

/// Owns an rcl object that belongs to a node, and keeps the node alive as long.
template <typename ObjectT, rcl_ret_t (*fini)(ObjectT*, rcl_node_t*)>
class NodeOwned {
 public:
  NodeOwned(NodeHandle node, ObjectT zero_initialized)
      : node_(std::move(node)), object_(zero_initialized) {}
  NodeOwned(const NodeOwned&) = delete;
  NodeOwned& operator=(const NodeOwned&) = delete;
  ~NodeOwned() {
    // rcl's fini functions accept an object whose init failed.
    if (fini(&object_, node_.get()) != RCL_RET_OK) {
      report_fini_error("an object of a node");
    }
  }

  ObjectT* get() { return &object_; }
  const ObjectT* get() const { return &object_; }
  const NodeHandle& node() const { return node_; }

 private:
  NodeHandle node_;
  ObjectT object_;
};

/// As check, for calls that take the name of a topic or service.
void check_topic(rcl_ret_t ret, const std::string& topic, const std::string& what);
void check_service(rcl_ret_t ret, const std::string& service, const std::string& what);

}  // namespace rclcpp::detail
