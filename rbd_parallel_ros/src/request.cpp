// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <algorithm>
#include <limits>

#include "request_error.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

std::string number(std::size_t value) { return std::to_string(value); }

[[noreturn]] void refuse(ErrorCode code, const std::string& message) {
  throw RequestError(code, message);
}

std::size_t states_in(std::size_t position_size, std::size_t columns) {
  if (position_size == 0) {
    refuse(ErrorCode::wrong_size, "position is empty, expected " + number(columns) +
                                      " numbers for each state; send at least one state");
  }
  if (position_size % columns != 0) {
    refuse(ErrorCode::wrong_size, "position has " + number(position_size) +
                                      " elements, expected a multiple of " + number(columns) +
                                      " (numbers for each state), or set batch_size");
  }
  return position_size / columns;
}

/// Each state's numbers into their columns of the model; the other columns keep what `out` holds.
void put(std::span<const double> values, std::span<const std::size_t> columns, std::size_t width,
         std::vector<double>& out) {
  const std::size_t batch = columns.empty() ? 0 : values.size() / columns.size();
  for (std::size_t state = 0; state < batch; ++state) {
    const double* from = &values[state * columns.size()];
    double* to = &out[state * width];
    for (std::size_t k = 0; k < columns.size(); ++k) to[columns[k]] = from[k];
  }
}

/// The same for the base, which has the first columns.
void put_base(std::span<const double> values, std::size_t columns, std::size_t width,
              std::vector<double>& out) {
  for (std::size_t state = 0; state * columns < values.size(); ++state) {
    std::copy_n(&values[state * columns], columns, &out[state * width]);
  }
}

}  // namespace

Request::Request(const JointTable& table, std::span<const std::string> joint_names,
                 std::size_t batch_size, std::size_t max_batch, std::size_t position_size,
                 std::size_t base_pose_size)
    : table_(table), joints_(table.select(joint_names)), batch_(batch_size) {
  if (batch_ == 0 && !joints_.q.empty()) batch_ = states_in(position_size, joints_.q.size());
  if (batch_ == 0) batch_ = base_pose_size;
  if (batch_ == 0) {
    refuse(ErrorCode::wrong_size, "the request holds no state; set batch_size to at least 1");
  }
  if (batch_ > max_batch) {
    refuse(ErrorCode::batch_too_large, "batch_size is " + number(batch_) + ", at most " +
                                           number(max_batch) +
                                           " are allowed; send smaller batches, or raise the "
                                           "parameter max_batch and configure again");
  }
  check_memory(std::max(
      table.nq(), table.nv()));  // a small selection of a large model is spread out to all of it
}

void Request::need_every_joint() const {
  if (joints_.complete) return;
  for (const std::string& name : table_.all().names) {
    if (std::find(joints_.names.begin(), joints_.names.end(), name) != joints_.names.end())
      continue;
    refuse(
        ErrorCode::missing_joint,
        "joint " + in_quotes(name) + " is not named, but all " + number(table_.all().names.size()) +
            " joints are needed here; name them all, or hold joints still by the parameter joints");
  }
}

void Request::check_memory(std::size_t columns) const {
  const std::size_t most = largest_array / sizeof(double) / std::max<std::size_t>(columns, 1);
  if (batch_ > most) {
    refuse(ErrorCode::batch_too_large,
           number(batch_) + " states of " + number(columns) +
               " numbers would take more memory than is allowed; " +
               (most == 0 ? "this model is too large for this service"
                          : "send at most " + number(most) + " states"));
  }
}

void Request::check_size(const NamedArray& array, std::size_t columns,
                         const std::string& columns_are) const {
  const std::size_t size = array.values.size();
  if (size == batch_ * columns) return;
  refuse(ErrorCode::wrong_size, std::string(array.name) + " has " + number(size) +
                                    " elements, expected " + number(batch_ * columns) + ": " +
                                    number(batch_) + " states x " + number(columns) + " " +
                                    columns_are);
}

void Request::check_base(const NamedArray& base, std::size_t columns) const {
  const std::size_t size = base.values.size() / columns;
  if (!table_.floating_base() && size != 0) {
    refuse(ErrorCode::wrong_size,
           std::string(base.name) + " has " + number(size) +
               " elements, but the base is fixed; leave it empty, or set the "
               "parameter base to floating and configure again");
  }
  if (table_.floating_base() && size != batch_) {
    refuse(ErrorCode::wrong_size, std::string(base.name) + " has " + number(size) +
                                      " elements, expected " + number(batch_) +
                                      ", one for each state: the base is floating");
  }
}

ModelArray Request::positions(const NamedArray& position, const NamedArray& base_pose) const {
  check_size(position, joints_.q.size(), "coordinates of the joints");
  check_base(base_pose, pose_size);
  if (in_model_order()) return ModelArray(position.values);
  const std::vector<double>& rest = table_.rest_position();
  std::vector<double> q(batch_ * rest.size());
  for (std::size_t state = 0; state < batch_; ++state) {
    std::copy(rest.begin(), rest.end(),
              q.begin() + static_cast<std::ptrdiff_t>(state * rest.size()));
  }
  put_base(base_pose.values, pose_size, rest.size(), q);
  put(position.values, joints_.q, rest.size(), q);
  return ModelArray(std::move(q));
}

ModelArray Request::rates(const NamedArray& rate, const NamedArray& base_rate) const {
  if (!rate.values.empty()) check_size(rate, joints_.v.size(), "degrees of freedom of the joints");
  if (!base_rate.values.empty()) check_base(base_rate, twist_size);
  if (in_model_order()) return ModelArray(rate.values);
  if (rate.values.empty() && base_rate.values.empty()) return {};
  std::vector<double> v(batch_ * table_.nv(), 0.0);
  put_base(base_rate.values, twist_size, table_.nv(), v);
  put(rate.values, joints_.v, table_.nv(), v);
  return ModelArray(std::move(v));
}

void Request::take_joints(std::span<const double> tau, std::span<double> out) const {
  const std::size_t width = table_.nv(), columns = joints_.v.size();
  for (std::size_t state = 0; state < batch_; ++state) {
    for (std::size_t k = 0; k < columns; ++k) {
      out[state * columns + k] = tau[state * width + joints_.v[k]];
    }
  }
}

void Request::take_base(std::span<const double> tau, std::span<double> out) const {
  const std::size_t columns = base_columns();
  for (std::size_t state = 0; state < batch_; ++state) {
    for (std::size_t k = 0; k < columns; ++k)
      out[state * columns + k] = tau[state * table_.nv() + k];
  }
}

std::vector<std::size_t> Request::matrix_index() const {
  std::vector<std::size_t> index;
  for (std::size_t k = 0; k < base_columns(); ++k) index.push_back(k);
  index.insert(index.end(), joints_.v.begin(), joints_.v.end());
  return index;
}

void Request::take_matrix(std::span<const double> matrix, std::span<double> out) const {
  const std::vector<std::size_t> index = matrix_index();
  const std::size_t width = table_.nv(), rows = index.size();
  for (std::size_t state = 0; state < batch_; ++state) {
    const double* from = matrix.data() + state * width * width;
    double* to = out.data() + state * rows * rows;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) to[i * rows + j] = from[index[i] * width + index[j]];
    }
  }
}

}  // namespace rbd_parallel_ros
