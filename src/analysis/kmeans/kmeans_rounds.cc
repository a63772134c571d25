// What k-means asks, and what it makes of the last answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/error_bar.h"
#include "analysis/kmeans/kmeans.h"
#include "base/json.h"

namespace kith {
namespace {

using kmeans::Place;

sql::Term Real(double value) { return sql::Constant(value, Type::kReal); }
sql::Term Numbered(const char* prefix, std::size_t k) { return sql::Name(fmt::format("{}{}", prefix, k)); }
sql::Item NumberedItem(sql::Term term, const char* prefix, std::size_t k) {
  return {std::move(term), fmt::format("{}{}", prefix, k)};
}

// floor(x), cut to [0, high].
sql::Term WholeWithin(sql::Term x, Int128 high) {
  const sql::Term whole = sql::Cast(sql::Call("floor", {std::move(x)}), sql::Stored::kWhole);
  return sql::Least({sql::Greatest({whole, sql::Number(0)}), sql::Number(high)});
}

Result<Statistic> StatisticOf(std::string name, Lattice lattice, Int128 steps, std::string reason) {
  const auto change = Sensitivities::OfL1(static_cast<std::int64_t>(steps));
  if (!change) return change.error();
  return Statistic{std::move(name), lattice, *change, std::move(reason)};
}

}  // namespace

// To every row its values, the squared distance d_c to each centre without |x|^2, which is the same for all centres (a
// constant and a multiple of each value), and the least of them.
sql::Statement Kmeans::Distances(const std::vector<Place>& centres) const {
  std::vector<sql::Item> distances = {{sql::Star()}};
  sql::Terms all;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    double constant = 0;
    sql::Terms terms = {nullptr};
    for (std::size_t j = 0; j < axes_.size(); ++j) {
      constant += centres[c][j] * centres[c][j];
      terms.push_back(sql::Infix(" * ", {Real(-2 * centres[c][j] * axes_[j].unit), Numbered("v", j)}));
    }
    terms[0] = Real(constant);
    distances.push_back(NumberedItem(sql::Infix(" + ", std::move(terms)), "d", c));
    all.push_back(Numbered("d", c));
  }
  const auto measured = sql::Selected({.items = std::move(distances), .from = sql::Rows(rows_.statement, "x")});
  return sql::Selected({.items = {{sql::Star()}, {sql::Least(std::move(all)), "m"}}, .from = sql::Rows(measured, "y")});
}

// The nearest centre is the first that reaches the least distance.
sql::Statement Kmeans::StepOf(const std::vector<Place>& centres) const {
  sql::Terms nearest;
  for (std::size_t c = 0; c + 1 < centres.size(); ++c) {
    nearest.push_back(sql::Infix(" = ", {Numbered("d", c), sql::Name("m")}));
    nearest.push_back(sql::Number(static_cast<Int128>(c)));
  }
  nearest.push_back(sql::Number(static_cast<Int128>(centres.size()) - 1));
  const sql::Term c = sql::Name("c");
  std::vector<sql::Item> values = {{centres.size() == 1 ? sql::Number(0) : sql::Case(std::move(nearest)), "c"}};
  std::vector<sql::Item> sums = {{c}, {sql::CountRows()}};
  for (std::size_t j = 0; j < axes_.size(); ++j) {
    values.push_back({Numbered("v", j)});
    sums.push_back({sql::Sum(Numbered("v", j))});
  }
  const auto assigned = sql::Selected({.items = std::move(values), .from = sql::Rows(Distances(centres), "z")});
  return sql::Selected({.items = std::move(sums), .from = sql::Rows(assigned, "w"), .group_by = {c}});
}

sql::Statement Kmeans::InertiaOf(const std::vector<Place>& centres) const {
  sql::Terms squares = {sql::Name("m")};
  for (std::size_t j = 0; j < axes_.size(); ++j)
    squares.push_back(sql::Infix(" * ", {Real(axes_[j].unit * axes_[j].unit), Numbered("v", j), Numbered("v", j)}));
  const sql::Term scaled =
      sql::Infix(" * ", {sql::Paren(sql::Infix(" + ", std::move(squares))), Real(1 / squares_.step())});
  const sql::Term cut = WholeWithin(scaled, largest_square_);
  return sql::Selected({.items = {{sql::Call("coalesce", {sql::Sum(cut), sql::Number(0)}), "s"}},
                        .from = sql::Rows(Distances(centres), "z")});
}

