// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/checks/check_refusals.hpp"

/// States that are not finite or singular, and numbers of other sizes than usual.
namespace rbd_parallel_core::conformance {

namespace detail {

/// A batch of five whose state 2 has been spoilt: its own results must be NaN with that status, its
/// neighbours' the same bits as in the clean batch.
inline void check_spoilt(Report& report, const Call& call, Backend& backend, const Batch& clean,
                         const Batch& spoilt, const StateStatus& status, const std::string& what,
                         std::size_t first_spoilt_output = 0) {
  const Outputs expected = run(call, backend, clean), actual = run(call, backend, spoilt);
  report.expect(actual.result.ok(),
                what + ": the whole batch is refused: " + message(actual.result));
  for (std::size_t s = 0; s < clean.size; ++s) {
    const std::string state = what + ", state " + std::to_string(s);
    report.expect(
        actual.status[s] == (s == 2 ? status : StateStatus{}),
        state + ": unexpected status '" + message(actual.status[s], backend.model()) + "'");
    for (std::size_t k = s == 2 ? first_spoilt_output : 0; k < Outputs::most; ++k) {
      const std::vector<double> numbers = row(actual, k, s);
      if (s != 2) {
        report.expect(same_bits(numbers, row(expected, k, s)),
                      state + ": its neighbour changed it");
      } else {
        const bool all_nan =
            std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
        report.expect(all_nan, state + ": has numbers in its results");
      }
    }
  }
}

inline constexpr StateStatus not_finite{StateStatus::Code::not_finite, -1};

}  // namespace detail

/// NaN or infinity in any input of one state: status not_finite and NaN there, not a bit changed
/// elsewhere.
RBD_CONFORMANCE_FUNCTION Violations check_not_finite_inputs(const BackendUnderTest& under_test) {
  detail::Report report;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch clean = random_batch(*model, 5, 120);
    const auto backend = detail::configured(under_test, model, clean.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      for (const detail::SizedInput& input : detail::sized_inputs) {
        if (!call.reads(input.argument)) continue;
        const std::size_t n = (clean.*input.array).size() / clean.size;
        for (const double bad : {nan, infinity, -infinity}) {
          for (const std::size_t at : {2 * n, 3 * n - 1}) {
            Batch spoilt = clean;
            (spoilt.*input.array)[at] = bad;
            detail::check_spoilt(report, call, *backend, clean, spoilt, detail::not_finite,
                                 detail::text(bad) + " in " + input.name);
          }
        }
      }
    }
  }
  return report.take();
}

/// Quaternions of any length mean the same rotation; a zero one is not finite. One so long or short
/// that its square leaves the range of numbers may be refused, but never taken for another
/// rotation.
RBD_CONFORMANCE_FUNCTION Violations check_quaternions(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot :
       {single_joint(JointKind::spherical), mixed_chain(), mixed_tree(Base::floating)}) {
    const auto model = detail::shared(robot);
    const std::size_t nq = index(model->nq());
    const Batch clean = random_batch(*model, 5, 121);
    const auto scaled = [&](double factor) {
      Batch batch = clean;
      for_each_quaternion(*model, [&](std::size_t first) {
        for (std::size_t k = 0; k < 4; ++k) batch.q[2 * nq + first + k] *= factor;
      });
      return batch;
    };
    const auto backend = detail::configured(under_test, model, clean.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      detail::check_spoilt(report, call, *backend, clean, scaled(0), detail::not_finite,
                           "zero quaternion");
      const Outputs expected = run(call, *backend, clean);
      for (const double factor :
           {1e-6, 0.5, 3.0, -2.0, 1e6, 1e-200, 1e200, 1e-160, 1e160, 9e-155}) {
        const Outputs actual = run(call, *backend, scaled(factor));
        const bool extreme = factor > 1e100 || (factor > 0 && factor < 1e-100);
        if (extreme && actual.status[2] == detail::not_finite) continue;
        report.expect_ok(actual);
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          report.expect_near(row(actual, k, 2), row(expected, k, 2), 1e3 * under_test.tolerance,
                             "the result with quaternions of length " + detail::text(factor));
        }
      }
    }
  }
  return report.take();
}

/// Where a result overflows, the status says so: it is ok exactly when every number of the result
/// is finite.
RBD_CONFORMANCE_FUNCTION Violations check_overflow(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot :
       {mixed_tree(Base::fixed), branching_tree(), single_joint(JointKind::prismatic)}) {
    const auto model = detail::shared(robot);
    const auto backend = detail::configured(under_test, model, 3);
    for (const double huge : {1e150, 1e160, 1e307, 1e308}) {
      Batch batch = random_batch(*model, 3, 122);
      const bool far_away = huge == 1e307;  // the other cases are fast and strong
      for (double& x : far_away ? batch.q : batch.v) x *= huge;
      for (double& x : batch.tau) x *= far_away ? 1 : huge / 10;
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        const Outputs out = run(call, *backend, batch);
        for (std::size_t s = 0; s < 3; ++s) {
          bool finite = true;
          for (std::size_t k = 0; k < Outputs::most; ++k) {
            for (const double x : row(out, k, s)) finite = finite && std::isfinite(x);
          }
          report.expect(finite == out.status[s].ok(), "status and results disagree on an overflow");
        }
      }
    }
  }
  return report.take();
}

