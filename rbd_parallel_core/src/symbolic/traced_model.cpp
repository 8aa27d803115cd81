// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/symbolic/traced_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rbd_parallel_core::symbolic {
namespace {

/// Numbers that ought to be zero and are not, since frames and inertias were computed: below this
/// part of what they were computed from.
constexpr double rounding = 1e-15;

void round_to_zero(double& x, double scale) {
  if (std::abs(x) < rounding * scale) x = 0;
}
void round_to_zero(Vec3<double>& a, double scale) {
  for (double* x : {&a.x, &a.y, &a.z}) round_to_zero(*x, scale);
}
void round_rotation(double& x) {
  round_to_zero(x, 1);
  if (std::abs(std::abs(x) - 1) < rounding) x = x < 0 ? -1 : 1;
}

double largest(const Vec3<double>& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

/// The longest step from a body to the next.
double length_scale(const std::vector<BodyView<double>>& bodies) {
  double length = 0;
  for (const BodyView<double>& body : bodies) {
    length = std::max({length, largest(body.placement.r), std::abs(body.shift)});
  }
  return length;
}

void round_placement(BodyView<double>& body, double length) {
  Mat3<double>& E = body.placement.E;
  for (Vec3<double>* row : {&E.x, &E.y, &E.z}) {
    for (double* x : {&row->x, &row->y, &row->z}) round_rotation(*x);
  }
  round_rotation(body.dh_cos);
  round_rotation(body.dh_sin);
  round_to_zero(body.angle, 1);
  round_to_zero(body.shift, length);
  round_to_zero(body.dh_a, length);
  round_to_zero(body.placement.r, length);
}

/// How large the numbers are that an inertia was added up from: of h and of I.
struct InertiaScale {
  double h = 0, I = 0;
  void add(const Inertia<double>& a) {
    h += largest(a.h);
    I += a.I.xx + a.I.yy + a.I.zz;
  }
};

void round_inertia(Inertia<double>& a, const InertiaScale& scale) {
  round_to_zero(a.h, scale.h);
  for (double* x : {&a.I.xx, &a.I.xy, &a.I.xz, &a.I.yy, &a.I.yz, &a.I.zz}) {
    round_to_zero(*x, scale.I);
  }
}

/// Takes away what the parent may as well have, and returns it in the frame of the body.
Inertia<double> take_movable_part(BodyView<double>& body) {
  Inertia<double>& I = body.inertia;
  if (body.type == JointType::revolute) {
    const Inertia<double> moved{I.m, {0, 0, I.h.z}, {I.I.yy, 0, 0, I.I.yy, 0, 0}};
    I = {0, {I.h.x, I.h.y, 0}, {I.I.xx - I.I.yy, I.I.xy, I.I.xz, 0, I.I.yz, I.I.zz}};
    return moved;
  }
  if (body.type == JointType::prismatic) {
    const Inertia<double> moved{0, {0, 0, 0}, I.I};
    I.I = SymMat3<double>::zero();
    return moved;
  }
  return Inertia<double>::zero();
}

/// From the frame of the body to that of its parent where the joint stands at zero: how far it is
/// turned or shifted does not change what was taken.
Inertia<double> to_parent(const BodyView<double>& body, const Inertia<double>& I) {
  const ZTurn<double> turn{std::cos(body.angle), std::sin(body.angle)};
  const double shift = body.type == JointType::revolute ? body.shift : 0;
  return apply_inverse(body.placement, ScrewMotion<double>{turn, shift}.apply_inverse(I));
}

}  // namespace

TracedModel::TracedModel(const ModelView<double>& model, bool regroup)
    : model_(model), bodies_(model.body, model.body + model.body_count) {
  const double length = length_scale(bodies_);
  std::vector<InertiaScale> scales(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    round_placement(bodies_[k], length);
    scales[k].add(bodies_[k].inertia);
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    BodyView<double>& body = bodies_[k];
    if (regroup) {
      const Inertia<double> moved = take_movable_part(body);
      if (body.parent >= 0) {
        const auto parent = static_cast<std::size_t>(body.parent);
        const Inertia<double> there = to_parent(body, moved);
        bodies_[parent].inertia += there;
        scales[parent].add(there);
      }
    }
    round_inertia(body.inertia, scales[k]);
  }
}

ModelView<double> TracedModel::view() const {
  ModelView<double> view = model_;
  view.body = bodies_.data();
  return view;
}

}  // namespace rbd_parallel_core::symbolic
