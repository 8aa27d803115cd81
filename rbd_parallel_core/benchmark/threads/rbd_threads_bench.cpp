// SPDX-License-Identifier: Apache-2.0
//
// What two threads gain. Every case is timed three ways that take turns: one thread, two threads,
// and the control, which is two processes with one thread and half of the work each. Calls follow
// one another without a pause.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/command_line.hpp"
#include "common/json.hpp"
#include "common/program.hpp"
#include "measure_calls.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "two_processes.hpp"

namespace {

namespace core = rbd_parallel_core;
using rbd_bench::Call;
using rbd_bench::CommandLine;
using rbd_bench::TwoProcesses;

constexpr const char* kUsage =
    "usage: rbd_threads_bench [--robot NAME URDF]... [--batches NUMBERS] [--backends NAMES]\n"
    "                         [--tree BODIES] [--operation NAME] [--spin-us N]\n"
    "                         [--case-seconds X] [--json FILE]\n"
    "  --robot: in batches, by each of the backends; --tree: one state of a chain, by tree\n";

constexpr double kSampleSeconds = 2e-3;
constexpr int kLeastRounds = 5, kMostRounds = 101;

struct Robot {
  std::string name;
  std::shared_ptr<const core::Model> model;
};

struct Options {
  std::vector<Robot> robots;
  std::vector<std::size_t> batches{64, 1024};
  std::vector<std::string> backends{"cpu", "compiled"};
  std::vector<int> trees;
  core::Operation operation = core::Operation::inverse_dynamics;
  double case_seconds = 1;
  int spin_us = -1;  // the backend's default
  std::string json_file;
};

// One call and who computes it. `half`: what each process of the control does.
struct Case {
  std::string robot, backend;
  std::size_t batch;
  std::shared_ptr<const core::Model> whole, half;
  std::size_t half_batch;
};

// Microseconds of a call, one number for each round.
struct Times {
  std::vector<double> one, two, control;
};

std::shared_ptr<const core::Model> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  core::ModelOptions options;
  options.mimic = core::MimicPolicy::independent;
  return std::make_shared<const core::Model>(core::load_urdf_string(text, options));
}

std::shared_ptr<const core::Model> chain(int bodies) {
  return std::make_shared<const core::Model>(
      core::auto_tree({.bodies = bodies, .branching = 1, .skew = 0.3}));
}

core::Operation operation_of(const std::string& word) {
  for (const core::Operation operation : core::all_operations) {
    if (name_of(operation) == word) return operation;
  }
  throw std::runtime_error("--operation: '" + word + "' is not known");
}

Options parse(int argc, char** argv) {
  Options options;
  CommandLine line(kUsage);
  line.option("--robot", [&](CommandLine::Values& values) {
    const std::string name = values.next();
    options.robots.push_back({name, load(values.next())});
  });
  line.option("--backends", [&](CommandLine::Values& values) {
    options.backends = rbd_bench::split(values.next());
  });
  line.option("--operation", [&](CommandLine::Values& values) {
    options.operation = operation_of(values.next());
  });
  line.option("--batches", options.batches);
  line.option("--tree", options.trees);
  line.option("--spin-us", options.spin_us, 0);
  line.option("--case-seconds", options.case_seconds);
  line.option("--json", options.json_file);
  line.parse(argc, argv);
  return options;
}

// A backend, and the arrays that it computes on.
class Job {
 public:
  Job(const std::shared_ptr<const core::Model>& model, const std::string& backend,
      std::size_t batch, int threads, int spin_us, std::shared_ptr<Call<double>> arrays)
      : backend_(core::make_backend(backend)), call_(std::move(arrays)) {
    core::BackendOptions options{.max_batch = batch, .threads = threads};
    if (spin_us >= 0) options.spin_us = spin_us;
    backend_->configure(model, options);
  }
  void operator()() { call_->run(*backend_); }

 private:
  std::unique_ptr<core::Backend> backend_;
  std::shared_ptr<Call<double>> call_;
};

