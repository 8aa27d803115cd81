// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/trajectory/linearize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../array_sizes.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"
#include "tangent_state.hpp"

namespace rbd_parallel_core {
namespace {

/// Where a stage is, after its predecessor: from q by `reach` dt times the velocity of the one
/// before, from v by `reach` dt times its acceleration. `weight`: of its rates in the step.
struct Stage {
  double reach, weight;
};

struct Scheme {
  std::span<const Stage> stages;
  bool by_new_velocity;  ///< q moves by v+, else by the mean of the velocities of the stages
};

Scheme scheme_of(StepScheme scheme) noexcept {
  static constexpr Stage euler[] = {{0, 1}};
  static constexpr Stage runge_kutta[] = {
      {0, 1.0 / 6}, {0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1, 1.0 / 6}};
  if (scheme == StepScheme::rk4) return {runge_kutta, false};
  return {euler, true};
}

constexpr std::array<std::string_view, 2> scheme_names{"semi_implicit_euler", "rk4"};

/// Matrices of a chunk should stay in the caches of the cores that compute it.
constexpr std::size_t chunk_bytes_per_thread = std::size_t{1} << 20;
/// States of a chunk for each thread at least: what keeps SIMD lanes and threads busy.
constexpr std::size_t least_chunk = 64;
/// States of a round of the threaded loop.
constexpr std::size_t round_states = 8;

template <class T>
std::span<T> part(std::span<T> array, std::size_t first, std::size_t count, std::size_t numbers) {
  return array.empty() ? array : array.subspan(first * numbers, count * numbers);
}

}  // namespace

std::string name_of(StepScheme scheme) {
  return std::string(scheme_names[static_cast<std::size_t>(scheme)]);
}

std::optional<StepScheme> step_scheme_of(std::string_view name) {
  for (const StepScheme scheme : all_step_schemes) {
    if (name_of(scheme) == name) return scheme;
  }
  return std::nullopt;
}

template <class Real>
struct BasicLinearizer<Real>::Implementation {
  using Args = BasicLinearization<Real>;

  std::unique_ptr<BasicBackend<Real>> own;
  BasicBackend<Real>* backend = nullptr;
  std::shared_ptr<const Model> model;
  std::size_t nq = 0, nv = 0, max_batch = 0, chunk = 0;
  std::optional<ThreadedLoop> loop;  ///< where there is more than one thread
  TangentStates<Real> states;        ///< of a chunk
  std::vector<StateStatus> of_qdd, of_matrices;

  void choose_chunk(const Model& robot, const BackendOptions& options) {
    const auto threads = static_cast<std::size_t>(options.threads);
    const std::size_t bytes = std::max<std::size_t>(TangentStates<Real>::bytes_of_one(robot), 1);
    const std::size_t fitting = chunk_bytes_per_thread / bytes / least_chunk * least_chunk;
    chunk = std::min(options.max_batch, threads * std::max(fitting, least_chunk));
  }

  /// After `backend` and `chunk` are known.
  void take_memory(const BackendOptions& options) {
    model = backend->shared_model();
    nq = static_cast<std::size_t>(model->nq());
    nv = static_cast<std::size_t>(model->nv());
    max_batch = options.max_batch;
    if (options.threads > 1)
      loop.emplace(options.threads, std::chrono::microseconds(options.spin_us));
    states = TangentStates<Real>(*model, chunk);
    of_qdd.resize(chunk);
    of_matrices.resize(chunk);
  }

  Result check(const Args& args) const noexcept {
    if (args.batch > max_batch) {
      return {Code::batch_too_large, Argument::batch, static_cast<std::int64_t>(max_batch),
              static_cast<std::int64_t>(args.batch)};
    }
    const Result sizes =
        check_sizes(args.batch,
                    {{Argument::q, args.q.size(), nq},
                     {Argument::v, args.v.size(), nv, Presence::optional},
                     {Argument::tau, args.tau.size(), nv, Presence::optional},
                     {Argument::wrenches, args.f_ext.wrenches.size(), 6 * args.f_ext.links.size()},
                     {Argument::A, args.A.size(), 4 * nv * nv, Presence::optional},
                     {Argument::B, args.B.size(), 2 * nv * nv, Presence::optional},
                     {Argument::q_next, args.q_next.size(), nq, Presence::optional},
                     {Argument::v_next, args.v_next.size(), nv, Presence::optional}},
                    args.status.size());
    return sizes.ok() ? check_on_host(args) : sizes;
  }

