// What the planner makes of golden and random questions passes the checker: nothing is refused, and little is raised.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "kernel/checked_plan.h"
#include "tests/kernel_check/golden_plans.h"
#include "tests/query_bruteforce/cases.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

class Checked {
 public:
  void See(const Plan& plan, const Policy& policy, const std::string& about) {
    bool raised = false;
    const auto checked = RaiseAndCheck(plan, policy, raised);
    ++plans_;
    if (!checked) {
      ++refused_;
      std::cout << about << "\n" << checked.error().Text() << "\n";
      return;
    }
    if (!raised) return;
    ++raised_;
    if (plan.noisy().empty()) ++free_;  // as the planner knows that nothing can be counted
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
      const auto was = static_cast<double>(plan.statistics[k].change.l1().steps());
      const auto is = static_cast<double>(checked->plan().statistics[k].change.l1().steps());
      if (was > 0) most_ = std::max(most_, is / was);
    }
    if (std::getenv("KITH_SHOW")) std::cout << about.substr(0, 400) << "\n";
  }
  void Report(const char* of) const {
    std::cout << of << ": " << plans_ << " plans, " << refused_ << " refused, " << raised_ << " raised, " << free_
              << " of them from nothing, others at most " << most_ << "-fold\n";
  }
  int plans() const { return plans_; }
  int raised() const { return raised_; }
  int refused() const { return refused_; }

 private:
  int plans_ = 0, raised_ = 0, refused_ = 0, free_ = 0;
  double most_ = 1;
};

TEST(KernelCheckPlans, GoldenQuestions_KERNEL8) {
  Checked all;
  for (const GoldenPlan& of : GoldenPlans()) all.See(of.plan, of.policy, of.about);
  all.Report("golden questions");
  EXPECT_GT(all.plans(), 400);
  EXPECT_EQ(all.refused(), 0);
  EXPECT_LE(all.raised(), 1);  // per_group_secret: a group's column that is compared as it is stored
}

TEST(KernelCheckPlans, RandomQuestions_KERNEL8) {
  Dice dice(stat::SeedForThisTest());
  Checked all;
  std::size_t refused = 0;
  const char* longer = std::getenv("KITH_CHECKED_CASES");
  for (int i = 0; i < (longer ? std::atoi(longer) : 2000); ++i) {
    const auto ask = [&](QuestionMaker& maker) {
      return i % 3 == 0 ? maker.Simple() : i % 3 == 1 ? maker.OneAggregate() : maker.Many();
    };
    const Case c = NextCase(dice, ask, refused, i % 4 == 0 ? 45 : 0);
    all.See(c.plan, c.policy, About(c));
  }
  all.Report("random questions");
  EXPECT_LT(all.raised(), all.plans() / 50);
  EXPECT_LE(all.refused(), all.plans() / 500);  // what would be raised to more than any noise is made for
}

}  // namespace
}  // namespace kith::testing
