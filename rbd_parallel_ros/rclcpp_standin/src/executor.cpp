// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/executor.hpp"

#include <algorithm>
#include <stdexcept>

#include "rclcpp/node.hpp"

namespace rclcpp {

using node_interfaces::NodeBaseInterface;
using std::chrono::nanoseconds;

namespace {

// Marks a node or a group as belonging to an executor.
void claim(std::atomic_bool& associated, const std::string& what) {
  if (associated.exchange(true)) {
    throw std::runtime_error(what + " belongs to an executor already; remove it from that first");
  }
}

size_t& count_of(detail::Entity::Kind kind, detail::WaitSet::Sizes& sizes) {
  switch (kind) {
    case detail::Entity::Kind::Timer:
      return sizes.timers;
    case detail::Entity::Kind::Subscription:
      return sizes.subscriptions;
    case detail::Entity::Kind::Service:
      return sizes.services;
    default:
      return sizes.clients;
  }
}

std::string quoted(const NodeBaseInterface& node) {
  return std::string("the node '") + node.get_fully_qualified_name() + "'";
}

}  // namespace

Executor::Spinning::Spinning(Executor& executor) : executor_(executor) {
  if (executor_.spinning_.exchange(true)) {
    throw std::runtime_error("the executor is spinning already; one spin at a time");
  }
}

Executor::Executor(const ExecutorOptions& options)
    : context_(options.context),
      interrupt_(std::make_shared<GuardCondition>(context_)),
      wait_set_(context_->get_rcl_context()) {
  std::weak_ptr<GuardCondition> weak = interrupt_;
  shutdown_callback_ = context_->add_on_shutdown_callback([weak] {
    if (auto interrupt = weak.lock()) {
      interrupt->trigger();
    }
  });
}

Executor::~Executor() {
  context_->remove_on_shutdown_callback(shutdown_callback_);
  for (const auto& weak : nodes_) {
    if (auto node = weak.lock()) {
      node->get_associated_with_executor_atomic() = false;
    }
  }
  for (const auto& added : groups_) {
    if (auto group = added.group.lock()) {
      group->get_associated_with_executor_atomic() = false;
    }
  }
}

void Executor::add_callback_group(CallbackGroup::SharedPtr group, NodeBaseInterface::SharedPtr node,
                                  bool notify) {
  claim(group->get_associated_with_executor_atomic(), "the callback group");
  {
    std::lock_guard lock(nodes_mutex_);
    groups_.push_back({group, node});
  }
  if (notify) {
    wake_up();
  }
}

void Executor::remove_callback_group(CallbackGroup::SharedPtr group, bool notify) {
  {
    std::lock_guard lock(nodes_mutex_);
    if (std::erase_if(groups_, [&](const auto& added) { return added.group.lock() == group; }) ==
        0) {
      throw std::runtime_error("the callback group does not belong to this executor");
    }
  }
  group->get_associated_with_executor_atomic() = false;
  if (notify) {
    wake_up();
  }
}

void Executor::add_node(NodeBaseInterface::SharedPtr node, bool notify) {
  claim(node->get_associated_with_executor_atomic(), quoted(*node));
  {
    std::lock_guard lock(nodes_mutex_);
    nodes_.push_back(node);
  }
  if (notify) {
    wake_up();
  }
}

void Executor::remove_node(NodeBaseInterface::SharedPtr node, bool notify) {
  {
    std::lock_guard lock(nodes_mutex_);
    if (std::erase_if(nodes_, [&](const auto& weak) { return weak.lock() == node; }) == 0) {
      throw std::runtime_error(quoted(*node) + " does not belong to this executor");
    }
  }
  node->get_associated_with_executor_atomic() = false;
  if (notify) {
    wake_up();
  }
}

void Executor::add_node(Node::SharedPtr node, bool notify) {
  add_node(node->get_node_base_interface(), notify);
}

void Executor::remove_node(Node::SharedPtr node, bool notify) {
  remove_node(node->get_node_base_interface(), notify);
}

void Executor::cancel() {
  spinning_ = false;
  wake_up();
}

// What there is to wait for: of the groups that may start a callback now.
void Executor::collect() {
  waited_.clear();
  notifiers_.clear();
  const auto add_group = [this](const CallbackGroup::SharedPtr& group) {
    if (group->can_be_taken_from()) {
      group->for_each([&](std::shared_ptr<detail::Entity> entity) {
        waited_.push_back({{std::move(entity), group}, 0});
      });
    }
  };
  std::lock_guard lock(nodes_mutex_);
  std::erase_if(nodes_, [](const auto& weak) { return weak.expired(); });
  std::erase_if(groups_,
                [](const auto& added) { return added.group.expired() || added.node.expired(); });
  for (const auto& weak : nodes_) {
    if (auto node = weak.lock()) {
      notifiers_.push_back(node->get_shared_notify_guard_condition());
      node->for_each_callback_group([&](const CallbackGroup::SharedPtr& group) {
        if (group->automatically_add_to_executor_with_node() &&
            !group->get_associated_with_executor_atomic()) {
          add_group(group);
        }
      });
    }
  }
  for (const auto& added : groups_) {
    auto group = added.group.lock();
    auto node = added.node.lock();
    if (group && node) {
      notifiers_.push_back(node->get_shared_notify_guard_condition());
      add_group(group);
    }
  }
  std::stable_sort(waited_.begin(), waited_.end(), [](const Waited& left, const Waited& right) {
    return left.executable.entity->kind() < right.executable.entity->kind();
  });
}

void Executor::wait(nanoseconds timeout) {
  ready_.clear();  // what is left there could not run; it is still ready when its group is free
  collect();
  detail::WaitSet::Sizes sizes{.guard_conditions = notifiers_.size() + 1};
  for (const auto& waited : waited_) {
    ++count_of(waited.executable.entity->kind(), sizes);
  }
  wait_set_.empty(sizes);
  for (auto& waited : waited_) {
    waited.place = waited.executable.entity->add_to(wait_set_.get());
  }
  wait_set_.add(*interrupt_);
  for (const auto& notifier : notifiers_) {
    wait_set_.add(*notifier);
  }
  wait_set_.wait(timeout);
  for (auto& waited : waited_) {
    if (waited.executable.entity->is_ready_in(wait_set_.get(), waited.place)) {
      ready_.push_back(std::move(waited.executable));
    }
  }
  // What is not ready may be destroyed from now on by whoever owns it.
  waited_.clear();
  notifiers_.clear();
}

bool Executor::take_ready(detail::Executable& executable) {
  for (auto candidate = ready_.begin(); candidate != ready_.end();) {
    CallbackGroup& group = *candidate->group;
    if (!group.can_be_taken_from()) {
      ++candidate;
      continue;
    }
    executable = std::move(*candidate);
    candidate = ready_.erase(candidate);
    if (executable.entity->claim()) {
      if (group.type() == CallbackGroupType::MutuallyExclusive) {
        group.can_be_taken_from() = false;
      }
      return true;
    }
    executable = {};
  }
  return false;
}

bool Executor::next_executable(detail::Executable& executable, nanoseconds timeout) {
  std::lock_guard lock(wait_mutex_);
  if (take_ready(executable)) {
    return true;
  }
  if (!spinning_ || !context_->is_valid()) {
    return false;  // the end came while this thread stood in line
  }
  wait(timeout);
  return spinning_ && take_ready(executable);
}

void Executor::execute(const detail::Executable& executable) {
  // Frees the group even if the callback throws.
  struct Free {
    CallbackGroup& group;
    ~Free() {
      if (group.type() == CallbackGroupType::MutuallyExclusive) {
        group.can_be_taken_from() = true;
      }
    }
  } free{*executable.group};
  executable.entity->execute();
}

void Executor::spin_some(nanoseconds max_duration) { spin_some_impl(max_duration, false); }

void Executor::spin_all(nanoseconds max_duration) {
  if (max_duration < nanoseconds::zero()) {
    throw std::invalid_argument("max_duration is negative, expected at least 0");
  }
  spin_some_impl(max_duration, true);
}

void Executor::spin_some_impl(nanoseconds max_duration, bool exhaustive) {
  const auto start = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return max_duration == nanoseconds::zero() ||
           std::chrono::steady_clock::now() - start < max_duration;
  };
  Spinning spinning(*this);
  bool waited = false;
  while (spinning_ && context_->is_valid() && in_time()) {
    detail::Executable executable;
    {
      std::lock_guard lock(wait_mutex_);
      if (!waited) {
        wait(nanoseconds::zero());
        waited = true;
      }
      if (!take_ready(executable)) {
        if (!exhaustive) {
          return;
        }
        wait(nanoseconds::zero());
        if (!take_ready(executable)) {
          return;
        }
      }
    }
    execute(executable);
  }
}

