// SPDX-License-Identifier: Apache-2.0
#include "team_loop.hpp"

#include <chrono>

#include "rbd_parallel_core/spin.hpp"
#include "team.hpp"

namespace rbd_bench {

TeamLoop::TeamLoop(int threads)
    : team_(std::make_shared<rbd_parallel_core::Team>(
          threads, std::chrono::microseconds(rbd_parallel_core::default_spin_us))) {}

int TeamLoop::threads() const { return team_->threads(); }

void TeamLoop::call(const std::function<void()>& work) const { team_->call(work); }

void TeamLoop::run(std::int32_t count, Round round, const void* body) const {
  team_->phase(count, [&](std::int32_t k, int) { round(body, k); });
}

}  // namespace rbd_bench
