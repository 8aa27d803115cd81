// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/backend.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

/// States of a batch failed; Python's StateError.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Holds a Backend for the time of one call. The GIL is released meanwhile, so another Python
/// thread may come along; it is turned away, since a Backend owns a single workspace.
class Occupied {
 public:
  explicit Occupied(std::atomic_flag& flag) : flag_(flag) {
    if (flag_.test_and_set(std::memory_order_acquire)) {
      throw std::runtime_error(
          "this Backend is computing in another thread: expected one calling thread at a time; "
          "make one Backend per thread, they can share the Model");
    }
  }
  ~Occupied() { flag_.clear(std::memory_order_release); }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;

 private:
  std::atomic_flag& flag_;
};

void require_ok(const Result& result) {
  switch (result.code) {
    case Code::ok:
      return;
    case Code::batch_too_large:
    case Code::wrong_size:
    case Code::missing:
    case Code::out_of_range:
      refuse(message(result));
    default:
      throw std::runtime_error(message(result));
  }
}

ExternalWrenches::Axes axes_from(std::string_view axes) {
  return choice("axes", axes, {"link", "world"}) == 0 ? ExternalWrenches::Axes::link
                                                      : ExternalWrenches::Axes::world;
}

/// q of one call and what its shape says: one state (nq,), or a batch of them (batch, nq).
struct States {
  Array q;
  std::size_t batch = 1;
  Shape leading;  ///< () or (batch,)

  /// What else was given of these states, by name, for the message about a bad one.
  std::vector<std::pair<std::string, Array>> others;

  /// The shape of a result or argument of which one state takes `inner`.
  Shape with(std::initializer_list<std::size_t> inner) const {
    Shape shape = leading;
    shape.insert(shape.end(), inner.begin(), inner.end());
    return shape;
  }
};

/// External wrenches gathered from a dict, as the core wants them.
struct Wrenches {
  std::vector<int> links;
  std::vector<double> values;
  ExternalWrenches::Axes axes = ExternalWrenches::Axes::link;

  ExternalWrenches view() const { return {links, values, axes}; }
};

/// Links by name; a single name takes no axis of its own in the result.
struct Links {
  std::vector<int> indices;
  bool single = false;
};

/// A core Backend, configured, with numpy arrays in and out.
class PyBackend {
 public:
  PyBackend(const std::string& name, std::shared_ptr<const Model> model, std::int64_t max_batch,
            int threads, bool friction, std::string_view on_error)
      : raise_(choice("on_error", on_error, {"raise", "nan"}) == 0), backend_(make_backend(name)) {
    if (max_batch < 0) {
      refuse("max_batch: expected at least 1 state, got " + std::to_string(max_batch));
    }
    backend_->configure(std::move(model), {static_cast<std::size_t>(max_batch), threads, friction});
    try {
      status_.resize(static_cast<std::size_t>(max_batch));
    } catch (const std::exception&) {
      refuse("max_batch: there is no memory for " + std::to_string(max_batch) + " states");
    }
  }

  std::string name() const { return backend_->name(); }
  std::shared_ptr<const Model> shared_model() const { return backend_->shared_model(); }
  const BackendOptions& options() const { return backend_->options(); }

  nb::object inverse_dynamics(nb::handle q, nb::handle v, nb::handle a, nb::handle f_ext,
                              std::string_view axes, nb::handle out) {
    States states = states_from(q);
    const Array v_in = velocities("v", v, states), a_in = velocities("a", a, states);
    const Wrenches wrenches = wrenches_from(f_ext, axes, states);
    const Array tau = output(out, states.with({nv()}), {states.q, v_in, a_in});
    run("inverse_dynamics", states, [&](std::span<StateStatus> status) {
      return backend_->inverse_dynamics({states.batch, states.q.span(), v_in.span(), a_in.span(),
                                         wrenches.view(), tau.mutable_span(), status});
    });
    return tau.object();
  }

