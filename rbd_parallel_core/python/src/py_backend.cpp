// SPDX-License-Identifier: Apache-2.0
#include "py_backend.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "device_arrays.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "states.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

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
    case Code::on_device:
      refuse(message(result));
    default:
      throw std::runtime_error(message(result));
  }
}

Axes axes_from(std::string_view axes) {
  return choice("axes", axes, {"link", "world"}) == 0 ? Axes::link : Axes::world;
}

/// External wrenches gathered from a dict, as the core wants them.
template <class Real>
struct Wrenches {
  std::vector<int> links;
  std::vector<Real> values;
  Axes axes = Axes::link;

  BasicExternalWrenches<Real> view() const { return {links, values, axes}; }
};

/// Links by name; a single name takes no axis of its own in the result.
struct Links {
  std::vector<int> indices;
  bool single = false;
};

template <class Real>
class NumpyBackend final : public PyBackend {
  using Core = BasicBackend<Real>;

 public:
  NumpyBackend(const Options& options, std::shared_ptr<const Model> model)
      : raise_(options.raise),
        layout_(options.layout),
        instruction_set_(choose_instruction_set(options.instruction_set)),
        backend_(make_backend<Real>(options.name)) {
    if (options.max_batch < 0) {
      refuse("max_batch: expected at least 1 state, got " + std::to_string(options.max_batch));
    }
    const auto max_batch = static_cast<std::size_t>(options.max_batch);
    device_ = dynamic_cast<DeviceAccess*>(backend_.get());
    backend_->configure(std::move(model), {max_batch, options.threads, options.friction,
                                           instruction_set_, options.tree});
    try {
      status_.resize(max_batch);
    } catch (const std::exception&) {
      refuse("max_batch: there is no memory for " + std::to_string(max_batch) + " states");
    }
  }

  std::string name() const override { return backend_->name(); }
  std::string explain(std::string_view operation, std::int64_t batch) const override {
    const std::optional<Operation> known = operation_of(operation);
    if (!known) {
      std::string names;
      for (const Operation each : all_operations) {
        names += (names.empty() ? "\"" : ", \"") + name_of(each) + '"';
      }
      refuse("operation: expected one of " + names + ", got \"" + std::string(operation) + '"');
    }
    if (batch < 1) refuse("batch: expected at least 1 state, got " + std::to_string(batch));
    return backend_->explain(*known, static_cast<std::size_t>(batch));
  }
  std::shared_ptr<const Model> shared_model() const override { return backend_->shared_model(); }
  const BackendOptions& options() const override { return backend_->options(); }
  std::string dtype() const override { return dtype_name<Real>; }
  std::string instruction_set() const override { return name_of(instruction_set_); }
  std::string layout() const override { return layout_ == Layout::rows ? "rows" : "lanes"; }
  std::size_t lane_width() const override { return backend_->lane_width(); }

  nb::object inverse_dynamics(nb::handle q, nb::handle v, nb::handle a, nb::handle f_ext,
                              std::string_view axes, nb::handle out) override {
    States<Real> states = states_from(q);
    const Array<Real> v_in = velocities("v", v, states), a_in = velocities("a", a, states);
    const Wrenches<Real> wrenches = wrenches_from(f_ext, axes, states);
    const Array<Real> tau = output(out, states.shape.with({nv()}), {states.q, v_in, a_in});
    run("inverse_dynamics", states, [&](std::span<StateStatus> status) {
      return backend_->inverse_dynamics({states.shape.batch, states.q.span(), v_in.span(),
                                         a_in.span(), wrenches.view(), tau.mutable_span(), status,
                                         layout_});
    });
    return tau.object();
  }

