// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace rbd_bench {
namespace {

constexpr std::uint64_t kSeed = 11;

// Makes a state of the kind out of an ordinary one: factors for angles, and for rates and torques.
struct Kind {
  const char* name;
  double angle, rate;
};

// Angles above 1e5 rad take their sines from the C library. Products of two rates of 1e-160 are
// denormal, and so are numbers below 2.2e-308 themselves.
constexpr Kind kKinds[] = {
    {"ordinary", 1, 1},
    {"zero", 0, 0},
    {"large angles", 1e6, 1},
    {"huge angles", 1e300, 1},
    {"denormal rates", 1, 1e-310},
    {"denormal products", 1, 1e-160},
    {"denormal angles and rates", 1e-310, 1e-310},
    {"infinite", std::numeric_limits<double>::infinity(), 1},
    {"NaN", std::numeric_limits<double>::quiet_NaN(), 1},
};

void scale(std::vector<double>& numbers, double factor) {
  for (double& x : numbers) x *= factor;
}

}  // namespace

std::vector<std::string> input_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

States states_of_kind(const std::string& name, std::size_t count, std::size_t nv) {
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const Kind& k) { return k.name == name; });
  if (kind == std::end(kKinds)) {
    std::string known;
    for (const std::string& k : input_kinds()) known += "\n  " + k;
    throw std::runtime_error("no inputs of kind '" + name + "', there are" + known);
  }
  States states = random_states(count, nv, /*floating_base=*/false, kSeed);
  scale(states.q, kind->angle);
  scale(states.v, kind->rate);
  scale(states.a, kind->rate);
  scale(states.tau, kind->rate);
  return states;
}

}  // namespace rbd_bench
