#include "app/cli/import_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli {
namespace {

using document::CountText;
using document::Finding;
using document::ImportReport;
using document::ShareText;

const std::vector<std::string>& Head() {
  static const std::vector<std::string> head = {"column",   "type",    "empty",   "unreadable",
                                                "unlisted", "outside", "empty %", "NULL %"};
  return head;
}

constexpr char kLegend[] =
    "empty %: of all rows, those where the file has nothing; NULL %: those where questions find nothing";

std::string Percent(std::int64_t part, std::int64_t whole) {
  const std::string text = ShareText(part, whole);
  return text.ends_with(" %") ? text.substr(0, text.size() - 2) : text;
}

/// What cannot happen to a column stays empty.
std::vector<std::string> RowOf(const ColumnReport& column, std::int64_t rows) {
  return {column.name,
          document::TypeText(column),
          CountText(column.empty),
          column.type ? CountText(column.unreadable) : "",
          column.listed ? CountText(column.undeclared) : "",
          column.bounded ? CountText(column.below + column.above) : "",
          Percent(column.empty, rows),
          Percent(column.never_null ? 0 : column.Missing(), rows)};
}

const std::vector<std::string>& LimitsHead() {
  static const std::vector<std::string> head = {"max_rows", "units with more", "rows left out", "of all rows", "±95 %"};
  return head;
}

std::vector<std::string> RowOf(const RowLimit& limit, const UnitsReport& units) {
  return {CountText(limit.max_rows), CountText(limit.units_over), CountText(limit.rows_beyond),
          ShareText(limit.rows_beyond, units.rows),
          std::isfinite(limit.error_95) ? CountText(static_cast<std::int64_t>(limit.error_95)) : "-"};
}

std::string RowsText(const TableReport& table) {
  std::string text = fmt::format("{} {} read", CountText(table.rows), table.rows == 1 ? "row" : "rows");
  if (table.dropped)
    text += fmt::format(", {} {} dropped", CountText(*table.dropped), *table.dropped == 1 ? "line" : "lines");
  return text;
}

std::string Chart(const TableReport& table) {
  constexpr std::size_t kMost = 40;
  report::BarChart chart;
  chart.title = "Rows without a value, as the column is read";
  chart.value_label = "percent";
  for (const ColumnReport& column : table.columns) {
    if (chart.bars.size() == kMost || table.rows == 0) break;
    const double share = 100 * static_cast<double>(column.Missing()) / static_cast<double>(table.rows);
    chart.bars.push_back({column.name, share, {}, {}, ShareText(column.Missing(), table.rows)});
  }
  return chart.bars.empty() ? std::string() : report::Svg(chart);
}

}  // namespace

std::string LimitsText(const UnitsReport& units, double plain, std::size_t width) {
  const std::string proposal = document::ProposalText(units, plain);
  if (proposal.empty()) return {};
  TextTable table(LimitsHead());
  for (const RowLimit& limit : units.limits) table.Add(RowOf(limit, units));
  return "\n" + Wrap(proposal, width, 0) + "\n" + table.Render(width);
}

std::string ImportText(const ImportReport& report, std::size_t width) {
  std::string text = Wrap(document::kForTheCurator, width, 0) + "\n";
  for (const TableReport& table : report.found.tables) {
    text += fmt::format("\n{} ({}): {}\n", table.name, table.source, RowsText(table));
    TextTable columns(Head());
    for (const ColumnReport& column : table.columns) columns.Add(RowOf(column, table.rows));
    text += columns.Render(width);
  }
  text += "\n" + Wrap(kLegend, width, 0) + "\n\n";
  for (const UnitsReport& units : document::AllUnits(report.found))
    text += Labelled("units", document::UnitsText(units), width);
  for (const GroupsReport& groups : report.found.groups)
    text += Labelled("groups", document::GroupsText(groups), width);
  const auto findings = document::FindingsOf(report.found);
  if (findings.empty()) text += Wrap(document::NoFindingsText(report), width, 0) + "\n";
  for (const Finding& finding : findings) text += Wrap((finding.grave ? "!! " : "* ") + finding.text, width, 3) + "\n";
  if (const auto promised = document::PromisedText(report.found); !promised.empty())
    text += Wrap(promised, width, 0) + "\n";
  for (const UnitsReport& units : document::AllUnits(report.found))
    text += LimitsText(units, report.found.plain, width);
  return text;
}

std::string ImportPage(const ImportReport& report, const std::string& command) {
  const auto findings = document::FindingsOf(report.found);
  const bool grave = !findings.empty() && findings.front().grave;
  report::Page page;
  page.title = "What the import found";
  page.question = "Are the data read as the policy declares them?";
  page.tone = grave || report.refused() ? report::Page::Tone::kBad
              : findings.empty()        ? report::Page::Tone::kGood
                                        : report::Page::Tone::kWarning;
  page.verdict = findings.empty()       ? document::NoFindingsText(report)
                 : findings.size() == 1 ? "One thing to look at."
                                        : fmt::format("{} things to look at.", findings.size());
  if (!report.version.empty()) page.verdict += fmt::format(" The data are version {}.", report.version);
  if (report.refused() && !findings.empty()) page.verdict += " The import was refused.";
  report::Section first;
  first.heading = "For the curator alone";
  first.paragraphs.emplace_back(document::kForTheCurator);
  for (const Finding& finding : findings) first.paragraphs.push_back(finding.text + ".");
  if (auto promised = document::PromisedText(report.found); !promised.empty())
    first.paragraphs.push_back(std::move(promised));
  page.sections.push_back(std::move(first));
  for (const TableReport& table : report.found.tables) {
    report::Section section;
    section.heading = fmt::format("{} ({})", table.name, table.source);
    section.paragraphs.push_back(RowsText(table) + ".");
    report::Table columns;
    columns.caption = std::string("What was read of each column, in rows. ") + kLegend + ".";
    columns.head = Head();
    for (const ColumnReport& column : table.columns) columns.rows.push_back(RowOf(column, table.rows));
    section.tables.push_back(std::move(columns));
    if (auto chart = Chart(table); !chart.empty()) section.svgs.push_back(std::move(chart));
    page.sections.push_back(std::move(section));
  }
  const auto all_units = document::AllUnits(report.found);
  if (!all_units.empty() || !report.found.groups.empty()) {
    report::Section section;
    section.heading = "Units and groups";
    for (const UnitsReport& units : all_units) section.paragraphs.push_back(document::UnitsText(units) + ".");
    for (const GroupsReport& groups : report.found.groups)
      section.paragraphs.push_back(document::GroupsText(groups) + ".");
    for (const UnitsReport& units : all_units) {
      const std::string proposal = document::ProposalText(units, report.found.plain);
      if (proposal.empty()) continue;
      report::Table limits;
      limits.caption = proposal;
      limits.head = LimitsHead();
      for (const RowLimit& limit : units.limits) limits.rows.push_back(RowOf(limit, units));
      section.tables.push_back(std::move(limits));
    }
    page.sections.push_back(std::move(section));
  }
  page.reproduce = {command};
  return report::Html(page);
}

}  // namespace kith::cli
