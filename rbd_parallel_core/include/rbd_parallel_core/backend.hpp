// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/status.hpp"

/// The one interface that computes: batches of states in, batches of results out.
///
///   tau = (M + diag(armature)) qdd + C qd + g + [damping qd + friction sign(qd)] - J^T f
///
/// Arrays are row-major with one state contiguous. q: batch x nq; v, a, qdd, tau: batch x nv; M:
/// batch x nv x nv. Units are SI. Inputs and outputs belong to the caller and must not overlap. An
/// empty v, a or tau among the inputs stands for zeros; only the outputs that are given are
/// computed.
namespace rbd_parallel_core {

/// Wrenches on named links, added to what the joints do.
struct ExternalWrenches {
  /// link: wrench along the axes of the link; world: along the axes of the world. Both act at the
  /// link origin.
  enum class Axes : std::uint8_t { link, world };

  std::span<const int> links;  ///< k indices into Model::links(); one link may come several times
  std::span<const double> wrenches;  ///< batch x k x 6: force (N), then torque (N m)
  Axes axes = Axes::link;
};

struct InverseDynamics {
  std::size_t batch = 1;
  std::span<const double> q;  ///< batch x nq
  std::span<const double> v;  ///< batch x nv, or empty: zero
  std::span<const double> a;  ///< batch x nv, or empty: zero
  ExternalWrenches f_ext{};
  std::span<double> tau;               ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

/// Terms of the equation of motion that depend on q and v only.
struct Forces {
  std::size_t batch = 1;
  std::span<const double> q;           ///< batch x nq
  std::span<const double> v;           ///< batch x nv, or empty: zero; not read by gravity_forces
  std::span<double> tau;               ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

struct MassMatrix {
  std::size_t batch = 1;
  std::span<const double> q;  ///< batch x nq
  std::span<double> mass_matrix =
      {};                           ///< out: batch x nv x nv, full and symmetric, armature included
  std::span<double> cholesky = {};  ///< out: batch x nv x nv, lower L with M = L^T L
  std::span<double> inverse = {};   ///< out: batch x nv x nv, full and symmetric
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

enum class ForwardMethod : std::uint8_t {
  automatic,  ///< aba, or crba where the model has mimic joints
  aba,        ///< articulated bodies, O(n); not for models with mimic joints
  crba,       ///< mass matrix and its tree-sparse Cholesky factor
};

struct ForwardDynamics {
  std::size_t batch = 1;
  std::span<const double> q;    ///< batch x nq
  std::span<const double> v;    ///< batch x nv, or empty: zero
  std::span<const double> tau;  ///< batch x nv, or empty: zero
  ExternalWrenches f_ext{};
  ForwardMethod method = ForwardMethod::automatic;
  std::span<double> qdd;               ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

struct Energies {
  std::size_t batch = 1;
  std::span<const double> q;           ///< batch x nq
  std::span<const double> v;           ///< batch x nv, or empty: zero
  std::span<double> kinetic = {};      ///< out: batch, J; armature included
  std::span<double> potential = {};    ///< out: batch, J; zero at the world's origin
  std::span<double> com = {};          ///< out: batch x 3, m, world frame, of all links
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

struct LinkKinematics {
  std::size_t batch = 1;
  std::span<const double> q;     ///< batch x nq
  std::span<const int> links;    ///< k indices into Model::links()
  std::span<double> poses = {};  ///< out: batch x k x 7: x y z, quaternion x y z w, in the world
  /// out: batch x k x 6 x nv: twist of the link at its origin = J v, linear rows first
  std::span<double> jacobian = {};
  /// axes of the twists in `jacobian`, as in ExternalWrenches: tau = J^T wrench
  ExternalWrenches::Axes axes = ExternalWrenches::Axes::world;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
};

struct BackendOptions {
  std::size_t max_batch = 1;  ///< largest batch of a call; memory is taken for it
  int threads = 1;            ///< threads that one call may use
  bool friction = false;      ///< include damping qd + friction sign(qd)
};

/// Computes for one Model. Owns its workspace: one Backend object per calling thread, any number of
/// them on one Model. `configure` takes all memory and throws; after it no call allocates, throws,
/// or with one thread makes a system call. The public functions check the arguments, so that a
/// backend need not: it overrides the do_ functions and may rely on sizes, ranges and on being
/// configured.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// Name by which it is chosen, "reference" for instance.
  virtual std::string name() const = 0;

  /// Binds the backend to a model. May be called again, with another model too; when it throws, the
  /// backend is not configured. Throws std::invalid_argument for impossible options and what the
  /// backend itself throws.
  void configure(std::shared_ptr<const Model> model, const BackendOptions& options = {});
  bool configured() const noexcept { return model_ != nullptr; }
  /// The model of the last configure. Only when configured().
  const Model& model() const noexcept { return *model_; }
  std::shared_ptr<const Model> shared_model() const noexcept { return model_; }
  const BackendOptions& options() const noexcept { return options_; }

  Result inverse_dynamics(const InverseDynamics& args) noexcept;
  /// C qd + g [+ friction]
  Result bias_forces(const Forces& args) noexcept;
  /// g
  Result gravity_forces(const Forces& args) noexcept;
  /// C qd, without gravity and friction
  Result coriolis_forces(const Forces& args) noexcept;
  Result mass_matrix(const MassMatrix& args) noexcept;
  Result forward_dynamics(const ForwardDynamics& args) noexcept;
  Result energies(const Energies& args) noexcept;
  Result link_kinematics(const LinkKinematics& args) noexcept;

 protected:
  Backend() = default;

  /// Take all memory for `options`; throw to refuse.
  virtual void do_configure(const Model& model, const BackendOptions& options) = 0;

  // Arguments arrive checked and with batch > 0. What a backend leaves out is Code::unsupported.
  virtual Result do_inverse_dynamics(const InverseDynamics& args) noexcept;
  virtual Result do_bias_forces(const Forces& args) noexcept;
  virtual Result do_gravity_forces(const Forces& args) noexcept;
  virtual Result do_coriolis_forces(const Forces& args) noexcept;
  virtual Result do_mass_matrix(const MassMatrix& args) noexcept;
  virtual Result do_forward_dynamics(const ForwardDynamics& args) noexcept;
  virtual Result do_energies(const Energies& args) noexcept;
  virtual Result do_link_kinematics(const LinkKinematics& args) noexcept;

 private:
  std::shared_ptr<const Model> model_;
  BackendOptions options_;
};

/// Names of the backends of this library, for make_backend.
std::vector<std::string> backend_names();

/// A new, unconfigured backend. Throws std::invalid_argument that lists the known names.
std::unique_ptr<Backend> make_backend(std::string_view name);

}  // namespace rbd_parallel_core
