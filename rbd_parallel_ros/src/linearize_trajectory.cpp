// SPDX-License-Identifier: Apache-2.0
#include "linearize_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "conversion.hpp"
#include "external_wrenches.hpp"
#include "request.hpp"
#include "request_error.hpp"
#include "response.hpp"
#include "service_request.hpp"
#include "trajectory_points.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using In = rbd_parallel_msgs::srv::LinearizeTrajectory::Request;
using Out = rbd_parallel_msgs::srv::LinearizeTrajectory::Response;
using core::StateStatus;
using core::StepScheme;
using trajectory_msgs::msg::JointTrajectoryPoint;

static_assert(In::SCHEME_SEMI_IMPLICIT_EULER ==
              static_cast<std::uint8_t>(StepScheme::semi_implicit_euler));
static_assert(In::SCHEME_RK4 == static_cast<std::uint8_t>(StepScheme::rk4));

// What a request asks for

bool from_accelerations(const In& in) { return in.input == In::INPUT_ACCELERATION; }

void check_choices(const In& in) {
  if (in.input > In::INPUT_ACCELERATION) {
    refuse_choice("input", in.input, "INPUT_EFFORT (0) or INPUT_ACCELERATION (1)");
  }
  if (in.scheme > In::SCHEME_RK4) {
    refuse_choice("scheme", in.scheme, "SCHEME_SEMI_IMPLICIT_EULER (0) or SCHEME_RK4 (1)");
  }
  if (!std::isfinite(in.dt) || in.dt < 0) {
    throw RequestError(ErrorCode::invalid_argument,
                       "dt is " + std::to_string(in.dt) +
                           ", expected a positive number of seconds, or 0 for steps from "
                           "time_from_start");
  }
  const bool accelerations = from_accelerations(in);
  const std::size_t unused = accelerations ? in.base_wrench.size() : in.base_acceleration.size();
  if (unused > 0) {
    throw RequestError(ErrorCode::invalid_argument,
                       std::string(accelerations ? "base_wrench" : "base_acceleration") + " has " +
                           std::to_string(unused) + " elements, but input is " +
                           (accelerations ? "INPUT_ACCELERATION (1), which takes base_acceleration"
                                          : "INPUT_EFFORT (0), which takes base_wrench") +
                           "; leave it empty, or change input");
  }
}

/// The efforts or the accelerations of a point, as `input` says.
const std::vector<double>& input_of(const JointTrajectoryPoint& point, bool accelerations) {
  return accelerations ? point.accelerations : point.effort;
}

void check_inputs(const In& in) {
  const bool accelerations = from_accelerations(in);
  const std::vector<JointTrajectoryPoint>& points = in.trajectory.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    check_point_array(i, accelerations ? "accelerations" : "effort",
                      input_of(points[i], accelerations).size(), in.trajectory.joint_names.size(),
                      accelerations ? "; send them, or set input to INPUT_EFFORT (0)"
                                    : "; send them, or set input to INPUT_ACCELERATION (1)");
  }
}

/// The step of each point, s.
std::vector<double> steps_of(const In& in) {
  const std::size_t count = in.trajectory.points.size();
  if (in.dt > 0) return std::vector<double>(count, in.dt);
  const std::vector<std::int64_t> times = increasing_times(
      in.trajectory.points,
      {.of_one_point = "from which there is no step to a next one; set dt, or send more points",
       .needed_for = "steps from time_from_start",
       .instead = "dt"});
  std::vector<double> steps;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = std::min(i, count - 2);
    steps.push_back(1e-9 * static_cast<double>(times[from + 1] - times[from]));
  }
  return steps;
}

// The trajectory as a batch of states

/// Arrays of the points one after the other, without those of mimic joints.
struct FlatPoints {
  FlatPoints(const In& in, std::span<const TrajectoryColumn> columns) {
    for (const TrajectoryColumn& column : columns) {
      names.push_back(in.trajectory.joint_names[column.place]);
    }
    for (const JointTrajectoryPoint& point : in.trajectory.points) {
      const std::vector<double>& inputs = input_of(point, from_accelerations(in));
      for (const TrajectoryColumn& column : columns) {
        position.push_back(point.positions[column.place]);
        velocity.push_back(point.velocities[column.place]);
        input.push_back(inputs[column.place]);
      }
    }
  }

