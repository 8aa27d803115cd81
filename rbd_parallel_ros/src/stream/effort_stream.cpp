// SPDX-License-Identifier: Apache-2.0
#include "effort_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;

template <class Number>
void increment(std::atomic<Number>& counter) {
  counter.fetch_add(1, std::memory_order_release);
}

RosNanoseconds nanoseconds_of(const builtin_interfaces::msg::Time& time) {
  return std::int64_t{time.sec} * 1'000'000'000 + std::int64_t{time.nanosec};
}

/// When something that is stamped so is too old; a stamp ahead of the clock counts as one of now.
SteadyNanoseconds end_of(RosNanoseconds stamp, std::int64_t timeout, const Now& now) {
  return now.steady + timeout - std::max<std::int64_t>(now.ros - stamp, 0);
}

/// N m or N; infinite where the URDF gives none.
std::vector<double> effort_limits(const core::Model& model, const JointSelection& joints) {
  std::vector<double> limits;
  for (const std::string& name : joints.names) {
    const core::Joint& joint = model.joints()[static_cast<std::size_t>(*model.find_joint(name))];
    const double limit = joint.limits ? joint.limits->effort : 0;
    limits.push_back(limit > 0 ? limit : std::numeric_limits<double>::infinity());
  }
  return limits;
}

JointStateReader::Velocity use_of_velocity(const StreamSettings& settings) {
  using Velocity = JointStateReader::Velocity;
  if (settings.mode == EffortMode::gravity) return Velocity::unused;
  return settings.missing_velocity == MissingVelocity::zero ? Velocity::zero_where_missing
                                                            : Velocity::needed;
}

}  // namespace

EffortStream::EffortStream(std::shared_ptr<core::Backend> backend, const JointTable& joints,
                           const StreamSettings& settings)
    : settings_(settings),
      joints_(joints.all()),
      floating_base_(joints.floating_base()),
      reader_(joints_),
      stamps_(settings.input_timeout),
      base_stamps_(settings.input_timeout),
      reference_stamps_(settings.reference_timeout),
      backend_(std::make_unique<std::shared_ptr<core::Backend>>(std::move(backend))),
      q_(joints.rest_position()),
      v_(joints.nv()),
      a_(joints.nv()),
      tau_(joints.nv()),
      reference_(joints.nv()),
      next_reference_(joints.nv()),
      effort_(joints_.names.size()),
      limits_(effort_limits((*backend_)->model(), joints_)) {}

void EffortStream::restart(SteadyNanoseconds now) {
  stamps_.reset();
  base_stamps_.reset();
  reference_stamps_.reset();
  base_came_ = false;
  base_until_ = reference_until_ = 0;
  fresh_until_ = now + settings_.input_timeout;
  counts_.stale = false;  // until the time is over
  counts_.states.standing = Refusal::none;
}

Refusal InputStatistics::count(Refusal refusal) {
  standing = refusal;
  if (refusal == Refusal::none) return refusal;
  // The reason first: diagnostics that see the count must be able to tell it.
  last = refusal;
  increment(refused[static_cast<std::size_t>(refusal)]);
  return refusal;
}

Refusal EffortStream::take(const sensor_msgs::msg::JointState& state, const Now& now) {
  if (reader_.is_for_others(state)) {
    increment(counts_.states.refused[static_cast<std::size_t>(Refusal::other_joints)]);
    return Refusal::other_joints;
  }
  next_backend_.take(backend_);
  increment(counts_.received);
  Refusal refusal = read(state, now);
  if (refusal == Refusal::none) refusal = compute(now);
  if (counts_.states.count(refusal) != Refusal::none) return refusal;
  fresh_until_ = now.steady + settings_.input_timeout;
  counts_.stale = false;
  increment(counts_.computed);
  return Refusal::none;
}

Refusal EffortStream::read(const sensor_msgs::msg::JointState& state, const Now& now) {
  // The stamp last: one of a message that cannot be used must not shut out those that can.
  const Refusal unreadable = reader_.read(state, use_of_velocity(settings_), q_, v_);
  if (unreadable != Refusal::none) {
    counts_.last_joint = reader_.index_at_fault();
    return unreadable;
  }
  const Refusal late = stamps_.check(nanoseconds_of(state.header.stamp), now);
  if (late != Refusal::none) return late;
  if (!floating_base_) return Refusal::none;
  if (!base_came_) return Refusal::base_missing;
  return now.steady > base_until_ ? Refusal::base_old : Refusal::none;
}

void EffortStream::find_accelerations(SteadyNanoseconds now) {
  if (now <= reference_until_) {
    a_ = reference_;
  } else {
    std::fill(a_.begin(), a_.end(), 0.0);
    increment(counts_.without_reference);
  }
}

