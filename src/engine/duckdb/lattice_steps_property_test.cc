// kith_steps and kith_clamp against the words of plan.h, written in DuckDB's own operations and by cases.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/lattice_steps.h"

namespace kith {
namespace {

// The rounding by cases: whole part, rest, and which neighbour is even.
std::int32_t Exact(double x, const StepRule& rule) {
  const double clamped = std::fmax(rule.low, std::fmin(rule.high, x));
  const double scaled = (clamped - rule.shift) * rule.inverse;
  const double whole = std::floor(scaled), rest = scaled - whole;  // both exact
  auto steps = static_cast<std::int64_t>(whole);
  if (rest > 0.5 || (rest == 0.5 && steps % 2 != 0)) ++steps;
  return static_cast<std::int32_t>(steps);
}

// Ends, halves and their neighbours, tiny, huge and ordinary numbers.
double RandomReal(std::mt19937_64& bits, const StepRule& rule) {
  switch (bits() % 6) {
    case 0:
      return bits() % 2 == 0 ? rule.low : rule.high;
    case 1: {
      const double half =
          (std::floor(rule.low * rule.inverse) + static_cast<double>(bits() % 4096) + 0.5) / rule.inverse;
      const double to = bits() % 2 == 0 ? -1e308 : 1e308;
      return bits() % 3 == 0 ? half + rule.shift : bits() % 2 == 0 ? half : std::nextafter(half, to);
    }
    case 2:
      return std::uniform_real_distribution<double>(rule.low, rule.high)(bits);
    case 3:
      return std::ldexp(bits() % 2 == 0 ? -1.0 : 1.0, static_cast<int>(bits() % 2000) - 1070);
    case 4:
      return std::bit_cast<double>(bits());
    default:
      return bits() % 2 == 0 ? 0.0 : -0.0;
  }
}

StepRule RandomRule(std::mt19937_64& bits) {
  const int exponent = -static_cast<int>(bits() % 40);
  const double width = std::ldexp(1.0, 29 + exponent) * static_cast<double>(bits() % 1000 + 1) / 1000;
  const double low = width * (static_cast<double>(bits() % 3) - 1) / 2;
  const double shift = bits() % 2 == 0 ? 0.0 : low + width / 2;
  return {low, low + width, shift, std::ldexp(1.0, -exponent)};
}

int Mismatches(bool (*to_steps)(const double*, std::size_t, const StepRule&, std::int32_t*)) {
  std::mt19937_64 bits(20);
  int wrong = 0;
  for (int round = 0; round < 500; ++round) {
    const StepRule rule = RandomRule(bits);
    std::vector<double> x(1 + bits() % 300);
    bool finite = true;
    for (double& value : x) {
      value = RandomReal(bits, rule);
      finite = finite && std::isfinite(value);
    }
    std::vector<std::int32_t> steps(x.size());
    wrong += to_steps(x.data(), x.size(), rule, steps.data()) != finite;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += std::isfinite(x[i]) && steps[i] != Exact(x[i], rule);
  }
  return wrong;
}

TEST(StepsPropertyTest, AsByCases) { EXPECT_EQ(Mismatches(ToSteps), 0); }

TEST(StepsPropertyTest, RoundingUpHalvesIsCaught) {
  EXPECT_GT(Mismatches([](const double* x, std::size_t count, const StepRule& rule, std::int32_t* steps) {
              const bool finite = ToSteps(x, count, rule, steps);
              for (std::size_t i = 0; finite && i < count; ++i) {
                const double value = (std::fmax(rule.low, std::fmin(rule.high, x[i])) - rule.shift) * rule.inverse;
                steps[i] = static_cast<std::int32_t>(std::floor(value + 0.5));
              }
              return finite;
            }),
            0);
}

TEST(StepsPropertyTest, BeyondThirtyTwoBitsStaysAtTheEnd) {
  const double x[] = {-1e300, 1e300, std::numeric_limits<double>::quiet_NaN()};
  std::int32_t steps[3];
  EXPECT_TRUE(ToSteps(x, 2, {-1e300, 1e300, 0, 1e10}, steps));
  EXPECT_EQ(steps[0], -std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(steps[1], std::numeric_limits<std::int32_t>::max());
  EXPECT_FALSE(ToSteps(x, 3, {-1, 1, 0, 1}, steps));
}

/// By the cases that other engines are asked for (query/emit/emit_column.cc).
double ClampedByCases(double x, const ClampRule& rule) {
  if (rule.low >= rule.tiny || rule.high <= -rule.tiny) return std::clamp(x, rule.low, rule.high);
  if (rule.tiny <= x && x <= rule.high) return x;
  if (rule.low <= x && x <= -rule.tiny) return x;
  if (x <= rule.low) return rule.low;
  if (x >= rule.high) return rule.high;
  return std::clamp(0.0, rule.low, rule.high);
}

int MismatchesOfClamp(double tiny_of_the_function) {
  std::mt19937_64 bits(21);
  constexpr double kTiny = 0x1p-128;
  int wrong = 0;
  const std::pair<double, double> bounds[] = {
      {0, 100}, {-3, 17}, {-5, 0}, {2, 9}, {-9, -2}, {-0x1p-140, 0x1p-139}, {-std::numeric_limits<double>::max(), 4}};
  for (const auto& [low, high] : bounds) {
    std::vector<double> x = {0.0, -0.0, low, high, kTiny, -kTiny, 0x1p-129, -0x1p-129, 0x1p-1074, -1e300, 1e300};
    for (int i = 0; i < 500; ++i) x.push_back(RandomReal(bits, {low, high, 0, 1}));
    std::erase_if(x, [](double each) { return !std::isfinite(each); });
    std::vector<double> clamped(x.size());
    wrong += !ToClamped(x.data(), x.size(), {low, high, tiny_of_the_function}, clamped.data());
    for (std::size_t i = 0; i < x.size(); ++i) wrong += clamped[i] != ClampedByCases(x[i], {low, high, kTiny});
  }
  return wrong;
}

TEST(ClampPropertyTest, AsByCases) { EXPECT_EQ(MismatchesOfClamp(0x1p-128), 0); }
TEST(ClampPropertyTest, TinyNumbersThatStayAreCaught) { EXPECT_GT(MismatchesOfClamp(0x1p-1000), 0); }

TEST(ClampPropertyTest, WhatIsNoNumberIsToldApart) {
  const double x[] = {1, std::numeric_limits<double>::infinity()};
  double clamped[2];
  EXPECT_TRUE(ToClamped(x, 1, {0, 2, 0}, clamped));
  EXPECT_FALSE(ToClamped(x, 2, {0, 2, 0}, clamped));
}

class StepsInDuckDb : public EngineFixture {
 protected:
  StepsInDuckDb() : database_(DuckDb::Open("", {}).value()), connection_(database_.Connect().value()) {}

  std::optional<Int128> One(const std::string& sql) {
    auto table = connection_.Integers(sql, cancel_);
    EXPECT_TRUE(table) << (table ? "" : table.error().Text());
    return table ? table->rows.at(0).at(0) : std::nullopt;
  }

  DuckDb database_;
  DuckDbConnection connection_;
};

TEST_F(StepsInDuckDb, AsTheWordsOfThePlan) {
  const std::string words =
      "CASE WHEN isfinite(x) THEN CAST((greatest(-3e0, least(17e0, x)) - 7e0) * 1024e0 AS INTEGER) END";
  // Many chunks; NULL, NaN and infinities in some of them only.
  ASSERT_TRUE(connection_.Execute(
      "CREATE TABLE r AS SELECT CASE WHEN i > 40000 AND i % 97 = 0 THEN NULL WHEN i > 20000 AND i % 89 = 0 THEN "
      "'nan'::DOUBLE WHEN i > 20000 AND i % 83 = 0 THEN '-inf'::DOUBLE WHEN i % 79 = 0 THEN 1e300 ELSE (hash(i) % "
      "200000)::DOUBLE / 8192e0 - 5e0 END AS x FROM range(100000) n(i)",
      cancel_));
  const std::string call = "kith_steps(x, -3e0, 17e0, 7e0, 1024e0)";
  EXPECT_EQ(One(fmt::format("SELECT count(*) FROM r WHERE {} IS DISTINCT FROM {}", call, words)), Int128{0});
  EXPECT_EQ(One(fmt::format("SELECT count(*) FROM r WHERE {} IS NULL", call)),
            One("SELECT count(*) FROM r WHERE x IS NULL OR NOT isfinite(x)"));
  // A wrong bound would show.
  EXPECT_GT(*One(fmt::format("SELECT count(*) FROM r WHERE kith_steps(x, -3e0, 16e0, 7e0, 1024e0) IS DISTINCT FROM {}",
                             words)),
            Int128{0});
  // After a filter, and of constants.
  EXPECT_EQ(One(fmt::format("SELECT sum({}) FROM r WHERE x > 2", call)),
            One(fmt::format("SELECT sum({}) FROM r WHERE x > 2", words)));
  const std::string clamp = "kith_clamp(x, -3e0, 17e0, 1e-30)";
  EXPECT_EQ(
      One(fmt::format("SELECT count(*) FROM r WHERE {} IS DISTINCT FROM CASE WHEN isfinite(x) THEN greatest(-3e0, "
                      "least(17e0, x)) END",
                      clamp)),
      Int128{0});
  EXPECT_GT(*One(fmt::format("SELECT count(*) FROM r WHERE {} IS NULL", clamp)), Int128{0});
  EXPECT_EQ(One("SELECT kith_steps(2.5e0, 0e0, 9e0, 0e0, 1e0)"), Int128{2});
  EXPECT_EQ(One("SELECT kith_steps(CAST(NULL AS DOUBLE), 0e0, 9e0, 0e0, 1e0)"), std::nullopt);
}

}  // namespace
}  // namespace kith
