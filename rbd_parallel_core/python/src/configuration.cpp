// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/configuration.hpp"

#include <nanobind/stl/string.h>

#include <random>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "py_backend.hpp"
#include "slices.hpp"
#include "states.hpp"
#include "steps.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// An array of a call that has to go with another one.
struct Given {
  std::string name;
  Array<double> array;
  Coordinates kind;
};

Given rows(const char* name, nb::handle object, Coordinates kind) {
  return {name, Array<double>::view(object, name), kind};
}

void require_shape(const Given& given, const Shape& expected, const Given& with) {
  if (given.array.shape() == expected) return;
  refuse(given.name + ": expected shape " + text(expected) + " to go with " + with.name +
         " of shape " + text(with.array.shape()) + ", got " + text(given.array.shape()));
}

/// The states [first, first + count) of an array with n numbers for each.
template <class T>
std::span<T> states_of(std::span<T> array, std::size_t first, std::size_t count, int n) {
  return array.subspan(first * size(n), count * size(n));
}

/// compute(first, count, status) for slices of the batch, and an exception of bad states.
template <class Compute>
void run(const char* operation, const Model& model, const BatchShape& shape,
         const std::vector<const Given*>& inputs, const Compute& compute) {
  std::vector<StateStatus> status(shape.batch);
  const Result result =
      in_slices(shape.batch, model.nv(), [&](std::size_t first, std::size_t count) {
        return compute(first, count, std::span(status).subspan(first, count));
      });
  if (!result.ok()) refuse(message(result));
  const std::optional<Failure> failure = failure_of(operation, status, model);
  if (!failure) return;
  std::string culprit;
  for (const Given* input : inputs) {
    if (culprit.empty()) {
      culprit =
          bad_number(model, shape, input->name, input->array, input->kind, failure->first_state);
    }
  }
  throw StateError(failure->text + culprit);
}

nb::object integrated(const Model& model, nb::handle q, nb::handle v, nb::handle dt) {
  const Given from = rows("q", q, Coordinates::of_q), rate = rows("v", v, Coordinates::of_v);
  const BatchShape shape = shape_of_rows("q", from.array.shape(), size(model.nq()));
  require_shape(rate, shape.with({size(model.nv())}), from);
  const double time = time_step(dt);
  const auto next = Array<double>::make(from.array.shape());
  run("integrate", model, shape, {&from, &rate},
      [&](std::size_t first, std::size_t count, std::span<StateStatus> status) {
        return integrate<double>(
            model, {count, states_of(from.array.span(), first, count, model.nq()),
                    states_of(rate.array.span(), first, count, model.nv()), time,
                    states_of(next.mutable_span(), first, count, model.nq()), status});
      });
  return next.object();
}

nb::object differing(const Model& model, nb::handle q0, nb::handle q1) {
  const Given from = rows("q0", q0, Coordinates::of_q), to = rows("q1", q1, Coordinates::of_q);
  const BatchShape shape = shape_of_rows("q0", from.array.shape(), size(model.nq()));
  require_shape(to, from.array.shape(), from);
  const auto v = Array<double>::make(shape.with({size(model.nv())}));
  run("difference", model, shape, {&from, &to},
      [&](std::size_t first, std::size_t count, std::span<StateStatus> status) {
        return difference<double>(model,
                                  {count, states_of(from.array.span(), first, count, model.nq()),
                                   states_of(to.array.span(), first, count, model.nq()),
                                   states_of(v.mutable_span(), first, count, model.nv()), status});
      });
  return v.object();
}

/// A whole number that is not negative, as Python's own functions take it: no float, no string.
std::uint64_t whole_number(const char* name, nb::handle object) {
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (number.is_valid()) {
    const std::uint64_t value = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() == nullptr) return value;
  }
  PyErr_Clear();
  const std::string text = std::string(name) + ": expected a whole number from 0 to 2**64 - 1";
  if (!number.is_valid()) throw nb::type_error((text + ", got a " + class_name(object)).c_str());
  refuse(text + ", got " + nb::str(number).c_str());
}

std::uint64_t any_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

nb::object random(const Model& model, nb::handle batch, nb::handle seed) {
  Shape shape{size(model.nq())};
  if (!batch.is_none()) shape.insert(shape.begin(), whole_number("batch", batch));
  const std::uint64_t start = seed.is_none() ? any_seed() : whole_number("seed", seed);
  const auto q = Array<double>::make(shape);
  std::mt19937_64 engine(start);
  const Result drawn = in_slices(
      batch.is_none() ? 1 : shape[0], model.nv(), [&](std::size_t first, std::size_t count) {
        random_configurations(model, engine, states_of(q.mutable_span(), first, count, model.nq()));
        return Result{};
      });
  static_cast<void>(drawn);  // nothing of it can be refused
  return q.object();
}

}  // namespace

void bind_configuration(nb::class_<Model>& model) {
  model
      .def("integrate", &integrated, "q"_a, "v"_a, "dt"_a = 1.0,
           nb::sig("def integrate(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, dt: "
                   "float = 1.0) -> numpy.ndarray"),
           "Where q gets to with the constant velocity v in the time dt.\n\n"
           "q: (nq,) or (batch, nq); v: (nv,) or (batch, nv); dt: s. For floating, spherical and\n"
           "planar joints v is along the axes of the moving body, which follows a screw exactly.\n"
           "Quaternions of the result have length one. Raises StateError for NaN, infinite\n"
           "numbers and zero quaternions.")
      .def("difference", &differing, "q0"_a, "q1"_a,
           nb::sig("def difference(self, q0: numpy.typing.ArrayLike, q1: numpy.typing.ArrayLike) "
                   "-> numpy.ndarray"),
           "The velocity that leads from q0 to q1 in one second, the shorter way.\n\n"
           "q0, q1: (nq,) or (batch, nq); the result: (nv,) or (batch, nv). Turns by pi at most:\n"
           "q and -q of a quaternion are one orientation, and whole turns of planar and\n"
           "continuous joints do not count (but where a mimic joint follows).")
      .def("random_configuration", &random, "batch"_a = nb::none(), "seed"_a = nb::none(),
           nb::sig("def random_configuration(self, batch: int | None = None, seed: int | None = "
                   "None) -> numpy.ndarray"),
           "q drawn at random: (nq,), or (batch, nq).\n\n"
           "Within the limits of each joint and of those that mimic it; without limits angles in\n"
           "-pi .. pi and shifts in -1 .. 1 m; all orientations alike. The same seed gives the\n"
           "same q; None gives another one each time.");
}

}  // namespace rbd_parallel_python