// A cell is found in doubles, row by row: a function of the row, whatever rounding does.
sql::Statement Kmeans::GridOf() const {
  std::vector<sql::Item> cells, counts;
  sql::Terms keys;
  for (std::size_t j = 0; j < axes_.size(); ++j) {
    const RowValue& value = rows_.values[j];
    const double width = static_cast<double>(value.high - value.low) + 1;
    const sql::Term above = sql::Paren(sql::Infix(" + ", {Numbered("v", j), Real(-static_cast<double>(value.low))}));
    const sql::Term scaled = sql::Infix(" * ", {above, Real(static_cast<double>(side_) / width)});
    cells.push_back(NumberedItem(WholeWithin(scaled, static_cast<Int128>(side_) - 1), "b", j));
    keys.push_back(Numbered("b", j));
    counts.push_back({keys.back()});
  }
  counts.push_back({sql::CountRows()});
  const auto placed = sql::Selected({.items = std::move(cells), .from = sql::Rows(rows_.statement, "x")});
  return sql::Selected({.items = std::move(counts), .from = sql::Rows(placed, "y"), .group_by = std::move(keys)});
}

Result<Plan> Kmeans::GridRound() const {
  Plan plan;
  plan.normalised = "grid of " + Normalised();
  for (const Axis& axis : axes_) {
    GroupKey key{axis.name, {}, true};
    for (std::size_t cell = 0; cell < side_; ++cell) key.values.emplace_back(static_cast<std::int64_t>(cell));
    plan.keys.push_back(std::move(key));
  }
  auto count = StatisticOf("rows of a cell", {}, 2 * rows_.max_rows, "a row leaves one cell and enters another");
  if (!count) return count.error();
  plan.statistics.push_back(std::move(*count));
  plan.charged = rows_.charged;
  plan.notes = rows_.notes;
  plan.statement = GridOf();
  return plan;
}

Result<Plan> Kmeans::Round(std::span<const NoisyRound> before) const {
  if (before.size() < first_step()) return GridRound();
  if (before.size() == first_step() + steps_) return InertiaRound(before);
  const auto centres = CentresBefore(before);
  const std::string reason = "a row leaves one cluster and enters another";
  Plan plan;
  plan.normalised = fmt::format("step {} of {}", before.size() + 1 - first_step(), Normalised());
  GroupKey key{"cluster", {}, true};
  for (std::size_t c = 0; c < centres.size(); ++c) key.values.emplace_back(static_cast<std::int64_t>(c));
  plan.keys.push_back(std::move(key));
  const Int128 rows = 2 * rows_.max_rows;
  auto count = StatisticOf("rows of a cluster", {}, rows, reason);
  if (!count) return count.error();
  plan.statistics.push_back(std::move(*count));
  for (const RowValue& value : rows_.values) {
    auto sum = StatisticOf(fmt::format("sum({})", value.name), value.lattice, rows * value.Largest(), reason);
    if (!sum) return sum.error();
    plan.statistics.push_back(std::move(*sum));
  }
  plan.charged = rows_.charged;
  plan.notes = rows_.notes;
  plan.statement = StepOf(centres);
  return plan;
}

Result<Plan> Kmeans::InertiaRound(std::span<const NoisyRound> before) const {
  const auto centres = CentresBefore(before);
  Plan plan;
  plan.normalised = "inertia of " + Normalised();
  auto inertia =
      StatisticOf("inertia", squares_, rows_.max_rows * largest_square_, "a row can be near or far, or absent");
  if (!inertia) return inertia.error();
  plan.statistics.push_back(std::move(*inertia));
  plan.charged = rows_.charged;
  plan.statement = InertiaOf(centres);
  return plan;
}

std::vector<Value> Kmeans::RowOf(const NoisyRound& last, const Place& centre, std::size_t cluster) const {
  std::vector<Value> row = {static_cast<std::int64_t>(cluster + 1), last.At(cluster, 0)};
  for (std::size_t j = 0; j < axes_.size(); ++j) row.emplace_back(axes_[j].middle + centre[j] * axes_[j].width);
  return row;
}

