#include "engine/report_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "loss/loss.h"
#include "mechanism/noise.h"
#include "policy/facts.h"
#include "sql/quote.h"

namespace kith {

namespace {

constexpr std::int64_t kMostLimit = std::int64_t{1} << 20;

/// A table of the units, with the columns that name them.
struct TableWithUnits {
  std::string name, key;
  std::optional<std::string> other_key = std::nullopt;  // a row about two people belongs to each
  std::int64_t max_rows = 1;
  std::int64_t of_others = 0;  // rows of others that one unit can change
};

/// A tenth of the budget of independent units.
PlainUnits PlainOfReports(const Policy& policy) {
  const auto tenth = PlainUnits::Floor(policy.epsilon_total / 10);
  return tenth && tenth->count() > 0 ? *tenth : PlainUnits::Of(1);
}

/// Of a count of rows. Infinite where there is no such noise.
double ErrorBarOf(std::int64_t max_rows, const TableWithUnits& table, PlainUnits plain) {
  const auto change = Sensitivities::OfL1(max_rows + table.of_others);
  const auto noise = change ? Noise::For(*change, plain) : Result<Noise>(change.error());
  return noise ? noise->ErrorBar(0.95) : std::numeric_limits<double>::infinity();
}

/// The view of the table must be there.
Result<UnitsReport> ReportUnits(const ReportWords& words, const TableWithUnits& table,
                                const std::optional<StepWords>& steps, PlainUnits plain) {
  const std::string name = QuotedName(table.name), key = QuotedName(table.key);
  std::string rows = fmt::format("SELECT *, {} AS \"kith.unit\" FROM {}", key, name);
  if (table.other_key) {
    const std::string other = QuotedName(*table.other_key);
    rows += fmt::format(" UNION ALL SELECT *, {0} AS \"kith.unit\" FROM {1} WHERE {0} IS DISTINCT FROM {2}", other,
                        name, key);
  }
  std::string over;
  const auto count = [&over](std::int64_t limit) {
    over += fmt::format(", count(*) FILTER (WHERE n > {0}), coalesce(sum(n - {0}) FILTER (WHERE n > {0}), 0)", limit);
  };
  count(table.max_rows);
  for (std::int64_t limit = 1; limit <= kMostLimit; limit *= 2) count(limit);
  const auto counted = words.run(fmt::format(
      "SELECT {}, coalesce(max(n), 0), coalesce(sum(n), 0){} FROM (SELECT \"kith.unit\" AS u, count(*) AS n FROM ({}) "
      "AS r WHERE \"kith.unit\" IS NOT NULL{} GROUP BY \"kith.unit\"{}) AS g",
      steps ? "count(DISTINCT u)" : "count(*)", over, rows, steps ? steps->condition : "",
      steps ? ", " + steps->number : ""));
  if (!counted) return counted.error();
  std::string missing = key + " IS NULL";
  if (table.other_key) missing += fmt::format(" OR {} IS NULL", QuotedName(*table.other_key));
  const auto without = words.run(fmt::format("SELECT count(*) FROM {} WHERE {}", name, missing));
  if (!without) return without.error();
  Counts next(*counted);
  UnitsReport report;
  report.table = table.name;
  report.key = table.key + (table.other_key ? " and " + *table.other_key : "");
  report.max_rows = table.max_rows;
  report.units = next.Next();
  report.largest = next.Next();
  report.rows = next.Next();
  report.units_over = next.Next();
  report.rows_beyond = next.Next();
  for (std::int64_t limit = 1; limit <= kMostLimit; limit *= 2) {
    RowLimit& one = report.limits.emplace_back(RowLimit{.max_rows = limit});
    one.units_over = next.Next();
    one.rows_beyond = next.Next();
    one.error_95 = ErrorBarOf(limit, table, plain);
    if (one.rows_beyond == 0) break;
  }
  report.without_key = Counts(*without).Next();
  return report;
}

/// By how many rows one unit is named, beside those that belong to it.
Result<UnitsReport::Others> ReportOthers(const ReportWords& words, const Table& table) {
  const std::string other = QuotedName(*table.other);
  const auto counted = words.run(fmt::format(
      "SELECT coalesce(max(n), 0), count(*) FILTER (WHERE n > {0}) FROM (SELECT count(*) AS n FROM {1} WHERE "
      "{2} IS NOT NULL AND {3} IS NOT NULL GROUP BY {3}) AS g",
      table.max_other, QuotedName(table.name), QuotedName(*table.key), other));
  if (!counted) return counted.error();
  Counts next(*counted);
  UnitsReport::Others report{.column = *table.other, .max_other = table.max_other};
  report.largest = next.Next();
  report.units_over = next.Next();
  return report;
}

/// In how many units columns that must not differ do so. `alone`: no unit has two rows, so none can.
Result<void> ReportDiffering(const ReportWords& words, const Policy& policy, bool alone, TableReport* table) {
  std::vector<std::string> same = SameWithinUnit(policy);
  for (const Column& column : policy.unit_table().columns) {
    if (column.constant) same.push_back(column.name);
  }
  if (same.empty()) return {};
  std::string differ, differing;
  for (std::size_t k = 0; k < same.size(); ++k) {
    differ += fmt::format("{}{} AS v{}", k == 0 ? "" : ", ", Varies(same[k], words.ends), k);
    differing += fmt::format("{}count(*) FILTER (WHERE v{})", k == 0 ? "" : ", ", k);
  }
  IntegerTable none{same.size(), {std::vector<std::optional<Int128>>(same.size(), Int128{0})}};
  const std::string key = QuotedName(*policy.unit.key);
  const auto counted =
      alone ? Result<IntegerTable>(std::move(none))
            : words.run(fmt::format("SELECT {} FROM (SELECT {} FROM {} WHERE {} IS NOT NULL GROUP BY {}) AS g",
                                    differing, differ, QuotedName(policy.unit.table), key, key));
  if (!counted) return counted.error();
  Counts next(*counted);
  for (const std::string& column : same) {
    const auto named = [&column](const ColumnReport& other) { return other.name == column; };
    const auto found = std::find_if(table->columns.begin(), table->columns.end(), named);
    const std::int64_t units = next.Next();
    if (found != table->columns.end()) found->units_that_differ = units;
  }
  return {};
}

Result<GroupsReport> ReportGroups(const ReportWords& words, const Policy& policy, const std::string& column,
                                  std::optional<std::int64_t> size, bool alone) {
  const std::string name = QuotedName(policy.unit.table), group = QuotedName(column);
  const std::string has_key = policy.unit.key ? QuotedName(*policy.unit.key) + " IS NOT NULL" : "true";
  const std::string distinct = alone ? "" : fmt::format("DISTINCT {}, ", QuotedName(*policy.unit.key));
  const std::string units =
      fmt::format("(SELECT {}{} AS \"kith.group\" FROM {} WHERE {}) AS u", distinct, group, name, has_key);
  const std::string over = size ? fmt::format("count(*) FILTER (WHERE m > {})", *size) : "0";
  const auto counted =
      words.run(fmt::format("SELECT count(*), coalesce(max(m), 0), {} FROM (SELECT count(*) "
                            "AS m FROM {} WHERE \"kith.group\" IS NOT NULL "
                            "GROUP BY \"kith.group\") AS g",
                            over, units));
  if (!counted) return counted.error();
  const auto without = words.run(fmt::format("SELECT count(*) FROM {} WHERE {} AND {} IS NULL", name, has_key, group));
  if (!without) return without.error();
  Counts next(*counted);
  GroupsReport report;
  report.column = column;
  report.size = size;
  report.groups = next.Next();
  report.largest = next.Next();
  report.over = next.Next();
  report.without_group = Counts(*without).Next();
  return report;
}

Result<void> ReportMoreUnits(const ReportWords& words, const Policy& policy, DataReport* report) {
  for (const Table& table : policy.tables) {
    if (!table.OfUnits()) continue;
    const TableWithUnits units{table.name, *table.key, std::nullopt, table.max_rows, 2 * table.max_other};
    auto reported = ReportUnits(words, units, std::nullopt, PlainOfReports(policy));
    if (!reported) return reported.error();
    if (table.other) {
      auto others = ReportOthers(words, table);
      if (!others) return others.error();
      reported->others = std::move(*others);
    }
    report->more_units.push_back(std::move(*reported));
  }
  return {};
}

}  // namespace

Result<void> ReportUnitsAndGroups(const ReportWords& words, const Policy& policy, DataReport* report) {
  const auto of_units = [&policy](const TableReport& table) { return table.name == policy.unit.table; };
  const auto table = std::find_if(report->tables.begin(), report->tables.end(), of_units);
  if (table == report->tables.end()) return InternalError("the unit's table has no report");
  bool alone = true;  // each row is all of its unit
  const PlainUnits plain = PlainOfReports(policy);
  report->plain = plain.epsilon();
  report->promised = PromisesNotCounted(policy);
  if (policy.unit.key) {
    const TableWithUnits of_policy{policy.unit.table, *policy.unit.key, policy.unit.other_key, policy.unit.max_rows};
    auto units = ReportUnits(words, of_policy, words.steps, plain);
    if (!units) return units.error();
    report->units = std::move(*units);
    alone = report->units->largest <= 1 && !policy.stream && !policy.unit.other_key;
    if (auto done = ReportDiffering(words, policy, alone, &*table); !done) return done.error();
  }
  if (policy.unit.within && policy.unit.within != policy.dependence.by) {
    auto households = ReportGroups(words, policy, *policy.unit.within, policy.unit.size, alone);
    if (!households) return households.error();
    report->groups.push_back(std::move(*households));
  }
  if (policy.dependence.by) {
    auto groups = ReportGroups(words, policy, *policy.dependence.by, DeclaredGroupSize(policy.dependence.model), alone);
    if (!groups) return groups.error();
    if (const std::string strata = StrataOfGroups(policy, words.ends); !strata.empty()) {
      const auto counted = words.run(strata);
      if (!counted) return counted.error();
      Counts next(*counted);
      GroupsReport::Strata found{*policy.dependence.strength_column};
      found.over = next.Next();
      found.mixed = next.Next();
      groups->strata = std::move(found);
    }
    report->groups.push_back(std::move(*groups));
  }
  return ReportMoreUnits(words, policy, report);
}

}  // namespace kith
