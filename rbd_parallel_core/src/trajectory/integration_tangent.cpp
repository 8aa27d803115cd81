// SPDX-License-Identifier: Apache-2.0
#include "integration_tangent.hpp"

#include "rbd_parallel_core/algorithm/coordinate_rates.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/spatial/dual.hpp"

namespace rbd_parallel_core {
namespace {

constexpr int most_numbers = 7;  ///< of q, a floating joint

/// The columns of dq/dt = N(q) v of one joint.
struct RateColumns {
  double column[JointTangent::most_coordinates][most_numbers] = {};
};

RateColumns rate_columns(const ModelView<double>& joint, int nv, const double* q) {
  RateColumns columns;
  for (int k = 0; k < nv; ++k) {
    coordinate_rates<double>(
        joint, Row<double>{q}, [k](std::int32_t j) { return j == k ? 1.0 : 0.0; },
        OutRow<double>{columns.column[k]});
  }
  return columns;
}

/// Numbers with their derivatives, as integrate_joint reads and writes them.
struct DualRow {
  const double* value;
  const double* derivative;  ///< null: constants
  Dual<double> operator()(std::int32_t k) const {
    return {value[k], derivative == nullptr ? 0.0 : derivative[k]};
  }
};
struct DualOut {
  double* value;
  double* derivative;
  void store(std::int32_t k, const Dual<double>& number) const {
    value[k] = number.x;
    derivative[k] = number.d;
  }
};

double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

std::vector<std::int32_t> joints_of_several_coordinates(const Model& model) {
  std::vector<std::int32_t> found;
  for (std::int32_t i = 0; i < model.body_count(); ++i) {
    if (nv_of(model.view().body[i].type) > 1) found.push_back(i);
  }
  return found;
}

void tangent_of_integration(const Model& model, std::int32_t joint, const double* q,
                            const double* step, JointTangent& out) noexcept {
  BodyView<double> body = model.view().body[joint];
  body.q_index = body.v_index = 0;
  ModelView<double> alone = model.view();
  alone.body = &body;
  alone.body_count = 1;
  const int nq = nq_of(body.type), nv = nv_of(body.type);

  double next[most_numbers], rates[most_numbers];
  const auto differentiate = [&](const DualRow& from, const DualRow& by) {
    visit_joint<Dual<double>>(body, [&](const auto& any) {
      integrate_joint(any, from, by, DualOut{next, rates});
    });
  };
  differentiate({q, nullptr}, {step, nullptr});
  // The columns of N are orthogonal for every type of joint, so that rates of coordinates N w give
  // w_j = n_j . (N w) / n_j . n_j.
  const RateColumns before = rate_columns(alone, nv, q), after = rate_columns(alone, nv, next);
  const auto store_column = [&](JointTangent::Matrix& matrix, int k) {
    for (int j = 0; j < nv; ++j) {
      const double* n = after.column[j];
      matrix[j][k] = dot(n, rates, nq) / dot(n, n, nq);
    }
  };
  for (int k = 0; k < nv; ++k) {
    differentiate({q, before.column[k]}, {step, nullptr});
    store_column(out.by_q, k);
    double direction[JointTangent::most_coordinates] = {};
    direction[k] = 1;
    differentiate({q, nullptr}, {step, direction});
    store_column(out.by_step, k);
  }
}

}  // namespace rbd_parallel_core
