// How far one record can move the counts of declared cells, over all records of tiny tables, and that each cell is
// counted by its own number, on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "analysis/cells/cells.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Random = std::mt19937_64;
using Counts = std::map<std::vector<std::string>, Int128>;  // by what is shown of a cell

Policy VisitsPolicy(const std::string& presence, int max_rows) {
  std::string drugs;
  for (int k = 0; k < 30; ++k) drugs += (k == 0 ? "\"d" : ", \"d") + std::to_string(k) + "\"";
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"" + presence + "\"\n[columns.t]\nid = { type = \"integer\"" +
      std::string(presence == "public" ? ", public = true" : "") +
      " }\ncode = { pattern = \"[A-C][0-9]{2}\" }\ndrug = { values = [" + drugs +
      "] }\nyear = { lower = 2000, upper = 2009 }\nill = { values = [\"no\", \"yes\"], required = true }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

// Some do not fit the pattern, are not in the list, or are beyond the bounds.
const char* const kCodes[] = {"A00", "A01", "B09", "C99", "D00", "A1", "A001", "a00", "", "A0\xc3\xa9"};
const char* const kDrugs[] = {"d0", "d1", "d17", "d29", "d30", "D0", "none"};

Row Visit(int id, int code, int drug, int year, int ill) {
  return {IntegerDatum(id), code == 10 ? NullDatum() : TextDatum(kCodes[code]),
          drug == 7 ? NullDatum() : TextDatum(kDrugs[drug]), year == 0 ? NullDatum() : IntegerDatum(1998 + year),
          ill == 0   ? TextDatum("no")
          : ill == 1 ? TextDatum("yes")
                     : NullDatum()};
}

Row RandomVisit(int id, Random& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  return Visit(id, below(11), below(8), below(14), below(3));
}

Counts CountsOf(const SparsePlan& plan, const IntegerRows& rows) {
  Counts counts;
  for (const auto& row : rows) {
    std::vector<std::int64_t> indexes;
    for (std::size_t k = 0; k < plan.keys.size(); ++k) indexes.push_back(static_cast<std::int64_t>(row[k].value()));
    UInt128 number = 0;
    if (!plan.NumberOf(indexes, number)) continue;  // a string that does not fit its pattern
    std::vector<std::string> shown;
    for (const Value& value : plan.ValuesOf(number)) shown.push_back(kith::ToText(value));
    EXPECT_TRUE(counts.emplace(shown, row.back().value()).second) << "a cell came twice";
  }
  return counts;
}

// By the definition, where no unit has more rows than are kept.
Counts Reference(const std::vector<std::string>& columns, const TinyTable& table, bool units) {
  std::map<std::vector<std::string>, std::vector<long double>> ids;
  for (const Row& row : table.rows) {
    std::vector<std::string> shown;
    for (const std::string& column : columns) {
      const Datum& value = row[static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), column) -
                                                        table.columns.begin())];
      if (column == "ill") {
        shown.push_back(value.null() ? "no" : value.text);
      } else if (value.null()) {
        break;
      } else if (column == "year") {
        shown.push_back(std::to_string(std::clamp(static_cast<int>(value.number), 2000, 2009)));
      } else if (column == "drug") {
        if (std::find(kDrugs, kDrugs + 4, value.text) == kDrugs + 4) break;
        shown.push_back(value.text);
      } else {
        if (std::find(kCodes, kCodes + 4, value.text) == kCodes + 4) break;
        shown.push_back(value.text);
      }
    }
    if (shown.size() == columns.size()) ids[shown].push_back(row[0].number);
  }
  Counts counts;
  for (auto& [shown, of] : ids) {
    std::sort(of.begin(), of.end());
    counts[shown] = units ? std::unique(of.begin(), of.end()) - of.begin() : static_cast<std::ptrdiff_t>(of.size());
  }
  return counts;
}

