// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../array_sizes.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Coordinates of one joint of one state.
template <class Real>
struct Coordinates {
  const Real* data;
  Real operator()(std::int32_t k) const { return data[k]; }
};

template <class Real>
struct Step {
  const Real* data;
  Real dt;
  Real operator()(std::int32_t k) const { return dt * data[k]; }
};

template <class Real>
struct Out {
  Real* data;
  void store(std::int32_t k, Real value) const { data[k] = value; }
};

/// Calls visit(joint, body) for the joints that have coordinates.
template <class Visit>
void for_each_joint(const Model& model, const Visit& visit) {
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    if (!model.joints()[i].mimic) visit(model.joints()[i], model.view().body[i]);
  }
}

/// A bad number of the input always leads to one in the result: NaN in all of it says so.
template <class Real>
void judge(std::span<Real> result, std::span<StateStatus> status, std::size_t state) noexcept {
  const bool finite =
      std::all_of(result.begin(), result.end(), [](Real x) { return std::isfinite(x); });
  if (!finite) std::fill(result.begin(), result.end(), std::numeric_limits<Real>::quiet_NaN());
  if (status.empty()) return;
  status[state] = {finite ? StateStatus::Code::ok : StateStatus::Code::not_finite, -1};
}

// ---- random configurations ----------------------------------------------------------------------

constexpr double pi = 3.14159265358979323846;

struct Range {
  double low, high;
};

bool has_limits(const Joint& joint) {
  return joint.limits && joint.kind != JointKind::continuous && joint.nq == 1;
}

/// `limits`, where a bound is infinite as far from the other one as in `usual`.
Range bounded(Range limits, Range usual) {
  if (limits.low > limits.high) std::swap(limits.low, limits.high);
  const double width = usual.high - usual.low;
  const bool has_low = std::isfinite(limits.low), has_high = std::isfinite(limits.high);
  if (has_low && has_high) return limits;
  if (has_low) return {limits.low, limits.low + width};
  if (has_high) return {limits.high - width, limits.high};
  return usual;
}

Range range_of(const Joint& joint) {
  const Range usual = joint.kind == JointKind::prismatic ? Range{-1, 1} : Range{-pi, pi};
  return has_limits(joint) ? bounded({joint.limits->lower, joint.limits->upper}, usual) : usual;
}

/// Of each coordinate of q that is one number: where the joint that owns it and those that follow
/// it may be. A follower whose limits leave nothing of the range does not count.
std::vector<Range> ranges_of(const Model& model) {
  std::vector<Range> ranges(index(model.nq()), Range{-1, 1});
  for (const Joint& joint : model.joints()) {
    if (!joint.mimic && joint.nq == 1) ranges[index(joint.q_index)] = range_of(joint);
  }
  for (const Joint& joint : model.joints()) {
    if (!joint.mimic || !has_limits(joint) || joint.mimic->multiplier == 0) continue;
    Range& range = ranges[index(joint.q_index)];
    const double a = (joint.limits->lower - joint.mimic->offset) / joint.mimic->multiplier;
    const double b = (joint.limits->upper - joint.mimic->offset) / joint.mimic->multiplier;
    const Range both{std::max(range.low, std::min(a, b)), std::min(range.high, std::max(a, b))};
    if (both.low <= both.high) range = both;
  }
  return ranges;
}

/// The distributions of the standard library differ from one library to the next; its engines do
/// not.
class Uniform {
 public:
  explicit Uniform(std::mt19937_64& engine) : engine_(engine) {}
  double operator()(double low, double high) {
    const double x = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return std::min(high, (1 - x) * low + x * high);
  }

 private:
  std::mt19937_64& engine_;
};

/// Shoemake, Uniform random rotations (Graphics Gems III, 1992).
void draw_quaternion(Uniform& uniform, double* q) {
  const double u = uniform(0, 1), a = uniform(-pi, pi), b = uniform(-pi, pi);
  const double r = std::sqrt(1 - u), s = std::sqrt(u);
  q[0] = r * std::sin(a);
  q[1] = r * std::cos(a);
  q[2] = s * std::sin(b);
  q[3] = s * std::cos(b);
}

