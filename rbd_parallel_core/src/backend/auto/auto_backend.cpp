// SPDX-License-Identifier: Apache-2.0
#include "auto_backend.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "../tree_options_check.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

template <class Real>
constexpr Precision precision =
    std::is_same_v<Real, double> ? Precision::float64 : Precision::float32;

std::size_t index(auto position) { return static_cast<std::size_t>(position); }

bool keeps_matrix(Operation operation) noexcept {
  return operation == Operation::mass_matrix || operation == Operation::sparse_mass_matrix;
}

/// What has no costs of its own and is not a case of inverse dynamics. Compiled only where
/// BackendOptions::compile names it.
bool has_no_costs(Operation operation) noexcept {
  return operation == Operation::energies || operation == Operation::link_kinematics ||
         operation >= Operation::link_motion;
}

std::string count_of(std::size_t count, const std::string& noun) {
  if (count == 1) return "one " + noun;
  return std::to_string(count) + " " + (noun == "body" ? "bodies" : noun + "s");
}

/// "0.21 us", "150 us".
std::string duration(double us) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), us < 100 ? "%.2g us" : "%.0f us", us);
  return text.data();
}

}  // namespace

RobotShape shape_of(const Model& model) {
  RobotShape shape;
  shape.bodies = index(model.body_count());
  std::vector<std::size_t> depth;
  for (const Joint& joint : model.joints()) {
    depth.push_back(1 + (joint.parent < 0 ? 0 : depth[index(joint.parent)]));
    shape.depth = std::max(shape.depth, depth.back());
  }
  const std::size_t nv = index(model.nv());
  shape.entries = index(mass_matrix_nonzeros(model));
  shape.zeros = nv * nv + nv - 2 * shape.entries;
  return shape;
}

// ---- choosing -----------------------------------------------------------------------------------

template <class Real>
void AutoBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  const CostTable costs = given_ ? *given_ : CostTable::of_environment();
  origin_ = costs.origin();
  tree_.reset();
  require_lengths(options.tree);
  refuse_family(options.tree, "auto");
  // Not an owner: Backend keeps the model alive.
  const std::shared_ptr<const Model> shared(std::shared_ptr<void>(), &model);
  BackendOptions common = options;
  common.tree = {};
  common.compile.reset();
  cpu_.configure(shared, common);
  take_prices(costs, model);
  configure_compiled(shared, options);
  if (priced(Candidate::tree) && TreeBackend<Real>::cuts(model, options.tree)) {
    tree_ = std::make_unique<TreeBackend<Real>>();
    BackendOptions for_tree = common;
    for_tree.tree = options.tree;
    tree_->configure(shared, for_tree);
  }
  configure_cuda(shared, common);
}

/// To make code takes time, so it is made only for what will be chosen.
template <class Real>
void AutoBackend<Real>::configure_compiled(const std::shared_ptr<const Model>& model,
                                           const BackendOptions& options) {
  compiled_.reset();
  BackendOptions own = options;
  own.tree = {};
  if (!own.compile) own.compile = worth_compiling(options.max_batch);
  if (own.compile == OperationSet{}) return;
  compiled_ = std::make_unique<CompiledBackend<Real>>();
  compiled_->configure(model, own);
}

template <class Real>
OperationSet AutoBackend<Real>::worth_compiling(std::size_t max_batch) const {
  OperationSet worth;
  for (const Operation operation : all_operations) {
    if (has_no_costs(operation)) continue;
    for (const Price& code : prices_[index(Candidate::compiled)][index(operation)]) {
      for (const Price& kernels : prices_[index(Candidate::cpu)][index(operation)]) {
        const std::size_t batch = std::max(code.line.batch.first, kernels.line.batch.first);
        if (batch > max_batch || !code.line.batch.contains(batch) ||
            !kernels.line.batch.contains(batch)) {
          continue;
        }
        if (code.run_us < kernels.run_us) worth.insert(operation);
      }
    }
  }
  return worth;
}

/// Where it has costs it may be chosen, if there is a device.
template <class Real>
void AutoBackend<Real>::configure_cuda(const std::shared_ptr<const Model>& model,
                                       const BackendOptions& options) {
  cuda_.reset();
  cuda_is_lost_ = false;
  why_not_cuda_.clear();
  if (!priced(Candidate::cuda)) return;
  try {
    auto cuda = cuda_source_.make();
    cuda->configure(model, options);
    cuda_ = std::move(cuda);
  } catch (const std::exception& error) {
    why_not_cuda_ = error.what();
  }
}

template <class Real>
bool AutoBackend<Real>::priced(Candidate candidate) const {
  const auto& prices = prices_[index(candidate)];
  return std::any_of(prices.begin(), prices.end(),
                     [](const Prices& lines) { return !lines.empty(); });
}

