#include "analysis/cumulative/cumulative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/cumulative/reading.h"
#include "analysis/derived/derived.h"
#include "analysis/number_column.h"
#include "base/json.h"
#include "loss/loss_kinds.h"
#include "sql/quote.h"

namespace kith {
namespace {

using workload::MovedRows;
using workload::PrefixToeplitz;
using workload::PrefixTree;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr Int128 kMostRows = Int128{1} << 48;
constexpr double kRanks[] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Whether each row of the unit's table counts for itself, in at most one cell.
Result<void> IsOfRows(const Plan& plan) {
  const bool rows = plan.of_unit_table && !plan.of_pairs && !plan.per_unit && !plan.windows && !plan.of_groups &&
                    plan.more_tables.empty() && plan.levels.empty() && plan.keys.size() == 1 &&
                    plan.statistics.size() == 1 && plan.statistics.front().lattice.exponent == 0;
  if (rows) return {};
  return Unsupported("a cumulative curve counts the rows of the unit's table, each by itself", {},
                     "name a condition about single rows")
      .For("cumulative.where");
}

}  // namespace

Result<std::unique_ptr<Cumulative>> Cumulative::Make(const CumulativeOptions& options, const Policy& policy) {
  if (options.cells < 2 || options.cells > CumulativeOptions::kMaxCells)
    return InvalidArgument(fmt::format("the curve has 2 to {} cells", CumulativeOptions::kMaxCells), {},
                           "leave the number of cells out")
        .For("cumulative.cells");
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  const auto column = NumberColumnOf(options.column, policy);
  if (!column) return column.error();
  if (column->name != options.column)
    return Unsupported("a cumulative curve is of numbers; this is a time", {}, "ask for quantiles of it in a question");
  std::unique_ptr<Cumulative> made(new Cumulative());
  made->options_ = options;
  const Column* declared = policy.unit_table().Find(options.column);
  made->whole_ = declared && declared->type == ColumnType::kInteger;
  made->low_ = column->low;
  made->high_ = column->high;
  const auto parts = static_cast<double>(options.cells);
  made->width_ =
      made->whole_ ? std::ceil((column->high - column->low + 1) / parts) : (column->high - column->low) / parts;
  const std::string name = QuotedName(options.column);
  auto question =
      AskFor(fmt::format("SELECT floor(({} - {}) / {}) AS part, count(*) AS n FROM {} WHERE {} IS NOT NULL{} "
                         "GROUP BY 1",
                         name, SqlNumber(column->low), SqlNumber(made->width_), QuotedName(policy.unit.table), name,
                         options.where.empty() ? "" : fmt::format(" AND ({})", options.where)),
             1, 1, policy);
  if (!question) return question.error();
  made->plan_ = std::move(question->plan);
  if (auto rows = IsOfRows(made->plan_); !rows) return rows.error();
  if (!made->plan_.statistics.front().noisy()) {
    return Unsupported("nothing in this column is secret: everybody can count it without kith", {},
                       "name a column that is not public")
        .For("cumulative.column");
  }
  // Cells by their value, whatever the order of the plan.
  const std::vector<Value>& values = made->plan_.keys.front().values;
  std::vector<std::pair<double, std::size_t>> in_order;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (const auto part = NumberIn(values[k])) in_order.emplace_back(*part, k);
  }
  if (in_order.empty()) return InternalError("a column of numbers has no cells");
  std::sort(in_order.begin(), in_order.end());
  made->first_ = in_order.front().first;
  made->cell_of_.assign(values.size(), kNone);
  for (std::size_t k = 0; k < in_order.size(); ++k) made->cell_of_[in_order[k].second] = k;
  const MovedRows moved = made->moved();
  if (moved.l1 < 1) return InternalError("a noisy count that nobody can change");
  made->tree_ = PrefixTree::Best(in_order.size(), moved);
  made->error_of_cells_ = std::sqrt(PrefixTree::Cells(in_order.size(), moved).MeanVariance());
  for (const auto& level : made->tree_->levels()) made->weights_.push_back(level.share);
  return made;
}

MovedRows Cumulative::moved() const {
  return {std::max<std::int64_t>(plan_.unit_rows, 1), plan_.statistics.front().change.l1().steps()};
}

std::string Cumulative::Normalised() const {
  return fmt::format("cumulative curve of {}, {} cells: {}", IdentifierText(options_.column), tree_->cells(),
                     plan_.normalised);
}

Result<std::shared_ptr<const NormalStudy>> Cumulative::AtMu(std::int64_t mu) const {
  const std::size_t cells = tree_->cells();
  auto root = PrefixToeplitz::Root(cells, moved());
  auto plain = PrefixToeplitz::Cells(cells, moved());
  if (!plain) return plain.error();
  // At a Gaussian loss of 1.
  const auto error = [](const PrefixToeplitz& of) {
    return std::sqrt(MeanOf(of.Variances()) * static_cast<double>(of.change().l2_squared()));
  };
  auto other = std::make_shared<Cumulative>(*this);
  other->mu_ = mu;
  other->weights_ = {1};
  other->error_of_cells_ = error(*plain);
  const bool use_root = root && error(*root) < other->error_of_cells_;
  other->root_ = std::make_shared<const PrefixToeplitz>(std::move(use_root ? *root : *plain));
  return std::shared_ptr<const NormalStudy>(std::move(other));
}

