// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/call.hpp"
#include "rbd_parallel_core/capabilities.hpp"
#include "rbd_parallel_core/instruction_set.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"
#include "rbd_parallel_core/spin.hpp"
#include "rbd_parallel_core/status.hpp"
#include "rbd_parallel_core/study/forward_methods.hpp"

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

/// How the backend "tree" goes about one large tree (docs/vtree.md).
enum class TreeFamily : std::uint8_t {
  blocks,  ///< heavy paths cut into blocks: as accurate as the recursion
  scans,   ///< scans over an Euler tour, as in Lynghus' thesis: for study, loses accuracy on chains
};

struct TreeOptions {
  TreeFamily family = TreeFamily::blocks;
  int block = 0;  ///< bodies of a block (of a scan: elements), or 0: chosen by the tree
  /// blocks: bodies of a group of subtrees that one thread does from end to end, while a cache
  /// holds them; 0: chosen by the tree, which for most is to have no groups.
  int group = 0;
  /// blocks: several side by side in SIMD lanes, or one after the other, to see what lanes gain.
  bool lanes = true;
};

struct BackendOptions {
  std::size_t max_batch = 1;  ///< largest batch of a call; memory is taken for it
  int threads = 1;            ///< threads that one call may use
  bool friction = false;      ///< include damping qd + friction sign(qd)
  /// For the kernels of the CPU. Empty: what RBD_PARALLEL_ISA says, else the best of the machine.
  std::optional<InstructionSet> instruction_set = std::nullopt;
  /// Read by "tree", by "auto" but for the family, and by "cuda" with bodies_in_parallel but for
  /// groups and lanes. What a backend would not read it refuses, unless it is the default.
  TreeOptions tree{};
  /// Operations that code is made for when "compiled" is configured, each for all that it can be
  /// asked for; the others are computed by the kernels of "cpu". Not set: all of them. "auto" reads
  /// it too; not set: those that it has costs of and that gain. Other backends refuse it.
  std::optional<OperationSet> compile = std::nullopt;
  /// Microseconds that the other threads of a call stay awake after it, at most: they find the next
  /// call at once, while to wake them takes 20 to 60 us. Meanwhile they keep cores busy that nobody
  /// else wants. 0: they go to sleep at once. At most largest_spin_us. With one thread there is
  /// nobody to stay awake.
  int spin_us = default_spin_us;
};

/// What of a call, besides its model, decides which methods of forward dynamics it may ask for.
struct MethodUse {
  Layout layout = Layout::rows;
  bool wrenches = false;  ///< f_ext is given
};

/// Computes for one Model. Owns its workspace: one Backend object per calling thread, any number of
/// them on one Model. `configure` takes all memory and throws; after it no call allocates, throws,
/// or with one thread makes a system call. The public functions check the arguments, so that a
/// backend need not: it overrides the do_ functions and may rely on sizes, ranges and on being
/// configured.
template <class Real>
class BasicBackend {
 public:
  using Call = BasicCall<Real>;
  using InverseDynamics = BasicInverseDynamics<Real>;
  using Forces = BasicForces<Real>;
  using MassMatrix = BasicMassMatrix<Real>;
  using ForwardDynamics = BasicForwardDynamics<Real>;
  using Energies = BasicEnergies<Real>;
  using LinkKinematics = BasicLinkKinematics<Real>;
  using LinkMotion = BasicLinkMotion<Real>;
  using InverseDynamicsDerivatives = BasicInverseDynamicsDerivatives<Real>;
  using ForwardDynamicsDerivatives = BasicForwardDynamicsDerivatives<Real>;
  using InverseDynamicsJvp = BasicInverseDynamicsJvp<Real>;
  using InverseDynamicsVjp = BasicInverseDynamicsVjp<Real>;
  using ForwardDynamicsJvp = BasicForwardDynamicsJvp<Real>;
  using ForwardDynamicsVjp = BasicForwardDynamicsVjp<Real>;
  using CoriolisMatrix = BasicCoriolisMatrix<Real>;
  using CentroidalMomentum = BasicCentroidalMomentum<Real>;
  using Regressor = BasicRegressor<Real>;

