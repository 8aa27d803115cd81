// SPDX-License-Identifier: Apache-2.0
#include "finite_differences.hpp"

#include <algorithm>

#include "common/checks.hpp"
#include "rbd_parallel_core/model/configuration.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

constexpr double kStep = 1e-6;

void append_row(AlignedVector<double>& all, std::span<const double> row) {
  all.insert(all.end(), row.begin(), row.end());
}

}  // namespace

FiniteDifferences::FiniteDifferences(std::shared_ptr<const core::Model> model, const Usage& usage,
                                     const States& states, ResultArray& results)
    : nv_(states.nv),
      count_(states.count),
      backend_(core::make_backend(usage.backend)),
      results_(results) {
  const std::size_t evaluations = 2 * nv_ + 1;
  const std::size_t together = std::max<std::size_t>(1, usage.batch / evaluations);
  for (std::size_t first = 0; first < states.count; first += together) {
    Batch& batch = batches_.emplace_back();
    batch.first = first;
    batch.count = std::min(together, states.count - first);
    for (std::size_t k = 0; k < batch.count; ++k) append(*model, states, first + k, batch);
  }
  tau_.resize(together * evaluations * nv_);
  backend_->configure(std::move(model), {.max_batch = together * evaluations,
                                         .threads = usage.threads,
                                         .instruction_set = usage.instruction_set});
}

// The state itself, then one step along each coordinate of q, then one along each of v.
void FiniteDifferences::append(const core::Model& model, const States& states, std::size_t state,
                               Batch& batch) const {
  const std::span<const double> q = states.q_of(state), v = states.v_of(state);
  std::vector<double> direction(nv_, 0.0), next(states.nq);
  append_row(batch.q, q);
  append_row(batch.v, v);
  for (std::size_t k = 0; k < nv_; ++k) {
    direction[k] = 1.0;
    require(core::integrate<double>(model, {.q = q, .v = direction, .dt = kStep, .next = next}));
    direction[k] = 0.0;
    append_row(batch.q, next);
    append_row(batch.v, v);
  }
  for (std::size_t k = 0; k < nv_; ++k) {
    append_row(batch.q, q);
    append_row(batch.v, v);
    batch.v[batch.v.size() - nv_ + k] += kStep;
  }
  for (std::size_t k = 0; k < 2 * nv_ + 1; ++k) append_row(batch.a, states.a_of(state));
}

std::span<double> FiniteDifferences::matrices(std::size_t state) {
  const std::size_t size = 2 * nv_ * nv_;
  return results_.take<double>(count_ * size).subspan(state * size, size);
}

void FiniteDifferences::run() {
  const std::size_t evaluations = 2 * nv_ + 1;
  for (const Batch& batch : batches_) {
    const std::span<double> all = std::span(tau_).first(batch.count * evaluations * nv_);
    require(backend_->inverse_dynamics({.batch = batch.count * evaluations,
                                        .q = batch.q,
                                        .v = batch.v,
                                        .a = batch.a,
                                        .tau = all}));
    for (std::size_t k = 0; k < batch.count; ++k) {
      const double* tau = all.data() + k * evaluations * nv_;
      double* out = matrices(batch.first + k).data();
      for (std::size_t by = 0; by < 2; ++by) {
        const double* beside = tau + (1 + by * nv_) * nv_;
        for (std::size_t i = 0; i < nv_; ++i) {
          for (std::size_t j = 0; j < nv_; ++j) {
            *out++ = (beside[j * nv_ + i] - tau[i]) * (1 / kStep);
          }
        }
      }
    }
  }
}

std::vector<double> FiniteDifferences::results(std::span<const std::size_t> states) {
  run();
  std::vector<double> result;
  for (const std::size_t state : states) {
    const std::span<const double> found = matrices(state);
    result.insert(result.end(), found.begin(), found.end());
  }
  return result;
}

}  // namespace rbd_bench
