#include "analysis/identity/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/error_bar.h"
#include "analysis/number_column.h"
#include "query/bind/typing.h"

namespace kith {
namespace {

std::optional<Error> UnitsAreNotListed(const Policy& policy) {
  if (policy.unit.presence != Presence::kPublic) {
    return Unsupported("a list of all units would show who is in the table, and presence is secret", {},
                       "ask for counts, sums or clusters");
  }
  const Column* key = policy.unit.key ? policy.unit_table().Find(*policy.unit.key) : nullptr;
  if (!key || key->type != ColumnType::kInteger) {
    return Unsupported("units need a key that is declared as a whole number", {},
                       "declare the key in [columns] as { type = \"integer\", public = true }");
  }
  if (policy.unit.max_rows != 1) {
    return Unsupported("a unit has several rows, and so no single value", {}, "one row for each unit: max_rows = 1");
  }
  return std::nullopt;
}

std::optional<Error> WrongOptions(const IdentityOptions& options) {
  if (options.columns.empty() || options.columns.size() > IdentityOptions::kMaxColumns) {
    return InvalidArgument(fmt::format("the identity takes 1 to {} columns", IdentityOptions::kMaxColumns), {},
                           "name them")
        .For("identity.columns");
  }
  if (std::set<std::string>(options.columns.begin(), options.columns.end()).size() != options.columns.size())
    return InvalidArgument("a column is named twice", {}, "name each once");
  constexpr std::int64_t kFarthest = std::int64_t{1} << 53;
  const bool near = options.first >= -kFarthest && options.last <= kFarthest;
  if (!near || options.last < options.first || options.last - options.first >= IdentityOptions::kMaxUnits) {
    return InvalidArgument(fmt::format("the units must be from 1 to {} in number", IdentityOptions::kMaxUnits), {},
                           "name the first and the last key, such as 1 and 1000")
        .For("identity.units");
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Identity>> Identity::Make(const IdentityOptions& options, const Policy& policy) {
  if (const auto error = UnitsAreNotListed(policy)) return *error;
  if (const auto error = WrongOptions(options)) return *error;
  std::vector<Coordinate> coordinates;
  for (const std::string& name : options.columns) {
    const auto column = NumberColumnOf(name, policy);
    if (!column) return column.error();
    auto rows = PlanRows({column->value}, {}, policy);
    if (!rows) return rows.error();
    if (std::none_of(rows->charged.begin(), rows->charged.end(), [](bool cell) { return cell; }))
      return Unsupported(fmt::format("{} is public: no noise is needed", Shortened(name)), {}, "leave it out");
    coordinates.push_back({name, column->middle, std::move(*rows)});
  }
  return std::unique_ptr<Identity>(new Identity(options, *policy.unit.key, std::move(coordinates)));
}

Identity::Identity(const IdentityOptions& options, std::string key, std::vector<Coordinate> coordinates)
    : options_(options), key_(std::move(key)), coordinates_(std::move(coordinates)) {
  charged_.assign(coordinates_[0].rows.charged.size(), false);
  for (const Coordinate& coordinate : coordinates_) {
    for (std::size_t cell = 0; cell < charged_.size(); ++cell)
      charged_[cell] = charged_[cell] || coordinate.rows.charged[cell];
    weights_.push_back({1.0});
  }
}

std::string Identity::Normalised() const {
  std::string text = fmt::format("identity of units {} to {}", options_.first, options_.last);
  for (const Coordinate& coordinate : coordinates_) text += "; " + coordinate.rows.normalised;
  return text;
}

sql::Statement Identity::StatementOf(const Rows& rows) const {
  const sql::Term u = sql::Name("u"), v0 = sql::Name("v0"), first = sql::Number(options_.first);
  const auto whole = sql::Selected(
      {.items = {{sql::Cast(u, sql::Stored::kWhole), "u"}, {v0}}, .from = sql::Rows(rows.statement, "x")});
  return sql::Selected({.items = {{sql::Infix(" - ", {u, first}), "g"}, {v0}},
                        .from = sql::Rows(whole, "y"),
                        .where = sql::Between(u, first, sql::Number(options_.last))});
}

Result<Plan> Identity::Round(std::span<const NoisyRound> before) const {
  const Rows& rows = coordinates_[before.size()].rows;
  Plan plan;
  plan.normalised = fmt::format("column {} of {}", before.size() + 1, Normalised());
  GroupKey key{key_, {}, false};
  for (std::int64_t unit = options_.first; unit <= options_.last; ++unit) key.values.emplace_back(unit);
  plan.keys.push_back(std::move(key));
  // Nothing is 0 steps, the middle: it is between the ends.
  const Int128 width = std::max<Int128>(rows.values[0].high, 0) - std::min<Int128>(rows.values[0].low, 0);
  const auto change = Sensitivities::OfL1(static_cast<std::int64_t>(width));
  if (!change) return change.error();
  plan.statistics.push_back({coordinates_[before.size()].name, rows.values[0].lattice, *change,
                             "a unit's own value can be any in its bounds, or missing"});
  plan.charged = rows.charged;
  plan.notes = rows.notes;
  plan.statement = StatementOf(rows);
  return plan;
}

Result<Findings> Identity::Conclude(std::span<const NoisyRound> rounds) const {
  Findings findings;
  findings.columns = {key_};
  for (const Coordinate& coordinate : coordinates_) findings.columns.push_back(coordinate.name);
  for (std::int64_t unit = options_.first; unit <= options_.last; ++unit) {
    const auto group = static_cast<std::size_t>(unit - options_.first);
    std::vector<Value> row = {unit};
    std::vector<std::optional<double>> bars = {std::nullopt};
    for (std::size_t j = 0; j < rounds.size(); ++j) {
      row.emplace_back(coordinates_[j].middle + rounds[j].At(group, 0));
      bars.emplace_back(ErrorBar(rounds[j], 0, 0.95));
    }
    findings.rows.push_back(std::move(row));
    findings.errors_95.push_back(std::move(bars));
  }
  findings.notes = coordinates_[0].rows.notes;
  findings.notes.push_back(
      {NoteKind::kMethod, fmt::format("a unit without a row or a value is shown as if it had the middle of the bounds; "
                                      "noise can carry values beyond the bounds")});
  findings.claims = {"ROWS-1", "IDENTITY-1"};
  return findings;
}

}  // namespace kith
