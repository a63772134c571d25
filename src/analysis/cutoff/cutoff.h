// What max_rows leaves out of a table of the units: how many units have more rows, and how many rows of theirs do not
// count. Those who cannot know it find it out with noise, at a price.  Claims: claims/cutoff.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

struct CutoffOptions {
  static constexpr std::int64_t kTimes = 10;

  std::string table;         // empty: the only one whose rows can be left out
  std::int64_t at_most = 0;  // rows of one unit beyond max_rows that are counted; 0: kTimes times max_rows
};

class Cutoff final : public Analysis {
 public:
  /// Fails: kInvalidArgument (no table of the units), kUnsupportedQuery (no row is ever left out there, or rows belong
  /// to steps or places); as PlanQuestion.
  static Result<std::unique_ptr<Cutoff>> Make(const CutoffOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return plan_.charged; }
  /// Ensures [CUTOFF-1]: no change of one unit's record changes the numbers by more than the plan says, and every cell
  /// is charged.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;

 private:
  Cutoff(CutoffOptions options, std::string key, std::int64_t max_rows, Plan plan, std::vector<std::size_t> statistics)
      : options_(std::move(options)),
        key_(std::move(key)),
        max_rows_(max_rows),
        plan_(std::move(plan)),
        statistics_(std::move(statistics)) {}

  CutoffOptions options_;
  std::string key_;
  std::int64_t max_rows_;
  Plan plan_;
  std::vector<std::size_t> statistics_;  // units, then rows: their positions in the plan
  std::vector<std::vector<double>> weights_ = {{1, 1}};
};

/// How the ledger's history names what was asked about a table, up to the bound on a unit's rows. Nothing: no row of
/// the table is ever left out.
std::optional<std::string> CutoffQuestion(const Policy& policy, const std::string& table);

/// The numbers of an answer to it, with their bars.
struct CutoffNumbers {
  std::string table;
  std::int64_t max_rows = 1, at_most = 0;
  double units = 0, units_95 = 0, rows = 0, rows_95 = 0;
};
/// What answers about the table say once it was bought: made from these noisy numbers alone.
std::string CutoffText(const CutoffNumbers& bought);

}  // namespace kith