  nb::object forward_dynamics(nb::handle q, nb::handle v, nb::handle tau, std::string_view method,
                              nb::handle f_ext, std::string_view axes, nb::handle out) {
    static constexpr ForwardMethod methods[] = {ForwardMethod::automatic, ForwardMethod::aba,
                                                ForwardMethod::crba};
    const ForwardMethod chosen = methods[choice("method", method, {"auto", "aba", "crba"})];
    States states = states_from(q);
    const Array v_in = velocities("v", v, states), tau_in = velocities("tau", tau, states);
    const Wrenches wrenches = wrenches_from(f_ext, axes, states);
    const Array qdd = output(out, states.with({nv()}), {states.q, v_in, tau_in});
    run("forward_dynamics", states, [&](std::span<StateStatus> status) {
      return backend_->forward_dynamics({states.batch, states.q.span(), v_in.span(), tau_in.span(),
                                         wrenches.view(), chosen, qdd.mutable_span(), status});
    });
    return qdd.object();
  }

  nb::object bias_forces(nb::handle q, nb::handle v, nb::handle out) {
    return forces("bias_forces", &Backend::bias_forces, q, v, out);
  }
  nb::object gravity_forces(nb::handle q, nb::handle out) {
    return forces("gravity_forces", &Backend::gravity_forces, q, nb::none(), out);
  }
  nb::object coriolis_forces(nb::handle q, nb::handle v, nb::handle out) {
    return forces("coriolis_forces", &Backend::coriolis_forces, q, v, out);
  }

  nb::object mass_matrix(nb::handle q, nb::handle out) {
    return matrix("mass_matrix", &MassMatrix::mass_matrix, q, out);
  }
  nb::object mass_matrix_inverse(nb::handle q, nb::handle out) {
    return matrix("mass_matrix_inverse", &MassMatrix::inverse, q, out);
  }
  nb::object mass_matrix_cholesky(nb::handle q, nb::handle out) {
    return matrix("mass_matrix_cholesky", &MassMatrix::cholesky, q, out);
  }

  std::pair<nb::object, nb::object> energies(nb::handle q, nb::handle v) {
    States states = states_from(q);
    const Array v_in = velocities("v", v, states);
    const Array kinetic = Array::make(states.with({})), potential = Array::make(states.with({}));
    run("energies", states, [&](std::span<StateStatus> status) {
      return backend_->energies({.batch = states.batch,
                                 .q = states.q.span(),
                                 .v = v_in.span(),
                                 .kinetic = kinetic.mutable_span(),
                                 .potential = potential.mutable_span(),
                                 .status = status});
    });
    // [()] makes a scalar of an array without axes, as numpy's own functions do.
    const nb::tuple all;
    if (states.leading.empty()) return {kinetic.object()[all], potential.object()[all]};
    return {kinetic.object(), potential.object()};
  }

  nb::object center_of_mass(nb::handle q, nb::handle out) {
    const States states = states_from(q);
    const Array com = output(out, states.with({3}), {states.q});
    run("center_of_mass", states, [&](std::span<StateStatus> status) {
      return backend_->energies({.batch = states.batch,
                                 .q = states.q.span(),
                                 .v = {},
                                 .com = com.mutable_span(),
                                 .status = status});
    });
    return com.object();
  }

  nb::object link_poses(nb::handle q, nb::handle names, nb::handle out) {
    const States states = states_from(q);
    const Links links = links_from(names);
    const Array poses = output(
        out, links.single ? states.with({7}) : states.with({links.indices.size(), 7}), {states.q});
    run("link_poses", states, [&](std::span<StateStatus> status) {
      return backend_->link_kinematics({.batch = states.batch,
                                        .q = states.q.span(),
                                        .links = links.indices,
                                        .poses = poses.mutable_span(),
                                        .status = status});
    });
    return poses.object();
  }

  nb::object jacobian(nb::handle q, nb::handle names, std::string_view axes, nb::handle out) {
    const ExternalWrenches::Axes chosen = axes_from(axes);
    const States states = states_from(q);
    const Links links = links_from(names);
    const Array jacobian = output(
        out, links.single ? states.with({6, nv()}) : states.with({links.indices.size(), 6, nv()}),
        {states.q});
    run("jacobian", states, [&](std::span<StateStatus> status) {
      return backend_->link_kinematics({.batch = states.batch,
                                        .q = states.q.span(),
                                        .links = links.indices,
                                        .jacobian = jacobian.mutable_span(),
                                        .axes = chosen,
                                        .status = status});
    });
    return jacobian.object();
  }

