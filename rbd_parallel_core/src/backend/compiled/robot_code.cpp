// SPDX-License-Identifier: Apache-2.0
#include "robot_code.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace rbd_parallel_core::compiled {

namespace {

/// Which matrices of a function have only their lower triangle computed.
bool is_lower_triangle(const std::string& output) {
  return output == "mass_matrix" || output == "dqdd_dtau" || output == "inverse" ||
         output == "mass_matrix_rate";
}

/// Has what is computed of a symmetric matrix stored at its mirror image too.
void store_both_triangles(const symbolic::Function& function, StraightLine& line) {
  for (const symbolic::Function::Array& array : function.outputs) {
    if (!is_lower_triangle(array.name)) continue;
    const auto side = static_cast<std::int32_t>(std::lround(std::sqrt(double(array.size))));
    const auto mirrored = [&](std::int32_t at) {
      return array.first + (at - array.first) % side * side + (at - array.first) / side;
    };
    const auto is_below = [&](std::int32_t at) {
      return at >= array.first && at < array.first + array.size && mirrored(at) < at;
    };
    const auto mirror = [&](auto& results) {
      for (std::size_t k = 0, n = results.size(); k < n; ++k) {
        auto result = results[k];
        if (!is_below(result.at)) continue;
        result.at = mirrored(result.at);
        results.push_back(result);
      }
    };
    mirror(line.results);
    mirror(line.constant_results);
  }
}

/// Which outputs of a function that solves with M follow from the solution.
bool is_solved(const std::string& output) { return output != "mass_matrix" && output != "sparse"; }

}  // namespace

template <class Real>
RobotCode<Real>::RobotCode(const symbolic::Function& function, InstructionSet set,
                           std::size_t threads) {
  constexpr bool is_float = std::is_same_v<Real, float>;
  packs_ = make_form(function, pack_code_kernels<Real>(set), {set, true, is_float}, threads);
  scalars_ = make_form(function, scalar_code_kernels<Real>(set), {set, false, is_float}, 1);
  describe(function);
}

template <class Real>
void RobotCode<Real>::describe(const symbolic::Function& function) {
  CodeView common;
  for (const symbolic::Function::Array& array : function.inputs) {
    if (array.name == "f_ext") {
      common.forces = array.first;
    } else if (array.name == "turning") {
      common.turning = array.first;
    } else {
      common.inputs.at(common.input_count++) = array.size;
    }
  }
  for (const symbolic::Function::Array& array : function.outputs) {
    if (array.name == "singular") {
      common.singular = array.first;
    } else {
      common.outputs.at(common.output_count) =
          add_output(function, array, outputs_.at(common.output_count));
      ++common.output_count;
    }
  }
  for (Form* form : {&packs_, &scalars_}) {
    common.run = form->code->entry();
    common.layout = form->layout;
    common.turns = form->turns.data();
    common.turn_count = form->turn_count;
    common.turns_are_of_first_array =
        std::all_of(form->turns.begin(), form->turns.end(),
                    [&](std::int32_t input) { return input < common.inputs[0]; });
    form->view = common;
  }
}

template <class Real>
auto RobotCode<Real>::make_form(const symbolic::Function& function,
                                const CodeKernels<Real>& kernels, const Target& target,
                                std::size_t threads) const -> Form {
  if (target.width() != kernels.width) {
    throw std::logic_error("code and kernels are for registers of different width");
  }
  Form form;
  form.kernels = &kernels;
  StraightLine line = straight_line(function, target.fused());
  if (!target.packed) store_both_triangles(function, line);
  if (line.lines.size() > most_lines) {
    throw std::runtime_error(std::to_string(line.lines.size()) + " instructions, at most " +
                             std::to_string(most_lines) + " are compiled");
  }
  // One state's sines are computed a register full of joints at a time, and its rows are padded so.
  constexpr std::size_t padding = 64 / sizeof(Real);
  const AllocatedCode code = allocate_registers(
      line, target.registers(), static_cast<std::int32_t>(padding), target.fused_result());
  form.code = std::make_unique<MachineCode>(code, target);
  form.layout = code.layout;
  form.turn_count = line.turns.size();
  for (const StraightLine::Turn& turn : line.turns) form.turns.push_back(turn.input);
  while (form.turns.size() % padding != 0) form.turns.push_back(form.turns.back());
  form.lines = line.lines.size();
  const std::size_t bytes =
      masks_bytes + static_cast<std::size_t>(code.layout.size) * target.scalar_bytes();
  for (std::size_t thread = 0; thread < threads; ++thread) {
    form.memory.emplace_back(bytes + memory_alignment);
    std::byte* const block = form.memory.back().get();
    write_masks(block, target.is_float);
    Real* const numbers = reinterpret_cast<Real*>(block + masks_bytes);
    const auto fill = [&](std::int32_t place, double value) {
      std::fill_n(numbers + static_cast<std::size_t>(place) * target.width(), target.width(),
                  static_cast<Real>(value));
    };
    for (std::size_t k = 0; k < line.turns.size(); ++k) {
      fill(code.layout.factors + static_cast<std::int32_t>(k), line.turns[k].factor);
      fill(code.layout.offsets + static_cast<std::int32_t>(k), line.turns[k].offset);
    }
    for (std::size_t k = 0; k < line.constants.size(); ++k) {
      fill(code.layout.constants + static_cast<std::int32_t>(k), line.constants[k]);
    }
    for (const StraightLine::ConstantResult& result : line.constant_results) {
      fill(code.layout.results + result.at, result.value);
    }
  }
  return form;
}

template <class Real>
CodeOutput RobotCode<Real>::add_output(const symbolic::Function& function,
                                       const symbolic::Function::Array& array, Output& kept) const {
  CodeOutput output{.n = array.size,
                    .first = array.first,
                    .symmetric = is_lower_triangle(array.name),
                    .solved = is_solved(array.name)};
  const auto n = static_cast<std::uint32_t>(array.size);
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(double(array.size))));
  std::vector<bool> is_zero;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t row = k / side, column = k % side;
    const bool mirrored = output.symmetric && column > row;
    kept.from.push_back(mirrored ? column * side + row : k);
    const symbolic::Expr result =
        function.results[static_cast<std::size_t>(array.first) + kept.from.back()];
    is_zero.push_back(function.graph.is_constant(result, 0));
    if (!mirrored && !function.graph.is_constant(result)) kept.computed.push_back(k);
  }
  const std::size_t width = packs_.kernels->width;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t end = std::min<std::size_t>(k + width, n);
    bool zeros = true;
    for (std::size_t j = k; j < end; ++j) zeros = zeros && is_zero[j];
    kept.zeros.push_back(zeros ? 1 : 0);
  }
  // Zeros and the borders of cache lines are worth the trouble in matrices only.
  constexpr std::size_t longest_dense = 64;
  output.dense = !output.symmetric && kept.computed.size() == n && n <= longest_dense;
  output.from = kept.from.data();
  output.zeros = kept.zeros.data();
  output.computed = kept.computed;
  return output;
}

template class RobotCode<double>;
template class RobotCode<float>;

}  // namespace rbd_parallel_core::compiled
