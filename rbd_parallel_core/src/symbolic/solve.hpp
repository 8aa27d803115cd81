// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/crba_forward.hpp"
#include "tracer.hpp"

/// How traced functions solve with the mass matrix.
namespace rbd_parallel_core::symbolic {

class Solver {
 public:
  /// by_aba: or by the factor of M, which takes mimic joints too.
  Solver(Tracer& tracer, const ModelView<double>& model, const TraceOptions& options, bool by_aba)
      : tracer_(tracer),
        model_(model),
        options_(options),
        by_aba_(by_aba),
        ws_(tracer.workspace()),
        vector_(tracer.row(model.nv)),
        L_(tracer.matrix()) {}

  /// qdd, and 0 or 1 + the singular coordinate.
  template <class V, class T, class F>
  Symbol accelerations(const InputRow& q, const V& v, const T& tau, const F& f_ext,
                       const ResultRow& qdd) const {
    if (by_aba_) {
      return aba(model_, ws_.aba, q, v, tau, f_ext, tracer_.gravity(), options_.friction, qdd);
    }
    return crba_forward(model_, ws_.rnea, ws_.crba, q, v, tau, f_ext, tracer_.gravity(),
                        options_.friction, L_, vector_, qdd);
  }
  /// x = M^-1 b. After `accelerations` in the same state. At rest and without gravity M qdd = tau.
  template <class B>
  void solve(const InputRow& q, const B& b, const ResultRow& x) const {
    if (by_aba_) {
      const ResultRow rest = tracer_.row(model_.nv);
      aba(model_, ws_.aba, q, rest, b, NoForces{}, Vec3<Symbol>::zero(), false, x);
      return;
    }
    for (std::int32_t k = 0; k < model_.nv; ++k) x.store(k, b(k));
    ltl_solve<Symbol>(model_, L_, x);
  }

  /// The lower triangle of M becomes its factor L. Returns what `accelerations` does.
  Symbol factor(const ResultMatrix& M) const { return ltl_factor<Symbol>(model_, M, vector_); }
  /// Each B becomes -M^-1 B.
  template <std::size_t matrices>
  void solve_negated(const ResultMatrix& L, const ResultMatrix (&B)[matrices]) const {
    ltl_solve_rows<4, Symbol>(model_, L, vector_, B);
  }
  /// The lower triangle of M^-1.
  void invert(const ResultMatrix& L, const ResultMatrix& inverse) const {
    ltl_inverse<Symbol>(model_, L, SymmetricResult{inverse});
    clear_upper_triangle<Symbol>(inverse, model_.nv);
  }
  /// The factor that crba left.
  const ResultMatrix& left_factor() const { return L_; }

  void refuse_if_always_singular() const {
    tracer_.refuse_division_by_zero(
        "a joint moves no inertia: forward dynamics is singular in every state");
  }

 private:
  Tracer& tracer_;
  const ModelView<double> model_;
  const TraceOptions options_;
  const bool by_aba_;
  const Workspace<Symbol> ws_;
  const ResultRow vector_;
  const ResultMatrix L_;
};

}  // namespace rbd_parallel_core::symbolic