  /// The status codes of the last call, a copy.
  nb::object status() {
    const Occupied occupied(busy_);
    nb::object codes = nb::module_::import_("numpy").attr("empty")(used_, "dtype"_a = "uint8");
    const auto memory = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig>>(codes);
    for (std::size_t i = 0; i < used_; ++i) {
      memory.data()[i] = static_cast<std::uint8_t>(status_[i].code);
    }
    return codes;
  }

  /// What the core says of each bad state of the last call.
  std::map<std::size_t, std::string> bad_states() {
    const Occupied occupied(busy_);
    std::map<std::size_t, std::string> result;
    for (std::size_t i = 0; i < used_; ++i) {
      if (!status_[i].ok()) result[i] = message(status_[i], backend_->model());
    }
    return result;
  }

 private:
  std::size_t nq() const { return static_cast<std::size_t>(backend_->model().nq()); }
  std::size_t nv() const { return static_cast<std::size_t>(backend_->model().nv()); }

  States states_from(nb::handle q) const {
    States states{Array::view(q, "q"), 1, {}, {}};
    const Shape& shape = states.q.shape();
    if (shape.empty() || shape.size() > 2 || shape.back() != nq()) {
      const std::string n = std::to_string(nq());
      refuse("q: expected shape (" + n + ",) or (batch, " + n + "), got " + text(shape));
    }
    if (shape.size() == 2) {
      states.batch = shape[0];
      states.leading = {shape[0]};
    }
    return states;
  }

  /// v, a or tau; None is an empty array, zeros to the core.
  Array velocities(std::string_view name, nb::handle object, States& states) const {
    if (object.is_none()) return {};
    Array array = Array::view(object, name);
    const Shape expected = states.with({nv()});
    if (array.shape() != expected) {
      refuse(std::string(name) + ": expected shape " + text(expected) + " to go with q of shape " +
             text(states.q.shape()) + ", got " + text(array.shape()));
    }
    states.others.emplace_back(name, array);
    return array;
  }

  int link_index(const std::string& name) const {
    if (const auto index = backend_->model().find_link(name)) return *index;
    std::string known;
    std::size_t count = 0;
    for (const Link& link : backend_->model().links()) {
      if (++count > 20) {
        known += ", ... (Model.link_names has all " +
                 std::to_string(backend_->model().links().size()) + ")";
        break;
      }
      known += (known.empty() ? "" : ", ") + link.name;
    }
    refuse("unknown link \"" + name + "\": expected one of " + known);
  }

  Links links_from(nb::handle names) const {
    Links links;
    if (nb::isinstance<nb::str>(names)) {
      links.single = true;
      links.indices.push_back(link_index(utf8(names)));
      return links;
    }
    for (const nb::handle name : names) {
      if (!nb::isinstance<nb::str>(name)) {
        throw nb::type_error("links: expected a name or a list of names, got another type");
      }
      links.indices.push_back(link_index(utf8(name)));
    }
    if (links.indices.empty()) refuse("links: expected at least one name, got none");
    return links;
  }

  Wrenches wrenches_from(nb::handle f_ext, std::string_view axes, const States& states) const {
    Wrenches wrenches;
    wrenches.axes = axes_from(axes);
    if (f_ext.is_none()) return wrenches;
    if (!nb::isinstance<nb::dict>(f_ext)) {
      throw nb::type_error("f_ext: expected a dict {link name: wrench}, got another type");
    }
    std::vector<Array> arrays;
    for (const auto& [key, value] : nb::borrow<nb::dict>(f_ext)) {
      if (!nb::isinstance<nb::str>(key)) {
        throw nb::type_error("f_ext: expected link names as keys, got another type");
      }
      const std::string link = utf8(key);
      wrenches.links.push_back(link_index(link));
      const std::string name = "f_ext[\"" + link + "\"]";
      arrays.push_back(Array::view(value, name));
      const Shape& shape = arrays.back().shape();
      if (shape != Shape{6} && shape != states.with({6})) {
        refuse(name + ": expected shape " +
               (states.leading.empty() ? "" : text(states.with({6})) + " or ") +
               "(6,), force then torque, got " + text(shape));
      }
    }
    wrenches.values.reserve(states.batch * arrays.size() * 6);
    for (std::size_t i = 0; i < states.batch; ++i) {
      for (const Array& array : arrays) {  // (6,) is the same wrench on every state
        const double* wrench = array.data() + (array.shape().size() == 2 ? 6 * i : 0);
        wrenches.values.insert(wrenches.values.end(), wrench, wrench + 6);
      }
    }
    return wrenches;
  }

