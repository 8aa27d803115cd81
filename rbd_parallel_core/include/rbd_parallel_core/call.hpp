// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

/// One call of a Backend: the operation and its arguments, which belong to the caller. All that a
/// Backend computes goes through one virtual function that takes this.
template <class Real>
class BasicCall {
 public:
  template <Operation operation>
  BasicCall(OperationTag<operation>, const ArgumentsOf<operation, Real>& args) noexcept
      : args_(&args), batch_(args.batch), layout_(args.layout), operation_(operation) {}

  Operation operation() const noexcept { return operation_; }
  std::size_t batch() const noexcept { return batch_; }
  Layout layout() const noexcept { return layout_; }

  /// The arguments. Only where operation() is this one.
  template <Operation operation>
  const ArgumentsOf<operation, Real>& arguments() const noexcept {
    return *static_cast<const ArgumentsOf<operation, Real>*>(args_);
  }
  /// The arguments where operation() is this one, else null.
  template <Operation operation>
  const ArgumentsOf<operation, Real>* arguments_if() const noexcept {
    return operation_ == operation ? &arguments<operation>() : nullptr;
  }
  /// The arguments, for code that knows their type from operation(): a table of kernels.
  const void* erased_arguments() const noexcept { return args_; }

  /// Returns visit(OperationTag, arguments), a Result, for the operation that it is.
  template <class Visit>
  Result visit(const Visit& visit) const noexcept {
    return visit_from<0>(visit);
  }

 private:
  /// Returns what the visitor does, without a copy: a control loop comes through here.
  template <std::size_t k, class Visit>
  __attribute__((always_inline)) Result visit_from(const Visit& visit) const noexcept {
    if constexpr (k == operation_count) {
      return {};
    } else {
      constexpr auto candidate = static_cast<Operation>(k);
      if constexpr (is_called<candidate>) {
        if (operation_ == candidate) {
          return visit(OperationTag<candidate>{}, arguments<candidate>());
        }
      }
      return visit_from<k + 1>(visit);
    }
  }

  const void* args_;
  std::size_t batch_;
  Layout layout_;
  Operation operation_;
};

using Call = BasicCall<double>;

}  // namespace rbd_parallel_core
