// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/testing/checks/check_report.hpp"
#include "rbd_parallel_core/testing/conformance_linkage.hpp"

/// The checks of the conformance suite, one function each: a backend in, what is wrong with it out.
/// They know no test framework, so that a deliberately wrong backend can be shown to fail them.
/// backend_conformance.hpp makes GoogleTest cases of them.
namespace rbd_parallel_core::conformance {

// checks/number_checks.hpp
Violations check_against_newton(const BackendUnderTest& under_test);
Violations check_friction(const BackendUnderTest& under_test);
Violations check_forward_dynamics(const BackendUnderTest& under_test);
Violations check_mass_matrix_factors(const BackendUnderTest& under_test);
Violations check_sparse_mass_matrix(const BackendUnderTest& under_test);
Violations check_against_reference(const BackendUnderTest& under_test);
// checks/derivative_checks.hpp
Violations check_derivatives(const BackendUnderTest& under_test);
Violations check_regressor(const BackendUnderTest& under_test);
// checks/batch_checks.hpp
Violations check_batches(const BackendUnderTest& under_test);
Violations check_memory_of_calls(const BackendUnderTest& under_test);
Violations check_batch_sizes(const BackendUnderTest& under_test);
Violations check_layouts(const BackendUnderTest& under_test);
Violations check_thread_counts(const BackendUnderTest& under_test);
Violations check_concurrent_backends(const BackendUnderTest& under_test);
// checks/argument_checks.hpp
Violations check_empty_inputs(const BackendUnderTest& under_test);
Violations check_single_outputs(const BackendUnderTest& under_test);
Violations check_wrong_sizes(const BackendUnderTest& under_test);
Violations check_unknown_links(const BackendUnderTest& under_test);
Violations check_aba_with_mimic(const BackendUnderTest& under_test);
Violations check_no_coordinates(const BackendUnderTest& under_test);
Violations check_not_offered(const BackendUnderTest& under_test);
// checks/state_checks.hpp
Violations check_not_finite_inputs(const BackendUnderTest& under_test);
Violations check_quaternions(const BackendUnderTest& under_test);
Violations check_overflow(const BackendUnderTest& under_test);
Violations check_singular(const BackendUnderTest& under_test);
Violations check_units(const BackendUnderTest& under_test);
// checks/configure_checks.hpp
Violations check_not_configured(const BackendUnderTest& under_test);
Violations check_configure_faults(const BackendUnderTest& under_test);
Violations check_reconfigure(const BackendUnderTest& under_test);
Violations check_model_lifetime(const BackendUnderTest& under_test);
Violations check_allocations(const BackendUnderTest& under_test);

struct Check {
  const char* name;
  Violations (*run)(const BackendUnderTest&);
};

/// All of them.
const std::vector<Check>& every_check();

}  // namespace rbd_parallel_core::conformance

#ifdef RBD_CONFORMANCE_FUNCTION
#include "rbd_parallel_core/testing/checks/argument_checks.hpp"
#include "rbd_parallel_core/testing/checks/batch_checks.hpp"
#include "rbd_parallel_core/testing/checks/configure_checks.hpp"
#include "rbd_parallel_core/testing/checks/derivative_checks.hpp"
#include "rbd_parallel_core/testing/checks/number_checks.hpp"
#include "rbd_parallel_core/testing/checks/state_checks.hpp"

namespace rbd_parallel_core::conformance {

RBD_CONFORMANCE_FUNCTION const std::vector<Check>& every_check() {
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
#endif
