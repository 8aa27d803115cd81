// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/rnea.hpp"

/// How the end of a path of bodies moves, seen from what the path hangs on. This is what lets a
/// long path be cut into blocks: each block works out its own PathMotion without knowing how its
/// base moves, then the base motions follow from block to block, then all blocks are computed at
/// once (docs/vtree.md, "Blocks").
namespace rbd_parallel_core {

/// The last body of a path as an observer sees it who rides on the base: all vectors along the
/// base's axes, so that no number is turned twice, and about the body's own origin, so that none
/// grows beyond the length of the path.
template <class S>
struct PathMotion {
  Mat3<S> E;    ///< base axes to body axes
  Vec3<S> p;    ///< from the base's origin to the body's
  Motion<S> v;  ///< velocity relative to the base
  Motion<S> a;  ///< classical acceleration relative to the base, no gravity
};

/// For a model that is one path: body i + 1 hangs on body i. After compute_turns. Where v (a) reads
/// Zeros, the velocities (and accelerations) stay zero.
template <class S, class Real, template <class> class Array, class Q, class V, class A>
RBD_KERNEL PathMotion<S> path_motion(const ModelView<Real> model, const JointTurns<S, Array> turns,
                                     Q q, V v, A a) {
  constexpr bool moves = !is_zero<V>;
  constexpr bool rotates = moves || !is_zero<A>;
  PathMotion<S> end{Mat3<S>::identity(), Vec3<S>::zero(), Motion<S>::zero(), Motion<S>::zero()};
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, turns, i, q);
      const Mat3<S> E = X.rotate_rows(end.E);
      const Vec3<S> d = X.origin_along(end.E, E);
      end.E = E;
      end.p += d;
      if constexpr (rotates) end.a.v += cross(end.a.w, d);
      if constexpr (moves) {
        // The origin moves with the parent, at w x d, and along the joint, at l.
        Motion<S> own = Motion<S>::zero();
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_along(E, own, joint_rate(body, v, k));
        });
        const Vec3<S> carried = cross(end.v.w, d);
        end.v.v += carried;
        end.a.v += cross(end.v.w, carried);
        if constexpr (has_linear_column<std::remove_cvref_t<decltype(joint)>>) {
          end.v.v += own.v;
          end.a.v += cross(end.v.w + end.v.w + own.w, own.v);
        }
        end.a.w += cross(end.v.w, own.w);
        end.v.w += own.w;
      }
      if constexpr (!is_zero<A>) {
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_along(E, end.a, joint_rate(body, a, k));
        });
      }
    });
  }
  return end;
}

/// How the end of a path turns: all that aba asks of velocities.
template <class S>
struct PathTurn {
  Mat3<S> E;  ///< base axes to body axes
  /// Angular velocity relative to the base along the body's axes: turned from body to body as aba
  /// turns it. Along the base's axes it would take on the errors that E gathers on a long path.
  Vec3<S> w;
};

template <class S, class Real, template <class> class Array, class Q, class V>
RBD_KERNEL PathTurn<S> path_turn(const ModelView<Real> model, const JointTurns<S, Array> turns, Q q,
                                 V v) {
  PathTurn<S> end{Mat3<S>::identity(), Vec3<S>::zero()};
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, turns, i, q);
      end.E = X.rotate_rows(end.E);
      end.w = X.rotate(end.w);
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        column.add_angular_to(end.w, joint_rate(body, v, k));
      });
    });
  }
  return end;
}

template <class S>
RBD_INLINE Vec3<S> turned_along(const Vec3<S>& w_base, const PathTurn<S>& path) {
  return path.E * w_base + path.w;
}

/// The end of the path as the base of what hangs on it, in its own axes, given the motion of the
/// path's base. For w0, alpha0, a0 of the base, an acceleration seen from it becomes
///   a0 + alpha0 x p + w0 x (w0 x p) + 2 w0 x v + a.
template <class S>
RBD_INLINE MovingBase<S> moved_along(const MovingBase<S>& base, const PathMotion<S>& path) {
  const Vec3<S>&w0 = base.w, &alpha0 = base.a.w;
  const Vec3<S> w = w0 + path.v.w;
  const Vec3<S> alpha = alpha0 + path.a.w + cross(w0, path.v.w);
  const Vec3<S> a = base.a.v + cross(alpha0, path.p) +
                    cross(w0, cross(w0, path.p) + path.v.v + path.v.v) + path.a.v;
  return {path.E * w, {path.E * alpha, path.E * a}};
}

/// A force at the end of the path, in its axes, as a force at the base, in the base's.
template <class S>
RBD_INLINE Force<S> carried_back(const PathMotion<S>& path, const Force<S>& at_end) {
  return apply_inverse(Transform<S>{path.E, path.p}, at_end);
}

}  // namespace rbd_parallel_core