  virtual ~BasicBackend() = default;
  BasicBackend(const BasicBackend&) = delete;
  BasicBackend& operator=(const BasicBackend&) = delete;

  /// Name by which it is chosen, "reference" for instance. What make_backend("auto") gives has the
  /// name of the backend that computes: inverse dynamics of max_batch states when configured, "cpu"
  /// before.
  virtual std::string name() const = 0;
  /// One sentence on which backend computes a batch of so many states, and why. Allocates.
  virtual std::string explain(Operation operation, std::size_t batch) const;

  /// Binds the backend to a model. May be called again, with another model too; when it throws, the
  /// backend is not configured. Throws std::invalid_argument for impossible options and what the
  /// backend itself throws.
  void configure(std::shared_ptr<const Model> model, const BackendOptions& options = {});
  bool configured() const noexcept { return model_ != nullptr; }
  /// The model of the last configure. Only when configured().
  const Model& model() const noexcept { return *model_; }
  std::shared_ptr<const Model> shared_model() const noexcept { return model_; }
  const BackendOptions& options() const noexcept { return options_; }

  /// What it can do for the model. Only when configured().
  const Capabilities& capabilities() const noexcept { return capabilities_; }
  /// How many states lie beside each other in Layout::lanes. Only when configured().
  std::size_t lane_width() const noexcept { return capabilities_.lane_width; }
  /// Whether it computes the operation for this model.
  bool offers(Operation operation) const noexcept {
    return configured() && capabilities_.operations.contains(operation);
  }

  /// Takes the memory of a method of forward dynamics that configure leaves out: those of the
  /// literature (forward_methods.hpp). Every backend computes them alike, one state after the other
  /// in the calling thread. To be called after configure, which forgets it. Throws
  /// std::invalid_argument where the model, this backend or the use rules the method out, with the
  /// reason and the methods that can be used so.
  void prepare(ForwardMethod method, const MethodUse& use = {});
  /// Whether forward_dynamics takes the method for this model now.
  bool offers(ForwardMethod method) const noexcept;
  /// Whether a call of this kind takes the method; those of the literature after prepare.
  bool accepts(ForwardMethod method, const MethodUse& use = {}) const noexcept;
  /// Why it does not: "joint 'finger' mimics another one". Empty where it does.
  std::string why_not(ForwardMethod method, const MethodUse& use = {}) const;

  /// Checks the arguments, then computes. The calls below are this for one operation each.
  Result compute(const Call& call) noexcept;

