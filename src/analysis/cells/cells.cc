#include "analysis/cells/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "mechanism/noise.h"
#include "sql/quote.h"

namespace kith {
namespace {

/// Of a number of cells, for people: exact while that can be read.
std::string Many(double number) {
  if (number < 1e6) return fmt::format("{:.6g}", number);
  return fmt::format("{:.3g}", number);
}

constexpr const char* kCount = "n";

}  // namespace

Result<std::unique_ptr<CellCounts>> CellCounts::Make(const CellsOptions& options, const Policy& policy) {
  if (options.threshold.has_value() == options.false_cells.has_value()) {
    return InvalidArgument("either a threshold or a number of false cells is needed", {},
                           "state how many cells may be shown on average although they hold nothing, or the smallest "
                           "noisy count that is shown")
        .For("cells.false");
  }
  if (options.most < 1 || options.most > CellsOptions::kMost)
    return InvalidArgument(fmt::format("1 to {} cells can be shown", CellsOptions::kMost), {},
                           "choose a number in this range")
        .For("cells.most");
  std::vector<SparseQuestion::Output> outputs;
  for (std::size_t k = 0; k < options.columns.size(); ++k) outputs.push_back({k, options.columns[k]});
  outputs.push_back({std::nullopt, kCount});
  if (std::find(options.columns.begin(), options.columns.end(), kCount) != options.columns.end())
    return Unsupported("a column is called n, as the counts are", {},
                       "ask in SQL, where the count can have another name");
  return Check(options,
               PlanSparse(options.columns, options.where, options.units ? CountOf::kUnits : CountOf::kRows,
                          SparseCounts::kMostCells, policy),
               std::move(outputs));
}

Result<std::unique_ptr<CellCounts>> CellCounts::Make(const SparseQuestion& question, const Policy& policy) {
  CellsOptions options;
  options.columns = question.columns;
  options.threshold = question.threshold;
  options.units = question.count == CountOf::kUnits;
  return Check(options, PlanSparse(question.columns, question.where, question.count, SparseCounts::kMostCells, policy),
               question.outputs);
}

Result<std::unique_ptr<CellCounts>> CellCounts::Check(const CellsOptions& options, Result<SparsePlan> plan,
                                                      std::vector<SparseQuestion::Output> outputs) {
  if (!plan) return plan.error();
  if (plan->change.IsNone()) {
    return Unsupported("nothing in these columns is secret: everybody can count them without kith", {},
                       "ask about columns that are not public");
  }
  return std::unique_ptr<CellCounts>(new CellCounts(options, std::move(*plan), std::move(outputs)));
}

std::string CellCounts::Normalised() const {
  const std::string limit = options_.threshold ? fmt::format("threshold {}", *options_.threshold)
                                               : fmt::format("false cells {}", *options_.false_cells);
  std::string shown;
  for (const auto& output : outputs_) {
    shown += fmt::format("{}{} AS {}", shown.empty() ? "" : ", ",
                         output.key ? fmt::format("key {}", *output.key) : "count", IdentifierText(output.name));
  }
  return fmt::format("cells, {}, at most {}, as {}: {}", limit, options_.most, shown, plan_.normalised);
}

Result<SparseCounts> CellCounts::LawFor(std::span<const PlainUnits> shares) const {
  if (shares.size() != 1) return InternalError("the counts have one share");
  auto threshold = static_cast<std::int64_t>(
      std::min(options_.threshold.value_or(0), static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())));
  if (!options_.threshold) {
    const auto chosen =
        SparseCounts::ThresholdFor(plan_.change.l1(), shares.front(), plan_.cells, *options_.false_cells);
    if (!chosen) return chosen.error();
    threshold = *chosen;
  }
  auto law = SparseCounts::Make(plan_.change.l1(), shares.front(), plan_.cells, threshold);
  if (!law) return law.error();
  if (law->ExpectedFalse() > SparseCounts::kMostFalse) {
    return InvalidArgument(
               fmt::format("about {} cells that hold nothing would be shown", Many(law->ExpectedFalse())), {},
               fmt::format("choose a higher threshold, so that there are at most {:.0f}", SparseCounts::kMostFalse))
        .For(options_.threshold ? "cells.threshold" : "cells.false");
  }
  return law;
}

std::vector<Note> CellCounts::NotesFor(const SparseCounts& law) const {
  const char* what = options_.units ? "units" : "rows";
  const double sure = law.ShownWith(0.95);
  std::vector<Note> notes = plan_.notes;
  notes.push_back({NoteKind::kMethod,
                   fmt::format("each of the {} declared cells gets noise, whether it holds something or not; those "
                               "with a noisy count of {} or more are shown, by their keys",
                               Many(static_cast<double>(law.cells())), law.threshold())});
  notes.push_back(
      {NoteKind::kAccuracy, fmt::format("on average {:.3g} cells are shown that hold nothing: a key that is "
                                        "shown need not occur",
                                        law.ExpectedFalse())});
  notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format("a cell with {:.0f} {} is shown with 95 %. A cell that is not shown is not empty for that: "
                   "it has, with 95 %, fewer {} than this",
                   sure, what, what)});
  notes.push_back({NoteKind::kAccuracy,
                   "counts are shown because they are large, noise included: those near the "
                   "threshold are too large on average, and have no error bar"});
  notes.push_back({NoteKind::kLeftOut, "rows without a declared value in one of the columns are in no cell"});
  return notes;
}

Result<StudyOutline> CellCounts::Outline(std::span<const PlainUnits> shares) const {
  const auto law = LawFor(shares);
  if (!law) return law.error();
  const auto noise = Noise::For(plan_.change, shares.front());
  if (!noise) return noise.error();
  StudyOutline outline;
  outline.noise.push_back(PartOf(options_.units ? "units in each cell" : "rows in each cell", *noise, 1, 1));
  outline.statement = plan_.statement;
  outline.notes = NotesFor(*law);
  return outline;
}

Result<Findings> CellCounts::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const auto law = LawFor(shares);
  if (!law) return law.error();
  const auto shown = vault.OpenSparse(plan_, law->threshold(), options_.most, shares.front(), paid);
  if (!shown) return shown.error();
  Findings out;
  for (const auto& output : outputs_) out.columns.push_back(output.name);
  for (const ShownCells::Cell& cell : shown->cells) {
    const std::vector<Value> values = plan_.ValuesOf(cell.number);
    constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
    const Value count(static_cast<std::int64_t>(std::min(cell.count, kMost)));
    auto& row = out.rows.emplace_back();
    for (const auto& output : outputs_) row.push_back(output.key ? values[*output.key] : count);
  }
  out.notes = NotesFor(*law);
  if (shown->passed > out.rows.size())
    out.notes.push_back(
        {NoteKind::kFinding, fmt::format("{} cells reached the threshold; the {} with the largest noisy "
                                         "counts are shown",
                                         shown->passed, out.rows.size())});
  out.details = JsonValue(Json{{"analysis", "cells"},
                               {"declared_cells", static_cast<double>(law->cells())},
                               {"threshold", law->threshold()},
                               {"expected_false_cells", law->ExpectedFalse()},
                               {"shown_with_95", law->ShownWith(0.95)}});
  out.claims = {"SPARSE-1", "SPARSE-2", "SPARSE-3", "SPARSE-4", "DL-1"};
  return out;
}

}  // namespace kith
