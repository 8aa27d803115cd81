// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shapes.hpp"
#include "tree_report.hpp"
#include "tree_settings.hpp"

namespace rbd_bench {

// The parts of the benchmark, each on one tree. Results are compared before anything is timed: a
// wrong number is not fast. They throw std::runtime_error where one is wrong.

// The recursion, blocks and scans.
void run_inverse_dynamics(const Tree& tree, const TreeSettings& settings, TreeReport& report);
// The recursion and blocks; of chains also two blocks without lanes.
void run_forward_dynamics(const Tree& tree, const TreeSettings& settings, TreeReport& report);
// M in full, beside writing as many numbers.
void run_dense(const Tree& tree, const TreeSettings& settings, TreeReport& report);
// Those entries of M that can differ from zero.
void run_sparse(const Tree& tree, const TreeSettings& settings, TreeReport& report);
// Inverse dynamics by every kind of scan.
void run_scans(const Tree& tree, const TreeSettings& settings, TreeReport& report);
void run_accuracy(const Tree& tree, const TreeSettings& settings, TreeReport& report);
// Pinocchio, RNEA, CRBA and ABA, on a chain that both sides read from the same URDF.
void run_peer(std::size_t bodies, const TreeSettings& settings, TreeReport& report);

}  // namespace rbd_bench
