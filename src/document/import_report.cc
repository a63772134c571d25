#include "document/import_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "document/to_json.h"
#include "loss/loss_text.h"
#include "policy/sections/section.h"
#include "policy/type_names.h"

namespace kith::document {
namespace {

std::string Many(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", CountText(count), count == 1 ? one : many);
}

std::string TimesText(std::int64_t rows) {
  return rows == 1 ? "once" : rows == 2 ? "twice" : CountText(rows) + " times";
}

/// ": 'Male' 120 times (nearest: 'male'), 'x' once, and 3 other spellings"; empty if none may be quoted.
std::string SpellingsText(const Spellings& spellings) {
  std::string text;
  for (const Spelling& spelling : spellings.shown) {
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", Quote(spelling.text), TimesText(spelling.rows));
    if (!spelling.nearest.empty()) text += fmt::format(" (nearest: {})", Quote(spelling.nearest));
  }
  const auto rest = spellings.distinct - static_cast<std::int64_t>(spellings.shown.size());
  if (!text.empty() && rest > 0) text += fmt::format(", and {}", Many(rest, "other spelling", "other spellings"));
  return text;
}

std::string ReadAsText(const ColumnReport& column) {
  if (!column.never_null) return "read as missing";
  return column.listed ? "read as the first declared value" : "read as the lower bound";
}

void AddColumn(const TableReport& table, const ColumnReport& column, std::vector<Finding>* findings) {
  const std::string name = table.name + "." + column.name;
  const auto add = [&](const std::string& text) { findings->push_back({false, name + ": " + text}); };
  if (table.rows > 0 && column.Missing() == table.rows) {
    findings->push_back(
        {true, column.empty == table.rows
                   ? fmt::format("{}: EVERY value is missing: the file has none", name)
                   : fmt::format("{}: EVERY value is {}: nothing of this column is used", name, ReadAsText(column))});
  }
  if (column.never_null && column.empty > 0)
    add(fmt::format("{} no value, though the column is required; {}", Many(column.empty, "row has", "rows have"),
                    ReadAsText(column)));
  if (column.unreadable > 0) {
    // A key or a group without a declared type is text.
    add(fmt::format("{} cannot be read as {} and {} {}{}", Many(column.unreadable, "value", "values"),
                    column.type ? TypeText(column) : "text", column.unreadable == 1 ? "is" : "are", ReadAsText(column),
                    SpellingsText(column.unreadable_as)));
  }
  if (column.undeclared > 0) {
    add(fmt::format("{} not in the declared list and {}{}", Many(column.undeclared, "value is", "values are"),
                    ReadAsText(column), SpellingsText(column.undeclared_as)));
  }
  if (column.below + column.above > 0) {
    add(fmt::format("{} outside the bounds and read as the nearest bound ({} below, {} above)",
                    Many(column.below + column.above, "value is", "values are"), CountText(column.below),
                    CountText(column.above)));
  }
  if (column.units_that_differ.value_or(0) > 0)
    add(fmt::format("differs between the rows of {}", Many(*column.units_that_differ, "unit", "units")));
}

void AddUnits(const UnitsReport& units, std::vector<Finding>* findings) {
  const auto add = [&](bool grave, const std::string& text) {
    findings->push_back({grave, units.table + ": " + text});
  };
  if (units.without_key > 0)
    add(false, fmt::format("{} no key ({}) and {} not count", Many(units.without_key, "row has", "rows have"),
                           units.key, units.without_key == 1 ? "does" : "do"));
  if (units.units_over > 0) {
    add(false, fmt::format("{} ({}) {} more than {} (max_rows): {} ({}) {} not count; the largest has {}",
                           Many(units.units_over, "unit", "units"), ShareText(units.units_over, units.units),
                           units.units_over == 1 ? "has" : "have", Many(units.max_rows, "row", "rows"),
                           Many(units.rows_beyond, "row", "rows"), ShareText(units.rows_beyond, units.rows),
                           units.rows_beyond == 1 ? "does" : "do", CountText(units.largest)));
  }
  if (units.others && units.others->units_over > 0) {
    const bool one = units.others->units_over == 1;
    add(true, fmt::format(
                  "the policy promises that no unit is named in {} by more than {} of {} (max_other), but {}{} by {}. "
                  "{} than any answer states, and questions are still answered",
                  units.others->column, Many(units.others->max_other, "row", "rows"), units.table,
                  Many(units.others->units_over, "is,", "are;"), one ? "" : " one of them",
                  CountText(units.others->largest), one ? "It loses more" : "They lose more"));
  }
}

void AddGroups(const GroupsReport& groups, std::vector<Finding>* findings) {
  if (groups.without_group > 0)
    findings->push_back({true, fmt::format("{} no group ({}): questions are refused",
                                           Many(groups.without_group, "row has", "rows have"), groups.column)});
  if (groups.over > 0) {
    findings->push_back(
        {true, fmt::format("{} by {} more than {}, the declared size; the largest has {}: questions "
                           "are refused",
                           Many(groups.over, "group", "groups"), groups.column + (groups.over == 1 ? " has" : " have"),
                           Many(*groups.size, "member", "members"), CountText(groups.largest))});
  }
  if (!groups.strata) return;
  const auto grave = [&](std::int64_t count, const std::string& what) {
    findings->push_back({true, fmt::format("{} by {} {} {}: questions are refused", Many(count, "group", "groups"),
                                           groups.column, count == 1 ? "has" : "have", what)});
  };
  if (groups.strata->over > 0)
    grave(groups.strata->over, fmt::format("more members than {} declares for {}", groups.strata->column,
                                           groups.strata->over == 1 ? "it" : "them"));
  if (groups.strata->mixed > 0)
    grave(groups.strata->mixed, fmt::format("members that differ in {}", groups.strata->column));
}

Json SpellingsJson(const Spellings& spellings) {
  Json shown = Json::array();
  for (const Spelling& spelling : spellings.shown)
    shown.push_back({{"text", spelling.text},
                     {"rows", spelling.rows},
                     {"nearest", spelling.nearest.empty() ? Json() : Json(spelling.nearest)}});
  return {{"distinct", spellings.distinct}, {"most_frequent", std::move(shown)}};
}

Json CountJson(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(); }

double Share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Json ColumnJson(const ColumnReport& column, std::int64_t rows) {
  return {{"name", column.name},
          {"type", column.type ? Json(TypeText(column)) : Json()},
          {"listed", column.listed},
          {"bounded", column.bounded},
          {"never_null", column.never_null},
          {"empty", column.empty},
          {"unreadable", column.unreadable},
          {"unreadable_spellings", SpellingsJson(column.unreadable_as)},
          {"undeclared", column.undeclared},
          {"undeclared_spellings", SpellingsJson(column.undeclared_as)},
          {"below", column.below},
          {"above", column.above},
          {"null_share_stored", Share(column.empty, rows)},
          {"null_share_read", column.never_null ? 0 : Share(column.Missing(), rows)},
          {"units_that_differ", CountJson(column.units_that_differ)}};
}

// A bar that cannot be had is null.
Json BarJson(double error_95) { return std::isfinite(error_95) ? Json(error_95) : Json(); }

Json UnitsJson(const UnitsReport& units) {
  Json out = {{"table", units.table},
              {"key", units.key},
              {"max_rows", units.max_rows},
              {"rows_without_key", units.without_key},
              {"rows", units.rows},
              {"units", units.units},
              {"most_rows", units.largest},
              {"units_over", units.units_over},
              {"rows_beyond", units.rows_beyond},
              {"limits", Json::array()},
              {"proposed_max_rows", CountJson(units.Proposed())},
              {"others", Json()}};
  for (const RowLimit& limit : units.limits)
    out["limits"].push_back({{"max_rows", limit.max_rows},
                             {"units_over", limit.units_over},
                             {"rows_beyond", limit.rows_beyond},
                             {"error_95", BarJson(limit.error_95)}});
  if (const auto& others = units.others)
    out["others"] = {{"column", others->column},
                     {"max_other", others->max_other},
                     {"most_rows", others->largest},
                     {"units_over", others->units_over}};
  return out;
}

}  // namespace

std::string CountText(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text.push_back(',');
    text.push_back(digits[k]);
  }
  return text;
}

