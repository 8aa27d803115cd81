// SPDX-License-Identifier: Apache-2.0
#include "derivatives.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conversion.hpp"
#include "external_wrenches.hpp"
#include "request.hpp"
#include "request_error.hpp"
#include "response.hpp"
#include "service_request.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using In = rbd_parallel_msgs::srv::Derivatives::Request;
using Out = rbd_parallel_msgs::srv::Derivatives::Response;
using core::StateStatus;

constexpr unsigned inverse_blocks =
    In::INVERSE_DYNAMICS_DQ | In::INVERSE_DYNAMICS_DV | In::MASS_MATRIX;
constexpr unsigned forward_blocks =
    In::FORWARD_DYNAMICS_DQ | In::FORWARD_DYNAMICS_DV | In::FORWARD_DYNAMICS_DTAU;

void check_blocks(unsigned blocks) {
  if (blocks != 0 && (blocks & ~(inverse_blocks | forward_blocks)) == 0) return;
  refuse_choice("blocks", blocks,
                "a sum of INVERSE_DYNAMICS_DQ (1), INVERSE_DYNAMICS_DV (2), MASS_MATRIX (4), "
                "FORWARD_DYNAMICS_DQ (8), FORWARD_DYNAMICS_DV (16) and FORWARD_DYNAMICS_DTAU (32)");
}

/// An array that none of the blocks is a function of was most likely sent with the wrong blocks.
template <class Array>
void refuse_unused(const char* name, const Array& array, bool used, const char* users) {
  if (used || array.empty()) return;
  throw RequestError(ErrorCode::invalid_argument,
                     std::string(name) + " has " + std::to_string(array.size()) +
                         " elements, but blocks asks for no block of " + users +
                         "; leave it empty, or ask for one");
}

void check_inputs(const In& in) {
  const bool inverse = (in.blocks & inverse_blocks) != 0;
  const bool forward = (in.blocks & forward_blocks) != 0;
  refuse_unused("acceleration", in.acceleration, inverse, "inverse dynamics");
  refuse_unused("base_acceleration", in.base_acceleration, inverse, "inverse dynamics");
  refuse_unused("effort", in.effort, forward, "forward dynamics");
  refuse_unused("base_wrench", in.base_wrench, forward, "forward dynamics");
}

/// Where the backend writes one block: into the response, or into a matrix of the whole model that
/// the rows and columns of the named joints are taken from.
class Block {
 public:
  Block(const Request& request, std::size_t nv, bool wanted, std::vector<double>& out)
      : request_(request), out_(out) {
    if (!wanted) return;
    std::vector<double>& target = request.in_model_order() ? out_ : whole_;
    target.resize(request.batch() * nv * nv);
    view_ = target;
  }

  /// Empty where the block is not wanted.
  std::span<double> view() const { return view_; }

  void finish() {
    if (whole_.empty()) return;
    out_.resize(request_.batch() * request_.matrix_rows() * request_.matrix_rows());
    request_.take_matrix(whole_, out_);
    whole_ = {};  // several of these are a lot of memory
  }

 private:
  const Request& request_;
  std::vector<double>& out_;
  std::vector<double> whole_;
  std::span<double> view_;
};

/// The states of one request, in the order of the model.
struct States {
  States(const Request& request, const core::Model& model, const In& in)
      : q(request.positions({"position", in.position}, {"base_pose", numbers_of(in.base_pose)})),
        v(request.rates({"velocity", in.velocity}, {"base_twist", numbers_of(in.base_twist)})),
        a(request.rates({"acceleration", in.acceleration},
                        {"base_acceleration", numbers_of(in.base_acceleration)})),
        tau(request.rates({"effort", in.effort}, {"base_wrench", numbers_of(in.base_wrench)})),
        wrenches(in, request, model) {}

  Inputs inputs(bool floating_base) const {
    return {{positions(q),
             velocities(v),
             {"acceleration", "base_acceleration", a.values()},
             {"effort", "base_wrench", tau.values()}},
            wrenches.view(),
            floating_base};
  }

  ModelArray q, v, a, tau;
  Wrenches wrenches;
};

void inverse_dynamics_blocks(core::Backend& backend, const Request& request, const States& states,
                             unsigned blocks, Out& out, std::span<StateStatus> status) {
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  Block dq(request, nv, blocks & In::INVERSE_DYNAMICS_DQ, out.inverse_dynamics_dq);
  Block dv(request, nv, blocks & In::INVERSE_DYNAMICS_DV, out.inverse_dynamics_dv);
  Block matrix(request, nv, blocks & In::MASS_MATRIX, out.mass_matrix);
  check(backend.inverse_dynamics_derivatives({.batch = request.batch(),
                                              .q = states.q.values(),
                                              .v = states.v.values(),
                                              .a = states.a.values(),
                                              .f_ext = states.wrenches.view(),
                                              .dtau_dq = dq.view(),
                                              .dtau_dv = dv.view(),
                                              .mass_matrix = matrix.view(),
                                              .status = status}));
  for (Block* block : {&dq, &dv, &matrix}) block->finish();
}

void forward_dynamics_blocks(core::Backend& backend, const Request& request, const States& states,
                             unsigned blocks, Out& out, std::span<StateStatus> status) {
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  Block dq(request, nv, blocks & In::FORWARD_DYNAMICS_DQ, out.forward_dynamics_dq);
  Block dv(request, nv, blocks & In::FORWARD_DYNAMICS_DV, out.forward_dynamics_dv);
  Block dtau(request, nv, blocks & In::FORWARD_DYNAMICS_DTAU, out.forward_dynamics_dtau);
  check(backend.forward_dynamics_derivatives({.batch = request.batch(),
                                              .q = states.q.values(),
                                              .v = states.v.values(),
                                              .tau = states.tau.values(),
                                              .f_ext = states.wrenches.view(),
                                              .dqdd_dq = dq.view(),
                                              .dqdd_dv = dv.view(),
                                              .dqdd_dtau = dtau.view(),
                                              .status = status}));
  for (Block* block : {&dq, &dv, &dtau}) block->finish();
}

}  // namespace

void derivatives(core::Backend& backend, const JointTable& table, const In& in, Out& out) {
  check_blocks(in.blocks);
  check_inputs(in);
  const Request request = open(backend, table, in);
  if ((in.blocks & forward_blocks) != 0) request.need_every_joint();
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  request.check_memory(static_cast<std::size_t>(std::popcount(in.blocks)) * nv * nv);
  const States states(request, backend.model(), in);
  std::vector<StateStatus> status(request.batch()), of_forward;
  if ((in.blocks & inverse_blocks) != 0) {
    inverse_dynamics_blocks(backend, request, states, in.blocks, out, status);
  }
  if ((in.blocks & forward_blocks) != 0) {
    of_forward.resize(request.batch());
    forward_dynamics_blocks(backend, request, states, in.blocks, out, of_forward);
  }
  for (std::size_t i = 0; i < of_forward.size(); ++i) {
    if (status[i].ok()) status[i] = of_forward[i];
  }
  put_header(request, out);
  out.rows = static_cast<std::uint32_t>(request.matrix_rows());
  report_states(status, backend.model(), states.inputs(table.floating_base()), out);
}

}  // namespace rbd_parallel_ros
