// SPDX-License-Identifier: Apache-2.0
#include "bad_input.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;

bool is_finite(double number) { return std::isfinite(number); }

std::string word_for(double number) {
  return std::isnan(number) ? "NaN" : number > 0 ? "infinite" : "minus infinite";
}

/// Where the quaternion of a joint's coordinates starts; -1: they have none.
int quaternion_of(const core::Joint& joint) {
  if (joint.kind == core::JointKind::floating) return 3;
  return joint.kind == core::JointKind::spherical ? 0 : -1;
}

std::string fault_of_joint(const Input& input, const core::Joint& joint,
                           std::span<const double> state, const std::string& called) {
  const bool positions = input.columns == Input::Columns::q;
  const auto first = static_cast<std::size_t>(positions ? joint.q_index : joint.v_index);
  const auto size = static_cast<std::size_t>(positions ? joint.nq : joint.nv);
  const std::span<const double> numbers = state.subspan(first, size);
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), is_finite);
  if (bad != numbers.end()) {
    return called + " is " + word_for(*bad) + ", expected finite numbers";
  }
  const int quaternion = positions ? quaternion_of(joint) : -1;
  if (quaternion < 0) return "";
  const auto of_rotation = numbers.subspan(static_cast<std::size_t>(quaternion), 4);
  const bool zero =
      std::all_of(of_rotation.begin(), of_rotation.end(), [](double x) { return x == 0; });
  return zero ? called + " has a quaternion of zeros, expected one of length 1" : "";
}

std::string fault_of(const Input& input, const core::Model& model, bool floating_base,
                     std::size_t state) {
  if (input.values.empty()) return "";  // stands for zeros
  const auto width =
      static_cast<std::size_t>(input.columns == Input::Columns::q ? model.nq() : model.nv());
  const std::span<const double> numbers = input.values.subspan(state * width, width);
  for (const core::Joint& joint : model.joints()) {
    if (joint.mimic) continue;
    const bool base = floating_base && joint.body == 0;
    const std::string called =
        base ? input.base : std::string(input.joints) + " of joint " + in_quotes(joint.name);
    std::string fault = fault_of_joint(input, joint, numbers, called);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string fault_of(const core::ExternalWrenches& wrenches, const core::Model& model,
                     std::size_t state) {
  const std::size_t width = 6 * wrenches.links.size();
  for (std::size_t k = 0; k < width; ++k) {
    const double number = wrenches.wrenches[state * width + k];
    if (is_finite(number)) continue;
    const auto link = static_cast<std::size_t>(wrenches.links[k / 6]);
    return "a wrench on link " + in_quotes(model.links()[link].name) + " is " + word_for(number) +
           ", expected finite numbers";
  }
  return "";
}

}  // namespace

std::string bad_input(const Inputs& inputs, const core::Model& model, std::size_t state) {
  for (const Input& input : inputs.arrays) {
    std::string fault = fault_of(input, model, inputs.floating_base, state);
    if (!fault.empty()) return fault;
  }
  return fault_of(inputs.wrenches, model, state);
}

}  // namespace rbd_parallel_ros
