// SPDX-License-Identifier: Apache-2.0
//
// rbd_calibrate measure SECONDS: what each call of the grid takes by each backend, a line of JSON
// each. rbd_calibrate choose: which backend `auto` chooses for it, by the costs in
// RBD_PARALLEL_COSTS. Both print a line with a name for each case, so that they can be matched.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "auto/auto_backend.hpp"
#include "common/command_line.hpp"
#include "common/program.hpp"
#include "measure_calls.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"
#include "rbd_parallel_core/model/generators.hpp"

namespace {

using namespace rbd_parallel_core;
using rbd_bench::CallCase;
using rbd_bench::TreeCase;

/// What one line of the output is about.
struct Case {
  TreeCase tree;
  std::shared_ptr<const Model> model;
  RobotShape shape;
  int threads;
  CallCase call;
};

void print_start(const Case& c, const char* precision) {
  std::printf(R"({"bodies": %d, "branching": %g, "operation": "%s", "precision": "%s", )"
              R"("batch": %zu, "threads": %d)",
              c.tree.bodies, c.tree.branching, name_of(c.call.operation).c_str(), precision,
              c.call.batch, c.threads);
}

template <class Real>
constexpr const char* precision = std::is_same_v<Real, double> ? "float64" : "float32";

bool keeps_matrix(Operation operation) {
  return operation == Operation::mass_matrix || operation == Operation::sparse_mass_matrix;
}

template <class Real>
void print_time(const Case& c, const char* backend, const CallPlan& plan, double us) {
  const std::size_t entries = keeps_matrix(c.call.operation) ? c.shape.entries : 0;
  const std::size_t zeros = c.call.operation == Operation::mass_matrix ? c.shape.zeros : 0;
  print_start(c, precision<Real>);
  std::printf(R"(, "backend": "%s", "depth": %zu, "entries": %zu, "zeros": %zu, "runs": %zu, )"
              R"("used_threads": %d, "us": %.6g})"
              "\n",
              backend, c.shape.depth, entries, zeros, plan.runs, plan.threads, us);
}

/// The backend cuda, or null where there is no device.
template <class Real>
std::unique_ptr<BasicBackend<Real>> cuda_for(const std::shared_ptr<const Model>& model,
                                             const BackendOptions& options) {
  if (count_cuda_devices() == 0) return nullptr;
  auto cuda = load_cuda_backend<Real>();
  cuda->configure(model, options);
  return cuda;
}

/// All backends for one robot, of which `tree` is left out where the robot is small, and `compiled`
/// where it has no code.
template <class Real>
class Measurement {
 public:
  Measurement(const std::shared_ptr<const Model>& model, const BackendOptions& options,
              double seconds)
      : seconds_(seconds), with_tree_(TreeBackend<Real>::cuts(*model, options.tree)) {
    cpu_.configure(model, options);
    BackendOptions for_compiled = options;
    for_compiled.compile = {Operation::inverse_dynamics, Operation::forward_dynamics,
                            Operation::mass_matrix, Operation::sparse_mass_matrix};
    compiled_.configure(model, for_compiled);
    if (with_tree_) tree_.configure(model, options);
    cuda_ = cuda_for<Real>(model, options);
  }

  void operator()(const Case& c) {
    rbd_bench::Call<Real> call(*c.model, c.call);
    std::vector<std::function<void()>> calls{[&] { call.run(cpu_); }};
    const CallPlan in_lanes = cpu_.plan(c.call.operation, c.call.batch);
    std::vector<std::pair<const char*, CallPlan>> who{{"cpu", in_lanes}};
    if (compiled_.has_code(c.call.operation)) {
      calls.emplace_back([&] { call.run(compiled_); });
      who.emplace_back("compiled", in_lanes);
    }
    if (with_tree_ && tree_.side_by_side(c.call.operation)) {
      calls.emplace_back([&] { call.run(tree_); });
      who.emplace_back("tree", tree_.plan(c.call.operation, c.call.batch));
    }
    const std::vector<double> us = rbd_bench::least_times(calls, c.threads, seconds_);
    for (std::size_t k = 0; k < us.size(); ++k) {
      print_time<Real>(c, who[k].first, who[k].second, us[k]);
    }
    if (!cuda_ || (keeps_matrix(c.call.operation) && c.model->nv() > largest_gpu_matrix)) return;
    const std::function<void()> there = [&] { call.run(*cuda_); };
    // By the clock: the thread that waits for a device may sleep.
    constexpr int by_the_clock = 2;
    const double cuda_us = rbd_bench::least_times({&there, 1}, by_the_clock, seconds_)[0];
    constexpr std::size_t wave = AutoBackend<Real>::cuda_wave;
    print_time<Real>(c, "cuda", {.runs = (c.call.batch + wave - 1) / wave}, cuda_us);
  }

 private:
  double seconds_;
  bool with_tree_;
  CpuBackend<Real> cpu_;
  CompiledBackend<Real> compiled_;
  TreeBackend<Real> tree_;
  std::unique_ptr<BasicBackend<Real>> cuda_;
};

template <class Real>
class Choice {
 public:
  Choice(const std::shared_ptr<const Model>& model, const BackendOptions& options) {
    backend_.configure(model, options);
  }

  void operator()(const Case& c) {
    print_start(c, precision<Real>);
    std::printf(R"(, "choice": "%s"})"
                "\n",
                name_of(backend_.choice(c.call.operation, c.call.batch)).c_str());
  }

 private:
  AutoBackend<Real> backend_;
};

/// Calls make(model, options) for each robot and number of threads, and what it gives for each
/// call.
template <class Make>
void for_each_case(const Make& make) {
  for (const TreeCase& tree : rbd_bench::all_trees()) {
    // A turn from body to body, so that a chain does not move in one plane.
    const auto model = std::make_shared<const Model>(
        auto_tree({.bodies = tree.bodies, .branching = tree.branching, .skew = 0.3}));
    const RobotShape shape = shape_of(*model);
    for (const int threads : {1, 2}) {
      auto visit = make(model, BackendOptions{.max_batch = 1000, .threads = threads});
      for (const CallCase& call : rbd_bench::all_calls(tree, shape.entries)) {
        (*visit)({tree, model, shape, threads, call});
      }
      std::fflush(stdout);
    }
    std::fprintf(stderr, "%d bodies, branching %g\n", tree.bodies, tree.branching);
  }
}

template <class Real>
void measure(double seconds) {
  for_each_case([&](const auto& model, const BackendOptions& options) {
    return std::make_unique<Measurement<Real>>(model, options, seconds);
  });
}

template <class Real>
void choose() {
  for_each_case([](const auto& model, const BackendOptions& options) {
    return std::make_unique<Choice<Real>>(model, options);
  });
}

void run(int count, char** words) {
  const std::string_view what = count > 1 ? words[1] : "";
  if (what == "choose" && count == 2) {
    choose<double>();
    choose<float>();
  } else if (what == "measure" && count == 3) {
    const double seconds = rbd_bench::positive<double>("measure", words[2]);
    measure<double>(seconds);
    measure<float>(seconds);
  } else {
    throw std::runtime_error("usage: rbd_calibrate measure SECONDS | rbd_calibrate choose");
  }
}

}  // namespace

int main(int count, char** words) {
  return rbd_bench::run_program("rbd_calibrate", [&] { run(count, words); });
}
