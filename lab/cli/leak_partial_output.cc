// What follows only from limits of pairs.
#include <fmt/format.h>

#include "app/cli/text.h"
#include "cli/leak_output.h"
#include "loss/loss_text.h"

namespace kith::cli::lab {
namespace {

report::Table TableOf(const PartialReport& report) {
  report::Table table;
  table.caption = "What one attribute says about another, at least and at most";
  table.head = {"serves", "epsilon", "about", "away ≥", "away ≤", "released ≤", "with own ≤", "nats ≤"};
  for (const auto& line : report.lines) {
    table.rows.push_back({report.model.names[line.served], LossText(line.epsilon), report.model.names[line.about],
                          LeftText(line.away.low * (1 + 1e-14)), leak::Told(line.away.high),
                          leak::Told(line.released.high), leak::Told(line.own.high), leak::Told(line.nats)});
  }
  return table;
}

constexpr const char* kWords =
    "away, released: what the odds that 'about' is sensitive are multiplied by when the served record is suppressed, "
    "and when it is released; with own: when its own records are suppressed as well. What is not given can be "
    "anything. "
    "Limits of pairs do not say what three attributes do together: give limits of the joint law for that.";

std::string Verdict(const PartialReport& report) {
  const PartialReport::Line* worst = nullptr;
  for (const auto& line : report.lines) {
    if (line.served != line.about && (worst == nullptr || line.away.high > worst->away.high)) worst = &line;
  }
  if (worst == nullptr) return "There is one attribute: nothing else depends on it.";
  return fmt::format("At worst a suppressed '{}' multiplies the odds that '{}' is sensitive by {}.",
                     report.model.names[worst->served], report.model.names[worst->about], leak::Told(worst->away.high));
}

}  // namespace

std::string LeakageText(const PartialReport& report, std::size_t width) {
  return Labelled("attributes", fmt::format("{}", fmt::join(report.model.names, ", ")), width) +
         Labelled("law", report.model.source + ", pairs known within limits", width) + "\n" +
         leak::Rendered(TableOf(report), width) + "\n" + Wrap(kWords, width, 0) + "\n\n" +
         Wrap(Verdict(report), width, 0) + "\n";
}

std::string LeakagePage(const PartialReport& report) {
  report::Page page;
  page.title = "Leakage of " + report.file;
  page.question = "What can records say about others if only limits of pairs are known?";
  page.verdict = Verdict(report);
  report::Section pairs;
  pairs.heading = "Attribute by attribute";
  pairs.paragraphs = {kWords};
  pairs.tables = {TableOf(report)};
  page.sections = {pairs};
  page.assumptions = {"The pairs lie within their limits: " + report.model.source + ".",
                      "A record that is not sensitive is released with probability 1 - e^-epsilon, independently; a "
                      "sensitive one never."};
  page.reproduce = {report.command};
  return report::Html(page);
}

}  // namespace kith::cli::lab
