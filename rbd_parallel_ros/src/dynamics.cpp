// SPDX-License-Identifier: Apache-2.0
#include "dynamics.hpp"

#include <span>
#include <utility>
#include <vector>

#include "bad_input.hpp"
#include "conversion.hpp"
#include "derivatives.hpp"
#include "external_wrenches.hpp"
#include "forward_method_choice.hpp"
#include "linearize_trajectory.hpp"
#include "request.hpp"
#include "request_error.hpp"
#include "response.hpp"
#include "service_request.hpp"
#include "trajectory_effort.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using StateStatus = core::StateStatus;

// The numbers that stand in the .srv and .msg files.

template <class Response>
constexpr bool codes_agree() {
  const auto same = [](std::uint16_t constant, ErrorCode code) {
    return constant == static_cast<std::uint16_t>(code);
  };
  const auto is = [](std::uint8_t constant, StateStatus::Code code) {
    return constant == static_cast<std::uint8_t>(code);
  };
  return same(Response::OK, ErrorCode::ok) && same(Response::NOT_ACTIVE, ErrorCode::not_active) &&
         same(Response::WRONG_SIZE, ErrorCode::wrong_size) &&
         same(Response::UNKNOWN_JOINT, ErrorCode::unknown_joint) &&
         same(Response::DUPLICATE_JOINT, ErrorCode::duplicate_joint) &&
         same(Response::MISSING_JOINT, ErrorCode::missing_joint) &&
         same(Response::UNKNOWN_LINK, ErrorCode::unknown_link) &&
         same(Response::BATCH_TOO_LARGE, ErrorCode::batch_too_large) &&
         same(Response::INVALID_ARGUMENT, ErrorCode::invalid_argument) &&
         same(Response::UNSUPPORTED, ErrorCode::unsupported) &&
         same(Response::STATES_FAILED, ErrorCode::states_failed) &&
         same(Response::BACKEND_FAILED, ErrorCode::backend_failed) &&
         same(Response::INTERNAL_ERROR, ErrorCode::internal_error) &&
         is(Response::STATUS_OK, StateStatus::Code::ok) &&
         is(Response::STATUS_NOT_FINITE, StateStatus::Code::not_finite);
}

template <class Response>
constexpr bool all_codes_agree() {
  return codes_agree<Response>() &&
         Response::STATUS_SINGULAR == static_cast<std::uint8_t>(StateStatus::Code::singular);
}
static_assert(all_codes_agree<Dynamics::InverseDynamics::Response>());
static_assert(all_codes_agree<Dynamics::BiasForces::Response>());
static_assert(all_codes_agree<Dynamics::MassMatrix::Response>());
static_assert(all_codes_agree<Dynamics::ForwardDynamics::Response>());
static_assert(all_codes_agree<Dynamics::Derivatives::Response>());
static_assert(all_codes_agree<Dynamics::LinearizeTrajectory::Response>());
static_assert(all_codes_agree<Dynamics::EffortBatch>());
static_assert(codes_agree<Dynamics::FillTrajectoryEffort::Response>());  // never singular

/// Lets `compute(tau, status)` fill batch x nv numbers, and hands out those of the joints and of
/// the base.
template <class Out, class BaseArray, class Compute>
void put_joint_numbers(const Request& request, const core::Model& model, const Inputs& inputs,
                       Out& out, std::vector<double>& joint_numbers, BaseArray& base,
                       const Compute& compute) {
  std::vector<StateStatus> status(request.batch());
  joint_numbers.resize(request.batch() * request.joints().v.size());
  if (request.in_model_order()) {
    check(compute(std::span<double>(joint_numbers), std::span<StateStatus>(status)));
  } else {
    std::vector<double> tau(request.batch() * static_cast<std::size_t>(model.nv()));
    check(compute(std::span<double>(tau), std::span<StateStatus>(status)));
    request.take_joints(tau, joint_numbers);
    std::vector<double> base_numbers(request.batch() * request.base_columns());
    request.take_base(tau, base_numbers);
    assign(base_numbers, base);
  }
  put_header(request, out);
  report_states(status, model, inputs, out);
}

/// Requests come by service and by topic; the fields have the same names.
template <class In, class Out>
void inverse_dynamics(core::Backend& backend, const JointTable& joints, const In& in, Out& out) {
  const Request request = open(backend, joints, in);
  const std::vector<double> base_pose = numbers_of(in.base_pose),
                            base_twist = numbers_of(in.base_twist),
                            base_acceleration = numbers_of(in.base_acceleration);
  const ModelArray q = request.positions({"position", in.position}, {"base_pose", base_pose});
  const ModelArray v = request.rates({"velocity", in.velocity}, {"base_twist", base_twist});
  const ModelArray a =
      request.rates({"acceleration", in.acceleration}, {"base_acceleration", base_acceleration});
  const Wrenches wrenches(in, request, backend.model());
  const Inputs inputs{
      {positions(q), velocities(v), {"acceleration", "base_acceleration", a.values()}},
      wrenches.view(),
      joints.floating_base()};
  put_joint_numbers(request, backend.model(), inputs, out, out.effort, out.base_wrench,
                    [&](std::span<double> tau, std::span<StateStatus> status) {
                      return backend.inverse_dynamics({.batch = request.batch(),
                                                       .q = q.values(),
                                                       .v = v.values(),
                                                       .a = a.values(),
                                                       .f_ext = wrenches.view(),
                                                       .tau = tau,
                                                       .status = status});
                    });
}

}  // namespace

