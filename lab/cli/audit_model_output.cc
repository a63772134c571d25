// A law that was audited, and the gallery, for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/text.h"
#include "cli/law_audit_output.h"
#include "loss/loss_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli::lab {
namespace {

using audit::KnownLoss;
using audit::MethodLine;
using audit::Promise;
using document::ClaimedAgainst;
using document::GalleryLine;
using document::ModelAudit;
using document::TrueText;

/// Judged by the same adversary for all: somebody who knows no other record. A claim that covers more adversaries is
/// judged by those as well.
std::string Standing(const MethodLine& line) {
  if (line.KeepsItsWord()) return Words(line.promise);
  return line.promise == Promise::kPlainOnly ? "dependence ignored" : "EXCEEDED";
}

std::string LossOf(const MethodLine& line, const std::optional<KnownLoss>& loss) {
  return loss ? TrueText(loss->worst.loss, line.claimed, line.Holds(loss->worst.loss)) : "-";
}

/// Who learns most at a method's noise: "record 0, value 1 against 0, by somebody who knows record 1 = 0".
std::string WhoLearnsMost(const MethodLine& line) {
  const KnownLoss& worst = line.truth.any ? *line.truth.any : line.truth.none;
  std::string known;
  for (std::size_t k = 0; k < worst.known.size(); ++k) {
    known += fmt::format("{}record {} = {}", k == 0 ? "" : ", ", worst.known[k], worst.values[k]);
  }
  return fmt::format("a loss of {} about record {}, value {} against {}, for somebody who knows {}",
                     LossOf(line, worst), worst.worst.record, worst.worst.high, worst.worst.low,
                     known.empty() ? "no other record" : known);
}

std::string Aim(const ModelAudit& report) {
  return report.table.target.epsilon
             ? fmt::format("every method aims at a loss of {}", LossText(*report.table.target.epsilon))
             : fmt::format("noise of scale {}", Short(*report.table.target.scale));
}

}  // namespace

std::string AuditText(const ModelAudit& report, std::size_t width) {
  std::string text =
      Wrap(fmt::format("{}, {} records; {}", report.table.question, report.table.records, Aim(report)), width, 0) +
      "\n\n";
  std::vector<std::string> head = {"method", "noise", "claims", "against", "none", "some", "all", "standing"};
  if (report.delta) head.insert(head.end() - 1, "delta");
  TextTable table(head);
  for (std::size_t k = 0; k < report.table.methods.size(); ++k) {
    const MethodLine& line = report.table.methods[k];
    std::vector<std::string> row = {line.name,
                                    Short(line.scale),
                                    LossText(line.claimed),
                                    ClaimedAgainst(line),
                                    LossOf(line, line.truth.none),
                                    LossOf(line, line.truth.any),
                                    LossOf(line, line.truth.all),
                                    Standing(line)};
    if (report.delta) row.insert(row.end() - 1, LossText(report.delta->of_methods[k]));
    table.Add(std::move(row));
  }
  text += table.Render(width) + "\n";
  text += Wrap(
              "none, some, all: the true loss against somebody who knows none, the worst set, or all of the other "
              "records; against: the adversary that the claim is for (any: each of these).",
              width, 0) +
          "\n";
  if (!report.table.methods.empty()) {
    const MethodLine& first = report.table.methods.front();
    text += Labelled("worst", fmt::format("at the noise of {}: {}", first.name, WhoLearnsMost(first)), width);
  }
  if (report.delta)
    text += Labelled("delta", fmt::format("smallest delta at epsilon {}", LossText(report.delta->epsilon)), width);
  if (report.information) {
    text +=
        Labelled("information",
                 fmt::format("at the noise of {}: {} bits about record {}; relative entropy of prior and posterior, "
                             "for the worst output, {} bits; neither above {}",
                             report.informed, LossText(report.information->mutual / std::log(2)),
                             report.information->record, LossText(report.information->divergence / std::log(2)),
                             LossText(report.information->bound / std::log(2))),
                 width);
  }
  if (!report.table.not_shown.empty()) text += Labelled("not shown", report.table.not_shown, width);
  return text + "\n" + Wrap(document::Verdict(report), width, 0) + "\n";
}

