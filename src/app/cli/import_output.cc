#include "app/cli/import_output.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Where there is nothing to look at. Not everything is looked at: what is not may have refused the import.
std::string AllWell(const ImportReport& report) {
  return report.version.empty() ? "Nothing that is counted here is other than declared; the import was refused for "
                                  "another reason."
                                : "Everything is as declared.";
}

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

std::string ImportText(const ImportReport& report, std::size_t width) {
  std::string text = Wrap(document::kForTheCurator, width, 0) + "\n";
  for (const TableReport& table : report.found.tables) {
    text += fmt::format("\n{} ({}): {}\n", table.name, table.source, RowsText(table));
    TextTable columns(Head());
    for (const ColumnReport& column : table.columns) columns.Add(RowOf(column, table.rows));
    text += columns.Render(width);
  }
  text += "\n" + Wrap(kLegend, width, 0) + "\n\n";
  if (report.found.units) text += Labelled("units", document::UnitsText(*report.found.units), width);
  for (const GroupsReport& groups : report.found.groups)
    text += Labelled("groups", document::GroupsText(groups), width);
  const auto findings = document::FindingsOf(report.found);
  if (findings.empty()) text += Wrap(AllWell(report), width, 0) + "\n";
  for (const Finding& finding : findings) text += Wrap((finding.grave ? "!! " : "* ") + finding.text, width, 3) + "\n";
  return text;
}

std::string ImportPage(const ImportReport& report, const std::string& command) {
  const auto findings = document::FindingsOf(report.found);
  const bool grave = !findings.empty() && findings.front().grave;
  report::Page page;
  page.title = "What the import found";
  page.question = "Are the data read as the policy declares them?";
  page.tone = grave || report.version.empty() ? report::Page::Tone::kBad
              : findings.empty()              ? report::Page::Tone::kGood
                                              : report::Page::Tone::kWarning;
  page.verdict = findings.empty()       ? AllWell(report)
                 : findings.size() == 1 ? "One thing to look at."
                                        : fmt::format("{} things to look at.", findings.size());
  if (!report.version.empty() || !findings.empty())
    page.verdict +=
        report.version.empty() ? " The import was refused." : fmt::format(" The data are version {}.", report.version);
  report::Section first;
  first.heading = "For the curator alone";
  first.paragraphs.emplace_back(document::kForTheCurator);
  for (const Finding& finding : findings) first.paragraphs.push_back(finding.text + ".");
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
  if (report.found.units || !report.found.groups.empty()) {
    report::Section section;
    section.heading = "Units and groups";
    if (report.found.units) section.paragraphs.push_back(document::UnitsText(*report.found.units) + ".");
    for (const GroupsReport& groups : report.found.groups)
      section.paragraphs.push_back(document::GroupsText(groups) + ".");
    page.sections.push_back(std::move(section));
  }
  page.reproduce = {command};
  return report::Html(page);
}

}  // namespace kith::cli
