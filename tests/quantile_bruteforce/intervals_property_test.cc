// Intervals of quantiles: how often the truth is outside is computed from the law of the choice, not sampled, so that a
// right interval never fails; and sampled again through the code that chooses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "kernel/opening.h"
#include "kernel/rank_curve.h"
#include "kernel/ranks.h"
#include "kernel/statistic_mechanism.h"
#include "release/pricing.h"
#include "tests/support/policies.h"
#include "tests/support/selection_law.h"
#include "tests/support/stat.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;

PermuteAndFlip Chooser(std::int64_t spread, PlainUnits share) {
  return PermuteAndFlip::Make(Sensitivity::Make(spread).value(), share).value();
}

struct Table {
  Quantile quantile;
  std::vector<std::int64_t> rows_at;
  std::vector<std::int64_t> rows;  // their values, ascending
};

Table MakeTable(std::int64_t num, std::int64_t den, std::vector<std::int64_t> rows_at) {
  Table table;
  table.quantile.num = num;
  table.quantile.den = den;
  table.quantile.most = static_cast<double>(rows_at.size() - 1);
  for (std::size_t v = 0; v < rows_at.size(); ++v) {
    table.quantile.candidates.push_back(static_cast<std::int64_t>(v));
    table.rows.insert(table.rows.end(), static_cast<std::size_t>(rows_at[v]), static_cast<std::int64_t>(v));
  }
  table.rows_at = std::move(rows_at);
  return table;
}

// Many shapes: few rows and many, spread out, or all at few values.
Table RandomTable(int trial, Random& random) {
  std::vector<std::int64_t> rows_at;
  for (int v = 0; v < 30; ++v) {
    const bool some = trial % 5 == 0 ? v % 13 == 7 : random() % 3 == 0;
    rows_at.push_back(some ? static_cast<std::int64_t>(random() % (1u << (trial % 10))) : 0);
  }
  const std::int64_t den = trial % 2 == 0 ? 10 : 2;
  return MakeTable(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(den + 1)), den, std::move(rows_at));
}

// The rows between which quantile_cont is, and the one that quantile_disc is.
struct Truth {
  std::int64_t least = 0, most = 0;
};
Truth TruthOf(const Table& table) {
  const auto n = static_cast<std::int64_t>(table.rows.size());
  const std::int64_t num = table.quantile.num, den = table.quantile.den;
  const auto row = [&](std::int64_t k) { return table.rows[static_cast<std::size_t>(k)]; };
  const std::int64_t below = num * (n - 1) / den, above = (num * (n - 1) + den - 1) / den;
  const std::int64_t disc = std::clamp<std::int64_t>((num * n + den - 1) / den - 1, 0, n - 1);
  return {std::min(row(below), row(disc)), std::max(row(above), row(disc))};
}

/// The chance that an end is on the wrong side of the truth, for ends that reach this far.
long double MissChance(const Table& table, std::int64_t reach, long double rate) {
  const Truth truth = TruthOf(table);
  const RankEnds ends = EndsOf(table.quantile);
  long double missed = 0;
  for (const End end : {End::kLow, End::kHigh}) {
    if (end == End::kLow ? !ends.low : !ends.high) continue;
    const auto law = SelectionLaw(EndDistances(table.quantile, end, reach, table.rows_at), rate);
    for (std::size_t v = 0; v < law.size(); ++v) {
      const std::int64_t at = table.quantile.candidates[v];
      if (end == End::kLow ? at > truth.least : at < truth.most) missed += law[v];
    }
  }
  return missed;
}

constexpr std::int64_t kSpread = 20;  // two rows of den 10, ten of den 2

