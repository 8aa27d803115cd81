// SPDX-License-Identifier: Apache-2.0
#include "ours.hpp"

#include <stdexcept>

#include "calls.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

void check(const core::Result& result) {
  if (!result.ok()) throw std::runtime_error("rbd_parallel: " + core::message(result));
}

}  // namespace

std::shared_ptr<const core::Model> load_model(const std::string& urdf_xml, bool floating_base) {
  core::ModelOptions options;
  options.base = floating_base ? core::Base::floating : core::Base::fixed;
  options.mimic = core::MimicPolicy::independent;  // As the peers read it.
  return std::make_shared<const core::Model>(core::load_urdf_string(urdf_xml, options));
}

template <class Real>
Ours<Real>::Ours(std::shared_ptr<const core::Model> model, const Usage& usage, const States& states,
                 ResultArray& results)
    : backend_(core::make_backend<Real>(usage.backend)), usage_(usage), results_(results) {
  backend_->configure(std::move(model), {.max_batch = usage.batch,
                                         .threads = usage.threads,
                                         .instruction_set = usage.instruction_set});
  const std::size_t nq = states.nq, nv = states.nv, b = usage.batch;
  for (std::size_t first = 0; first < states.count; first += b) {
    const auto rows = [&](const std::vector<double>& all, std::size_t n) {
      return laid_out(std::span(all).subspan(first * n, b * n), n);
    };
    batches_.push_back(
        {rows(states.q, nq), rows(states.v, nv), rows(states.a, nv), rows(states.tau, nv)});
  }
}

template <class Real>
void Ours<Real>::run(Operation operation) {
  for (const Batch& batch : batches_) compute(operation, batch);
}

template <class Real>
std::vector<double> Ours<Real>::results(Operation operation, std::span<const std::size_t> states) {
  const auto [arrays, n] =
      result_shape(operation, static_cast<std::size_t>(backend_->model().nv()));
  std::vector<double> result;
  for (const std::size_t state : states) {
    const std::span<const Real> out = compute(operation, batches_.at(state / usage_.batch));
    for (std::size_t array = 0; array < arrays; ++array) {
      const std::size_t first = array * padded() * n;
      for (std::size_t k = 0; k < n; ++k) {
        result.push_back(static_cast<double>(out[first + place(state % usage_.batch, k, n)]));
      }
    }
  }
  return result;
}

// The states that an array has room for.
template <class Real>
std::size_t Ours<Real>::padded() const {
  if (usage_.layout == core::Layout::rows) return usage_.batch;
  const std::size_t width = backend_->lane_width();
  return (usage_.batch + width - 1) / width * width;
}

// Where number k of a state is in an array with n numbers a state.
template <class Real>
std::size_t Ours<Real>::place(std::size_t state, std::size_t k, std::size_t n) const {
  if (usage_.layout == core::Layout::rows) return state * n + k;
  const std::size_t width = backend_->lane_width();
  return (state / width * n + k) * width + state % width;
}

template <class Real>
AlignedVector<Real> Ours<Real>::laid_out(std::span<const double> rows, std::size_t n) const {
  AlignedVector<Real> result(padded() * n);
  for (std::size_t state = 0; state < usage_.batch; ++state) {
    for (std::size_t k = 0; k < n; ++k) {
      result[place(state, k, n)] = static_cast<Real>(rows[state * n + k]);
    }
  }
  return result;
}

template <class Real>
std::span<const Real> Ours<Real>::compute(Operation operation, const Batch& batch) {
  const auto nv = static_cast<std::size_t>(backend_->model().nv());
  const std::span<Real> out = results_.take<Real>(padded() * result_size(operation, nv));
  with_arguments<Real>(operation,
                       {usage_.batch, batch.q, batch.v, batch.a, batch.tau, usage_.layout}, out,
                       [&](auto tag, const auto& args) {
                         check(backend_->compute({tag, args}));
                       });
  return out;
}

template class Ours<double>;
template class Ours<float>;

}  // namespace rbd_bench