  nb::object forward_dynamics(nb::handle q, nb::handle v, nb::handle tau, std::string_view method,
                              nb::handle f_ext, std::string_view axes, nb::handle out) override {
    // The messages of the core have its names, of which one is another here.
    if (method == name_of(ForwardMethod::automatic)) method = "auto";
    const ForwardMethod chosen = all_forward_methods[choice(
        "method", method,
        {"auto", "aba", "crba", "two_port", "jsiia", "hybrid_abia", "crba_sparse", "dca", "dcae"})];
    States<Real> states = states_from(q);
    const Array<Real> v_in = velocities("v", v, states), tau_in = velocities("tau", tau, states);
    const Wrenches<Real> wrenches = wrenches_from(f_ext, axes, states);
    const Array<Real> qdd = output(out, states.shape.with({nv()}), {states.q, v_in, tau_in});
    run("forward_dynamics", states, [&](std::span<StateStatus> status) {
      prepare(chosen);
      return backend_->forward_dynamics({states.shape.batch, states.q.span(), v_in.span(),
                                         tau_in.span(), wrenches.view(), chosen, qdd.mutable_span(),
                                         status, layout_});
    });
    return qdd.object();
  }

  nb::object bias_forces(nb::handle q, nb::handle v, nb::handle out) override {
    return forces("bias_forces", &Core::bias_forces, q, v, out);
  }
  nb::object gravity_forces(nb::handle q, nb::handle out) override {
    return forces("gravity_forces", &Core::gravity_forces, q, nb::none(), out);
  }
  nb::object coriolis_forces(nb::handle q, nb::handle v, nb::handle out) override {
    return forces("coriolis_forces", &Core::coriolis_forces, q, v, out);
  }

  nb::object mass_matrix(nb::handle q, nb::handle out) override {
    return matrix("mass_matrix", &BasicMassMatrix<Real>::mass_matrix, q, out);
  }
  nb::object mass_matrix_inverse(nb::handle q, nb::handle out) override {
    return matrix("mass_matrix_inverse", &BasicMassMatrix<Real>::inverse, q, out);
  }
  nb::object mass_matrix_cholesky(nb::handle q, nb::handle out) override {
    return matrix("mass_matrix_cholesky", &BasicMassMatrix<Real>::cholesky, q, out);
  }

  nb::tuple sparse_mass_matrix(nb::handle q, bool cholesky) override {
    const States<Real> states = states_from(q);
    if (!columns_.is_valid()) make_pattern();
    const Array<Real> values = new_result(states.shape.with({nonzeros_}), states.q);
    run("sparse_mass_matrix", states, [&](std::span<StateStatus> status) {
      BasicMassMatrix<Real> args{
          .batch = states.shape.batch, .q = states.q.span(), .status = status, .layout = layout_};
      (cholesky ? args.sparse_cholesky : args.sparse) = values.mutable_span();
      return backend_->mass_matrix(args);
    });
    return nb::make_tuple(values.object(), columns_, row_starts_);
  }

  std::pair<nb::object, nb::object> energies(nb::handle q, nb::handle v) override {
    States<Real> states = states_from(q);
    const Array<Real> v_in = velocities("v", v, states);
    const Array<Real> kinetic = new_result(states.shape.with({}), states.q),
                      potential = new_result(states.shape.with({}), states.q);
    run("energies", states, [&](std::span<StateStatus> status) {
      return backend_->energies({.batch = states.shape.batch,
                                 .q = states.q.span(),
                                 .v = v_in.span(),
                                 .kinetic = kinetic.mutable_span(),
                                 .potential = potential.mutable_span(),
                                 .status = status,
                                 .layout = layout_});
    });
    // [()] makes a scalar of an array without axes, as numpy's own functions do.
    const nb::tuple all;
    if (states.shape.leading.empty() && !states.q.on_device())
      return {kinetic.object()[all], potential.object()[all]};
    return {kinetic.object(), potential.object()};
  }

