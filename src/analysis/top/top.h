// The most frequent values of a declared list, by name only: chosen one after the other by permute-and-flip, exactly.
// Where units have many rows that costs less than counts of all values. Claims: claims/top.md
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "mechanism/permute_and_flip.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

struct TopOptions {
  static constexpr std::size_t kMax = 100;

  std::string column;     // with declared values
  std::size_t count = 0;  // how many are named
  std::string where;      // only these rows; may be empty
};

class Top final : public Study {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Top>> Make(const TopOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return plan_.charged; }
  bool HidesAnyChange() const override { return true; }
  bool NeedsRows() const override { return false; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [TOP-1]: no set of results becomes likelier by more than the factor e^share when one unit's record is
  /// replaced, comes or goes.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  /// How many units have each value, and by how much more one count can change than another, with their signs.
  const Plan& plan() const { return plan_; }
  std::int64_t spread() const { return spread_; }

 private:
  Top(TopOptions options, Plan plan, std::vector<Value> values, std::int64_t spread)
      : options_(std::move(options)), plan_(std::move(plan)), values_(std::move(values)), spread_(spread) {}
  Result<PermuteAndFlip> LawFor(std::span<const PlainUnits> shares) const;
  /// Values that could wrongly be chosen, in all choices together.
  std::uint64_t Others() const;

  TopOptions options_;
  Plan plan_;
  std::vector<Value> values_;  // the candidates: the declared values, in their order
  std::int64_t spread_;
  std::vector<double> weights_ = {1};
};

}  // namespace kith
