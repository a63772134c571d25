// The leakage of declared applications as a page: who is served with what, curves over epsilon, tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/text.h"
#include "cli/leak_output.h"
#include "loss/loss_text.h"
#include "report/chart.h"
#include "report/diagram.h"

namespace kith::cli::lab {
namespace {

using namespace leak;

std::string DiagramOf(const LeakageReport& report) {
  report::Diagram diagram;
  diagram.title = "Applications, what they are served with, and how these depend on each other";
  diagram.left_title = "attributes";
  diagram.right_title = "applications";
  diagram.left = report.model.names;
  std::vector<std::pair<std::size_t, std::size_t>> drawn;
  for (std::size_t k = 0; k < report.model.applications.size(); ++k) {
    const Application& application = report.model.applications[k];
    diagram.right.push_back(application.name);
    for (std::size_t a = 0; a < application.epsilons.size(); ++a) {
      if (application.epsilons[a] > 0)
        diagram.across.push_back({a, k, "ε = " + LossText(application.epsilons[a]), false});
    }
  }
  for (const PairLine& line : report.pairs) {
    const auto ends = std::minmax(line.served, line.about);
    const std::pair<std::size_t, std::size_t> pair(ends.first, ends.second);
    if (line.served == line.about || std::abs(line.pair.d1 - line.pair.d2) < 1e-12) continue;
    if (std::find(drawn.begin(), drawn.end(), pair) != drawn.end()) continue;
    drawn.push_back(pair);
    diagram.within.push_back({line.served, line.about, "odds x " + Told(line.stayed_away), false});
  }
  diagram.joined = "may collude";
  return report::Svg(diagram);
}

constexpr int kPoints = 48;

double Reach(const LeakageReport& report) {
  double most = 3;
  for (const PairLine& line : report.pairs) {
    if (std::isfinite(line.epsilon)) most = std::max(most, 1.5 * line.epsilon);
  }
  return most;
}

/// f1 of each pair of two attributes, and the limit d1/d2 that it approaches.
std::string FactorCurves(const LeakageReport& report) {
  report::LineChart chart;
  chart.title = "What a suppressed record does to the odds of another attribute";
  chart.x_label = "epsilon";
  chart.y_label = "odds are multiplied by (f1)";
  for (const PairLine& line : report.pairs) {
    if (line.served == line.about || chart.series.size() >= 6) continue;
    report::Series series;
    series.name = fmt::format("{} about {} (limit {})", report.model.names[line.served], report.model.names[line.about],
                              Told(line.limit));
    if (std::any_of(chart.series.begin(), chart.series.end(), [&](const auto& one) { return one.name == series.name; }))
      continue;
    for (int k = 0; k <= kPoints; ++k) {
      const double epsilon = Reach(report) * k / kPoints;
      series.x.push_back(epsilon);
      series.y.push_back(one_sided::SuppressedFactor(line.pair, epsilon));
    }
    chart.series.push_back(std::move(series));
  }
  return chart.series.empty() ? std::string() : report::Svg(chart);
}

/// I_i of each served attribute.
std::string InformationCurves(const LeakageReport& report) {
  report::LineChart chart;
  chart.title = "What one served attribute says about itself and all others";
  chart.x_label = "epsilon";
  chart.y_label = "I_i, nats";
  std::vector<std::size_t> drawn;
  for (const ServedLine& line : report.served) {
    if (std::find(drawn.begin(), drawn.end(), line.served) != drawn.end() || drawn.size() >= 6) continue;
    drawn.push_back(line.served);
    report::Series series;
    series.name = report.model.names[line.served];
    for (int k = 0; k <= kPoints; ++k) {
      const double epsilon = Reach(report) * k / kPoints;
      double sum = 0;
      for (std::size_t j = 0; j < report.model.names.size(); ++j) {
        const double theta = report.model.law.Sensitive(j);
        if (theta > 0 && theta < 1)
          sum += one_sided::Information(report.model.law, line.served, j, -std::expm1(-epsilon));
      }
      series.x.push_back(epsilon);
      series.y.push_back(sum);
    }
    chart.series.push_back(std::move(series));
  }
  return report::Svg(chart);
}

std::string ValueBars(const LeakageReport& report) {
  report::LineChart chart;
  const auto& variable = report.model.values->variables[report.values.front().variable];
  chart.title = "The law of " + variable.name + " before and after";
  chart.x_label = "value, in the order of the table";
  chart.y_label = "probability";
  report::Series before, after;
  before.name = "before";
  after.name = "after";
  after.strong = true;
  for (const ValueLine& line : report.values) {
    if (line.variable != report.values.front().variable) continue;
    before.x.push_back(static_cast<double>(line.value + 1));
    before.y.push_back(line.before);
    after.x.push_back(static_cast<double>(line.value + 1));
    after.y.push_back(line.after);
    if (!line.limits || !report.model.set) continue;
    after.low.push_back(line.limits->low);
    after.high.push_back(line.limits->high);
  }
  chart.series = {before, after};
  return report::Svg(chart);
}

report::Section Served(const LeakageReport& report) {
  report::Section section;
  section.heading = "Who is served with what";
  section.svgs = {DiagramOf(report)};
  section.paragraphs = {
      "Dashed: records that an application asks for. Solid: what the odds of one attribute are multiplied by when a "
      "record of the other is suppressed, and applications that may put together what they have seen."};
  if (!report.model.accounts.empty()) section.tables = {AccountTable(report)};
  return section;
}

report::Section Pairs(const LeakageReport& report) {
  report::Section section;
  section.heading = "Attribute by attribute";
  section.paragraphs = Effects(report);
  for (std::string& sentence : Closures(report)) section.paragraphs.push_back(std::move(sentence));
  if (report.model.set) section.paragraphs.emplace_back(kWorst);
  if (auto curves = FactorCurves(report); !curves.empty()) section.svgs.push_back(std::move(curves));
  section.tables = {PairTable(report)};
  return section;
}

}  // namespace

std::string LeakagePage(const LeakageReport& report) {
  report::Page page;
  page.title = "Leakage of " + report.file;
  page.question = "What do released or suppressed records say about others that are sensitive?";
  page.verdict = Verdict(report);
  const bool bad = !Closures(report).empty() || (report.observed && report.observed->found.alarm);
  page.tone = bad ? report::Page::Tone::kBad : report::Page::Tone::kWarning;
  if (!report.pairs.empty()) page.sections.push_back(Served(report));
  report::Section odds;
  odds.heading = report.seen;
  odds.paragraphs = {"Odds that an attribute is sensitive, before and after."};
  if (ProductFails(report)) odds.paragraphs.emplace_back(kProductFails);
  if (report.observed) odds.paragraphs.push_back(ObservedWords(report));
  odds.tables = {OddsTable(report, report.odds)};
  page.sections.push_back(odds);
  if (!report.allowed.empty()) {
    report::Section allowed;
    allowed.heading = "Once all that the policy allows is spent, and everything was suppressed";
    allowed.tables = {OddsTable(report, report.allowed)};
    page.sections.push_back(allowed);
  }
  if (!report.values.empty()) {
    report::Section values;
    values.heading = "The whole law of values";
    values.svgs = {ValueBars(report)};
    values.tables = {ValueTable(report)};
    page.sections.push_back(values);
  }
  if (!report.naive.empty()) {
    report::Section naive;
    naive.heading = "Naive rejection";
    naive.paragraphs = {kNaive};
    naive.tables = {NaiveTable(report)};
    page.sections.push_back(naive);
  }
  if (!report.pairs.empty()) {
    page.sections.push_back(Pairs(report));
    report::Section information;
    information.heading = "Applications, alone and together";
    information.paragraphs = {"Information that applications hold together is not the sum of what each holds."};
    information.svgs = {InformationCurves(report)};
    information.tables = {ServedTable(report), InformationTable(report)};
    page.sections.push_back(information);
  }
  page.assumptions = {"The joint law is right: " + SourceWords(report.model) + ".",
                      "A record that is not sensitive is released with probability 1 - e^-epsilon, independently; a "
                      "sensitive one never."};
  page.reproduce = {report.command};
  return report::Html(page);
}

}  // namespace kith::cli::lab
