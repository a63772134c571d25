// How far one record can move the counts that the most frequent values are chosen by, over all records of tiny tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/top/top.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;

Policy VisitsPolicy(const std::string& presence) {
  return MakePolicy("[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 3\npresence = \"" +
                    presence + "\"\n[columns.t]\nid = { type = \"integer\"" +
                    std::string(presence == "public" ? ", public = true" : "") +
                    " }\ndrug = { values = [\"a\", \"b\", \"c\", \"d\"] }\n"
                    "ward = { values = [\"A\", \"B\"] }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
                    "[budget]\nepsilon = 1\nledger = \"l\"\n");
}

Row Visit(int id, int drug, int ward) {
  static const char* const kDrugs[] = {"a", "b", "c", "d", "not declared"};
  return {IntegerDatum(id), drug == 5 ? NullDatum() : TextDatum(kDrugs[drug]),
          ward == 2 ? NullDatum() : TextDatum(ward == 0 ? "A" : "B")};
}

/// The largest of max(change) - min(change) over the values, and of the sum of changes, between any two records of one
/// unit. `rows`: of a question that counts rows in place of units.
struct Spreads {
  Int128 most = 0;
  bool right = true;  // the counts are those of the definition
};
Spreads TryRecords(const Plan& plan, const std::string& presence, bool filtered, Random& random, SqlRunner& runner) {
  TinyTable others{"t", {"id", "drug", "ward"}, {ColumnType::kInteger, ColumnType::kText, ColumnType::kText}, {}};
  for (int i = 0; i < 5; ++i)
    others.rows.push_back(Visit(2 + i / 2, static_cast<int>(random() % 6), static_cast<int>(random() % 3)));
  std::vector<std::vector<Row>> records;
  if (presence == "secret") records.emplace_back();
  for (int drug = 0; drug < 6; ++drug) {
    records.push_back({Visit(1, drug, 0)});
    records.push_back({Visit(1, drug, 0), Visit(1, drug, 0), Visit(1, drug, 0)});
    records.push_back({Visit(1, drug, 1), Visit(1, (drug + 1) % 6, 0), Visit(1, (drug + 2) % 6, 0)});
  }
  std::vector<std::vector<Int128>> counts;
  Spreads found;
  for (const auto& record : records) {
    TinyTable table = others;
    table.rows.insert(table.rows.begin() + 2, record.begin(), record.end());
    runner.Load(table);
    counts.push_back(StatisticsOf(plan, runner.Run(plan.statement))[0]);
    for (std::size_t value = 0; value < 4; ++value) {  // units with that value, by the definition
      std::vector<long double> units;
      for (const Row& row : table.rows) {
        if (row[1].null() || row[1].text != std::string(1, static_cast<char>('a' + value))) continue;
        if (filtered && (row[2].null() || row[2].text != "A")) continue;
        if (std::find(units.begin(), units.end(), row[0].number) == units.end()) units.push_back(row[0].number);
      }
      found.right = found.right && counts.back()[value] == static_cast<Int128>(units.size());
    }
  }
  for (const auto& a : counts) {
    for (const auto& b : counts) {
      Int128 up = b[0] - a[0], down = up;
      for (std::size_t value = 1; value < 4; ++value) {
        up = std::max(up, b[value] - a[value]);
        down = std::min(down, b[value] - a[value]);
      }
      found.most = std::max(found.most, up - down);
    }
  }
  return found;
}

TEST(TopProperty, NoRecordMovesCountsFurtherApartThanSaid_TOP1) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const char* presence : {"public", "secret"}) {
    for (const char* where : {"", "ward = 'A'"}) {
      const auto top = Top::Make({"drug", 2, where}, VisitsPolicy(presence)).value();
      const std::string condition = where;
      const Spreads found = TryRecords(top->plan(), presence, !condition.empty(), random, *runner);
      EXPECT_LE(found.most, top->spread());
      EXPECT_EQ(found.most, 2) << "a bound is larger than it need be";
      EXPECT_TRUE(found.right);
    }
  }
}

TEST(TopProperty, TheCheckAboveSeesCountsOfRows) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  const auto top = Top::Make({"drug", 2, ""}, VisitsPolicy("secret")).value();
  const Plan rows =
      PlanQuestion("SELECT drug, count(*) AS n FROM t WHERE drug IS NOT NULL GROUP BY drug", VisitsPolicy("secret"))
          .value();
  EXPECT_GT(TryRecords(rows, "secret", false, random, *runner).most, top->spread());
}

}  // namespace
}  // namespace kith::testing
