#include "kernel/checked_plan.h"

#include <gtest/gtest.h>

#include <functional>

namespace kith {
namespace {

Policy TestPolicy() {
  return Policy::
      Parse("[data]\nfrozen = true\ntables.t = \"t.parquet\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 2\n"
            "presence = \"public\"\n[columns.t]\nid = { type = \"integer\" }\nward = { values = [\"a\", \"b\"], public "
            "= true, required = true }\nage = { lower = 0, upper = 90 }\n[dependence]\nsource = \"public\"\nkind = "
            "\"independent\"\n[budget]\nepsilon = 1.0\nledger = \"l\"\n",
            "checked.toml")
          .value();
}

Plan PlanOf(const std::string& sql) { return PlanQuestion(sql, TestPolicy()).value(); }

Plan Changed(const std::string& sql, const std::function<void(Plan&)>& change) {
  Plan plan = PlanOf(sql);
  change(plan);
  return plan;
}

void Halve(Statistic& statistic) {
  const std::int64_t l1 = statistic.change.l1().steps() / 2;
  statistic.change = Sensitivities::Make(l1, l1 * l1, std::min(l1, statistic.change.groups())).value();
}

constexpr char kGrouped[] = "SELECT ward, count(*), avg(age) FROM t WHERE age > 10 GROUP BY ward";
constexpr char kMedian[] = "SELECT ward, median(age) FROM t GROUP BY ward";

TEST(CheckedPlan, HoldsThePlanThatWasChecked_KERNEL8) {
  for (const char* sql : {kGrouped, kMedian, "SELECT count(*), median(age) FROM t"}) {
    const auto checked = CheckPlan(PlanOf(sql), TestPolicy());
    ASSERT_TRUE(checked) << sql << checked.error().Text();
    EXPECT_EQ(checked->plan().normalised, PlanOf(sql).normalised);
  }
}

// Whatever noise is derived from is compared: of sums and of ranks, cells, rows and groups.
TEST(CheckedPlan, PlansThatSayLessDoNotPass_KERNEL8) {
  const std::vector<Plan> less = {
      Changed(kGrouped, [](Plan& plan) { Halve(plan.statistics[0]); }),
      Changed(kGrouped, [](Plan& plan) { Halve(plan.statistics[1]); }),
      Changed(kGrouped, [](Plan& plan) { plan.statistics[0].presence = Sensitivities::None(); }),
      Changed(kGrouped, [](Plan& plan) { plan.charged.back() = false; }),
      Changed(kGrouped, [](Plan& plan) { plan.unit_rows = 1; }),
      Changed(kGrouped, [](Plan& plan) { plan.keys[0].values.pop_back(); }),
      Changed(kGrouped, [](Plan& plan) { plan.statistics.pop_back(); }),
      Changed(kGrouped,
              [](Plan& plan) {
                plan.levels = {{true}, {false}};
              }),
      Changed(kGrouped,
              [](Plan& plan) {
                plan.statement = PlanOf("SELECT ward, count(*), sum(age) FROM t GROUP BY ward").statement;
              }),
      Changed(kMedian, [](Plan& plan) { Halve(plan.statistics[0]); }),
      Changed(kMedian, [](Plan& plan) { plan.charged.front() = false; }),
      Changed(kMedian,
              [](Plan& plan) {
                Quantile other = *plan.statistics[0].quantile;
                other.candidates.resize(3);
                plan.statistics[0].quantile = std::make_shared<const Quantile>(std::move(other));
              }),
  };
  for (std::size_t k = 0; k < less.size(); ++k) {
    const auto checked = CheckPlan(less[k], TestPolicy());
    ASSERT_FALSE(checked) << k;
    EXPECT_EQ(checked.error().code, Code::kUnsupportedQuery) << k;
  }
}

}  // namespace
}  // namespace kith
