// What a synthetic table loses, over all records of tiny tables: the noise and the choices of a run, against what a
// record really changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/synthetic/synthetic.h"
#include "base/json.h"
#include "mechanism/noise.h"
#include "tests/support/policies.h"
#include "tests/support/runner_engine.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/unbooked_study.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;

// Every two of six columns are a pair: fifteen, of which twelve rounds choose.
Policy PeoplePolicy(const std::string& presence) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"" + presence +
      "\"\nwithin = \"house\"\nsize = 3\n[columns.t]\nid = { type = \"integer\"" +
      std::string(presence == "public" ? ", public = true" : "") +
      " }\nhouse = { type = \"integer\", public = true }\n"
      "ill = { values = [\"no\", \"yes\"] }\nward = { values = [\"A\", \"B\"], required = true }\n"
      "age = { lower = 0, upper = 7, required = true }\nsex = { values = [\"f\", \"m\"] }\n"
      "job = { values = [\"a\", \"b\", \"c\"] }\nodd = { values = [1, 2] }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

const std::vector<std::string> kColumns = {"ill", "ward", "age", "sex", "job", "odd"};

Row Person(int id, int house, Random& random) {
  const auto pick = [&](std::vector<const char*> texts) {
    const std::size_t at = random() % (texts.size() + 1);
    return at == texts.size() ? NullDatum() : TextDatum(texts[at]);
  };
  const auto odd = static_cast<int>(random() % 3);
  return {IntegerDatum(id),
          IntegerDatum(house),
          pick({"no", "yes"}),
          TextDatum(random() % 2 == 0 ? "A" : "B"),
          IntegerDatum(static_cast<int>(random() % 8)),
          pick({"f", "m"}),
          pick({"a", "b", "c"}),
          odd == 0 ? NullDatum() : IntegerDatum(odd)};
}

TinyTable Empty() {
  return {"t",
          {"id", "house", "ill", "ward", "age", "sex", "job", "odd"},
          {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText, ColumnType::kText, ColumnType::kInteger,
           ColumnType::kText, ColumnType::kText, ColumnType::kInteger},
          {}};
}

/// Tables that differ in the record of unit 1.
std::vector<TinyTable> Worlds(const std::string& presence, Random& random) {
  TinyTable others = Empty();
  for (int k = 0; k < 5; ++k) others.rows.push_back(Person(2 + k, k / 3, random));
  std::vector<TinyTable> worlds;
  if (presence == "secret") worlds.push_back(others);
  for (int k = 0; k < 10; ++k) {
    worlds.push_back(others);
    worlds.back().rows.push_back(Person(1, 1, random));
  }
  return worlds;
}

using Counts = std::vector<std::int64_t>;

struct Exact {
  std::vector<Counts> ones, pairs;
  Counts groups;
};

Counts TableOf(const Plan& plan, SqlRunner& runner) {
  Counts counts;
  const auto statistics = StatisticsOf(plan, runner.Run(plan.statement));
  for (const Int128 count : statistics[0]) counts.push_back(static_cast<std::int64_t>(count));
  return counts;
}

Exact CountAll(const Synthetic& study, const TinyTable& world, SqlRunner& runner) {
  runner.Load(world);
  Exact exact;
  for (const auto& table : study.columns()) exact.ones.push_back(TableOf(table.plan, runner));
  for (const auto& table : study.pairs()) exact.pairs.push_back(TableOf(table.plan, runner));
  if (study.groups()) exact.groups = TableOf(study.groups()->plan, runner);
  return exact;
}

double Apart(const Counts& a, const Counts& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::fabs(static_cast<double>(a[k] - b[k]));
  return sum;
}

/// What one run did: which tables got noise of which scale, and what choices cost.
struct Transcript {
  std::vector<std::pair<std::vector<std::string>, double>> tables;  // columns and scale of the noise
  std::vector<double> choices;                                      // shares
};

Transcript RunOnce(const Synthetic& study, std::span<const PlainUnits> shares, const TinyTable& world,
                   SqlRunner& runner, BitSource& bits) {
  runner.Load(world);
  const RunnerEngine engine(runner);
  const auto found = RunOn(study, engine, shares, bits);
  Transcript out;
  if (!found) ADD_FAILURE() << found.error().Text();
  if (!found) return out;
  for (const auto& table : found->details->at("measured")) {
    out.tables.emplace_back(table["columns"].get<std::vector<std::string>>(), table["noise_scale"].get<double>());
    if (table.contains("choice_share")) out.choices.push_back(table["choice_share"].get<double>());
  }
  return out;
}

std::size_t At(const std::vector<std::string>& names) {
  std::size_t position = 0;
  for (std::size_t a = 0; a < kColumns.size(); ++a)
    for (std::size_t b = a + 1; b < kColumns.size(); ++b, ++position)
      if (kColumns[a] == names[0] && kColumns[b] == names[1]) return position;
  return position;
}

