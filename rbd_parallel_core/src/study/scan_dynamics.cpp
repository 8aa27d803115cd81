// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/study/scan_dynamics.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/study/crba_scan.hpp"
#include "rbd_parallel_core/study/rnea_scan.hpp"
#include "rbd_parallel_core/study/scan_tables.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"

namespace rbd_parallel_core {
namespace {

using Blocked = BlockedExecutor<ThreadedLoop>;
using Blelloch = BlellochExecutor<ThreadedLoop>;
using AnyExecutor =
    std::variant<SequentialExecutor, Blocked, Blelloch, MappedSums<SequentialExecutor>,
                 MappedSums<Blocked>, MappedSums<Blelloch>>;

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

template <class Exec>
AnyExecutor with_sums(const Exec& executor, bool mapped) {
  if (mapped) return MappedSums(executor);
  return executor;
}

AnyExecutor make_executor(int threads, const ScanOptions& options) {
  const ThreadedLoop loop(threads, options.spin);
  if (options.block < 0) {
    throw std::invalid_argument("ScanOptions: block is " + std::to_string(options.block) +
                                "; give the steps in a block, or 0 for a choice by size");
  }
  switch (options.variant) {
    case ScanVariant::sequential:
      return with_sums(SequentialExecutor{}, options.mapped_sums);
    case ScanVariant::blocked:
      return with_sums(Blocked(loop, options.block), options.mapped_sums);
    case ScanVariant::blelloch:
      return with_sums(Blelloch(loop), options.mapped_sums);
  }
  throw std::invalid_argument("ScanOptions: no such variant");
}

template <class T>
Result wrong_size(Argument argument, std::size_t expected, std::span<T> array) {
  return {Code::wrong_size, argument, static_cast<std::int64_t>(expected),
          static_cast<std::int64_t>(array.size())};
}

}  // namespace

template <class Real>
struct ScanDynamics<Real>::Configured {
  Configured(std::shared_ptr<const Model> model_, int threads, const ScanOptions& options_)
      : model(std::move(model_)),
        options(options_),
        executor(make_executor(threads, options)),
        numbers(model->view()),
        tree(tree_of_bodies(model->view())),
        columns(model->view()),
        X0(size(bodies())),
        X(options.recurrence ? size(bodies()) : 0),
        axis(size(column_count())),
        v(size(bodies())),
        f(size(bodies())),
        F(size(column_count())),
        no_forces(size(bodies()), Force<Real>::zero()),
        column_tau(size(column_count())),
        zeros(size(numbers.view().nv), Real(0)) {
    const std::int32_t steps = tree.view().step_count();
    const std::size_t widest =
        (options.recurrence ? sizeof(RecurrencePair<Real>) : sizeof(Transform<Real>)) /
        sizeof(Real);
    tour.resize(widest * size(steps));
    scratch.resize(
        widest * size(std::visit([&](const auto& e) { return e.scan_scratch(steps); }, executor)));
  }
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;

  std::int32_t bodies() const { return numbers.view().body_count; }
  std::int32_t column_count() const { return numbers.view().column_count; }

  ScanRobot<Real> robot() const { return {numbers.view(), tree.view(), columns.view()}; }
  RootCoordinates<Real, Column> place() { return {{X0.data()}, {axis.data()}}; }
  TourMemory<Real> tour_memory() { return {tour.data(), scratch.data(), tree.view().step_count()}; }
  RneaScanWorkspace<Real, Column> rnea_workspace() {
    return {place(), {X.data()}, {v.data()}, {f.data()}, {column_tau.data()}, tour_memory()};
  }
  CrbaScanWorkspace<Real, Column> crba_workspace() { return {place(), {F.data()}, tour_memory()}; }

