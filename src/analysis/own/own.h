// Your own statistic: any sum over records whose contribution to each number is bounded. You say how large a
// contribution may be and write a function of one row; kith enforces the bounds, adds up, and adds noise for exactly
// what was declared. The function cannot break the guarantee by returning too much: what it returns is cut.
//
//   void Busy(std::span<const double> row, Contribution& out) {        // row: the values, in the order of `values`
//     out.Add(0, row[0] * row[1]);                                     // number 0 of the statistic
//   }
//   OwnOptions options;
//   options.name = "busy hours 1";                                     // change it whenever the function changes
//   options.values = {"hours", "CASE WHEN open THEN 1 ELSE 0 END"};    // expressions as in SQL
//   options.parts = {{.name = "busy", .low = 0, .high = 24, .step = 0.25}};
//   const auto statistic = OwnStatistic::Make(options, Busy, curator.policy());
//   const auto answer = curator.Analyse(**statistic, price, cancel);   // charged first, certified, kept
//
// Claims: claims/own.md
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith {

/// Numbers of the statistic that share their bounds and their noise.
struct OwnPart {
  std::string name;
  std::size_t size = 1;        // how many numbers
  double low = 0, high = 0;    // what one row may contribute to each of them; there is no default that would do
  double step = 1;             // contributions are rounded to multiples of it; a power of two
  std::optional<double> most;  // what one row may contribute to all of them together, sizes added up
  double weight = 1;           // of this part's share of the price
};

struct OwnOptions {
  std::string name;                 // of the statistic and its version: the same name means the same function
  std::vector<std::string> values;  // expressions as in SQL over columns with declared bounds; what the function sees
  std::string where;                // a condition as in SQL; may be empty
  /// An expression over public columns with values from 0 to 1, or empty: the row of a record may contribute at most
  /// this part of the bounds. Then the record's loss is at most this part of the price.
  std::string limit;
  std::vector<OwnPart> parts;

  static constexpr std::size_t kMaxNumbers = 65536, kMaxValues = 64;
};

/// What one row adds. Numbers count from 0, through all parts.
class Contribution {
 public:
  /// Several calls for one number add up. Not a number counts as nothing; numbers that do not exist are ignored.
  void Add(std::size_t number, double amount);

 private:
  friend class OwnStatistic;
  explicit Contribution(std::size_t numbers) : amounts_(numbers, 0.0) {}
  std::vector<double> amounts_;
  std::vector<std::size_t> touched_;
};

/// A function of one row and of nothing else. A plain function (or a lambda without captures), so that it cannot carry
/// anything from row to row by itself; keeping state elsewhere, or telling somebody what it saw, is the caller's
/// breach.
using RowFunction = void (*)(std::span<const double> row, Contribution& out);

class OwnStatistic final : public Study {
 public:
  /// Fails: kInvalidArgument (no name, value or part; bounds that are not finite, in the wrong order, or more than 2^31
  /// steps for a unit; a step that is no power of two; a limit that is not from 0 to 1 or not public; too many
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
  Int128 SensitivityOf(std::size_t part) const { return bounds_[part].sensitivity; }

 private:
  struct Bounds {  // of one part, in steps
    std::size_t first = 0, size = 0;
    std::int64_t low = 0, high = 0;
    std::optional<std::int64_t> most;
    Int128 sensitivity = 0;
    Lattice lattice;
  };
  struct Limit {  // in steps of a lattice that 1 is a multiple of
    std::size_t column = 0;
    std::int64_t one = 1;
  };
  OwnStatistic() = default;
  static Result<Bounds> BoundsOf(const OwnPart& part, std::size_t first, std::int64_t rows);
  static Result<Limit> LimitOf(const std::string& text, std::size_t column, const Policy& policy);
  void AddRow(std::span<const double> row, std::int64_t limit, Contribution& scratch, std::vector<Int128>& sums) const;

  OwnOptions options_;
  RowFunction function_ = nullptr;
  Rows rows_;
  std::vector<Bounds> bounds_;
  std::optional<Limit> limit_;
  std::vector<double> weights_;
  std::string normalised_;
};

}  // namespace kith
