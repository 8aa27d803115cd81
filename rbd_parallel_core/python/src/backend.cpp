// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/backend.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "py_backend.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

nb::object dtype_from(nb::handle dtype) {
  try {
    return nb::module_::import_("numpy").attr("dtype")(dtype);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    nb::raise_from(error, PyExc_ValueError, "dtype: expected float64 or float32, got %s",
                   nb::repr(dtype).c_str());
  }
}

bool is_single(nb::handle dtype) {
  const std::string name = nb::str(dtype_from(dtype).attr("name")).c_str();
  return choice("dtype", name, {"float64", "float32"}) == 1;
}

std::optional<InstructionSet> instruction_set_from(const std::optional<std::string>& name) {
  static constexpr InstructionSet sets[] = {InstructionSet::baseline, InstructionSet::avx2,
                                            InstructionSet::avx512};
  if (!name) return std::nullopt;
  return sets[choice("instruction_set", *name, {"baseline", "avx2", "avx512"})];
}

std::optional<OperationSet> operations_from(const std::optional<std::vector<std::string>>& names) {
  if (!names) return std::nullopt;
  OperationSet set;
  for (const std::string& name : *names) {
    const std::optional<Operation> operation = operation_of(name);
    if (!operation) {
      throw nb::value_error(
          ("compile: expected names of operations, as inverse_dynamics, got '" + name + "'")
              .c_str());
    }
    set.insert(*operation);
  }
  return set;
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet set : available_instruction_sets()) names.push_back(name_of(set));
  return names;
}

/// Python's Backend. It is made by __init__ and not by __new__, so that the __init__ of a subclass
/// may take other arguments.
struct BackendObject {
  std::unique_ptr<PyBackend> backend;
};

/// A method of PyBackend as one of BackendObject.
template <class Value, class... Args>
auto by(Value (PyBackend::*method)(Args...)) {
  return [method](BackendObject& self, Args... args) -> Value {
    return ((*self.backend).*method)(std::forward<Args>(args)...);
  };
}
template <class Value, class... Args>
auto by(Value (PyBackend::*method)(Args...) const) {
  return [method](const BackendObject& self, Args... args) -> Value {
    return ((*self.backend).*method)(std::forward<Args>(args)...);
  };
}

BackendObject made(const std::string& name, std::shared_ptr<const Model> model,
                   std::int64_t max_batch, int threads, bool friction, std::string_view on_error,
                   nb::handle dtype, const std::optional<std::string>& instruction_set,
                   std::string_view layout, std::string_view family, int block, int spin_us,
                   const std::optional<std::vector<std::string>>& compile) {
  return {make_py_backend(
      {.name = name,
       .max_batch = max_batch,
       .threads = threads,
       .friction = friction,
       .raise = choice("on_error", on_error, {"raise", "nan"}) == 0,
       .single = is_single(dtype),
       .instruction_set = instruction_set_from(instruction_set),
       .layout = choice("layout", layout, {"rows", "lanes"}) == 0 ? Layout::rows : Layout::lanes,
       .tree = {.family = choice("family", family, {"blocks", "scans"}) == 0 ? TreeFamily::blocks
                                                                             : TreeFamily::scans,
                .block = block},
       .compile = operations_from(compile),
       .spin_us = spin_us},
      std::move(model))};
}

}  // namespace

// Signatures in Python's words: array arguments are nb::handle in C++, which would read as
// `object`.
#define RBD_ARRAY "numpy.typing.ArrayLike"
#define RBD_OPTIONS                                                                 \
  "max_batch"_a = 1, "threads"_a = 1, "friction"_a = false, "on_error"_a = "raise", \
  "dtype"_a = "float64", "instruction_set"_a = nb::none(), "layout"_a = "rows",     \
  "family"_a = "blocks", "block"_a = 0, "spin_us"_a = default_spin_us, "compile"_a = nb::none()

#define RBD_STEP_PARAMETERS                                                               \
  "q"_a.none(), "v"_a.none(), "tau"_a.none(), "dt"_a, "scheme"_a = "semi_implicit_euler", \
                                                      "f_ext"_a = nb::none(), "axes"_a = "link"
#define RBD_STEP                                                                           \
  "q: " RBD_ARRAY ", v: " RBD_ARRAY " | None, tau: " RBD_ARRAY                             \
  " | None, dt: float, scheme: str = \"semi_implicit_euler\", f_ext: dict[str, " RBD_ARRAY \
  "] | None = None, axes: str = \"link\""

