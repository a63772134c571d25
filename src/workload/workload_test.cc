// Workloads: their text, least squares against dense linear algebra, and the choice of what to measure.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "workload/entry.h"
#include "workload/least_squares.h"
#include "workload/strategy.h"

namespace kith::workload {
namespace {

TEST(WorkloadEntry, QuestionsEndWithSemicolonsAndHintsBelongToThem) {
  const auto read = ReadEntries(
      "-- kith: error 50\nSELECT count(*) FROM t WHERE a = ';--';\n/* none\n; */ SELECT 2 FROM t -- kith: weight 3\n"
      "; SELECT 3 FROM t; -- kith: epsilon 0.25\nSELECT \"x;y\" FROM t");
  ASSERT_TRUE(read) << read.error().Text();
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ((*read)[0].sql, "SELECT count(*) FROM t WHERE a = ';--'");
  EXPECT_EQ((*read)[0].error_95, 50);
  EXPECT_EQ((*read)[0].line, 2);
  EXPECT_EQ((*read)[1].sql, "SELECT 2 FROM t");
  EXPECT_EQ((*read)[1].weight, 3);
  EXPECT_EQ((*read)[1].line, 4);
  EXPECT_EQ((*read)[2].epsilon, 0.25);
  EXPECT_EQ((*read)[3].sql, "SELECT \"x;y\" FROM t");
  EXPECT_FALSE((*read)[3].has_price());
}

TEST(WorkloadEntry, IntervalsAreAHintBesideAPrice) {
  const auto read =
      ReadEntries("-- kith: error 50\nSELECT 1; -- kith: intervals off\nSELECT 2; SELECT 3 -- kith: intervals on\n");
  ASSERT_TRUE(read) << read.error().Text();
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].error_95, 50);
  EXPECT_EQ((*read)[0].intervals, false);
  EXPECT_FALSE((*read)[1].intervals);
  EXPECT_EQ((*read)[2].intervals, true);
  EXPECT_FALSE((*read)[2].has_price());
}

TEST(WorkloadEntry, WhatIsNoHintOrHasNoEndIsRefusedWithItsLine) {
  for (const char* text : {"", " ; ; -- nothing", "SELECT 1\n-- kith: error much", "SELECT 1\n-- kith: bar 5",
                           "SELECT 1\n-- kith: error -1", "SELECT 1\n-- kith: error 5 6", "SELECT 'a\n", "/* a",
                           "SELECT 1; \n-- kith: error 5\n", "SELECT 1 -- kith: intervals 5\n",
                           "SELECT 1;\n-- kith: intervals off\n", "SELECT 1 -- kith: error 5\n -- kith: epsilon 1\n"}) {
    const auto read = ReadEntries(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::kInvalidArgument) << text;
  }
}

// Two columns whose values are distinguished and one with blocks of 2 of 6 (5 of them exist).
const std::vector<Chain> kChains = {{{1, 3}}, {{1, 2, 6}}, {{1, 2}}};
const std::vector<std::size_t> kExist = {3, 5, 2};

std::size_t SizeOf(const Levels& levels) {
  std::size_t size = 1;
  for (std::size_t k = 0; k < levels.size(); ++k) size *= kChains[k].blocks(static_cast<std::size_t>(levels[k]));
  return size;
}

std::size_t CellOf(const Levels& levels, const std::vector<std::size_t>& values) {
  std::size_t cell = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto level = static_cast<std::size_t>(levels[k]);
    cell = cell * kChains[k].blocks(level) + values[k] / kChains[k].sizes[level];
  }
  return cell;
}

std::vector<std::vector<std::size_t>> AllValues(bool existing) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < (existing ? kExist[1] : 6); ++b) {
      for (std::size_t c = 0; c < 2; ++c) all.push_back({a, b, c});
    }
  }
  return all;
}

Levels At(int a, int b, int c) { return Levels{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)}; }

std::vector<Measured> SomeTables(std::mt19937& random) {
  std::vector<Measured> out;
  const auto add = [&](const Levels& levels) {
    Measured one{levels, 0, 0.5 + static_cast<double>(random() % 100) / 10, 0};
    double sizes = 1;
    for (std::size_t k = 0; k < levels.size(); ++k)
      sizes *= static_cast<double>(kChains[k].sizes[static_cast<std::size_t>(levels[k])]);
    one.precision = sizes / one.variance;
    out.push_back(one);
  };
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 2; ++c) {
        if (random() % 3 == 0) add(At(a, b, c));
      }
    }
  }
  add(At(0, 0, 0));  // everything can be answered
  return out;
}

