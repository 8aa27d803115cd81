// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <thread>
#include <vector>

#include "emulated_api.hpp"

namespace rbd_parallel_core {

/// A device whose threads run at the same time, as far as a CPU can: workers in two teams, each a
/// thread of this program, take turns with the blocks of a launch and with the threads of a block.
/// They wait for each other only where the threads of a device do. So where two threads of a launch
/// touch the same number and one of them writes it, ThreadSanitizer sees a race. It records
/// nothing.
struct CrowdedGpu {
  static constexpr std::int32_t teams = 2;
  static constexpr std::int32_t members = 3;  // the sizes of blocks and tiles are powers of two

  static const GpuApi& api() {
    static const GpuApi table = [] {
      GpuApi t = emulated_api();
      t.launch = [](void (*entry)(), const LaunchShape& shape, const void* body, std::size_t,
                    GpuApi::Stream) { return launch(entry, shape, body); };
      t.begin_capture = [](GpuApi::Stream) { return gpu_error::invalid_value; };
      return t;
    }();
    return table;
  }

  static int launch(void (*entry)(), const LaunchShape& shape, const void* body) {
    std::array<Team, teams> all;
    std::vector<std::thread> workers;
    for (std::int32_t team = 0; team < teams; ++team) {
      Team& own = all[static_cast<std::size_t>(team)];
      own.shared.resize(shape.shared_bytes / sizeof(std::max_align_t) + 1);
      for (std::int32_t member = 0; member < members; ++member) {
        workers.emplace_back([&own, entry, &shape, body, team, member] {
          const EmulatedWorker worker{team, teams, member, members, Team::wait, &own};
          reinterpret_cast<EmulatedEntry>(entry)(
              shape, body, reinterpret_cast<std::byte*>(own.shared.data()), worker);
        });
      }
    }
    for (std::thread& worker : workers) worker.join();
    return 0;
  }

 private:
  struct Team {
    std::vector<std::max_align_t> shared;
    std::barrier<> barrier{members};

    static void wait(void* team) { static_cast<Team*>(team)->barrier.arrive_and_wait(); }
  };
};

}  // namespace rbd_parallel_core
