// What k-means asks, and what it makes of the last answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/error_bar.h"
#include "analysis/kmeans/kmeans.h"

namespace kith {
namespace {

using kmeans::Place;

// Every digit, and never a decimal type.
std::string Real(double value) { return fmt::format("CAST({:.16e} AS DOUBLE PRECISION)", value); }

Result<Statistic> StatisticOf(std::string name, Lattice lattice, Int128 steps, std::string reason) {
  const auto change = Change::OfL1(static_cast<std::int64_t>(steps));
  if (!change) return change.error();
  return Statistic{std::move(name), lattice, *change, std::move(reason)};
}

}  // namespace

// To every row its values, the squared distance d_c to each centre without |x|^2, which is the same for all centres (a
// constant and a multiple of each value), and the least of them.
std::string Kmeans::Distances(const std::vector<Place>& centres, Dialect dialect) const {
  std::string distances, least;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    double constant = 0;
    std::string terms;
    for (std::size_t j = 0; j < axes_.size(); ++j) {
      constant += centres[c][j] * centres[c][j];
      terms += fmt::format(" + {} * v{}", Real(-2 * centres[c][j] * axes_[j].unit), j);
    }
    distances += fmt::format(", {}{} AS d{}", Real(constant), terms, c);
    least += fmt::format("{}d{}", c == 0 ? "" : ", ", c);
  }
  return fmt::format("SELECT *, least({}) AS m FROM (SELECT *{} FROM ({}) AS x) AS y", least, distances,
                     rows_.Sql(dialect));
}

// The nearest centre is the first that reaches the least distance.
std::string Kmeans::StepSql(const std::vector<Place>& centres, Dialect dialect) const {
  std::string nearest = "CASE", values, sums;
  for (std::size_t j = 0; j < axes_.size(); ++j) {
    values += fmt::format(", v{}", j);
    sums += fmt::format(", sum(v{})", j);
  }
  for (std::size_t c = 0; c + 1 < centres.size(); ++c) nearest += fmt::format(" WHEN d{} = m THEN {}", c, c);
  return fmt::format("SELECT c, count(*){} FROM (SELECT {} ELSE {} END AS c{} FROM ({}) AS z) AS w GROUP BY c", sums,
                     nearest, centres.size() - 1, values, Distances(centres, dialect));
}

std::string Kmeans::InertiaSql(const std::vector<Place>& centres, Dialect dialect) const {
  std::string square = "m";
  for (std::size_t j = 0; j < axes_.size(); ++j)
    square += fmt::format(" + {} * v{} * v{}", Real(axes_[j].unit * axes_[j].unit), j, j);
  return fmt::format(
      "SELECT coalesce(sum(least(greatest(CAST(floor(({}) * {}) AS BIGINT), 0), {})), 0) AS s FROM ({}) AS z", square,
      Real(1 / squares_.step()), ToText(largest_square_), Distances(centres, dialect));
}

// A cell is found in doubles, row by row: a function of the row, whatever rounding does.
std::string Kmeans::GridSql(Dialect dialect) const {
  std::string cells, keys;
  for (std::size_t j = 0; j < axes_.size(); ++j) {
    const RowValue& value = rows_.values[j];
    const double width = static_cast<double>(value.high - value.low) + 1;
    cells +=
        fmt::format("{}least(greatest(CAST(floor((v{} + {}) * {}) AS BIGINT), 0), {}) AS b{}", j == 0 ? "" : ", ", j,
                    Real(-static_cast<double>(value.low)), Real(static_cast<double>(side_) / width), side_ - 1, j);
    keys += fmt::format("{}b{}", j == 0 ? "" : ", ", j);
  }
  return fmt::format("SELECT {0}, count(*) FROM (SELECT {1} FROM ({2}) AS x) AS y GROUP BY {0}", keys, cells,
                     rows_.Sql(dialect));
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
  plan.duckdb_sql = GridSql(Dialect::kDuckDb);
  plan.postgresql_sql = GridSql(Dialect::kPostgreSql);
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
  plan.duckdb_sql = StepSql(centres, Dialect::kDuckDb);
  plan.postgresql_sql = StepSql(centres, Dialect::kPostgreSql);
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
  plan.duckdb_sql = InertiaSql(centres, Dialect::kDuckDb);
  plan.postgresql_sql = InertiaSql(centres, Dialect::kPostgreSql);
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
  nlohmann::json details = {{"analysis", "kmeans"}, {"clusters", options_.clusters}, {"steps", steps_}};
  details["columns"] = options_.columns;
  const auto in_units = [&](const std::vector<Place>& centres) {
    nlohmann::json list = nlohmann::json::array();
    for (const Place& centre : centres) {
      nlohmann::json point = nlohmann::json::array();
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
       "sizes and means are of the clusters of the last step; bars say how far noise moved them, not how far "
       "other starts would have led"});
  if (without > 0) {
    findings.notes.push_back(
        {NoteKind::kAccuracy,
         fmt::format(
             "{} of {} clusters are too small to tell from noise: their centres mean nothing; try fewer clusters",
             without, centres.size())});
  }
  findings.claims = {"ROWS-1", "KMEANS-1"};
  findings.details = Details(rounds);
  return findings;
}

}  // namespace kith