  /// The chain rule is computed by the host.
  Result check_on_host(const Args& args) const noexcept {
    DeviceAccess* const device = backend->capabilities().device;
    if (device == nullptr) return {};
    const std::pair<Argument, const void*> arrays[] = {
        {Argument::q, args.q.data()},           {Argument::v, args.v.data()},
        {Argument::tau, args.tau.data()},       {Argument::A, args.A.data()},
        {Argument::B, args.B.data()},           {Argument::q_next, args.q_next.data()},
        {Argument::v_next, args.v_next.data()}, {Argument::status, args.status.data()}};
    for (const auto& [argument, memory] : arrays) {
      if (memory == nullptr) continue;
      if (const Result refused = device->refuse_on_device(argument, memory); !refused.ok()) {
        return refused;
      }
    }
    return {};
  }

  Args slice(const Args& args, std::size_t first, std::size_t count) const noexcept {
    Args some = args;
    some.batch = count;
    some.q = part(args.q, first, count, nq);
    some.v = part(args.v, first, count, nv);
    some.tau = part(args.tau, first, count, nv);
    some.f_ext.wrenches = part(args.f_ext.wrenches, first, count, 6 * args.f_ext.links.size());
    some.A = part(args.A, first, count, 4 * nv * nv);
    some.B = part(args.B, first, count, 2 * nv * nv);
    some.q_next = part(args.q_next, first, count, nq);
    some.v_next = part(args.v_next, first, count, nv);
    some.status = part(args.status, first, count, 1);
    return some;
  }

  Result linearize(const Args& args) noexcept {
    for (std::size_t first = 0; first < args.batch;) {
      const std::size_t left = args.batch - first;
      std::size_t count = std::min(left, chunk);
      // Never one state alone at the end: it would be computed by other instructions.
      if (left - count == 1 && count > 2) --count;
      if (const Result result = step(slice(args, first, count)); !result.ok()) return result;
      first += count;
    }
    return {};
  }

  /// One chunk, stage by stage.
  Result step(const Args& args) noexcept {
    const Scheme scheme = scheme_of(args.scheme);
    const bool with_matrices = !args.A.empty() || !args.B.empty();
    for_states(args.batch, [&](std::size_t s) {
      states.begin(s, args.q.data() + s * nq, args.v.empty() ? nullptr : args.v.data() + s * nv,
                   with_matrices);
    });
    for (std::size_t i = 0; i < scheme.stages.size(); ++i) {
      if (const Result result = dynamics(args, with_matrices); !result.ok()) return result;
      const bool is_last = i + 1 == scheme.stages.size();
      const Real weight = static_cast<Real>(scheme.stages[i].weight);
      const Real reach =
          is_last ? args.dt : static_cast<Real>(scheme.stages[i + 1].reach) * args.dt;
      for_states(args.batch, [&](std::size_t s) {
        states.note(s, of_qdd[s]);
        if (with_matrices) states.note(s, of_matrices[s]);
        states.add_stage(s, weight, i == 0, with_matrices);
        if (is_last) {
          states.finish(s, reach, scheme.by_new_velocity, with_matrices);
          write(s, args);
        } else {
          states.go_on(s, reach, with_matrices);
        }
      });
    }
    return {};
  }

