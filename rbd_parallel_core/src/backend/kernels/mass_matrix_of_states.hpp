// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "state_io.hpp"

/// The kernel of the mass matrix, its factor and its inverse; see batch_kernels.hpp.
namespace rbd_parallel_core {

/// NaN where an entry of M is not finite.
template <class S>
RBD_INLINE S taint_of_entries(const OutMatrix<S>& M, std::int32_t nv) {
  S bad(RealOf<S>(0));
  for (std::int32_t i = 0; i < nv; ++i) {
    bad = bad + taint(Row<S>{M.data + M.at(i, 0)}, size(nv));
  }
  return bad;
}
template <class S>
RBD_INLINE S taint_of_entries(const OutSparse<S>& M, std::int32_t nv) {
  S bad(RealOf<S>(0));
  for (std::int32_t i = 0; i < nv; ++i) {
    const std::ptrdiff_t first = M.rows.row_start[i], last = M.rows.row_start[i + 1];
    bad = bad + taint(Row<S>{M.data + offset_of<S>(first)}, static_cast<std::size_t>(last - first));
  }
  return bad;
}

/// NaN where q or an entry of M is not finite. A look at all of M costs more than is worth it where
/// q and the diagonal are so moderate that nothing between can have overflowed.
template <class S, class Matrix>
RBD_INLINE S taint_of_mass_matrix(const ModelView<RealOf<S>>& model, const Row<S>& q,
                                  const Matrix& M) {
  using T = ScalarTraits<S>;
  S bad = taint_of_q<S>(model, q), largest(RealOf<S>(0));
  for (std::int32_t k = 0; k < model.nq; ++k) largest = T::max(largest, T::abs(q(k)));
  for (std::int32_t k = 0; k < model.nv; ++k) {
    bad = mul_add(S(RealOf<S>(0)), M.load(k, k), bad);  // max may lose a NaN
    largest = T::max(largest, T::abs(M.load(k, k)));
  }
  if (T::all(T::less(largest, S(moderate_limit<RealOf<S>>)))) [[likely]]
    return bad;
  return bad + taint_of_entries<S>(M, model.nv);
}

/// Factors M in place and reports. `L`: the matrix; `inverse` is used if it is asked for.
template <class S>
RBD_INLINE Outcome<S> factor_mass_matrix(const ModelView<RealOf<S>>& model,
                                         const Scratch<S>& scratch,
                                         const BasicMassMatrix<RealOf<S>>& args,
                                         const OutMatrix<S>& L, const OutSymmetric<S>& inverse,
                                         const S& bad) {
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  const Outcome<S> result{bad, ltl_factor<S>(model, L, vector)};
  if (!args.inverse.empty()) ltl_inverse<S>(model, L, inverse);
  if (!args.cholesky.empty()) clear_upper_triangle<S>(L, model.nv);
  return result;
}

/// What was asked for besides the status.
template <class Real>
RBD_INLINE bool wants_dense(const BasicMassMatrix<Real>& args) {
  return !args.mass_matrix.empty() || !args.cholesky.empty() || !args.inverse.empty();
}
template <class Real>
RBD_INLINE bool wants_sparse(const BasicMassMatrix<Real>& args) {
  return !args.sparse.empty() || !args.sparse_cholesky.empty();
}

/// The worse of two outcomes for the same states.
template <class S>
RBD_INLINE Outcome<S> both(const Outcome<S>& a, const Outcome<S>& b) {
  return {a.taint + b.taint, ScalarTraits<S>::max(a.singular, b.singular)};
}

/// M and its factor in compressed rows, written where they belong at once.
template <class S>
RBD_INLINE Outcome<S> sparse_direct(const KernelContext<RealOf<S>>& context,
                                    const Scratch<S>& scratch,
                                    const BasicMassMatrix<RealOf<S>>& args, const Group<S>& group,
                                    const Row<S>& q) {
  const ModelView<RealOf<S>>& model = context.model;
  const auto nonzeros = static_cast<std::size_t>(context.sparse.row_start[model.nv]);
  const auto place = [&](std::span<RealOf<S>> array) RBD_INLINE_LAMBDA {
    return OutSparse<S>{group.out(array, nonzeros, nullptr).data, context.sparse, model.nv};
  };
  const OutSparse<S> M = place(args.sparse.empty() ? args.sparse_cholesky : args.sparse);
  crba(model, scratch.workspace.crba, q, M);
  Outcome<S> result = outcome(taint_of_mass_matrix(model, q, M));
  group.spoil_unless(result.good(), args.sparse, nonzeros);
  if (args.sparse_cholesky.empty()) return result;
  const OutSparse<S> L = place(args.sparse_cholesky);
  if (M.data != L.data) {
    for (std::size_t k = 0; k < nonzeros * Group<S>::width; ++k) L.data[k] = M.data[k];
  }
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  result.singular = ltl_factor<S>(model, L, vector);
  group.spoil_unless(result.good(), args.sparse_cholesky, nonzeros);
  return result;
}

/// Brings the lower triangle in `scratch.matrix` to where its compressed rows belong.
template <class S>
RBD_INLINE void write_sparse(const Scratch<S>& scratch, const Group<S>& group,
                             std::span<RealOf<S>> array, std::size_t nonzeros) {
  if (array.empty()) return;
  scatter_symmetric<S>(scratch.matrix, scratch.sparse_sources, group.rows_of(array, nonzeros));
}

/// The mass matrix of a group whose results are written where they belong at once.
template <class S>
RBD_INLINE Outcome<S> mass_matrix_direct(const ModelView<RealOf<S>>& model,
                                         const Scratch<S>& scratch,
                                         const BasicMassMatrix<RealOf<S>>& args,
                                         const Group<S>& group, const Row<S>& q) {
  const std::size_t square = size(model.nv) * size(model.nv);
  const auto place = [&](std::span<RealOf<S>> array, RealOf<S>* otherwise) RBD_INLINE_LAMBDA {
    return OutSymmetric<S>{
        {array.empty() ? otherwise : group.out(array, square, otherwise).data, model.nv}};
  };
  const OutSymmetric<S> L = place(args.cholesky, scratch.matrix);
  const OutSymmetric<S> M = place(args.mass_matrix, L.data);
  crba(model, scratch.workspace.crba, q, M);
  const Outcome<S> outcome_of_M = outcome(taint_of_mass_matrix(model, q, M));
  Outcome<S> result = outcome_of_M;
  if (!args.cholesky.empty() || !args.inverse.empty()) {
    if (M.data != L.data) {
      for (std::size_t k = 0; k < square * Group<S>::width; ++k) L.data[k] = M.data[k];
    }
    result = factor_mass_matrix(model, scratch, args, L, place(args.inverse, nullptr),
                                outcome_of_M.taint);
  }
  group.spoil_unless(outcome_of_M.good(), args.mass_matrix, square);
  group.spoil_unless(result.good(), args.cholesky, square);
  group.spoil_unless(result.good(), args.inverse, square);
  return result;
}

/// The same by way of the scratch memory, in which M is a lower triangle and becomes its factor.
template <class S>
RBD_INLINE Outcome<S> mass_matrix_buffered(const KernelContext<RealOf<S>>& context,
                                           const Scratch<S>& scratch,
                                           const BasicMassMatrix<RealOf<S>>& args,
                                           const Group<S>& group, const Row<S>& q) {
  const ModelView<RealOf<S>>& model = context.model;
  const auto nonzeros = static_cast<std::size_t>(context.sparse.row_start[model.nv]);
  const std::size_t nv = size(model.nv), square = nv * nv;
  const OutLower<S> M{{scratch.matrix, model.nv}};
  crba(model, scratch.workspace.crba, q, M);
  const Outcome<S> outcome_of_M = outcome(taint_of_mass_matrix(model, q, M));
  Outcome<S> result = outcome_of_M;
  if (!args.mass_matrix.empty()) {
    group.write_symmetric(args.mass_matrix, nv, scratch.matrix, scratch.sources);
    group.spoil_unless(outcome_of_M.good(), args.mass_matrix, square);
  }
  write_sparse(scratch, group, args.sparse, nonzeros);
  group.spoil_unless(outcome_of_M.good(), args.sparse, nonzeros);
  if (!args.cholesky.empty() || !args.inverse.empty() || !args.sparse_cholesky.empty()) {
    result = factor_mass_matrix(model, scratch, args, M,
                                OutSymmetric<S>{{scratch.inverse, model.nv}}, outcome_of_M.taint);
  }
  write_sparse(scratch, group, args.sparse_cholesky, nonzeros);
  group.spoil_unless(result.good(), args.sparse_cholesky, nonzeros);
  if (!args.cholesky.empty()) group.write(args.cholesky, square, scratch.matrix);
  group.spoil_unless(result.good(), args.cholesky, square);
  if (!args.inverse.empty()) {
    group.write_with_zeros(args.inverse, square, scratch.inverse, scratch.inverse_zeros);
  }
  group.spoil_unless(result.good(), args.inverse, square);
  return result;
}

template <class S>
RBD_KERNEL void compute(OperationTag<Operation::mass_matrix>,
                        const KernelContext<RealOf<S>>& context,
                        const BasicMassMatrix<RealOf<S>>& args, StateRange range) noexcept {
  const ModelView<RealOf<S>>& model = context.model;
  const auto scratch = Scratch<S>::in(context.memory, model, context.dense);
  const bool dense = wants_dense(args), sparse = wants_sparse(args);
  for_each_group<S>(range, args.layout, [&](const Group<S>& group) RBD_INLINE_LAMBDA {
    const Row<S> q = group.read(args.q, size(model.nq), scratch.q);
    Outcome<S> result = outcome(taint_of_q<S>(model, q));
    if (group.direct()) {
      if (dense) result = mass_matrix_direct(model, scratch, args, group, q);
      if (sparse) result = both(result, sparse_direct(context, scratch, args, group, q));
    } else if constexpr (Group<S>::width > 1) {
      if (dense || sparse) result = mass_matrix_buffered(context, scratch, args, group, q);
    }
    result.report(group, args.status);
  });
}

}  // namespace rbd_parallel_core
