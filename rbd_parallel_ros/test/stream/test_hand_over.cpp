// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "stream/hand_over.hpp"

namespace rbd_parallel_ros {
namespace {

/// Counts how many there are, and who ends them.
struct Thing {
  explicit Thing(int its_number) : number(its_number) { ++alive; }
  ~Thing() {
    --alive;
    ended_by = std::this_thread::get_id();
  }
  int number;
  static inline std::atomic<int> alive{0};
  static inline std::atomic<std::thread::id> ended_by{};
};

TEST(HandOver, NothingOfferedChangesNothing) {
  HandOver<Thing> hand_over;
  auto current = std::make_unique<Thing>(1);
  EXPECT_FALSE(hand_over.take(current));
  EXPECT_EQ(current->number, 1);
}

TEST(HandOver, TheTakerEndsNothing) {
  {
    HandOver<Thing> hand_over;
    auto current = std::make_unique<Thing>(1);
    hand_over.offer(std::make_unique<Thing>(2));
    EXPECT_TRUE(hand_over.take(current));
    EXPECT_EQ(current->number, 2);
    EXPECT_EQ(Thing::alive, 2) << "the old one waits for the giver";
    hand_over.offer(std::make_unique<Thing>(3));
    EXPECT_EQ(Thing::alive, 2);
    hand_over.offer(std::make_unique<Thing>(4));
    EXPECT_EQ(Thing::alive, 2) << "what was not taken is gone";
    EXPECT_TRUE(hand_over.take(current));
    EXPECT_EQ(current->number, 4);
  }
  EXPECT_EQ(Thing::alive, 0);
}

TEST(HandOver, BetweenThreads) {
  {
    HandOver<Thing> hand_over;
    auto current = std::make_unique<Thing>(0);
    std::atomic<bool> done{false};
    std::thread taker([&] {
      int last = 0;
      while (!done || hand_over.take(current)) {
        if (hand_over.take(current)) {
          EXPECT_GT(current->number, last);
          last = current->number;
        }
      }
    });
    for (int i = 1; i <= 20000; ++i) hand_over.offer(std::make_unique<Thing>(i));
    done = true;
    taker.join();
    EXPECT_EQ(current->number, 20000);
    EXPECT_EQ(Thing::ended_by, std::this_thread::get_id());
  }
  EXPECT_EQ(Thing::alive, 0);
}

}  // namespace
}  // namespace rbd_parallel_ros
