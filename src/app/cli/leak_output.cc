// The leakage of declared applications, for people and programs.
#include "app/cli/leak_output.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/text.h"
#include "base/json.h"
#include "loss/loss_text.h"
#include "report/page.h"

namespace kith::cli {
namespace {

/// JSON has no infinity.
std::string SourceWords(const LeakageModel& model) {
  if (model.sample == 0) return model.source;
  return fmt::format("counted in a {} sample of {}", model.source, Short(model.sample));
}

/// Factors and nats are sums of a few products: 0.6000000000000001 is 0.6.
std::string Told(double value) { return LossText(value * (1 - 1e-14)); }

report::Table PairTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "What one attribute says about another";
  table.head = {"application", "serves", "epsilon", "about", "away: odds x", "released: odds x"};
  for (const PairLine& line : report.pairs) {
    table.rows.push_back({line.application, report.model.names[line.served], LossText(line.epsilon),
                          report.model.names[line.about], Told(line.stayed_away),
                          Told(line.released) + (line.closed ? " !" : "")});
  }
  return table;
}

report::Table InformationTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "Mutual information";
  table.head = {"application", "about", "nats", "of at most"};
  for (const InformationLine& line : report.information) {
    table.rows.push_back({line.application.empty() ? "all together" : line.application, report.model.names[line.about],
                          Told(line.nats < 1e-12 ? 0 : line.nats), Short(line.entropy)});
  }
  return table;
}

report::Table OddsTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "Odds that an attribute is sensitive";
  table.head = {"about", "before", "after", "odds x", "pair factors", "multiply"};
  for (const OddsLine& line : report.odds) {
    table.rows.push_back({report.model.names[line.about], Short(line.odds.prior), Told(line.odds.posterior),
                          Told(line.odds.factor), Told(line.odds.pairwise), line.odds.product_holds ? "yes" : "NO"});
  }
  return table;
}

std::string Rendered(const report::Table& table, std::size_t width) {
  TextTable text(table.head);
  for (const auto& row : table.rows) text.Add(row);
  return text.Render(width);
}

/// One sentence for each attribute whose release says too much.
std::vector<std::string> Closures(const LeakageReport& report) {
  std::vector<std::string> sentences;
  for (const PairLine& line : report.pairs) {
    if (!line.closed) continue;
    sentences.push_back(fmt::format(
        "A released '{}' multiplies the odds that '{}' is sensitive by {}, more than e^kappa = {}, whatever "
        "epsilon is. Never release it, or declare it sensitive wherever '{}' is.",
        report.model.names[line.served], report.model.names[line.about], Told(line.released),
        LossText(std::exp(*report.model.kappa[line.about])), report.model.names[line.about]));
  }
  return sentences;
}

std::string Verdict(const LeakageReport& report) {
  const OddsLine* worst = nullptr;
  for (const OddsLine& line : report.odds) {
    if (worst == nullptr || line.odds.factor > worst->odds.factor) worst = &line;
  }
  if (worst == nullptr) return "No attribute has a secret: each is always or never sensitive.";
  return fmt::format("{} the odds that '{}' is sensitive are multiplied by {}.", report.seen,
                     report.model.names[worst->about], Told(worst->odds.factor));
}

bool ProductFails(const LeakageReport& report) {
  for (const OddsLine& line : report.odds) {
    if (!line.odds.product_holds) return true;
  }
  return false;
}

constexpr const char* kProductFails =
    "Where 'multiply' says NO the observations depend on each other given the attribute, and the product of pair "
    "factors is wrong; 'odds x' is exact.";

}  // namespace

