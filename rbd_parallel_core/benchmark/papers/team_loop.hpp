// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace rbd_parallel_core {
class Team;
}

namespace rbd_bench {

// The threads of the backend tree as a loop to build executors with (executor.hpp): they stay
// together for all loops of one call, so that the next one starts in less than a microsecond.
class TeamLoop {
 public:
  explicit TeamLoop(int threads);

  int threads() const;

  // Runs work(), in which the loop may be used.
  void call(const std::function<void()>& work) const;

  template <class F>
  void operator()(std::int32_t count, const F& f) const {
    run(
        count, [](const void* body, std::int32_t k) { (*static_cast<const F*>(body))(k); }, &f);
  }

 private:
  using Round = void (*)(const void* body, std::int32_t k);
  void run(std::int32_t count, Round round, const void* body) const;

  std::shared_ptr<rbd_parallel_core::Team> team_;
};

}  // namespace rbd_bench
