// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "python_calls.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "steps.hpp"

namespace rbd_parallel_python {

namespace nb = nanobind;

/// States of a batch failed; Python's StateError.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A core backend, configured, with numpy arrays in and out. What the numbers are (float64,
/// float32) is for those who implement it to know: make_py_backend.
class PyBackend {
 public:
  /// What Python says when it makes one.
  struct Options {
    std::string name;
    std::int64_t max_batch;
    int threads;
    bool friction;
    bool raise;
    bool single;  ///< float32 instead of float64
    std::optional<rbd_parallel_core::InstructionSet> instruction_set;
    rbd_parallel_core::Layout layout;
    rbd_parallel_core::TreeOptions tree;
    std::optional<rbd_parallel_core::OperationSet> compile;
    int spin_us;
  };

  virtual ~PyBackend() = default;

  virtual std::string name() const = 0;
  virtual std::string explain(std::string_view operation, std::int64_t batch) const = 0;
  virtual std::shared_ptr<const rbd_parallel_core::Model> shared_model() const = 0;
  virtual const rbd_parallel_core::BackendOptions& options() const = 0;
  virtual std::string dtype() const = 0;
  virtual std::string instruction_set() const = 0;
  virtual std::string layout() const = 0;
  virtual std::size_t lane_width() const = 0;

  /// Computes one of python_calls() and returns its output, or a tuple of them.
  virtual nb::object compute(const PythonCall& call, const nb::args& args,
                             const nb::kwargs& kwargs) = 0;
  /// (values, columns, row starts) of the lower triangle of M, or of its factor.
  virtual nb::tuple sparse_mass_matrix(nb::handle q, bool cholesky) = 0;
  /// (A, B) of a step of time.
  virtual nb::tuple linearize(const StepCall& call) = 0;
  /// (q, v) after a step of time.
  virtual nb::tuple step(const StepCall& call) = 0;
  /// The status codes of the last call, a copy.
  virtual nb::object status() = 0;
  /// What the core says of each bad state of the last call.
  virtual std::map<std::size_t, std::string> bad_states() = 0;
};

std::unique_ptr<PyBackend> make_py_backend(const PyBackend::Options& options,
                                           std::shared_ptr<const rbd_parallel_core::Model> model);

}  // namespace rbd_parallel_python
