// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rbd_parallel_core/symbolic/graph.hpp"

namespace rbd_parallel_core::symbolic {

/// Arrays of numbers in, arrays of numbers out, and the graph between.
struct Function {
  /// `size` numbers from `first` on, among all inputs or among all outputs.
  struct Array {
    std::string name;
    std::int32_t first = 0, size = 0;
  };

  Graph graph;
  std::vector<Array> inputs, outputs;
  std::vector<Expr> results;  ///< of all output arrays, one after the other

  /// Adds an array of inputs, and returns its expressions.
  std::vector<Expr> add_input(std::string name, std::int32_t size);
  void add_output(std::string name, std::span<const Expr> expressions);
  /// The expression of each number of an input array.
  std::vector<Expr> input_expressions(const Array& array) const;
};

/// Which nodes the results need.
std::vector<char> live_nodes(const Function& function);

/// What a function computes, counted. An addition that takes in a product counts as one operation
/// of both kinds; `fused` says how many there are where the processor has fused multiply-adds.
struct OperationCounts {
  int additions = 0, multiplications = 0, divisions = 0, square_roots = 0, sines_and_cosines = 0;
  int others = 0;  ///< comparisons, choices, absolute values
  int fused = 0;
  int total() const {
    return additions + multiplications + divisions + square_roots + sines_and_cosines + others;
  }
};
OperationCounts count_operations(const Function& function);

/// The results for these inputs, node by node: slow, and the measure of everything that is faster.
std::vector<double> evaluate(const Function& function, std::span<const double> inputs);

/// The results of a function as expressions of another graph, with these in the place of its
/// inputs.
std::vector<Expr> insert(Graph& graph, const Function& function, std::span<const Expr> inputs);

/// d results[k] / d wrt[j] as expressions of the same graph, row k after row k - 1. Forward: one
/// sweep for each of `wrt`; reverse: one for each result. Results must not pass a comparison.
std::vector<Expr> forward_jacobian(Graph& graph, std::span<const Expr> results,
                                   std::span<const Expr> wrt);
std::vector<Expr> reverse_jacobian(Graph& graph, std::span<const Expr> results,
                                   std::span<const Expr> wrt);

}  // namespace rbd_parallel_core::symbolic
