// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/backend.hpp"

#include <stdexcept>
#include <utility>

namespace rbd_parallel_core {
namespace {

/// Stands for sizes that no array has; fits the signed numbers of Result.
constexpr std::size_t largest_size = std::size_t{1} << 62;

/// No batch is larger: its q would not fit in memory.
constexpr std::size_t largest_batch = std::size_t{1} << 40;

/// Checks the arguments of one call in order; remembers the first fault.
class Checker {
 public:
  Checker(const Model* model, const BackendOptions& options, std::size_t batch) noexcept
      : model_(model), batch_(batch) {
    if (model == nullptr) {
      result_ = {Code::not_configured, Argument::none, 0, 0};
    } else if (batch > options.max_batch) {
      refuse(Code::batch_too_large, Argument::batch, options.max_batch, batch);
    }
  }

  /// Must be there, `columns` numbers for each state.
  template <class T>
  Checker& need(Argument argument, std::span<T> array, std::size_t columns) noexcept {
    std::size_t expected = 0;
    if (__builtin_mul_overflow(batch_, columns, &expected)) expected = largest_size;
    if (result_.ok() && array.size() != expected) {
      refuse(array.empty() ? Code::missing : Code::wrong_size, argument, expected, array.size());
    }
    return *this;
  }
  /// May be left empty.
  template <class T>
  Checker& allow(Argument argument, std::span<T> array, std::size_t columns) noexcept {
    return array.empty() ? *this : need(argument, array, columns);
  }
  Checker& links(std::span<const int> links) noexcept {
    for (const int link : links) {
      if (result_.ok() && (link < 0 || static_cast<std::size_t>(link) >= model_->links().size())) {
        result_ = {Code::out_of_range, Argument::links,
                   static_cast<std::int64_t>(model_->links().size()), link};
      }
    }
    return *this;
  }
  Checker& wrenches(const ExternalWrenches& f_ext) noexcept {
    if (!result_.ok()) return *this;
    return links(f_ext.links).need(Argument::wrenches, f_ext.wrenches, 6 * f_ext.links.size());
  }

  std::size_t nq() const noexcept { return static_cast<std::size_t>(model_ ? model_->nq() : 0); }
  std::size_t nv() const noexcept { return static_cast<std::size_t>(model_ ? model_->nv() : 0); }
  bool ok() const noexcept { return result_.ok(); }
  Result result() const noexcept { return result_; }
  /// Nothing left to do: a fault, or no states.
  bool done() const noexcept { return !ok() || batch_ == 0; }

 private:
  void refuse(Code code, Argument argument, std::size_t expected, std::size_t actual) noexcept {
    result_ = {code, argument, static_cast<std::int64_t>(expected),
               static_cast<std::int64_t>(actual)};
  }

  const Model* model_;
  std::size_t batch_;
  Result result_;
};

Checker check_forces(const Model* model, const BackendOptions& options,
                     const Forces& args) noexcept {
  Checker check(model, options, args.batch);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .need(Argument::tau, args.tau, check.nv())
      .allow(Argument::status, args.status, 1);
  return check;
}

constexpr Result not_offered{Code::unsupported, Argument::none, 0, 0};

}  // namespace

void Backend::configure(std::shared_ptr<const Model> model, const BackendOptions& options) {
  model_.reset();
  if (model == nullptr) throw std::invalid_argument("configure: the model is null");
  if (options.max_batch == 0)
    throw std::invalid_argument("configure: max_batch is 0, expected at least 1");
  if (options.max_batch > largest_batch) {
    throw std::invalid_argument("configure: max_batch is " + std::to_string(options.max_batch) +
                                ", expected at most " + std::to_string(largest_batch));
  }
  if (options.threads < 1) {
    throw std::invalid_argument("configure: threads is " + std::to_string(options.threads) +
                                ", expected at least 1");
  }
  do_configure(*model, options);
  options_ = options;
  model_ = std::move(model);
}

Result Backend::inverse_dynamics(const InverseDynamics& args) noexcept {
  Checker check(model_.get(), options_, args.batch);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::a, args.a, check.nv())
      .wrenches(args.f_ext)
      .need(Argument::tau, args.tau, check.nv())
      .allow(Argument::status, args.status, 1);
  return check.done() ? check.result() : do_inverse_dynamics(args);
}