  nb::object center_of_mass(nb::handle q, nb::handle out) override {
    const States<Real> states = states_from(q);
    const Array<Real> com = output(out, states.shape.with({3}), {states.q});
    run("center_of_mass", states, [&](std::span<StateStatus> status) {
      return backend_->energies({.batch = states.shape.batch,
                                 .q = states.q.span(),
                                 .v = {},
                                 .com = com.mutable_span(),
                                 .status = status,
                                 .layout = layout_});
    });
    return com.object();
  }

  nb::object link_poses(nb::handle q, nb::handle names, nb::handle out) override {
    const States<Real> states = states_from(q);
    const Links links = links_from(names);
    const Array<Real> poses = output(
        out, links.single ? states.shape.with({7}) : states.shape.with({links.indices.size(), 7}),
        {states.q});
    run("link_poses", states, [&](std::span<StateStatus> status) {
      return backend_->link_kinematics({.batch = states.shape.batch,
                                        .q = states.q.span(),
                                        .links = links.indices,
                                        .poses = poses.mutable_span(),
                                        .status = status,
                                        .layout = layout_});
    });
    return poses.object();
  }

  nb::object jacobian(nb::handle q, nb::handle names, std::string_view axes,
                      nb::handle out) override {
    const Axes chosen = axes_from(axes);
    const States<Real> states = states_from(q);
    const Links links = links_from(names);
    const Array<Real> jacobian =
        output(out,
               links.single ? states.shape.with({6, nv()})
                            : states.shape.with({links.indices.size(), 6, nv()}),
               {states.q});
    run("jacobian", states, [&](std::span<StateStatus> status) {
      return backend_->link_kinematics({.batch = states.shape.batch,
                                        .q = states.q.span(),
                                        .links = links.indices,
                                        .jacobian = jacobian.mutable_span(),
                                        .axes = chosen,
                                        .status = status,
                                        .layout = layout_});
    });
    return jacobian.object();
  }

  /// The status codes of the last call, a copy.
  nb::object status() override {
    const Occupied occupied(busy_);
    nb::object codes = nb::module_::import_("numpy").attr("empty")(used_, "dtype"_a = "uint8");
    const auto memory = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig>>(codes);
    for (std::size_t i = 0; i < used_; ++i) {
      memory.data()[i] = static_cast<std::uint8_t>(status_[i].code);
    }
    return codes;
  }