TEST(IntervalsProperty, HoldTheQuantileWithTheirConfidence_QUANTILE3) {
  Random random(stat::SeedForThisTest());
  long double worst = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    table.quantile.together = 1 + trial % 3;
    const PlainUnits share = PlainUnits::Of(PlainUnits::kOne * (1 + trial % 4));
    const std::int64_t reach = Chooser(kSpread, share).Reach(OthersOfEnds(table.quantile));
    const long double missed = MissChance(table, reach, static_cast<long double>(share.epsilon()) / kSpread);
    EXPECT_LE(missed, 0.05L / static_cast<long double>(table.quantile.together)) << trial;
    worst = std::max(worst, missed);
  }
  EXPECT_GT(worst, 0);
}

// The twin: ends at the wanted rank itself.
TEST(IntervalsProperty, TheCheckAboveSeesRanksThatAreNotWidened) {
  Random random(stat::SeedForThisTest());
  std::size_t seen = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    seen += MissChance(table, 0, 1.0L / kSpread) > 0.05L ? 1 : 0;
  }
  EXPECT_GT(seen, 100u);
}

// A third of the reach is too little for one row among many values.
TEST(IntervalsProperty, TheCheckAboveSeesAThirdOfTheReach) {
  const std::int64_t reach = Chooser(kSpread, PlainUnits::Of(PlainUnits::kOne)).Reach(2 * 29);
  std::vector<std::int64_t> rows_at(30, 0);
  rows_at[14] = 1;
  EXPECT_GT(MissChance(MakeTable(5, 10, rows_at), reach / 3, 1.0L / kSpread), 0.05L);
  EXPECT_LE(MissChance(MakeTable(5, 10, rows_at), reach, 1.0L / kSpread), 0.05L);
}

std::size_t Misses(const Table& table, const PermuteAndFlip& law, std::size_t runs, BitSource& bits) {
  const Truth truth = TruthOf(table);
  std::size_t missed = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    const ChosenEnds ends = ChooseEnds(table.quantile, table.rows_at, law, bits).at(0);
    missed += ends.low > truth.least || ends.high < truth.most ? 1 : 0;
  }
  return missed;
}

TEST(IntervalsProperty, TheCodeThatChoosesThemHoldsItToo_QUANTILE3) {
  stat::SeededBits bits(stat::SeedForThisTest());
  constexpr std::size_t kRuns = 4000;
  const PermuteAndFlip law = Chooser(kSpread, PlainUnits::Of(PlainUnits::kOne));
  Random random(stat::SeedForThisTest());
  for (int trial = 1; trial < 10; ++trial) {
    const Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    EXPECT_LE(stat::LowerBound(Misses(table, law, kRuns, bits), kRuns), 0.05) << trial;
  }
}

// With nothing secret both ends are rows next to the quantile, and with no rows at all the interval is everything.
TEST(IntervalsProperty, PublicFactsAndEmptyGroups) {
  Random random(stat::SeedForThisTest());
  stat::SeededBits bits(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    EXPECT_EQ(Misses(table, Chooser(0, PlainUnits()), 1, bits), 0u) << trial;
  }
  const Table empty = MakeTable(5, 10, std::vector<std::int64_t>(30, 0));
  const ChosenEnds ends =
      ChooseEnds(empty.quantile, empty.rows_at, Chooser(kSpread, PlainUnits::Of(400 * PlainUnits::kOne)), bits).at(0);
  EXPECT_EQ(ends.low, 0);
  EXPECT_EQ(ends.high, 29);
  EXPECT_TRUE(IntervalOf(empty.quantile, {0}, 12, ends).everything);
}

/// For one row of each unit, with the rows at two values changed.
RankCurve CurveFor(const Quantile& quantile, PlainUnits share) {
  const Sensitivities rows = RankCurve::ChangeOfRows(quantile, Sensitivities::OfL1(2 * quantile.den).value()).value();
  return {quantile, Noise::For(rows, share).value()};
}

using Law = std::map<std::int64_t, long double>;

Law SumOf(const Law& a, const Law& b) {
  Law sum;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) sum[x + y] += p * q;
  }
  return sum;
}

