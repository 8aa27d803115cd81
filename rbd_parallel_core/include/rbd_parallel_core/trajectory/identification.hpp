// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rbd_parallel_core/backend.hpp"

/// Identification of the inertial parameters of a robot from measured motions and torques. tau =
/// Y(q, v, a) pi is linear in them (Operation::regressor), but depends on some of their linear
/// combinations only, the base parameters; these are what measurements can tell.
namespace rbd_parallel_core {

struct BaseParametersOptions {
  /// States at random of which the regressors are stacked; 0: enough for the robot.
  std::size_t states = 0;
  std::uint64_t seed = 1;  ///< the same seed gives the same result
  /// A column of the stacked regressors counts as dependent where what is left of it, without its
  /// part along the columns chosen before, is less than this part of it.
  double tolerance = 1e-9;
};

/// Which linear combinations of the inertial parameters tau depends on: pi_base = regroup pi, so
/// that Y pi = Y_base pi_base for every q, v, a, where Y_base has the independent columns of Y.
struct BaseParameters {
  std::size_t parameters = 0;    ///< ten for each body
  std::vector<int> independent;  ///< columns of Y, ascending; one for each base parameter
  /// independent.size() x parameters, row-major; ones and zeros in the independent columns.
  std::vector<double> regroup;
  /// How sure the rank is: what was left of the last column that counts, and of the first one that
  /// does not, as parts of them. The first should be much above the tolerance, the second much
  /// below; 0 where there is none.
  double smallest_kept = 0, largest_dropped = 0;

  /// regroup pi. Throws std::invalid_argument for another size than `parameters`.
  std::vector<double> of(std::span<const double> pi) const;
};

/// By QR with column pivoting of the regressors of random states (Gautier 1991), with columns of
/// length one, so that units do not matter. q within the limits of the joints, rates up to 3
/// rad/s or m/s, accelerations up to 10. Takes memory and time as a dense matrix of states nv x
/// parameters does. Throws std::invalid_argument for a tolerance outside of 0 ... 1, and
/// std::runtime_error where the regressor is not offered for a robot of this size.
BaseParameters base_parameters(std::shared_ptr<const Model> model,
                               const BaseParametersOptions& options = {});

/// What was measured. tau includes what friction, armature and gravity do.
struct Measurements {
  std::size_t samples = 0;
  std::span<const double> q;    ///< samples x nq
  std::span<const double> v;    ///< samples x nv
  std::span<const double> a;    ///< samples x nv
  std::span<const double> tau;  ///< samples x nv
  /// nv: standard deviation of each torque, N m or N, by which the equations are weighed. Empty:
  /// all alike.
  std::span<const double> noise = {};
};

struct Identification {
  std::vector<double> base;  ///< base parameters, in the order of BaseParameters::independent
  /// Of each base parameter, as far as the residuals tell: that of the noise of the torques alone.
  std::vector<double> standard_error;
  /// Root mean square of what the model does not explain: N m or N, of the noise where that is
  /// given.
  double residual = 0;
};

/// The base parameters that explain measurements best, by least squares. Armature, and friction
/// where the backend has it switched on, are taken from its model and not identified. Takes as many
/// samples at a time as the backend's max_batch. Throws std::invalid_argument for arrays of the
/// wrong size, numbers that are not finite, fewer equations than base parameters, and motions that
/// do not excite all of them; std::runtime_error for what the backend refuses.
Identification identify(Backend& backend, const BaseParameters& parameters,
                        const Measurements& measurements);

}  // namespace rbd_parallel_core
