// SPDX-License-Identifier: Apache-2.0
// Gravity forces of many states on a GPU, three steps down: by a call of the host, by a kernel of
// the library, and by a kernel of one's own that calls the algorithm as a device function.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "rbd_parallel_core/gpu/cuda_backend.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"
#include "rbd_parallel_core/gpu/device_access.hpp"
#include "rbd_parallel_core/gpu/kernels/state_bodies.hpp"
#include "rbd_parallel_core/model/generators.hpp"

namespace {

using namespace rbd_parallel_core;

constexpr std::int64_t count = 1000;
constexpr std::int32_t block = 128;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// A copy on the device, for as long as the program runs.
template <class T>
T* on_device(const T* from, std::int64_t n) {
  T* memory = nullptr;
  const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(n);
  check(cudaMalloc(&memory, bytes + 1));
  if (from != nullptr) check(cudaMemcpy(memory, from, bytes, cudaMemcpyDefault));
  return memory;
}

/// A Model whose arrays kernels can read.
ModelView<double> on_device(const Model& model) {
  ModelView<double> view = model.view();
  view.body = on_device(view.body, view.body_count);
  view.armature = on_device(view.armature, view.nv);
  view.damping = on_device(view.damping, view.nv);
  view.friction = on_device(view.friction, view.nv);
  return view;
}

/// 1. The call: rows, one state after the other. They may lie on the device, as here.
void by_host_call(const std::shared_ptr<const Model>& model, const double* q, double* tau) {
  const auto n = static_cast<std::size_t>(count);
  const auto nq = static_cast<std::size_t>(model->nq()), nv = static_cast<std::size_t>(model->nv());
  const auto backend = make_cuda_backend<double>();
  backend->configure(model, {.max_batch = n});
  // q was copied in the default stream. Calls have one of their own, which does not wait for it
  // unless it is told to.
  constexpr cudaStream_t default_stream = nullptr;
  if (backend->capabilities().device->wait_for(default_stream) != cudaSuccess) {
    throw std::runtime_error("waiting for the default stream failed");
  }
  const Result result =
      backend->gravity_forces({.batch = n, .q = {q, n * nq}, .v = {}, .tau = {tau, n * nv}});
  if (!result.ok()) throw std::runtime_error(message(result));
}

/// 2. The kernel: lanes, number k of state s at k * count + s, in a launch of one's own.
void by_kernel(const ModelView<double>& model, const double* q, double* tau) {
  using Body = InverseDynamicsBody<double, Rates::none>;
  const auto numbers = StateWorkspace<double>::numbers(model.body_count, model.column_count);
  const std::vector<double> zeros(static_cast<std::size_t>(count));
  Body body{};
  body.states = {model,
                 true,
                 false,
                 count,
                 count,
                 q,
                 on_device<double>(nullptr, numbers * count),
                 on_device(zeros.data(), count),
                 on_device<StateStatus>(nullptr, count)};
  body.gravity = model.gravity;
  body.tau = tau;
  const LaunchShape shape = body.shape(block);
  cuda_kernel<Body><<<static_cast<unsigned>(shape.grid), static_cast<unsigned>(shape.block),
                      shape.shared_bytes>>>(body);
  check(cudaGetLastError());
}

/// 3. The device function, in a kernel of one's own: here only the largest force is kept.
__global__ void largest_gravity_force(ModelView<double> model, const double* q, double* workspace,
                                      double* largest) {
  const std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (s >= count) return;
  const auto ws =
      StateWorkspace<double>::at(workspace + s, count, model.body_count, model.column_count);
  const Zeros<double> zeros;
  rnea(model, ws.rnea, LaneRow<double>{q + s, count}, zeros, zeros, NoForces{}, model.gravity,
       false, ws.vector);
  double most = 0;
  for (std::int32_t k = 0; k < model.nv; ++k) most = fmax(most, fabs(ws.vector.load(k)));
  largest[s] = most;
}

void by_device_function(const ModelView<double>& model, const double* q, double* largest) {
  const auto numbers = StateWorkspace<double>::numbers(model.body_count, model.column_count);
  largest_gravity_force<<<(count + block - 1) / block, block>>>(
      model, q, on_device<double>(nullptr, numbers * count), largest);
  check(cudaGetLastError());
}

std::vector<double> fetch(const double* from, std::int64_t n) {
  std::vector<double> numbers(static_cast<std::size_t>(n));
  check(cudaMemcpy(numbers.data(), from, sizeof(double) * numbers.size(), cudaMemcpyDefault));
  return numbers;
}

/// The larger one, where NaN is larger than all others.
double larger(double a, double b) { return a <= b || std::isnan(b) ? b : a; }

/// How far the three are from each other.
double compare() {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 7, .skew = 0.3}));
  const std::int64_t n = model->nv();
  const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
  std::vector<double> rows(at(count * n)), lanes(rows);
  for (std::int64_t s = 0; s < count; ++s) {
    for (std::int64_t k = 0; k < n; ++k) {
      rows[at(s * n + k)] = lanes[at(k * count + s)] = std::sin(static_cast<double>(s * n + k));
    }
  }
  const double *q_rows = on_device(rows.data(), count * n), *q = on_device(lanes.data(), count * n);
  double *tau_rows = on_device<double>(nullptr, count * n),
         *tau = on_device<double>(nullptr, count * n), *largest = on_device<double>(nullptr, count);
  const ModelView<double> there = on_device(*model);
  by_host_call(model, q_rows, tau_rows);
  by_kernel(there, q, tau);
  by_device_function(there, q, largest);
  const auto called = fetch(tau_rows, count * n), launched = fetch(tau, count * n);
  const auto reduced = fetch(largest, count);
  double error = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    double most = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const double expected = called[at(s * n + k)];
      error = larger(error, std::abs(launched[at(k * count + s)] - expected));
      most = std::max(most, std::abs(expected));
    }
    error = larger(error, std::abs(reduced[at(s)] - most));
  }
  return error;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("cuda_ladder: Skipped\nthere is no CUDA device on this machine\n");
    return 77;
  }
  try {
    const double error = compare();
    std::printf("the three differ by %g\n", error);
    return error == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::printf("%s\n", failure.what());
    return 1;
  }
}
