// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robots.hpp"

namespace rbd_parallel_ros::testing {

/// A request of random numbers for the floating quadruped, and the same numbers as the core takes
/// them: q batch x 19; v, a and tau batch x 18; two wrenches of 6 for each state. It has
/// the accelerations and the efforts that its type has room for.
template <class Request>
struct FloatingRequest {
  explicit FloatingRequest(std::size_t batch)
      : q(random_numbers(batch * 19, 1)),
        v(random_numbers(batch * 18, 2)),
        a(random_numbers(batch * 18, 3)),
        tau(random_numbers(batch * 18, 5)),
        wrenches(random_numbers(batch * 12, 4)) {
    for (std::size_t s = 0; s < batch; ++s) {
      const double *qs = &q[s * 19], *vs = &v[s * 18], *as = &a[s * 18], *ws = &wrenches[s * 12];
      request.position.insert(request.position.end(), qs + 7, qs + 19);
      request.velocity.insert(request.velocity.end(), vs + 6, vs + 18);
      request.acceleration.insert(request.acceleration.end(), as + 6, as + 18);
      put(qs, request.base_pose.emplace_back().position);
      put(qs + 3, request.base_pose.back().orientation);
      request.base_pose.back().orientation.w = qs[6];
      put(vs, request.base_twist.emplace_back().linear);
      put(vs + 3, request.base_twist.back().angular);
      put(as, request.base_acceleration.emplace_back().linear);
      put(as + 3, request.base_acceleration.back().angular);
      for (const double* wrench : {ws, ws + 6}) {
        put(wrench, request.external_wrenches.emplace_back().force);
        put(wrench + 3, request.external_wrenches.back().torque);
      }
      if constexpr (requires { request.effort; }) {
        const double* taus = &tau[s * 18];
        request.effort.insert(request.effort.end(), taus + 6, taus + 18);
        put(taus, request.base_wrench.emplace_back().force);
        put(taus + 3, request.base_wrench.back().torque);
      }
    }
  }

  std::vector<double> q, v, a, tau, wrenches;
  Request request;

 private:
  template <class Vector>
  static void put(const double* from, Vector& to) {
    to.x = from[0];
    to.y = from[1];
    to.z = from[2];
  }
};

}  // namespace rbd_parallel_ros::testing