std::string ShareText(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  if (part == 0 || part == whole) return part == 0 ? "0 %" : "100 %";
  return fmt::format("{:.1f} %", std::clamp(100 * Share(part, whole), 0.1, 99.9));
}

std::string TypeText(const ColumnReport& column) { return column.type ? TypeName(*column.type) : "-"; }

std::vector<UnitsReport> AllUnits(const DataReport& report) {
  std::vector<UnitsReport> all;
  if (report.units) all.push_back(*report.units);
  all.insert(all.end(), report.more_units.begin(), report.more_units.end());
  return all;
}

std::string NoFindingsText(const ImportReport& report) {
  if (report.refused()) return "Everything counted here is as declared; the import was refused for another reason.";
  return report.found.promised.empty() ? "Everything is as declared." : "All that is counted here is as declared.";
}

std::string PromisedText(const DataReport& report) {
  if (report.promised.empty()) return {};
  return fmt::format("Only promised, and not counted: {}.", fmt::join(report.promised, "; "));
}

std::string ProposalText(const UnitsReport& units, double plain) {
  const auto proposed = units.Proposed();
  if (!proposed) return {};
  return fmt::format(
      "{}: rows that do not count and the error bar of a count of rows, at a plain loss of {}, are least together at "
      "max_rows = {}. {}",
      units.table, LossText(plain), *proposed, kNotCovered);
}