// The noise in the distance of a candidate from the wanted rank, in 1/den rows: `below` noises with the weight of rows
// below it, the others with that of rows above.
Law CurveNoise(const Quantile& quantile, double scale, std::size_t below) {
  Law all = {{0, 1}};
  for (std::size_t i = 0; i < quantile.candidates.size(); ++i) {
    const std::int64_t weight = i < below ? quantile.den - quantile.num : -quantile.num;
    Law one;
    const long double a = std::exp(-1.0L / static_cast<long double>(scale));
    for (std::int64_t x = -40; x <= 40; ++x)
      one[x * weight] += (1 - a) / (1 + a) * std::pow(a, static_cast<long double>(std::abs(x)));
    all = SumOf(all, one);
  }
  return all;
}

long double Beyond(const Law& law, long double limit) {
  long double beyond = 0;
  for (const auto& [x, p] : law) beyond += static_cast<long double>(x) > limit ? p : 0;
  return beyond;
}

/// The largest chance, over candidates, that the noise of a curve exceeds this part of its reach; as a part of what is
/// allowed.
std::vector<long double> MissesOfCurves(long double part) {
  std::vector<long double> misses;
  for (const auto& [num, den, candidates] : std::vector<std::array<std::int64_t, 3>>{
           {1, 2, 2}, {1, 2, 5}, {1, 2, 8}, {3, 4, 4}, {1, 4, 6}, {0, 2, 5}, {2, 2, 3}}) {
    const Table table = MakeTable(num, den, std::vector<std::int64_t>(static_cast<std::size_t>(candidates), 1));
    const auto curve = CurveFor(table.quantile, PlainUnits::Of(PlainUnits::kOne));
    const long double allowed = 0.05L / static_cast<long double>(EndsOf(table.quantile).Chosen());
    const long double reach = static_cast<long double>(curve.reach()) * static_cast<long double>(den);
    misses.push_back(0);
    for (std::size_t below = 0; below <= table.rows_at.size(); ++below) {
      const Law law = CurveNoise(table.quantile, curve.noise().scale(), below);
      misses.back() = std::max(misses.back(), Beyond(law, reach * part) / allowed);
    }
  }
  return misses;
}

// The ends of a curve's interval miss the truth only if the noise at one candidate exceeds the reach.
TEST(IntervalsProperty, ACurveReachesFarEnough_QUANTILE4) {
  for (const long double missed : MissesOfCurves(1)) EXPECT_LE(missed, 1);
}

TEST(IntervalsProperty, TheChecksAboveSeeACurveThatReachesHalfAsFar) {
  for (const long double missed : MissesOfCurves(0.5L)) EXPECT_GT(missed, 1);
}

std::size_t CurveMisses(const Table& table, const RankCurve& curve, std::size_t runs, BitSource& bits) {
  const Truth truth = TruthOf(table);
  std::size_t missed = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    const auto chosen = curve.Release(table.quantile, table.rows_at, bits).at(0);
    missed += chosen.ends.low > truth.least || chosen.ends.high < truth.most ? 1 : 0;
  }
  return missed;
}

TEST(IntervalsProperty, ACurveHoldsTheQuantile_QUANTILE4) {
  stat::SeededBits bits(stat::SeedForThisTest());
  Random random(stat::SeedForThisTest());
  constexpr std::size_t kRuns = 2000;
  for (int trial = 1; trial < 30; ++trial) {
    const Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    const auto curve = CurveFor(table.quantile, PlainUnits::Of(PlainUnits::kOne * (1 + trial % 3)));
    EXPECT_LE(stat::LowerBound(CurveMisses(table, curve, kRuns, bits), kRuns), 0.05) << trial;
  }
}

// With hardly any noise the value is the quantile, and its interval the rows next to it.
TEST(IntervalsProperty, ACurveWithoutNoiseIsExact) {
  stat::SeededBits bits(1);
  Random random(stat::SeedForThisTest());
  for (int trial = 0; trial < 100; ++trial) {
    Table table = RandomTable(trial, random);
    if (table.rows.empty()) continue;
    const auto curve = CurveFor(table.quantile, PlainUnits::Of(4000 * PlainUnits::kOne));
    EXPECT_LT(curve.rank_error(1), 0.1);
    const Truth truth = TruthOf(table);
    const auto chosen = curve.Release(table.quantile, table.rows_at, bits).at(0);
    EXPECT_GE(chosen.value, truth.least);
    EXPECT_LE(chosen.value, truth.most);
    EXPECT_EQ(CurveMisses(table, curve, 1, bits), 0u);
  }
}

