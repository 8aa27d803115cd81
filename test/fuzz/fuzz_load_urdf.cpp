// SPDX-License-Identifier: Apache-2.0
//
// Law: any text is either refused with reasons, or becomes a robot that is whole.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_parallel_core {
namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the law does not hold: %s\n", what);
  std::abort();
}

bool finite(const Vec3<double>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

void expect_whole(const Model& model) {
  int nv = 0;
  const auto count = static_cast<std::size_t>(model.body_count());
  for (std::size_t i = 0; i < count; ++i) {
    const Joint& joint = model.joints()[i];
    expect(joint.parent < static_cast<int>(i), "a body stands after its parent");
    expect(joint.q_index >= 0 && joint.q_index + joint.nq <= model.nq(), "q has the joint");
    expect(joint.v_index >= 0 && joint.v_index + joint.nv <= model.nv(), "v has the joint");
    if (!joint.mimic) nv += joint.nv;
    expect(finite(model.view().body[i].placement.r), "placements are finite");
    expect(std::isfinite(model.view().body[i].inertia.m), "masses are finite");
  }
  expect(nv == model.nv(), "nv is the sum over the joints");
  expect(model.neutral().size() == static_cast<std::size_t>(model.nq()), "neutral has size nq");
  std::set<std::string_view> names;
  for (const Link& link : model.links()) {
    expect(link.body < model.body_count(), "the body of a link is there");
    expect(names.insert(link.name).second, "names of links are unique");
    expect(model.find_link(link.name).has_value(), "links are found by name");
  }
  expect(!model.tree().empty(), "the tree can be shown");
  for (const std::string& warning : model.warnings()) expect(!warning.empty(), "warnings speak");
}

/// The options are taken from the length of the text, so that the inputs are plain URDFs.
ModelOptions options_for(std::size_t size) {
  ModelOptions options;
  options.base = size % 2 == 0 ? Base::fixed : Base::floating;
  options.mimic = size / 2 % 2 == 0 ? MimicPolicy::honour : MimicPolicy::independent;
  options.inertia_policy =
      std::array{InertiaPolicy::warn, InertiaPolicy::error, InertiaPolicy::zero}[size / 4 % 3];
  return options;
}

}  // namespace
}  // namespace rbd_parallel_core

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rbd_parallel_core;
  try {
    expect_whole(load_urdf_string({reinterpret_cast<const char*>(data), size}, options_for(size)));
  } catch (const ModelError& error) {
    expect(!error.faults().empty(), "a refusal has a reason");
    for (const std::string& fault : error.faults()) expect(!fault.empty(), "reasons speak");
  }
  return 0;
}
