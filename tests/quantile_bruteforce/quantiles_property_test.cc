// Quantiles by trying everything: one unit of a tiny table gets one record after the other, the engine counts the rows
// at each candidate, and no two of these may have distances, or laws of the choice, that differ by more than the plan
// says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "kernel/opening.h"
#include "kernel/ranks.h"
#include "tests/support/policies.h"
#include "tests/support/selection_law.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;

/// A test's door to real engines as the engine that release reads.
class RunnerEngine final : public Session {
 public:
  RunnerEngine(SqlRunner& runner, const Plan& plan) : runner_(runner), plan_(plan) {}
  const sql::Dialect& dialect() const override { return runner_.dialect(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag&) const override {
    IntegerTable table;
    table.rows = runner_.Run(sql);
    std::size_t sums = 0;
    for (const Statistic& statistic : plan_.statistics) sums += statistic.quantile ? 0 : 1;
    table.columns = plan_.keys.size() + (sql == dialect().Write(plan_.statement) ? sums : 2);
    return table;
  }
  Result<void> ScanText(const std::string&, const IntegerSink&, const CancelFlag&) const override {
    return InternalError("not asked for");
  }

 private:
  SqlRunner& runner_;
  const Plan& plan_;
};

std::string PolicyText(const std::string& unit) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n" + unit +
         "\n[columns.t]\n"
         "ward = { values = [\"A\", \"B\"], public = true, required = true }\n"
         "ill = { values = [\"no\", \"yes\"], required = true }\n"
         "x = { lower = 0, upper = 4, required = true }\n"
         "y = { type = \"real\", lower = -1, upper = 1 }\n"
         "born = { lower = 2020-01-01, upper = 2020-01-06, public = true }\n"
         "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
}

const std::vector<std::string>& Questions() {
  static const std::vector<std::string> questions = {
      "SELECT median(x), min(x), max(x), quantile_cont(x, 0.9) FROM t",
      "SELECT median(x), min(x), max(x), quantile_disc(x, 0.25) FROM t WHERE ill = 'yes'",
      "SELECT ill, median(x), percentile_cont(0.2) WITHIN GROUP (ORDER BY x DESC), min(x) FROM t GROUP BY ill",
      "SELECT ward, max(x) FILTER (WHERE ill = 'no'), count(*), median(x) FROM t GROUP BY ward",
      "SELECT median(born), max(born) FROM t WHERE ill = 'yes'",
      "SELECT median(CASE WHEN y > 0 THEN x END), min(x * 2 - 3), max(CAST(y AS bigint)) FROM t WHERE ward = 'A'",
      "SELECT x > 2 AS high, median(CAST(y * 2 AS bigint)), max(born) FROM t GROUP BY high",
  };
  return questions;
}

struct World {
  std::string name;
  Policy policy;
  TinyTable others;
  std::vector<std::vector<Row>> records;  // that one unit can have, its public values kept
};

Row RandomRow(int id, const Row& of_unit, Random& random) {
  static const std::vector<Datum> reals = {NullDatum(),  RealDatum(-1),  RealDatum(1),
                                           RealDatum(0), RealDatum(0.6), RealDatum(NAN)};
  Row row = of_unit;
  row[0] = IntegerDatum(id);
  row[2] = TextDatum(random() % 2 == 0 ? "no" : "yes");
  row[3] = IntegerDatum(static_cast<std::int64_t>(random() % 7) - 1);
  row[4] = reals[random() % reals.size()];
  return row;
}

Row PublicPart(Random& random) {
  Row row(6, NullDatum());
  row[1] = TextDatum(random() % 2 == 0 ? "A" : "B");
  row[5] = FromText("2020-01-0" + std::to_string(1 + random() % 6), ColumnType::kDate);
  return row;
}

