// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/backend_arguments.hpp"
#include "rbd_parallel_core/instruction_set.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"
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
  TreeOptions tree{};  ///< read by "tree" and "cuda"; "auto" reads the length of the blocks
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
  /// How many states lie beside each other in Layout::lanes. Only when configured().
  virtual std::size_t lane_width() const noexcept { return 1; }

  /// Takes the memory of a method of forward dynamics that configure leaves out: those of the
  /// literature (forward_methods.hpp). Every backend computes them alike, one state after the other
  /// in the calling thread. To be called after configure, which forgets it. Throws
  /// std::invalid_argument where the model or this backend rules the method out, with the reason
  /// and the methods that can be used.
  void prepare(ForwardMethod method);
  /// Whether forward_dynamics takes the method for this model now.
  bool offers(ForwardMethod method) const noexcept;

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
  /// Whether do_forward_dynamics takes ForwardMethod::two_port for the model. Methods of the
  /// literature and `automatic` do not arrive there.
  virtual bool goes_by_two_ports() const noexcept { return false; }
  /// Up to which nv it takes ForwardMethod::crba, which keeps a dense mass matrix.
  virtual int largest_nv_by_crba() const noexcept { return std::numeric_limits<int>::max(); }
  /// Code::on_device, with the argument, if this is memory of a device. What the host reads or
  /// writes for every backend is shown here first: links, and all of a method of the literature.
  virtual Result refuse_on_device(Argument, const void*) noexcept { return {}; }

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
  Result refused(ForwardMethod method) const noexcept;
  std::string why_not(ForwardMethod method) const;
  std::string other_methods() const;
  Result by_published_method(PublishedMethod method, const ForwardDynamics& args) noexcept;
  /// Refuses an array that is not the host's.
  template <class T>
  Result on_host(Argument argument, std::span<T> array) noexcept;

  std::shared_ptr<const Model> model_;
  std::size_t nonzeros_ = 0;  ///< of the lower triangle of M
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
/// between "cpu" and "tree" for every call, by what they cost (docs/backends.md). Throws
/// std::invalid_argument that lists the known names.
template <class Real = double>
std::unique_ptr<BasicBackend<Real>> make_backend(std::string_view name = "auto");
template <>
std::unique_ptr<BasicBackend<double>> make_backend<double>(std::string_view name);
template <>
std::unique_ptr<BasicBackend<float>> make_backend<float>(std::string_view name);

}  // namespace rbd_parallel_core