void Executor::spin_once(nanoseconds timeout) {
  Spinning spinning(*this);
  detail::Executable executable;
  if (next_executable(executable, timeout)) {
    execute(executable);
  }
}

void Executor::spin_node_some(NodeBaseInterface::SharedPtr node) {
  add_node(node, false);
  spin_some();
  remove_node(node, false);
}

void Executor::spin_node_some(Node::SharedPtr node) {
  spin_node_some(node->get_node_base_interface());
}

FutureReturnCode Executor::spin_until(const std::function<bool()>& done, nanoseconds timeout) {
  if (done()) {
    return FutureReturnCode::SUCCESS;
  }
  const auto start = std::chrono::steady_clock::now();
  Spinning spinning(*this);
  nanoseconds left = timeout;
  while (spinning_ && context_->is_valid()) {
    detail::Executable executable;
    if (next_executable(executable, left)) {
      execute(executable);
      executable = {};
    }
    if (done()) {
      return FutureReturnCode::SUCCESS;
    }
    if (timeout >= nanoseconds::zero()) {
      left = timeout - (std::chrono::steady_clock::now() - start);
      if (left <= nanoseconds::zero()) {
        return FutureReturnCode::TIMEOUT;
      }
    }
  }
  return FutureReturnCode::INTERRUPTED;
}

}  // namespace rclcpp
