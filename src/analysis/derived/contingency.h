// A table of two columns with noise, and a test of whether they have anything to do with each other that knows the
// noise. Claims: claims/derived.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/derived/derived.h"

namespace kith {

struct ContingencyOptions {
  static constexpr std::size_t kMaxCells = 2500;

  std::string rows, columns;  // two columns or expressions with declared values
  std::string where;          // only these; may be empty
  std::string from;           // a sub-select with one row for each unit; empty: the unit's table
};

/// Noisy counts, row by row.
struct NoisyCounts {
  std::size_t rows = 0, columns = 0;
  std::vector<double> counts;
  double variance = 0;  // of the noise in each

  double at(std::size_t r, std::size_t c) const { return counts[r * columns + c]; }
};

/// What the counts would be, on average, if rows and columns were independent: from the noisy margins.
std::vector<double> ExpectedCounts(const NoisyCounts& table);

/// The sum over cells of (count - expected)^2 / (expected + variance of the noise).
double ChiSquare(const NoisyCounts& table);

/// How likely a statistic at least as large is where rows and columns are independent, with sampling and with the
/// noise.
struct IndependenceTest {
  static constexpr int kDraws = 4000;

  double statistic = 0;
  double p_value = 1;               // a multiple of 1 / (kDraws + 1), and never 0
  std::optional<double> cramers_v;  // what is left of the association without the noise's part; none without counts
};
/// Ensures [CHISQ-1]: a function of its arguments: draws come from a fixed public generator. Where rows and columns are
/// independent, p_value <= a has probability at most about a, with noise of any size.
IndependenceTest TestIndependence(const NoisyCounts& table, const NoiseDistribution& law);

class Contingency final : public Derived {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Contingency>> Make(const ContingencyOptions& options, const Policy& policy);

  std::string Method() const override;
  Findings Conclude(const NoisyTable& table) const override;

 private:
  Contingency(ContingencyOptions options, DerivedQuestion question, bool dependent)
      : Derived(std::move(question)), options_(std::move(options)), dependent_(dependent) {}

  ContingencyOptions options_;
  bool dependent_;  // units depend on each other
};

}  // namespace kith
