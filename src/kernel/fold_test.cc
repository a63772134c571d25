#include "kernel/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "query/test_policy.h"
#include "tests/support/handed_rows.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::HandedRows;
using Table = std::vector<std::vector<std::int64_t>>;

void Plainly(std::span<const double> row, v1::Contribution& out) {
  out.Add(0, row[0]);
  out.Add(static_cast<std::size_t>(row[1]) % 4 + 1, row[2]);  // row[2]: what is known
}

void Wildly(std::span<const double> row, v1::Contribution& out) {
  if (row[0] > 5) throw std::runtime_error("a value of " + std::to_string(row[0]));
  if (row[0] < -5) out.Add(0, std::numeric_limits<double>::quiet_NaN());
  out.Add(0, row[0] == 0 ? std::numeric_limits<double>::infinity() : 1e300 / row[0]);
  for (std::size_t k = 0; k < 9; ++k) out.Add(k, row[1] - row[0]);
}

// The planted fault: what it adds depends on how often it was called.
void WithACounter(std::span<const double> row, v1::Contribution& out) {
  static int calls = 0;
  out.Add(0, row[0] + (++calls % 3));
}

RowFold FoldOf(v1::RowFunction function) {
  RowFold fold;
  fold.function = function;
  fold.rows.values = {{.name = "a", .low = -9, .high = 9}, {.name = "b", .low = -9, .high = 9}};
  fold.rows.statement = PlanRows({"age", "pulse"}, "", TestPolicy())->statement;
  fold.values = 2;
  fold.known = {2.5};
  fold.parts = {{.first = 0, .size = 1, .step = 0.25, .low = -12, .high = 8, .most = {}},
                {.first = 1, .size = 4, .step = 1, .low = -1, .high = 3, .most = 4}};
  return fold;
}

std::vector<Int128> SumsOf(const RowFold& fold, const Table& rows) {
  return FoldRows(HandedRows(rows), fold, {}).value();
}

Table RandomRows(std::mt19937_64& engine, std::size_t count) {
  Table rows;
  std::uniform_int_distribution<std::int64_t> value(-9, 9);
  for (std::size_t k = 0; k < count; ++k) rows.push_back({value(engine), value(engine)});
  return rows;
}

/// Whether what each row adds is the same whatever other rows there are, how often, and in which order.
bool KeepsNothing(v1::RowFunction function, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const RowFold fold = FoldOf(function);
  for (int trial = 0; trial < 50; ++trial) {
    Table rows = RandomRows(engine, 1 + engine() % 12);
    std::vector<Int128> alone(fold.numbers(), 0);
    for (const auto& row : rows) {
      const auto one = SumsOf(fold, {row});
      for (std::size_t k = 0; k < alone.size(); ++k) alone[k] += one[k];
    }
    if (SumsOf(fold, rows) != alone) return false;
    std::shuffle(rows.begin(), rows.end(), engine);
    if (SumsOf(fold, rows) != alone) return false;
    Table doubled = rows;
    doubled.insert(doubled.end(), rows.begin(), rows.end());
    const auto twice = SumsOf(fold, doubled);
    for (std::size_t k = 0; k < alone.size(); ++k) {
      if (twice[k] != 2 * alone[k]) return false;
    }
  }
  return true;
}

TEST(Fold, ARowAddsTheSameWhateverOtherRowsThereAre_KERNEL5) {
  EXPECT_TRUE(KeepsNothing(Plainly, stat::SeedForThisTest()));
  EXPECT_TRUE(KeepsNothing(Wildly, stat::SeedForThisTest()));
}

TEST(Fold, TheCheckAboveSeesACounter) { EXPECT_FALSE(KeepsNothing(WithACounter, stat::SeedForThisTest())); }

/// The largest change of each part, in L1, when one unit's rows are replaced, come or go, in parts of what is claimed.
double MostOfTheClaim(v1::RowFunction function, std::int64_t rows, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const RowFold fold = FoldOf(function);
  double most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto before = SumsOf(fold, RandomRows(engine, engine() % static_cast<std::uint64_t>(rows + 1)));
    const auto after = SumsOf(fold, RandomRows(engine, engine() % static_cast<std::uint64_t>(rows + 1)));
    for (const FoldPart& part : fold.parts) {
      Int128 distance = 0;
      for (std::size_t k = part.first; k < part.first + part.size; ++k)
        distance += std::max(before[k] - after[k], after[k] - before[k]);
      const auto claimed = ChangeOf(part, rows)->l1().steps();
      most = std::max(most, static_cast<double>(distance) / static_cast<double>(claimed));
    }
  }
  return most;
}

TEST(Fold, NoUnitMovesAPartFurtherThanItsBox_KERNEL5) {
  for (const v1::RowFunction function : {Plainly, Wildly}) {
    for (const std::int64_t rows : {1, 2, 3}) EXPECT_LE(MostOfTheClaim(function, rows, stat::SeedForThisTest()), 1);
  }
  EXPECT_EQ(MostOfTheClaim(Plainly, 1, stat::SeedForThisTest()), 1);  // and some unit moves one as far
}

TEST(Fold, TheCheckAboveSeesMoreRowsThanWereClaimed) {
  const RowFold fold = FoldOf(Plainly);
  const Int128 moved = SumsOf(fold, {{9, 0}, {9, 0}})[0] - SumsOf(fold, {{-9, 0}, {-9, 0}})[0];
  EXPECT_GT(moved, ChangeOf(fold.parts[0], 1)->l1().steps());
}

}  // namespace
}  // namespace kith
