// How far one record can move what is measured for a cumulative curve, over records of tiny tables, on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/cumulative/cumulative.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;

Policy VisitsPolicy(const std::string& presence, int max_rows) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"" + presence + "\"\n[columns.t]\nid = { type = \"integer\"" +
      std::string(presence == "public" ? ", public = true" : "") +
      " }\nage = { lower = 0, upper = 11 }\nward = { values = [\"A\", \"B\"] }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

/// 12: no age; 13 and 14: beyond the bounds.
Row Visit(int id, int age, int ward) {
  return {IntegerDatum(id), age == 12 ? NullDatum() : IntegerDatum(age == 14 ? -5 : age),
          ward == 2 ? NullDatum() : TextDatum(ward == 0 ? "A" : "B")};
}

struct Furthest {
  std::vector<Int128> l1;  // by level of the tree
  Int128 l2_squared = 0;   // of the sums with weights
};

/// Between any two records of one unit.
Furthest TryRecords(const Cumulative& pure, const Cumulative& normal, int max_rows, bool secret, Random& random,
                    SqlRunner& runner) {
  TinyTable others{"t", {"id", "age", "ward"}, {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText}, {}};
  for (int i = 0; i < 9; ++i)
    others.rows.push_back(Visit(2 + i / 2, static_cast<int>(random() % 15), static_cast<int>(random() % 3)));
  std::vector<std::vector<Row>> records;
  if (secret) records.emplace_back();
  for (int age = 0; age < 15; ++age) {
    auto& same = records.emplace_back();
    for (int k = 0; k < max_rows + 1; ++k) same.push_back(Visit(1, age, 0));  // one more row than is kept
    auto& mixed = records.emplace_back();
    for (int k = 0; k < max_rows; ++k) mixed.push_back(Visit(1, (age + 3 * k) % 15, static_cast<int>(random() % 3)));
    records.push_back({Visit(1, age, 0)});
  }
  const auto& levels = pure.tree().levels();
  std::vector<std::vector<std::vector<Int128>>> blocks;
  std::vector<std::vector<Int128>> sums;
  for (const auto& record : records) {
    TinyTable table = others;
    table.rows.insert(table.rows.begin() + 2, record.begin(), record.end());
    runner.Load(table);
    const auto found = StatisticsOf(pure.plan(), runner.Run(pure.plan().statement))[0];
    std::vector<std::int64_t> counts;
    for (const Int128 count : found) counts.push_back(static_cast<std::int64_t>(count));
    auto& of_levels = blocks.emplace_back();
    for (std::size_t k = 0; k < levels.size(); ++k) of_levels.push_back(pure.tree().Measure(k, counts));
    sums.push_back(normal.root()->Measure(counts));
  }
  Furthest most;
  most.l1.assign(levels.size(), 0);
  for (std::size_t a = 0; a < records.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t k = 0; k < levels.size(); ++k) {
        Int128 l1 = 0;
        for (std::size_t block = 0; block < blocks[a][k].size(); ++block) {
          const Int128 apart = blocks[a][k][block] - blocks[b][k][block];
          l1 += apart < 0 ? -apart : apart;
        }
        most.l1[k] = std::max(most.l1[k], l1);
      }
      Int128 squared = 0;
      for (std::size_t k = 0; k < sums[a].size(); ++k) squared += (sums[a][k] - sums[b][k]) * (sums[a][k] - sums[b][k]);
      most.l2_squared = std::max(most.l2_squared, squared);
    }
  }
  return most;
}

struct Both {
  std::unique_ptr<Cumulative> pure;
  std::shared_ptr<const NormalStudy> held;
  const Cumulative& normal() const { return dynamic_cast<const Cumulative&>(*held); }
};

Both Make(const std::string& where, const std::string& presence, int max_rows) {
  CumulativeOptions options;
  options.column = "age";
  options.cells = 12;
  options.where = where;
  Both both;
  both.pure = Cumulative::Make(options, VisitsPolicy(presence, max_rows)).value();
  both.held = both.pure->AtMu(1 << 30).value();
  return both;
}

TEST(CumulativeProperty, NoRecordMovesWhatIsMeasuredFurtherThanSaid_PREFIX3) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const char* presence : {"public", "secret"}) {
    for (const int rows : {1, 3}) {
      for (const char* where : {"", "ward = 'A'"}) {
        const Both both = Make(where, presence, rows);
        ASSERT_GT(both.normal().root()->weights().size(), 1U);
        const Furthest most =
            TryRecords(*both.pure, both.normal(), rows, std::string(presence) == "secret", random, *runner);
        for (std::size_t k = 0; k < most.l1.size(); ++k)
          EXPECT_LE(most.l1[k], both.pure->tree().levels()[k].l1) << presence << rows << where;
        EXPECT_EQ(most.l1[0], 2 * rows) << "a bound is larger than it need be";
        EXPECT_LE(most.l2_squared, both.normal().root()->change().l2_squared()) << presence << rows << where;
      }
    }
  }
}

TEST(CumulativeProperty, TheCheckAboveSeesTheChangeOfOneRow) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  const Both three = Make("", "secret", 3), one = Make("", "secret", 1);  // whose bounds are for one row
  const Furthest most = TryRecords(*three.pure, three.normal(), 3, true, random, *runner);
  EXPECT_GT(most.l1[0], one.pure->tree().levels()[0].l1);
  ASSERT_EQ(three.normal().root()->bits(), one.normal().root()->bits());
  EXPECT_GT(most.l2_squared, one.normal().root()->change().l2_squared());
}

}  // namespace
}  // namespace kith::testing