/// The largest loss of that run between any two worlds: what noise and choices make of the changes there are.
/// `noise`: the scale of all noise, in parts of what it was.
double LossOf(const Synthetic& study, const Transcript& run, std::span<const PlainUnits> shares,
              const std::vector<Exact>& worlds, Random& random, double noise = 1) {
  const auto& parts = study.parts();
  const auto scale = [&](std::size_t part, std::int64_t l1) {
    return noise * static_cast<double>(l1) / shares[part].epsilon();
  };
  double most = 0;
  for (const Exact& a : worlds) {
    for (const Exact& b : worlds) {
      double loss = 0;
      for (const auto& [names, used] : run.tables) {
        const auto one = std::find(kColumns.begin(), kColumns.end(), names[0]) - kColumns.begin();
        const double apart = names.size() == 1
                                 ? Apart(a.ones[static_cast<std::size_t>(one)], b.ones[static_cast<std::size_t>(one)])
                                 : Apart(a.pairs[At(names)], b.pairs[At(names)]);
        if (apart > 0) loss += apart / (noise * used);
      }
      // Choices are made by distances from a model, which may be any: what is expected is drawn again for each.
      double all = 0;
      for (const double share : run.choices) {
        std::int64_t up = 0, down = 0;
        for (std::size_t k = 0; k < a.pairs.size(); ++k) {
          Counts expected;
          for (std::size_t cell = 0; cell < a.pairs[k].size(); ++cell)
            expected.push_back(static_cast<std::int64_t>(random() % 4));
          const std::int64_t change =
              Synthetic::DistanceOf(a.pairs[k], expected, 5) - Synthetic::DistanceOf(b.pairs[k], expected, 5);
          up = std::max(up, change), down = std::min(down, change);
        }
        loss += share * static_cast<double>(up - down) / (noise * static_cast<double>(study.spread()));
      }
      for (std::size_t k = 0; k < a.pairs.size(); ++k) all += Apart(a.pairs[k], b.pairs[k]);
      loss += all / scale(parts.accuracy, study.change_of_all_pairs());
      if (study.groups()) {
        const double apart = Apart(a.groups, b.groups);
        const std::int64_t l1 = study.groups()->plan.statistics[0].change.l1().steps();
        loss += apart / scale(*parts.groups, l1) + apart / scale(*parts.group_accuracy, l1);
      }
      most = std::max(most, loss);
    }
  }
  return most;
}

struct Case {
  std::unique_ptr<Synthetic> study;
  std::vector<PlainUnits> shares;
  std::vector<Exact> worlds;
  Transcript run;
  double total = 0;
};

Case Try(const std::string& presence, const std::vector<std::string>& together, Random& random, SqlRunner& runner) {
  Case out;
  out.study = Synthetic::Make({.columns = kColumns, .parts = 4, .rows = 40, .together = together, .where = ""},
                              PeoplePolicy(presence))
                  .value();
  for (const double weight : out.study->Weights()) {
    out.shares.push_back(PlainUnits::Floor(weight).value());
    out.total += out.shares.back().epsilon();
  }
  const std::vector<TinyTable> tables = Worlds(presence, random);
  for (const TinyTable& table : tables) out.worlds.push_back(CountAll(*out.study, table, runner));
  stat::SeededBits bits(stat::SeedForThisTest());
  out.run = RunOnce(*out.study, out.shares, tables.back(), runner, bits);
  return out;
}

TEST(SyntheticProperty, NoRecordLosesMoreThanTheShares_SYNTH1) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const char* presence : {"public", "secret"}) {
    const Case found = Try(presence, {}, random, *runner);
    EXPECT_FALSE(found.run.choices.empty());
    EXPECT_GT(found.run.tables.size(), kColumns.size() + 2);
    const double loss = LossOf(*found.study, found.run, found.shares, found.worlds, random);
    EXPECT_LE(loss, found.total + 1e-9);
    EXPECT_GT(loss, 0.8 * found.total) << "noise is larger than it need be";
  }
}

TEST(SyntheticProperty, CompositionsOfHouseholdsCostWhatOneUnitChanges_SYNTH2) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const char* presence : {"public", "secret"}) {
    const Case found = Try(presence, {"ward"}, random, *runner);
    const auto& groups = *found.study->groups();
    double most = 0;
    for (const Exact& a : found.worlds)
      for (const Exact& b : found.worlds) most = std::max(most, Apart(a.groups, b.groups));
    EXPECT_EQ(most, 2);
    EXPECT_EQ(groups.plan.statistics[0].change.l1().steps(), 2);
    EXPECT_EQ(groups.compositions.size(), 9u);  // C(5, 2) - 1
    EXPECT_LE(LossOf(*found.study, found.run, found.shares, found.worlds, random), found.total + 1e-9);
  }
}

// The twin.
TEST(SyntheticProperty, TheChecksAboveSeeFortyPercentTooLittleNoise) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  const Case found = Try("secret", {"ward"}, random, *runner);
  EXPECT_GT(LossOf(*found.study, found.run, found.shares, found.worlds, random, 0.6), found.total);
}

TEST(SyntheticProperty, DistancesChangeByTheCountsAndNoMore_SYNTH3) {
  const Counts before = {3, 0, 2}, expected = {1, 1, 1};
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 3; ++to) {
      Counts after = before;
      --after[from];
      ++after[to];
      const auto change = Synthetic::DistanceOf(after, expected, 7) - Synthetic::DistanceOf(before, expected, 7);
      EXPECT_LE(std::abs(change), 2);
    }
  }
  EXPECT_EQ(Synthetic::DistanceOf(before, expected, 0) - Synthetic::DistanceOf(before, expected, 7), -7);
  // Whatever the counts are, the result is in the range of distances.
  EXPECT_EQ(Synthetic::DistanceOf(Counts(4, std::int64_t{1} << 52), Counts(4), 0), 0);
}

TEST(SyntheticProperty, TheCheckOfDistancesSeesSquares) {
  const Counts before = {3, 0, 2}, expected = {1, 1, 1};
  const auto squares = [&](const Counts& counts) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += (counts[k] - expected[k]) * (counts[k] - expected[k]);
    return sum;
  };
  EXPECT_GT(std::abs(squares({4, 0, 1}) - squares(before)), 2);
}

}  // namespace
}  // namespace kith::testing
