// SPDX-License-Identifier: Apache-2.0
//
// The threads of a backend: every task runs once, on a thread that has no other at the time;
// sleepers are woken; and teams may be made, used and destroyed in any number. What may not lock up
// is run to its end.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "backend/kernels/tiles.hpp"
#include "team.hpp"

namespace rbd_parallel_core {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

constexpr microseconds long_spin = 10s;

/// Whether `condition` comes true before long.
bool comes_true(const std::function<bool()>& condition) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - start > 20s) return false;
    std::this_thread::yield();
  }
  return true;
}

/// A phase of as many tasks as threads, none of which ends before all have begun: whether all came.
bool all_come(Team& team) {
  std::atomic<int> begun = 0;
  std::atomic<bool> came = true;
  team.phase(team.threads(), [&](std::int32_t, int) {
    ++begun;
    if (!comes_true([&] { return begun == team.threads(); })) came = false;
  });
  return came;
}

/// How often each task of a phase ran. Fails where two ran on one thread at a time.
std::vector<int> runs_of(Team& team, std::int32_t count) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
  std::vector<std::atomic<bool>> busy(static_cast<std::size_t>(team.threads()));
  std::atomic<int> clashes = 0;
  team.phase(count, [&](std::int32_t k, int thread) {
    std::atomic<bool>& mine = busy.at(static_cast<std::size_t>(thread));
    if (mine.exchange(true)) ++clashes;
    ++runs[static_cast<std::size_t>(k)];
    mine = false;
  });
  EXPECT_EQ(clashes, 0);
  return {runs.begin(), runs.end()};
}

TEST(Team, EveryTaskRunsOnce) {
  for (const int threads : {1, 2, 3, 5}) {
    for (const microseconds spin : {0us, 200us}) {
      Team team(threads, spin);
      for (const std::int32_t count : {0, 1, 2, 3, 4, 7, 64, 1000, 16384, 16385, 100000}) {
        EXPECT_EQ(runs_of(team, count), std::vector<int>(static_cast<std::size_t>(count), 1))
            << threads << " threads";
      }
    }
  }
}

TEST(Team, ManyShortPhasesLoseNothing) {
  for (const microseconds spin : {0us, 20us, 200us}) {
    Team team(3, spin);
    std::int64_t sum = 0;
    std::atomic<std::int64_t> found = 0;
    for (int phase = 0; phase < 3000; ++phase) {
      const int count = 1 + phase % 17;
      sum += count * (count - 1) / 2;
      team.phase(count, [&](std::int32_t k, int) { found += k; });
      if (phase % 500 == 0) std::this_thread::sleep_for(1ms);  // all of them fall asleep
    }
    EXPECT_EQ(found, sum);
  }
}

TEST(Team, EveryTaskIsDoneOnceInEveryPhase) {
  for (const int threads : {1, 2, 5}) {
    Team team(threads, 50us);
    for (int call = 0; call < 200; ++call) {
      std::vector<std::atomic<int>> done(100);
      int phases = 0;
      team.call([&] {
        for (int count : {100, 1, 0, 7, 100, 2, 31}) {
          team.phase(count, [&](std::int32_t k, int thread) {
            EXPECT_LT(thread, threads);
            done[static_cast<std::size_t>(k)].fetch_add(1, std::memory_order_relaxed);
          });
          // What a phase did is seen by who leads.
          int sum = 0;
          for (auto& d : done) sum += d.exchange(0, std::memory_order_relaxed);
          EXPECT_EQ(sum, count);
          ++phases;
        }
      });
      ASSERT_EQ(phases, 7) << "the work was done once";
    }
  }
}

TEST(Team, WakesThoseWhoSleep) {
  Team team(3, 0us);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(comes_true([&] { return team.asleep(); }));
    std::this_thread::sleep_for(1ms);  // fast asleep
    ASSERT_TRUE(all_come(team));
  }
}

/// Whether waking somebody pays is judged by the call, or by a series of short ones.
TEST(Team, ShortCallsAreNotWorthWakingUnlessTheyFollowOneAnother) {
  Team team(2, 2000us);
  ASSERT_TRUE(all_come(team));
  EXPECT_TRUE(team.worth_calling(1)) << "all are awake";
  ASSERT_TRUE(comes_true([&] { return team.asleep(); }));
  EXPECT_TRUE(team.worth_calling(100)) << "a long call";
  for (int k = 0; k < 20; ++k) {
    std::this_thread::sleep_for(3ms);  // longer than a series may pause
    EXPECT_FALSE(team.worth_calling(30)) << "one short call";
  }
  EXPECT_TRUE(comes_true([&] { return team.worth_calling(30); })) << "a series of them";
}

TEST(Team, WorkersStayAwakeAsLongAsTheyAreTold) {
  Team team(2, long_spin);
  ASSERT_TRUE(all_come(team));
  std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(team.asleep());
}

TEST(Team, WorkersStayAwakeInACall) {
  Team team(2, 0us);
  team.call([&] {
    ASSERT_TRUE(all_come(team));
    std::this_thread::sleep_for(2ms);
    EXPECT_FALSE(team.asleep());
  });
  EXPECT_TRUE(comes_true([&] { return team.asleep(); }));
}

