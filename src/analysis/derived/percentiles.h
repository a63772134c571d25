// All percentiles of a column at one price, from a noisy histogram: monotone, each with its interval.
// Claims: claims/derived.md
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/derived/derived.h"

namespace kith {

struct PercentilesOptions {
  static constexpr std::size_t kMaxCells = 4096, kMaxRanks = 1000;

  std::string column;         // a number with bounds
  std::vector<double> ranks;  // between 0 and 1, ascending; empty: 0.01 to 0.99
  std::size_t cells = 200;    // equal parts of the bounds
  std::string where;          // only these rows; may be empty
};

/// Where a rank is: the cell, and the first and last cell that it may be in.
struct RankCells {
  double value = 0;  // in cells: 3.5 is the middle of the fourth
  std::size_t low = 0, high = 0;
};

/// Ensures [PERCENTILES-1]: values, low and high do not fall from one rank to the next; for each rank the cell in which
/// the rank of the noiseless counts lies is between low and high with 95 % probability.
/// Requires: at least one count, ascending ranks.
std::vector<RankCells> FindRanks(const std::vector<double>& counts, const NoiseDistribution& law,
                                 const std::vector<double>& ranks);

class Percentiles final : public Derived {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Percentiles>> Make(const PercentilesOptions& options, const Policy& policy);

  std::string Method() const override;
  Findings Conclude(const NoisyTable& table) const override;

 private:
  Percentiles(PercentilesOptions options, DerivedQuestion question, double low, double high, double width, bool whole)
      : Derived(std::move(question)),
        options_(std::move(options)),
        low_(low),
        high_(high),
        width_(width),
        whole_(whole) {}

  PercentilesOptions options_;
  double low_, high_, width_;
  bool whole_;
};

}  // namespace kith
