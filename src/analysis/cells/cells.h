// Noisy counts of very many declared cells: those that reach a threshold, with their keys. All declared cells get
// noise, the empty ones too, so that neither a key that is shown nor one that is not says more about a single unit
// than any noisy count does. Claims: claims/sparse.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "mechanism/sparse_counts.h"
#include "policy/policy.h"
#include "query/sparse_cells.h"
#include "query/sparse_question.h"

namespace kith {

struct CellsOptions {
  static constexpr std::size_t kMost = 1'000'000;

  std::vector<std::string> columns;  // of the unit's table: declared values, bounds, or a pattern
  // Exactly one of the two: the threshold itself, or how many cells that hold nothing may be shown on average.
  std::optional<std::size_t> threshold;
  std::optional<double> false_cells;
  std::string where;         // only these rows; may be empty
  bool units = false;        // counts units instead of rows
  std::size_t most = 65536;  // at most this many cells are shown: those with the largest noisy counts
};

class CellCounts final : public Study {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanSparse.
  static Result<std::unique_ptr<CellCounts>> Make(const CellsOptions& options, const Policy& policy);
  /// The same for a question in SQL.
  static Result<std::unique_ptr<CellCounts>> Make(const SparseQuestion& question, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return plan_.charged; }
  bool HidesAnyChange() const override { return true; }
  bool NeedsRows() const override { return false; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [SPARSE-4]: no set of answers becomes likelier by more than the factor e^share when one unit's record is
  /// replaced, comes or goes. Cells are shown in the order of their keys.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  const SparsePlan& plan() const { return plan_; }

 private:
  CellCounts(CellsOptions options, SparsePlan plan, std::vector<SparseQuestion::Output> outputs)
      : options_(std::move(options)), plan_(std::move(plan)), outputs_(std::move(outputs)) {}
  static Result<std::unique_ptr<CellCounts>> Check(const CellsOptions& options, Result<SparsePlan> plan,
                                                   std::vector<SparseQuestion::Output> outputs);
  Result<SparseCounts> LawFor(std::span<const PlainUnits> shares) const;
  std::vector<Note> NotesFor(const SparseCounts& law) const;

  CellsOptions options_;
  SparsePlan plan_;
  std::vector<SparseQuestion::Output> outputs_;  // what the answer shows, in this order
  std::vector<double> weights_ = {1};
};

}  // namespace kith