// Few candidates: the curve; many: two further ranks.
TEST(IntervalsProperty, TheShorterIntervalIsTaken) {
  const auto has_curve = [](std::size_t candidates) {
    auto quantile = std::make_shared<Quantile>(MakeTable(1, 2, std::vector<std::int64_t>(candidates, 0)).quantile);
    Statistic statistic{"median(x)", {0}, Sensitivities::OfL1(4).value(), ""};
    statistic.quantile = quantile;
    const auto law = MechanismOfQuantile(statistic, PlainUnits::Of(PlainUnits::kOne / 10)).value();
    if (law.curve) {
      EXPECT_LT(law.curve->rank_error(1), RankErrorsOf(*quantile, *law.ends, 1).one);
    }
    return law.curve.has_value();
  };
  EXPECT_TRUE(has_curve(2));
  EXPECT_TRUE(has_curve(10));
  EXPECT_TRUE(has_curve(40));
  EXPECT_FALSE(has_curve(200));
  EXPECT_FALSE(has_curve(60000));
}

// Seeded bits that are counted.
class CountedBits final : public BitSource {
 public:
  explicit CountedBits(std::uint64_t seed) : random_(seed) {}
  std::uint64_t Bits(int count) override {
    drawn_ += count;
    return random_() >> (64 - count);
  }
  long long drawn() const { return drawn_; }

 private:
  Random random_;
  long long drawn_ = 0;
};

Plan RanksOf(const std::string& ranks, int upper = 100) {
  const Policy policy = MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n"
      "[columns.t]\nx = { lower = 0, upper = " +
      std::to_string(upper) +
      " }\ny = { lower = 0, upper = 9 }\n[dependence]\nsource = \"public\"\nkind = "
      "\"independent\"\n[budget]\nepsilon = 10\nledger = \"l\"\n");
  return PlanQuestion("SELECT " + ranks + " FROM t", policy).value();
}

const char* const kDeciles =
    "quantile_cont(x, 0.1), quantile_cont(x, 0.2), quantile_cont(x, 0.3), quantile_cont(x, 0.4), median(x), "
    "quantile_cont(x, 0.6), quantile_cont(x, 0.7), quantile_cont(x, 0.8), quantile_cont(x, 0.9)";

Exact RowsOf(const Plan& plan) {
  Exact exact;
  for (const Statistic& statistic : plan.statistics) {
    auto rows = std::make_shared<std::vector<std::int64_t>>(statistic.quantile->candidates.size());
    for (std::size_t v = 0; v < rows->size(); ++v) (*rows)[v] = static_cast<std::int64_t>(v * 7 % 40);
    exact.rows_at.push_back(rows);
  }
  return exact;
}

// All that is drawn is one noise for each candidate, at the sum of the shares; all ranks follow from it.
bool DrawnOnce(const Plan& plan, const std::vector<StatisticMechanism>& laws, std::uint64_t seed) {
  CountedBits once(seed), all(seed);
  const Exact exact = RowsOf(plan);
  const auto measured = laws[0].curve->Measure(*exact.rows_at[0], once);
  const auto groups = AddNoise(plan, exact, laws, all);
  if (!groups || once.drawn() != all.drawn()) return false;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    if ((*groups)[0][k] != laws[k].curve->Read(*plan.statistics[k].quantile, measured)[0].value) return false;
  }
  return true;
}