World MakeWorld(const std::string& unit, std::size_t rows, bool may_miss, int people, Random& random) {
  World world{unit, MakePolicy(PolicyText(unit)), {}, {}};
  world.others = {"t",
                  {"id", "ward", "ill", "x", "y", "born"},
                  {ColumnType::kInteger, ColumnType::kText, ColumnType::kText, ColumnType::kInteger, ColumnType::kReal,
                   ColumnType::kDate},
                  {}};
  for (int id = 2; id < 2 + people; ++id) {
    const Row unit_row = PublicPart(random);
    for (std::size_t k = 0; k < (rows == 1 ? 1 : random() % (rows + 1)); ++k)
      world.others.rows.push_back(RandomRow(id, unit_row, random));
  }
  const Row me = PublicPart(random);
  if (may_miss) world.records.emplace_back();
  for (int i = 0; i < 9; ++i) {
    std::vector<Row> record;
    for (std::size_t k = 0; k < (rows == 1 ? 1 : 1 + random() % (rows + 1)); ++k)
      record.push_back(RandomRow(1, me, random));
    world.records.push_back(std::move(record));
  }
  // All rows at one end, and all at the other.
  for (const int end : {0, 4}) {
    Row row = RandomRow(1, me, random);
    row[2] = TextDatum("yes");
    row[3] = IntegerDatum(end);
    row[4] = RealDatum(end == 0 ? -1 : 1);
    world.records.emplace_back(rows, row);
  }
  return world;
}

using RowsAt = std::vector<std::int64_t>;

/// One statistic of one question in one world: rows at candidates for each record of the unit.
struct Tried {
  std::string about;
  Statistic statistic;
  std::size_t groups = 1;
  bool charged = true;  // the unit's cell
  std::vector<RowsAt> rows_at;
  bool may_miss = false;  // the first of them is that of a unit that is not there
};

std::size_t CellOf(const Policy& policy, const TinyTable& table) {
  std::size_t cell = 0;  // ward is the only public column with declared values
  while (policy.cells.Name(cell).find("ward=" + ToText(table.rows.at(0)[1])) == std::string::npos) ++cell;
  return cell;
}

std::vector<Tried> Try(const World& world, SqlRunner& runner) {
  std::vector<Tried> tried;
  std::vector<Plan> plans;
  for (const std::string& question : Questions()) {
    plans.push_back(PlanQuestion(question, world.policy).value());
    for (const Statistic& statistic : plans.back().statistics)
      tried.push_back({statistic.name + " of " + question + " / " + world.name,
                       statistic,
                       plans.back().groups(),
                       true,
                       {},
                       world.records.front().empty()});
  }
  for (const auto& record : world.records) {
    TinyTable table = world.others;
    table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(table.rows.size() / 2), record.begin(),
                      record.end());
    runner.Load(table);
    std::size_t next = 0;
    for (const Plan& plan : plans) {
      const auto exact = ReadExact(plan, RunnerEngine(runner, plan), CancelFlag());
      EXPECT_TRUE(exact.has_value()) << exact.error().Text();
      for (std::size_t s = 0; s < plan.statistics.size(); ++s, ++next) {
        if (exact->rows_at[s]) tried[next].rows_at.push_back(*exact->rows_at[s]);
      }
    }
  }
  TinyTable mine = world.others;
  mine.rows = world.records.back();
  const std::size_t cell = CellOf(world.policy, mine);
  std::size_t next = 0;
  for (const Plan& plan : plans)
    for (std::size_t s = 0; s < plan.statistics.size(); ++s) tried[next++].charged = plan.charged[cell];
  std::erase_if(tried, [](const Tried& t) { return !t.statistic.quantile; });
  return tried;
}

std::vector<Tried> TryThemAll() {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  std::vector<Tried> all;
  const auto add = [&](const std::string& unit, std::size_t rows, bool may_miss, int people) {
    for (Tried& tried : Try(MakeWorld(unit, rows, may_miss, people, random), *runner)) all.push_back(std::move(tried));
  };
  for (const int people : {0, 1, 2, 7}) {
    add("key = \"id\"\nmax_rows = 1\npresence = \"public\"", 1, false, people);
    add("row = true\npresence = \"secret\"", 1, true, people);
    add("key = \"id\"\nmax_rows = 2\npresence = \"secret\"", 2, true, people);
  }
  return all;
}

/// The same for all tests that share a process (the seed is that of the first): each looks at something else.
const std::vector<Tried>& TryAll() {
  static const std::vector<Tried> all = TryThemAll();
  return all;
}

/// What is chosen: the value with this margin, or an end of its interval with this reach.
struct Way {
  std::optional<End> end;
  std::int64_t width = 0;
};

