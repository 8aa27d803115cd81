// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/operation.hpp"

/// The calls of Python's Backend, made from the descriptions of the operations (operation.hpp):
/// their parameters, signatures and docstrings follow from the fields.
namespace rbd_parallel_python {

namespace nb = nanobind;

/// A parameter of a call; `required` ones have no default.
struct Parameter {
  enum class Kind : std::uint8_t { numbers, links, wrenches, method, axes, out };

  std::string name;
  Kind kind;
  rbd_parallel_core::Argument argument;  ///< of `numbers`
  bool required;
  std::string annotation;  ///< its type and default, as a stub has them
};

/// What Python calls a part of an operation: the outputs that it returns, and in words what they
/// are.
struct PythonCall {
  std::string name;
  rbd_parallel_core::Operation operation;
  std::vector<rbd_parallel_core::Argument> outputs;  ///< that are computed and returned
  std::string doc;                                   ///< what is said before the outputs
  /// Arguments that this part of the operation does not need, which are no parameters.
  std::vector<rbd_parallel_core::Argument> left_out = {};
  std::string links_name = "links";
  bool has_axes = true;

  // Made of these by python_calls().
  std::vector<Parameter> parameters = {};
  std::string signature = {};
  std::string docstring = {};

  bool computes(rbd_parallel_core::Argument output) const;
  bool takes(rbd_parallel_core::Argument input) const;

  /// The values of the parameters, None where one is not given. Throws nb::next_overload where they
  /// do not fit the signature; explain_wrong_calls() finds the words.
  std::vector<nb::object> bind(const nb::args& args, const nb::kwargs& kwargs) const;
};

/// All of them. Lives as long as the program.
const std::vector<PythonCall>& python_calls();

}  // namespace rbd_parallel_python
