// SPDX-License-Identifier: Apache-2.0
#include "stamp_guard.hpp"

namespace rbd_parallel_ros {
namespace {

/// b - a without overflow: stamps come from outside.
double from_to(std::int64_t a, std::int64_t b) {
  return static_cast<double>(b) - static_cast<double>(a);
}

}  // namespace

Refusal StampGuard::check(RosNanoseconds stamp, RosNanoseconds now) {
  const auto timeout = static_cast<double>(timeout_);
  if (stamp <= 0) return Refusal::stamp_missing;
  if (from_to(stamp, now) > timeout) return Refusal::stamp_old;
  if (from_to(now, stamp) > timeout) return Refusal::stamp_ahead;
  if (last_) {
    const double step = from_to(*last_, stamp);
    if (step > timeout || step < -timeout) {
      last_ = stamp;
      return Refusal::clock_jumped;
    }
    if (stamp <= *last_) return Refusal::stamp_backwards;
  }
  last_ = stamp;
  return Refusal::none;
}

}  // namespace rbd_parallel_ros
