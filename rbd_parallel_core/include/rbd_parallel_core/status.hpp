// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rbd_parallel_core {

class Model;

/// Why a compute call was refused.
enum class Code : std::uint8_t {
  ok,
  not_configured,   ///< compute before configure
  batch_too_large,  ///< batch above the max_batch of configure
  wrong_size,       ///< an array has the wrong number of elements
  missing,          ///< an array that must be given is empty
  out_of_range,     ///< an index (of a link) is outside of its range
  unsupported,  ///< this backend does not offer the operation, or the model rules out the method
  failed,       ///< the backend could not complete the call (a lost device, for instance)
  on_device,    ///< an array lies on a device where the host reads or writes it
};

/// Which argument a refusal is about.
enum class Argument : std::uint8_t {
  none,
  batch,
  q,
  v,
  a,
  tau,
  qdd,
  links,
  wrenches,
  mass_matrix,
  cholesky,
  inverse,
  sparse,
  sparse_cholesky,
  kinetic,
  potential,
  com,
  poses,
  jacobian,
  twist,
  acceleration,
  velocity_product,
  status,
  method,
  next,
  q0,
  q1,
  dtau_dq,
  dtau_dv,
  dqdd_dq,
  dqdd_dv,
  dqdd_dtau,
  dq,
  dv,
  da,
  dtau,
  dqdd,
  weights,
  grad_q,
  grad_v,
  grad_a,
  grad_tau,
  coriolis,
  mass_matrix_rate,
  momentum_matrix,
  momentum_matrix_rate,
  regressor,
  jacobian_rate,
  A,
  B,
  q_next,
  v_next,
};

/// As messages call them and Python spells them, in the order of Argument.
inline constexpr std::array<std::string_view, 52> argument_names{"the call",
                                                                 "batch",
                                                                 "q",
                                                                 "v",
                                                                 "a",
                                                                 "tau",
                                                                 "qdd",
                                                                 "links",
                                                                 "f_ext",
                                                                 "mass_matrix",
                                                                 "cholesky",
                                                                 "inverse",
                                                                 "sparse",
                                                                 "sparse_cholesky",
                                                                 "kinetic",
                                                                 "potential",
                                                                 "com",
                                                                 "poses",
                                                                 "jacobian",
                                                                 "twist",
                                                                 "acceleration",
                                                                 "velocity_product",
                                                                 "status",
                                                                 "method",
                                                                 "next",
                                                                 "q0",
                                                                 "q1",
                                                                 "dtau_dq",
                                                                 "dtau_dv",
                                                                 "dqdd_dq",
                                                                 "dqdd_dv",
                                                                 "dqdd_dtau",
                                                                 "dq",
                                                                 "dv",
                                                                 "da",
                                                                 "dtau",
                                                                 "dqdd",
                                                                 "weights",
                                                                 "grad_q",
                                                                 "grad_v",
                                                                 "grad_a",
                                                                 "grad_tau",
                                                                 "coriolis",
                                                                 "mass_matrix_rate",
                                                                 "momentum_matrix",
                                                                 "momentum_matrix_rate",
                                                                 "regressor",
                                                                 "jacobian_rate",
                                                                 "A",
                                                                 "B",
                                                                 "q_next",
                                                                 "v_next"};
static_assert(argument_names.size() == static_cast<std::size_t>(Argument::v_next) + 1);

constexpr std::string_view name_of(Argument argument) noexcept {
  return argument_names[static_cast<std::size_t>(argument)];
}

/// The outcome of a compute call: small and trivially copyable, so that a control loop can look at
/// it without a string being made. `message(result)` makes the text, outside of the loop.
struct [[nodiscard]] Result {
  Code code = Code::ok;
  Argument argument = Argument::none;
  std::int64_t expected = 0;
  std::int64_t actual = 0;

  constexpr bool ok() const noexcept { return code == Code::ok; }
  constexpr explicit operator bool() const noexcept { return ok(); }
};

/// One sentence: what was expected, what came, what to do.
std::string message(const Result& result);

/// How one state of a batch went. A bad state never spoils its neighbours; its own outputs are NaN.
struct StateStatus {
  enum class Code : std::uint8_t {
    ok,
    not_finite,  ///< an input was NaN, infinite or a zero quaternion, or a result overflowed or is
                 ///< undefined
    singular,    ///< forward dynamics, Cholesky, inverse: M is singular at coordinate `dof`
  };
  Code code = Code::ok;
  std::int32_t dof = -1;  ///< index into v of the singular coordinate

  constexpr bool ok() const noexcept { return code == Code::ok; }
  friend constexpr bool operator==(const StateStatus&, const StateStatus&) = default;
};

/// One sentence that names the joint.
std::string message(const StateStatus& status, const Model& model);

}  // namespace rbd_parallel_core
