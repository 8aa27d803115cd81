// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/instruction_set.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/status.hpp"

/// The one interface that computes: batches of states in, batches of results out.
///
///   tau = (M + diag(armature)) qdd + C qd + g + [damping qd + friction sign(qd)] - J^T f
///
/// Arrays are row-major with one state contiguous. q: batch x nq; v, a, qdd, tau: batch x nv; M:
/// batch x nv x nv, or the entries that can differ from zero (MassMatrixPattern). Units are SI.
/// Inputs and outputs belong to the caller and must not overlap. An empty v, a or tau among the
/// inputs stands for zeros; only the outputs that are given are computed.
///
/// All is offered in double and in float. The names without a prefix are the double ones:
/// Backend is BasicBackend<double>, InverseDynamics is BasicInverseDynamics<double>.
namespace rbd_parallel_core {

/// How the numbers of a batch lie in memory.
enum class Layout : std::uint8_t {
  rows,  ///< one state after the other
  /// Ready for SIMD lanes: for W = Backend::lane_width() states at a time, the first number of all
  /// W, then the second, and so on; coordinate k of state s is at (s / W * n + k) * W + s % W where
  /// a state has n numbers. Arrays hold whole groups, so their sizes are those of the batch rounded
  /// up to a multiple of W; what stands in the lanes without a state does not matter. Only the
  /// status is one for each state as ever.
  lanes,
};

/// Along which axes a wrench or a twist at the origin of a link is given: the link's or the
/// world's.
enum class Axes : std::uint8_t { link, world };

/// Wrenches on named links, added to what the joints do. They act at the origins of the links.
template <class Real>
struct BasicExternalWrenches {
  using Axes = rbd_parallel_core::Axes;

