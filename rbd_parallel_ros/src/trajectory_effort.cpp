// SPDX-License-Identifier: Apache-2.0
#include "trajectory_effort.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bad_input.hpp"
#include "conversion.hpp"
#include "finite_differences.hpp"
#include "request.hpp"
#include "request_error.hpp"
#include "response.hpp"
#include "stream/joint_state_reader.hpp"
#include "text.hpp"
#include "trajectory_points.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using In = rbd_parallel_msgs::srv::FillTrajectoryEffort::Request;
using Out = rbd_parallel_msgs::srv::FillTrajectoryEffort::Response;
using sensor_msgs::msg::JointState;
using trajectory_msgs::msg::JointTrajectory;
using trajectory_msgs::msg::JointTrajectoryPoint;

std::string number(std::size_t value) { return std::to_string(value); }

[[noreturn]] void refuse(ErrorCode code, const std::string& message) {
  throw RequestError(code, message);
}

// Joints

/// The joints with one coordinate that the trajectory does not move.
JointSelection still_joints(const JointTable& table, const core::Model& model,
                            std::span<const TrajectoryColumn> columns) {
  std::unordered_set<std::size_t> moving;
  for (const TrajectoryColumn& column : columns) moving.insert(column.q);
  std::vector<std::string> names;
  for (const core::Joint& joint : model.joints()) {
    const bool moves = moving.contains(static_cast<std::size_t>(joint.q_index));
    if (!joint.mimic && joint.nq == 1 && !moves) names.push_back(joint.name);
  }
  return names.empty() ? JointSelection{} : table.select(names);
}

[[noreturn]] void refuse_others(Refusal refusal, const std::string& joint, const JointState& in) {
  switch (refusal) {
    case Refusal::missing_joint:
      refuse(ErrorCode::missing_joint,
             "others: joint " + in_quotes(joint) +
                 " is neither here nor in the trajectory; name every joint in one of them, or "
                 "leave others empty to hold the rest at 0");
    case Refusal::duplicate_joint:
      refuse(ErrorCode::duplicate_joint,
             "others: joint " + in_quotes(joint) + " is named twice; name each joint once");
    case Refusal::not_finite:
      refuse(ErrorCode::invalid_argument, "others: the position of joint " + in_quotes(joint) +
                                              " is NaN or infinite, expected a finite number");
    default:
      refuse(ErrorCode::wrong_size, "others: name has " + number(in.name.size()) +
                                        " elements, position " + number(in.position.size()) +
                                        ", velocity " + number(in.velocity.size()) +
                                        ", expected as many of each (no velocity will do)");
  }
}

/// q of a state in which nothing has been said of the joints of the trajectory and of the base.
std::vector<double> still_position(const JointTable& table, const core::Model& model,
                                   std::span<const TrajectoryColumn> columns,
                                   const JointState& others) {
  std::vector<double> q = table.rest_position();
  if (others.name.empty() && others.position.empty()) return q;
  const JointSelection joints = still_joints(table, model, columns);
  std::vector<double> unused(table.nv());
  JointStateReader reader(joints);
  const Refusal refusal = reader.read(others, JointStateReader::Velocity::unused, q, unused);
  if (refusal != Refusal::none) {
    const int at = reader.index_at_fault();
    refuse_others(refusal, at < 0 ? "" : joints.names[static_cast<std::size_t>(at)], others);
  }
  return q;
}

// Points

/// Accelerations as they are in the points or, where there are none, from the velocities.
class Accelerations {
 public:
  explicit Accelerations(const In& in) : points_(in.trajectory.points) {
    if (in.missing_acceleration > In::ACCELERATION_FROM_VELOCITY) {
      refuse_choice("missing_acceleration", in.missing_acceleration,
                    "ACCELERATION_REFUSE (0) or ACCELERATION_FROM_VELOCITY (1)");
    }
    check_sizes(in.trajectory.joint_names.size());
    const auto missing =
        std::find_if(points_.begin(), points_.end(),
                     [](const JointTrajectoryPoint& point) { return point.accelerations.empty(); });
    if (missing == points_.end()) return;
    if (in.missing_acceleration == In::ACCELERATION_REFUSE) {
      refuse(ErrorCode::wrong_size,
             name_of_point(static_cast<std::size_t>(missing - points_.begin())) +
                 ".accelerations is empty, expected " + number(in.trajectory.joint_names.size()) +
                 " elements; send them, or set missing_acceleration to "
                 "ACCELERATION_FROM_VELOCITY (1)");
    }
    times_ = increasing_times(
        points_, {.of_one_point = "whose velocity alone does not give an acceleration; send its "
                                  "accelerations, or more points",
                  .needed_for = "accelerations from velocities",
                  .instead = "accelerations"});
  }

  double at(std::size_t point, std::size_t place) const {
    if (!points_[point].accelerations.empty()) return points_[point].accelerations[place];
    return derivative(times_, point, [&](std::size_t i) { return points_[i].velocities[place]; });
  }

