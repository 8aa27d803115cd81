// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/status.hpp"

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {
namespace {

/// `expected` is a bound of crba, or 0; then `actual` is the method.
std::string refused_method(const Result& result) {
  if (result.expected > 0) {
    return "method crba keeps a dense mass matrix, offered up to nv = " +
           std::to_string(result.expected) +
           "; this model has nv = " + std::to_string(result.actual) +
           "; use aba, or where joints mimic others crba_sparse, which prepare makes ready";
  }
  const auto method = static_cast<ForwardMethod>(result.actual);
  switch (method) {
    case ForwardMethod::automatic:
    case ForwardMethod::aba:
    case ForwardMethod::crba:
      return "method aba cannot be used on a model with mimic joints; use crba or automatic, or "
             "crba_sparse, which prepare makes ready";
    case ForwardMethod::two_port:
      return "method two_port is what the backend tree offers for trees that it can cut, without "
             "mimic joints; use aba, crba or automatic";
    default:
      return "method " + name_of(method) +
             " is not prepared; call prepare, which says whether the model allows it, or use aba, "
             "crba or automatic";
  }
}

/// Where it is about no argument, `actual` is 1 + the operation, or 0.
std::string unsupported_text(const Result& result) {
  if (result.argument == Argument::inverse) {
    return "the inverse of M is offered up to nv = " + std::to_string(result.expected) +
           " unless the Cholesky factor is asked for too; this model has nv = " +
           std::to_string(result.actual);
  }
  if (result.argument == Argument::wrenches) {
    return "method " + name_of(static_cast<ForwardMethod>(result.actual)) +
           " takes no f_ext; use aba, crba or automatic";
  }
  if (result.argument == Argument::method) return refused_method(result);
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
  if (result.actual > 0) {
    return "this backend does not offer " +
           name_of(static_cast<Operation>(result.actual - 1)) + "; choose another backend";
  }
  return "this backend does not offer the operation; choose another backend";
}

/// `actual` is the method of forward dynamics that the host computes, or 0: it is none of that.
std::string on_device_text(const std::string& name, const Result& result) {
  const std::string place = name + " lies on the device, expected an array of the host";
  const auto method = static_cast<ForwardMethod>(result.actual);
  if (method == ForwardMethod::automatic) return place;
  return place + " for method " + name_of(method) +
         ", which the host computes; copy it there, or use aba, crba or automatic";
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
