// Degrees of a table of pairs: how many people have how many friends.
//
// Whose secret a row is decides what is asked. If every row is a unit (a friendship), the cumulative counts
// are asked: one friendship moves the degrees of four people by at most one, and each of these changes one cumulative
// count by 1. If a row belongs to the person in its first column (that person's own list), the histogram is asked: one
// person is in one of its bins. If a unit is a person with all pairs, no matter who named whom, the pairs are projected
// first: taken one after another, and only while both ends have room. Then the cumulative counts are asked again: one
// person changes them by twice the largest degree. Limiting degrees instead would not work: somebody with many friends
// changes all of theirs.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/degrees/pair_statements.h"
#include "policy/policy.h"

namespace kith {

struct DegreesOptions {
  std::array<std::string, 2> ends;  // the two columns that name people
  std::size_t max_degree = 0;       // larger degrees are counted as this one; a person keeps this many pairs
  std::optional<std::int64_t>
      people;         // how many there are, if that is public: then those without friends are counted too
  bool once = false;  // every pair is in the table once: do not look for duplicates
  std::string where;  // a condition as in SQL on a row; may be empty
  std::string by;     // "table.column": a public column of a public table of people; may be empty
  std::string names;  // the column of that table that names the person

  static constexpr std::size_t kMaxDegree = 4096;
};

class Degrees final : public Analysis {
 public:
  /// Fails: kInvalidArgument (columns that are not declared or are not names, a degree out of range), kUnsupportedQuery
  /// (a unit that is neither a row, nor the person in the first column, nor the person in either).
  static Result<std::unique_ptr<Degrees>> Make(const DegreesOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  bool KnowsPairs() const override { return true; }
  bool NeedsRows() const override { return true; }
  /// Ensures [DEGREES-1]: where a row is a unit, replacing one changes the cumulative counts by at most 4 in L1, the
  /// number of friendships by at most 1, and the sums of degrees of groups by at most 4. Ensures [DEGREES-2]: where a
  /// list is a unit, replacing one changes the histogram by at most 2 in L1, and the sum of degrees by at most the
  /// largest degree. Ensures [DEGREES-4]: where a person is a unit, replacing all pairs of one changes the cumulative
  /// counts and the sums of degrees, each over all groups, by at most twice the largest degree.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  /// One statement where the engine can count by itself; otherwise counted from a scan of the pairs (PairCounts).
  Result<Sealed> Measure(const Plan& plan, const Vault& vault) const override;
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;

  /// What Measure seals, if it counts by itself.
  bool counts_itself() const { return unit_ == Unit::kPerson || groups_; }
  Result<IntegerTable> Counted(const Session& engine, const CancelFlag& cancel) const;

 private:
  enum class Unit { kFriendship, kList, kPerson };
  Degrees(const DegreesOptions& options, const Policy& policy, PairStatements pairs,
          std::optional<PersonGroups> groups);
  std::size_t groups() const { return groups_ ? groups_->values.size() + 1 : 1; }
  sql::Statement Pairs() const;
  sql::Statement CutDegrees(sql::Source ends, const char* person) const;
  sql::Statement HistogramOf() const;
  sql::Statement TotalOf() const;
  Result<Plan> CountedRound() const;
  struct Curve;
  Curve CurveOf(const NoisyRound& histogram, std::size_t group) const;
  struct Mean;
  Mean MeanOf(std::span<const NoisyRound> rounds, const Curve& curve, std::size_t group) const;
  std::vector<Note> Notes() const;

  DegreesOptions options_;
  std::string table_;
  Unit unit_;
  bool names_are_text_;
  PairStatements pairs_;
  std::optional<PersonGroups> groups_;
  std::vector<bool> charged_;
  std::vector<std::vector<double>> weights_;
};

}  // namespace kith
