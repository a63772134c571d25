// Both amounts of an answer, against every neighbour of small tables.
#include "release/presence_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "release/joint_price.h"
#include "release/strata.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

const PlainUnits kOne = PlainUnits::Of(PlainUnits::kOne);

Policy People(const std::string& unit = "key = \"id\"\nmax_rows = 2\npresence = \"secret\"") {
  return testing::MakePolicy("[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\n" + unit + R"(
[columns.people]
id = { type = "integer" }
x = { lower = -2, upper = 3 }
ill = { values = ["no", "yes"], required = true }
sex = { values = ["f", "m"], public = true, required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)");
}

// A row: x (or NULL), and the secret group.
struct Row {
  std::optional<std::int64_t> x;
  int ill = 0;
};
using Record = std::vector<Row>;

// Every record of at most `most` rows.
std::vector<Record> Records(std::size_t most) {
  std::vector<Row> rows;
  for (const int ill : {0, 1}) {
    rows.push_back({std::nullopt, ill});
    for (std::int64_t x = -2; x <= 3; ++x) rows.push_back({x, ill});
  }
  std::vector<Record> all = {{}};
  std::size_t from = 0;
  for (std::size_t n = 0; n < most; ++n) {
    const std::size_t to = all.size();
    for (std::size_t i = from; i < to; ++i) {
      for (const Row& row : rows) {
        all.push_back(all[i]);
        all.back().push_back(row);
      }
    }
    from = to;
  }
  return all;
}

// What a record adds: statistic and group to a number, in lattice steps.
using Adds = std::map<std::pair<std::size_t, int>, std::int64_t>;
Adds AddsOf(const Plan& plan, const Record& record, bool by_ill) {
  Adds adds;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const std::string& name = plan.statistics[k].name;
    for (const Row& row : record) {
      auto& sum = adds[{k, by_ill ? row.ill : 0}];
      if (name == "count(*)") sum += 1;
      if (!row.x) continue;
      if (name.starts_with("count(x")) sum += 1;
      if (name.starts_with("sum(x)")) sum += *row.x;
      // For an average, from the middle of the bounds, in whatever steps that takes.
      if (name.starts_with("sum(x -"))
        sum += static_cast<std::int64_t>((static_cast<double>(*row.x) - std::stod(name.substr(8))) /
                                         plan.statistics[k].lattice.step());
    }
  }
  return adds;
}

// What the noise loses between two records, in units.
long double Lost(const Plan& plan, const std::vector<PlainUnits>& shares, Adds a, const Adds& b) {
  for (const auto& [at, value] : b) a[at] -= value;
  long double sum = 0;
  for (const auto& [at, value] : a) {
    const Statistic& statistic = plan.statistics[at.first];
    if (!statistic.noisy()) continue;
    sum += std::abs(static_cast<long double>(value)) * static_cast<long double>(shares[at.first].count()) /
           static_cast<long double>(statistic.change.l1().steps());
  }
  return sum;
}

struct Worst {
  long double presence = 0, content = 0;
};
Worst WorstOf(const Plan& plan, const std::vector<PlainUnits>& shares, std::size_t rows, bool by_ill) {
  Worst worst;
  std::vector<Adds> all;
  for (const Record& record : Records(rows)) all.push_back(AddsOf(plan, record, by_ill));
  for (const Adds& a : all) {
    worst.presence = std::max(worst.presence, Lost(plan, shares, a, {}));
    for (const Adds& b : all) worst.content = std::max(worst.content, Lost(plan, shares, a, b));
  }
  return worst;
}

struct Asked {
  Plan plan;
  Priced priced;
};
Asked Ask(const std::string& sql, bool counts_presence, const Policy& policy, Price price = {}) {
  if (!price.error_95) price.epsilon = 0.5;
  Asked asked{PlanQuestion(sql, policy).value(), {}};
  auto priced =
      PriceBoth(asked.plan, MovesOfBothFor(sql, policy, asked.plan), {price, 1.0, kOne, std::nullopt, counts_presence});
  EXPECT_TRUE(priced.has_value()) << sql << ": " << priced.error().Text();
  asked.priced = *std::move(priced);
  return asked;
}

constexpr const char* kQuestions[] = {"count(*)", "sum(x)",           "count(x)",
                                      "avg(x)",   "sum(x), count(*)", "avg(x), count(*)"};