Result Backend::bias_forces(const Forces& args) noexcept {
  const Checker check = check_forces(model_.get(), options_, args);
  return check.done() ? check.result() : do_bias_forces(args);
}

Result Backend::gravity_forces(const Forces& args) noexcept {
  const Checker check = check_forces(model_.get(), options_, args);
  return check.done() ? check.result() : do_gravity_forces(args);
}

Result Backend::coriolis_forces(const Forces& args) noexcept {
  const Checker check = check_forces(model_.get(), options_, args);
  return check.done() ? check.result() : do_coriolis_forces(args);
}

Result Backend::mass_matrix(const MassMatrix& args) noexcept {
  Checker check(model_.get(), options_, args.batch);
  const std::size_t square = check.nv() * check.nv();
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::mass_matrix, args.mass_matrix, square)
      .allow(Argument::cholesky, args.cholesky, square)
      .allow(Argument::inverse, args.inverse, square)
      .allow(Argument::status, args.status, 1);
  return check.done() ? check.result() : do_mass_matrix(args);
}

Result Backend::forward_dynamics(const ForwardDynamics& args) noexcept {
  Checker check(model_.get(), options_, args.batch);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::tau, args.tau, check.nv())
      .wrenches(args.f_ext)
      .need(Argument::qdd, args.qdd, check.nv())
      .allow(Argument::status, args.status, 1);
  if (check.ok() && args.method == ForwardMethod::aba && model_->has_mimic()) {
    return {Code::unsupported, Argument::method, 0, 0};
  }
  if (check.done()) return check.result();
  ForwardDynamics chosen = args;
  if (args.method == ForwardMethod::automatic) {
    chosen.method = model_->has_mimic() ? ForwardMethod::crba : ForwardMethod::aba;
  }
  return do_forward_dynamics(chosen);
}

Result Backend::energies(const Energies& args) noexcept {
  Checker check(model_.get(), options_, args.batch);
  check.need(Argument::q, args.q, check.nq())
      .allow(Argument::v, args.v, check.nv())
      .allow(Argument::kinetic, args.kinetic, 1)
      .allow(Argument::potential, args.potential, 1)
      .allow(Argument::com, args.com, 3)
      .allow(Argument::status, args.status, 1);
  return check.done() ? check.result() : do_energies(args);
}

Result Backend::link_kinematics(const LinkKinematics& args) noexcept {
  Checker check(model_.get(), options_, args.batch);
  check.need(Argument::q, args.q, check.nq())
      .links(args.links)
      .allow(Argument::poses, args.poses, 7 * args.links.size())
      .allow(Argument::jacobian, args.jacobian, 6 * check.nv() * args.links.size())
      .allow(Argument::status, args.status, 1);
  return check.done() ? check.result() : do_link_kinematics(args);
}

Result Backend::do_inverse_dynamics(const InverseDynamics&) noexcept { return not_offered; }
Result Backend::do_bias_forces(const Forces&) noexcept { return not_offered; }
Result Backend::do_gravity_forces(const Forces&) noexcept { return not_offered; }
Result Backend::do_coriolis_forces(const Forces&) noexcept { return not_offered; }
Result Backend::do_mass_matrix(const MassMatrix&) noexcept { return not_offered; }
Result Backend::do_forward_dynamics(const ForwardDynamics&) noexcept { return not_offered; }
Result Backend::do_energies(const Energies&) noexcept { return not_offered; }
Result Backend::do_link_kinematics(const LinkKinematics&) noexcept { return not_offered; }

}  // namespace rbd_parallel_core