  std::shared_ptr<const Model> model;
  ScanOptions options;
  AnyExecutor executor;
  ConvertedModel<Real> numbers;
  VTree tree;
  ColumnTables columns;
  std::vector<Transform<Real>> X0, X;
  std::vector<Motion<Real>> axis, v;
  std::vector<Force<Real>> f, F, no_forces;
  std::vector<Real> column_tau, zeros, tour, scratch;
};

template <class Real>
ScanDynamics<Real>::ScanDynamics() = default;
template <class Real>
ScanDynamics<Real>::ScanDynamics(ScanDynamics&&) noexcept = default;
template <class Real>
ScanDynamics<Real>& ScanDynamics<Real>::operator=(ScanDynamics&&) noexcept = default;
template <class Real>
ScanDynamics<Real>::~ScanDynamics() = default;

template <class Real>
void ScanDynamics<Real>::configure(std::shared_ptr<const Model> model, int threads,
                                   const ScanOptions& options) {
  if (model == nullptr) throw std::invalid_argument("ScanDynamics::configure: no model is given");
  configured_ = std::make_unique<Configured>(std::move(model), threads, options);
}

template <class Real>
Result ScanDynamics<Real>::inverse_dynamics(std::span<const Real> q, std::span<const Real> v,
                                            std::span<const Real> a,
                                            std::span<const Force<Real>> f_ext,
                                            const Vec3<Real>& gravity,
                                            std::span<Real> tau) noexcept {
  if (configured_ == nullptr) return {.code = Code::not_configured};
  Configured& c = *configured_;
  const ModelView<Real>& model = c.numbers.view();
  const std::size_t nv = size(model.nv);
  if (q.size() != size(model.nq)) return wrong_size(Argument::q, size(model.nq), q);
  if (!v.empty() && v.size() != nv) return wrong_size(Argument::v, nv, v);
  if (!a.empty() && a.size() != nv) return wrong_size(Argument::a, nv, a);
  if (!f_ext.empty() && f_ext.size() != size(model.body_count)) {
    return wrong_size(Argument::wrenches, size(model.body_count), f_ext);
  }
  if (tau.size() != nv) return wrong_size(Argument::tau, nv, tau);

  const Row<Real> row_q{q.data()}, row_v{v.empty() ? c.zeros.data() : v.data()},
      row_a{a.empty() ? c.zeros.data() : a.data()};
  const Column<const Force<Real>> forces{f_ext.empty() ? c.no_forces.data() : f_ext.data()};
  const OutRow<Real> out{tau.data()};
  std::visit(
      [&](const auto& executor) {
        const auto robot = c.robot();
        const auto ws = c.rnea_workspace();
        const bool friction = c.options.friction;
        const Zeros<Real> zeros;
        if (v.empty() && a.empty()) {
          rnea_scan<ScanForm::additive>(executor, robot, ws, row_q, zeros, zeros, forces, gravity,
                                        friction, out);
        } else if (c.options.recurrence) {
          rnea_scan<ScanForm::recurrence>(executor, robot, ws, row_q, row_v, row_a, forces, gravity,
                                          friction, out);
        } else {
          rnea_scan<ScanForm::additive>(executor, robot, ws, row_q, row_v, row_a, forces, gravity,
                                        friction, out);
        }
      },
      c.executor);
  return {};
}

template <class Real>
Result ScanDynamics<Real>::mass_matrix(std::span<const Real> q, std::span<Real> M) noexcept {
  if (configured_ == nullptr) return {.code = Code::not_configured};
  Configured& c = *configured_;
  const ModelView<Real>& model = c.numbers.view();
  if (q.size() != size(model.nq)) return wrong_size(Argument::q, size(model.nq), q);
  if (M.size() != size(model.nv) * size(model.nv)) {
    return wrong_size(Argument::mass_matrix, size(model.nv) * size(model.nv), M);
  }
  const OutSymmetric<Real> out{{M.data(), model.nv}};
  std::visit(
      [&](const auto& executor) {
        crba_scan(executor, c.robot(), c.crba_workspace(), Row<Real>{q.data()}, out);
      },
      c.executor);
  return {};
}

template class ScanDynamics<double>;
template class ScanDynamics<float>;

}  // namespace rbd_parallel_core
