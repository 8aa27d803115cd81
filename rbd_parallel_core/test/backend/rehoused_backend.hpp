// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// A Backend that has another one compute on copies of the arrays: of another type of number, so
/// that the checks for double serve float too, and in memory of the test's choosing.
///
/// Memory: configured(bytes) takes all of it, begin() starts a call, take<T>(n) gives an array,
/// end() ends the call.
template <class Real, class Memory>
class RehousedBackend : public Backend {
 public:
  explicit RehousedBackend(const std::string& name, const TreeOptions& tree = {})
      : RehousedBackend(make_backend<Real>(name), tree) {}
  explicit RehousedBackend(std::unique_ptr<BasicBackend<Real>> inner, const TreeOptions& tree = {})
      : inner_(std::move(inner)), tree_(tree) {}
  std::string name() const override { return inner_->name(); }

 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    BackendOptions inner_options = options;
    inner_options.tree = tree_;
    // Not an owner: Backend keeps the model alive.
    inner_->configure(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), inner_options);
    constexpr std::size_t most_links = 8;
    const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
    const std::size_t parameters =
        static_cast<std::size_t>(model.body_count()) * parameters_per_body;
    const std::size_t inputs = nq + 6 * nv + most_links * 6;
    const std::size_t outputs =
        5 * nv * nv + nv * parameters + most_links * (7 + 12 * nv + 18) + 15 * nv;
    const std::size_t numbers = inputs + outputs + 8;
    memory_.configured((options.max_batch + inner_->lane_width()) * numbers * sizeof(double));
  }

  Capabilities do_capabilities() const noexcept override { return inner_->capabilities(); }

  Result do_compute(const Call& call) noexcept override {
    memory_.begin();
    return finish(call.visit([&]<Operation operation>(OperationTag<operation> tag,
                                                      const ArgumentsOf<operation, double>& args) {
      return inner_->compute({tag, rehoused<ArgumentsOf<operation, Real>>(args)});
    }));
  }

 private:
  struct Output {
    std::span<Real> inside;
    std::span<double> outside;
  };

  template <class Inside, class Outside>
  Inside rehoused(const Outside& outside) {
    Inside inside;
    inside.batch = outside.batch;
    inside.layout = outside.layout;
    for_each_field_of_both<Inside, Outside>(FieldVisitor{
        [&]<class I, class O>(const InputField<I, Real>& to, const InputField<O, double>& from) {
          inside.*to.array = in(outside.*from.array);
        },
        [&]<class I, class O>(const OutputField<I, Real>& to, const OutputField<O, double>& from) {
          inside.*to.array = out(outside.*from.array);
        },
        [&]<class I, class O>(const LinksField<I>& to, const LinksField<O>& from) {
          inside.*to.links = copied(outside.*from.links);
        },
        [&]<class I, class O, class W, class V>(const WrenchesField<I, W>& to,
                                                const WrenchesField<O, V>& from) {
          inside.*to.wrenches = wrenches(outside.*from.wrenches);
        },
        [&]<class I, class O, class C>(const ChoiceField<I, C>& to, const ChoiceField<O, C>& from) {
          inside.*to.choice = outside.*from.choice;
        }});
    inside.status = status(outside.status);
    return inside;
  }
  BasicExternalWrenches<Real> wrenches(const ExternalWrenches& args) {
    return {copied(args.links), in(args.wrenches), args.axes};
  }
  std::span<const Real> in(std::span<const double> outside) {
    if (outside.empty()) return {};
    const std::span<Real> inside = memory_.template take<Real>(outside.size());
    std::transform(outside.begin(), outside.end(), inside.begin(),
                   [](double x) { return static_cast<Real>(x); });
    return inside;
  }
  std::span<const int> copied(std::span<const int> outside) {
    if (outside.empty()) return {};
    const std::span<int> inside = memory_.template take<int>(outside.size());
    std::copy(outside.begin(), outside.end(), inside.begin());
    return inside;
  }
  std::span<Real> out(std::span<double> outside) {
    if (outside.empty()) return {};
    Output& output = outputs_[output_count_++];
    output = {memory_.template take<Real>(outside.size()), outside};
    return output.inside;
  }
  std::span<StateStatus> status(std::span<StateStatus> outside) {
    status_outside_ = outside;
    status_inside_ = {};
    if (!outside.empty()) status_inside_ = memory_.template take<StateStatus>(outside.size());
    return status_inside_;
  }

  Result finish(const Result& result) {
    for (std::size_t k = 0; k < output_count_ && result.ok(); ++k) {
      std::copy(outputs_[k].inside.begin(), outputs_[k].inside.end(), outputs_[k].outside.begin());
    }
    if (result.ok()) {
      std::copy(status_inside_.begin(), status_inside_.end(), status_outside_.begin());
    }
    output_count_ = 0;
    memory_.end();
    return result;
  }

  std::unique_ptr<BasicBackend<Real>> inner_;
  TreeOptions tree_;
  Memory memory_;
  std::array<Output, 5> outputs_{};
  std::size_t output_count_ = 0;
  std::span<StateStatus> status_inside_, status_outside_;
};

}  // namespace rbd_parallel_core
