// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rbd_parallel_core/backend.hpp"

/// One step of time, x+ = f(x, tau) with x = (q, v), and its exact derivatives
///
///   dx+ = A dx + B dtau,    dx = (dq, dv)
///
/// dq and dq+ are in the tangent spaces of q and q+: along the rates v with which `integrate` moves
/// each of them. So A is 2 nv x 2 nv and B 2 nv x nv, whatever the joints. Mimic joints that are
/// honoured have no rows or columns of their own.
namespace rbd_parallel_core {

/// qdd(q, v) is forward dynamics with tau and f_ext, which stay the same over the step; q (+) w is
/// integrate(q, w).
enum class StepScheme : std::uint8_t {
  /// v+ = v + dt qdd(q, v),   q+ = q (+) dt v+
  semi_implicit_euler,
  /// v1 = v                              a1 = qdd(q, v1)
  /// v2 = v + dt/2 a1                    a2 = qdd(q (+) dt/2 v1, v2)
  /// v3 = v + dt/2 a2                    a3 = qdd(q (+) dt/2 v2, v3)
  /// v4 = v + dt a3                      a4 = qdd(q (+) dt v3, v4)
  /// v+ = v + dt (a1 + 2 a2 + 2 a3 + a4) / 6,   q+ = q (+) dt (v1 + 2 v2 + 2 v3 + v4) / 6
  rk4,
};
inline constexpr StepScheme all_step_schemes[] = {StepScheme::semi_implicit_euler, StepScheme::rk4};

/// Its name as it stands above.
std::string name_of(StepScheme scheme);
std::optional<StepScheme> step_scheme_of(std::string_view name);

/// The arguments of a step. Row-major with one state contiguous, SI units. Outputs that are left
/// empty are not computed.
template <class Real>
struct BasicLinearization {
  std::size_t batch = 1;
  std::span<const Real> q;    ///< batch x nq
  std::span<const Real> v;    ///< batch x nv, or empty: zeros
  std::span<const Real> tau;  ///< batch x nv, or empty: zeros
  Real dt = 0;                ///< s, of all states
  StepScheme scheme = StepScheme::semi_implicit_euler;
  /// Along the axes of a link they turn with it during the step.
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> A = {};              ///< out: batch x 2 nv x 2 nv, d(q+, v+) / d(q, v)
  std::span<Real> B = {};              ///< out: batch x 2 nv x nv, d(q+, v+) / d tau
  std::span<Real> q_next = {};         ///< out: batch x nq
  std::span<Real> v_next = {};         ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};
using Linearization = BasicLinearization<double>;

/// Computes steps and their derivatives with a Backend. Like a Backend it belongs to one calling
/// thread; `configure` takes all memory and throws, a call allocates nothing. A large batch is
/// computed in chunks, so that the memory for matrices does not grow with it.
template <class Real>
class BasicLinearizer {
 public:
  BasicLinearizer();
  ~BasicLinearizer();
  BasicLinearizer(BasicLinearizer&&) noexcept;
  BasicLinearizer& operator=(BasicLinearizer&&) noexcept;

  /// With a backend of its own, by its name. Throws std::invalid_argument like make_backend and
  /// Backend::configure, and then is not configured.
  void configure(std::shared_ptr<const Model> model, const BackendOptions& options = {},
                 std::string_view backend = "auto");
  /// With a backend of the caller, which is configured and outlives this object, with its model,
  /// threads and max_batch. Where it is configured anew, this is to be configured again: calls are
  /// refused until then. Throws std::invalid_argument where it is not configured.
  void configure(BasicBackend<Real>& backend);
  bool configured() const noexcept;

  /// A state with NaN, infinite numbers, a zero quaternion or a singular mass matrix in any stage
  /// gets NaN and its status; the others are computed. Refuses what the backend refuses.
  Result linearize(const BasicLinearization<Real>& args) noexcept;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

extern template class BasicLinearizer<double>;
extern template class BasicLinearizer<float>;
using Linearizer = BasicLinearizer<double>;

}  // namespace rbd_parallel_core