Refusal EffortStream::compute(const Now& now) {
  core::StateStatus status;
  const std::span<core::StateStatus> statuses(&status, 1);
  core::Backend& backend = **backend_;
  core::Result result;
  switch (settings_.mode) {
    case EffortMode::off:
      return Refusal::backend_failed;
    case EffortMode::gravity:
      result =
          backend.gravity_forces({.batch = 1, .q = q_, .v = {}, .tau = tau_, .status = statuses});
      break;
    case EffortMode::bias:
      result = backend.bias_forces({.batch = 1, .q = q_, .v = v_, .tau = tau_, .status = statuses});
      break;
    case EffortMode::inverse_dynamics:
      find_accelerations(now.steady);
      result = backend.inverse_dynamics(
          {.batch = 1, .q = q_, .v = v_, .a = a_, .tau = tau_, .status = statuses});
      break;
  }
  if (!result.ok()) return Refusal::backend_failed;
  if (!status.ok()) return Refusal::effort_not_finite;
  return put_effort();
}

Refusal EffortStream::put_effort() {
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    const double effort = tau_[joints_.v[i]];
    if (!std::isfinite(effort)) return Refusal::effort_not_finite;
    const bool beyond = settings_.limits != EffortLimits::off && std::abs(effort) > limits_[i];
    effort_[i] = beyond && settings_.limits == EffortLimits::clamp
                     ? std::copysign(limits_[i], effort)
                     : effort;
    if (beyond) {
      increment(counts_.beyond_limits);
      counts_.beyond_limit_joint = static_cast<int>(i);
    }
  }
  return Refusal::none;
}

bool EffortStream::has_become_stale(SteadyNanoseconds now) {
  if (now <= fresh_until_ || counts_.stale) return false;
  counts_.stale = true;
  increment(counts_.times_stale);
  return true;
}

Refusal EffortStream::take(const nav_msgs::msg::Odometry& base, const Now& now) {
  return counts_.bases.count(read(base, now));
}

Refusal EffortStream::read(const nav_msgs::msg::Odometry& base, const Now& now) {
  const auto& [position, orientation] = base.pose.pose;
  const auto& [linear, angular] = base.twist.twist;
  const std::array pose{position.x,    position.y,    position.z,   orientation.x,
                        orientation.y, orientation.z, orientation.w};
  const std::array twist{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  const auto finite = [](const auto& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(pose) || !finite(twist)) return Refusal::not_finite;
  const double norm = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
  if (std::abs(norm - 1) > 0.01) return Refusal::not_a_rotation;
  const RosNanoseconds stamp = nanoseconds_of(base.header.stamp);
  const Refusal late = base_stamps_.check(stamp, now);
  if (late != Refusal::none) return late;
  if (!floating_base_) return Refusal::none;
  std::copy(pose.begin(), pose.end(), q_.begin());
  std::copy(twist.begin(), twist.end(), v_.begin());
  base_until_ = end_of(stamp, settings_.input_timeout, now);
  base_came_ = true;
  return Refusal::none;
}

Refusal EffortStream::take(const rbd_parallel_msgs::msg::AccelerationReference& reference,
                           const Now& now) {
  return counts_.references.count(read(reference, now));
}

Refusal EffortStream::read(const rbd_parallel_msgs::msg::AccelerationReference& reference,
                           const Now& now) {
  if (reference.joint_names.size() != reference.acceleration.size()) return Refusal::wrong_size;
  constexpr double not_named = std::numeric_limits<double>::quiet_NaN();
  std::fill(next_reference_.begin(), next_reference_.end(), not_named);
  for (std::size_t i = 0; i < reference.joint_names.size(); ++i) {
    const auto found =
        std::find(joints_.names.begin(), joints_.names.end(), reference.joint_names[i]);
    if (found == joints_.names.end()) return Refusal::unknown_joint;
    if (!std::isfinite(reference.acceleration[i])) return Refusal::not_finite;
    const auto index = static_cast<std::size_t>(found - joints_.names.begin());
    double& place = next_reference_[joints_.v[index]];
    if (!std::isnan(place)) return Refusal::duplicate_joint;
    place = reference.acceleration[i];
  }
  const RosNanoseconds stamp = nanoseconds_of(reference.header.stamp);
  const Refusal late = reference_stamps_.check(stamp, now);
  if (late != Refusal::none) return late;
  std::replace_if(
      next_reference_.begin(), next_reference_.end(), [](double x) { return std::isnan(x); }, 0.0);
  std::swap(reference_, next_reference_);
  reference_until_ = end_of(stamp, settings_.reference_timeout, now);
  return Refusal::none;
}

void EffortStream::replace_backend(std::shared_ptr<core::Backend> backend) {
  next_backend_.offer(std::make_unique<std::shared_ptr<core::Backend>>(std::move(backend)));
}

}  // namespace rbd_parallel_ros