  static Array output(nb::handle out, const Shape& shape, std::initializer_list<Array> inputs) {
    if (out.is_none()) return Array::make(shape);
    Array array = Array::view_out(out, shape);
    for (const Array& input : inputs) {
      if (array.overlaps(input)) {
        refuse("out: expected memory of its own, got an array that overlaps an input");
      }
    }
    return array;
  }

  nb::object forces(const char* operation, Result (Backend::*compute)(const Forces&) noexcept,
                    nb::handle q, nb::handle v, nb::handle out) {
    States states = states_from(q);
    const Array v_in = velocities("v", v, states);
    const Array tau = output(out, states.with({nv()}), {states.q, v_in});
    run(operation, states, [&](std::span<StateStatus> status) {
      return (*backend_.*
              compute)({states.batch, states.q.span(), v_in.span(), tau.mutable_span(), status});
    });
    return tau.object();
  }

  nb::object matrix(const char* operation, std::span<double> MassMatrix::*wanted, nb::handle q,
                    nb::handle out) {
    const States states = states_from(q);
    const Array result = output(out, states.with({nv(), nv()}), {states.q});
    run(operation, states, [&](std::span<StateStatus> status) {
      MassMatrix args{.batch = states.batch, .q = states.q.span(), .status = status};
      args.*wanted = result.mutable_span();
      return backend_->mass_matrix(args);
    });
    return result.object();
  }

  /// Makes the call without the GIL, and an exception of its result.
  template <class Compute>
  void run(const char* operation, const States& states, const Compute& compute) {
    const Occupied occupied(busy_);
    used_ = 0;
    // A batch above max_batch has no status to write; the core refuses it before it looks at any.
    const std::size_t count = std::min(states.batch, status_.size());
    const std::span<StateStatus> status(status_.data(), count);
    std::fill(status.begin(), status.end(), StateStatus{});
    Result result;
    {
      const nb::gil_scoped_release release;
      result = compute(status);
    }
    require_ok(result);
    used_ = count;
    if (!raise_) return;
    const auto is_bad = [](const StateStatus& state) { return !state.ok(); };
    const auto first = std::find_if(status.begin(), status.end(), is_bad);
    if (first == status.end()) return;
    const auto bad = std::count_if(first, status.end(), is_bad);
    const auto index = static_cast<std::size_t>(first - status.begin());
    std::string text = std::string(operation) + ": " + std::to_string(bad) + " of " +
                       std::to_string(count) + " states failed; the first is state " +
                       std::to_string(index) + ": " + message(*first, backend_->model());
    if (first->code == StateStatus::Code::not_finite) text += culprit(states, index);
    throw StateError(text);
  }

  /// " (v of joint 'elbow' is nan)": the first number of a state that is not finite, if any.
  std::string culprit(const States& states, std::size_t state) const {
    const auto look = [&](const std::string& name, const Array& array, std::size_t size,
                          const auto& has) -> std::string {
      for (std::size_t i = 0; i < size; ++i) {
        const double value = array.data()[state * size + i];
        if (std::isfinite(value)) continue;
        for (const Joint& joint : backend_->model().joints()) {
          if (!joint.mimic && has(joint, static_cast<int>(i))) {
            return " (" + name + " of joint '" + joint.name + "' is " + std::to_string(value) + ")";
          }
        }
      }
      return {};
    };
    std::string text = look("q", states.q, nq(), [](const Joint& joint, int i) {
      return i >= joint.q_index && i < joint.q_index + joint.nq;
    });
    for (const auto& [name, array] : states.others) {
      if (!text.empty()) break;
      text = look(name, array, nv(), [](const Joint& joint, int i) {
        return i >= joint.v_index && i < joint.v_index + joint.nv;
      });
    }
    return text;
  }

  bool raise_;
  std::unique_ptr<Backend> backend_;
  std::vector<StateStatus> status_;  ///< max_batch
  std::size_t used_ = 0;             ///< how many of them the last call wrote
  std::atomic_flag busy_;
};

}  // namespace