  /// The accelerations of all states of the chunk where they are now, and their derivatives.
  Result dynamics(const Args& args, bool with_matrices) noexcept {
    const std::size_t count = args.batch;
    const std::span<StateStatus> statuses(of_qdd.data(), count);
    const Result moved = backend->forward_dynamics({.batch = count,
                                                    .q = states.q(count),
                                                    .v = states.v(count),
                                                    .tau = args.tau,
                                                    .f_ext = args.f_ext,
                                                    .qdd = states.a(count),
                                                    .status = statuses});
    if (!moved.ok() || !with_matrices) return moved;
    return backend->forward_dynamics_derivatives({.batch = count,
                                                  .q = states.q(count),
                                                  .v = states.v(count),
                                                  .tau = args.tau,
                                                  .f_ext = args.f_ext,
                                                  .dqdd_dq = states.dqdd_dq(count),
                                                  .dqdd_dv = states.dqdd_dv(count),
                                                  .dqdd_dtau = states.dqdd_dtau(count),
                                                  .status = {of_matrices.data(), count}});
  }

  void write(std::size_t s, const Args& args) noexcept {
    const auto row = [s](std::span<Real> array, std::size_t numbers) {
      return array.empty() ? nullptr : array.data() + s * numbers;
    };
    states.write(s, {.A = row(args.A, 4 * nv * nv),
                     .B = row(args.B, 2 * nv * nv),
                     .q_next = row(args.q_next, nq),
                     .v_next = row(args.v_next, nv)});
    if (!args.status.empty()) args.status[s] = states.status(s);
  }

  template <class F>
  void for_states(std::size_t count, const F& f) const noexcept {
    const std::size_t rounds = (count + round_states - 1) / round_states;
    const auto round = [&](std::int32_t k) {
      const std::size_t first = static_cast<std::size_t>(k) * round_states;
      for (std::size_t s = first; s < std::min(first + round_states, count); ++s) f(s);
    };
    if (loop && rounds > 1) {
      (*loop)(static_cast<std::int32_t>(rounds), round);
    } else {
      for (std::size_t k = 0; k < rounds; ++k) round(static_cast<std::int32_t>(k));
    }
  }
};

template <class Real>
BasicLinearizer<Real>::BasicLinearizer() = default;
template <class Real>
BasicLinearizer<Real>::~BasicLinearizer() = default;
template <class Real>
BasicLinearizer<Real>::BasicLinearizer(BasicLinearizer&&) noexcept = default;
template <class Real>
BasicLinearizer<Real>& BasicLinearizer<Real>::operator=(BasicLinearizer&&) noexcept = default;

template <class Real>
void BasicLinearizer<Real>::configure(std::shared_ptr<const Model> model,
                                      const BackendOptions& options, std::string_view backend) {
  implementation_.reset();
  auto made = std::make_unique<Implementation>();
  made->own = make_backend<Real>(backend);
  made->backend = made->own.get();
  BackendOptions of_chunk = options;
  if (model != nullptr && options.max_batch > 0 && options.threads > 0) {  // else configure throws
    made->choose_chunk(*model, options);
    of_chunk.max_batch = made->chunk;
  }
  made->own->configure(std::move(model), of_chunk);
  made->take_memory(options);
  implementation_ = std::move(made);
}

template <class Real>
void BasicLinearizer<Real>::configure(BasicBackend<Real>& backend) {
  implementation_.reset();
  if (!backend.configured()) {
    throw std::invalid_argument(
        "configure: the backend is not configured; call its configure with a model first");
  }
  auto made = std::make_unique<Implementation>();
  made->backend = &backend;
  made->choose_chunk(backend.model(), backend.options());
  made->take_memory(backend.options());
  implementation_ = std::move(made);
}

template <class Real>
bool BasicLinearizer<Real>::configured() const noexcept {
  return implementation_ != nullptr &&
         implementation_->backend->shared_model() == implementation_->model &&
         implementation_->backend->options().max_batch >= implementation_->chunk;
}

template <class Real>
Result BasicLinearizer<Real>::linearize(const BasicLinearization<Real>& args) noexcept {
  if (!configured()) return {Code::not_configured, Argument::none, 0, 0};
  const Result checked = implementation_->check(args);
  return checked.ok() ? implementation_->linearize(args) : checked;
}

template class BasicLinearizer<double>;
template class BasicLinearizer<float>;

}  // namespace rbd_parallel_core
