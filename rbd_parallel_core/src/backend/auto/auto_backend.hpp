// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../compiled/compiled_backend.hpp"
#include "../cpu/cpu_backend.hpp"
#include "../gpu/cuda/cuda_loader.hpp"
#include "../tree/tree_backend.hpp"
#include "cost_table.hpp"

namespace rbd_parallel_core {

/// What counts for the costs of a robot.
RobotShape shape_of(const Model& model);

/// Where the backend "cuda" comes from.
template <class Real>
struct CudaSource {
  std::unique_ptr<BasicBackend<Real>> (*make)() = load_cuda_backend<Real>;
  int (*devices)() = count_cuda_devices;
};

/// Has every call computed by the backend that the costs say is fastest for it. Which one depends
/// on the robot, the options, the operation and the size of the batch only, so that the same call
/// gives the same bits. Takes the memory of all backends that it may choose.
template <class Real>
class AutoBackend final : public BasicBackend<Real> {
 public:
  using typename BasicBackend<Real>::Call;
  using typename BasicBackend<Real>::MassMatrix;
  using typename BasicBackend<Real>::ForwardDynamics;

  /// With the costs of the environment at the time of configure.
  AutoBackend() = default;
  /// With these.
  explicit AutoBackend(CostTable costs, const CudaSource<Real>& cuda = {})
      : given_(std::move(costs)), cuda_source_(cuda) {}

  /// States of one kernel run of cuda: the threads of a device that work at once hardly take longer
  /// than one of them, so that up to here the time is that of a call.
  static constexpr std::size_t cuda_wave = 1024;

  std::string name() const override;
  std::string explain(Operation operation, std::size_t batch) const override;

  /// Which one computes a batch of rows. Only when configured.
  Candidate choice(Operation operation, std::size_t batch) const noexcept;
  /// How long one of them takes, by the costs; infinite where they do not say or it is not to be
  /// chosen.
  double predicted_us(Candidate candidate, Operation operation, std::size_t batch) const noexcept;
  CallPlan plan(Candidate candidate, Operation operation, std::size_t batch) const noexcept;

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override;
  Capabilities do_capabilities() const noexcept override;
  Result do_compute(const Call& call) noexcept override;

 private:
  /// A line of the costs, worked out for the robot.
  struct Price {
    CostLine line;
    double run_us;
  };
  using Prices = std::vector<Price>;

  /// Has a call computed by the one whose costs for `operation` are least. What a device does not
  /// do, because it is lost or there are too many wrenches, cpu does.
  Result by_cheapest(Operation operation, const Call& call) noexcept;
  Result compute_mass_matrix(const Call& call) noexcept;
  Result compute_forward_dynamics(const Call& call) noexcept;
  BasicBackend<Real>& chosen(Operation operation, std::size_t batch, Layout layout) noexcept;
  /// The cheaper one of cpu and compiled.
  Candidate lanes_choice(Operation operation, std::size_t batch) const noexcept;
  BasicBackend<Real>& by_lanes(Operation operation, std::size_t batch) noexcept;
  bool may_choose(Candidate candidate, Operation operation) const noexcept;
  bool named_to_compile(Operation operation) const noexcept;
  std::string why_not_tree(Operation operation) const;
  std::string about_compiled(Operation operation, std::size_t batch) const;
  std::string about_cuda(Operation operation, std::size_t batch) const;
  std::string comparison(Operation operation, std::size_t batch) const;
  void take_prices(const CostTable& costs, const Model& model);
  bool priced(Candidate candidate) const;
  void configure_compiled(const std::shared_ptr<const Model>& model, const BackendOptions& options);
  /// Operations that cost less compiled than by cpu, in batches of some size.
  OperationSet worth_compiling(std::size_t max_batch) const;
  void configure_cuda(const std::shared_ptr<const Model>& model, const BackendOptions& options);

  std::optional<CostTable> given_;
  std::string origin_;  ///< of the costs
  std::array<std::array<Prices, all_operations.size()>, candidate_count> prices_;
  CpuBackend<Real> cpu_;
  std::unique_ptr<CompiledBackend<Real>> compiled_;  ///< where it may be chosen
  std::unique_ptr<TreeBackend<Real>> tree_;          ///< likewise
  CudaSource<Real> cuda_source_;
  std::unique_ptr<BasicBackend<Real>> cuda_;  ///< where it may be chosen
  std::string why_not_cuda_;                  ///< where it has costs
  bool cuda_is_lost_ = false;                 ///< since a call failed
};

extern template class AutoBackend<double>;
extern template class AutoBackend<float>;

}  // namespace rbd_parallel_core
