// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// Moves the frames of bodies on joints of one coordinate about and along their joint axes (which
/// changes no result) so that one child of every such body gets a Denavit-Hartenberg placement.
/// Expects every body frame with its joint axis along z; sets placement, dh, angle and shift of the
/// bodies and the offsets of the links.
void choose_body_frames(std::vector<BodyView<double>>& bodies, std::vector<Link>& links);

}  // namespace rbd_parallel_core
