// SPDX-License-Identifier: Apache-2.0
#include "ours.hpp"

#include <stdexcept>

#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

std::shared_ptr<const core::Model> load(const std::string& urdf_xml, bool floating_base) {
  core::ModelOptions options;
  options.base = floating_base ? core::Base::floating : core::Base::fixed;
  options.mimic = core::MimicPolicy::independent;  // As the peer reads it.
  return std::make_shared<const core::Model>(core::load_urdf_string(urdf_xml, options));
}

void check(const core::Result& result) {
  if (!result.ok()) throw std::runtime_error("rbd_parallel: " + core::message(result));
}

}  // namespace

Ours::Ours(const std::string& urdf_xml, bool floating_base, const std::string& backend)
    : backend_(core::make_backend(backend)) {
  backend_->configure(load(urdf_xml, floating_base), {.max_batch = 1, .threads = 1});
  vector_result_.resize(nv());
  matrix_result_.resize(nv() * nv());
}

void Ours::run(Operation operation) {
  for (std::size_t k = 0; k < states_.count; ++k) compute(operation, k);
}

std::vector<double> Ours::evaluate(Operation operation, std::size_t state) {
  compute(operation, state);
  return operation == Operation::kCrba ? matrix_result_ : vector_result_;
}

void Ours::compute(Operation operation, std::size_t k) {
  switch (operation) {
    case Operation::kRnea:
      return check(backend_->inverse_dynamics({.q = states_.q_of(k),
                                               .v = states_.v_of(k),
                                               .a = states_.a_of(k),
                                               .tau = vector_result_}));
    case Operation::kCrba:
      return check(backend_->mass_matrix({.q = states_.q_of(k), .mass_matrix = matrix_result_}));
    case Operation::kAba:
      return check(backend_->forward_dynamics({.q = states_.q_of(k),
                                               .v = states_.v_of(k),
                                               .tau = states_.tau_of(k),
                                               .method = core::ForwardMethod::aba,
                                               .qdd = vector_result_}));
  }
}

}  // namespace rbd_bench
