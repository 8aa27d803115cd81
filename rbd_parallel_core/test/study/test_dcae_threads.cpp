// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "method_rig.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/robots.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"

namespace rbd_parallel_core {
namespace {

using Numbers = std::vector<double>;

/// A chain with a state in which everything moves, and a force on every body.
class Chain {
 public:
  explicit Chain(int bodies)
      : model_(auto_tree({.bodies = bodies, .skew = 0.3})), rig_(model_), forces_(size(bodies)) {
    conformance::Random random(static_cast<unsigned>(bodies));
    rig_.set_state(random.numbers(size(bodies), 3), random.numbers(size(bodies), 1),
                   random.numbers(size(bodies), 1));
    for (Force<double>& f : forces_) f = {random.vector(1), random.vector(1)};
  }
  template <class Exec>
  Numbers dcae(const Exec& executor, int blocks) {
    rig_.by_dcae(executor, blocks, 0.5, Column<Force<double>>{forces_.data()});
    return rig_.result();
  }
  Numbers aba() {
    rig_.by_aba(Column<Force<double>>{forces_.data()});
    return rig_.result();
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  Model model_;
  MethodRig<double> rig_;
  std::vector<Force<double>> forces_;
};

double difference(const Numbers& a, const Numbers& b) {
  double largest = 0, scale = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(a[k] - b[k]));
    scale = std::max(scale, std::abs(b[k]));
  }
  return largest / scale;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Velocities pass from block to block, with blocks of one body and others that sincos_all would
/// round up to the next one's.
TEST(DcaeThreads, BlocksOfEveryLengthAgreeWithAba) {
  for (const int bodies : {2, 3, 5, 9, 70, 131}) {
    const Numbers expected = Chain(bodies).aba();
    for (int blocks = 2; blocks <= std::min(bodies, 9); ++blocks) {
      Chain chain(bodies);  // a new one, since what an earlier call left would hide what is missing
      EXPECT_LE(difference(chain.dcae(SequentialExecutor{}, blocks), expected), 1e-11)
          << bodies << " bodies, " << blocks << " blocks";
    }
  }
}

TEST(DcaeThreads, EveryNumberOfThreadsGivesTheSameBits) {
  for (const int bodies : {9, 131, 500}) {
    Chain chain(bodies);
    for (const int blocks : {2, 3, 8}) {
      const Numbers one = chain.dcae(SequentialExecutor{}, blocks);
      for (const int threads : {1, 2, 3}) {
        const BlockedExecutor executor{ThreadedLoop(threads)};
        for (int k = 0; k < 20; ++k) {
          ASSERT_TRUE(same_bits(chain.dcae(executor, blocks), one))
              << bodies << " bodies, " << blocks << " blocks, " << threads << " threads";
        }
      }
    }
    EXPECT_FALSE(
        same_bits(chain.dcae(SequentialExecutor{}, 2), chain.dcae(SequentialExecutor{}, 3)))
        << "the comparison cannot tell results apart";
  }
}

}  // namespace
}  // namespace rbd_parallel_core
