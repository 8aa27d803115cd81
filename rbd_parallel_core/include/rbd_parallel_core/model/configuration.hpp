// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/spatial/exponential.hpp"
#include "rbd_parallel_core/status.hpp"

/// Moving from one configuration to another. q has quaternions and angles that come round again, so
/// that configurations are neither added nor subtracted coordinate by coordinate: `integrate` goes
/// from q with the velocity v, `difference` is the velocity that leads from one q to another.
///
/// v is what it is everywhere: for floating, spherical and planar joints along the axes of the
/// moving body. A constant v there is a screw motion, which both follow exactly.
namespace rbd_parallel_core {

template <class Real>
struct BasicIntegration {
  std::size_t batch = 1;
  std::span<const Real> q;             ///< batch x nq; quaternions of any length but zero
  std::span<const Real> v;             ///< batch x nv
  Real dt = 1;                         ///< s, of all states
  std::span<Real> next = {};           ///< batch x nq, quaternions of length one; may be q itself
  std::span<StateStatus> status = {};  ///< batch, or empty
};
using Integration = BasicIntegration<double>;

template <class Real>
struct BasicDifference {
  std::size_t batch = 1;
  std::span<const Real> q0, q1;        ///< batch x nq; quaternions of any length but zero
  std::span<Real> v = {};              ///< batch x nv
  std::span<StateStatus> status = {};  ///< batch, or empty
};
using Difference = BasicDifference<double>;

/// Where q gets to with the constant velocity v in the time dt. A state with NaN, infinite numbers
/// or a zero quaternion gets NaN and the status not_finite; the others are computed.
template <class Real>
Result integrate(const Model& model, const BasicIntegration<Real>& args) noexcept;

/// The v that leads from q0 to q1 in a time of 1: integrate(q0, difference(q0, q1)) is q1, up to
/// the sign of quaternions and to whole turns of what comes round again: the angle of planar joints
/// and of continuous joints that no mimic joint follows. Takes the shorter way: turns by pi at
/// most. Bad states as above.
template <class Real>
Result difference(const Model& model, const BasicDifference<Real>& args) noexcept;

/// Draws configurations at random, the same for a seed on every machine up to rounding: uniformly
/// between the limits of a joint, those of the joints that follow it included; angles without
/// limits in -pi ... pi; shifts without limits, and those of floating and planar joints, in
/// -1 ... 1 m; all orientations alike.
/// q: batch x nq for any batch; the first states do not depend on how many follow. Throws
/// std::invalid_argument where the size is no multiple of nq.
void random_configurations(const Model& model, std::uint64_t seed, std::span<double> q);
/// Draws on from where the engine is: slices of a batch, one after the other, are the whole batch.
void random_configurations(const Model& model, std::mt19937_64& engine, std::span<double> q);

extern template Result integrate(const Model&, const BasicIntegration<double>&) noexcept;
extern template Result integrate(const Model&, const BasicIntegration<float>&) noexcept;
extern template Result difference(const Model&, const BasicDifference<double>&) noexcept;
extern template Result difference(const Model&, const BasicDifference<float>&) noexcept;

// ---- One joint. q(k), step(k) read its coordinates, out.store(k, value) writes; all coordinates
// are read before the first is written.

template <class S, class Q>
RBD_INLINE Quaternion<S> unit_quaternion(const Q& q, std::int32_t first) {
  return Quaternion<S>{{q(first), q(first + 1), q(first + 2)}, q(first + 3)}.normalised();
}

template <class S, class Out>
RBD_INLINE void store(const Vec3<S>& a, const Out& out, std::int32_t first) {
  out.store(first, a.x);
  out.store(first + 1, a.y);
  out.store(first + 2, a.z);
}

/// out = q moved by `step`, which is v dt. One coordinate: revolute, prismatic, helical.
template <class S, template <class> class AnyJoint, class Q, class Step, class Out>
RBD_INLINE void integrate_joint(const AnyJoint<S>&, const Q& q, const Step& step, const Out& out) {
  static_assert(AnyJoint<S>::nq == 1);
  out.store(0, q(0) + step(0));
}

/// An arc: the chord is as long as the arc times sin h / h and leaves at half the angle, h.
template <class S, class Q, class Step, class Out>
RBD_INLINE void integrate_joint(const PlanarJoint<S>&, const Q& q, const Step& step,
                                const Out& out) {
  const S h = S(RealOf<S>(0.5)) * step(2), x = q(0), y = q(1), angle = q(2);
  S sine_h, cosine_h, sine, cosine;
  ScalarTraits<S>::sincos(h, sine_h, cosine_h);
  ScalarTraits<S>::sincos(angle + h, sine, cosine);
  const S chord = sine_quotient(h, sine_h), dx = chord * step(0), dy = chord * step(1);
  const S turned = angle + step(2);
  out.store(0, x + mul_mul_sub(cosine, dx, sine, dy));
  out.store(1, y + mul_mul_add(sine, dx, cosine, dy));
  out.store(2, turned);
}

template <class S, class Q, class Step, class Out>
RBD_INLINE void integrate_joint(const SphericalJoint<S>&, const Q& q, const Step& step,
                                const Out& out) {
  const Quaternion<S> next =
      (unit_quaternion<S>(q, 0) * exponential(Vec3<S>{step(0), step(1), step(2)})).normalised();
  store(next.r, out, 0);
  out.store(3, next.w);
}

template <class S, class Q, class Step, class Out>
RBD_INLINE void integrate_joint(const FloatingJoint<S>&, const Q& q, const Step& step,
                                const Out& out) {
  const Quaternion<S> turn = unit_quaternion<S>(q, 3);
  const Displacement<S> moved =
      exponential(Motion<S>{{step(3), step(4), step(5)}, {step(0), step(1), step(2)}});
  const Vec3<S> position = Vec3<S>{q(0), q(1), q(2)} + turn.rotate(moved.shift);
  const Quaternion<S> next = (turn * moved.turn).normalised();
  store(position, out, 0);
  store(next.r, out, 3);
  out.store(6, next.w);
}

/// out = the step from q0 to q1. `periodic`: whole turns do not count.
template <class S, template <class> class AnyJoint, class Q0, class Q1, class Out>
RBD_INLINE void difference_of_joint(const AnyJoint<S>&, bool periodic, const Q0& q0, const Q1& q1,
                                    const Out& out) {
  static_assert(AnyJoint<S>::nq == 1);
  const S difference = q1(0) - q0(0);
  out.store(0, periodic ? shortest_turn(difference) : difference);
}

template <class S, class Q0, class Q1, class Out>
RBD_INLINE void difference_of_joint(const PlanarJoint<S>&, bool, const Q0& q0, const Q1& q1,
                                    const Out& out) {
  const S turn = shortest_turn(q1(2) - q0(2)), h = S(RealOf<S>(0.5)) * turn;
  const S x = q1(0) - q0(0), y = q1(1) - q0(1);
  S sine_h, cosine_h, sine, cosine;
  ScalarTraits<S>::sincos(h, sine_h, cosine_h);
  ScalarTraits<S>::sincos(q0(2) + h, sine, cosine);
  const S chord = sine_quotient(h, sine_h);
  out.store(0, mul_mul_add(cosine, x, sine, y) / chord);
  out.store(1, mul_mul_sub(cosine, y, sine, x) / chord);
  out.store(2, turn);
}

template <class S, class Q0, class Q1, class Out>
RBD_INLINE void difference_of_joint(const SphericalJoint<S>&, bool, const Q0& q0, const Q1& q1,
                                    const Out& out) {
  const Quaternion<S> from = unit_quaternion<S>(q0, 0), to = unit_quaternion<S>(q1, 0);
  store(logarithm(from.inverse() * to), out, 0);
}

template <class S, class Q0, class Q1, class Out>
RBD_INLINE void difference_of_joint(const FloatingJoint<S>&, bool, const Q0& q0, const Q1& q1,
                                    const Out& out) {
  const Quaternion<S> back = unit_quaternion<S>(q0, 3).inverse(), to = unit_quaternion<S>(q1, 3);
  const Vec3<S> shift{q1(0) - q0(0), q1(1) - q0(1), q1(2) - q0(2)};
  const Motion<S> step = logarithm(Displacement<S>{back * to, back.rotate(shift)});
  store(step.v, out, 0);
  store(step.w, out, 3);
}

}  // namespace rbd_parallel_core
