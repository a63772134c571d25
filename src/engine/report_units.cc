#include "engine/report_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/quote.h"

namespace kith {

namespace {

/// The view of the unit's table must be there.
Result<UnitsReport> ReportUnits(const ReportWords& words, const Policy& policy) {
  const Unit& unit = policy.unit;
  const std::string name = QuotedName(unit.table), key = QuotedName(*unit.key);
  const auto& steps = words.steps;
  // A row about two people belongs to each.
  std::string rows = fmt::format("SELECT *, {} AS \"kith.unit\" FROM {}", key, name);
  if (unit.other_key) {
    const std::string other = QuotedName(*unit.other_key);
    rows += fmt::format(" UNION ALL SELECT *, {0} AS \"kith.unit\" FROM {1} WHERE {0} IS DISTINCT FROM {2}", other,
                        name, key);
  }
  const auto counted = words.run(fmt::format(
      "SELECT {0}, coalesce(max(n), 0), {0} FILTER (WHERE n > {1}), coalesce(sum(n - {1}) FILTER (WHERE n > "
      "{1}), 0) FROM (SELECT \"kith.unit\" AS u, count(*) AS n FROM ({2}) AS r WHERE \"kith.unit\" IS NOT "
      "NULL{3} GROUP BY \"kith.unit\"{4}) AS g",
      steps ? "count(DISTINCT u)" : "count(*)", unit.max_rows, rows, steps ? steps->condition : "",
      steps ? ", " + steps->number : ""));
  if (!counted) return counted.error();
  std::string missing = key + " IS NULL";
  if (unit.other_key) missing += fmt::format(" OR {} IS NULL", QuotedName(*unit.other_key));
  const auto without = words.run(fmt::format("SELECT count(*) FROM {} WHERE {}", name, missing));
  if (!without) return without.error();
  Counts next(*counted);
  UnitsReport report;
  report.key = *unit.key + (unit.other_key ? " and " + *unit.other_key : "");
  report.max_rows = unit.max_rows;
  report.units = next.Next();
  report.largest = next.Next();
  report.units_over = next.Next();
  report.rows_beyond = next.Next();
  report.without_key = Counts(*without).Next();
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

}  // namespace

Result<void> ReportUnitsAndGroups(const ReportWords& words, const Policy& policy, TableReport* table,
                                  DataReport* report) {
  bool alone = true;  // each row is all of its unit
  if (policy.unit.key) {
    auto units = ReportUnits(words, policy);
    if (!units) return units.error();
    report->units = std::move(*units);
    alone = report->units->largest <= 1 && !policy.stream && !policy.unit.other_key;
    if (auto done = ReportDiffering(words, policy, alone, table); !done) return done.error();
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
  return {};
}

}  // namespace kith
