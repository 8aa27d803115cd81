// SPDX-License-Identifier: Apache-2.0
#include "nearest_name.hpp"

#include <gtest/gtest.h>

namespace rbd_parallel_ros {
namespace {

const std::vector<std::string> known{"effort_mode", "effort_limits", "on_stale", "max_batch",
                                     "base",        "base_state",    "joints"};

TEST(NearestName, CountsLettersToChange) {
  EXPECT_EQ(edits_between("", ""), 0u);
  EXPECT_EQ(edits_between("", "abc"), 3u);
  EXPECT_EQ(edits_between("abc", ""), 3u);
  EXPECT_EQ(edits_between("kitten", "sitting"), 3u);
  EXPECT_EQ(edits_between("on_stael", "on_stale"), 2u);
  EXPECT_EQ(edits_between("joints", "joints"), 0u);
}

TEST(NearestName, FindsWhatWasProbablyMeant) {
  EXPECT_EQ(nearest_name("effort_mod", known), "effort_mode");
  EXPECT_EQ(nearest_name("on_stael", known), "on_stale");
  EXPECT_EQ(nearest_name("maxbatch", known), "max_batch");
  EXPECT_EQ(nearest_name("joint", known), "joints");
  EXPECT_EQ(nearest_name("bas", known), "base");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("speed", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), known), "");
  EXPECT_EQ(nearest_name("joints", {}), "");
}

}  // namespace
}  // namespace rbd_parallel_ros
