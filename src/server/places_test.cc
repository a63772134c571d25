#include "server/places.h"

#include <gtest/gtest.h>

#include <vector>

namespace kith::server {
namespace {

TEST(Places, OneUserHasNoMoreThanAPartOfThem) {
  Places places(3, 2);
  std::vector<Places::Place> held;
  for (const bool given : {true, true, false}) {
    auto place = places.Take("ada");
    ASSERT_EQ(place != nullptr, given);
    if (place) held.push_back(std::move(place));
  }
  auto other = places.Take("bob");
  EXPECT_TRUE(other) << "one place is left for somebody else";
  EXPECT_FALSE(places.Take("eve")) << "all are taken";
  other.reset();
  EXPECT_TRUE(places.Take("eve"));
  EXPECT_FALSE(places.Take("ada"));
  held.clear();
  EXPECT_TRUE(places.Take("ada")) << "what was given back is there again";
}

TEST(Places, APlaceThatWasMovedIsGivenBackOnce) {
  Places places(1, 1);
  {
    auto first = places.Take("ada");
    ASSERT_TRUE(first);
    const Places::Place moved = std::move(first);
    first.reset();
    EXPECT_FALSE(places.Take("ada")) << "still held";
  }
  auto again = places.Take("ada");
  EXPECT_TRUE(again);
  EXPECT_FALSE(places.Take("ada")) << "there is one";
}

}  // namespace
}  // namespace kith::server
