// SPDX-License-Identifier: Apache-2.0
#include "body_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rbd_parallel_core {
namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A turn about z, then a shift along it.
struct Screw {
  double angle = 0, shift = 0;

  Transform<double> transform() const {
    const double c = std::cos(angle), s = std::sin(angle);
    return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0, 0, shift}};
  }
};

/// Xtree of a child, taken apart: child^-1 . Rx(alpha) Tx(a) . parent, where `parent` moves the
/// parent's frame along its axis to the foot of the common normal of both joint axes and `child`
/// leads on from there.
struct DhRow {
  Screw parent;
  double cos_alpha, sin_alpha, a;
  Screw child;
};

/// Axes that are almost but not quite parallel meet their common normal far away, where digits are
/// lost; they keep a general placement.
constexpr double least_sine = 0.1;

/// What is left of an angle written as 1.5707963267948966 or 3.1415926535897931 is rounding.
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

std::optional<DhRow> dh_row(const Transform<double>& Xtree) {
  const Vec3<double>& r = Xtree.r;
  const Vec3<double>& z = Xtree.E.z;  // the child's axis in the parent's frame
  const double sine = std::hypot(z.x, z.y);
  const bool parallel = sine <= rounding, perpendicular = std::abs(z.z) <= rounding;
  DhRow row{};
  Vec3<double> normal{1, 0, 0};
  double along_child = 0;  // from the child's origin to the foot of the normal
  if (parallel) {
    const double distance = std::hypot(r.x, r.y);
    if (distance > 0) normal = {r.x / distance, r.y / distance, 0};
    row.cos_alpha = z.z > 0 ? 1 : -1;
    row.sin_alpha = 0;
    row.a = distance;
    row.parent.shift = r.z;
  } else if (sine >= least_sine) {
    normal = {-z.y / sine, z.x / sine, 0};
    const Vec3<double> across{-normal.y, normal.x, 0};  // parent's z x normal
    row.cos_alpha = perpendicular ? 0 : z.z;
    row.sin_alpha = perpendicular ? 1 : sine;
    row.a = dot(r, normal);
    along_child = dot(r, across) / sine;
    row.parent.shift = r.z + along_child * z.z;
  } else {
    return std::nullopt;
  }
  row.parent.angle = std::atan2(normal.y, normal.x);
  row.child.angle = std::atan2(dot(Xtree.E.x, cross(z, normal)), dot(Xtree.E.x, normal));
  row.child.shift = -along_child;
  return row;
}

PlacementForm form_of(const DhRow& row) {
  if (row.cos_alpha == 1) return PlacementForm::dh_parallel;
  return row.cos_alpha == 0 ? PlacementForm::dh_perpendicular : PlacementForm::dh;
}

bool has_free_frame(const BodyView<double>& body) { return nv_of(body.type) == 1; }

/// Bodies in the subtree of each body, itself included.
std::vector<std::int32_t> subtree_sizes(const std::vector<BodyView<double>>& bodies) {
  std::vector<std::int32_t> sizes(bodies.size(), 1);
  for (std::size_t i = bodies.size(); i-- > 0;) {
    if (bodies[i].parent >= 0) sizes[index(bodies[i].parent)] += sizes[i];
  }
  return sizes;
}

}  // namespace

void choose_body_frames(std::vector<BodyView<double>>& bodies, std::vector<Link>& links) {
  const std::vector<std::int32_t> sizes = subtree_sizes(bodies);
  // The child with the largest subtree is the one that most of the work passes through.
  std::vector<std::int32_t> main_child(bodies.size(), -1);
  std::vector<std::optional<DhRow>> rows(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::int32_t p = bodies[i].parent;
    if (p < 0 || !has_free_frame(bodies[index(p)]) || !has_free_frame(bodies[i])) continue;
    rows[i] = dh_row(bodies[i].placement);
    std::int32_t& main = main_child[index(p)];
    if (rows[i] && (main < 0 || sizes[i] > sizes[index(main)])) main = static_cast<std::int32_t>(i);
  }

  std::vector<Screw> moved(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (main_child[i] >= 0) moved[i] = rows[index(main_child[i])]->parent;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    BodyView<double>& body = bodies[i];
    const std::int32_t p = body.parent;
    if (p >= 0 && main_child[index(p)] == static_cast<std::int32_t>(i)) {
      const DhRow& row = *rows[i];
      body.form = form_of(row);
      body.dh_cos = row.cos_alpha;
      body.dh_sin = row.sin_alpha;
      body.dh_a = row.a;
      body.placement = {
          {{1, 0, 0}, {0, row.cos_alpha, row.sin_alpha}, {0, -row.sin_alpha, row.cos_alpha}},
          {row.a, 0, 0}};
      body.angle = row.child.angle + moved[i].angle;
      body.shift = row.child.shift + moved[i].shift;
    } else {
      if (p >= 0) body.placement = body.placement * inverse(moved[index(p)].transform());
      body.placement = moved[i].transform() * body.placement;
    }
  }
  for (Link& link : links) {
    if (link.body >= 0) link.offset = link.offset * inverse(moved[index(link.body)].transform());
  }
}

}  // namespace rbd_parallel_core