/// A singular mass matrix is the status of its state, with the coordinate, and its text names the
/// joint.
RBD_CONFORMANCE_FUNCTION Violations check_singular(const BackendUnderTest& under_test) {
  detail::Report report;
  Robot massless = arm();
  massless.name = "arm with a massless hand";
  massless.description.links.back().inertial.reset();
  const Robot turntable = detail::turntable();
  for (const Robot& robot : {massless, turntable}) {
    const auto model = detail::shared(robot);
    const auto backend = detail::configured(under_test, model, 5);
    const bool turns = robot.name == turntable.name;
    const int dof = turns ? 0 : model->nv() - 1;
    const StateStatus singular{StateStatus::Code::singular, dof};
    const Batch clean = random_batch(*model, 5, 123);
    Batch spoilt = clean;
    if (turns) spoilt.q[2 * 2 + 1] = 0;
    for (const Call& call : detail::calls_for(under_test, *model)) {
      const bool factors = call.operation == Operation::mass_matrix ||
                           call.operation == Operation::sparse_mass_matrix;
      if (!solves(call) && !factors) continue;
      report.at(robot.name, call.name);
      // The mass matrix itself is a right answer; its factors are not.
      const std::size_t first_spoilt = factors ? 1 : 0;
      if (turns) {
        detail::check_spoilt(report, call, *backend, clean, spoilt, singular, "singular M",
                             first_spoilt);
      } else {
        const Outputs out = run(call, *backend, clean);
        for (const StateStatus& status : out.status)
          report.expect(status == singular, "not singular at the hand");
      }
    }
    report.at(robot.name, "message");
    const std::string joint = turns ? "'turn'" : "'joint_k'";
    const std::string text = message(singular, *model);
    report.expect(text.find(joint) != std::string::npos, "the joint is not named: " + text);
  }
  return report.take();
}

namespace detail {

/// The robot in another unit of length: what was l metres long is `scale` times as long. It has no
/// armature, which is of both units where a joint has coordinates of both.
inline Robot resized(Robot robot, double scale) {
  const double square = scale * scale;
  const auto resize = [&](Vec3<double>& a) { a = scale * a; };
  resize(robot.options.gravity);
  for (LinkDescription& link : robot.description.links) {
    if (!link.inertial) continue;
    resize(link.inertial->origin.position);
    SymMat3<double>& I = link.inertial->rotational;
    I = {square * I.xx, square * I.xy, square * I.xz, square * I.yy, square * I.yz, square * I.zz};
  }
  for (JointDescription& joint : robot.description.joints) {
    resize(joint.origin.position);
    joint.pitch *= scale;
  }
  return robot;
}

/// For the k-th coordinate of v whether it is a length and not an angle.
inline std::vector<bool> linear_coordinates(const Model& model) {
  std::vector<bool> linear;
  for (int k = 0; k < model.nv(); ++k) {
    const Joint& joint = model.joints()[index(model.joint_of_dof(k))];
    const int lengths = joint.kind == JointKind::prismatic  ? 1
                        : joint.kind == JointKind::planar   ? 2
                        : joint.kind == JointKind::floating ? 3
                                                            : 0;
    linear.push_back(k - joint.v_index < lengths);
  }
  return linear;
}

/// The states of a batch in another unit of length.
inline Batch resized(Batch batch, const Model& model, double scale) {
  const std::vector<bool> linear = linear_coordinates(model);
  const std::size_t nq = index(model.nq()), nv = index(model.nv());
  for (std::size_t k = 0; k < batch.v.size(); ++k) {
    const double factor = linear[k % nv] ? scale : 1;
    for (const auto array : {&Batch::v, &Batch::a, &Batch::dq, &Batch::dv, &Batch::da}) {
      (batch.*array)[k] *= factor;
    }
    for (const auto array : {&Batch::tau, &Batch::dtau}) {
      (batch.*array)[k] *= scale * (linear[k % nv] ? 1 : scale);
    }
  }
  for (std::size_t k = 0; k < batch.wrenches.size(); ++k) {
    batch.wrenches[k] *= scale * (k % 6 < 3 ? 1 : scale);
  }
  // In q as in v lengths come first, but quaternions have a number more than rates.
  for (const Joint& joint : model.joints()) {
    if (joint.mimic) continue;
    for (std::size_t s = 0; s < batch.size; ++s) {
      for (std::size_t k = 0; k < index(joint.nv) && linear[index(joint.v_index) + k]; ++k) {
        batch.q[s * nq + index(joint.q_index) + k] *= scale;
      }
    }
  }
  return batch;
}

}  // namespace detail

/// Physics knows no metre: a robot of millimetres moves as one of metres does, if gravity, torques
/// and forces are as large beside it. What is compared with zero must be compared with its like.
RBD_CONFORMANCE_FUNCTION Violations check_units(const BackendUnderTest& under_test) {
  detail::Report report;
  for (Robot robot : {arm(), mixed_chain(), mixed_tree(Base::floating)}) {
    for (JointDescription& joint : robot.description.joints) joint.armature = 0;
    const auto model = detail::shared(robot);
    const std::vector<bool> linear = detail::linear_coordinates(*model);
    const Batch batch = random_batch(*model, 3, 124);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const double scale : {0x1p-10, 0x1p10}) {
      const auto other = detail::shared(detail::resized(robot, scale));
      const Batch resized = detail::resized(batch, *model, scale);
      const auto there = detail::configured(under_test, other, batch.size);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        if (!solves(call)) continue;
        report.at(robot.name, std::string(call.name) + ", lengths x " + detail::text(scale));
        const Outputs expected = run(call, *backend, batch);
        Outputs out = run(call, *there, resized);
        report.expect_ok(out);
        const bool accelerations = call.operation == Operation::forward_dynamics ||
                                   call.operation == Operation::forward_dynamics_jvp;
        if (!accelerations) continue;
        for (std::size_t k = 0; k < out.numbers[0].size(); ++k) {
          if (linear[k % linear.size()]) out.numbers[0][k] /= scale;
        }
        report.expect_near(out.numbers[0], expected.numbers[0], 1e3 * under_test.tolerance,
                           "the acceleration");
      }
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