  std::span<const int> links;  ///< k indices into Model::links(); one link may come several times
  std::span<const Real> wrenches;  ///< batch x k x 6: force (N), then torque (N m)
  Axes axes = Axes::link;
};

template <class Real>
struct BasicInverseDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;  ///< batch x nq
  std::span<const Real> v;  ///< batch x nv, or empty: zero
  std::span<const Real> a;  ///< batch x nv, or empty: zero
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> tau;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

/// Terms of the equation of motion that depend on q and v only.
template <class Real>
struct BasicForces {
  std::size_t batch = 1;
  std::span<const Real> q;             ///< batch x nq
  std::span<const Real> v;             ///< batch x nv, or empty: zero; not read by gravity_forces
  std::span<Real> tau;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicMassMatrix {
  std::size_t batch = 1;
  std::span<const Real> q;  ///< batch x nq
  std::span<Real> mass_matrix =
      {};                         ///< out: batch x nv x nv, full and symmetric, armature included
  std::span<Real> cholesky = {};  ///< out: batch x nv x nv, lower L with M = L^T L
  std::span<Real> inverse = {};   ///< out: batch x nv x nv, full and symmetric
  /// out: batch x nonzeros, the lower triangle of M, armature included: the values of a
  /// MassMatrixPattern
  std::span<Real> sparse = {};
  std::span<Real> sparse_cholesky = {};  ///< out: batch x nonzeros, L in the same pattern
  std::span<StateStatus> status = {};    ///< out: batch, or empty
  Layout layout = Layout::rows;          ///< of all arrays but the status
};

enum class ForwardMethod : std::uint8_t {
  automatic,  ///< aba, or crba where the model has mimic joints
  aba,        ///< articulated bodies, O(n); not for models with mimic joints
  crba,       ///< mass matrix and its tree-sparse Cholesky factor
};

template <class Real>
struct BasicForwardDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;    ///< batch x nq
  std::span<const Real> v;    ///< batch x nv, or empty: zero
  std::span<const Real> tau;  ///< batch x nv, or empty: zero
  BasicExternalWrenches<Real> f_ext{};
  ForwardMethod method = ForwardMethod::automatic;
  std::span<Real> qdd;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicEnergies {
  std::size_t batch = 1;
  std::span<const Real> q;             ///< batch x nq
  std::span<const Real> v;             ///< batch x nv, or empty: zero
  std::span<Real> kinetic = {};        ///< out: batch, J; armature included
  std::span<Real> potential = {};      ///< out: batch, J; zero at the world's origin
  std::span<Real> com = {};            ///< out: batch x 3, m, world frame, of all links
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicLinkKinematics {
  std::size_t batch = 1;
  std::span<const Real> q;     ///< batch x nq
  std::span<const int> links;  ///< k indices into Model::links()
  std::span<Real> poses = {};  ///< out: batch x k x 7: x y z, quaternion x y z w, in the world
  /// out: batch x k x 6 x nv: twist of the link at its origin = J v, linear rows first
  std::span<Real> jacobian = {};
  /// axes of the twists in `jacobian`, tau = J^T wrench
  Axes axes = Axes::world;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

using ExternalWrenches = BasicExternalWrenches<double>;
using InverseDynamics = BasicInverseDynamics<double>;
using Forces = BasicForces<double>;
using MassMatrix = BasicMassMatrix<double>;
using ForwardDynamics = BasicForwardDynamics<double>;
using Energies = BasicEnergies<double>;
using LinkKinematics = BasicLinkKinematics<double>;

/// How the backend "tree" goes about one large tree (docs/vtree.md).
enum class TreeFamily : std::uint8_t {
  blocks,  ///< heavy paths cut into blocks: as accurate as the recursion
  scans,   ///< scans over an Euler tour, as in Lynghus' thesis: for study, loses accuracy on chains
};

struct TreeOptions {
  TreeFamily family = TreeFamily::blocks;
  int block = 0;  ///< bodies of a block (of a scan: elements), or 0: chosen by the tree
};

struct BackendOptions {
  std::size_t max_batch = 1;  ///< largest batch of a call; memory is taken for it
  int threads = 1;            ///< threads that one call may use
  bool friction = false;      ///< include damping qd + friction sign(qd)
  /// For the kernels of the CPU. Empty: what RBD_PARALLEL_ISA says, else the best of the machine.
  std::optional<InstructionSet> instruction_set = std::nullopt;
  TreeOptions tree{};  ///< read by "tree" alone
};

/// Computes for one Model. Owns its workspace: one Backend object per calling thread, any number of
/// them on one Model. `configure` takes all memory and throws; after it no call allocates, throws,
/// or with one thread makes a system call. The public functions check the arguments, so that a
/// backend need not: it overrides the do_ functions and may rely on sizes, ranges and on being
/// configured.
template <class Real>
class BasicBackend {
 public:
  using InverseDynamics = BasicInverseDynamics<Real>;
  using Forces = BasicForces<Real>;
  using MassMatrix = BasicMassMatrix<Real>;
  using ForwardDynamics = BasicForwardDynamics<Real>;
  using Energies = BasicEnergies<Real>;
  using LinkKinematics = BasicLinkKinematics<Real>;

  virtual ~BasicBackend() = default;
  BasicBackend(const BasicBackend&) = delete;
  BasicBackend& operator=(const BasicBackend&) = delete;

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
  /// How many states lie beside each other in Layout::lanes. Only when configured().
  virtual std::size_t lane_width() const noexcept { return 1; }

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
  BasicBackend() = default;

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
  std::size_t nonzeros_ = 0;  ///< of the lower triangle of M
  BackendOptions options_;
};

extern template class BasicBackend<double>;
extern template class BasicBackend<float>;
using Backend = BasicBackend<double>;

/// Names of the backends of this library, for make_backend.
std::vector<std::string> backend_names();

/// A new, unconfigured backend: make_backend("cpu"), or make_backend<float>("tree"). "auto" is the
/// best there is, today always "cpu". Throws std::invalid_argument that lists the known names.
template <class Real = double>
std::unique_ptr<BasicBackend<Real>> make_backend(std::string_view name = "auto");
template <>
std::unique_ptr<BasicBackend<double>> make_backend<double>(std::string_view name);
template <>
std::unique_ptr<BasicBackend<float>> make_backend<float>(std::string_view name);

}  // namespace rbd_parallel_core
