// SPDX-License-Identifier: Apache-2.0
// The conformance suite on a real device. Without one it says so and is skipped.
#include <cstdio>

#include "rbd_parallel_core/testing/backend_conformance.hpp"

namespace rbd_parallel_core::conformance {

RBD_BACKEND_CONFORMANCE(GpuDevice, {.name = "cuda", .make = [] { return make_backend("cuda"); }});

}  // namespace rbd_parallel_core::conformance

int main(int argc, char** argv) {
  namespace core = rbd_parallel_core;
  ::testing::InitGoogleTest(&argc, argv);
  try {
    core::make_backend("cuda")->configure(std::make_shared<const core::Model>(
        core::conformance::mixed_tree(core::Base::fixed).model()));
  } catch (const std::runtime_error& error) {
    std::printf("test_gpu_device: Skipped\n%s\n", error.what());
    return 77;
  }
  return RUN_ALL_TESTS();
}