/// Group by group.
std::vector<std::vector<std::int64_t>> DistancesOf(const Tried& tried, const RowsAt& rows_at, const Way& way) {
  const Quantile& quantile = *tried.statistic.quantile;
  const std::size_t candidates = quantile.candidates.size();
  std::vector<std::vector<std::int64_t>> distances;
  for (std::size_t g = 0; g < tried.groups; ++g) {
    const auto here = std::span(rows_at).subspan(g * candidates, candidates);
    distances.push_back(way.end ? EndDistances(quantile, *way.end, way.width, here)
                                : RankDistances(quantile, way.width, here));
  }
  return distances;
}

std::vector<Way> Ways(const Tried& tried) {
  const std::int64_t den = tried.statistic.quantile->den;
  std::vector<Way> ways;
  for (const std::int64_t margin : {den / 2, 3 * den / 2, 2 * den + 1, 100 * den}) ways.push_back({{}, margin});
  for (const std::int64_t reach : {std::int64_t{0}, den / 2 + 1, 3 * den}) {
    ways.push_back({End::kLow, reach});
    ways.push_back({End::kHigh, reach});
  }
  return ways;
}

/// By how much more one distance changes than another, over all groups; the largest of all records and ways to choose.
struct Spread {
  std::int64_t l1 = 0, l2_squared = 0, groups = 0;
};
/// `from`: how many of the records it is compared with, the first ones.
Spread LargestSpread(const Tried& tried, std::size_t from = SIZE_MAX) {
  Spread largest;
  for (const Way& way : Ways(tried)) {
    std::vector<std::vector<std::vector<std::int64_t>>> distances;  // of each record
    for (const RowsAt& rows_at : tried.rows_at) distances.push_back(DistancesOf(tried, rows_at, way));
    for (const auto& a : std::span(distances).first(std::min(from, distances.size()))) {
      for (const auto& b : distances) {
        Spread spread;
        for (std::size_t g = 0; g < a.size(); ++g) {
          std::int64_t low = b[g][0] - a[g][0], high = low;
          for (std::size_t v = 1; v < a[g].size(); ++v) {
            low = std::min(low, b[g][v] - a[g][v]);
            high = std::max(high, b[g][v] - a[g][v]);
          }
          spread.l1 += high - low;
          spread.l2_squared += (high - low) * (high - low);
          spread.groups += high > low ? 1 : 0;
        }
        largest = {std::max(largest.l1, spread.l1), std::max(largest.l2_squared, spread.l2_squared),
                   std::max(largest.groups, spread.groups)};
      }
    }
  }
  return largest;
}

/// How much the rows at all candidates of all groups change, at most.
std::int64_t LargestMove(const Tried& tried, std::size_t from = SIZE_MAX) {
  std::int64_t largest = 0;
  for (const RowsAt& before : std::span(tried.rows_at).first(std::min(from, tried.rows_at.size()))) {
    for (const RowsAt& after : tried.rows_at) {
      std::int64_t moved = 0;
      for (std::size_t i = 0; i < before.size(); ++i) moved += std::abs(after[i] - before[i]);
      largest = std::max(largest, moved);
    }
  }
  return largest;
}

/// The largest loss of all results of all groups together, for a share of 1 and this sensitivity.
long double LargestLoss(const Tried& tried, std::int64_t sensitivity) {
  long double largest = 0;
  const long double rate = 1.0L / static_cast<long double>(sensitivity);
  for (const Way& way : Ways(tried)) {
    std::vector<std::vector<std::vector<long double>>> laws;
    for (const RowsAt& rows_at : tried.rows_at) {
      laws.emplace_back();
      for (const auto& distances : DistancesOf(tried, rows_at, way))
        laws.back().push_back(SelectionLaw(distances, rate));
    }
    for (const auto& before : laws) {
      for (const auto& after : laws) {
        long double loss = 0;
        for (std::size_t g = 0; g < before.size(); ++g) {
          long double most = 0;
          for (std::size_t v = 0; v < before[g].size(); ++v)
            most = std::max(most, std::log(before[g][v] / after[g][v]));
          loss += most;
        }
        largest = std::max(largest, loss);
      }
    }
  }
  return largest;
}

