// Chosen parameters, for people and programs.
#include <fmt/format.h>

#include <cmath>

#include "app/cli/text.h"
#include "base/json.h"
#include "cli/leak_output.h"
#include "loss/loss_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli::lab {
namespace {

using one_sided::Binds;

std::string BindsWords(const ChoiceReport& report, std::size_t i) {
  const auto& one = report.choice.attributes[i];
  const auto about = [&] { return report.model.names[report.dependents[i][one.dependent]]; };
  switch (one.binds) {
    case Binds::kNothing:
      return report.objective == "sum-epsilon" ? "the largest epsilon" : "nothing";
    case Binds::kInformation:
      return "the total";
    case Binds::kOwnCap:
      if (report.worst_cap[i]) return fmt::format("kappa of {}, at worst", report.model.names[*report.worst_cap[i]]);
      return "its own kappa";
    case Binds::kCap:
      return "kappa of " + about();
    case Binds::kClosed:
      return "closed: a release gives away " + about();
  }
  return {};
}

report::Table ChoiceTable(const ChoiceReport& report) {
  report::Table table;
  table.caption = "Chosen parameters";
  table.head = {"attribute", "epsilon", "released", "nats", "what binds"};
  for (std::size_t i = 0; i < report.served.size(); ++i) {
    const auto& one = report.choice.attributes[i];
    table.rows.push_back({report.model.names[report.served[i]], LeftText(one.epsilon),
                          fmt::format("{:.1f} %", 100 * one.rate), LossText(one.leakage), BindsWords(report, i)});
  }
  return table;
}

std::string Limits(const ChoiceReport& report) {
  if (!report.worst) return {};
  return fmt::format(
      " No law within the limits leaks more than {} in all; the choice is safe for all of them, and not always the "
      "best.",
      LossText(*report.worst));
}

std::string Verdict(const ChoiceReport& report) {
  if (report.objective == "sum-epsilon")
    return fmt::format("The largest sum of epsilon within {} nats is {}, leaking {}.", LeftText(report.total),
                       Short(report.choice.objective), LossText(report.choice.leakage)) +
           Limits(report);
  const std::string more = report.choice.price > 0
                               ? fmt::format(" At the margin, a nat is worth {}.", Short(report.choice.price))
                               : std::string(" The total does not bind: a larger one gains nothing.");
  return fmt::format("Within {} nats, records worth {} of {} are released, leaking {}.{}", LeftText(report.total),
                     Short(report.choice.objective), Short(report.possible), LossText(report.choice.leakage), more) +
         Limits(report);
}

std::string Degenerate(const ChoiceReport& report) {
  double rates = 0, best = 0;
  for (std::size_t i = 0; i < report.served.size(); ++i) {
    const double worth = report.model.worth[report.served[i]] * (1 - report.model.law.Sensitive(report.served[i]));
    rates += worth * report.choice.attributes[i].rate;
    best += worth * report.other.attributes[i].rate;
  }
  return fmt::format(
      "The sum of epsilon is a poor objective: what leaks stays finite while epsilon grows, so one attribute takes "
      "everything as soon as the total reaches its limit (hence --largest-epsilon, here {}), and several partly "
      "released attributes count less than one that is always released. This choice releases records worth {}; "
      "--objective "
      "records would release {} for the same total.",
      LeftText(report.largest_epsilon), Short(rates), Short(best));
}

}  // namespace

std::string LeakageText(const ChoiceReport& report, std::size_t width) {
  TextTable table(ChoiceTable(report).head);
  for (const auto& row : ChoiceTable(report).rows) table.Add(row);
  std::string text = table.Render(width) + "\n";
  if (report.objective == "sum-epsilon") text += Wrap(Degenerate(report), width, 0) + "\n\n";
  text += Wrap(Verdict(report), width, 0) + "\n";
  if (!report.written) return text;
  text += fmt::format("\nwritten to {}\n", report.written->file);
  if (report.written->changed.empty()) text += "  nothing differs\n";
  for (const std::string& line : report.written->changed) text += "  " + line + "\n";
  for (const std::string& name : report.written->spent) {
    text += Wrap(fmt::format("! '{}' has lost more already than was chosen for it, which cannot be taken back; nothing "
                             "more of it will be released.",
                             name),
                 width, 2) +
            "\n";
  }
  return text;
}

std::string LeakageJson(const ChoiceReport& report) {
  Json out = {{"objective", report.objective},
              {"total", report.total},
              {"leakage", report.choice.leakage},
              {"value", report.choice.objective},
              {"attributes", Json::array()}};
  out["possible"] = report.possible;
  if (report.worst) out["worst"] = *report.worst;
  if (report.written)
    out["written"] = {
        {"file", report.written->file}, {"changed", report.written->changed}, {"already_spent", report.written->spent}};
  if (report.objective == "records") {
    out["price"] = report.choice.price;
    out["curve"] = Json::array();
    for (const auto& point : report.curve) out["curve"].push_back({point.total, point.objective});
  }
  for (std::size_t i = 0; i < report.served.size(); ++i) {
    const auto& one = report.choice.attributes[i];
    out["attributes"].push_back({{"name", report.model.names[report.served[i]]},
                                 {"epsilon", NumberToJson(one.epsilon)},
                                 {"rate", one.rate},
                                 {"nats", one.leakage},
                                 {"binds", BindsWords(report, i)}});
  }
  return JsonText(out);
}

std::string LeakagePage(const ChoiceReport& report) {
  report::Page page;
  page.title = "Parameters for " + report.file;
  page.question = fmt::format("Which epsilons release the most and leak at most {} nats?", LeftText(report.total));
  page.verdict = Verdict(report);
  page.tone = report.objective == "records" ? report::Page::Tone::kGood : report::Page::Tone::kWarning;
  report::Section choice;
  choice.heading = "The choice";
  if (report.objective == "sum-epsilon") choice.paragraphs = {Degenerate(report)};
  choice.tables = {ChoiceTable(report)};
  page.sections.push_back(choice);
  if (!report.curve.empty()) {
    report::LineChart chart;
    chart.title = "What a total leakage buys";
    chart.x_label = "total leakage, nats";
    chart.y_label = "worth of released records";
    report::Series best, chosen;
    best.name = "best choice";
    best.strong = true;
    for (const auto& point : report.curve) {
      best.x.push_back(point.total);
      best.y.push_back(point.objective);
    }
    chosen.name = "this choice";
    chosen.x = {report.choice.leakage};
    chosen.y = {report.choice.objective};
    chart.series = {best, chosen};
    report::Section curve;
    curve.heading = "Other totals";
    curve.paragraphs = {fmt::format("Beyond {} nats nothing more is released.", LossText(report.saturated))};
    curve.svgs = {report::Svg(chart)};
    page.sections.push_back(curve);
  }
  page.assumptions = {
      report.worst ? "The joint law lies within the limits." : "The joint law is right.",
      "The total adds up what each served attribute says about itself and about every other attribute; what colluding "
      "applications learn together is another figure (kith leakage without --total)."};
  page.reproduce = {report.command};
  return report::Html(page);
}

}  // namespace kith::cli::lab