Result<std::vector<Noise>> Cumulative::NoisesFor(std::span<const PlainUnits> shares) const {
  if (shares.size() != weights_.size()) return InternalError("the levels of a cumulative curve have a share each");
  std::vector<Noise> noises;
  if (root_) {
    const auto loss = Loss::Of(LossKind::kMu, mu_);
    if (!loss) return loss.error();
    const auto noise = Noise::For(root_->change(), *loss);
    if (!noise) return noise.error();
    noises.push_back(*noise);
    return noises;
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto change = Sensitivities::OfL1(tree_->levels()[k].l1);
    if (!change) return change.error();
    const auto noise = Noise::For(*change, shares[k]);
    if (!noise) return noise.error();
    noises.push_back(*noise);
  }
  return noises;
}

cumulative::CurveBars Cumulative::BarsFor(const std::vector<Noise>& noises) const {
  return root_ ? cumulative::BarsOf(*root_, noises.front()) : cumulative::BarsOf(*tree_, noises);
}

double Cumulative::ErrorWith(const std::vector<Noise>& noises) const {
  if (root_) return std::sqrt(MeanOf(root_->Variances()) * noises.front().variance());
  std::vector<double> variances;
  for (const Noise& noise : noises) variances.push_back(noise.variance());
  return std::sqrt(MeanOf(tree_->Variances(variances)));
}

Result<double> Cumulative::ErrorAt(std::span<const PlainUnits> shares) const {
  const auto noises = NoisesFor(shares);
  if (!noises) return noises.error();
  return ErrorWith(*noises);
}

std::string Cumulative::Measured() const {
  if (root_)
    return root_->weights().size() > 1 ? "sums of cells with the weights of a square root, 1, 1/2, 3/8, ..."
                                       : "the cells";
  if (tree_->levels().size() == 1) return "the cells";
  std::string blocks;
  for (std::size_t k = 1; k < tree_->levels().size(); ++k)
    blocks += fmt::format("{}{}",
                          k == 1                           ? ""
                          : k + 1 < tree_->levels().size() ? ", "
                                                           : " and ",
                          std::min(tree_->levels()[k].size, tree_->cells()));
  return fmt::format("the cells, and blocks of {} cells, put together by least squares", blocks);
}

std::vector<Note> Cumulative::NotesFor(const std::vector<Noise>& noises) const {
  const double error = ErrorWith(noises);
  double at_one = 0;  // of what is measured, as error_of_cells_
  if (root_)
    at_one = std::sqrt(MeanOf(root_->Variances()) * static_cast<double>(root_->change().l2_squared()));
  else
    at_one = std::sqrt(tree_->MeanVariance());
  std::vector<Note> notes = plan_.notes;
  notes.push_back(
      {NoteKind::kMethod, fmt::format("{} cells in steps of {}; what is measured, with {} noise: {}", tree_->cells(),
                                      SqlNumber(width_), noises.front().Name().text, Measured())});
  notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format("a point of the curve will have a standard error of {:.4g} on average (root mean square); by the "
                   "noisy counts of single cells it would be {:.4g}",
                   error, error * error_of_cells_ / at_one)});
  return notes;
}

Result<StudyOutline> Cumulative::Outline(std::span<const PlainUnits> shares) const {
  const auto noises = NoisesFor(shares);
  if (!noises) return noises.error();
  StudyOutline outline;
  if (root_) {
    const double step = std::ldexp(1.0, -root_->bits());
    NoisePart part = PartOf("weighted sums of rows", noises->front(), step, root_->cells());
    part.sensitivity = std::sqrt(static_cast<double>(root_->change().l2_squared())) * step;
    outline.noise.push_back(std::move(part));
  } else {
    for (std::size_t k = 0; k < noises->size(); ++k) {
      const auto& level = tree_->levels()[k];
      outline.noise.push_back(
          PartOf(level.size == 1 ? "rows in cells"
                                 : fmt::format("rows in blocks of {} cells", std::min(level.size, tree_->cells())),
                 (*noises)[k], 1, level.blocks));
    }
  }
  outline.statement = plan_.statement;
  outline.notes = NotesFor(*noises);
  return outline;
}

