// The loss of a stream by trying everything: tiny streams, and one unit that is present in every way that a stay
// allows, with every value. The engine reads each step; what the unit changes there, times what the step spends, adds
// up to at most the window's budget.
#include <gtest/gtest.h>

#include <random>

#include "analysis/stream/shares.h"
#include "query/step_question.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

constexpr std::int64_t kSteps = 5;

Policy StreamPolicy(std::int64_t window) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = "
      "\"secret\"\n[columns.t]\nat = { "
      "type = \"integer\" }\nward = { values = [\"A\", \"B\"], required = true }\n[dependence]\nsource = "
      "\"public\"\nkind = "
      "\"independent\"\n[stream]\ntime = \"at\"\nstep = 10\nstart = 5\nwindow = " +
      std::to_string(window) + "\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

Row RowAt(int id, std::int64_t tick, std::int64_t offset, const char* ward) {
  return {IntegerDatum(id), IntegerDatum(5 + 10 * tick + offset), TextDatum(ward)};
}

// Every stay of the unit 1: in some of `window` consecutive steps, in one of two wards each; none at all first. Only
// those without a pause, all in one ward, if `whole`.
std::vector<std::vector<Row>> Stays(std::int64_t window, bool whole) {
  std::vector<std::vector<Row>> stays = {{}};
  std::int64_t ways = 1;
  for (std::int64_t i = 0; i < window; ++i) ways *= 3;
  for (std::int64_t first = 0; first + window <= kSteps; ++first) {
    for (std::int64_t way = whole ? ways - 1 : 1; way < ways; ++way) {
      std::vector<Row> stay;
      for (std::int64_t i = 0, rest = way; i < window; ++i, rest /= 3) {
        if (rest % 3 == 0) continue;
        stay.push_back(RowAt(1, first + i, 0, rest % 3 == 1 ? "A" : "B"));
        if (way % 2 == 0) stay.push_back(RowAt(1, first + i, 9, "B"));  // a second row in the same step: one is kept
      }
      stays.push_back(std::move(stay));
    }
  }
  return stays;
}

struct Loss {
  double largest = 0;       // over all pairs of a stay and none, in units
  std::int64_t beyond = 0;  // changes of a step that are larger than the plan's sensitivity
};

// How much each stay changes each step, as the engine reads it, against no stay at all; in parts of the sensitivity.
std::vector<std::vector<double>> Changes(const std::string& sql, const std::vector<std::vector<Row>>& stays,
                                         SqlRunner& runner) {
  const StepQuestion question = StepQuestion::Make(sql, StreamPolicy(3)).value();
  std::vector<Plan> plans;
  for (std::int64_t tick = 0; tick < kSteps; ++tick) plans.push_back(question.At(tick));
  std::vector<std::vector<std::vector<Int128>>> none;  // [tick][statistic][group]
  std::vector<std::vector<double>> changes;
  for (const auto& rows : stays) {
    TinyTable table{"t", {"id", "at", "ward"}, {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText}, {}};
    for (std::int64_t tick = 0; tick < kSteps; ++tick)
      table.rows.push_back(RowAt(2 + static_cast<int>(tick % 3), tick, 4, "A"));
    table.rows.insert(table.rows.begin() + 2, rows.begin(), rows.end());
    runner.Load(table);
    changes.emplace_back();
    for (std::size_t t = 0; t < plans.size(); ++t) {
      const auto answer = StatisticsOf(plans[t], runner.Run(plans[t].statement));
      if (rows.empty()) none.push_back(answer);
      double change = 0;
      for (std::size_t g = 0; g < answer[0].size(); ++g)
        change += std::abs(static_cast<double>(answer[0][g] - none[t][0][g]));
      changes.back().push_back(change / static_cast<double>(plans[t].statistics[0].change.l1().steps()));
    }
  }
  return changes;
}

// What the releases of all steps lose at most about the unit.
Loss LossOf(const std::vector<std::vector<double>>& changes, const std::vector<std::int64_t>& shares) {
  Loss loss;
  for (const auto& change : changes) {
    double units = 0;
    for (std::size_t t = 0; t < shares.size(); ++t) {
      loss.beyond += change[t] > 1 ? 1 : 0;
      units += static_cast<double>(shares[t]) * change[t];
    }
    loss.largest = std::max(loss.largest, units);
  }
  return loss;
}

std::vector<std::int64_t> Shares(stream::Sharing sharing, std::int64_t window, std::int64_t units) {
  std::vector<std::int64_t> asked(kSteps);
  for (std::int64_t t = 0; t < kSteps; ++t) asked[static_cast<std::size_t>(t)] = t;
  const auto terms = stream::Terms::Make(sharing, window, PlainUnits::Of(units), 0.7, asked).value();
  std::vector<stream::Spent> spent;
  std::vector<std::int64_t> shares;
  for (const std::int64_t tick : asked) {
    shares.push_back(terms.Release(tick, spent).count());
    spent.push_back({tick, shares.back()});
  }
  return shares;
}

constexpr stream::Sharing kRules[] = {stream::Sharing::kUniform, stream::Sharing::kHarmonic, stream::Sharing::kSlack,
                                      stream::Sharing::kRate, stream::Sharing::kOffline};
constexpr std::int64_t kUnits = 1'000'000;

TEST(StreamBruteForce, NoStayLosesMoreThanTheWindow_STREAM1) {
  const auto runner = OpenConfigured();
  for (const char* sql : {"SELECT count(*) FROM t", "SELECT ward, count(*) FROM t GROUP BY ward",
                          "SELECT count(DISTINCT id) FROM t WHERE ward = 'B'"}) {
    const auto changes = Changes(sql, Stays(3, false), *runner);
    for (const stream::Sharing rule : kRules) {
      const Loss loss = LossOf(changes, Shares(rule, 3, kUnits));
      EXPECT_LE(loss.largest, kUnits) << stream::NameOf(rule) << " " << sql;
      EXPECT_EQ(loss.beyond, 0) << sql;
      EXPECT_GT(loss.largest, kUnits / 4) << "nothing was tried";
    }
  }
}

TEST(StreamBruteForce, TheCheckAboveSeesAWindowThatIsOneStepShort) {
  const auto runner = OpenConfigured();
  const auto changes = Changes("SELECT count(*) FROM t", Stays(4, true), *runner);
  for (const stream::Sharing rule : kRules)
    EXPECT_GT(LossOf(changes, Shares(rule, 3, kUnits)).largest, kUnits) << stream::NameOf(rule);
}

TEST(StreamBruteForce, AStepReadsItsOwnRowsAlone_STREAM6) {
  const auto runner = OpenConfigured();
  const auto changes =
      Changes("SELECT count(*) FROM t", Stays(1, true), *runner);  // stay number 1 + t is only at step t
  ASSERT_EQ(changes.size(), 1U + kSteps);
  for (std::size_t stay = 1; stay < changes.size(); ++stay) {
    for (std::size_t t = 0; t < kSteps; ++t) EXPECT_EQ(changes[stay][t], t + 1 == stay ? 1 : 0);
  }
}

}  // namespace
}  // namespace kith::testing
