// A synthetic table: counts of every column by itself, then of pairs of columns that are chosen one after the other,
// where what is known so far fits worst; a graphical model that fits these noisy counts; and rows drawn from it. Where
// the policy says how many units a household has at most, households by the composition of their members are counted as
// well, and rows are drawn household by household. Only counts leave the engine. Claims: claims/synthetic.md
// Source: McKenna, Miklau, Sheldon 2021 (MST), McKenna, Mullins, Sheldon, Miklau 2022 (AIM), here with pure loss.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/synthetic/columns.h"
#include "analysis/synthetic/compositions.h"
#include "analysis/synthetic/graph_model.h"
#include "analysis/synthetic/sample.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

struct SyntheticOptions {
  static constexpr std::size_t kMaxColumns = 40, kMaxParts = 1000, kMaxRows = 200'000;
  static constexpr std::size_t kMaxTogether = 2;

  std::vector<std::string> columns;   // with declared values, or numbers with bounds
  std::size_t parts = 16;             // of the bounds of a number, as long as it has more values
  std::optional<std::size_t> rows;    // nothing: as many as were counted, with noise
  std::vector<std::string> together;  // one or two of the columns: what members of a household have in common
  std::string where;                  // only these rows; may be empty
};

class Synthetic final : public Study {
 public:
  /// A table of counts that may be asked: its columns and the question.
  struct Table {
    synthetic::Scope scope;
    Plan plan;
    std::int64_t l1() const { return plan.statistics.front().change.l1().steps(); }
  };
  /// Households by the composition of their members.
  struct Groups {
    std::string column;                                // that names a unit's household
    synthetic::Scope scope;                            // the columns that make a member's type
    std::vector<synthetic::Composition> compositions;  // those that a household can have
    Plan plan;
  };

  /// Fails: kInvalidArgument (columns without a finite domain, numbers out of range), kUnsupportedQuery; as
  /// PlanQuestion.
  static Result<std::unique_ptr<Synthetic>> Make(const SyntheticOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  bool HidesAnyChange() const override { return true; }
  bool NeedsRows() const override { return false; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [SYNTH-1]: no set of results becomes likelier by more than the factor e^(sum of the shares) when one
  /// unit's record is replaced, comes or goes. Ensures [SYNTH-2]: households by composition are a part of that, at the
  /// change of one household's row.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  /// What the shares are for, in the order of the weights; pairs are chosen only where there are more than fit.
  struct Parts {
    std::size_t columns = 0, pairs = 1, accuracy = 2;
    std::optional<std::size_t> choices, groups, group_accuracy;
  };
  const Parts& parts() const { return parts_; }
  const std::vector<Table>& columns() const { return ones_; }
  const std::vector<Table>& pairs() const { return pairs_; }
  const std::optional<Groups>& groups() const { return groups_; }
  const synthetic::Sizes& sizes() const { return sizes_; }
  /// By how much more the distance of one pair of columns can change than that of another.
  std::int64_t spread() const;
  /// Of all pairs together: how far the sum of their distances from a table can move.
  std::int64_t change_of_all_pairs() const;
  /// In how many equal parts the shares of choices and of pairs are cut at first.
  std::int64_t rounds() const;

  /// What choices are made by: how far the counts are from those of the model, less the noise that measuring would
  /// bring. Smaller is better; whole numbers. `expected`: counts of the model, rounded.
  /// Ensures [SYNTH-3]: changes by at most the L1 change of the counts.
  static std::int64_t DistanceOf(std::span<const std::int64_t> counts, std::span<const std::int64_t> expected,
                                 std::int64_t noise);

 private:
  Synthetic() = default;
  Result<void> PlanTables(const Policy& policy, const std::string& condition);
  Result<void> PlanGroups(const Policy& policy);
  void SetParts();
  std::vector<Note> NotesFor(std::span<const PlainUnits> shares) const;

  SyntheticOptions options_;
  std::vector<synthetic::TableColumn> shown_;
  std::vector<std::vector<Value>> values_;  // of each column, as plans list them
  synthetic::Sizes sizes_;
  std::vector<Table> ones_, pairs_;
  std::size_t left_out_ = 0;  // pairs whose tables would be too large
  std::optional<Groups> groups_;
  Parts parts_;
  std::vector<double> weights_;
  std::vector<bool> charged_;

  friend class SyntheticRun;
};

}  // namespace kith
