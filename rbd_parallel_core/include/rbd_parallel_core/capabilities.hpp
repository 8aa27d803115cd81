// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

class DeviceAccess;

/// What a Backend can do for the model that it is configured for. A backend that has another one
/// compute hands on the other's, whole: nothing that can be done gets lost on the way.
struct Capabilities {
  /// All others are refused with Code::unsupported before the backend sees them.
  OperationSet operations = OperationSet::all();
  /// How many states lie beside each other in Layout::lanes.
  std::size_t lane_width = 1;
  /// Whether forward dynamics takes ForwardMethod::two_port, and then in Layout::lanes too.
  bool two_port = false;
  bool two_port_in_lanes = true;
  /// Up to which nv forward dynamics takes ForwardMethod::crba, which keeps a dense mass matrix.
  int largest_nv_by_crba = std::numeric_limits<int>::max();
  /// Where that is less in Layout::lanes, which keeps a matrix for every lane.
  int largest_nv_by_crba_in_lanes = std::numeric_limits<int>::max();
  /// Where arrays on a device may be given, how to get along with that device; else null.
  DeviceAccess* device = nullptr;
};

}  // namespace rbd_parallel_core
