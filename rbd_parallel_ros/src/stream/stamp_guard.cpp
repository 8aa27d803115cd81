// SPDX-License-Identifier: Apache-2.0
#include "stamp_guard.hpp"

namespace rbd_parallel_ros {
namespace {

/// b - a without overflow: stamps come from outside.
double from_to(std::int64_t a, std::int64_t b) {
  return static_cast<double>(b) - static_cast<double>(a);
}

}  // namespace

Refusal StampGuard::check(RosNanoseconds stamp, const Now& now) {
  const auto timeout = static_cast<double>(timeout_);
  if (stamp <= 0) return Refusal::stamp_missing;
  if (from_to(stamp, now.ros) > timeout) return Refusal::stamp_old;
  if (from_to(now.ros, stamp) > timeout) return Refusal::stamp_ahead;
  const std::optional<Seen> before = last_;
  // A publisher that stamped into the future is no clock that went back: its stamps have to catch
  // up. Only a clock that went back itself makes earlier stamps the right ones.
  const bool clock_went_back = before && from_to(now.ros, before->at.ros) > timeout;
  if (before && stamp <= before->stamp && !clock_went_back) return Refusal::stamp_backwards;
  last_ = {stamp, now};
  if (!before) return Refusal::none;
  // A pause is no jump: stamps go on as the steady clock does, give or take the time-out.
  const double furthest = from_to(before->at.steady, now.steady) + timeout;
  const double step = from_to(before->stamp, stamp);
  return stamp <= before->stamp || step > furthest ? Refusal::clock_jumped : Refusal::none;
}

}  // namespace rbd_parallel_ros
