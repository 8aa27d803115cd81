// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "rbd_parallel_core/testing/checks/check_report.hpp"

namespace rbd_parallel_core::conformance {

/// The backend with what it does not offer of derivatives, as it says itself; all other operations
/// it must offer. A backend that cannot be made says nothing.
inline BackendUnderTest as_offered(BackendUnderTest backend) {
  const auto model = std::make_shared<const Model>(single_joint(JointKind::revolute).model());
  std::unique_ptr<Backend> probe;
  try {
    probe = backend.make();
    probe->configure(model);
  } catch (const std::exception&) {
    return backend;
  }
  for (const Operation operation : all_operations) {
    if (operation <= Operation::link_motion || probe->offers(operation)) continue;
    backend.not_offered.insert(operation);
  }
  const Result result =
      run(detail::call_named("link_motion in world axes"), *probe, random_batch(*model, 1, 1))
          .result;
  if (result.code == Code::unsupported && result.argument == Argument::jacobian_rate) {
    backend.outputs_not_offered.insert(Argument::jacobian_rate);
  }
  return backend;
}

}  // namespace rbd_parallel_core::conformance