  Result inverse_dynamics(const InverseDynamics& args) noexcept {
    return compute({OperationTag<Operation::inverse_dynamics>{}, args});
  }
  /// C qd + g [+ friction]
  Result bias_forces(const Forces& args) noexcept {
    return compute({OperationTag<Operation::bias_forces>{}, args});
  }
  /// g
  Result gravity_forces(const Forces& args) noexcept {
    return compute({OperationTag<Operation::gravity_forces>{}, args});
  }
  /// C qd, without gravity and friction
  Result coriolis_forces(const Forces& args) noexcept {
    return compute({OperationTag<Operation::coriolis_forces>{}, args});
  }
  Result mass_matrix(const MassMatrix& args) noexcept {
    return compute({OperationTag<Operation::mass_matrix>{}, args});
  }
  Result forward_dynamics(const ForwardDynamics& args) noexcept {
    return compute({OperationTag<Operation::forward_dynamics>{}, args});
  }
  Result energies(const Energies& args) noexcept {
    return compute({OperationTag<Operation::energies>{}, args});
  }
  Result link_kinematics(const LinkKinematics& args) noexcept {
    return compute({OperationTag<Operation::link_kinematics>{}, args});
  }
  Result link_motion(const LinkMotion& args) noexcept {
    return compute({OperationTag<Operation::link_motion>{}, args});
  }
  Result inverse_dynamics_derivatives(const InverseDynamicsDerivatives& args) noexcept {
    return compute({OperationTag<Operation::inverse_dynamics_derivatives>{}, args});
  }
  Result forward_dynamics_derivatives(const ForwardDynamicsDerivatives& args) noexcept {
    return compute({OperationTag<Operation::forward_dynamics_derivatives>{}, args});
  }
  Result inverse_dynamics_jvp(const InverseDynamicsJvp& args) noexcept {
    return compute({OperationTag<Operation::inverse_dynamics_jvp>{}, args});
  }
  Result inverse_dynamics_vjp(const InverseDynamicsVjp& args) noexcept {
    return compute({OperationTag<Operation::inverse_dynamics_vjp>{}, args});
  }
  Result forward_dynamics_jvp(const ForwardDynamicsJvp& args) noexcept {
    return compute({OperationTag<Operation::forward_dynamics_jvp>{}, args});
  }
  Result forward_dynamics_vjp(const ForwardDynamicsVjp& args) noexcept {
    return compute({OperationTag<Operation::forward_dynamics_vjp>{}, args});
  }
  Result coriolis_matrix(const CoriolisMatrix& args) noexcept {
    return compute({OperationTag<Operation::coriolis_matrix>{}, args});
  }
  Result centroidal_momentum(const CentroidalMomentum& args) noexcept {
    return compute({OperationTag<Operation::centroidal_momentum>{}, args});
  }
  Result regressor(const Regressor& args) noexcept {
    return compute({OperationTag<Operation::regressor>{}, args});
  }

 protected:
  BasicBackend() = default;

  /// Take all memory for `options`; throw to refuse.
  virtual void do_configure(const Model& model, const BackendOptions& options) = 0;
  /// What it can do for the model of the last do_configure.
  virtual Capabilities do_capabilities() const noexcept = 0;
  /// Compute. The arguments are checked, there is at least one state, the operation is one of
  /// do_capabilities, and the method of forward dynamics is aba, crba or, where offered, two_port.
  virtual Result do_compute(const Call& call) noexcept = 0;

 private:
  template <class Args>
  Result check_closely(const Args& args, std::size_t states) noexcept;
  Result forward(const ForwardDynamics& args) noexcept;
  bool allows(ForwardMethod method, const MethodUse& use) const noexcept;
  int largest_nv_by_crba(Layout layout) const noexcept;
  Result refused(ForwardMethod method, const MethodUse& use) const noexcept;
  Result by_published_method(PublishedMethod method, const ForwardDynamics& args) noexcept;
  /// Refuses an array that lies on a device where the host reads or writes it.
  template <class T>
  Result on_host(Argument argument, std::span<T> array) noexcept;

  std::shared_ptr<const Model> model_;
  Extents extents_;  ///< of the model; the links are the call's
  Capabilities capabilities_;
  BackendOptions options_;
  ForwardMethods<Real> published_;
  std::vector<Real> state_;  ///< q, v, tau and qdd of one, for published_
};

extern template class BasicBackend<double>;
extern template class BasicBackend<float>;
using Backend = BasicBackend<double>;

/// Names of the backends of this library, for make_backend.
std::vector<std::string> backend_names();

/// A new, unconfigured backend: make_backend("cpu"), or make_backend<float>("tree"). "auto" picks
/// among "cpu", "tree" and a calibrated "cuda" for every call, by what they cost
/// (docs/backends.md). Throws std::invalid_argument that lists the known names.
template <class Real = double>
std::unique_ptr<BasicBackend<Real>> make_backend(std::string_view name = "auto");
template <>
std::unique_ptr<BasicBackend<double>> make_backend<double>(std::string_view name);
template <>
std::unique_ptr<BasicBackend<float>> make_backend<float>(std::string_view name);

}  // namespace rbd_parallel_core