// The mean's bar holds if the sum and the size are both within theirs, at 97.5 % each; it never exceeds the box.
std::vector<std::optional<double>> Kmeans::BarsOf(const NoisyRound& last, const Place& centre,
                                                  std::size_t cluster) const {
  constexpr double kEach = 0.975;
  const double size = last.At(cluster, 0), size_bar = ErrorBar(last, 0, kEach);
  std::vector<std::optional<double>> bars = {std::nullopt, ErrorBar(last, 0, 0.95)};
  for (std::size_t j = 0; j < axes_.size(); ++j) {
    const Axis& axis = axes_[j];
    double bar = std::max(axis.high - centre[j], centre[j] - axis.low);
    const double sum = last.At(cluster, j + 1) / axis.width, sum_bar = ErrorBar(last, j + 1, kEach) / axis.width;
    if (HasMean(last, cluster) && size > size_bar) {
      const double least = size - size_bar, most = size + size_bar;
      const double low = std::min((sum - sum_bar) / least, (sum - sum_bar) / most);
      const double high = std::max((sum + sum_bar) / least, (sum + sum_bar) / most);
      bar = std::min(bar, std::max(high - centre[j], centre[j] - low));
    }
    bars.emplace_back(bar * axis.width);
  }
  return bars;
}

JsonValue Kmeans::Details(std::span<const NoisyRound> rounds) const {
  Json details = {{"analysis", "kmeans"}, {"clusters", options_.clusters}, {"steps", steps_}};
  details["columns"] = options_.columns;
  const auto in_units = [&](const std::vector<Place>& centres) {
    Json list = Json::array();
    for (const Place& centre : centres) {
      Json point = Json::array();
      for (std::size_t j = 0; j < axes_.size(); ++j) point.push_back(axes_[j].middle + centre[j] * axes_[j].width);
      list.push_back(std::move(point));
    }
    return list;
  };
  for (std::size_t r = first_step(); r < rounds.size(); ++r)
    details["path"].push_back(in_units(CentresBefore(rounds.first(r))));
  details["inertia"] = rounds.back().At(0, 0);
  details["inertia_error_95"] = ErrorBar(rounds.back(), 0, 0.95);
  for (const Axis& axis : axes_) {
    details["lower"].push_back(axis.middle + axis.low * axis.width);
    details["upper"].push_back(axis.middle + axis.high * axis.width);
  }
  return JsonValue(std::move(details));
}

Result<Findings> Kmeans::Conclude(std::span<const NoisyRound> rounds) const {
  const NoisyRound& last = rounds[first_step() + steps_ - 1];
  const auto centres = CentresBefore(rounds);
  Findings findings;
  findings.columns = {"cluster", "size"};
  for (const Axis& axis : axes_) findings.columns.push_back(axis.name);
  std::size_t without = 0;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    findings.rows.push_back(RowOf(last, centres[c], c));
    findings.errors_95.push_back(BarsOf(last, centres[c], c));
    without += HasSize(last, c) ? 0 : 1;
  }
  findings.notes = rows_.notes;
  findings.notes.push_back(
      {NoteKind::kFinding,
       fmt::format("inertia {:.4g} ± {:.2g}: sum of squared distances from the centres, every column scaled to length "
                   "1, a row at most "
                   "{:.2g}",
                   rounds.back().At(0, 0), ErrorBar(rounds.back(), 0, 0.95),
                   static_cast<double>(largest_square_) * squares_.step())});
  findings.notes.push_back(
      {NoteKind::kAccuracy,
       "sizes and means are those of the clusters of the last round; bars say how far noise moved them, not how far "
       "other starts would have led"});
  if (without > 0) {
    findings.notes.push_back({NoteKind::kAccuracy, fmt::format("{} of {} clusters are too small to distinguish from "
                                                               "noise: their centres mean nothing; try fewer clusters",
                                                               without, centres.size())});
  }
  findings.claims = {"ROWS-1", "KMEANS-1"};
  findings.details = Details(rounds);
  return findings;
}

}  // namespace kith
