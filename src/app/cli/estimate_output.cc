#include "app/cli/estimate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/text.h"
#include "loss/loss_text.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

using document::EstimateReport;

std::string Ratio(double value) {
  if (std::isnan(value)) return "-";
  return std::isinf(value) ? "inf" : fmt::format("{:.3g}", value);
}

std::string Findings(const EstimateReport& report, std::size_t width) {
  const bool strata = report.estimate.strengths.size() > 1 || !report.estimate.strengths.front().stratum.empty();
  const bool chain = report.question.of == "chain";
  std::vector<std::string> head = {chain                               ? "probability"
                                   : report.question.of == "distances" ? "number"
                                                                       : "odds ratio of",
                                   report.unit, "estimate", "lower", "upper"};
  if (strata) head.insert(head.begin(), "stratum");
  TextTable table(head);
  for (const auto& finding : report.estimate.findings) {
    std::vector<std::string> row = {finding.of, std::to_string(finding.sample), Ratio(finding.estimate),
                                    Ratio(finding.limits.lower), Ratio(estimate::RoundedUp(finding.limits.upper))};
    if (strata) row.insert(row.begin(), finding.stratum);
    table.Add(std::move(row));
  }
  return table.Render(width);
}

std::string Worth(const EstimateReport& report) {
  std::string text = fmt::format("Noise of a count, for a dependent loss of {} (independent people: 1):\n\n",
                                 LossText(report.question.epsilon));
  TextTable table({"", "declared like this", "group privacy"});
  for (const auto& line : report.worth)
    table.Add({line.stratum.empty() ? "everybody" : line.stratum, Short(line.declared), Short(line.group)});
  return text + table.Render(80);
}

std::string More(const EstimateReport& report, std::size_t width) {
  const auto& outlook = report.outlook;
  const bool chain = report.question.of == "chain";
  if (chain && std::isinf(outlook.steps.front().odds_ratio)) {
    return Wrap(
        "Some step was never seen, so its probability may be 0 and the odds ratio of a step is not bounded; the limits "
        "of the table are what bounds the loss. More data in which it turns up would help.",
        width, 0);
  }
  if (report.question.of == "distances" && std::isinf(outlook.steps.front().odds_ratio)) {
    return Wrap(
        "There is no finite limit: the pairs do not exclude laws under which linked people are nearly always at the "
        "same "
        "place (b near 0, or c very large). More pairs, or a finer axis near 0, may give one; until then the odds "
        "ratio "
        "is inf, which is group privacy.",
        width, 0);
  }
  if (std::isinf(outlook.steps.front().odds_ratio)) {
    const auto finite = [](const auto& finding) { return std::isfinite(finding.limits.upper); };
    const auto& findings = report.estimate.findings;
    // Above, the table shows a finite limit, and another line declares none.
    const std::string why = std::all_of(findings.begin(), findings.end(), finite) && report.question.of != "chain"
                                ? "The odds ratio to declare is the larger of upper and 1/lower, since values that "
                                  "exclude each other tell as much as values that go together; where lower is 0 it is "
                                  "inf. "
                                : "";
    return Wrap(
        why +
            "There is no finite limit: some combination of values is missing from the sample altogether. More data of "
            "the "
            "same kind, in which it turns up, may give one; until then the odds ratio is inf, which is group privacy." +
            std::string(report.question.of == "households"
                            ? " With --common one odds ratio is assumed, whatever the others are, and a limit exists."
                            : ""),
        width, 0);
  }
  std::vector<std::string> parts;
  for (const auto& more : outlook.steps) {
    if (more.times > 1 && parts.size() < 4)
      parts.push_back(fmt::format("{} from {} {}", Ratio(more.odds_ratio), more.sample, report.unit));
  }
  std::string text =
      fmt::format("With more data that look the same, the odds ratio {} would be {}. ",
                  chain ? "of a step (at most, within these limits)" : "to declare", fmt::join(parts, "; "));
  if (outlook.half > 0) {
    text += fmt::format("Half of it needs {} times as many ({}).", outlook.half, outlook.half * report.sample);
  } else {
    const auto largest =
        std::max_element(report.estimate.strengths.begin(), report.estimate.strengths.end(),
                         [](const auto& one, const auto& other) { return one.odds_ratio < other.odds_ratio; });
    text += fmt::format("No amount that was tried (up to {}) would halve it: the estimate itself is {}.",
                        outlook.steps.back().sample, Ratio(largest->estimate));
  }
  return Wrap(text, width, 0);
}

}  // namespace

std::string EstimateText(const EstimateReport& report, std::size_t width) {
  std::string text = fmt::format("{} {} from {}, {:.10g} % confidence\n\n", report.sample, report.unit,
                                 report.question.source, 100 * report.question.confidence);
  text += Findings(report, width) + "\nPaste into the policy:\n\n" + report.declaration + "\n" + Worth(report) + "\n" +
          More(report, width) + "\n\nHolds if:\n";
  for (const std::string& condition : report.conditions) text += Wrap("* " + condition, width, 2) + "\n";
  return text;
}

std::string EstimateChart(const EstimateReport& report) {
  report::LineChart chart;
  chart.title = fmt::format("The odds ratio to declare, with {:.10g} % confidence", 100 * report.question.confidence);
  chart.x_label = report.unit + " like those of the study";
  chart.y_label = "odds ratio";
  chart.log_x = true;
  report::Series limit, estimate;
  limit.name = "to declare";
  limit.strong = true;
  estimate.name = "estimate, no guarantee";
  double largest = 1;
  for (const auto& s : report.estimate.strengths) largest = std::max(largest, s.estimate);
  for (const auto& more : report.outlook.steps) {
    limit.x.push_back(static_cast<double>(more.sample));
    limit.y.push_back(more.odds_ratio);
    estimate.x.push_back(static_cast<double>(more.sample));
    estimate.y.push_back(largest);
  }
  chart.series = {limit, estimate};
  return report::Svg(chart);
}

}  // namespace kith::cli