namespace {

/// Backend(name, model), Backend(model, name) and Backend(model), each with the options.
template <class... Options>
void def_init(nb::class_<BackendObject>& bound,
              BackendObject (*made)(const std::string&, std::shared_ptr<const Model>, Options...)) {
  bound.def(
      "__init__",
      [made](BackendObject* self, const std::string& name, std::shared_ptr<const Model> model,
             Options... options) {
        new (self) BackendObject(made(name, std::move(model), options...));
      },
      "name"_a, "model"_a, RBD_OPTIONS);
  bound.def(
      "__init__",
      [made](BackendObject* self, std::shared_ptr<const Model> model, const std::string& name,
             Options... options) {
        new (self) BackendObject(made(name, std::move(model), options...));
      },
      "model"_a, "name"_a, RBD_OPTIONS);
  bound.def(
      "__init__",
      [made](BackendObject* self, std::shared_ptr<const Model> model, Options... options) {
        new (self) BackendObject(made("auto", std::move(model), options...));
      },
      "model"_a, RBD_OPTIONS);
}

}  // namespace

void bind_backend(nb::module_& m) {
  nb::exception<StateError> state_error(m, "StateError", PyExc_RuntimeError);
  state_error.attr("__doc__") =
      "States of a batch failed: not finite, or a singular mass matrix. Backend.bad_states() has "
      "all "
      "of them.";

  m.def("backend_names", &backend_names,
        "Names for Backend(name, ...), which also knows \"auto\": the best of them.");
  m.def("instruction_sets", &instruction_sets,
        "Those that the kernels were compiled for and this machine has, the best one last.");

  nb::class_<BackendObject> bound(
      m, "Backend",
      "Computes for one Model:\n\n"
      "    tau = (M + diag(armature)) a + C v + g + [damping v + friction sign(v)] - J^T f\n\n"
      "Backend(model) computes with the best backend there is, Backend(name, model) or "
      "Backend(model, name) with\n"
      "the one of that name, of backend_names(). max_batch: the largest batch of a call, memory is "
      "taken for it "
      "here;\n"
      "threads: how many one call may use; spin_us: microseconds that the others stay awake after "
      "a call,\n"
      "so that they find the next one at once, 0 to 1000000; friction: include the bracket;\n"
      "on_error: what a bad state (NaN, a zero quaternion, a singular M) does: \"raise\" a "
      "StateError,\n"
      "or \"nan\": its results are NaN and Backend.status has its code. Either way the other "
      "states of\n"
      "the batch are computed as if it was not there.\n\n"
      "dtype: float64, or float32 for twice the speed and half the digits;\n"
      "instruction_set: one of instruction_sets(); None: what the environment variable "
      "RBD_PARALLEL_ISA\n"
      "says, else the best.\n\n"
      "Arrays are of that dtype, in SI units: q is (nq,) for one state or (batch, nq), v, a and "
      "tau "
      "(nv,)\n"
      "or (batch, nv), all of one call alike; results have the leading shape of q. C-contiguous "
      "and "
      "aligned\n"
      "arrays of the dtype are read in place, others are copied first; those of a wider type are "
      "refused.\n"
      "v, a, tau = None are zeros. `out` takes the result where given: C-contiguous, of its shape "
      "and dtype.\n\n"
      "layout=\"lanes\" is for arrays that are kept ready for SIMD: W = Backend.lane_width states "
      "beside each\n"
      "other on the last axis. q is (groups, nq, W), M (groups, nv, nv, W), and so on; to_lanes() "
      "and\n"
      "from_lanes() convert. Every lane is a state here, those that fill up the last group "
      "too.\n\n"
      "family and block are for \"tree\", which computes the bodies of one large tree side by "
      "side: \"blocks\"\n"
      "is as accurate as the recursion, \"scans\" is for study; block: bodies of a block, 0: "
      "chosen. \"auto\" takes\n"
      "block too; other backends refuse both.\n\n"
      "compile: names of the operations that \"compiled\" makes code for here, which takes time; "
      "the others are\n"
      "computed as by \"cpu\". None: all; for \"auto\" those that are known to gain. Other "
      "backends refuse it.\n\n"
      "\"cuda\" also takes arrays that lie on its device, by DLPack or __cuda_array_interface__: "
      "all "
      "of a call\n"
      "but the wrenches. They are not copied; without `out` the result is on the device too, for "
      "from_dlpack.\n\n"
      "Ctrl-C ends the call of a large batch; the results are then only in part written. Arrays on "
      "a "
      "device are\n"
      "computed to the end first.\n\n"
      "The GIL is released while computing. One Backend serves one thread at a time (a second one "
      "is\n"
      "refused); any number of them share a Model.");
  def_init(bound, made);
  bound
      .def_prop_ro("name", by(&PyBackend::name),
                   "Of the backend that computes: of \"auto\" the one for inverse dynamics of\n"
                   "max_batch states.")
      .def("explain", by(&PyBackend::explain), "operation"_a, "batch"_a = 1,
           "One sentence on which backend computes a batch of so many states, and why:\n"
           "explain(\"inverse_dynamics\", batch=1000).")
      .def_prop_ro("model", by(&PyBackend::shared_model))
      .def_prop_ro("max_batch",
                   [](const BackendObject& self) { return self.backend->options().max_batch; })
      .def_prop_ro("threads",
                   [](const BackendObject& self) { return self.backend->options().threads; })
      .def_prop_ro("spin_us",
                   [](const BackendObject& self) { return self.backend->options().spin_us; })
      .def_prop_ro(
          "dtype",
          [](const BackendObject& self) {
            return dtype_from(nb::str(self.backend->dtype().c_str()));
          },
          nb::sig("def dtype(self) -> numpy.dtype"), "Of all arrays.")
      .def_prop_ro("instruction_set", by(&PyBackend::instruction_set), "The one it computes with.")
      .def_prop_ro("layout", by(&PyBackend::layout), "\"rows\" or \"lanes\".")
      .def_prop_ro("lane_width", by(&PyBackend::lane_width),
                   "How many states lie beside each other in the layout \"lanes\".")
      .def_prop_ro("friction",
                   [](const BackendObject& self) { return self.backend->options().friction; })
      .def_prop_ro(
          "status", by(&PyBackend::status), nb::sig("def status(self) -> numpy.ndarray"),
          "(batch,) uint8, of the last call: 0 ok, 1 not finite, 2 singular. Empty if the\n"
          "call was refused as a whole.")
      .def("bad_states", by(&PyBackend::bad_states),
           "{index of the state: what is wrong with it}, of the last call.")
      .def("sparse_mass_matrix", by(&PyBackend::sparse_mass_matrix), "q"_a.none(),
           "cholesky"_a = false,
           nb::sig("def sparse_mass_matrix(self, q: " RBD_ARRAY
                   ", cholesky: bool = False) -> tuple[numpy.ndarray, numpy.ndarray, "
                   "numpy.ndarray]"),
           "(data, indices, indptr) of the lower triangle of M with armature, in compressed rows: "
           "what\n"
           "scipy.sparse.csr_array takes for one state. data is (..., nonzeros); the other two are "
           "the\n"
           "same for all states and cannot be written to. cholesky: L with M = L^T L instead.")
      .def(
          "linearize",
          [](BackendObject& self, nb::handle q, nb::handle v, nb::handle tau, nb::handle dt,
             nb::handle scheme, nb::handle f_ext, nb::handle axes) {
            return self.backend->linearize({q, v, tau, dt, scheme, f_ext, axes});
          },
          RBD_STEP_PARAMETERS,
          nb::sig("def linearize(self, " RBD_STEP ") -> tuple[numpy.ndarray, numpy.ndarray]"),
          "Returns A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of step(): the exact derivatives\n"
          "of (q+, v+) by (q, v) and by tau.\n\n"
          "dq and dq+ are in the tangent spaces of q and q+, nv numbers each: along the rates\n"
          "with which Model.integrate moves them, as Model.difference gives them.\n"
          "The first call takes memory; a Backend with layout=\"rows\" has it.")
      .def(
          "step",
          [](BackendObject& self, nb::handle q, nb::handle v, nb::handle tau, nb::handle dt,
             nb::handle scheme, nb::handle f_ext, nb::handle axes) {
            return self.backend->step({q, v, tau, dt, scheme, f_ext, axes});
          },
          RBD_STEP_PARAMETERS,
          nb::sig("def step(self, " RBD_STEP ") -> tuple[numpy.ndarray, numpy.ndarray]"),
          "Returns q+ (..., nq) and v+ (..., nv), one step of dt seconds later.\n\n"
          "scheme: \"semi_implicit_euler\", v+ = v + dt qdd and q+ = integrate(q, v+, dt), or\n"
          "\"rk4\", whose stages are docs/derivatives.md's. tau and f_ext stay the same over the\n"
          "step; v, tau = None are zeros. f_ext, axes: as in inverse_dynamics().")
      .def("__repr__", [](const BackendObject& self) {
        const PyBackend& backend = *self.backend;
        return "Backend(\"" + backend.name() + "\", " + backend.shared_model()->name() +
               ", max_batch=" + std::to_string(backend.options().max_batch) +
               ", threads=" + std::to_string(backend.options().threads) +
               ", dtype=" + backend.dtype() + ", instruction_set=" + backend.instruction_set() +
               (backend.layout() == "rows" ? "" : ", layout=lanes") + ")";
      });
  for (const PythonCall& call : python_calls()) {
    bound.def(
        call.name.c_str(),
        [&call](BackendObject& self, const nb::args& args, const nb::kwargs& kwargs) {
          return self.backend->compute(call, args, kwargs);
        },
        nb::sig(call.signature.c_str()), call.docstring.c_str());
  }
}

}  // namespace rbd_parallel_python