Result<Cumulative::Counts> Cumulative::Read(const Session& engine, const CancelFlag& cancel) const {
  const auto found = engine.Run(plan_.statement, cancel);
  if (!found) return found.error();
  Counts counts(tree_->cells(), 0);
  for (const auto& row : found->rows) {
    if (row.size() != 2) return InternalError("a count has another form than planned");
    const bool known = row[0] && row[1] && *row[0] >= 0 && *row[0] < static_cast<Int128>(cell_of_.size());
    const std::size_t cell = known ? cell_of_[static_cast<std::size_t>(*row[0])] : kNone;
    // Cut, a count is changed by no more than before.
    if (cell != kNone) counts[cell] = static_cast<std::int64_t>(std::clamp<Int128>(*row[1], 0, kMostRows));
  }
  return counts;
}

Result<Findings> Cumulative::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const Vault::Unsealed raw = vault.Unseal(paid);
  const auto noises = NoisesFor(shares);
  if (!noises) return noises.error();
  const auto counts = Read(raw.session, raw.cancel);
  if (!counts) return counts.error();
  if (root_) {
    auto measured = root_->Measure(*counts);
    noises->front().ReleaseAll(measured, raw.bits);
    return FindingsOf(root_->Sums(measured), *noises);
  }
  std::vector<std::vector<double>> noisy;
  std::vector<double> variances;
  for (std::size_t k = 0; k < noises->size(); ++k) {
    auto measured = tree_->Measure(k, *counts);
    (*noises)[k].ReleaseAll(measured, raw.bits);
    noisy.emplace_back(measured.begin(), measured.end());
    variances.push_back((*noises)[k].variance());
  }
  return FindingsOf(tree_->Sums(noisy, variances), *noises);
}

double Cumulative::EdgeOf(double cells) const { return std::clamp(low_ + (first_ + cells) * width_, low_, high_); }

Findings Cumulative::FindingsOf(const std::vector<double>& sums, const std::vector<Noise>& noises) const {
  const cumulative::CurveBars bars = BarsFor(noises);
  const auto curve = cumulative::CurveOf(sums, bars);
  const double range = cumulative::RangeBarOf(curve, sums, bars);
  // For whole numbers, the last one of a cell; for real ones, the border to the next, and at the end the upper bound.
  const auto last_in = [&](std::size_t cell) {
    return EdgeOf(static_cast<double>(cell + 1) - (whole_ ? 1 / width_ : 0));
  };
  const auto shown = [&](double value) {
    return whole_ ? Value(static_cast<std::int64_t>(std::floor(value))) : Value(value);
  };
  const auto number = [](double count) { return Value(static_cast<std::int64_t>(count)); };
  Findings out;
  out.columns = {options_.column, "n", "low_95_all", "high_95_all"};
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const auto& point = curve[k];
    out.rows.push_back({shown(last_in(k)), number(point.count), number(point.low), number(point.high)});
    out.errors_95.push_back({std::nullopt, point.bar, std::nullopt, std::nullopt});
  }
  std::vector<double> last;
  for (std::size_t k = 0; k < curve.size(); ++k) last.push_back(last_in(k));
  const cumulative::Reading reading(curve, std::move(last), EdgeOf(0), whole_, range);
  Json ranks = Json::array();
  std::string places;
  const auto found = reading.Ranks(kRanks);
  for (std::size_t k = 0; k < found.size(); ++k) {
    ranks.push_back(
        {{"rank", kRanks[k]}, {"value", found[k].value}, {"low_95_all", found[k].low}, {"high_95_all", found[k].high}});
    places += fmt::format("{}{:.0f} % {} ({} to {})", k == 0 ? "" : ", ", 100 * kRanks[k], Grouped(found[k].value),
                          Grouped(found[k].low), Grouped(found[k].high));
  }
  out.notes = NotesFor(noises);
  out.notes.push_back({NoteKind::kFinding, fmt::format("percentiles: {}", places)});
  out.notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format(
           "n: rows with a value {} this one. Its bar is for one point by itself; low_95_all to high_95_all, and "
           "the intervals of ranks, hold for all points at once with 95 %",
           whole_ ? "up to" : "below (in the last row: up to)")});
  out.notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format(
           "the rows between two values are the difference of their n; with 95 %, one such difference by itself, "
           "it is not off by more than {}",
           Grouped(range))});
  out.details = JsonValue(Json{{"analysis", "cumulative"},
                               {"column", options_.column},
                               {"measured", root_ ? root_->weights().size() > 1 ? "toeplitz" : "cells"
                                            : tree_->levels().size() > 1 ? "tree"
                                                                         : "cells"},
                               {"cells", curve.size()},
                               {"step", width_},
                               {"lower", EdgeOf(0)},
                               {"whole_numbers", whole_},
                               {"standard_error", ErrorWith(noises)},
                               {"range_error_95", range},
                               {"percentiles", std::move(ranks)}});
  out.claims = {"PREFIX-1", "PREFIX-2", "PREFIX-3", "PREFIX-4", "PREFIX-5"};
  for (std::string& claim : noises.front().Claims()) out.claims.push_back(std::move(claim));
  return out;
}

}  // namespace kith
