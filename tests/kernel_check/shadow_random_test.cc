// The checker beside the planner, in random questions.
#include <gtest/gtest.h>

#include "tests/kernel_check/shadow.h"
#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

TEST(KernelCheckShadow, RandomQuestions) {
  Dice dice(stat::SeedForThisTest());
  Shadow shadow;
  std::size_t refused = 0;
  const char* longer = std::getenv("KITH_SHADOW_CASES");
  for (int i = 0; i < (longer ? std::atoi(longer) : 2000); ++i) {
    const auto ask = [&](QuestionMaker& maker) {
      return i % 3 == 0 ? maker.Simple() : i % 3 == 1 ? maker.OneAggregate() : maker.Many();
    };
    const Case c = NextCase(dice, ask, refused, i % 4 == 0 ? 45 : 0);
    shadow.See(About(c), c.policy, c.plan);
  }
  shadow.Report("random questions");
}

}  // namespace
}  // namespace kith::testing
