// Identity release: every unit's value, each with its own noise. The list of units is published, so that presence
// must be public and the units are named beforehand.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith {

struct IdentityOptions {
  std::vector<std::string> columns;   // whole or real numbers with declared bounds
  std::int64_t first = 0, last = -1;  // the units: all keys in between

  static constexpr std::int64_t kMaxUnits = 1'000'000;
  static constexpr std::size_t kMaxColumns = 64;
};

class Identity final : public Analysis {
 public:
  /// Fails: kInvalidArgument (columns without bounds, no units or too many of them), kUnsupportedQuery (presence is
  /// secret, units without a key or with one that is not a whole number, or with several rows; a public column).
  static Result<std::unique_ptr<Identity>> Make(const IdentityOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  /// One column after the other. A unit without a row or without a value is released as if it had the middle.
  /// Ensures [IDENTITY-1]: replacing one unit's record changes only one value, by at most the width of its bounds.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;
  /// A sum of one row is that row.
  bool NeedsRows() const override { return true; }
  Result<Sealed> Measure(const Plan& plan, const Vault& vault) const override { return vault.RunUnchecked(plan); }

 private:
  struct Coordinate {
    std::string name;
    double middle = 0;
    Rows rows;
  };
  Identity(const IdentityOptions& options, std::string key, std::vector<Coordinate> coordinates);
  sql::Statement StatementOf(const Rows& rows) const;

  IdentityOptions options_;
  std::string key_;
  std::vector<Coordinate> coordinates_;
  std::vector<bool> charged_;
  std::vector<std::vector<double>> weights_;
};

}  // namespace kith
