#include "base/meter.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

Result<int> Steps(std::uint64_t most, const CancelFlag& cancel, std::uint64_t wanted) {
  return Metered(most, cancel, [&]() -> Result<int> {
    for (std::uint64_t k = 0; k < wanted; ++k) Meter::Count(1);
    return 7;
  });
}

TEST(Meter, EndsAtTheSameStepEachTime) {
  const CancelFlag cancel;
  EXPECT_EQ(Steps(100'000, cancel, 100'000).value(), 7);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(Steps(100'000, cancel, 100'001).error().code, Code::kUnsupportedQuery);
  EXPECT_EQ(Steps(Meter::kNoLimit, cancel, 100'001).value(), 7);
}

TEST(Meter, SeesTheFlag) {
  CancelFlag cancel;
  cancel.Cancel();
  EXPECT_EQ(Steps(Meter::kNoLimit, cancel, 10'000).error().code, Code::kCancelled);
  const auto looked = Metered(Meter::kNoLimit, cancel, []() -> Result<int> {
    Meter::Look();
    return 7;
  });
  EXPECT_EQ(looked.error().code, Code::kCancelled);
}

TEST(Meter, WorkInsideWorkCountsThere) {
  const CancelFlag cancel;
  const auto nested = [&](std::uint64_t each) {
    return Metered(1000, cancel, [&]() -> Result<int> {
      for (int k = 0; k < 2; ++k) {
        if (auto done = Steps(1'000'000, cancel, each); !done) return done;
      }
      return 7;
    });
  };
  EXPECT_TRUE(nested(500));
  EXPECT_EQ(nested(501).error().code, Code::kUnsupportedQuery);
}

TEST(Meter, NothingIsStoppedInAPause) {
  CancelFlag cancel;
  cancel.Cancel();
  const auto paused = Metered(0, cancel, []() -> Result<int> {
    const Meter::Pause pause;
    Meter::Count(1);
    Meter::Look();
    return 7;
  });
  EXPECT_EQ(paused.value(), 7);
}

TEST(Meter, NothingIsCountedElsewhere) {
  Meter::Count(Meter::kNoLimit);
  Meter::Look();
  EXPECT_EQ(Meter::flag(), nullptr);
}

}  // namespace
}  // namespace kith