std::string LeakageText(const LeakageReport& report, std::size_t width) {
  std::string text = Labelled("attributes", fmt::format("{}", fmt::join(report.model.names, ", ")), width) +
                     Labelled("law", SourceWords(report.model), width) + "\n";
  if (!report.pairs.empty()) {
    text += Rendered(PairTable(report), width) + "\n";
    text += Wrap(
                "away, released: what the odds that 'about' is sensitive are multiplied by when the served record is "
                "suppressed, and when it is released. The second does not depend on epsilon.",
                width, 0) +
            "\n\n" + Rendered(InformationTable(report), width) + "\n";
  }
  text += Rendered(OddsTable(report), width) + "\n";
  if (ProductFails(report)) text += Wrap(kProductFails, width, 0) + "\n\n";
  for (const std::string& sentence : Closures(report)) text += Wrap("! " + sentence, width, 2) + "\n\n";
  return text + Wrap(Verdict(report), width, 0) + "\n";
}

std::string LeakageJson(const LeakageReport& report) {
  const auto& names = report.model.names;
  nlohmann::json out = {{"source", report.model.source},    {"attributes", nlohmann::json::array()},
                        {"pairs", nlohmann::json::array()}, {"information", nlohmann::json::array()},
                        {"odds", nlohmann::json::array()},  {"closure", nlohmann::json::array()}};
  if (report.model.sample > 0) out["sample"] = report.model.sample;
  for (std::size_t a = 0; a < names.size(); ++a) {
    out["attributes"].push_back({{"name", names[a]}, {"sensitive", report.model.law.Sensitive(a)}});
  }
  for (const PairLine& line : report.pairs) {
    nlohmann::json row = {{"application", line.application},
                          {"served", names[line.served]},
                          {"epsilon", line.epsilon},
                          {"about", names[line.about]},
                          {"d1", line.pair.d1},
                          {"d2", line.pair.d2},
                          {"f1", NumberToJson(line.stayed_away)},
                          {"f2", NumberToJson(line.released)}};
    out["pairs"].push_back(row);
    if (line.closed) {
      out["closure"].push_back({{"served", names[line.served]},
                                {"about", names[line.about]},
                                {"f2", NumberToJson(line.released)},
                                {"kappa", *report.model.kappa[line.about]}});
    }
  }
  for (const InformationLine& line : report.information) {
    nlohmann::json row = {{"about", names[line.about]}, {"nats", line.nats}, {"entropy", line.entropy}};
    row["application"] = line.application.empty() ? nlohmann::json(nullptr) : nlohmann::json(line.application);
    out["information"].push_back(row);
  }
  for (const OddsLine& line : report.odds) {
    out["odds"].push_back({{"about", names[line.about]},
                           {"prior", NumberToJson(line.odds.prior)},
                           {"posterior", NumberToJson(line.odds.posterior)},
                           {"factor", NumberToJson(line.odds.factor)},
                           {"pairwise", NumberToJson(line.odds.pairwise)},
                           {"multiplies", line.odds.product_holds}});
  }
  return JsonText(out);
}

std::string LeakagePage(const LeakageReport& report) {
  report::Page page;
  page.title = "Leakage of " + report.file;
  page.question = "What do released or suppressed records say about others that are sensitive?";
  page.verdict = Verdict(report);
  const auto closures = Closures(report);
  page.tone = closures.empty() ? report::Page::Tone::kWarning : report::Page::Tone::kBad;
  report::Section odds;
  odds.heading = "After what was seen";
  odds.paragraphs = {report.seen};
  if (ProductFails(report)) odds.paragraphs.emplace_back(kProductFails);
  odds.tables = {OddsTable(report)};
  page.sections.push_back(odds);
  if (!report.pairs.empty()) {
    report::Section pairs;
    pairs.heading = "Attribute by attribute";
    pairs.paragraphs = closures;
    pairs.tables = {PairTable(report)};
    report::Section information;
    information.heading = "Applications, alone and together";
    information.paragraphs = {"Information that applications hold together is not the sum of what each holds."};
    information.tables = {InformationTable(report)};
    page.sections.push_back(pairs);
    page.sections.push_back(information);
  }
  page.assumptions = {"The joint law is right: " + SourceWords(report.model) + ".",
                      "A record that is not sensitive is released with probability 1 - e^-epsilon, independently; a "
                      "sensitive one never."};
  page.reproduce = {report.command};
  return report::Html(page);
}

}  // namespace kith::cli
