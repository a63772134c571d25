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

/// What the function adds for one row.
class RowSum final : public Contribution {
 public:
  explicit RowSum(std::size_t numbers) : amounts_(numbers, 0.0) {}
  void Add(std::size_t number, double amount) override;

 private:
  friend class OwnStatistic;
  std::vector<double> amounts_;
  std::vector<std::size_t> touched_;
};

class OwnStatistic final : public Study {
 public:
  /// Fails: kInvalidArgument (no name, value or part; bounds that are not finite, in the wrong order, or more than 2^31
  /// steps for a unit; a step that is not a power of two; a limit that is not from 0 to 1 or not public; too many
  /// numbers), kUnsupportedQuery (an expression that kith does not know).
  static Result<std::unique_ptr<OwnStatistic>> Make(const OwnOptions& options, RowFunction function,
                                                    const Policy& policy);

  std::string Normalised() const override { return normalised_; }
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return rows_.charged; }
  bool HidesAnyChange() const override { return true; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [OWN-1]: for any function of one row, replacing one unit's record changes the sums of a part by at most
  /// its sensitivity in L1, so that the whole answer's loss is at most the sum of the shares. Ensures [OWN-2]: if the
  /// unit's rows have a limit of at most l, it changes them by at most l times that.
  Result<Findings> Run(const Session& engine, std::span<const PlainUnits> shares, BitSource& bits,
                       const CancelFlag& cancel) const override;

  /// The exact sums of all numbers, in steps: what noise is added to. For tests; never released.
  Result<std::vector<Int128>> Sums(const Session& engine, const CancelFlag& cancel) const;
  /// Of a part, in steps.
  Int128 SensitivityOf(std::size_t part) const { return bounds_[part].change.l1().steps(); }

 private:
  struct Bounds {  // of one part, in steps
    std::size_t first = 0, size = 0;
    std::int64_t low = 0, high = 0;
    std::optional<std::int64_t> most;
    Change change = Change::None();
    Lattice lattice;
  };
  struct Limit {  // in steps of a lattice of which 1 is a multiple
    std::size_t column = 0;
    std::int64_t one = 1;
  };
  OwnStatistic() = default;
  static Result<Bounds> BoundsOf(const OwnPart& part, std::size_t first, std::int64_t rows);
  static Result<Limit> LimitOf(const std::string& text, std::size_t column, const Policy& policy);
  void AddRow(std::span<const double> row, std::int64_t limit, RowSum& scratch, std::vector<Int128>& sums) const;

  OwnOptions options_;
  RowFunction function_ = nullptr;
  Rows rows_;
  std::vector<Bounds> bounds_;
  std::optional<Limit> limit_;
  std::vector<double> weights_;
  std::string normalised_;
};

}  // namespace kith