// All that is drawn is one choice for each quantile, and all that comes out is what was chosen.
bool NothingButTheValues(const Plan& plan, const std::vector<StatisticMechanism>& laws, std::uint64_t seed) {
  CountedBits values(seed), all(seed);
  const Exact exact = RowsOf(plan);
  std::vector<Int128> chosen;
  for (std::size_t k = 0; k < laws.size(); ++k)
    chosen.push_back(ChooseByRank(*plan.statistics[k].quantile, *exact.rows_at[k], *laws[k].choice, values).at(0));
  const auto groups = AddNoise(plan, exact, laws, all);
  return groups && values.drawn() == all.drawn() && (*groups)[0] == chosen;
}

constexpr int kManyValues = 5000;
const char* const kTwoColumns = "median(x), quantile_cont(x, 0.9), max(x)";

TEST(IntervalsProperty, WithoutAnIntervalTheValueHasTheWholeShare_QUANTILE6) {
  const Plan with = RanksOf(kTwoColumns, kManyValues);
  Plan plan = with;
  SetIntervals(plan, false);
  EXPECT_FALSE(LacksIntervals(with));
  EXPECT_TRUE(LacksIntervals(plan));
  const std::vector<PlainUnits> shares = {PlainUnits::Of(PlainUnits::kOne), PlainUnits::Of(PlainUnits::kOne / 7),
                                          PlainUnits::Of(3 * PlainUnits::kOne)};
  const auto laws = MechanismsOf(plan, shares).value(), of_three = MechanismsOf(with, shares).value();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    EXPECT_EQ(laws[k].choice->share(), shares[k]);
    EXPECT_FALSE(laws[k].ends);
    // The value and its ends together have no more than the share.
    const auto ends = static_cast<std::int64_t>(EndsOf(*with.statistics[k].quantile).Chosen());
    EXPECT_EQ(of_three[k].choice->share().count() + ends * of_three[k].ends->share().count(), shares[k].count());
    // As many times as exact as there were choices; errors are rounded up.
    const double with_ends = RankErrorsOf(*with.statistics[k].quantile, of_three[k], 1).one;
    const double alone = RankErrorsOf(*plan.statistics[k].quantile, laws[k], 1).one;
    EXPECT_LT(static_cast<double>(1 + ends) * (alone - 1), with_ends);
  }
  for (std::uint64_t seed = 1; seed < 40; ++seed) EXPECT_TRUE(NothingButTheValues(plan, laws, seed));
}

// The twin: ends that are chosen along with the value and not paid for.
TEST(IntervalsProperty, TheCheckAboveSeesEndsThatNobodyPaidFor) {
  const Plan with = RanksOf(kTwoColumns, kManyValues);
  Plan plan = with;
  SetIntervals(plan, false);
  auto laws = MechanismsOf(plan, std::vector<PlainUnits>(3, PlainUnits::Of(PlainUnits::kOne))).value();
  for (StatisticMechanism& law : laws) law.ends = law.choice;
  for (std::uint64_t seed = 1; seed < 5; ++seed) EXPECT_FALSE(NothingButTheValues(with, laws, seed));
}

// From a curve, too, only the value comes out; and its error is stated only for the value.
TEST(IntervalsProperty, ACurveWithoutAnInterval_QUANTILE6) {
  Plan plan = RanksOf(kDeciles);
  SetIntervals(plan, false);
  const auto laws = MechanismsOf(plan, std::vector<PlainUnits>(9, PlainUnits::Of(PlainUnits::kOne / 9))).value();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    ASSERT_TRUE(laws[k].curve);
    EXPECT_EQ(laws[k].curve->reach(), 0);
    EXPECT_GT(RankErrorsOf(*plan.statistics[k].quantile, laws[k], 1).one, 0);
  }
  stat::SeededBits bits(1);
  EXPECT_EQ(AddNoise(plan, RowsOf(plan), laws, bits).value()[0].size(), 9u);
  for (std::uint64_t seed = 1; seed < 10; ++seed) EXPECT_TRUE(DrawnOnce(plan, laws, seed));
}

