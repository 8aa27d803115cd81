// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/status.hpp"

#include "backend/method_refusal.hpp"
#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {
namespace {

/// "; use aba, crba, or after prepare jsiia": what this backend takes for this model.
std::string use_instead(const MethodSet& accepted) {
  const std::string own = accepted.own().names(), published = accepted.published().names();
  if (own.empty() && published.empty()) return "";
  if (published.empty()) return "; use " + own;
  if (own.empty()) return "; use " + published + " after prepare";
  return "; use " + own + ", or after prepare " + published;
}

std::string refused_method(const MethodRefusal& refusal) {
  const std::string method = "method " + name_of(refusal.method);
  if (refusal.largest_nv > 0) {
    return method +
           " keeps a dense mass matrix, offered up to nv = " + std::to_string(refusal.largest_nv) +
           "; this model has nv = " + std::to_string(refusal.nv);
  }
  switch (refusal.method) {
    case ForwardMethod::aba:
      return method + " is not for models with mimic joints";
    case ForwardMethod::two_port:
      return method +
             " is what the backend tree offers for trees that it can cut, without mimic joints, in "
             "rows";
    case ForwardMethod::automatic:
    case ForwardMethod::crba:
      return method + " is not offered here";
    default:
      return refusal.accepted.contains(refusal.method)
                 ? method + " is not prepared; call prepare first"
                 : method + " is ruled out by the model; prepare says why";
  }
}

/// Of what too_large gives.
std::string too_large_text(const Result& result) {
  const auto operation = static_cast<Operation>(result.actual - 1);
  const std::string sizes = "offered here up to nv = " + std::to_string(result.expected >> 32) +
                            "; this model has nv = " + std::to_string(result.expected & 0xffffffff);
  if (!keeps_matrices(operation)) {
    return name_of(operation) + " keeps a dense mass matrix where joints mimic others, " + sizes;
  }
  return name_of(operation) + " keeps dense matrices, " + sizes +
         " (products with derivatives, jvp and vjp, keep none)";
}

/// Where it is about no argument, `actual` is 1 + the operation, or 0.
std::string unsupported_text(const Result& result) {
  if (result.argument == Argument::inverse) {
    return "the inverse of M is offered up to nv = " + std::to_string(result.expected) +
           " unless the Cholesky factor is asked for too; this model has nv = " +
           std::to_string(result.actual);
  }
  if (result.argument == Argument::wrenches) {
    const MethodRefusal refusal = MethodRefusal::of(result);
    return "method " + name_of(refusal.method) + " takes no f_ext" + use_instead(refusal.accepted);
  }
  if (result.argument == Argument::method) {
    const MethodRefusal refusal = MethodRefusal::of(result);
    return refused_method(refusal) + use_instead(refusal.accepted);
  }
  if (result.argument == Argument::links) {
    return "this backend takes at most " + std::to_string(result.expected) +
           " wrenches for each state; f_ext has " + std::to_string(result.actual);
  }
  if (result.argument == Argument::mass_matrix) {
    return "this backend offers what was asked of the mass matrix up to nv = " +
           std::to_string(result.expected) +
           "; this model has nv = " + std::to_string(result.actual);
  }
  if (result.argument == Argument::sparse) {
    return "this backend offers a sparse mass matrix of up to " + std::to_string(result.expected) +
           " numbers; that of this model has " + std::to_string(result.actual);
  }
  if (result.argument == Argument::jacobian_rate) {
    return "this backend does not offer jacobian_rate; choose another backend, or leave it out";
  }
  if (result.actual > 0 && result.expected > 0) return too_large_text(result);
  if (result.actual > 0) {
    return "this backend does not offer " + name_of(static_cast<Operation>(result.actual - 1)) +
           "; choose another backend";
  }
  return "this backend does not offer the operation; choose another backend";
}

/// A MethodRefusal where the method of forward dynamics is one that the host computes.
std::string on_device_text(const std::string& name, const Result& result) {
  const std::string place = name + " lies on the device, expected an array of the host";
  const MethodRefusal refusal = MethodRefusal::of(result);
  if (refusal.method == ForwardMethod::automatic) return place;
  return place + " for method " + name_of(refusal.method) +
         ", which the host computes; copy it there" +
         (refusal.accepted.empty() ? "" : ", or use " + refusal.accepted.names());
}

}  // namespace

std::string message(const Result& result) {
  const std::string name(name_of(result.argument));
  const std::string expected = std::to_string(result.expected);
  const std::string actual = std::to_string(result.actual);
  switch (result.code) {
    case Code::ok:
      return "ok";
    case Code::not_configured:
      return "the backend is not configured; call configure with a model first";
    case Code::batch_too_large:
      return "batch is " + actual + ", but the backend was configured for at most " + expected +
             "; configure it with a larger max_batch or send smaller batches";
    case Code::wrong_size:
      return name + " has " + actual + " elements, expected " + expected;
    case Code::missing:
      return name + " is not given; it needs " + expected + " elements";
    case Code::out_of_range:
      return name + " holds the index " + actual + ", expected 0 to " +
             std::to_string(result.expected - 1);
    case Code::unsupported:
      return unsupported_text(result);
    case Code::failed:
      return "the backend failed to complete the call" +
             (result.actual == 0 ? "" : " (error " + actual + ")") +
             "; configure it again, or make a new one";
    case Code::on_device:
      return on_device_text(name, result);
  }
  return "unknown result";
}

std::string message(const StateStatus& status, const Model& model) {
  switch (status.code) {
    case StateStatus::Code::ok:
      return "ok";
    case StateStatus::Code::not_finite:
      return "an input is NaN, infinite or a zero quaternion, or the result overflows or is "
             "undefined";
    case StateStatus::Code::singular:
      break;
  }
  const bool known = status.dof >= 0 && status.dof < model.nv();
  const std::string joint =
      known ? model.joints()[static_cast<std::size_t>(model.joint_of_dof(status.dof))].name : "?";
  return "the mass matrix is singular at joint '" + joint +
         "': nothing resists its motion; give the links beyond it an inertia or the joint an "
         "armature";
}

}  // namespace rbd_parallel_core