std::string AuditPage(const ModelAudit& report, const std::string& command) {
  report::Page page;
  page.title = "Exact audit of one answer";
  page.question = fmt::format("{}, {} records; {}", report.table.question, report.table.records, Aim(report));
  page.verdict = document::Verdict(report);
  report::BarChart chart{"True loss of each method, for somebody who knows no other record", "loss", {}, {}, {}};
  report::BarChart noise{"Noise that each method adds", "scale", {}, {}, {}};
  report::Table table{
      "Claimed and true loss",
      {"method", "noise scale", "claimed", "against", "knows none", "worst set", "knows all", "standing"},
      {}};
  bool exceeded = false;
  for (const MethodLine& line : report.table.methods) {
    chart.bars.push_back({line.name, line.truth.none.worst.loss, {}, {}, LossOf(line, line.truth.none)});
    noise.bars.push_back({line.name, line.scale, {}, {}});
    table.rows.push_back({line.name, Short(line.scale), LossText(line.claimed), ClaimedAgainst(line),
                          LossOf(line, line.truth.none), LossOf(line, line.truth.any), LossOf(line, line.truth.all),
                          Standing(line)});
    exceeded = exceeded || !line.KeepsItsWord();
  }
  if (report.table.target.epsilon) {
    chart.mark = *report.table.target.epsilon;
    chart.mark_label = "claimed";
    chart.mark_text = LossText(*report.table.target.epsilon);
  }
  page.tone = exceeded ? report::Page::Tone::kWarning : report::Page::Tone::kGood;
  report::Section losses{"What each method claims, and what is true", {}, {Svg(chart)}, {table}};
  if (report.table.target.epsilon) losses.svgs.push_back(Svg(noise));
  if (!report.table.methods.empty()) {
    losses.paragraphs.push_back(fmt::format("At the noise of {} the worst case is {}.", report.table.methods[0].name,
                                            WhoLearnsMost(report.table.methods[0])));
  }
  if (report.information) {
    losses.paragraphs.push_back(
        fmt::format("At the noise of {} an answer reveals at most {} bits about one record on average over answers; "
                    "its loss allows {}.",
                    report.informed, LossText(report.information->mutual / std::log(2)),
                    LossText(report.information->bound / std::log(2))));
  }
  page.sections.push_back(std::move(losses));
  page.assumptions = {"The declared law is the true one, and the adversary knows it.",
                      "One answer, Laplace noise on whole numbers; losses are exact up to rounding."};
  page.reproduce = {command};
  return Html(page);
}

// The gallery.

namespace {

std::string Measure(const GalleryLine& line) { return line.what.information ? " nats" : ""; }

}  // namespace

std::string AuditText(const std::vector<GalleryLine>& lines, std::size_t width) {
  TextTable table({"case", "noise by", "scale", "claimed", "true", ""});
  for (const GalleryLine& line : lines) {
    table.Add({line.file, Words(line.what.recipe), line.result.scale > 0 ? Short(line.result.scale) : "-",
               LossText(line.result.claimed), TrueText(line.result.truth, line.result.claimed, !line.result.Fails()),
               line.result.Fails() ? "fails" : "holds"});
  }
  std::string text = table.Render(width) + "\n";
  if (lines.size() <= 3) {
    for (const GalleryLine& line : lines) {
      text += Labelled(line.file, line.what.title + ". " + line.what.shows, width);
      if (!line.what.refutes.empty()) text += Labelled("about", line.what.refutes, width);
    }
    text += "\n";
  }
  return text + document::Verdict(lines) + "\n";
}

std::string AuditPage(const std::vector<GalleryLine>& lines, const std::string& command) {
  report::Page page;
  page.title = "Counterexamples";
  page.question = "Do published ways to set the noise keep what they claim when records depend on each other?";
  page.verdict = document::Verdict(lines);
  const bool fails = std::any_of(lines.begin(), lines.end(), [](const GalleryLine& l) { return l.result.Fails(); });
  page.tone = fails ? report::Page::Tone::kBad : report::Page::Tone::kGood;
  report::BarChart chart{"True loss for every unit claimed", "true loss / claimed loss", {}, 1.0, "as claimed"};
  report::Table table{"Claimed and true", {"case", "noise by", "claimed", "true"}, {}};
  report::Section cases{"The cases", {}, {}, {}};
  for (const GalleryLine& line : lines) {
    const double ratio = line.result.truth / line.result.claimed;
    if (line.result.claimed > 1e-9) chart.bars.push_back({line.file, ratio, {}, {}, LossText(ratio)});
    table.rows.push_back({line.what.title, Words(line.what.recipe), LossText(line.result.claimed) + Measure(line),
                          TrueText(line.result.truth, line.result.claimed, !line.result.Fails()) + Measure(line)});
    cases.paragraphs.push_back(fmt::format("{}. {} About: {}.", line.what.title, line.what.shows, line.what.refutes));
  }
  page.sections.push_back({"Claimed and true loss", {}, {Svg(chart)}, {table}});
  page.sections.push_back(std::move(cases));
  page.assumptions = {"Each file declares its law in full; losses are exact up to rounding."};
  page.reproduce = {command};
  return Html(page);
}

}  // namespace kith::cli::lab
