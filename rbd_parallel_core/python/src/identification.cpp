// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/trajectory/identification.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using namespace nb::literals;

using Numbers = std::vector<double>;

/// A copy, for work that may outlive the call.
Numbers rows_of(const char* name, nb::handle object, const Shape& expected) {
  const auto array = Array<double>::view(object, name);
  if (array.shape() != expected) {
    refuse(std::string(name) + ": expected shape " + text(expected) + ", got " +
           text(array.shape()));
  }
  return {array.span().begin(), array.span().end()};
}

/// For work in a thread of its own: to let go of a Model that Python owns takes the GIL, which a
/// thread may not ask for when Python ends.
std::shared_ptr<const Model> own(const Model& model) {
  return std::make_shared<const Model>(model);
}

BaseParameters found(const Model& robot, std::size_t states, std::uint64_t seed, double tolerance) {
  return interruptible([model = own(robot), states, seed, tolerance] {
    return base_parameters(model, {states, seed, tolerance});
  });
}

Identification identified(const Model& robot, nb::handle q, nb::handle v, nb::handle a,
                          nb::handle tau, std::optional<BaseParameters> base, nb::handle noise,
                          bool friction) {
  const auto nq = static_cast<std::size_t>(robot.nq()), nv = static_cast<std::size_t>(robot.nv());
  const Shape shape = Array<double>::view(q, "q").shape();
  if (shape.size() != 2 || shape[1] != nq) {
    refuse("q: expected shape (samples, " + std::to_string(nq) + "), got " + text(shape));
  }
  const std::size_t samples = shape[0];
  const Shape rates{samples, nv};
  return interruptible([model = own(robot), samples, friction, base = std::move(base),
                        q_of = rows_of("q", q, shape), v_of = rows_of("v", v, rates),
                        a_of = rows_of("a", a, rates), tau_of = rows_of("tau", tau, rates),
                        noise_of = noise.is_none() ? Numbers{} : rows_of("noise", noise, {nv})] {
    const auto backend = make_backend("cpu");
    backend->configure(
        model, {.max_batch = std::clamp<std::size_t>(samples, 1, 64), .friction = friction});
    return identify(*backend, base ? *base : base_parameters(model),
                    {samples, q_of, v_of, a_of, tau_of, noise_of});
  });
}

nb::object row(const Numbers& numbers) { return copied(numbers, {numbers.size()}); }

}  // namespace

void bind_identification(nb::module_& m) {
  nb::class_<BaseParameters>(
      m, "BaseParameters",
      "Which linear combinations of the inertial parameters the torques of a robot depend on:\n"
      "base = matrix @ Model.inertial_parameters, and for all q, v, a\n"
      "regressor @ inertial_parameters = regressor[..., independent] @ base.")
      .def_ro("independent", &BaseParameters::independent,
              "Columns of the regressor, ascending; one for each base parameter.")
      .def_prop_ro(
          "matrix",
          [](const BaseParameters& self) {
            return copied(self.regroup, {self.independent.size(), self.parameters});
          },
          nb::sig("def matrix(self) -> numpy.ndarray"),
          "(base parameters, 10 bodies): ones and zeros in the independent columns.")
      .def_ro("smallest_kept", &BaseParameters::smallest_kept,
              "What was left of the last column that counts; much above the tolerance.")
      .def_ro("largest_dropped", &BaseParameters::largest_dropped,
              "What was left of the first column that does not; much below the tolerance.")
      .def("__repr__", [](const BaseParameters& self) {
        return "BaseParameters(" + std::to_string(self.independent.size()) + " of " +
               std::to_string(self.parameters) + " parameters)";
      });
  m.def("base_parameters", &found, "model"_a, "states"_a = 0, "seed"_a = 1, "tolerance"_a = 1e-9,
        "The base parameters of a robot: QR with column pivoting of the regressors of random\n"
        "states.\n\n"
        "states: how many, 0: enough for the robot; seed: the same one gives the same result;\n"
        "tolerance: a column counts as dependent where less than this part of it is left\n"
        "without the columns chosen before.");

  nb::class_<Identification>(m, "Identification", "What identify() finds.")
      .def_prop_ro(
          "base", [](const Identification& self) { return row(self.base); },
          nb::sig("def base(self) -> numpy.ndarray"), "The base parameters; kg, kg m, kg m^2.")
      .def_prop_ro(
          "standard_error", [](const Identification& self) { return row(self.standard_error); },
          nb::sig("def standard_error(self) -> numpy.ndarray"),
          "Of each base parameter, as far as the residuals tell.")
      .def_ro("residual", &Identification::residual,
              "Root mean square of what is not explained: N m or N, or in units of `noise`.")
      .def("__repr__", [](const Identification& self) {
        return "Identification(" + std::to_string(self.base.size()) +
               " base parameters, residual " + std::to_string(self.residual) + ")";
      });
  m.def("identify", &identified, "model"_a, "q"_a, "v"_a, "a"_a, "tau"_a, "base"_a = nb::none(),
        "noise"_a = nb::none(), "friction"_a = false,
        nb::sig("def identify(model: Model, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, "
                "a: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, base: BaseParameters | "
                "None = None, noise: numpy.typing.ArrayLike | None = None, friction: bool = "
                "False) -> Identification"),
        "The base parameters that explain measured torques best, by least squares.\n\n"
        "q: (samples, nq); v, a, tau: (samples, nv), measured together. base: of\n"
        "base_parameters(model), which is made where it is not given. noise: (nv,), the standard\n"
        "deviation of each torque, by which the equations are weighed. The inertial parameters of\n"
        "the model do not matter; its armature, and its friction where `friction` says so, are\n"
        "taken as they are. Raises ValueError for motions that do not excite all base parameters.");
}

}  // namespace rbd_parallel_python
