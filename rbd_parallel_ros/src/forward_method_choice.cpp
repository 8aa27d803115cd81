// SPDX-License-Identifier: Apache-2.0
#include "forward_method_choice.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <rbd_parallel_msgs/srv/forward_dynamics.hpp>
#include <stdexcept>

#include "request_error.hpp"
#include "response.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using core::ForwardMethod;
using In = rbd_parallel_msgs::srv::ForwardDynamics::Request;

constexpr bool methods_agree() {
  const auto same = [](std::uint8_t constant, ForwardMethod method) {
    return constant == static_cast<std::uint8_t>(method);
  };
  return same(In::METHOD_AUTOMATIC, ForwardMethod::automatic) &&
         same(In::METHOD_ABA, ForwardMethod::aba) && same(In::METHOD_CRBA, ForwardMethod::crba) &&
         same(In::METHOD_TWO_PORT, ForwardMethod::two_port) &&
         same(In::METHOD_JSIIA, ForwardMethod::jsiia) &&
         same(In::METHOD_HYBRID_ABIA, ForwardMethod::hybrid_abia) &&
         same(In::METHOD_CRBA_SPARSE, ForwardMethod::crba_sparse) &&
         same(In::METHOD_DCA, ForwardMethod::dca) && same(In::METHOD_DCAE, ForwardMethod::dcae);
}
static_assert(methods_agree());

bool is_known(std::uint8_t method) {
  return std::any_of(
      std::begin(core::all_forward_methods), std::end(core::all_forward_methods),
      [method](ForwardMethod known) { return static_cast<std::uint8_t>(known) == method; });
}

std::string advice(const core::Backend& backend, bool external_wrenches) {
  std::string names;
  for (const ForwardMethod method : core::all_forward_methods) {
    if (!backend.offers(core::Operation::forward_dynamics)) break;
    if (!backend.accepts(method, {.wrenches = external_wrenches})) continue;
    names += (names.empty() ? "" : ", ") + constant_of(method);
  }
  return names.empty() ? "; this backend has no method for this model, choose another backend"
                       : "; use " + names;
}

[[noreturn]] void refuse(const core::Backend& backend, ForwardMethod method, bool external_wrenches,
                         const std::string& reason) {
  throw RequestError(ErrorCode::unsupported, constant_of(method) + " cannot be used: " + reason +
                                                 advice(backend, external_wrenches));
}

}  // namespace

std::string constant_of(ForwardMethod method) {
  std::string name = core::name_of(method);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "METHOD_" + name;
}

ForwardMethod prepared_method(core::Backend& backend, std::uint8_t method, bool external_wrenches) {
  if (!is_known(method)) {
    const ForwardMethod last = std::end(core::all_forward_methods)[-1];
    refuse_choice("method", method,
                  ("METHOD_AUTOMATIC (0) to " + constant_of(last) + " (" +
                   std::to_string(static_cast<int>(last)) + ")")
                      .c_str());
  }
  const auto wanted = static_cast<ForwardMethod>(method);
  if (external_wrenches && core::published_method_of(wanted)) {
    refuse(backend, wanted, external_wrenches, "it takes no external_wrenches");
  }
  const std::string reason = backend.why_not(wanted, {.wrenches = external_wrenches});
  if (!reason.empty()) refuse(backend, wanted, external_wrenches, reason);
  backend.prepare(wanted);
  return wanted;
}

void check_forward_dynamics(const core::Result& result, const core::Backend& backend,
                            ForwardMethod method, bool external_wrenches) {
  if (result.code == core::Code::unsupported && result.argument == core::Argument::method) {
    // What the core says to use instead is left out: it speaks to callers of the library.
    const std::string reason = message(result);
    refuse(backend, method, external_wrenches, reason.substr(0, reason.rfind("; use ")));
  }
  check(result);
}

}  // namespace rbd_parallel_ros
