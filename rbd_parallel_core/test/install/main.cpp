// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <memory>
#include <rbd_parallel_core/backend.hpp>
#include <rbd_parallel_core/model/load_urdf.hpp>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) return std::puts("usage: torques ROBOT.urdf"), 2;
  const auto model =
      std::make_shared<const rbd_parallel_core::Model>(rbd_parallel_core::load_urdf(argv[1]));
  const auto backend = rbd_parallel_core::make_backend("cpu");
  backend->configure(model);  // takes all memory; no call below allocates

  const std::vector<double> q = model->neutral(), v(model->nv(), 0.5), a(model->nv(), 0.0);
  std::vector<double> tau(model->nv());
  const auto result = backend->inverse_dynamics({.q = q, .v = v, .a = a, .tau = tau});
  if (!result) return std::puts(message(result).c_str()), 1;
  for (int i = 0; i < model->nv(); ++i)
    std::printf("%s: %.4f\n", model->joints()[model->joint_of_dof(i)].name.c_str(), tau[i]);
} catch (const std::exception& error) {  // loading and configuring throw, computing does not
  return std::puts(error.what()), 1;
}
