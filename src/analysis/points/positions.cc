#include "analysis/points/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/number_column.h"
#include "base/check.h"
#include "sql/expr.h"

namespace kith::points {
namespace {

Result<void> CheckColumns(const std::vector<std::string>& columns, const Policy& policy) {
  if (columns.empty() || columns.size() > 2)
    return InvalidArgument("points have one or two columns", {}, "name them, such as x and y").For("points.columns");
  if (columns.size() == 2 && columns[0] == columns[1]) return InvalidArgument("a column is named twice");
  if (policy.unit.distance && policy.unit.distance->columns != columns) {
    return InvalidArgument("the unit's distance is declared for other columns", {},
                           fmt::format("name {}", fmt::join(policy.unit.distance->columns, ",")))
        .For("points.columns");
  }
  return {};
}

}  // namespace

Result<Positions> Positions::Make(const std::vector<std::string>& columns, const std::string& where,
                                  const Policy& policy) {
  if (auto ok = CheckColumns(columns, policy); !ok) return ok.error();
  Positions out;
  out.metric_ = policy.unit.distance.has_value();
  out.mean_of_unit_ = out.metric_ && policy.unit.key.has_value();
  out.points_of_unit_ = policy.unit.max_rows;
  out.by_distance_ = std::holds_alternative<Lipschitz>(policy.dependence.model);
  std::vector<std::string> values;
  for (const std::string& name : columns) {
    const auto column = NumberColumnOf(name, policy);
    if (!column) return column.error();
    values.push_back(column->value);
    out.axes_.push_back({column->name, column->low, column->high, 0, 0});
  }
  auto rows = PlanRows(values, where, policy, out.mean_of_unit_ ? RowsOfUnit::kAll : RowsOfUnit::kKept);
  if (!rows) return rows.error();
  out.rows_ = std::move(*rows);
  if (!where.empty()) out.condition_ = out.rows_.normalised;  // two spellings of one condition agree
  out.total_known_ = out.rows_.count_is_public;
  if (out.metric_ && !where.empty() && !out.total_known_) {
    return Unsupported("a condition on secrets lets a point appear and disappear, which is not a move", {},
                       "use public columns in the condition (and public presence), or none")
        .For("points.where");
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const RowValue& value = out.rows_.values[k];
    out.axes_[k].first = static_cast<std::int64_t>(value.low);
    out.axes_[k].span = static_cast<std::int64_t>(value.high - value.low);
    if (out.axes_[k].span <= 0)
      return InvalidArgument(fmt::format("the bounds of {} are too close together", columns[k]), {}, "widen them");
  }
  if (out.mean_of_unit_) {
    std::erase_if(out.rows_.notes, [](const Note& note) { return note.kind == NoteKind::kRowLimit; });
    // The mean of rows near two sources may be near neither: then its appearing loses what its distance says.
    const bool near = policy.unit.distance->sources.kind == Sources::Kind::kPlaces;
    out.rows_.notes.push_back(
        {NoteKind::kLeftOut, fmt::format("rows without {} are left out; a unit with several rows is placed at their "
                                         "mean{}",
                                         *policy.unit.key, near ? ", also where it appears or disappears" : "")});
  }
  out.SetReach(policy);
  return out;
}

void Positions::SetReach(const Policy& policy) {
  const std::size_t count = axes_.size();
  reach_ = {std::vector<double>(count, std::numeric_limits<double>::infinity()), std::vector<double>(count, 0), false};
  if (!metric_) return;
  const Distance& distance = *policy.unit.distance;
  const Reach reach = ReachOf(distance);
  reach_.diamond = reach.diamond;
  for (std::size_t k = 0; k < count; ++k) {
    const double per_step = static_cast<double>(kPositions) / static_cast<double>(axes_[k].span) * (1 + 1e-12);
    const double per_unit = per_step / rows_.values[k].lattice.step();
    reach_.semi[k] = reach.semi[k] * per_unit * (1 + 1e-12);
    // Two values d steps apart are rounded to whole steps at most d + 1 apart (real numbers, a hair more for the last
    // digits); means of a unit's rows are rounded down, which adds another; and so are positions.
    const bool exact = distance.whole[k] && rows_.values[k].lattice.exponent == 0;
    const double rounded = (exact ? 0 : 1.001) + (mean_of_unit_ ? 1 : 0);
    reach_.slack[k] = rounded * per_step + 1;
    per_unit_.push_back(per_unit);
  }
  appears_anywhere_ = distance.sources.kind == Sources::Kind::kEverywhere;
  for (const PlaceBox& source : distance.sources.places) {
    PositionBox box;
    for (std::size_t k = 0; k < count; ++k) {
      // A place is rounded to a step, and so are both ends of the column.
      const double more = reach_.semi[k] + reach_.slack[k] + 3 * per_unit_[k] * rows_.values[k].lattice.step() + 2;
      box.low.push_back((source.low[k] - axes_[k].low) * per_unit_[k] * (1 - 1e-9) - more);
      box.high.push_back((source.high[k] - axes_[k].low) * per_unit_[k] * (1 + 1e-9) + more);
    }
    appears_.push_back(std::move(box));
  }
}

std::string Positions::Normalised() const {
  std::string names;
  for (const Axis& axis : axes_) names += (names.empty() ? "" : ", ") + axis.name;
  return fmt::format("{} of {}{}", names, mean_of_unit_ ? "units" : "rows",
                     condition_.empty() ? "" : ": " + condition_);
}

sql::Statement Positions::StatementOf() const {
  std::vector<sql::Item> items;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const sql::Term above =
        sql::Infix(" - ", {sql::Name(fmt::format("v{}", k)), sql::Paren(sql::Number(axes_[k].first))});
    items.push_back(
        {sql::Cast(mean_of_unit_ ? sql::SumDivide(sql::Sum(above), sql::CountRows()) : above, sql::Stored::kWhole),
         fmt::format("p{}", k)});
  }
  return sql::Selected({.items = std::move(items),
                        .from = sql::Rows(rows_.statement, "s"),
                        .group_by = mean_of_unit_ ? sql::Terms{sql::Name("u")} : sql::Terms{}});
}

std::int32_t Positions::Of(std::int64_t steps, std::int64_t span) {
  const std::int64_t above = std::clamp<std::int64_t>(steps, 0, span);
  constexpr std::int64_t kSmall = std::int64_t{1} << 42;
  if (span <= kSmall) return static_cast<std::int32_t>(above * kPositions / span);
  return static_cast<std::int32_t>(static_cast<Int128>(above) * kPositions / span);
}

Result<void> Positions::Scan(const Session& engine, const PositionSink& sink, const CancelFlag& cancel) const {
  std::vector<std::vector<std::int32_t>> held(axes_.size());
  const auto take = [&](IntegerColumns columns) -> Result<void> {
    std::vector<std::span<const std::int32_t>> spans;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      held[k].resize(columns[k].size());
      const std::int64_t span = axes_[k].span;
      std::transform(columns[k].begin(), columns[k].end(), held[k].begin(),
                     [span](std::int64_t steps) { return Of(steps, span); });
      spans.emplace_back(held[k]);
    }
    sink(spans);
    return {};
  };
  return engine.Scan(StatementOf(), take, cancel);
}

}  // namespace kith::points
