// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/testing/checks/argument_checks.hpp"
#include "rbd_parallel_core/testing/checks/batch_checks.hpp"
#include "rbd_parallel_core/testing/checks/configure_checks.hpp"
#include "rbd_parallel_core/testing/checks/derivative_checks.hpp"
#include "rbd_parallel_core/testing/checks/number_checks.hpp"
#include "rbd_parallel_core/testing/checks/state_checks.hpp"

/// The checks of the conformance suite, one function each: a backend in, what is wrong with it out.
/// They know no test framework, so that a deliberately wrong backend can be shown to fail them.
/// backend_conformance.hpp makes GoogleTest cases of them.
namespace rbd_parallel_core::conformance {

struct Check {
  const char* name;
  Violations (*run)(const BackendUnderTest&);
};

/// All of them.
inline const std::vector<Check>& every_check() {
  static const std::vector<Check> checks = {
      {"AgreesWithNewton", check_against_newton},
      {"Friction", check_friction},
      {"ForwardDynamicsIsUndoneByInverseDynamics", check_forward_dynamics},
      {"FactorsOfTheMassMatrix", check_mass_matrix_factors},
      {"SparseMassMatrix", check_sparse_mass_matrix},
      {"DerivativesAreSlopes", check_derivatives},
      {"Regressor", check_regressor},
      {"AgreesWithReference", check_against_reference},
      {"StatesOfABatchAreIndependent", check_batches},
      {"CallsLeaveNothingBehind", check_memory_of_calls},
      {"BatchSizes", check_batch_sizes},
      {"LanesEqualRows", check_layouts},
      {"ThreadCountsChangeNothing", check_thread_counts},
      {"SeveralBackendsOnOneModel", check_concurrent_backends},
      {"EmptyInputsAreZero", check_empty_inputs},
      {"SingleOutputs", check_single_outputs},
      {"RefusesWrongSizes", check_wrong_sizes},
      {"RefusesUnknownLinks", check_unknown_links},
      {"RefusesAbaWithMimicJoints", check_aba_with_mimic},
      {"RobotWithoutCoordinates", check_no_coordinates},
      {"ReportsWhatItDoesNotOffer", check_not_offered},
      {"NotFiniteInputsStayInTheirState", check_not_finite_inputs},
      {"Quaternions", check_quaternions},
      {"OverflowIsReported", check_overflow},
      {"SingularMassMatrixNamesTheJoint", check_singular},
      {"UnitsOfLengthDoNotMatter", check_units},
      {"RefusesWhenNotConfigured", check_not_configured},
      {"ConfigureFaults", check_configure_faults},
      {"Reconfigure", check_reconfigure},
      {"KeepsItsModelAlive", check_model_lifetime},
      {"AllocatesNothing", check_allocations},
  };
  return checks;
}

}  // namespace rbd_parallel_core::conformance
