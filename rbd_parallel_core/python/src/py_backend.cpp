// SPDX-License-Identifier: Apache-2.0
#include "py_backend.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "device_arrays.hpp"
#include "occupied.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "slices.hpp"
#include "states.hpp"
#include "steps.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

/// The methods of forward dynamics have the core's names but one, which is "auto" here.
std::string in_python_words(std::string text) {
  const std::string name = name_of(ForwardMethod::automatic);
  for (const std::string before : {"use ", "method "}) {
    for (std::size_t at = 0; (at = text.find(before + name, at)) != std::string::npos;) {
      text.replace(at + before.size(), name.size(), "auto");
    }
  }
  return text;
}

void require_ok(const Result& result) {
  switch (result.code) {
    case Code::ok:
      return;
    case Code::batch_too_large:
    case Code::wrong_size:
    case Code::missing:
    case Code::out_of_range:
    case Code::on_device:
      refuse(in_python_words(message(result)));
    default:
      throw std::runtime_error(in_python_words(message(result)));
  }
}

Axes axes_from(std::string_view axes) {
  return choice("axes", axes, {"link", "world"}) == 0 ? Axes::link : Axes::world;
}

ForwardMethod method_from(nb::handle object) {
  if (object.is_none()) return ForwardMethod::automatic;
  std::string method = word("method", object);
  // The messages of the core have its names, of which one is another here.
  if (method == name_of(ForwardMethod::automatic)) method = "auto";
  return all_forward_methods[choice(
      "method", method,
      {"auto", "aba", "crba", "two_port", "jsiia", "hybrid_abia", "crba_sparse", "dca", "dcae"})];
}