// A sum with one row: some values of the first column or all, a range of the second, one of the third or both.
Sum SomeSum(std::mt19937& random) {
  Sum sum;
  const auto side = [&](std::size_t attribute) {
    Indicator row(kExist[attribute], 0);
    for (auto& value : row) value = random() % 2;
    sum.sides.push_back({attribute, {}, {row}});
  };
  for (std::size_t k = 0; k < 3; ++k) {
    if (random() % 4 != 0) side(k);
  }
  return sum;
}

bool Counts(const Sum& sum, const std::vector<std::size_t>& values) {
  for (const Side& side : sum.sides) {
    const std::size_t value = values[side.attribute];
    if (value >= side.rows[0].size() || !side.rows[0][value]) return false;
  }
  return true;
}

// min sum (count - cell sums)^2 / variance over all tables of values, including the ones that nobody has: its value of
// the sum, and its variance, by Gauss elimination of the normal equations.
struct Dense {
  double value = 0, variance = 0;
};
Dense Reference(const std::vector<Measured>& tables, const std::vector<std::vector<double>>& counts, const Sum& sum) {
  const auto all = AllValues(false);
  const std::size_t n = all.size();
  // [normal matrix | right side | the sum], solved together.
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 2, 0.0));
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t cell = CellOf(tables[t].levels, all[i]);
      m[i][n] += counts[t][cell] / tables[t].variance;
      for (std::size_t j = 0; j < n; ++j) {
        if (CellOf(tables[t].levels, all[j]) == cell) m[i][j] += 1 / tables[t].variance;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) m[i][n + 1] = Counts(sum, all[i]) ? 1 : 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::fabs(m[i][k]) > std::fabs(m[pivot][k])) pivot = i;
    }
    std::swap(m[k], m[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n + 2; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  Dense out;
  for (std::size_t i = 0; i < n; ++i) {
    if (!Counts(sum, all[i])) continue;
    out.value += m[i][n] / m[i][i];
    out.variance += m[i][n + 1] / m[i][i];
  }
  return out;
}

double VarianceOf(const std::vector<Part>& parts, const std::vector<Measured>& tables) {
  double sum = 0;
  for (const Part& part : parts) sum += part.cells * part.weight * part.weight * tables[part.table].variance;
  return sum;
}

TEST(LeastSquares, IsThatOfDenseAlgebra_WORKLOAD3) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const auto tables = SomeTables(random);
    std::vector<std::vector<double>> counts;
    for (const Measured& table : tables) {
      auto& cells = counts.emplace_back(SizeOf(table.levels));
      for (double& cell : cells) cell = static_cast<double>(random() % 100);
    }
    const Sum sum = SomeSum(random);
    LeastSquares squares(kChains, tables);
    const Dense dense = Reference(tables, counts, sum);
    const std::vector<std::size_t> rows(sum.sides.size(), 0);
    EXPECT_NEAR(squares.Estimates(sum, counts).at(0), dense.value, 1e-6);
    EXPECT_NEAR(VarianceOf(squares.Parts(sum, rows), tables), dense.variance, 1e-6);
    const Variances variances = VariancesOf(ShapeOf(sum, kChains), squares.Top(), squares.precisions());
    EXPECT_NEAR(variances.largest, dense.variance, 1e-6);
    EXPECT_NEAR(variances.mean, dense.variance, 1e-6);
  }
}

// The counts of rows without noise, and what a sum of them is.
std::vector<std::vector<double>> TrueCounts(const std::vector<Measured>& tables, const Sum& sum, std::mt19937& random,
                                            double& truth) {
  std::vector<std::vector<double>> counts;
  for (const Measured& table : tables) counts.emplace_back(SizeOf(table.levels), 0.0);
  truth = 0;
  for (const auto& values : AllValues(true)) {
    const auto rows = static_cast<double>(random() % 20);
    for (std::size_t t = 0; t < tables.size(); ++t) counts[t][CellOf(tables[t].levels, values)] += rows;
    if (Counts(sum, values)) truth += rows;
  }
  return counts;
}

TEST(LeastSquares, WithoutNoiseAnswersAreExact_WORKLOAD3) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    auto tables = SomeTables(random);
    if (round % 3 == 0) {  // a public fact
      tables.front().variance = 0;
      tables.front().precision = 1e15;
    }
    const Sum sum = SomeSum(random);
    double truth = 0;
    const auto counts = TrueCounts(tables, sum, random, truth);
    LeastSquares squares(kChains, tables);
    EXPECT_NEAR(squares.Estimates(sum, counts).at(0), truth, 1e-6);
  }
}

