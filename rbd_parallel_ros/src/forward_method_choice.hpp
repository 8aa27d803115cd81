// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rbd_parallel_core/backend.hpp"

/// The field `method` of ForwardDynamics.srv. A refusal names the constants of that file, and only
/// those that the backend would answer for this model.
namespace rbd_parallel_ros {

/// METHOD_ABA for instance.
std::string constant_of(rbd_parallel_core::ForwardMethod method);

/// The method of a request, ready to be used. Throws RequestError where `method` stands for none
/// (invalid_argument), or where backend, model or external wrenches rule it out (unsupported).
rbd_parallel_core::ForwardMethod prepared_method(rbd_parallel_core::Backend& backend,
                                                 std::uint8_t method, bool external_wrenches);

/// As check() of response.hpp, for the result of a call with this method.
void check_forward_dynamics(const rbd_parallel_core::Result& result,
                            const rbd_parallel_core::Backend& backend,
                            rbd_parallel_core::ForwardMethod method, bool external_wrenches);

}  // namespace rbd_parallel_ros
