// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/state_bodies.hpp"
#include "rbd_parallel_core/gpu/kernels/transpose.hpp"
#include "rbd_parallel_core/gpu/kernels/tree_status.hpp"

namespace rbd_parallel_core {

/// The kernels for states, of a device or of a CPU.
template <class Real>
struct StateEntries {
  BodyEntry<Transpose<Real>> transpose;
  BodyEntry<ExternalForcesBody<Real>> external_forces;
  BodyEntry<InverseDynamicsBody<Real, Rates::none>> at_rest;
  BodyEntry<InverseDynamicsBody<Real, Rates::velocities>> moving;
  BodyEntry<InverseDynamicsBody<Real, Rates::all>> inverse_dynamics;
  BodyEntry<MassMatrixBody<Real>> mass_matrix;
  BodyEntry<FactorBody<Real>> factor;
  BodyEntry<InverseBody<Real>> inverse;
  BodyEntry<SparseRowsBody<Real>> sparse_rows;
  BodyEntry<ForwardDynamicsBody<Real, true>> aba;
  BodyEntry<ForwardDynamicsBody<Real, false>> crba_forward;
  BodyEntry<EnergiesBody<Real>> energies;
  BodyEntry<PlacementsBody<Real>> placements;
  BodyEntry<LinkPoseBody<Real>> link_pose;
  BodyEntry<LinkJacobianBody<Real>> link_jacobian;
  BodyEntry<BodyMotionsBody<Real>> body_motions;
  BodyEntry<LinkVectorBody<Real>> link_vector;
  BodyEntry<TreeStatusBody<Real>> tree_status;

  /// Has every entry made by make(entry).
  template <class Make>
  static StateEntries made_by(const Make& make) {
    StateEntries all;
    auto& [transpose, external_forces, at_rest, moving, inverse_dynamics, mass_matrix, factor,
           inverse, sparse_rows, aba, crba_forward, energies, placements, link_pose, link_jacobian,
           body_motions, link_vector, tree_status] = all;
    make(transpose);
    make(external_forces);
    make(at_rest);
    make(moving);
    make(inverse_dynamics);
    make(mass_matrix);
    make(factor);
    make(inverse);
    make(sparse_rows);
    make(aba);
    make(crba_forward);
    make(energies);
    make(placements);
    make(link_pose);
    make(link_jacobian);
    make(body_motions);
    make(link_vector);
    make(tree_status);
    return all;
  }
};

}  // namespace rbd_parallel_core
