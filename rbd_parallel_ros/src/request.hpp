// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "joint_selection.hpp"

/// From the flat arrays of a request to the arrays of the model and back. Knows no ROS; every size
/// is checked here, and RequestError says what was expected. Values are not looked at: a NaN is the
/// status of its state.
namespace rbd_parallel_ros {

/// Arrays beyond this are refused: middleware cannot carry them, and taking the memory could end
/// the node.
inline constexpr std::size_t largest_array = std::size_t{256} << 20;  // bytes

/// An array of a request, with the name that messages call it by.
struct NamedArray {
  const char* name;
  std::span<const double> values;
};

/// Numbers in the order of the model: as they came where that is their order, else a copy.
class ModelArray {
 public:
  ModelArray() = default;
  explicit ModelArray(std::span<const double> as_it_came) : values_(as_it_came) {}
  explicit ModelArray(std::vector<double> copy) : copy_(std::move(copy)), values_(copy_) {}
  ModelArray(ModelArray&&) = default;
  ModelArray& operator=(ModelArray&&) = default;
  ModelArray(const ModelArray&) = delete;
  ModelArray& operator=(const ModelArray&) = delete;

  std::span<const double> values() const { return values_; }

 private:
  std::vector<double> copy_;
  std::span<const double> values_;
};

/// One request: which joints, how many states.
class Request {
 public:
  static constexpr std::size_t pose_size = 7;   ///< x y z, quaternion x y z w
  static constexpr std::size_t twist_size = 6;  ///< linear, angular

  /// batch_size 0 stands for as many states as `position` (or, without joints, `base_pose`) holds.
  /// Throws RequestError for names that JointTable refuses, a batch above max_batch, or one without
  /// states.
  Request(const JointTable& table, std::span<const std::string> joint_names, std::size_t batch_size,
          std::size_t max_batch, std::size_t position_size, std::size_t base_pose_size);

  const JointSelection& joints() const { return joints_; }
  std::size_t batch() const { return batch_; }
  /// Numbers of a twist or wrench of the base in the response: 6 or 0.
  std::size_t base_columns() const { return table_.floating_base() ? twist_size : 0; }
  /// Arrays of the response can be filled by the backend as they are.
  bool in_model_order() const { return joints_.in_model_order; }

  /// Throws RequestError(missing_joint) unless every joint is named.
  void need_every_joint() const;
  /// Throws RequestError(batch_too_large) where `columns` numbers for each state are more than can
  /// be held and sent.
  void check_memory(std::size_t columns) const;
  /// Throws RequestError(wrong_size) unless `values` holds `columns` numbers for each state.
  void check_size(const NamedArray& array, std::size_t columns,
                  const std::string& columns_are) const;

  /// q of the model: batch x nq.
  ModelArray positions(const NamedArray& position, const NamedArray& base_pose) const;
  /// v, a or tau of the model: batch x nv; empty where both arrays are.
  ModelArray rates(const NamedArray& rate, const NamedArray& base_rate) const;

  /// From batch x nv of the model to batch x nv of the named joints.
  void take_joints(std::span<const double> tau, std::span<double> out) const;
  /// From batch x nv of the model to batch x 6 of the base.
  void take_base(std::span<const double> tau, std::span<double> out) const;
  /// Rows of the mass matrix of the named joints, those of a floating base first.
  std::size_t matrix_rows() const { return base_columns() + joints_.v.size(); }
  /// The coordinate of the model that each of these rows belongs to.
  std::vector<std::size_t> matrix_index() const;
  /// From batch x nv x nv of the model to batch x rows x rows.
  void take_matrix(std::span<const double> matrix, std::span<double> out) const;

 private:
  void check_base(const NamedArray& base, std::size_t columns) const;

  const JointTable& table_;
  JointSelection joints_;
  std::size_t batch_;
};

}  // namespace rbd_parallel_ros