  std::vector<std::string> names;
  std::vector<double> position, velocity, input;
};

Request open(const JointTable& table, const In& in, const FlatPoints& points) {
  return Request(table, points.names, in.trajectory.points.size(),
                 std::numeric_limits<std::size_t>::max(), points.position.size(),
                 in.base_pose.size());
}

/// The states of all points, in the order of the model. `input` are efforts or accelerations.
struct States {
  States(const Request& request, const core::Model& model, const In& in, const FlatPoints& points)
      : q(request.positions({"positions", points.position},
                            {"base_pose", numbers_of(in.base_pose)})),
        v(request.rates({"velocities", points.velocity},
                        {"base_twist", numbers_of(in.base_twist)})),
        input(from_accelerations(in)
                  ? request.rates({"accelerations", points.input},
                                  {"base_acceleration", numbers_of(in.base_acceleration)})
                  : request.rates({"effort", points.input},
                                  {"base_wrench", numbers_of(in.base_wrench)})),
        wrenches(in, request, model) {}

  Inputs inputs(const In& in, bool floating_base) const {
    const bool accelerations = from_accelerations(in);
    return {{{"positions", "base_pose", q.values(), Input::Columns::q},
             {"velocities", "base_twist", v.values()},
             {accelerations ? "accelerations" : "effort",
              accelerations ? "base_acceleration" : "base_wrench", input.values()}},
            wrenches.view(),
            floating_base};
  }

  ModelArray q, v, input;
  Wrenches wrenches;
};

// Computation

/// Memory for the matrices of the points that are computed at a time.
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

/// All points of one request: gathers some of them for the linearizer and puts what comes back
/// where it belongs in the response.
class Linearization {
 public:
  Linearization(core::Backend& backend, core::Linearizer& linearizer, const Request& request,
                const States& states, const In& in, Out& out)
      : backend_(backend),
        linearizer_(linearizer),
        request_(request),
        states_(states),
        in_(in),
        out_(out),
        nq_(static_cast<std::size_t>(backend.model().nq())),
        nv_(static_cast<std::size_t>(backend.model().nv())),
        index_(request.matrix_index()),
        tau_all_(request.batch() * nv_) {
    const std::size_t rows = index_.size();
    out.state_matrix.resize(request.batch() * 4 * rows * rows);
    out.input_matrix.resize(request.batch() * 2 * rows * rows);
  }