std::string UnitsText(const UnitsReport& units) {
  std::string text = fmt::format("{}: {} by {}; at most {} of each {}; the largest has {}", units.table,
                                 Many(units.units, "unit", "units"), units.key, Many(units.max_rows, "row", "rows"),
                                 units.max_rows == 1 ? "counts" : "count", Many(units.largest, "row", "rows"));
  if (const auto& others = units.others; others && others->units_over == 0)
    text += fmt::format("; no unit is named in {} by more than {} of {} (promised: {})", others->column,
                        Many(others->largest, "row", "rows"), units.table, CountText(others->max_other));
  return text;
}

std::string GroupsText(const GroupsReport& groups) {
  const std::string declared = groups.size ? fmt::format("; declared are at most {}", CountText(*groups.size)) : "";
  return fmt::format("{} by {}; the largest has {}{}", Many(groups.groups, "group", "groups"), groups.column,
                     Many(groups.largest, "member", "members"), declared);
}

std::vector<Finding> FindingsOf(const DataReport& report) {
  std::vector<Finding> findings;
  for (const TableReport& table : report.tables) {
    if (table.rows == 0) findings.push_back({true, fmt::format("{} has NO rows", table.source)});
    if (table.dropped.value_or(0) > 0)
      findings.push_back({false, fmt::format("{}: {} dropped ({}): misplaced quotes, or a wrong number of fields",
                                             table.source, Many(*table.dropped, "line was", "lines were"),
                                             LineNumbers(*table.dropped, table.dropped_at))});
    for (const ColumnReport& column : table.columns) AddColumn(table, column, &findings);
  }
  for (const UnitsReport& units : AllUnits(report)) AddUnits(units, &findings);
  for (const GroupsReport& groups : report.groups) AddGroups(groups, &findings);
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.grave; });
  return findings;
}

Json ToJson(const ImportReport& report) {
  Json out = {{"audience", "curator"},
              {"only_look", report.only_look},
              {"version", report.version.empty() ? Json() : Json(report.version)},
              {"tables", Json::array()},
              {"units", Json()},
              {"more_units", Json::array()},
              {"plain", report.found.plain},
              {"promised", report.found.promised},
              {"groups", Json::array()},
              {"findings", Json::array()}};
  for (const TableReport& table : report.found.tables) {
    Json columns = Json::array();
    for (const ColumnReport& column : table.columns) columns.push_back(ColumnJson(column, table.rows));
    out["tables"].push_back({{"name", table.name},
                             {"source", table.source},
                             {"rows", table.rows},
                             {"dropped_lines", CountJson(table.dropped)},
                             {"first_dropped", table.dropped_at},
                             {"columns", std::move(columns)}});
  }
  if (report.found.units) out["units"] = UnitsJson(*report.found.units);
  for (const UnitsReport& units : report.found.more_units) out["more_units"].push_back(UnitsJson(units));
  for (const GroupsReport& groups : report.found.groups) {
    out["groups"].push_back({{"column", groups.column},
                             {"declared_size", CountJson(groups.size)},
                             {"rows_without_group", groups.without_group},
                             {"groups", groups.groups},
                             {"largest", groups.largest},
                             {"over", groups.over}});
    if (const auto& strata = groups.strata)
      out["groups"].back()["strata"] = {{"column", strata->column}, {"over", strata->over}, {"mixed", strata->mixed}};
  }
  for (const Finding& finding : FindingsOf(report.found))
    out["findings"].push_back({{"serious", finding.grave}, {"text", finding.text}});
  return out;
}

}  // namespace kith::document
