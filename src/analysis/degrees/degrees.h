// Degrees of a table of pairs: how many people have how many friends.
//
// Whose secret a row is decides what is asked. If every row is a unit of its own (a friendship), the cumulative counts
// are asked: one friendship moves four people by one step at the most, and each step changes one cumulative count by 1.
// If a row belongs to the person in its first column (that person's own list), the histogram is asked: one person is in
// one of its bins.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "policy/policy.h"

namespace kith {

struct DegreesOptions {
  std::array<std::string, 2> ends;     // the two columns that name people
  std::size_t max_degree = 0;          // larger degrees are counted as this one
  std::optional<std::int64_t> people;  // how many there are, if that is public: then those without friends are told too
  bool once = false;                   // every pair is in the table once: do not look for duplicates

  static constexpr std::size_t kMaxDegree = 4096;
};

class Degrees final : public Analysis {
 public:
  /// Fails: kInvalidArgument (columns that are not declared or no names, a degree out of range), kUnsupportedQuery (a
  /// unit that is neither a row nor the person in the first column).
  static Result<std::unique_ptr<Degrees>> Make(const DegreesOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  /// Ensures [DEGREES-1]: where a row is a unit, replacing one changes the cumulative counts by at most 4 in L1, and
  /// the number of friendships by at most 1. Ensures [DEGREES-2]: where a list is a unit, replacing one changes the
  /// histogram by at most 2 in L1, and the sum of degrees by at most the largest degree.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;

 private:
  Degrees(const DegreesOptions& options, const Policy& policy);
  std::string Pairs(Dialect dialect) const;
  std::string HistogramSql(Dialect dialect) const;
  std::string TotalSql(Dialect dialect) const;
  struct Curve;
  Curve CurveOf(const NoisyRound& histogram) const;

  DegreesOptions options_;
  std::string table_;
  bool lists_;  // a unit is a person's own list
  std::vector<bool> charged_;
  std::vector<std::vector<double>> weights_ = {{0.85}, {0.15}};
};

}  // namespace kith