// Signatures in Python's words: array arguments are nb::handle in C++, which would read as
// `object`.
#define RBD_ARRAY "numpy.typing.ArrayLike"
#define RBD_MAYBE_ARRAY "numpy.typing.ArrayLike | None = None"
#define RBD_WRENCHES "f_ext: dict[str, numpy.typing.ArrayLike] | None = None, axes: str = \"link\""
#define RBD_OUT "out: numpy.ndarray | None = None) -> numpy.ndarray"

void bind_backend(nb::module_& m) {
  nb::exception<StateError> state_error(m, "StateError", PyExc_RuntimeError);
  state_error.attr("__doc__") =
      "States of a batch failed: not finite, or a singular mass matrix. Backend.bad_states() has "
      "all "
      "of them.";

  m.def("backend_names", &backend_names, "Names for Backend(name, ...).");

  nb::class_<PyBackend>(
      m, "Backend",
      "Computes for one Model:\n\n"
      "    tau = (M + diag(armature)) a + C v + g + [damping v + friction sign(v)] - J^T f\n\n"
      "name: one of backend_names(); max_batch: the largest batch of a call, memory is taken for "
      "it\n"
      "here; threads: how many one call may use; friction: include the bracket;\n"
      "on_error: what a bad state (NaN, a zero quaternion, a singular M) does: \"raise\" a "
      "StateError,\n"
      "or \"nan\": its results are NaN and Backend.status has its code. Either way the other "
      "states of\n"
      "the batch are computed as if it was not there.\n\n"
      "Arrays are float64 in SI units: q is (nq,) for one state or (batch, nq), v, a and tau (nv,) "
      "or\n"
      "(batch, nv), all of one call alike; results have the leading shape of q. C-contiguous "
      "float64\n"
      "arrays are read in place, others are copied first. v, a, tau = None are zeros. `out` takes "
      "the\n"
      "result where given: C-contiguous float64 of its shape.\n\n"
      "The GIL is released while computing. One Backend serves one thread at a time (a second one "
      "is\n"
      "refused); any number of them share a Model.")
      .def(nb::init<const std::string&, std::shared_ptr<const Model>, std::int64_t, int, bool,
                    std::string_view>(),
           "name"_a, "model"_a, "max_batch"_a = 1, "threads"_a = 1, "friction"_a = false,
           "on_error"_a = "raise")
      .def_prop_ro("name", &PyBackend::name)
      .def_prop_ro("model", &PyBackend::shared_model)
      .def_prop_ro("max_batch",
                   [](const PyBackend& backend) { return backend.options().max_batch; })
      .def_prop_ro("threads", [](const PyBackend& backend) { return backend.options().threads; })
      .def_prop_ro("friction", [](const PyBackend& backend) { return backend.options().friction; })
      .def_prop_ro(
          "status", &PyBackend::status, nb::sig("def status(self) -> numpy.ndarray"),
          "(batch,) uint8, of the last call: 0 ok, 1 not finite, 2 singular. Empty if the\n"
          "call was refused as a whole.")
      .def("bad_states", &PyBackend::bad_states,
           "{index of the state: what is wrong with it}, of the last call.")
      .def(
          "inverse_dynamics", &PyBackend::inverse_dynamics, "q"_a.none(), "v"_a = nb::none(),
          "a"_a = nb::none(), "f_ext"_a = nb::none(), "axes"_a = "link", "out"_a = nb::none(),
          nb::sig("def inverse_dynamics(self, q: " RBD_ARRAY ", v: " RBD_MAYBE_ARRAY
                  ", a: " RBD_MAYBE_ARRAY ", " RBD_WRENCHES ", " RBD_OUT),
          "tau (..., nv), N m or N, that gives the accelerations a.\n\n"
          "f_ext: {link name: (6,) or (batch, 6)}, force (N) then torque (N m) on the link at its\n"
          "origin, along the axes of the \"link\" or the \"world\".")
      .def(
          "forward_dynamics", &PyBackend::forward_dynamics, "q"_a.none(), "v"_a = nb::none(),
          "tau"_a = nb::none(), "method"_a = "auto", "f_ext"_a = nb::none(), "axes"_a = "link",
          "out"_a = nb::none(),
          nb::sig("def forward_dynamics(self, q: " RBD_ARRAY ", v: " RBD_MAYBE_ARRAY
                  ", tau: " RBD_MAYBE_ARRAY ", method: str = \"auto\", " RBD_WRENCHES ", " RBD_OUT),
          "Accelerations (..., nv), rad/s^2 or m/s^2, that tau gives.\n\n"
          "method: \"aba\" (articulated bodies), \"crba\" (mass matrix and its Cholesky factor), "
          "or\n"
          "\"auto\": aba unless the model has mimic joints. f_ext, axes: as in inverse_dynamics().")
      .def("bias_forces", &PyBackend::bias_forces, "q"_a.none(), "v"_a = nb::none(),
           "out"_a = nb::none(),
           nb::sig("def bias_forces(self, q: " RBD_ARRAY ", v: " RBD_MAYBE_ARRAY ", " RBD_OUT),
           "C v + g [+ friction], (..., nv), N m or N.")
      .def("gravity_forces", &PyBackend::gravity_forces, "q"_a.none(), "out"_a = nb::none(),
           nb::sig("def gravity_forces(self, q: " RBD_ARRAY ", " RBD_OUT),
           "g, (..., nv), N m or N.")
      .def("coriolis_forces", &PyBackend::coriolis_forces, "q"_a.none(), "v"_a = nb::none(),
           "out"_a = nb::none(),
           nb::sig("def coriolis_forces(self, q: " RBD_ARRAY ", v: " RBD_MAYBE_ARRAY ", " RBD_OUT),
           "C v without gravity and friction, (..., nv), N m or N.")
      .def("mass_matrix", &PyBackend::mass_matrix, "q"_a.none(), "out"_a = nb::none(),
           nb::sig("def mass_matrix(self, q: " RBD_ARRAY ", " RBD_OUT),
           "M with armature, (..., nv, nv), full and symmetric.")
      .def("mass_matrix_inverse", &PyBackend::mass_matrix_inverse, "q"_a.none(),
           "out"_a = nb::none(),
           nb::sig("def mass_matrix_inverse(self, q: " RBD_ARRAY ", " RBD_OUT),
           "The inverse of M, (..., nv, nv), full and symmetric.")
      .def("mass_matrix_cholesky", &PyBackend::mass_matrix_cholesky, "q"_a.none(),
           "out"_a = nb::none(),
           nb::sig("def mass_matrix_cholesky(self, q: " RBD_ARRAY ", " RBD_OUT),
           "L (..., nv, nv), lower triangular, with M = L^T L: as sparse as the tree.")
      .def("energies", &PyBackend::energies, "q"_a.none(), "v"_a = nb::none(),
           nb::sig("def energies(self, q: " RBD_ARRAY ", v: " RBD_MAYBE_ARRAY
                   ") -> tuple[numpy.ndarray, numpy.ndarray]"),
           "(kinetic, potential), J, each (...): armature included, zero potential at the world's\n"
           "origin.")
      .def("center_of_mass", &PyBackend::center_of_mass, "q"_a.none(), "out"_a = nb::none(),
           nb::sig("def center_of_mass(self, q: " RBD_ARRAY ", " RBD_OUT),
           "Of all links, (..., 3), m, in the world frame.")
      .def("link_poses", &PyBackend::link_poses, "q"_a.none(), "links"_a, "out"_a = nb::none(),
           nb::sig("def link_poses(self, q: " RBD_ARRAY ", links: str | list[str], " RBD_OUT),
           "x y z (m), quaternion x y z w of link frames in the world: (..., 7) for one name,\n"
           "(..., k, 7) for a list of k.")
      .def(
          "jacobian", &PyBackend::jacobian, "q"_a.none(), "link"_a, "axes"_a = "world",
          "out"_a = nb::none(),
          nb::sig("def jacobian(self, q: " RBD_ARRAY
                  ", link: str | list[str], axes: str = \"world\", " RBD_OUT),
          "J with twist of the link at its origin = J v, linear rows first, along the axes of the\n"
          "\"world\" or the \"link\": (..., 6, nv) for one name, (..., k, 6, nv) for a list of k.")
      .def("__repr__", [](const PyBackend& backend) {
        return "Backend(\"" + backend.name() + "\", " + backend.shared_model()->name() +
               ", max_batch=" + std::to_string(backend.options().max_batch) +
               ", threads=" + std::to_string(backend.options().threads) + ")";
      });
}

}  // namespace rbd_parallel_python
