// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core {

/// q' = dq/dt where q moves with the rates v: what `integrate` does for an instant. For joints of
/// one coordinate that is v; positions turn with the body, quaternions by q' = q (w, 0) / 2. A
/// quaternion of any length keeps it. q, v: readers of nq and nv numbers; rates: writer of nq.
template <class S, class Real, class Q, class V, class Out>
RBD_INLINE void coordinate_rates(const ModelView<Real>& model, const Q& q, const V& v,
                                 const Out& rates) {
  const S half(RealOf<S>(0.5));
  const auto turn_quaternion = [&](std::int32_t at, const Vec3<S>& w) RBD_INLINE_LAMBDA {
    const Vec3<S> r{q(at), q(at + 1), q(at + 2)};
    const S s = q(at + 3);
    const Vec3<S> change = half * (s * w + cross(r, w));
    rates.store(at, change.x);
    rates.store(at + 1, change.y);
    rates.store(at + 2, change.z);
    rates.store(at + 3, -half * dot(r, w));
  };
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t at = body.q_index, k = body.v_index;
    switch (body.type) {
      case JointType::planar: {
        S s, c;
        ScalarTraits<S>::sincos(q(at + 2), s, c);
        rates.store(at, mul_mul_sub(c, v(k), s, v(k + 1)));
        rates.store(at + 1, mul_mul_add(s, v(k), c, v(k + 1)));
        rates.store(at + 2, v(k + 2));
        break;
      }
      case JointType::spherical:
        turn_quaternion(at, {v(k), v(k + 1), v(k + 2)});
        break;
      case JointType::floating: {
        const Mat3<S> E = rotation_from_quaternion(q(at + 3), q(at + 4), q(at + 5), q(at + 6));
        const Vec3<S> move = transpose_times(E, Vec3<S>{v(k), v(k + 1), v(k + 2)});
        rates.store(at, move.x);
        rates.store(at + 1, move.y);
        rates.store(at + 2, move.z);
        turn_quaternion(at + 3, {v(k + 3), v(k + 4), v(k + 5)});
        break;
      }
      default:  // a mimic joint names the coordinate that it follows, once more
        rates.store(at, v(k));
    }
  }
}

}  // namespace rbd_parallel_core