/// The lengths of the axes.
Shape lengths(const rbd_parallel_core::StateShape& shape, const Extents& extents) {
  Shape lengths;
  for (std::size_t k = 0; k < shape.rank(); ++k) lengths.push_back(shape.axis(k).length(extents));
  return lengths;
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
    backend_->configure(std::move(model), {.max_batch = max_batch,
                                           .threads = options.threads,
                                           .friction = options.friction,
                                           .instruction_set = instruction_set_,
                                           .tree = options.tree,
                                           .compile = options.compile,
                                           .spin_us = options.spin_us});
    device_ = backend_->capabilities().device;
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

  nb::object compute(const PythonCall& call, const nb::args& args,
                     const nb::kwargs& kwargs) override {
    const std::vector<nb::object> values = call.bind(args, kwargs);
    nb::object result;
    visit_operation(call.operation, [&]<Operation operation>(OperationTag<operation> tag) {
      result = compute(tag, call, values);
    });
    return result;
  }

  nb::tuple sparse_mass_matrix(nb::handle q, bool cholesky) override {
    const States<Real> states = states_from(q);
    if (!columns_.is_valid()) make_pattern();
    const Array<Real> values = new_result(states.shape.with({nonzeros_}), states.q);
    run("sparse_mass_matrix", states, [&](std::span<StateStatus> status) {
      BasicMassMatrix<Real> args{
          .batch = states.shape.batch, .q = states.q.span(), .status = status, .layout = layout_};
      (cholesky ? args.sparse_cholesky : args.sparse) = values.mutable_span();
      return compute_without_gil(OperationTag<Operation::mass_matrix>{}, args, states);
    });
    return nb::make_tuple(values.object(), columns_, row_starts_);
  }

  nb::tuple linearize(const StepCall& call) override {
    const auto n = nv();
    return stepped("linearize", call, {2 * n, 2 * n}, {2 * n, n},
                   [](BasicLinearization<Real>& args, std::span<Real> A, std::span<Real> B) {
                     args.A = A;
                     args.B = B;
                   });
  }
  nb::tuple step(const StepCall& call) override {
    return stepped("step", call, {nq()}, {nv()},
                   [](BasicLinearization<Real>& args, std::span<Real> q, std::span<Real> v) {
                     args.q_next = q;
                     args.v_next = v;
                   });
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

  BatchShape shape_of(const Shape& q) const {
    if (layout_ == Layout::lanes) {
      const std::string n = std::to_string(nq());
      const std::size_t width = lane_width();
      if (q.size() != 3 || q[1] != nq() || q[2] != width) {
        refuse("q: expected shape (groups, " + n + ", " + std::to_string(width) +
               "), the layout being \"lanes\", got " + text(q) +
               "; rbd_parallel.to_lanes makes it of (batch, " + n + ")");
      }
      return {q[0] * width, {q[0]}, width};
    }
    return shape_of_rows("q", q, nq());
  }

  /// Any array of the host; one on a device where the backend computes there too.
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

  /// Lengths of the axes of arrays; `links` are those that the call names.
  Extents extents(std::size_t links) const {
    return {.nq = nq(),
            .nv = nv(),
            .nonzeros = 0,
            .links = links,
            .parameters =
                static_cast<std::size_t>(backend_->model().body_count()) * parameters_per_body};
  }

  /// An input beside q; None for an optional one is an empty array, zeros to the core.
  Array<Real> rates(Argument argument, nb::handle object,
                    const rbd_parallel_core::StateShape& shape, Presence presence,
                    States<Real>& states) const {
    if (object.is_none() && presence == Presence::optional) return {};
    const std::string name(name_of(argument));
    Array<Real> array = input(object, name);
    require_together(name, array.on_device(), states.q);
    const Shape expected = states.shape.with(lengths(shape, extents(0)));
    if (array.shape() != expected) {
      refuse(name + ": expected shape " + text(expected) + " to go with q of shape " +
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

  Links links_from(nb::handle names, const std::string& parameter) const {
    const auto fail = [&](nb::handle got) {
      throw nb::type_error((parameter + ": expected a name or a list of names, got " +
                            utf8(nb::repr(got)) + " (" + utf8(nb::inst_name(got)) + ")")
                               .c_str());
    };
    Links links;
    if (nb::isinstance<nb::str>(names)) {
      links.single = true;
      links.indices.push_back(link_index(utf8(names)));
      return links;
    }
    if (!nb::hasattr(names, "__iter__")) fail(names);
    for (const nb::handle name : names) {
      if (!nb::isinstance<nb::str>(name)) fail(name);
      links.indices.push_back(link_index(utf8(name)));
    }
    if (links.indices.empty()) refuse(parameter + ": expected at least one name, got none");
    return links;
  }

  Wrenches<Real> wrenches_from(nb::handle f_ext, Axes axes, const States<Real>& states) const {
    Wrenches<Real> wrenches;
    wrenches.axes = axes;
    if (f_ext.is_none()) return wrenches;
    if (!nb::isinstance<nb::dict>(f_ext)) {
      throw nb::type_error(
          ("f_ext: expected a dict {link name: wrench}, got a " + class_name(f_ext)).c_str());
    }
    std::vector<Array<Real>> arrays;
    for (const auto& [key, value] : nb::borrow<nb::dict>(f_ext)) {
      if (!nb::isinstance<nb::str>(key)) {
        throw nb::type_error(
            ("f_ext: expected link names as keys, got a " + class_name(key)).c_str());
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

  /// Where a result goes: `out`, or a new array.
  Array<Real> output(nb::handle out, const Shape& shape, const States<Real>& states) const {
    const Array<Real>& q = states.q;
    if (out.is_none()) return new_result(shape, q);
    const bool on_device = lies_on_device(out, "out");
    require_together("out", on_device, q);
    const Array<Real> array = on_device ? view_out_on_device<Real>(out, shape, *device_)
                                        : Array<Real>::view_out(out, shape);
    bool overlaps = array.overlaps(q);
    for (const auto& [name, input] : states.others) overlaps = overlaps || array.overlaps(input);
    if (overlaps) refuse("out: expected memory of its own, got an array that overlaps an input");
    return array;
  }

  /// One call of Python, its parameters bound: fills the fields of the arguments, has the core
  /// compute and returns what was asked for.
  template <Operation operation>
  nb::object compute(OperationTag<operation> tag, const PythonCall& call,
                     const std::vector<nb::object>& values) {
    using Args = ArgumentsOf<operation, Real>;
    const auto value_of = [&](Parameter::Kind kind, Argument argument = Argument::none) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Parameter& parameter = call.parameters[k];
        if (parameter.kind == kind &&
            (kind != Parameter::Kind::numbers || parameter.argument == argument)) {
          return values[k];
        }
      }
      return nb::object(nb::none());
    };
    const auto axes_or = [&](Axes otherwise) {
      const nb::object axes = value_of(Parameter::Kind::axes);
      return axes.is_none() ? otherwise : axes_from(word("axes", axes));
    };

    Args args;
    Links links;
    Wrenches<Real> wrenches;
    States<Real> states = states_from(value_of(Parameter::Kind::numbers, Argument::q));
    args.batch = states.shape.batch;
    args.layout = layout_;
    std::optional<ForwardMethod> method;
    for_each_field<Args>(FieldVisitor{
        [&](const InputField<Args, Real>& field) {
          if (field.argument == Argument::q) {
            args.*field.array = states.q.span();
          } else if (call.takes(field.argument)) {
            args.*field.array =
                rates(field.argument, value_of(Parameter::Kind::numbers, field.argument),
                      field.shape, field.presence, states)
                    .span();
          }
        },
        [](const OutputField<Args, Real>&) {},
        [&](const LinksField<Args>& field) {
          links = links_from(value_of(Parameter::Kind::links), call.links_name);
          args.*field.links = links.indices;
        },
        [&](const WrenchesField<Args, BasicExternalWrenches<Real>>& field) {
          wrenches =
              wrenches_from(value_of(Parameter::Kind::wrenches), axes_or(Axes::link), states);
          args.*field.wrenches = wrenches.view();
        },
        [&](const ChoiceField<Args, Axes>& field) { args.*field.choice = axes_or(Axes::world); },
        [&](const ChoiceField<Args, ForwardMethod>& field) {
          method = method_from(value_of(Parameter::Kind::method));
          args.*field.choice = *method;
        }});

    std::vector<Array<Real>> results;
    for_each_field<Args>(FieldVisitor{
        [&](const OutputField<Args, Real>& field) {
          if (!call.computes(field.argument)) return;
          const Shape inner = lengths(field.shape, extents(links.indices.size()));
          const bool drop = links.single && field.shape.rank() > 0;
          results.push_back(output(value_of(Parameter::Kind::out),
                                   states.shape.with({inner.begin() + (drop ? 1 : 0), inner.end()}),
                                   states));
          args.*field.array = results.back().mutable_span();
        },
        [](const auto&) {}});

    run(call.name, states, [&](std::span<StateStatus> status) {
      if (method) prepare(*method, {layout_, !wrenches.links.empty()});
      args.status = status;
      return compute_without_gil(tag, args, states);
    });
    return returned(results);
  }

  /// One array, or a tuple of them.
  static nb::object returned(const std::vector<Array<Real>>& results) {
    // [()] makes a scalar of an array without axes, as numpy's own functions do.
    const auto plain = [](const Array<Real>& array) {
      const nb::tuple all;
      const bool scalar = array.shape().empty() && !array.on_device();
      return scalar ? nb::object(array.object()[all]) : array.object();
    };
    if (results.size() == 1) return plain(results.front());
    nb::list list;
    for (const Array<Real>& result : results) list.append(plain(result));
    return nb::tuple(list);
  }

  /// A step of time with two outputs; set_outputs(args, one, other) says which.
  template <class SetOutputs>
  nb::tuple stepped(const std::string& name, const StepCall& call, const Shape& one,
                    const Shape& other, const SetOutputs& set_outputs) {
    if (layout_ == Layout::lanes) {
      refuse(name + ": expected a Backend with layout=\"rows\", got one with \"lanes\"");
    }
    States<Real> states = states_from(call.q);
    const Array<Real> v = rates(Argument::v, call.v, {Extent::nv}, Presence::optional, states);
    const Array<Real> tau =
        rates(Argument::tau, call.tau, {Extent::nv}, Presence::optional, states);
    const Wrenches<Real> wrenches =
        wrenches_from(call.f_ext, axes_from(word("axes", call.axes)), states);
    BasicLinearization<Real> shared{};
    shared.dt = static_cast<Real>(time_step(call.dt));
    shared.scheme = step_scheme(call.scheme);
    const Array<Real> results[] = {Array<Real>::make(states.shape.with(one)),
                                   Array<Real>::make(states.shape.with(other))};
    if (!linearizer_.configured()) linearizer_.configure(*backend_);
    run(name, states, [&](std::span<StateStatus> status) {
      const std::size_t batch = states.shape.batch;
      if (batch > status.size()) {
        return Result{Code::batch_too_large, Argument::batch,
                      static_cast<std::int64_t>(status.size()), static_cast<std::int64_t>(batch)};
      }
      return in_slices(batch, backend_->model().nv(), [&](std::size_t first, std::size_t count) {
        const auto cut = [&](auto array) {
          const std::size_t n = batch == 0 ? 0 : array.size() / batch;
          return array.subspan(first * n, count * n);
        };
        BasicLinearization<Real> args = shared;
        args.batch = count;
        args.q = cut(states.q.span());
        args.v = cut(v.span());
        args.tau = cut(tau.span());
        args.f_ext = {wrenches.links, cut(std::span(wrenches.values)), wrenches.axes};
        args.status = status.subspan(first, count);
        set_outputs(args, cut(results[0].mutable_span()), cut(results[1].mutable_span()));
        return linearizer_.linearize(args);
      });
    });
    return nb::make_tuple(results[0].object(), results[1].object());
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

  /// In slices, so that Ctrl-C is seen; but all at once what lies on a device, whose calls are
  /// queued, and what the core refuses as a whole.
  template <class Tag, class Args>
  Result compute_without_gil(Tag tag, const Args& args, const States<Real>& states) {
    if (!states.q.on_device() && args.batch <= status_.size()) {
      return compute_in_slices(*backend_, tag, args);
    }
    const nb::gil_scoped_release release;
    return backend_->compute({tag, args});
  }

  /// A method that is not there yet is made ready by the first call that asks for it.
  void prepare(ForwardMethod method, const MethodUse& use) {
    const nb::gil_scoped_release release;
    try {
      backend_->prepare(method, use);
    } catch (const std::invalid_argument& refused) {
      throw std::runtime_error(in_python_words(refused.what()));
    }
  }

  /// Makes the call and an exception of its result.
  template <class Compute>
  void run(const std::string& operation, const States<Real>& states, const Compute& compute) {
    const Occupied occupied(busy_);
    used_ = 0;
    // A batch above max_batch has no status to write; the core refuses it before it looks at any.
    const std::size_t count = std::min(states.shape.batch, status_.size());
    const std::span<StateStatus> status(status_.data(), count);
    std::fill(status.begin(), status.end(), StateStatus{});
    require_ok(compute(status));
    used_ = count;
    if (!raise_) return;
    const std::optional<Failure> failure = failure_of(operation, status, backend_->model());
    if (!failure) return;
    std::string culprit;
    if (failure->not_finite && !states.q.on_device()) {
      culprit = bad_number(backend_->model(), states.shape, "q", states.q, Coordinates::of_q,
                           failure->first_state);
      for (const auto& [name, array] : states.others) {
        if (!culprit.empty()) break;
        culprit = bad_number(backend_->model(), states.shape, name, array, Coordinates::of_v,
                             failure->first_state);
      }
    }
    throw StateError(failure->text + culprit);
  }

  bool raise_;
  Layout layout_;
  InstructionSet instruction_set_;
  std::unique_ptr<BasicBackend<Real>> backend_;
  DeviceAccess* device_ = nullptr;   ///< of the backend, where it has one
  std::vector<StateStatus> status_;  ///< max_batch
  std::size_t used_ = 0;             ///< how many of them the last call wrote
  std::atomic_flag busy_;
  BasicLinearizer<Real> linearizer_;  ///< by backend_, once it was asked for
  nb::object columns_, row_starts_;   ///< of the sparse mass matrix, once it was asked for
  std::size_t nonzeros_ = 0;
};

}  // namespace

std::unique_ptr<PyBackend> make_py_backend(const PyBackend::Options& options,
                                           std::shared_ptr<const Model> model) {
  if (options.single) return std::make_unique<NumpyBackend<float>>(options, std::move(model));
  return std::make_unique<NumpyBackend<double>>(options, std::move(model));
}

}  // namespace rbd_parallel_python