TEST(LeastSquares, TheChecksAboveSeePrecisionsThatForgetTheBlocks) {
  std::mt19937 random(7);
  double worst = 0;
  for (int round = 0; round < 20; ++round) {
    const auto tables = SomeTables(random);
    auto forgetful = tables;
    for (Measured& table : forgetful) table.precision = 1 / table.variance;
    const Sum sum = SomeSum(random);
    std::vector<std::vector<double>> counts;
    for (const Measured& table : tables) counts.emplace_back(SizeOf(table.levels), 1.0);
    LeastSquares squares(kChains, forgetful);
    const std::vector<std::size_t> rows(sum.sides.size(), 0);
    const double dense = Reference(tables, counts, sum).variance;
    if (dense > 0) worst = std::max(worst, std::fabs(VarianceOf(squares.Parts(sum, rows), tables) - dense) / dense);
  }
  EXPECT_GT(worst, 0.01);
}

TEST(LeastSquares, TheChecksAboveSeeACountInTheWrongPlace) {
  std::mt19937 random(11);
  const auto tables = SomeTables(random);
  const Sum sum = SomeSum(random);
  double truth = 0;
  auto counts = TrueCounts(tables, sum, random, truth);
  std::rotate(counts.back().begin(), counts.back().begin() + 1, counts.back().end());
  LeastSquares squares(kChains, tables);
  EXPECT_GT(std::fabs(squares.Estimates(sum, counts).at(0) - truth), 0.01);
}

// A column of 64 ordered values: all ranges.
TEST(Strategy, RangesAreMeasuredInBlocks) {
  TableView view;
  Attribute& attribute = view.attributes.emplace_back();
  attribute.atoms.resize(64);
  attribute.ordered = true;
  attribute.chain = ChainsFor(64, true).front();
  std::vector<TableQuestion> questions;
  for (std::size_t from = 0; from < 64; ++from) {
    for (std::size_t to = from; to < 64; to += 3) {
      Indicator row(64, 0);
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(from), row.begin() + static_cast<std::ptrdiff_t>(to) + 1, 1);
      questions.push_back({{Sum{{Side{0, {}, {row}}}}}, {}});
    }
  }
  std::vector<Wanted> wanted;
  for (const TableQuestion& question : questions) wanted.push_back({&question, {1.0}, 1});
  const auto chosen = ChooseStrategy(view, wanted, [](const auto&) { return Sensitivity{2}; });
  ASSERT_TRUE(chosen);
  EXPECT_GE(chosen->measured.size(), 2U);
  double shares = 0;
  for (const Measured& one : chosen->measured) {
    shares += one.share;
    EXPECT_EQ(one.share * 4096, std::round(one.share * 4096));
  }
  EXPECT_LE(shares, 1);
  // The mean variance of all ranges is well below that of adding up single values.
  const auto mean_of = [&](const std::vector<Chain>& chains, const std::vector<Measured>& measured) {
    LeastSquares squares(chains, measured);
    double sum = 0;
    for (const TableQuestion& question : questions)
      sum += VariancesOf(ShapeOf(question.statistics[0], chains), squares.Top(), squares.precisions()).mean;
    return sum / static_cast<double>(questions.size());
  };
  const double single = mean_of({Chain{{1, 64}}}, {Measured{Levels{'\0'}, 1, 8, 1.0 / 8}});
  EXPECT_LT(mean_of(chosen->chains, chosen->measured), 0.85 * single);
}

// Without a share for it nothing is measured; with public facts nothing has to be.
TEST(Strategy, PublicFactsCostNothing) {
  TableView view;
  for (const std::size_t values : {3, 4}) {
    Attribute& attribute = view.attributes.emplace_back();
    attribute.atoms.resize(values);
    attribute.chain = ChainsFor(values, false).front();
  }
  TableQuestion both;
  Side a{0, {0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      b{1, {1}, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  both.statistics = {Sum{{a, b}}};
  both.key_sizes = {3, 4};
  TableQuestion one;
  one.statistics = {Sum{{b}}};
  const std::vector<Wanted> wanted = {{&both, {1.0}, 1}, {&one, {1.0}, 1}};
  const auto chosen = ChooseStrategy(view, wanted, [](const std::vector<bool>& set) -> std::optional<Sensitivity> {
    return Sensitivity{set[1] ? 2.0 : 0.0};
  });
  ASSERT_TRUE(chosen);
  bool fact = false;
  for (const Measured& table : chosen->measured) {
    if (!table.exact()) continue;
    fact = true;
    EXPECT_EQ(table.share, 0);
    EXPECT_EQ(table.levels[1], 1);  // the second column is not distinguished
  }
  EXPECT_TRUE(fact);
  LeastSquares squares(chosen->chains, chosen->measured);
  EXPECT_TRUE(squares.Answers(both.statistics[0]));
  EXPECT_FALSE(ChooseStrategy(view, wanted, [](const auto&) -> std::optional<Sensitivity> { return std::nullopt; }));
}

}  // namespace
}  // namespace kith::workload