template <class Real>
void AutoBackend<Real>::take_prices(const CostTable& costs, const Model& model) {
  const RobotShape shape = shape_of(model);
  for (const Candidate candidate : all_candidates) {
    for (const Operation operation : all_operations) {
      Prices& prices = prices_[index(candidate)][index(operation)];
      prices.clear();
      for (const CostLine& line :
           costs.of(candidate, priced_as(operation), precision<Real>, shape.bodies)) {
        RobotShape work = shape;
        if (operation != Operation::mass_matrix) work.zeros = 0;
        if (!keeps_matrix(operation)) work.entries = 0;
        prices.push_back({line, line.run_us(work)});
      }
    }
  }
}

template <class Real>
CallPlan AutoBackend<Real>::plan(Candidate candidate, Operation operation,
                                 std::size_t batch) const noexcept {
  if (candidate == Candidate::tree) return tree_->plan(operation, batch);
  if (candidate == Candidate::cuda) return {.runs = (batch + cuda_wave - 1) / cuda_wave};
  return cpu_.plan(operation, batch);
}

template <class Real>
bool AutoBackend<Real>::may_choose(Candidate candidate, Operation operation) const noexcept {
  switch (candidate) {
    case Candidate::tree:
      return tree_ && tree_->side_by_side(operation);
    case Candidate::compiled:
      return compiled_ && compiled_->has_code(operation);
    case Candidate::cuda:
      return cuda_ && !cuda_is_lost_ && !has_no_costs(operation) &&
             (!keeps_matrix(operation) || cuda_->model().nv() <= largest_gpu_matrix);
    default:
      return true;
  }
}

template <class Real>
double AutoBackend<Real>::predicted_us(Candidate candidate, Operation operation,
                                       std::size_t batch) const noexcept {
  if (!may_choose(candidate, operation)) return unknown;
  for (const Price& price : prices_[index(candidate)][index(operation)]) {
    if (!price.line.batch.contains(batch)) continue;
    const CallPlan calls = plan(candidate, operation, batch);
    return static_cast<double>(calls.runs) * price.run_us * price.line.share(calls.threads);
  }
  return unknown;
}

/// Who names an operation wants its code, whatever the costs say.
template <class Real>
bool AutoBackend<Real>::named_to_compile(Operation operation) const noexcept {
  const auto& named = this->options().compile;
  return named && named->contains(operation) && may_choose(Candidate::compiled, operation);
}

template <class Real>
Candidate AutoBackend<Real>::lanes_choice(Operation operation, std::size_t batch) const noexcept {
  const bool compiled = has_no_costs(operation) || named_to_compile(operation)
                            ? may_choose(Candidate::compiled, operation)
                            : predicted_us(Candidate::compiled, operation, batch) <
                                  predicted_us(Candidate::cpu, operation, batch);
  return compiled ? Candidate::compiled : Candidate::cpu;
}

template <class Real>
Candidate AutoBackend<Real>::choice(Operation operation, std::size_t batch) const noexcept {
  if (has_no_costs(operation) || named_to_compile(operation)) {
    return lanes_choice(operation, batch);
  }
  Candidate best = Candidate::cpu;
  for (const Candidate candidate : all_candidates) {
    if (predicted_us(candidate, operation, batch) < predicted_us(best, operation, batch)) {
      best = candidate;
    }
  }
  return best;
}

template <class Real>
BasicBackend<Real>& AutoBackend<Real>::by_lanes(Operation operation, std::size_t batch) noexcept {
  if (lanes_choice(operation, batch) == Candidate::compiled) return *compiled_;
  return cpu_;
}

/// Lane-ready arrays are what `cpu` and `compiled` are for; others would have to take them apart.
template <class Real>
BasicBackend<Real>& AutoBackend<Real>::chosen(Operation operation, std::size_t batch,
                                              Layout layout) noexcept {
  if (layout == Layout::lanes) return by_lanes(operation, batch);
  switch (choice(operation, batch)) {
    case Candidate::compiled:
      return *compiled_;
    case Candidate::tree:
      return *tree_;
    case Candidate::cuda:
      return *cuda_;
    default:
      return cpu_;
  }
}

// ---- explaining ---------------------------------------------------------------------------------

template <class Real>
std::string AutoBackend<Real>::name() const {
  if (!this->configured()) return "cpu";
  return name_of(choice(Operation::inverse_dynamics, this->options().max_batch));
}

template <class Real>
std::string AutoBackend<Real>::explain(Operation operation, std::size_t batch) const {
  if (!this->configured()) return "auto chooses when it is configured for a robot";
  const std::string why = why_not_tree(operation);
  const bool alone = !why.empty() && !may_choose(Candidate::cuda, operation) &&
                     !may_choose(Candidate::compiled, operation);
  return (alone ? "cpu: " + why : comparison(operation, batch)) + about_compiled(operation, batch) +
         about_cuda(operation, batch);
}

/// What is to be said of code that was to be made and is not there.
template <class Real>
std::string AutoBackend<Real>::about_compiled(Operation operation, std::size_t batch) const {
  if (!compiled_ || compiled_->has_code(operation)) return "";
  if (!compiled_->options().compile->contains(operation)) return "";
  return "; compiled " + compiled_->explain(operation, batch);
}

