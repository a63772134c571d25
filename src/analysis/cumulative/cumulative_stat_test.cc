// PREFIX-3 from outside: how often an event happens for two tables that differ in one unit, against what was charged;
// and that noise of a third is noticed.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/cumulative/cumulative.h"
#include "query/test_policy.h"
#include "sql/dialect.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"
#include "transfer/gaussian/probit.h"

namespace kith {
namespace {

constexpr std::size_t kRuns = 6000;

/// Hands over these counts, by the number of their cell.
class Table final : public Session {
 public:
  explicit Table(std::vector<std::int64_t> counts) : counts_(std::move(counts)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    IntegerTable table;
    for (std::size_t k = 0; k < counts_.size(); ++k) table.rows.push_back({static_cast<Int128>(k), counts_[k]});
    return table;
  }
  Result<void> ScanText(const std::string&, const IntegerSink&, const CancelFlag&) const override {
    return InternalError("no scan");
  }

 private:
  std::vector<std::int64_t> counts_;
};

/// How often at least `least` rows are shown in the first cells.
std::uint64_t Hits(const Study& study, const Table& table, double least, stat::SeededBits& bits) {
  std::uint64_t hits = 0;
  const std::vector<PlainUnits> nothing(1);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto found = testing::RunOn(study, table, nothing, bits).value();
    hits += NumberIn(found.rows[0][1]).value_or(0) >= least ? 1 : 0;
  }
  return hits;
}

/// A lower bound of the Gaussian loss of a curve of four cells: between 1,000 rows in each and a row more in the first
/// cell and less in the last one.
double ProvenMu(double mu) {
  CumulativeOptions options;
  options.column = "age";
  options.cells = 4;
  const auto pure = Cumulative::Make(options, TestPolicy()).value();
  const auto study = pure->AtMu(Loss::Ceil(LossKind::kMu, mu * mu).value().amount(LossKind::kMu)).value();
  std::vector<std::int64_t> before(pure->tree().cells(), 1000), after = before;
  ++after.front();
  --after.back();
  stat::SeededBits bits(stat::SeedForThisTest());
  const std::uint64_t often = Hits(*study, Table(after), 1001, bits), seldom = Hits(*study, Table(before), 1001, bits);
  const double more = stat::LowerBound(often, kRuns), not_before = stat::LowerBound(kRuns - seldom, kRuns);
  if (more <= 0 || not_before <= 0) return 0;
  // Phi^-1(more) - Phi^-1(1 - not_before)
  const auto quantile = [](double tail) { return UpperQuantileUp(tail, 1 - static_cast<long double>(tail)); };
  return quantile(1 - not_before) - quantile(more);
}

TEST(CumulativeProbe, ACurveStaysBelowItsLoss_PREFIX3) {
  const double proven = ProvenMu(2);
  EXPECT_LE(proven, 2);
  EXPECT_GT(proven, 0.5);
}

TEST(CumulativeProbe, TheProbeSeesACurveWithAThirdOfTheNoise) { EXPECT_GT(ProvenMu(3 * 2), 2); }

}  // namespace
}  // namespace kith