  /// As many points at a time as the backend takes and as memory is meant for.
  std::size_t most_at_once() const {
    const std::size_t bytes = 6 * nv_ * nv_ * sizeof(double);
    return std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(bytes, 1), 1,
                                   backend_.options().max_batch);
  }

  /// `points` have the step dt.
  void compute(std::span<const std::size_t> points, double dt, std::span<StateStatus> status) {
    const std::size_t batch = points.size();
    const core::ExternalWrenches wrenches = states_.wrenches.view();
    const std::vector<double> q = gathered(states_.q.values(), points, nq_),
                              v = gathered(states_.v.values(), points, nv_),
                              f = gathered(wrenches.wrenches, points, 6 * wrenches.links.size());
    std::vector<double> tau = gathered(states_.input.values(), points, nv_);
    std::vector<StateStatus> statuses(batch);
    const core::ExternalWrenches f_ext{wrenches.links, f, wrenches.axes};
    if (from_accelerations(in_)) {
      const std::vector<double> a = std::move(tau);
      tau.resize(batch * nv_);
      check(backend_.inverse_dynamics(
          {.batch = batch, .q = q, .v = v, .a = a, .f_ext = f_ext, .tau = tau}));
    }
    A_.resize(batch * 4 * nv_ * nv_);
    B_.resize(batch * 2 * nv_ * nv_);
    check(linearizer_.linearize({.batch = batch,
                                 .q = q,
                                 .v = v,
                                 .tau = tau,
                                 .dt = dt,
                                 .scheme = static_cast<StepScheme>(in_.scheme),
                                 .f_ext = f_ext,
                                 .A = A_,
                                 .B = B_,
                                 .status = statuses}));
    for (std::size_t s = 0; s < batch; ++s) {
      put_matrices(s, points[s]);
      if (!tau.empty()) std::copy_n(&tau[s * nv_], nv_, &tau_all_[points[s] * nv_]);
      status[points[s]] = statuses[s];
    }
  }

  /// The efforts of all points, once all are computed.
  void put_efforts() {
    out_.effort.resize(request_.batch() * request_.joints().v.size());
    request_.take_joints(tau_all_, out_.effort);
    std::vector<double> base(request_.batch() * request_.base_columns());
    request_.take_base(tau_all_, base);
    assign(base, out_.base_wrench);
  }

 private:
  /// Empty where `all` is: that stands for zeros.
  static std::vector<double> gathered(std::span<const double> all,
                                      std::span<const std::size_t> points, std::size_t width) {
    std::vector<double> some;
    if (all.empty()) return some;
    some.reserve(points.size() * width);
    for (const std::size_t point : points) {
      const double* from = all.data() + point * width;
      some.insert(some.end(), from, from + width);
    }
    return some;
  }

  /// Rows and columns in the order of the request: (q, v) of A, (q, v) x u of B.
  void put_matrices(std::size_t s, std::size_t point) {
    const std::size_t rows = index_.size();
    const double* A = A_.data() + s * 4 * nv_ * nv_;
    const double* B = B_.data() + s * 2 * nv_ * nv_;
    double* to_A = out_.state_matrix.data() + point * 4 * rows * rows;
    double* to_B = out_.input_matrix.data() + point * 2 * rows * rows;
    for (std::size_t i = 0; i < 2 * rows; ++i) {
      const std::size_t row = index_[i % rows] + (i / rows) * nv_;
      for (std::size_t j = 0; j < 2 * rows; ++j) {
        *to_A++ = A[row * 2 * nv_ + index_[j % rows] + (j / rows) * nv_];
      }
      for (std::size_t j = 0; j < rows; ++j) *to_B++ = B[row * nv_ + index_[j]];
    }
  }

  core::Backend& backend_;
  core::Linearizer& linearizer_;
  const Request& request_;
  const States& states_;
  const In& in_;
  Out& out_;
  std::size_t nq_, nv_;
  std::vector<std::size_t> index_;       ///< coordinates of the model, in the order of the response
  std::vector<double> tau_all_, A_, B_;  ///< tau of all points; matrices of those computed now
};

/// Points by their steps: steps that were rounded to nanoseconds have few values, even where they
/// differ from point to point.
std::map<double, std::vector<std::size_t>> by_step(std::span<const double> steps) {
  std::map<double, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < steps.size(); ++i) groups[steps[i]].push_back(i);
  return groups;
}

}  // namespace

void linearize_trajectory(core::Backend& backend, core::Linearizer& linearizer,
                          const JointTable& table, const In& in, Out& out) {
  using core::Operation;
  check_choices(in);
  check_points(in.trajectory);
  check_inputs(in);
  const std::vector<double> steps = steps_of(in);
  const FlatPoints points(
      in, columns_of(table, backend.model(), in.trajectory.joint_names,
                     "ask derivatives, which takes joints with several coordinates"));
  const Request request = open(table, in, points);
  request.need_every_joint();
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  request.check_memory(6 * nv * nv);
  const States states(request, backend.model(), in, points);
  for (const Operation needed :
       {Operation::forward_dynamics, Operation::forward_dynamics_derivatives}) {
    if (!backend.offers(needed)) check(core::not_offered(needed));
  }
  if (!linearizer.configured()) linearizer.configure(backend);

  Linearization linearization(backend, linearizer, request, states, in, out);
  std::vector<StateStatus> status(request.batch());
  for (const auto& [dt, group] : by_step(steps)) {
    const std::size_t most = linearization.most_at_once();
    for (std::size_t first = 0; first < group.size(); first += most) {
      const std::size_t batch = std::min(most, group.size() - first);
      linearization.compute(std::span(group).subspan(first, batch), dt, status);
    }
  }
  linearization.put_efforts();
  put_header(request, out);
  out.rows = static_cast<std::uint32_t>(request.matrix_rows());
  out.dt = steps;
  const Inputs inputs = states.inputs(in, table.floating_base());
  put_status(
      status, backend.model(), out,
      [&](std::size_t point) { return bad_input(inputs, backend.model(), point); }, "point");
}

}  // namespace rbd_parallel_ros