/// What is to be said of a device that is not used.
template <class Real>
std::string AutoBackend<Real>::about_cuda(Operation operation, std::size_t batch) const {
  if (cuda_is_lost_) return "; no cuda: " + cuda_->explain(operation, batch);
  if (cuda_) return "";
  if (!why_not_cuda_.empty()) return "; no cuda: " + why_not_cuda_;
  if (cuda_source_.devices() == 0) return "";
  return "; there is a CUDA device, but " + origin_ +
         " has no costs of cuda: ./dev bench --calibrate measures them";
}

template <class Real>
std::string AutoBackend<Real>::why_not_tree(Operation operation) const {
  const std::string bodies = count_of(index(this->model().body_count()), "body");
  if (!TreeBackend<Real>::cuts(this->model(), {.block = this->options().tree.block})) {
    return "tree is for robots of " + std::to_string(TreeBackend<Real>::smallest_cut) +
           " bodies and more, this one has " + bodies;
  }
  if (!tree_) return origin_ + " has no costs of tree for " + bodies;
  if (!tree_->side_by_side(operation)) {
    return "tree would compute " + name_of(operation) + " of this robot one body after the other";
  }
  return "";
}

template <class Real>
std::string AutoBackend<Real>::comparison(Operation operation, std::size_t batch) const {
  const Candidate best = choice(operation, batch);
  if (has_no_costs(operation) || named_to_compile(operation)) {
    return "compiled: " + name_of(operation) + " is among the operations to compile";
  }
  const std::string where = best == Candidate::cuda
                                ? "the device"
                                : count_of(index(plan(best, operation, batch).threads), "thread");
  const auto predicted = [&](Candidate candidate) {
    const double us = predicted_us(candidate, operation, batch);
    return us < unknown ? duration(us) : "unknown to " + origin_;
  };
  std::string text = name_of(best) + ": " + count_of(batch, "state") + " of " +
                     count_of(index(this->model().body_count()), "body") + " on " + where +
                     ", predicted " + predicted(best);
  for (const Candidate other : all_candidates) {
    if (other == best || !may_choose(other, operation)) continue;
    text += ", " + name_of(other) + " " + predicted(other);
  }
  return text;
}

// ---- computing ----------------------------------------------------------------------------------

/// `cpu` can do everything, `tree` adds two_port. Lanes are those of `cpu` and `compiled`, so
/// `tree` takes none.
template <class Real>
Capabilities AutoBackend<Real>::do_capabilities() const noexcept {
  Capabilities capabilities = cpu_.capabilities();
  capabilities.two_port = tree_ && tree_->capabilities().two_port;
  capabilities.two_port_in_lanes = false;
  return capabilities;
}

template <class Real>
Result AutoBackend<Real>::do_compute(const Call& call) noexcept {
  switch (call.operation()) {
    case Operation::inverse_dynamics:
    case Operation::bias_forces:
    case Operation::gravity_forces:
    case Operation::coriolis_forces:
      return by_cheapest(call.operation(), call);
    case Operation::mass_matrix:
      return compute_mass_matrix(call);
    case Operation::forward_dynamics:
      return compute_forward_dynamics(call);
    default:
      return by_lanes(call.operation(), call.batch()).compute(call);
  }
}

template <class Real>
Result AutoBackend<Real>::by_cheapest(Operation operation, const Call& call) noexcept {
  BasicBackend<Real>& backend = chosen(operation, call.batch(), call.layout());
  const Result result = backend.compute(call);
  if (result.ok() || &backend != cuda_.get()) return result;
  cuda_is_lost_ = result.code == Code::failed;
  return cpu_.compute(call);
}

template <class Real>
Result AutoBackend<Real>::compute_mass_matrix(const Call& call) noexcept {
  const MassMatrix& args = call.template arguments<Operation::mass_matrix>();
  const bool sparse = !args.sparse.empty() || !args.sparse_cholesky.empty();
  // `tree` leaves the dense factors to the kernels for one state.
  const bool factors = !args.cholesky.empty() || !args.inverse.empty();
  if (factors || (args.mass_matrix.empty() && !sparse)) {
    return by_lanes(Operation::mass_matrix, call.batch()).compute(call);
  }
  return by_cheapest(
      args.mass_matrix.empty() ? Operation::sparse_mass_matrix : Operation::mass_matrix, call);
}

template <class Real>
Result AutoBackend<Real>::compute_forward_dynamics(const Call& call) noexcept {
  const ForwardDynamics& args = call.template arguments<Operation::forward_dynamics>();
  if (args.method == ForwardMethod::two_port) return tree_->compute(call);
  if (args.method == ForwardMethod::crba) {
    return by_lanes(Operation::forward_dynamics, call.batch()).compute(call);
  }
  return by_cheapest(Operation::forward_dynamics, call);
}

template class AutoBackend<double>;
template class AutoBackend<float>;

}  // namespace rbd_parallel_core