TEST(QuantilesProperty, NoRecordChangesDistancesOrTheChoiceMoreThanSaid_QUANTILE1) {
  std::map<std::string, std::size_t> reached;  // by rule
  std::size_t l2_reached = 0;
  for (const Tried& tried : TryAll()) {
    const std::int64_t sensitivity = tried.statistic.change.l1().steps();
    const Spread spread = LargestSpread(tried);
    EXPECT_LE(spread.l1, tried.charged ? sensitivity : 0) << tried.about;
    EXPECT_LE(spread.l2_squared, tried.statistic.change.l2_squared()) << tried.about;
    EXPECT_LE(spread.groups, tried.statistic.change.groups()) << tried.about;
    l2_reached += spread.l2_squared == tried.statistic.change.l2_squared() && spread.l1 > 0 ? 1 : 0;
    if (sensitivity > 0) {
      EXPECT_LE(LargestLoss(tried, sensitivity), 1 + 1e-12L) << tried.about;
    }
    if (spread.l1 == sensitivity && spread.l1 > 0) ++reached[tried.statistic.reason];
  }
  EXPECT_GT(l2_reached, 20u);
  EXPECT_EQ(reached.size(), 4u);  // no rule says more than it must
  for (const auto& [reason, times] : reached) RecordProperty(reason, std::to_string(times));
}

// Somebody who comes or goes, instead of changing.
TEST(QuantilesProperty, WhoComesOrGoesMovesRanksNoMoreThanPresenceSays_ADDREM1) {
  std::size_t told = 0, reached = 0, too_little = 0;
  for (const Tried& tried : TryAll()) {
    if (!tried.statistic.presence) continue;
    EXPECT_TRUE(tried.may_miss) << tried.about;
    const Sensitivities& presence = *tried.statistic.presence;
    const Spread spread = LargestSpread(tried, 1);
    EXPECT_LE(spread.l1, tried.charged ? presence.l1().steps() : 0) << tried.about;
    EXPECT_LE(spread.l2_squared, presence.l2_squared()) << tried.about;
    EXPECT_LE(spread.groups, presence.groups()) << tried.about;
    // Noise on rows is made for any change: of that, presence is no larger a part.
    const std::int64_t rows = RankCurve::ChangeOfRows(*tried.statistic.quantile, tried.statistic.change)->l1().steps();
    EXPECT_LE(LargestMove(tried, 1) * tried.statistic.change.l1().steps(), rows * presence.l1().steps()) << tried.about;
    EXPECT_LT(presence.l1().steps(), tried.statistic.change.l1().steps()) << tried.about;
    ++told;
    reached += spread.l1 == presence.l1().steps() ? 1 : 0;
    too_little += LargestSpread(tried).l1 > presence.l1().steps() ? 1 : 0;  // the twin: it does not bound any change
  }
  EXPECT_GT(told, 20u);
  EXPECT_GT(reached, 10u);
  EXPECT_GT(too_little, 10u);
}

// A curve gets noise for as many rows as distances from ranks can change.
TEST(QuantilesProperty, NoRecordMovesMoreRowsThanTheSpread_QUANTILE4) {
  std::size_t reached = 0, halves = 0;
  for (const Tried& tried : TryAll()) {
    const std::int64_t moved = LargestMove(tried) * tried.statistic.quantile->den;
    const std::int64_t sensitivity = tried.statistic.change.l1().steps();
    EXPECT_LE(moved, tried.charged ? sensitivity : 0) << tried.about;
    reached += moved == sensitivity && moved > 0 ? 1 : 0;
    halves += moved > sensitivity / 2 ? 1 : 0;
  }
  EXPECT_GT(reached, 20u);
  EXPECT_GT(halves, 20u);  // the twin: half the sensitivity would be too little
}

TEST(QuantilesProperty, TheCheckAboveSeesHalvedSensitivities) {
  std::size_t spreads = 0, squares = 0, losses = 0;
  for (const Tried& tried : TryAll()) {
    const std::int64_t half = tried.statistic.change.l1().steps() / 2;
    if (half == 0) continue;
    const Spread spread = LargestSpread(tried);
    spreads += spread.l1 > half ? 1 : 0;
    squares += spread.l2_squared > tried.statistic.change.l2_squared() / 2 ? 1 : 0;
    losses += LargestLoss(tried, half) > 1 + 1e-12L ? 1 : 0;
  }
  EXPECT_GT(spreads, 20u);
  EXPECT_GT(squares, 20u);
  EXPECT_GT(losses, 5u);
}

PermuteAndFlip Chooser(std::int64_t spread, PlainUnits share) {
  return PermuteAndFlip::Make(Sensitivity::Make(spread).value(), share).value();
}

