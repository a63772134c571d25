// Your own statistic: any sum over records whose contribution to each number is bounded. You say how large a
// contribution may be and write a function of one row; kith enforces the bounds, adds up, and adds noise for exactly
// what was declared. The function cannot break the guarantee by returning too much: what it returns is clamped.
// include/kith/statistic.h has an example.
// Claims: claims/own.md
#pragma once
#include <kith/statistic.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith {

// What a program declares and writes is defined in the public header.
using OwnPart = v1::StatisticPart;
using OwnOptions = v1::StatisticOptions;
using Contribution = v1::Contribution;
using RowFunction = v1::RowFunction;

class OwnStatistic final : public Study {
 public:
  /// Fails: kInvalidArgument (no name, value or part; bounds that are not finite, in the wrong order, or more than 2^31
  /// steps for a unit; a step that is not a power of two; a limit that is not from 0 to 1 or not public; too many
  /// numbers), kUnsupportedQuery (an expression that kith does not know).
  static Result<std::unique_ptr<OwnStatistic>> Make(const OwnOptions& options, RowFunction function,
                                                    const Policy& policy);

  std::string Normalised() const override { return normalised_; }
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return fold_.rows.charged; }
  bool HidesAnyChange() const override { return true; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [OWN-1]: for any function of one row, replacing one unit's record changes the sums of a part by at most
  /// its sensitivity in L1, so that the whole answer's loss is at most the sum of the shares. Ensures [OWN-2]: if the
  /// unit's rows have a limit of at most l, it changes them by at most l times that.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  /// Of a part, in steps.
  Int128 SensitivityOf(std::size_t part) const { return changes_[part].l1().steps(); }
  /// What the kernel adds up.
  const RowFold& fold() const { return fold_; }

 private:
  OwnStatistic() = default;
  static Result<FoldPart> BoundsOf(const OwnPart& part, std::size_t first);
  static Result<RowFold::Limit> LimitOf(const std::string& text, std::size_t column, const Policy& policy);

  OwnOptions options_;
  RowFold fold_;
  std::vector<Sensitivities> changes_;  // of its parts
  std::vector<double> weights_;
  std::string normalised_;
};

}  // namespace kith
