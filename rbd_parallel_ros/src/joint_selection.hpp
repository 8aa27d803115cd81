// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

/// Which columns of the model's arrays a request speaks about. Knows no ROS.
namespace rbd_parallel_ros {

/// The joints of one request, in its order.
struct JointSelection {
  std::vector<std::string> names;
  std::vector<std::size_t> q;  ///< columns of the model's q, in the order of the request's position
  std::vector<std::size_t> v;  ///< columns of the model's v, in the order of its velocity
  bool complete = false;       ///< every joint is named
  bool in_model_order =
      false;  ///< columns 0, 1, 2 ... of the model: arrays can be used as they come
};

/// The joints that requests may name: those with coordinates of their own; the floating base is
/// none of them.
class JointTable {
 public:
  /// `order`: the joints for requests that name none; empty: the order of the model. Throws
  /// std::invalid_argument unless it holds each joint of the model once.
  JointTable(const rbd_parallel_core::Model& model, bool floating_base,
             std::span<const std::string> order = {});

  /// All joints, in the order given at construction.
  const JointSelection& all() const { return all_; }

  /// The named joints; all() if there is no name. Throws RequestError for a joint that is not
  /// known, has no coordinates, or is named twice.
  JointSelection select(std::span<const std::string> names) const;

  /// The joint that `name` mimics; nullptr where it mimics none.
  const std::string* followed_by(const std::string& name) const;

  bool floating_base() const { return floating_base_; }
  /// q of joints that a request leaves out. Size nq.
  const std::vector<double>& rest_position() const { return rest_position_; }
  std::size_t nq() const { return rest_position_.size(); }
  std::size_t nv() const { return nv_; }

 private:
  struct Columns {
    std::size_t q, nq, v, nv;
  };

  JointSelection columns_of(std::span<const std::string> names) const;
  std::string reason_unknown(const std::string& name) const;

  std::unordered_map<std::string, Columns> columns_;
  std::unordered_map<std::string, std::string> followed_;  ///< of each mimic joint
  std::vector<double> rest_position_;
  std::size_t nv_;
  bool floating_base_;
  JointSelection all_;
};

}  // namespace rbd_parallel_ros
