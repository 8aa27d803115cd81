// SPDX-License-Identifier: Apache-2.0
#include "exact_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

template <class Number>
double error(const std::vector<Number>& found, const std::vector<long double>& exact) {
  long double difference = 0, scale = 1;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!std::isfinite(found[k])) return std::numeric_limits<double>::quiet_NaN();
    difference = std::max(difference, std::abs(static_cast<long double>(found[k]) - exact[k]));
    scale = std::max(scale, std::abs(exact[k]));
  }
  return static_cast<double>(difference / scale);
}

}  // namespace

ExactChain::ExactChain(const Tree& chain)
    : numbers_(chain.model->view()),
      q_(chain.q.begin(), chain.q.end()),
      v_(chain.v.begin(), chain.v.end()),
      tau_(chain.a.begin(), chain.a.end()),
      qdd_(chain.bodies()) {
  const std::size_t n = chain.bodies();
  memory_.resize(core::Workspace<Exact>::bytes(n, n) / sizeof(Exact) + 1);
  workspace_ = core::Workspace<Exact>::in(reinterpret_cast<std::byte*>(memory_.data()), n, n);
  const Exact singular =
      core::aba(numbers_.view(), workspace_.aba, core::Row<Exact>{q_.data()},
                core::Row<Exact>{v_.data()}, core::Row<Exact>{tau_.data()}, core::NoForces{},
                numbers_.view().gravity, false, core::OutRow<Exact>{qdd_.data()});
  if (singular != 0) throw std::runtime_error("the motion of the chain is singular");
}

double ExactChain::forward_error(const std::vector<double>& qdd) const { return error(qdd, qdd_); }

double ExactChain::residual(const std::vector<double>& qdd) {
  const std::vector<Exact> a(qdd.begin(), qdd.end());
  std::vector<Exact> torques(a.size());
  core::rnea(numbers_.view(), workspace_.rnea, core::Row<Exact>{q_.data()},
             core::Row<Exact>{v_.data()}, core::Row<Exact>{a.data()}, core::NoForces{},
             numbers_.view().gravity, false, core::OutRow<Exact>{torques.data()});
  return error(torques, tau_);
}

}  // namespace rbd_bench
