// SPDX-License-Identifier: Apache-2.0
//
// A loop at 1 kHz, as a model-predictive controller has it: in every cycle A and B of one step of
// the robot, at the state that it is in, and the next state. Says how long the calls took. All
// memory is taken before the loop begins.
//
//   linearize_loop ROBOT.urdf [CYCLES] [SCHEME]

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/trajectory/linearize.hpp"

namespace rbd = rbd_parallel_core;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds period{1000};

void require(const rbd::Result& result) {
  if (!result.ok()) throw std::runtime_error(rbd::message(result));
}

int cycles_from(const char* text) {
  int cycles = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, cycles);
  if (error != std::errc{} || stop != end || cycles < 1) {
    throw std::invalid_argument("CYCLES is '" + std::string(text) +
                                "', expected a whole number of at least 1");
  }
  return cycles;
}

rbd::StepScheme scheme_from(const char* text) {
  if (const auto scheme = rbd::step_scheme_of(text)) return *scheme;
  throw std::invalid_argument("SCHEME is '" + std::string(text) +
                              "', expected semi_implicit_euler or rk4");
}

struct Times {
  std::chrono::nanoseconds all{0}, worst{0};

  void add(std::chrono::nanoseconds time) {
    all += time;
    worst = std::max(worst, time);
  }
};

double microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

int run(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: linearize_loop ROBOT.urdf [CYCLES] [SCHEME]\n");
    return 2;
  }
  const auto model = std::make_shared<const rbd::Model>(rbd::load_urdf(argv[1]));
  const int cycles = argc > 2 ? cycles_from(argv[2]) : 2000;
  const rbd::StepScheme scheme =
      argc > 3 ? scheme_from(argv[3]) : rbd::StepScheme::semi_implicit_euler;
  const double dt = std::chrono::duration<double>(period).count();

  rbd::Linearizer linearizer;
  linearizer.configure(model);
  const auto gravity = rbd::make_backend();
  gravity->configure(model);
  const auto nv = static_cast<std::size_t>(model->nv());
  std::vector<double> q = model->neutral(), v(nv, 0.1), tau(nv);
  std::vector<double> q_next(q.size()), v_next(nv), A(4 * nv * nv), B(2 * nv * nv);
  rbd::StateStatus status;

  Times times;
  Clock::time_point wake = Clock::now();
  for (int cycle = 0; cycle < cycles; ++cycle) {
    wake += period;
    std::this_thread::sleep_until(wake);
    require(gravity->bias_forces({.q = q, .v = v, .tau = tau}));  // so that it does not fall
    const Clock::time_point start = Clock::now();
    require(linearizer.linearize({.q = q,
                                  .v = v,
                                  .tau = tau,
                                  .dt = dt,
                                  .scheme = scheme,
                                  .A = A,
                                  .B = B,
                                  .q_next = q_next,
                                  .v_next = v_next,
                                  .status = {&status, 1}}));
    times.add(Clock::now() - start);
    if (!status.ok()) throw std::runtime_error(rbd::message(status, *model));
    std::swap(q, q_next);
    std::swap(v, v_next);
  }
  std::printf("%s: A (%zu x %zu) and B (%zu x %zu) by %s, %d cycles at 1 kHz\n",
              model->name().c_str(), 2 * nv, 2 * nv, 2 * nv, nv, rbd::name_of(scheme).c_str(),
              cycles);
  std::printf("time of a call: mean %.1f us, worst %.1f us\n", microseconds(times.all) / cycles,
              microseconds(times.worst));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "linearize_loop: %s\n", error.what());
    return 1;
  }
}