Int128 Distance(const Counts& a, const Counts& b) {
  Int128 sum = 0;
  for (const auto& [cell, count] : a) {
    const auto other = b.find(cell);
    const Int128 change = count - (other == b.end() ? 0 : other->second);
    sum += change < 0 ? -change : change;
  }
  for (const auto& [cell, count] : b) sum += a.contains(cell) ? 0 : count;
  return sum;
}

TinyTable Others(Random& random) {
  TinyTable table{"t",
                  {"id", "code", "drug", "year", "ill"},
                  {ColumnType::kInteger, ColumnType::kText, ColumnType::kText, ColumnType::kInteger, ColumnType::kText},
                  {}};
  for (int i = 0; i < 24; ++i) table.rows.push_back(RandomVisit(2 + i / 3, random));
  return table;
}

/// The largest L1 distance between two records of one unit.
Int128 Furthest(const SparsePlan& plan, int most_rows, bool secret, Random& random, SqlRunner& runner) {
  const TinyTable others = Others(random);
  std::vector<Counts> all;
  for (int record = 0; record < 14; ++record) {
    TinyTable table = others;
    const int rows = secret && record == 0 ? 0 : 1 + record % most_rows;
    for (int k = 0; k < rows; ++k)
      table.rows.insert(table.rows.begin() + 3,
                        record < 8 ? Visit(1, (record + k) % 4, (record / 2 + k) % 4, 5 + (record + k) % 4, k % 2)
                                   : RandomVisit(1, random));
    runner.Load(table);
    all.push_back(CountsOf(plan, runner.Run(plan.statement)));
  }
  Int128 most = 0;
  for (const Counts& a : all) {
    for (const Counts& b : all) most = std::max(most, Distance(a, b));
  }
  return most;
}

const std::vector<std::vector<std::string>> kColumns = {
    {"code"}, {"drug"}, {"year"}, {"code", "drug"}, {"drug", "year", "ill"}, {"ill", "code", "year"}};

SparsePlan PlanOf(const std::vector<std::string>& columns, const std::string& presence, int rows, CountOf count) {
  return PlanSparse(columns, "", count, SparseCounts::kMostCells, VisitsPolicy(presence, rows)).value();
}

TEST(CellsProperty, NoRecordMovesCountsFurtherThanSaid_SPARSE3) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const char* presence : {"public", "secret"}) {
    for (const auto& columns : kColumns) {
      for (const CountOf count : {CountOf::kRows, CountOf::kUnits}) {
        const SparsePlan plan = PlanOf(columns, presence, 3, count);
        EXPECT_EQ(plan.change.l1().steps(), 6);
        EXPECT_LE(Furthest(plan, 4, std::string(presence) == "secret", random, *runner), plan.change.l1().steps());
      }
    }
  }
  // The bound is reached: three rows in three cells, and three others.
  EXPECT_EQ(Furthest(PlanOf({"code", "drug"}, "secret", 3, CountOf::kRows), 3, true, random, *runner), 6);
}

TEST(CellsProperty, TheCheckAboveSeesAChangeOfOneRow) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  const SparsePlan one = PlanOf({"code", "drug"}, "secret", 1, CountOf::kRows);  // whose bound is for one row
  const SparsePlan three = PlanOf({"code", "drug"}, "secret", 3, CountOf::kRows);
  EXPECT_GT(Furthest(three, 4, true, random, *runner), one.change.l1().steps());
}

TEST(CellsProperty, CellsAreCountedByTheirOwnNumbers_SPARSE3) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (int round = 0; round < 4; ++round) {
    const TinyTable table = Others(random);
    runner->Load(table);
    for (const auto& columns : kColumns) {
      for (const bool units : {false, true}) {
        const SparsePlan plan = PlanOf(columns, "secret", 3, units ? CountOf::kUnits : CountOf::kRows);
        EXPECT_EQ(CountsOf(plan, runner->Run(plan.statement)), Reference(columns, table, units)) << columns[0] << units;
      }
    }
  }
}

}  // namespace
}  // namespace kith::testing
