// The bounds of a person's own statistic by trying everything: whatever a function makes of a row, no unit's rows may
// move the sums of a part by more than was declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/own/own_test_tools.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::HandedRows;
using testing::OwnPolicy;
using testing::TwoParts;
using Rows_ = std::vector<std::vector<std::int64_t>>;

/// Functions that return what none should.
const std::vector<RowFunction> kFunctions = {
    [](std::span<const double> row, Contribution& out) { out.Add(0, row[0] * 1e300 * row[1]); },
    [](std::span<const double> row, Contribution& out) {
      for (std::size_t k = 0; k < 9; ++k) out.Add(k, row[0] > 0 ? 1e9 : -1e9);
    },
    [](std::span<const double> row, Contribution& out) {
      out.Add(0, 1 / row[0]);
      out.Add(0, -1 / row[1]);
      out.Add(static_cast<std::size_t>(row[1]), row[0]);
    },
    [](std::span<const double> row, Contribution& out) {
      out.Add(5, 1);
      if (row[1] > 4) throw 1;
      out.Add(0, row[0]);
      out.Add(2, row[1]);
    },
    [](std::span<const double> row, Contribution& out) {
      out.Add(0, row[0] > 0 ? 2 : -1);
      out.Add(1 + static_cast<std::size_t>(row[1]) % 5, 1);
      out.Add(1 + static_cast<std::size_t>(row[1] * 3 + 2) % 5, 1);
    },
};

/// The largest change of each part's sums between any two records of one unit, all others staying the same; and whether
/// one reached what was declared.
struct Tried {
  bool within = true, reached = false;
};

/// `times` larger changes than declared count as within: more than 1 for no check, less for a planted fault.
Tried TryAll(const OwnStatistic& statistic, std::int64_t limit, double times, std::mt19937_64& draws) {
  const int most = limit < 0 ? 2 : 1;  // rows of a unit
  static const double step = PlanRows({"x"}, {}, OwnPolicy()).value().values[0].lattice.step();
  const auto draw_row = [&] {
    const auto x = static_cast<std::int64_t>(draws() % 9) - 2;
    std::vector<std::int64_t> row = {static_cast<std::int64_t>(static_cast<double>(x) / step),
                                     static_cast<std::int64_t>(draws() % 10)};
    if (limit >= 0) row.push_back(limit);
    return row;
  };
  Rows_ others;
  for (int k = 0; k < 4; ++k) others.push_back(draw_row());
  std::vector<std::vector<Int128>> answers;
  for (int record = 0; record < 40; ++record) {
    Rows_ rows = others;
    for (int k = record % (most + 1); k > 0; --k) rows.push_back(draw_row());
    answers.push_back(FoldRows(HandedRows(rows), statistic.fold(), {}).value());
  }
  Tried tried;
  const std::size_t first[] = {0, 1, 6};
  for (std::size_t part = 0; part < 2; ++part) {
    for (const auto& a : answers) {
      for (const auto& b : answers) {
        Int128 distance = 0;
        for (std::size_t k = first[part]; k < first[part + 1]; ++k) distance += a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
        const double allowed = times * static_cast<double>(statistic.SensitivityOf(part));
        tried.within = tried.within && static_cast<double>(distance) <= allowed;
        tried.reached = tried.reached || distance == statistic.SensitivityOf(part);
      }
    }
  }
  return tried;
}

TEST(OwnProperty, NoFunctionMovesASumMoreThanDeclared_OWN1) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  bool reached = false;
  for (const RowFunction function : kFunctions) {
    const auto statistic = OwnStatistic::Make(TwoParts(), function, OwnPolicy("secret")).value();
    for (int round = 0; round < 6; ++round) {
      const Tried tried = TryAll(*statistic, -1, 1, draws);
      EXPECT_TRUE(tried.within);
      reached = reached || tried.reached;
    }
  }
  EXPECT_TRUE(reached);  // the declared bound is not larger than necessary
}

TEST(OwnProperty, TheCheckOfSumsSeesTooSmallASensitivity) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  bool caught = false;
  for (const RowFunction function : kFunctions) {
    const auto statistic = OwnStatistic::Make(TwoParts(), function, OwnPolicy("secret")).value();
    caught = caught || !TryAll(*statistic, -1, 0.9, draws).within;
  }
  EXPECT_TRUE(caught);
}

OwnOptions Limited() {
  OwnOptions options = TwoParts();
  options.limit = "quarters / 4.0";
  return options;
}

std::int64_t LimitSteps(double limit) {
  return static_cast<std::int64_t>(
      limit / PlanRows({"quarters / 4.0"}, {}, OwnPolicy("public", 1)).value().values[0].lattice.step());
}

TEST(OwnProperty, ALimitedRecordMovesSumsByItsPartOfTheBound_OWN2) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  for (const RowFunction function : kFunctions) {
    const auto statistic = OwnStatistic::Make(Limited(), function, OwnPolicy("public", 1));
    ASSERT_TRUE(statistic) << statistic.error().Text();
    for (const double limit : {0.0, 0.25, 0.5, 0.75, 1.0})
      EXPECT_TRUE(TryAll(**statistic, LimitSteps(limit), limit, draws).within);
  }
}

TEST(OwnProperty, TheCheckOfLimitsSeesARecordWithoutItsLimit) {
  std::mt19937_64 draws(stat::SeedForThisTest());
  bool caught = false;
  for (const RowFunction function : kFunctions) {
    const auto statistic = OwnStatistic::Make(Limited(), function, OwnPolicy("public", 1));
    ASSERT_TRUE(statistic) << statistic.error().Text();
    caught = caught || !TryAll(**statistic, LimitSteps(1), 0.5, draws).within;
  }
  EXPECT_TRUE(caught);
}

}  // namespace
}  // namespace kith
