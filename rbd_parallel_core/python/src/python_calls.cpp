// SPDX-License-Identifier: Apache-2.0
#include "python_calls.hpp"

#include <algorithm>

#include "arrays.hpp"

namespace rbd_parallel_python {
namespace {

using namespace rbd_parallel_core;
using Kind = Parameter::Kind;

bool among(Argument argument, const std::vector<Argument>& arguments) {
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

constexpr const char* array_type = "numpy.typing.ArrayLike";

/// "(..., k, 6)"
std::string shape_text(const StateShape& shape) {
  std::string text = "(...";
  for (std::size_t k = 0; k < shape.rank(); ++k) text += ", " + shape.axis(k).text();
  return text + ")";
}

/// Adds what a field brings: parameters, lines about outputs.
class Maker {
 public:
  explicit Maker(PythonCall& call) : call_(call) {}

  template <class Args>
  void make() {
    for_each_field<Args>(FieldVisitor{
        [&]<class A, class R>(const InputField<A, R>& field) { add_input(field); },
        [&]<class A, class R>(const OutputField<A, R>& field) { add_output(field); },
        [&]<class A>(const LinksField<A>&) {
          links_.push_back({call_.links_name, Kind::links, Argument::links, true,
                            "str | collections.abc.Sequence[str]"});
        },
        [&]<class A, class W>(const WrenchesField<A, W>&) {
          choices_.push_back({"f_ext", Kind::wrenches, Argument::wrenches, false,
                              "dict[str, " + std::string(array_type) + "] | None = None"});
          axes_ = "link";
        },
        [&]<class A>(const ChoiceField<A, ForwardMethod>&) {
          others_.push_back({"method", Kind::method, Argument::method, false, "str = \"auto\""});
        },
        [&]<class A>(const ChoiceField<A, Axes>&) { axes_ = "world"; }});
    finish();
  }

 private:
  void add_input(const auto& field) {
    if (!call_.takes(field.argument)) return;
    const bool required = field.presence == Presence::required;
    (required ? first_ : others_)
        .push_back({std::string(name_of(field.argument)), Kind::numbers, field.argument, required,
                    array_type + std::string(required ? "" : " | None = None")});
  }

  void add_output(const auto& field) {
    if (!call_.computes(field.argument)) return;
    outputs_ += (outputs_.empty() ? "" : ";\n") + std::string(name_of(field.argument)) + " " +
                shape_text(field.shape) + ": " + field.meaning;
    has_links_ = has_links_ ||
                 (field.shape.rank() > 0 && field.shape.axis(0).code == Axis(Extent::links).code);
  }

  void finish() {
    std::vector<Parameter>& all = call_.parameters;
    const auto append = [&](const std::vector<Parameter>& some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    append(first_);
    append(links_);
    append(others_);
    append(choices_);
    if (!axes_.empty() && call_.has_axes) {
      all.push_back({"axes", Kind::axes, Argument::none, false, "str = \"" + axes_ + "\""});
    }
    const bool single = call_.outputs.size() == 1;
    if (single) {
      all.push_back({"out", Kind::out, Argument::none, false, "numpy.ndarray | None = None"});
    }
    call_.signature = "def " + call_.name + "(self";
    for (const Parameter& parameter : all) {
      call_.signature += ", " + parameter.name + ": " + parameter.annotation;
    }
    std::string result = "numpy.ndarray";
    if (!single) {
      for (std::size_t k = 1; k < call_.outputs.size(); ++k) result += ", numpy.ndarray";
      result = "tuple[" + result + "]";
    }
    call_.signature += ") -> " + result;
    call_.docstring = "Returns " + outputs_ + ".\n" +
                      (has_links_ ? "Without the axis k for a single name.\n" : "") +
                      (call_.doc.empty() ? "" : "\n" + call_.doc);
  }

  PythonCall& call_;
  std::vector<Parameter> first_, links_, others_, choices_;
  std::string axes_;  ///< their default
  std::string outputs_;
  bool has_links_ = false;
};

std::vector<PythonCall> described_calls() {
  using Op = Operation;
  return {
      {.name = "inverse_dynamics",
       .operation = Op::inverse_dynamics,
       .outputs = {Argument::tau},
       .doc = "They give the accelerations a.\n"
              "f_ext: {link name: (6,) or (batch, 6)}, force (N) then torque (N m) on the link at\n"
              "its origin, along the axes of the \"link\" or the \"world\"."},
      {.name = "forward_dynamics",
       .operation = Op::forward_dynamics,
       .outputs = {Argument::qdd},
       .doc = "method: \"aba\" (articulated bodies), \"crba\" (mass matrix and its Cholesky\n"
              "factor), or \"auto\": aba unless the model has mimic joints. \"two_port\" is what\n"
              "\"tree\" does where it can. For study, without f_ext and one state after the\n"
              "other: \"jsiia\", \"hybrid_abia\", \"crba_sparse\", \"dca\", \"dcae\"; the first\n"
              "call takes their memory. RuntimeError, with the methods that can be used, where\n"
              "the model or the backend rules one out. f_ext, axes: as in inverse_dynamics()."},
      {.name = "bias_forces",
       .operation = Op::bias_forces,
       .outputs = {Argument::tau},
       .doc = "C v + g [+ friction]."},
      {.name = "gravity_forces",
       .operation = Op::gravity_forces,
       .outputs = {Argument::tau},
       .doc = "g.",
       .left_out = {Argument::v}},
      {.name = "coriolis_forces",
       .operation = Op::coriolis_forces,
       .outputs = {Argument::tau},
       .doc = "C v without gravity and friction."},
      {.name = "mass_matrix",
       .operation = Op::mass_matrix,
       .outputs = {Argument::mass_matrix},
       .doc = ""},
      {.name = "mass_matrix_inverse",
       .operation = Op::mass_matrix,
       .outputs = {Argument::inverse},
       .doc = ""},
      {.name = "mass_matrix_cholesky",
       .operation = Op::mass_matrix,
       .outputs = {Argument::cholesky},
       .doc = ""},
      {.name = "energies",
       .operation = Op::energies,
       .outputs = {Argument::kinetic, Argument::potential},
       .doc = ""},
      {.name = "center_of_mass",
       .operation = Op::energies,
       .outputs = {Argument::com},
       .doc = "",
       .left_out = {Argument::v}},
      {.name = "link_poses",
       .operation = Op::link_kinematics,
       .outputs = {Argument::poses},
       .doc = "",
       .has_axes = false},
      {.name = "jacobian",
       .operation = Op::link_kinematics,
       .outputs = {Argument::jacobian},
       .doc = "axes: along which the twist is given, of the \"world\" or the \"link\".",
       .links_name = "link"},
      {.name = "link_motion",
       .operation = Op::link_motion,
       .outputs = {Argument::twist, Argument::acceleration, Argument::velocity_product},
       .doc = "acceleration = jacobian a + velocity_product. axes: along which all are given, of\n"
              "the \"world\" or the \"link\"."},
      {.name = "jacobian_rate",
       .operation = Op::link_motion,
       .outputs = {Argument::jacobian_rate},
       .doc = "axes: along which the twist is given, of the \"world\" or the \"link\".",
       .left_out = {Argument::a},
       .links_name = "link"},
      {.name = "inverse_dynamics_derivatives",
       .operation = Op::inverse_dynamics_derivatives,
       .outputs = {Argument::dtau_dq, Argument::dtau_dv},
       .doc = "d tau / d a is mass_matrix(). Without v and a, dtau_dq is the derivative of the\n"
              "gravity forces. f_ext, axes: as in inverse_dynamics(); wrenches along the axes of\n"
              "the link turn with it, those along the axes of the world do not."},
      {.name = "forward_dynamics_derivatives",
       .operation = Op::forward_dynamics_derivatives,
       .outputs = {Argument::dqdd_dq, Argument::dqdd_dv, Argument::dqdd_dtau},
       .doc = "f_ext, axes: as in inverse_dynamics_derivatives()."},
      {.name = "inverse_dynamics_jvp",
       .operation = Op::inverse_dynamics_jvp,
       .outputs = {Argument::dtau},
       .doc = "dtau_dq dq + dtau_dv dv + M da, without a matrix. dq is in the tangent space of q,\n"
              "nv numbers. f_ext, axes: as in inverse_dynamics_derivatives()."},
      {.name = "inverse_dynamics_vjp",
       .operation = Op::inverse_dynamics_vjp,
       .outputs = {Argument::grad_q, Argument::grad_v, Argument::grad_a},
       .doc = "The gradient of weights . tau, without a matrix. f_ext, axes: as in\n"
              "inverse_dynamics_derivatives()."},
      {.name = "forward_dynamics_jvp",
       .operation = Op::forward_dynamics_jvp,
       .outputs = {Argument::dqdd},
       .doc = "dqdd_dq dq + dqdd_dv dv + dqdd_dtau dtau, without a matrix. dq is in the tangent\n"
              "space of q, nv numbers. f_ext, axes: as in inverse_dynamics_derivatives()."},
      {.name = "forward_dynamics_vjp",
       .operation = Op::forward_dynamics_vjp,
       .outputs = {Argument::grad_q, Argument::grad_v, Argument::grad_tau},
       .doc = "The gradient of weights . qdd, without a matrix. f_ext, axes: as in\n"
              "inverse_dynamics_derivatives()."},
      {.name = "coriolis_matrix",
       .operation = Op::coriolis_matrix,
       .outputs = {Argument::coriolis},
       .doc = "dM/dt - 2 C is skew-symmetric."},
      {.name = "mass_matrix_rate",
       .operation = Op::coriolis_matrix,
       .outputs = {Argument::mass_matrix_rate},
       .doc = ""},
      {.name = "centroidal_momentum_matrix",
       .operation = Op::centroidal_momentum,
       .outputs = {Argument::momentum_matrix},
       .doc = "About the centre of mass of all links, along the axes of the world.",
       .left_out = {Argument::v}},
      {.name = "centroidal_momentum_matrix_rate",
       .operation = Op::centroidal_momentum,
       .outputs = {Argument::momentum_matrix_rate},
       .doc = "About the centre of mass of all links, along the axes of the world."},
      {.name = "regressor",
       .operation = Op::regressor,
       .outputs = {Argument::regressor},
       .doc =
           "pi is Model.inertial_parameters: for each body m, m c (x y z), and about the origin\n"
           "of the link that its joint carries I_xx I_xy I_yy I_xz I_yz I_zz. Without armature,\n"
           "friction and external wrenches."},
  };
}

}  // namespace

bool PythonCall::computes(Argument output) const { return among(output, outputs); }
bool PythonCall::takes(Argument input) const { return !among(input, left_out); }

std::vector<nb::object> PythonCall::bind(const nb::args& args, const nb::kwargs& kwargs) const {
  std::vector<nb::object> values(parameters.size(), nb::none());
  std::vector<bool> given(parameters.size(), false);
  if (args.size() > parameters.size()) throw nb::next_overload();
  for (std::size_t k = 0; k < args.size(); ++k) {
    values[k] = nb::borrow(args[k]);
    given[k] = true;
  }
  for (const auto& [key, value] : kwargs) {
    const std::string keyword = utf8(key);
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& each) { return each.name == keyword; });
    const auto k = static_cast<std::size_t>(found - parameters.begin());
    if (found == parameters.end() || given[k]) throw nb::next_overload();
    values[k] = nb::borrow(value);
    given[k] = true;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].required && !given[k]) throw nb::next_overload();
    const bool is_choice = parameters[k].kind == Parameter::Kind::method ||
                           parameters[k].kind == Parameter::Kind::axes;
    if (is_choice && given[k] && values[k].is_none()) throw nb::next_overload();
  }
  return values;
}

const std::vector<PythonCall>& python_calls() {
  static const std::vector<PythonCall> calls = [] {
    std::vector<PythonCall> all = described_calls();
    for (PythonCall& call : all) {
      visit_operation(call.operation, [&]<Operation operation>(OperationTag<operation>) {
        Maker(call).make<ArgumentsOf<operation, double>>();
      });
    }
    return all;
  }();
  return calls;
}

}  // namespace rbd_parallel_python
