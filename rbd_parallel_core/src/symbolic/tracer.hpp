// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/symbolic/symbol.hpp"
#include "rbd_parallel_core/symbolic/trace.hpp"

/// What algorithms read from and write to when they run on Symbols.
namespace rbd_parallel_core::symbolic {

/// Reads the numbers of an input array.
struct InputRow {
  const Expr* data;
  Symbol operator()(std::int32_t k) const { return Symbol(data[k]); }
};

/// A row of results.
struct ResultRow {
  Symbol* data;
  Symbol load(std::int32_t k) const { return data[k]; }
  void store(std::int32_t k, const Symbol& x) const { data[k] = x; }
  Symbol operator()(std::int32_t k) const { return data[k]; }
};

/// A square matrix of results.
struct ResultMatrix {
  static constexpr bool zeros_persist = true;
  Symbol* data;
  std::int32_t n;
  Symbol load(std::int32_t i, std::int32_t j) const { return data[i * n + j]; }
  void store(std::int32_t i, std::int32_t j, const Symbol& x) const { data[i * n + j] = x; }
  void clear() const {
    for (std::int32_t k = 0; k < n * n; ++k) data[k] = Symbol(0.0);
  }
};

/// A symmetric one, both of its triangles written.
struct SymmetricResult : ResultMatrix {
  void store(std::int32_t i, std::int32_t j, const Symbol& x) const {
    ResultMatrix::store(i, j, x);
    ResultMatrix::store(j, i, x);
  }
};

/// The input "turning": wrenches that keep to the axes of the world.
struct TurningInputs {
  InputRow wrenches;
  bool any;

  WorldWrench<Symbol> load(std::int32_t i) const {
    const auto vector = [&](std::int32_t k) {
      const std::int32_t at = 12 * i + k;
      return Vec3<Symbol>{wrenches(at), wrenches(at + 1), wrenches(at + 2)};
    };
    return {vector(0), {vector(3), vector(6), vector(9)}};
  }
  /// As rnea_derivatives takes them.
  template <class Model, class Workspace>
  bool place(const Model& model, const Workspace& ws) const {
    if (!any) return false;
    for (std::int32_t i = 0; i < model.body_count; ++i) ws.wrench.store(i, load(i));
    return true;
  }
};

/// Builds one function: hands out what algorithms need, and collects what they leave.
class Tracer {
 public:
  Tracer(const ModelView<double>& model, double singular_tolerance)
      : model_(model), tracing_(function_.graph, singular_tolerance) {}

  InputRow input(std::string name, std::int32_t size) {
    inputs_.push_back(function_.add_input(std::move(name), size));
    return {inputs_.back().data()};
  }
  /// Zeros at first.
  ResultRow row(std::int32_t size) { return {symbols(size)}; }
  ResultMatrix matrix() { return {symbols(model_.nv * model_.nv), model_.nv}; }
  void output(std::string name, const ResultRow& row, std::int32_t size) {
    add_output(std::move(name), row.data, size);
  }
  void output(std::string name, const ResultMatrix& matrix) {
    add_output(std::move(name), matrix.data, matrix.n * matrix.n);
  }

  Workspace<Symbol> workspace() {
    const auto bodies = static_cast<std::size_t>(model_.body_count);
    const auto columns = static_cast<std::size_t>(model_.column_count);
    return Workspace<Symbol>::in(bytes(Workspace<Symbol>::bytes(bodies, columns)), bodies, columns);
  }
  /// Room for n structs of Symbols.
  template <class T>
  Column<T> column(std::int32_t n) {
    return {reinterpret_cast<T*>(bytes(sizeof(T) * static_cast<std::size_t>(n)))};
  }

  /// The inputs of External. After all others.
  PossibleForces<Symbol, Column> forces(External external) {
    const auto given = column<Force<Symbol>>(model_.body_count);
    if (external == External::none) return {given, false};
    const InputRow f = input("f_ext", 6 * model_.body_count);
    for (std::int32_t i = 0; i < model_.body_count; ++i) {
      const std::int32_t k = 6 * i;
      given.store(i, {{f(k), f(k + 1), f(k + 2)}, {f(k + 3), f(k + 4), f(k + 5)}});
    }
    return {given, true};
  }
  TurningInputs turning(External external) {
    if (external != External::in_world_axes) return {{nullptr}, false};
    return {input("turning", 12 * model_.body_count), true};
  }
  Vec3<Symbol> gravity() const { return broadcast<Symbol>(model_.gravity); }
  DerivativesWorkspace<Symbol, Column> derivatives_workspace() {
    const std::int32_t bodies = model_.body_count, columns = model_.column_count;
    const std::int32_t turns = padded_turns(bodies);
    return {{column<Symbol>(turns), column<Symbol>(turns), column<Symbol>(turns)},
            column<BodyMotion<Symbol>>(bodies + 1),
            column<MovingPoint<Symbol>>(bodies),
            column<CompositeMotion<Symbol>>(bodies),
            column<WorldWrench<Symbol>>(bodies),
            column<ColumnInRun<Symbol>>(columns),
            column<Vec3<Symbol>>(columns),
            column<ShiftOfOrigin<Symbol>>(columns)};
  }

  /// A joint that moves no inertia has the constant zero as its pivot, a robot without mass no
  /// centre. What follows from it is no number, and which joint is to blame cannot be told from a
  /// graph in which products with zero have vanished.
  void refuse_division_by_zero(const char* what) const {
    if (function_.graph.divides_by_zero()) throw std::runtime_error(what);
  }

  Function& function() { return function_; }

 private:
  Symbol* symbols(std::int32_t n) {
    kept_.emplace_back(static_cast<std::size_t>(n), Symbol(0.0));
    return kept_.back().data();
  }
  /// As Symbols, so that they have their alignment and a value that exists.
  std::byte* bytes(std::size_t n) {
    return reinterpret_cast<std::byte*>(symbols(static_cast<std::int32_t>(n / sizeof(Symbol)) + 1));
  }
  void add_output(std::string name, const Symbol* data, std::int32_t size) {
    std::vector<Expr> expressions;
    for (std::int32_t k = 0; k < size; ++k) expressions.push_back(data[k].expr);
    function_.add_output(std::move(name), expressions);
  }

  const ModelView<double> model_;
  Function function_;
  Tracing tracing_;
  std::vector<std::vector<Expr>> inputs_;
  std::vector<std::vector<Symbol>> kept_;
};

}  // namespace rbd_parallel_core::symbolic