/// Some of the threads alone may be called; the others do nothing.
TEST(Team, CallsNoMoreThreadsThanItMay) {
  Team team(4, 200us);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> beyond = 0;
    team.phase(50, 2, [&](std::int32_t, int thread) {
      if (thread > 1) ++beyond;
      std::this_thread::sleep_for(20us);  // time enough for others to come
    });
    EXPECT_EQ(beyond, 0);
  }
}

TEST(Team, MayBeDestroyedAtAnyTime) {
  for (const microseconds spin : {0us, 50us, long_spin}) {
    for (int round = 0; round < 60; ++round) {
      Team team(3, spin);
      for (int phase = 0; phase < round % 4; ++phase) runs_of(team, 10);
      if (round % 10 == 0) std::this_thread::sleep_for(200us);
    }
  }
}

/// Far more threads than cores: nothing locks up, and nothing is lost.
TEST(Team, ManyTeamsAtOnce) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&wrong, caller] {
      for (int round = 0; round < 8; ++round) {
        Team team(2 + (caller + round) % 3, microseconds(100 * (round % 3)));
        for (int phase = 0; phase < 60; ++phase) {
          if (runs_of(team, 40) != std::vector<int>(40, 1)) ++wrong;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

#if defined(__linux__)
/// For waking it may be kept off a core, but not afterwards.
TEST(Team, WorkersMayUseTheCoresOfTheirCaller) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  Team team(2, 0us);
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(comes_true([&] { return team.asleep(); }));
    std::atomic<int> begun = 0, narrower = 0;
    team.phase(2, [&](std::int32_t, int) {
      ++begun;
      EXPECT_TRUE(comes_true([&] { return begun == 2; }));
      cpu_set_t cores;
      sched_getaffinity(0, sizeof(cores), &cores);
      if (!CPU_EQUAL(&cores, &mine)) ++narrower;
    });
    EXPECT_EQ(narrower, 0);
  }
}
#endif

#ifndef __SANITIZE_THREAD__  // it has threads of its own, which a fork does not copy either
/// A child process has the team but not its workers: it does all itself, and can end.
TEST(Team, WorksWithoutWorkersAfterAFork) {
  for (const microseconds spin : {0us, long_spin}) {
    auto team = std::make_unique<Team>(3, spin);
    runs_of(*team, 10);
    if (spin == 0us) {
      ASSERT_TRUE(comes_true([&] { return team->asleep(); }));
    }
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);  // ends a child that waits for workers
      bool good = true;
      for (int k = 0; k < 20; ++k) {
        team->call([&] { good = good && runs_of(*team, 100) == std::vector<int>(100, 1); });
      }
      team.reset();
      _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(all_come(*team)) << "the parent has its workers still";
  }
}
#endif

// ---- tiles
// ---------------------------------------------------------------------------------------

TEST(Tiles, SmallBatchesStayOnTheirThread) {
  const Tiles tiles(4, 4, 0us);
  EXPECT_EQ(tiles.cut(1000, 10).threads, 1);
  EXPECT_EQ(tiles.cut(1000, 1000).threads, 4);
  EXPECT_EQ(tiles.cut(1, 1000).threads, 1) << "there is one pack";
  EXPECT_EQ(tiles.cut(8, 1000).threads, 2) << "there are two packs";
  EXPECT_LT(tiles.cut(1000, 20).threads, 4) << "each thread has a share that is worth calling it";
}

TEST(Tiles, MakeUpTheBatch) {
  for (const int threads : {2, 3, 8}) {
    Tiles tiles(threads, 4, 200us);
    for (const std::size_t batch : {1, 2, 5, 64, 1000, 1001, 4099, 100000}) {
      for (const double us : {1.0, 30.0, 300.0, 1e5}) {
        const Tiles::Cut cut = tiles.cut(batch, us);
        EXPECT_TRUE(cut.threads == 1 || cut.tile % 4 == 0);
        EXPECT_GE(cut.count * cut.tile, batch);
        EXPECT_LT((cut.count - 1) * cut.tile, batch);
        std::vector<std::atomic<int>> visits(batch);
        tiles.run(batch, us, [&](StateRange range, std::size_t) {
          for (std::size_t s = range.begin; s < range.end; ++s) ++visits[s];
        });
        EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
      }
    }
  }
}

/// Whether waking somebody pays is judged by the call, or by a series of short ones.
TEST(Tiles, ShortCallsWakeNobodyUnlessTheyFollowOneAnother) {
  Tiles tiles(2, 1, 2000us);
  const auto is_helped = [&](double us) {
    std::atomic<bool> helped = false;
    tiles.run(64, us, [&](StateRange, std::size_t thread) {
      if (thread > 0) helped = true;
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < 5us) {
      }
    });
    return helped.load();
  };
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(comes_true([&] { return tiles.asleep(); }));
    std::this_thread::sleep_for(3ms);  // longer than a series may pause
    EXPECT_FALSE(is_helped(30)) << "one short call";
  }
  EXPECT_TRUE(comes_true([&] { return is_helped(30); })) << "a series of short calls";
  ASSERT_TRUE(comes_true([&] { return tiles.asleep(); }));
  EXPECT_TRUE(comes_true([&] { return is_helped(300); })) << "long calls";
}

}  // namespace
}  // namespace rbd_parallel_core
