// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/algorithm/crba_forward.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/study/dca.hpp"
#include "rbd_parallel_core/study/dcae.hpp"
#include "rbd_parallel_core/study/hybrid_abia.hpp"

namespace rbd_parallel_core {

/// The texts of the algorithms, run with any Scalar for one state of a model; forces on the bodies
/// too, one for each, in its frame.
template <class S>
class MethodRig {
 public:
  using Real = RealOf<S>;
  using Numbers = std::vector<Real>;

  explicit MethodRig(const Model& model)
      : numbers_(model.view()),
        rows_({model.view().dof_parent, static_cast<std::size_t>(model.nv())}),
        bodies_(static_cast<std::size_t>(model.body_count())),
        columns_(static_cast<std::size_t>(view_.column_count)),
        memory_(Workspace<S>::bytes(bodies_, columns_) / sizeof(S) + 1),
        workspace_(
            Workspace<S>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies_, columns_)),
        inverse_inertia_(bodies_),
        node_(2 * bodies_ + 32),
        node_forces_(node_.size()),
        joined_(bodies_),
        y_over_D_(columns_),
        singular_(bodies_ + 1),
        diagonal_(columns_),
        M_(columns_ * columns_) {
    invert_inertias(view_, dca_workspace());
  }
  MethodRig(const MethodRig&) = delete;
  MethodRig& operator=(const MethodRig&) = delete;

  void set_state(const Numbers& q, const Numbers& v, const Numbers& a_or_tau) {
    q_ = q;
    v_ = v;
    x_ = a_or_tau;
    out_.assign(x_.size(), Real(0));
  }
  const Numbers& result() const { return out_; }

  void gravity_forces() {
    rnea(view_, workspace_.rnea, q(), Zeros<S>{}, Zeros<S>{}, NoForces{}, gravity(), false, out());
  }
  void coriolis_forces() {
    rnea(view_, workspace_.rnea, q(), v(), Zeros<S>{}, NoForces{}, Vec3<S>::zero(), false, out());
  }
  void inverse_dynamics() {
    rnea(view_, workspace_.rnea, q(), v(), x(), NoForces{}, gravity(), false, out());
  }
  void mass_matrix() { crba(view_, workspace_.crba, q(), sparse_M()); }
  template <class F>
  void by_aba(const F& forces) {
    aba(view_, workspace_.aba, q(), v(), x(), forces, gravity(), false, out());
  }
  void by_crba() {
    crba_forward(view_, workspace_.rnea, workspace_.crba, q(), v(), x(), NoForces{}, gravity(),
                 false, sparse_M(), OutRow<S>{diagonal_.data()}, out());
  }
  template <class Exec, class F>
  void by_dca(const Exec& executor, const F& forces) {
    dca(executor, view_, dca_workspace(), q(), v(), x(), forces, gravity(), false, out());
  }
  template <class Exec, class F>
  void by_dcae(const Exec& executor, int blocks, double share, const F& forces) {
    std::vector<std::int32_t> first(static_cast<std::size_t>(blocks) + 1);
    cut_into_blocks(view_.body_count, blocks, share, first.data());
    dcae(executor, view_, DcaeWorkspace<S, Column>{workspace_.aba, {y_over_D_.data()}, assembly()},
         blocks, first.data(), Column<S>{singular_.data()}, q(), v(), x(), forces, gravity(), false,
         out());
  }
  template <class F>
  void by_hybrid_abia(const F& forces) {
    std::vector<Transform<S>> X(bodies_);
    std::vector<Force<S>> f(bodies_), U_over_D(bodies_);
    std::vector<S> one_over_D(bodies_), c_over_D(bodies_);
    std::vector<MotionStep<S>> motion_steps(bodies_);
    std::vector<LinearStep<S>> linear_steps(bodies_);
    const HybridAbiaWorkspace<S, Column> ws{{X.data()},
                                            {f.data()},
                                            {U_over_D.data()},
                                            {one_over_D.data()},
                                            {c_over_D.data()},
                                            motion_steps.data(),
                                            nullptr,
                                            linear_steps.data(),
                                            nullptr};
    hybrid_abia(SequentialExecutor{}, view_, ws, q(), v(), x(), forces, gravity(), false, out());
  }
  /// What DCA and DCAe do before their trees: sines and cosines, velocities, biases.
  void kinematics() {
    compute_turns(view_, workspace_.aba.turns, q());
    aba_velocities(view_, workspace_.aba, q(), v(), WorldBase<S>{gravity()});
  }

 private:
  Row<S> q() const { return {q_.data()}; }
  Row<S> v() const { return {v_.data()}; }
  Row<S> x() const { return {x_.data()}; }
  OutRow<S> out() { return {out_.data()}; }
  Vec3<S> gravity() const { return broadcast<S>(view_.gravity); }
  OutSparse<S> sparse_M() {
    return {M_.data(), {rows_.row_start().data(), rows_.depth().data()}, view_.nv};
  }
  AssemblyWorkspace<S, Column> assembly() {
    return {{node_.data()}, {node_forces_.data()}, {joined_.data()}};
  }
  DcaWorkspace<S, Column> dca_workspace() {
    return {workspace_.aba, {inverse_inertia_.data()}, assembly()};
  }

  ConvertedModel<Real> numbers_;
  const ModelView<Real>& view_ = numbers_.view();
  MassMatrixRows rows_;
  std::size_t bodies_, columns_;
  std::vector<S> memory_;
  Workspace<S> workspace_;
  std::vector<Mobility<S>> inverse_inertia_;
  std::vector<TwoHandles<S>> node_;
  std::vector<HandleForces<S>> node_forces_;
  std::vector<JoinedAt<S>> joined_;
  std::vector<Motion<S>> y_over_D_;
  std::vector<S> singular_;
  Numbers diagonal_, M_, q_, v_, x_, out_;
};

}  // namespace rbd_parallel_core
