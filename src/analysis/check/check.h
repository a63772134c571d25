// Do the protected data contradict the declared dependence? Groups are counted by how many of their members say yes;
// the counts get noise, and all that leaves is whether even the most harmless table near them contradicts the declared
// odds ratio. Silence proves nothing.  Claims: claims/check.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/check/verdict.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith {

struct CheckOptions {
  std::string column;                // a secret that is yes or no; empty: the only one
  std::optional<std::string> value;  // yes is this value; nothing: true, or the second of two
  double false_alarm = 0.05;
  std::string where;  // a condition as in SQL on public columns: the stratum that is looked at; empty: everybody

  static constexpr double kLeastFalseAlarm = 1e-6, kMostFalseAlarm = 0.2;
  static constexpr std::int64_t kMaxSize = 64;
};

/// How strong a contradiction must be to be noticed with 80 % probability.
struct CheckPower {
  std::string stratum;            // the class of the declaration; empty if there is one
  double declared = 0;            // odds ratio
  std::int64_t groups = 0;        // complete ones in the table
  double share = 0;               // of members that say yes
  std::optional<double> noticed;  // odds ratio; nothing: not even a thousand times the declared one
};

class DependenceCheck final : public Analysis {
 public:
  /// Fails: kInvalidArgument (no such column, a rate out of range), kUnsupportedQuery (a declaration that no table of
  /// groups can contradict).
  static Result<std::unique_ptr<DependenceCheck>> Make(const CheckOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return rows_.charged; }
  /// Ensures [CHECK-2]: replacing one unit's record changes the counts by at most 2 in L1, over all classes.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;

  /// Before anything is paid. `scale`: of the noise, in groups. Touches no data.
  std::vector<CheckPower> PowerAt(double scale) const;
  double false_alarm() const { return rule_.false_alarm; }
  /// "sick = true".
  const std::string& property() const { return property_; }
  /// What an alarm means and what silence does not.
  std::vector<Note> Caveats() const;
  /// "not contradicted", and what was not looked at.
  std::string Silence() const;

 private:
  struct Class {
    std::string label;
    std::optional<double> odds_ratio;  // nothing: anything goes, and nothing can contradict it
    std::int64_t size = 0;             // of its groups, as declared
    bool looked_at = true;             // the condition leaves some of its units, judging by public columns
  };
  DependenceCheck() = default;

  check::Rule rule_;
  std::vector<Class> classes_;
  std::string property_, group_, strength_, stratum_;
  Rows rows_;
  std::vector<std::vector<double>> weights_ = {{1.0}};
};

}  // namespace kith
