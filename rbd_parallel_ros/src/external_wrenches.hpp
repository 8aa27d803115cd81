// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conversion.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"
#include "request.hpp"
#include "request_error.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {

/// The external wrenches of a request, as the core takes them.
class Wrenches {
 public:
  template <class In>
  Wrenches(const In& in, const Request& request, const rbd_parallel_core::Model& model)
      : numbers_(numbers_of(in.external_wrenches)) {
    for (const std::string& name : in.external_wrench_links) {
      const std::optional<int> link = model.find_link(name);
      if (!link) {
        throw RequestError(ErrorCode::unknown_link,
                           "external_wrench_links: link " + in_quotes(name) +
                               " is not known; ask get_model_info for the names");
      }
      links_.push_back(*link);
    }
    const std::size_t expected = request.batch() * links_.size();
    if (in.external_wrenches.size() != expected) {
      throw RequestError(ErrorCode::wrong_size,
                         "external_wrenches has " + std::to_string(in.external_wrenches.size()) +
                             " elements, expected " + std::to_string(expected) + ": " +
                             std::to_string(request.batch()) + " states x " +
                             std::to_string(links_.size()) + " external_wrench_links");
    }
    if (in.external_wrench_axes > In::AXES_WORLD) {
      refuse_choice("external_wrench_axes", in.external_wrench_axes,
                    "AXES_LINK (0) or AXES_WORLD (1)");
    }
    if (in.external_wrench_axes == In::AXES_WORLD) axes_ = Axes::world;
  }

  rbd_parallel_core::ExternalWrenches view() const { return {links_, numbers_, axes_}; }

 private:
  using Axes = rbd_parallel_core::ExternalWrenches::Axes;

  std::vector<int> links_;
  std::vector<double> numbers_;
  Axes axes_ = Axes::link;
};

}  // namespace rbd_parallel_ros