/// The largest chance, over tables of every shape, that a value is farther from its rank than this part of the error.
long double BeyondTheError(double part, Random& random) {
  long double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Table table = RandomTable(trial, random);
    table.quantile.interval = false;
    Statistic statistic{"x", {0}, Sensitivities::OfL1(kSpread).value(), ""};
    statistic.quantile = std::make_shared<const Quantile>(table.quantile);
    const PlainUnits share = PlainUnits::Of(PlainUnits::kOne * (1 + trial % 3));
    StatisticMechanism law = MechanismOfQuantile(statistic, share).value();
    law.curve.reset();  // which has its own tests
    const double error = RankErrorsOf(table.quantile, law, 1).one * part;
    const auto distances = RankDistances(table.quantile, MarginOf(table.quantile, *law.choice), table.rows_at);
    const auto chances = SelectionLaw(distances, static_cast<long double>(share.epsilon()) / kSpread);
    long double beyond = 0;
    for (std::size_t v = 0; v < chances.size(); ++v) {
      if (static_cast<double>(distances[v]) / static_cast<double>(table.quantile.den) > error) beyond += chances[v];
    }
    worst = std::max(worst, beyond);
  }
  return worst;
}

TEST(IntervalsProperty, RanksAreOffByNoMoreThanSaidWithoutIntervals_QUANTILE6) {
  Random random(stat::SeedForThisTest());
  EXPECT_LE(BeyondTheError(1, random), 0.05L);
}

TEST(IntervalsProperty, TheCheckAboveSeesAnErrorForThreeTimesTheShare) {
  Random random(stat::SeedForThisTest());
  EXPECT_GT(BeyondTheError(1.0 / 3, random), 0.05L);
}

TEST(IntervalsProperty, RanksOfOneColumnAreReadFromOneMeasurement_QUANTILE5) {
  const Plan plan = RanksOf(kDeciles);
  const std::vector<PlainUnits> shares(9, PlainUnits::Of(PlainUnits::kOne / 9));
  const auto laws = MechanismsOf(plan, shares).value();
  const PlainUnits sum = PlainUnits::Sum(shares).value();
  long long least = 1 << 20;  // the rows that one unit moves
  for (const Statistic& statistic : plan.statistics)
    least = std::min<long long>(least, RankCurve::ChangeOfRows(*statistic.quantile, statistic.change)->l1().steps());
  EXPECT_EQ(least, 2);
  const Noise noise = Noise::For(Sensitivities::OfL1(least).value(), sum).value();
  double apart = 0, together = 0;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    ASSERT_EQ(laws[k].measured_with, 0u);
    EXPECT_EQ(laws[k].curve->noise().scale(), noise.scale());
    const Quantile& quantile = *plan.statistics[k].quantile;
    apart = std::max(apart, RankErrorsOf(quantile, MechanismOfQuantile(plan.statistics[k], shares[k]).value(), 1).one);
    together = std::max(together, RankErrorsOf(quantile, laws[k], 1).one);
  }
  EXPECT_LT(3 * together, apart);  // nine ranks of a hundred values
  for (std::uint64_t seed = 1; seed < 40; ++seed) EXPECT_TRUE(DrawnOnce(plan, laws, seed));
  // The claim is named where it is used.
  std::vector<std::string> claims;
  AddClaims(laws, claims);
  EXPECT_EQ(std::count(claims.begin(), claims.end(), "QUANTILE-5"), 1);
}

// The twin: every rank with its own noise, each for the sum of the shares, would lose nine times as much.
TEST(IntervalsProperty, TheCheckAboveSeesRanksThatAreMeasuredAgain_QUANTILE5) {
  const Plan plan = RanksOf(kDeciles);
  auto laws = MechanismsOf(plan, std::vector<PlainUnits>(9, PlainUnits::Of(PlainUnits::kOne / 9))).value();
  for (StatisticMechanism& law : laws) law.measured_with.reset();
  for (std::uint64_t seed = 1; seed < 5; ++seed) EXPECT_FALSE(DrawnOnce(plan, laws, seed));
}