/// The exact answer by definition: a value between the row below the rank and the row above it.
TEST(QuantilesProperty, ThePublicChoiceIsTheQuantile) {
  Random random(stat::SeedForThisTest());
  for (int trial = 0; trial < 300; ++trial) {
    Quantile quantile;
    quantile.den = 20;
    quantile.num = static_cast<std::int64_t>(random() % 21);
    for (std::int64_t v = 0; v < 6; ++v) quantile.candidates.push_back(v);
    std::vector<std::int64_t> rows_at(6), rows;
    for (std::size_t v = 0; v < 6; ++v) {
      rows_at[v] = static_cast<std::int64_t>(random() % 4);
      rows.insert(rows.end(), static_cast<std::size_t>(rows_at[v]), static_cast<std::int64_t>(v));
    }
    if (rows.empty()) continue;
    stat::SeededBits bits(1);
    const auto chosen = ChooseByRank(quantile, rows_at, Chooser(0, PlainUnits()), bits);
    ASSERT_EQ(chosen.size(), 1u);
    // percentile_disc: the first row at or above the rank, num/den of all.
    const auto n = static_cast<std::int64_t>(rows.size());
    const auto index = std::clamp<std::int64_t>((quantile.num * n + quantile.den - 1) / quantile.den - 1, 0, n - 1);
    EXPECT_EQ(chosen[0], rows[static_cast<std::size_t>(index)]) << quantile.num << " of " << n;
  }
}

TEST(QuantilesProperty, EmptyGroupsGiveEveryCandidateTheSameChance) {
  Quantile quantile;
  quantile.den = 10;
  quantile.num = 9;
  quantile.candidates = {0, 1, 2, 3};
  EXPECT_EQ(RankDistances(quantile, 77, std::vector<std::int64_t>(4, 0)), (std::vector<std::int64_t>(4, 0)));
}

// With 95 % the rank is within the error that is stated, for tables of every shape.
TEST(QuantilesProperty, RanksAreOffByNoMoreThanSaid_QUANTILE2) {
  Random random(stat::SeedForThisTest());
  for (int trial = 0; trial < 200; ++trial) {
    Quantile quantile;
    quantile.den = 10;
    quantile.num = static_cast<std::int64_t>(random() % 11);
    std::vector<std::int64_t> rows_at;
    for (std::int64_t v = 0; v < 30; ++v) {
      quantile.candidates.push_back(v);
      rows_at.push_back(random() % 3 == 0 ? static_cast<std::int64_t>(random() % (1u << (trial % 8))) : 0);
    }
    const PlainUnits share = PlainUnits::Of(PlainUnits::kOne * (1 + trial % 3));
    const PermuteAndFlip chooser = Chooser(20, share);  // two rows
    const double error = RankErrorsOf(quantile, chooser, 1).one;
    const auto distances = RankDistances(quantile, MarginOf(quantile, chooser), rows_at);
    const auto law = SelectionLaw(distances, static_cast<long double>(share.epsilon()) / 20);
    long double beyond = 0;
    for (std::size_t v = 0; v < law.size(); ++v) {
      beyond += static_cast<double>(distances[v]) / 10 > error ? law[v] : 0;
    }
    EXPECT_LE(beyond, 0.05L);
    EXPECT_EQ(*std::min_element(distances.begin(), distances.end()), 0);  // some candidate has the wanted rank
  }
}

TEST(QuantilesProperty, TheCheckAboveSeesAnErrorThatIsAThird) {
  Quantile quantile;
  quantile.den = 10;
  quantile.num = 5;
  for (std::int64_t v = 0; v < 30; ++v) quantile.candidates.push_back(v);
  const PermuteAndFlip chooser = Chooser(20, PlainUnits::Of(PlainUnits::kOne));  // two rows
  const double error = RankErrorsOf(quantile, chooser, 1).one;
  std::vector<std::int64_t> rows_at(30, 0);
  rows_at[14] = 2 * static_cast<std::int64_t>(error / 3) + 4;  // all others are as near as the twin lets pass
  const auto distances = RankDistances(quantile, MarginOf(quantile, chooser), rows_at);
  const auto law = SelectionLaw(distances, 1.0L / 20);
  EXPECT_GT(static_cast<double>(distances[0]) / 10, error / 3);
  EXPECT_GT(1 - law[14], 0.05L);
}

}  // namespace
}  // namespace kith::testing