// For how many of the questions the amounts, lowered to a part, are below what some two records lose.
struct Seen {
  int presence = 0, content = 0, asked = 0;
};
Seen TooSmall(double part) {
  Seen seen;
  const Policy one = People("row = true\npresence = \"secret\""), two = People();
  for (const char* what : kQuestions) {
    for (const bool by_ill : {false, true}) {
      for (const bool counts_presence : {false, true}) {
        for (const std::size_t rows : {std::size_t{1}, std::size_t{2}}) {
          if (rows == 2 && std::string(what).find(',') != std::string::npos) continue;  // many records
          const std::string sql = std::string("SELECT ") + (by_ill ? "ill, " : "") + what + " FROM people" +
                                  (by_ill ? " GROUP BY ill" : "");
          const auto [plan, priced] = Ask(sql, counts_presence, rows == 1 ? one : two);
          const Worst worst = WorstOf(plan, priced.shares, rows, by_ill);
          const auto below = [&](PlainUnits amount, long double lost) {
            return static_cast<long double>(amount.count()) * part < lost * (1 - 1e-12L) ? 1 : 0;
          };
          ++seen.asked;
          seen.presence += below(priced.OfPresence(), worst.presence);
          seen.content += below(priced.total, worst.content);
          if (part < 1) continue;
          EXPECT_LE(priced.OfPresence(), priced.total) << sql;
          EXPECT_LE(priced.total.count(), 2 * priced.OfPresence().count()) << sql;
          const PlainUnits paid = counts_presence ? priced.OfPresence() : priced.total;
          EXPECT_LE(paid.count(), PlainUnits::kOne / 2) << sql;
          constexpr std::int64_t kRounded = 1 << 13;  // joint shares are whole parts of the price
          EXPECT_GE(paid.count(), PlainUnits::kOne / 2 - kRounded) << sql << ": all that was offered";
        }
      }
    }
  }
  return seen;
}

TEST(PresencePrice, BothAmountsCoverEveryNeighbour_ADDREM3) {
  const Seen seen = TooSmall(1);
  EXPECT_EQ(seen.presence, 0) << "of " << seen.asked;
  EXPECT_EQ(seen.content, 0) << "of " << seen.asked;
}

TEST(PresencePrice, TheCheckAboveSeesAmountsThatAreTooSmall) {
  const Seen seen = TooSmall(0.9);
  EXPECT_GT(seen.presence, seen.asked / 2);
  EXPECT_GT(seen.content, seen.asked / 2);
}

// As the peers that count neighbours by adding and removing.
TEST(PresencePrice, SecretGroupsHaveHalfTheNoiseAtTheSamePrice) {
  const Policy policy = People("row = true\npresence = \"secret\"");
  const std::string sql = "SELECT ill, count(*) FROM people GROUP BY ill";
  const Asked any = Ask(sql, false, policy), presence = Ask(sql, true, policy);
  EXPECT_DOUBLE_EQ(any.priced.noise[0].scale, 4);
  EXPECT_DOUBLE_EQ(presence.priced.noise[0].scale, 2);
  EXPECT_EQ(any.priced.total.count(), PlainUnits::kOne / 2);
  EXPECT_EQ(any.priced.OfPresence().count(), PlainUnits::kOne / 4);
  EXPECT_EQ(presence.priced.total.count(), PlainUnits::kOne);
  EXPECT_EQ(presence.priced.OfPresence().count(), PlainUnits::kOne / 2);
  // An error bar is what it is: what it costs is said in both.
  Price bar;
  bar.error_95 = 10;
  const Asked by_bar = Ask(sql, true, policy, bar), same_bar = Ask(sql, false, policy, bar);
  EXPECT_EQ(by_bar.priced.shares, same_bar.priced.shares);
  EXPECT_EQ(by_bar.priced.presence, same_bar.priced.presence);
}

// Public groups, public presence, ranks that may follow a row: nothing to distinguish.
TEST(PresencePrice, WhereOnlyReplacementIsProvedPresenceIsAsMuch) {
  const Policy policy = People("row = true\npresence = \"secret\"");
  EXPECT_EQ(Ask("SELECT sex, count(*) FROM people GROUP BY sex", true, policy).priced.presence, std::nullopt);
  const Asked rank = Ask("SELECT sex, quantile_cont(x, 0.9) FROM people GROUP BY sex", true, policy);
  EXPECT_EQ(rank.priced.OfPresence(), rank.priced.total);
  const Policy open = People("row = true\npresence = \"public\"");
  EXPECT_EQ(Ask("SELECT ill, count(*) FROM people GROUP BY ill", true, open).priced.presence, std::nullopt);
  // The twin: a unit that comes or goes changes no side and no group.
  for (const char* sql : {"SELECT median(x) FROM people", "SELECT ill, median(x) FROM people GROUP BY ill",
                          "SELECT ill, quantile_cont(x, 0.9) FROM people GROUP BY ill"}) {
    const Asked half = Ask(sql, true, policy);
    EXPECT_NEAR(2 * half.priced.OfPresence().epsilon(), half.priced.total.epsilon(), 1e-6) << sql;
  }
  // What is charged in parts also has both amounts.
  const Asked sum = Ask("SELECT ill, sum(x) FROM people GROUP BY ill", false, policy);
  const auto parts = PartsOf(sum.plan.charged, sum.priced);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].presence, sum.priced.presence);
}

}  // namespace
}  // namespace kith