  /// What the core says of each bad state of the last call.
  std::map<std::size_t, std::string> bad_states() override {
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

  StateShape shape_of(const Shape& q) const {
    const std::string n = std::to_string(nq());
    if (layout_ == Layout::lanes) {
      const std::size_t width = lane_width();
      if (q.size() != 3 || q[1] != nq() || q[2] != width) {
        refuse("q: expected shape (groups, " + n + ", " + std::to_string(width) +
               "), the layout being \"lanes\", got " + text(q) +
               "; rbd_parallel.to_lanes makes it of (batch, " + n + ")");
      }
      return {q[0] * width, {q[0]}, width};
    }
    if (q.empty() || q.size() > 2 || q.back() != nq()) {
      refuse("q: expected shape (" + n + ",) or (batch, " + n + "), got " + text(q));
    }
    if (q.size() == 1) return {};
    return {q[0], {q[0]}, 0};
  }

  /// Any array of the host; one on a device where the backend is there too.
  Array<Real> input(nb::handle object, std::string_view name) const {
    if (!lies_on_device(object, name)) return Array<Real>::view(object, name);
    return view_on_device<Real>(object, name, device_for(name));
  }
  DeviceAccess& device_for(std::string_view name) const {
    if (device_ != nullptr) return *device_;
    refuse(std::string(name) + ": expected an array of the host for the backend " +
           backend_->name() + ", got one on a CUDA device, which the backend cuda takes");
  }

  /// The arrays of a call are all on the device or all on the host.
  static void require_together(std::string_view name, bool on_device, const Array<Real>& q) {
    if (on_device == q.on_device()) return;
    const auto place = [](bool there) { return there ? "on the device" : "of the host"; };
    refuse(std::string(name) + ": expected an array " + place(q.on_device()) +
           " as q is, got one " + place(on_device));
  }

  States<Real> states_from(nb::handle q) const {
    States<Real> states{input(q, "q"), {}, {}};
    states.shape = shape_of(states.q.shape());
    return states;
  }

  /// v, a or tau; None is an empty array, zeros to the core.
  Array<Real> velocities(std::string_view name, nb::handle object, States<Real>& states) const {
    if (object.is_none()) return {};
    Array<Real> array = input(object, name);
    require_together(name, array.on_device(), states.q);
    const Shape expected = states.shape.with({nv()});
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

  Wrenches<Real> wrenches_from(nb::handle f_ext, std::string_view axes,
                               const States<Real>& states) const {
    Wrenches<Real> wrenches;
    wrenches.axes = axes_from(axes);
    if (f_ext.is_none()) return wrenches;
    if (!nb::isinstance<nb::dict>(f_ext)) {
      throw nb::type_error("f_ext: expected a dict {link name: wrench}, got another type");
    }
    std::vector<Array<Real>> arrays;
    for (const auto& [key, value] : nb::borrow<nb::dict>(f_ext)) {
      if (!nb::isinstance<nb::str>(key)) {
        throw nb::type_error("f_ext: expected link names as keys, got another type");
      }
      const std::string link = utf8(key);
      wrenches.links.push_back(link_index(link));
      const std::string name = "f_ext[\"" + link + "\"]";
      if (lies_on_device(value, name)) {
        refuse(name + ": expected an array of the host, got one on a CUDA device");
      }
      arrays.push_back(Array<Real>::view(value, name));
      const Shape& shape = arrays.back().shape();
      if (shape != Shape{6} && shape != states.shape.with({6})) {
        refuse(name + ": expected shape " +
               (states.shape.leading.empty() ? "" : text(states.shape.with({6})) + " or ") +
               "(6,), force then torque, got " + text(shape));
      }
    }
    const std::size_t n = 6 * arrays.size();
    wrenches.values.resize(states.shape.batch * n);
    for (std::size_t i = 0; i < states.shape.batch; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const Array<Real>& array = arrays[k / 6];
        const bool for_all = array.shape().size() == 1;  // the same wrench on every state
        wrenches.values[states.shape.place(i, n, k)] =
            array.data()[for_all ? k % 6 : states.shape.place(i, 6, k % 6)];
      }
    }
    return wrenches;
  }

  /// A new array, where q is.
  Array<Real> new_result(const Shape& shape, const Array<Real>& q) const {
    return q.on_device() ? make_on_device<Real>(shape, *device_) : Array<Real>::make(shape);
  }

  /// `inputs`: q, and what else was given.
  Array<Real> output(nb::handle out, const Shape& shape,
                     std::initializer_list<Array<Real>> inputs) const {
    const Array<Real>& q = *inputs.begin();
    if (out.is_none()) return new_result(shape, q);
    const bool on_device = lies_on_device(out, "out");
    require_together("out", on_device, q);
    const Array<Real> array = on_device ? view_out_on_device<Real>(out, shape, *device_)
                                        : Array<Real>::view_out(out, shape);
    for (const Array<Real>& input : inputs) {
      if (array.overlaps(input)) {
        refuse("out: expected memory of its own, got an array that overlaps an input");
      }
    }
    return array;
  }

  nb::object forces(const char* operation,
                    Result (Core::*compute)(const BasicForces<Real>&) noexcept, nb::handle q,
                    nb::handle v, nb::handle out) {
    States<Real> states = states_from(q);
    const Array<Real> v_in = velocities("v", v, states);
    const Array<Real> tau = output(out, states.shape.with({nv()}), {states.q, v_in});
    run(operation, states, [&](std::span<StateStatus> status) {
      return (*backend_.*compute)(
          {states.shape.batch, states.q.span(), v_in.span(), tau.mutable_span(), status, layout_});
    });
    return tau.object();
  }

  nb::object matrix(const char* operation, std::span<Real> BasicMassMatrix<Real>::*wanted,
                    nb::handle q, nb::handle out) {
    const States<Real> states = states_from(q);
    const Array<Real> M = output(out, states.shape.with({nv(), nv()}), {states.q});
    run(operation, states, [&](std::span<StateStatus> status) {
      BasicMassMatrix<Real> args{
          .batch = states.shape.batch, .q = states.q.span(), .status = status, .layout = layout_};
      args.*wanted = M.mutable_span();
      return backend_->mass_matrix(args);
    });
    return M.object();
  }

  /// An array of these numbers that nobody can write to, since all results share it.
  template <class Index, class Numbers>
  static nb::object index_array(const Numbers& numbers, const char* dtype) {
    nb::object array = nb::module_::import_("numpy").attr("empty")(numbers.size(), dtype);
    const auto memory = nb::cast<nb::ndarray<Index, nb::ndim<1>, nb::c_contig>>(array);
    std::transform(numbers.begin(), numbers.end(), memory.data(),
                   [](auto number) { return static_cast<Index>(number); });
    array.attr("flags").attr("writeable") = false;
    return array;
  }

  /// Both arrays of one type, as scipy wants it.
  void make_pattern() {
    const MassMatrixPattern pattern(backend_->model());
    nonzeros_ = static_cast<std::size_t>(pattern.nonzeros());
    if (pattern.nonzeros() <= std::numeric_limits<std::int32_t>::max()) {
      row_starts_ = index_array<std::int32_t>(pattern.row_start(), "int32");
      columns_ = index_array<std::int32_t>(pattern.column(), "int32");
    } else {
      row_starts_ = index_array<std::int64_t>(pattern.row_start(), "int64");
      columns_ = index_array<std::int64_t>(pattern.column(), "int64");
    }
  }

  /// A method that is not there yet is made ready by the first call that asks for it.
  void prepare(ForwardMethod method) {
    try {
      backend_->prepare(method);
    } catch (const std::invalid_argument& refused) {
      throw std::runtime_error(refused.what());
    }
  }

  /// Makes the call without the GIL, and an exception of its result.
  template <class Compute>
  void run(const char* operation, const States<Real>& states, const Compute& compute) {
    const Occupied occupied(busy_);
    used_ = 0;
    // A batch above max_batch has no status to write; the core refuses it before it looks at any.
    const std::size_t count = std::min(states.shape.batch, status_.size());
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
    if (first->code == StateStatus::Code::not_finite && !states.q.on_device())
      text += culprit(states, index);
    throw StateError(text);
  }

  /// " (v of joint 'elbow' is nan)": the first number of a state that is not finite, if any.
  std::string culprit(const States<Real>& states, std::size_t state) const {
    const auto look = [&](const std::string& name, const Array<Real>& array, std::size_t size,
                          const auto& has) -> std::string {
      for (std::size_t i = 0; i < size; ++i) {
        const Real value = array.data()[states.shape.place(state, size, i)];
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
  Layout layout_;
  InstructionSet instruction_set_;
  std::unique_ptr<Core> backend_;
  DeviceAccess* device_ = nullptr;   ///< of the backend, where it has one
  std::vector<StateStatus> status_;  ///< max_batch
  std::size_t used_ = 0;             ///< how many of them the last call wrote
  std::atomic_flag busy_;
  nb::object columns_, row_starts_;  ///< of the sparse mass matrix, once it was asked for
  std::size_t nonzeros_ = 0;
};

}  // namespace

std::unique_ptr<PyBackend> make_py_backend(const PyBackend::Options& options,
                                           std::shared_ptr<const Model> model) {
  if (options.single) return std::make_unique<NumpyBackend<float>>(options, std::move(model));
  return std::make_unique<NumpyBackend<double>>(options, std::move(model));
}

}  // namespace rbd_parallel_python