void draw(const Joint& joint, const std::vector<Range>& ranges, Uniform& uniform, double* q) {
  const bool has_quaternion = joint.nq != joint.nv;
  const int numbers = has_quaternion ? joint.nq - 4 : joint.nq;
  for (int k = 0; k < numbers; ++k) {
    const bool is_planar_angle = joint.kind == JointKind::planar && k == 2;
    const Range range = is_planar_angle ? Range{-pi, pi} : ranges[index(joint.q_index + k)];
    q[k] = uniform(range.low, range.high);
  }
  if (has_quaternion) draw_quaternion(uniform, q + numbers);
}

}  // namespace

template <class Real>
Result integrate(const Model& model, const BasicIntegration<Real>& args) noexcept {
  const Result checked = check_sizes(args.batch,
                                     {{Argument::q, args.q.size(), index(model.nq())},
                                      {Argument::v, args.v.size(), index(model.nv())},
                                      {Argument::next, args.next.size(), index(model.nq())}},
                                     args.status.size());
  if (!checked.ok()) return checked;
  const std::size_t nq = index(model.nq()), nv = index(model.nv());
  for (std::size_t state = 0; state < args.batch; ++state) {
    const Real* q = args.q.data() + state * nq;
    const Real* v = args.v.data() + state * nv;
    Real* next = args.next.data() + state * nq;
    for_each_joint(model, [&](const Joint&, const BodyView<double>& body) {
      visit_joint<Real>(body, [&](const auto& joint) {
        integrate_joint(joint, Coordinates<Real>{q + body.q_index},
                        Step<Real>{v + body.v_index, args.dt}, Out<Real>{next + body.q_index});
      });
    });
    judge(args.next.subspan(state * nq, nq), args.status, state);
  }
  return {};
}

template <class Real>
Result difference(const Model& model, const BasicDifference<Real>& args) noexcept {
  const Result checked = check_sizes(args.batch,
                                     {{Argument::q0, args.q0.size(), index(model.nq())},
                                      {Argument::q1, args.q1.size(), index(model.nq())},
                                      {Argument::v, args.v.size(), index(model.nv())}},
                                     args.status.size());
  if (!checked.ok()) return checked;
  const std::size_t nq = index(model.nq()), nv = index(model.nv());
  for (std::size_t state = 0; state < args.batch; ++state) {
    const Real* q0 = args.q0.data() + state * nq;
    const Real* q1 = args.q1.data() + state * nq;
    Real* v = args.v.data() + state * nv;
    for_each_joint(model, [&](const Joint& described, const BodyView<double>& body) {
      visit_joint<Real>(body, [&](const auto& joint) {
        difference_of_joint(joint, described.periodic, Coordinates<Real>{q0 + body.q_index},
                            Coordinates<Real>{q1 + body.q_index}, Out<Real>{v + body.v_index});
      });
    });
    judge(args.v.subspan(state * nv, nv), args.status, state);
  }
  return {};
}

template Result integrate(const Model&, const BasicIntegration<double>&) noexcept;
template Result integrate(const Model&, const BasicIntegration<float>&) noexcept;
template Result difference(const Model&, const BasicDifference<double>&) noexcept;
template Result difference(const Model&, const BasicDifference<float>&) noexcept;

void random_configurations(const Model& model, std::uint64_t seed, std::span<double> q) {
  std::mt19937_64 engine(seed);
  random_configurations(model, engine, q);
}

void random_configurations(const Model& model, std::mt19937_64& engine, std::span<double> q) {
  const std::size_t nq = index(model.nq());
  if (nq == 0 ? !q.empty() : q.size() % nq != 0) {
    throw std::invalid_argument("random_configurations: q has " + std::to_string(q.size()) +
                                " elements, expected a multiple of nq, which is " +
                                std::to_string(nq));
  }
  const std::vector<Range> ranges = ranges_of(model);
  Uniform uniform(engine);
  for (std::size_t at = 0; at < q.size(); at += nq) {
    for (const Joint& joint : model.joints()) {
      if (!joint.mimic) draw(joint, ranges, uniform, q.data() + at + index(joint.q_index));
    }
  }
}

}  // namespace rbd_parallel_core