TEST(IntervalsProperty, RanksAreMeasuredTogetherWhereThatIsBetterAlone_QUANTILE5) {
  // Another column, another condition, and long lists of values.
  EXPECT_TRUE(RanksOfOneColumn(RanksOf("median(x), median(y), median(x) FILTER (WHERE y > 3)")).empty());
  EXPECT_TRUE(RanksOfOneColumn(RanksOf("median(x), quantile_cont(x, 0.9)", 50000)).empty());
  EXPECT_EQ(RanksOfOneColumn(RanksOf("median(x), median(y), quantile_cont(x, 0.9), max(y)")),
            (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 3}}));
  // Two ranks of a thousand values are better chosen one by one; and where one has nearly all of the price, it would
  // lose by sharing.
  const auto together = [](const std::string& ranks, int upper, std::vector<PlainUnits> shares) {
    return MechanismsOf(RanksOf(ranks, upper), shares).value()[0].measured_with.has_value();
  };
  const PlainUnits half = PlainUnits::Of(PlainUnits::kOne / 2);
  EXPECT_FALSE(together("median(x), quantile_cont(x, 0.9)", 1000, {half, half}));
  EXPECT_TRUE(together("median(x), quantile_cont(x, 0.9)", 40, {half, half}));
  EXPECT_FALSE(together("median(x), quantile_cont(x, 0.9)", 100, {half, PlainUnits::Of(PlainUnits::kOne / 1000)}));
  // For a wanted error: as exact, and cheaper than one by one.
  const Plan plan = RanksOf(kDeciles);
  const PlainUnits budget = PlainUnits::Of(std::int64_t{1000} * PlainUnits::kOne);
  Price price;
  price.error_95 = 20;
  const Priced priced = PriceQuestion(plan, price, 1000, budget).value();
  double apart = 0;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    EXPECT_LE(priced.noise[k].error_95, 20);
    const char* const ranks[] = {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"};
    const Plan one = RanksOf(std::string("quantile_cont(x, ") + ranks[k] + ")");
    apart += PriceQuestion(one, price, 1000, budget)->total.epsilon();
  }
  EXPECT_LT(3 * priced.total.epsilon(), apart);
}

TEST(IntervalsProperty, ValuesThatWereRoundedMayLieHalfAStepFurtherOut) {
  Quantile quantile;
  quantile.least = -1;
  quantile.most = 3;
  quantile.rounded = true;
  const ValueInterval interval = IntervalOf(quantile, {-2}, 2, {1, 4});  // a lattice of a quarter
  EXPECT_EQ(interval.low, 0.125);
  EXPECT_EQ(interval.high, 1.125);
  EXPECT_FALSE(interval.everything);
  const ValueInterval around = IntervalOf(quantile, {-2}, 7, {1, 4});  // the value is in it
  EXPECT_EQ(around.high, 1.875);
  const ValueInterval all = IntervalOf(quantile, {-2}, 2, {-4, 12});  // nothing is beyond the bounds
  EXPECT_EQ(all.low, -1);
  EXPECT_EQ(all.high, 3);
  EXPECT_TRUE(all.everything);
}

TEST(IntervalsProperty, TheShareForAReachIsTheSmallest) {
  Random random(stat::SeedForThisTest());
  for (int trial = 0; trial < 500; ++trial) {
    const auto spread = static_cast<std::int64_t>(1 + random() % 1000);
    const std::uint64_t others = 1 + random() % 100000;
    const auto reach = static_cast<std::int64_t>(1 + random() % 100000);
    const PlainUnits share = PermuteAndFlip::ShareForReach(Sensitivity::Make(spread).value(), others, reach).value();
    EXPECT_LE(Chooser(spread, share).Reach(others), reach);
    if (share.count() == 1) continue;
    EXPECT_GT(Chooser(spread, PlainUnits::Of(share.count() - 1)).Reach(others), reach);
  }
}

}  // namespace
}  // namespace kith::testing