Dynamics::Dynamics(std::shared_ptr<core::Backend> backend, JointTable joints)
    : backend_(std::move(backend)), joints_(std::move(joints)) {}

void Dynamics::answer(const InverseDynamics::Request& in, InverseDynamics::Response& out) {
  inverse_dynamics(*backend_, joints_, in, out);
}

void Dynamics::answer(const StateBatch& in, EffortBatch& out) {
  inverse_dynamics(*backend_, joints_, in, out);
}

void Dynamics::answer(const Derivatives::Request& in, Derivatives::Response& out) {
  derivatives(*backend_, joints_, in, out);
}

void Dynamics::answer(const FillTrajectoryEffort::Request& in,
                      FillTrajectoryEffort::Response& out) {
  fill_trajectory_effort(*backend_, joints_, in, out);
}

void Dynamics::answer(const LinearizeTrajectory::Request& in, LinearizeTrajectory::Response& out) {
  linearize_trajectory(*backend_, linearizer_, joints_, in, out);
}

void Dynamics::answer(const BiasForces::Request& in, BiasForces::Response& out) {
  using In = BiasForces::Request;
  const Request request = open(*backend_, joints_, in);
  const std::vector<double> base_pose = numbers_of(in.base_pose),
                            base_twist = numbers_of(in.base_twist);
  const ModelArray q = request.positions({"position", in.position}, {"base_pose", base_pose});
  const ModelArray v = request.rates({"velocity", in.velocity}, {"base_twist", base_twist});
  const Inputs inputs{{positions(q), velocities(v)}, {}, joints_.floating_base()};
  put_joint_numbers(
      request, model(), inputs, out, out.effort, out.base_wrench,
      [&](std::span<double> tau, std::span<StateStatus> status) {
        const core::Forces forces{request.batch(), q.values(), v.values(), tau, status};
        switch (in.terms) {
          case In::TERMS_BIAS:
            return backend_->bias_forces(forces);
          case In::TERMS_GRAVITY:
            return backend_->gravity_forces(forces);
          case In::TERMS_CORIOLIS:
            return backend_->coriolis_forces(forces);
          default:
            refuse_choice("terms", in.terms,
                          "TERMS_BIAS (0), TERMS_GRAVITY (1) or TERMS_CORIOLIS (2)");
        }
      });
}

void Dynamics::answer(const ForwardDynamics::Request& in, ForwardDynamics::Response& out) {
  const Request request = open(*backend_, joints_, in);
  request.need_every_joint();
  const std::vector<double> base_pose = numbers_of(in.base_pose),
                            base_twist = numbers_of(in.base_twist),
                            base_wrench = numbers_of(in.base_wrench);
  const ModelArray q = request.positions({"position", in.position}, {"base_pose", base_pose});
  const ModelArray v = request.rates({"velocity", in.velocity}, {"base_twist", base_twist});
  const ModelArray tau = request.rates({"effort", in.effort}, {"base_wrench", base_wrench});
  const Wrenches wrenches(in, request, model());
  const bool pushed = !in.external_wrench_links.empty();
  const core::ForwardMethod method = prepared_method(*backend_, in.method, pushed);
  const Inputs inputs{{positions(q), velocities(v), {"effort", "base_wrench", tau.values()}},
                      wrenches.view(),
                      joints_.floating_base()};
  put_joint_numbers(request, model(), inputs, out, out.acceleration, out.base_acceleration,
                    [&](std::span<double> qdd, std::span<StateStatus> status) {
                      const core::Result result =
                          backend_->forward_dynamics({.batch = request.batch(),
                                                      .q = q.values(),
                                                      .v = v.values(),
                                                      .tau = tau.values(),
                                                      .f_ext = wrenches.view(),
                                                      .method = method,
                                                      .qdd = qdd,
                                                      .status = status});
                      check_forward_dynamics(result, *backend_, method, pushed);
                      return result;
                    });
}

void Dynamics::answer(const MassMatrix::Request& in, MassMatrix::Response& out) {
  const Request request = open(*backend_, joints_, in);
  const auto nv = static_cast<std::size_t>(model().nv());
  request.check_memory(nv * nv);
  const std::vector<double> base_pose = numbers_of(in.base_pose);
  const ModelArray q = request.positions({"position", in.position}, {"base_pose", base_pose});
  std::vector<StateStatus> status(request.batch());
  const std::size_t rows = request.matrix_rows();
  const auto compute = [&](std::vector<double>& matrix) {
    matrix.resize(request.batch() * nv * nv);
    core::MassMatrix args{.batch = request.batch(), .q = q.values()};
    args.mass_matrix = matrix;
    args.status = status;
    check(backend_->mass_matrix(args));
  };
  if (request.in_model_order()) {
    compute(out.mass_matrix);
  } else {
    std::vector<double> whole;
    compute(whole);
    out.mass_matrix.resize(request.batch() * rows * rows);
    request.take_matrix(whole, out.mass_matrix);
  }
  put_header(request, out);
  out.rows = static_cast<std::uint32_t>(rows);
  report_states(status, model(), Inputs{{positions(q)}, {}, joints_.floating_base()}, out);
}

}  // namespace rbd_parallel_ros
