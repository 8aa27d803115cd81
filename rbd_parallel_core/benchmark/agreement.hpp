// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ours.hpp"
#include "peer.hpp"

namespace rbd_bench {

// The largest disagreement over all states, relative to the largest number of the peer's result.
// Forward dynamics is compared in torques, M (ours - peer) against tau: the accelerations of an
// ill-conditioned robot differ by rounding alone. Both sides must hold the same `states`.
double disagreement(Operation operation, Ours& ours, Peer& peer, const States& states);

// What rounding may explain.
double tolerance(Operation operation);

}  // namespace rbd_bench
