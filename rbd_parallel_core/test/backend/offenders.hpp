// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/delegating_backend.hpp"
#include "rbd_parallel_core/testing/backend_checks.hpp"

/// What backends that are wrong on purpose are made of.
namespace rbd_parallel_core {

/// Does all by the backend "reference"; offenders override one thing.
class Honest : public DelegatingBackend {
 public:
  Honest() : DelegatingBackend(make_backend("reference")) {}
  std::string name() const override { return "offender"; }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    delegate().configure(std::make_shared<const Model>(model), options);
  }

  /// g(q), batch x nv
  std::vector<double> gravity(std::size_t batch, std::span<const double> q, std::size_t size) {
    std::vector<double> g(size);
    EXPECT_TRUE(delegate().gravity_forces({.batch = batch, .q = q, .v = {}, .tau = g}).ok());
    return g;
  }
};

/// Offends in one operation.
template <Operation operation>
class OffendsIn : public Honest {
 protected:
  using Args = ArgumentsOf<operation, double>;

  virtual Result offend(const Args& args) noexcept = 0;
  Result honest(const Args& args) noexcept {
    return Honest::do_compute({OperationTag<operation>{}, args});
  }

 private:
  Result do_compute(const Call& call) noexcept override {
    if (const Args* args = call.arguments_if<operation>()) return offend(*args);
    return Honest::do_compute(call);
  }
};

template <class Offender>
conformance::BackendUnderTest offender() {
  return {.name = "offender", .make = [] { return std::make_unique<Offender>(); }};
}

inline bool finds(conformance::Violations (*check)(const conformance::BackendUnderTest&),
                  const conformance::BackendUnderTest& backend) {
  return !check(backend).empty();
}

inline std::string text_of(const conformance::Violations& violations) {
  std::string text;
  for (const std::string& line : violations) text += line + "\n";
  return text;
}

}  // namespace rbd_parallel_core