 private:
  void check_sizes(std::size_t joints) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::size_t size = points_[i].accelerations.size();
      if (size > 0) check_point_array(i, "accelerations", size, joints);
    }
  }

  const std::vector<JointTrajectoryPoint>& points_;
  std::vector<std::int64_t> times_;
};

/// 7 numbers for each pose: none, one for all points, or one for each.
std::vector<double> base_poses(const JointTable& table, const In& in) {
  const std::size_t size = in.base_pose.size(), points = in.trajectory.points.size();
  if (!table.floating_base() && size > 0) {
    refuse(ErrorCode::wrong_size,
           "base_pose has " + number(size) +
               " elements, but the base is fixed; leave it empty, or set the parameter base to "
               "floating and configure again");
  }
  if (table.floating_base() && size != 1 && size != points) {
    refuse(ErrorCode::wrong_size, "base_pose has " + number(size) + " elements, expected 1 or " +
                                      number(points) + ", one for each point: the base floats");
  }
  return numbers_of(in.base_pose);
}

// Computation

/// The whole of one request, as the backend takes it.
class Batches {
 public:
  Batches(core::Backend& backend, const JointTable& table, const In& in)
      : backend_(backend),
        points_(in.trajectory.points),
        columns_(columns_of(table, backend.model(), in.trajectory.joint_names,
                            "leave it out, and it is held at rest, or ask inverse_dynamics")),
        accelerations_(in),
        base_(base_poses(table, in)),
        still_(still_position(table, backend.model(), columns_, in.others)),
        nv_(table.nv()) {}

  /// As many points at a time as the backend takes and as memory is allowed for.
  std::size_t most_at_once() const {
    const std::size_t fit = largest_array / sizeof(double) / std::max(still_.size(), nv_);
    return std::clamp<std::size_t>(fit, 1, backend_.options().max_batch);
  }

  /// Efforts and status of `batch` points from `first` on, into `points`.
  void compute(std::size_t first, std::size_t batch, std::vector<JointTrajectoryPoint>& points,
               std::span<core::StateStatus> status) {
    q_.resize(batch * still_.size());
    v_.assign(batch * nv_, 0.0);
    a_.assign(batch * nv_, 0.0);
    tau_.resize(batch * nv_);
    for (std::size_t i = 0; i < batch; ++i) put_state(first + i, i);
    check(backend_.inverse_dynamics(
        {.batch = batch, .q = q_, .v = v_, .a = a_, .tau = tau_, .status = status}));
    for (std::size_t i = 0; i < batch; ++i) take_effort(i, points[first + i]);
    const auto failed = std::find_if_not(status.begin(), status.end(),
                                         [](const core::StateStatus& one) { return one.ok(); });
    if (bad_input_.empty() && failed != status.end()) {
      bad_input_ =
          bad_input(inputs(), backend_.model(), static_cast<std::size_t>(failed - status.begin()));
    }
  }

  /// Which input of the first point that failed is not finite, or "".
  const std::string& first_bad_input() const { return bad_input_; }

 private:
  Inputs inputs() const {
    return {{{"positions", "base_pose", q_, Input::Columns::q},
             {"velocities", "", v_},
             {"accelerations", "", a_}},
            {},
            !base_.empty()};
  }

  void put_state(std::size_t point, std::size_t state) {
    double* q = &q_[state * still_.size()];
    std::copy(still_.begin(), still_.end(), q);
    if (!base_.empty()) {
      const bool one_for_all = base_.size() == Request::pose_size;
      std::copy_n(&base_[one_for_all ? 0 : point * Request::pose_size], Request::pose_size, q);
    }
    for (const TrajectoryColumn& column : columns_) {
      q[column.q] = points_[point].positions[column.place];
      v_[state * nv_ + column.v] = points_[point].velocities[column.place];
      a_[state * nv_ + column.v] = accelerations_.at(point, column.place);
    }
  }

  void take_effort(std::size_t state, JointTrajectoryPoint& point) const {
    point.effort.assign(point.positions.size(), 0.0);  // that of mimic joints stays 0
    for (const TrajectoryColumn& column : columns_) {
      point.effort[column.place] = tau_[state * nv_ + column.v];
    }
  }

  core::Backend& backend_;
  const std::vector<JointTrajectoryPoint>& points_;
  std::vector<TrajectoryColumn> columns_;
  Accelerations accelerations_;
  std::vector<double> base_, still_;
  std::size_t nv_;
  std::vector<double> q_, v_, a_, tau_;
  std::string bad_input_;
};

}  // namespace

void fill_trajectory_effort(core::Backend& backend, const JointTable& table, const In& in,
                            Out& out) {
  check_points(in.trajectory);
  Batches batches(backend, table, in);
  JointTrajectory filled = in.trajectory;
  const std::size_t count = filled.points.size(), step = batches.most_at_once();
  std::vector<core::StateStatus> status(count);
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t batch = std::min(step, count - first);
    batches.compute(first, batch, filled.points, std::span(status).subspan(first, batch));
  }
  put_status(
      status, backend.model(), out, [&](std::size_t) { return batches.first_bad_input(); },
      "point");
  if (out.error_code == Out::OK) out.trajectory = std::move(filled);
}

}  // namespace rbd_parallel_ros