double nanoseconds_of(Job& job, int passes) {
  job();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < passes; ++k) job();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

Times measure(const Case& what, const Options& options) {
  const auto arrays = [&](const core::Model& model, std::size_t batch) {
    return std::make_shared<Call<double>>(model, rbd_bench::CallCase{options.operation, batch});
  };
  TwoProcesses control([&] {  // before there are threads
    const auto half = std::make_shared<Job>(what.half, what.backend, what.half_batch, 1, -1,
                                            arrays(*what.half, what.half_batch));
    return [half] { (*half)(); };
  });
  const auto shared = arrays(*what.whole, what.batch);
  const auto job = [&](int threads) {
    return std::make_shared<Job>(what.whole, what.backend, what.batch, threads, options.spin_us,
                                 shared);
  };
  const auto one = job(1), two = job(2);
  (*two)();
  const double pass = std::max(nanoseconds_of(*one, 3) / 3, 1.0);
  const int passes = std::max(1, static_cast<int>(std::ceil(kSampleSeconds * 1e9 / pass)));
  Times times;
  const std::array<std::function<void()>, 3> samples{
      [&] { times.one.push_back(nanoseconds_of(*one, passes) / passes / 1e3); },
      [&] { times.two.push_back(nanoseconds_of(*two, passes) / passes / 1e3); },
      [&] { times.control.push_back(control.run(passes) / passes / 1e3); }};
  const int rounds =
      std::clamp(static_cast<int>(options.case_seconds * 1e9 / (2.5 * pass * passes)), kLeastRounds,
                 kMostRounds);
  std::array<std::size_t, 3> order{0, 1, 2};
  std::mt19937 generator(1);
  for (int k = 0; k < rounds; ++k) {
    std::shuffle(order.begin(), order.end(), generator);
    for (const std::size_t i : order) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // who came before goes to sleep
      samples[i]();
    }
  }
  return times;
}

std::vector<Case> cases_of(const Options& options) {
  std::vector<Case> cases;
  for (const Robot& robot : options.robots) {
    for (const std::string& backend : options.backends) {
      for (const std::size_t batch : options.batches) {
        const std::size_t half = std::max<std::size_t>(batch / 2, 1);
        cases.push_back({robot.name, backend, batch, robot.model, robot.model, half});
      }
    }
  }
  for (const int bodies : options.trees) {
    cases.push_back({"chain " + std::to_string(bodies), "tree", 1, chain(bodies),
                     chain(std::max(bodies / 2, 1)), 1});
  }
  return cases;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

void write(std::ostream& out, const Case& what, const Times& times) {
  const auto list = [&](const char* name, const std::vector<double>& numbers) {
    out << ", \"" << name << "\": ";
    rbd_bench::write_list(out, numbers, "", [&](double us) { rbd_bench::write_number(out, us); });
  };
  out << "{\"robot\": " << rbd_bench::quoted(what.robot)
      << ", \"backend\": " << rbd_bench::quoted(what.backend) << ", \"batch\": " << what.batch;
  list("one_us", times.one);
  list("two_us", times.two);
  list("control_us", times.control);
  out << "}";
}

void run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::ostringstream report;
  report << "{\"operation\": " << rbd_bench::quoted(name_of(options.operation)) << ", \"cases\": ";
  rbd_bench::write_list(report, cases_of(options), "\n", [&](const Case& what) {
    const Times times = measure(what, options);
    const double one = median(times.one);
    std::fprintf(stderr, "%-12s %-9s %7zu  one %9.2f us  two %5.2fx  control %5.2fx\n",
                 what.robot.c_str(), what.backend.c_str(), what.batch, one, one / median(times.two),
                 one / median(times.control));
    write(report, what, times);
  });
  report << "}\n";
  if (!options.json_file.empty()) rbd_bench::write_file(options.json_file, report.str());
}

}  // namespace

int main(int argc, char** argv) {
  return rbd_bench::run_program("rbd_threads_bench", [&] { run(argc, argv); });
}
