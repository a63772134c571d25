#include "cli/rho_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "app/cli/text.h"
#include "document/rho.h"
#include "loss/loss_text.h"
#include "report/matrix.h"
#include "report/page.h"

namespace kith::cli::lab {
namespace {

using audit::RhoEquation;
using audit::RhoPair;
using audit::RhoReport;
using document::NameOf;

constexpr std::size_t kMostPairs = 20, kMostRecords = 20;

std::string Aim(const RhoReport& report) {
  return report.target.epsilon ? fmt::format("noise for a claimed loss of {}", LossText(*report.target.epsilon))
                               : fmt::format("noise of scale {}", Short(*report.target.scale));
}

std::string Range(const RhoEquation& equation) {
  if (equation.pairs.empty()) return "-";
  return fmt::format("{} to {}", LossText(equation.Least()), LossText(equation.Most()));
}

std::string Asymmetry(const RhoReport& report, const RhoEquation& equation) {
  const auto pair = equation.MostAsymmetric();
  if (!pair) return "-";
  if (!(pair->dependent > 1e-12)) return "none";
  return fmt::format("{},{}: {}; {},{}: {}", NameOf(report, pair->i), NameOf(report, pair->j), LossText(pair->rho),
                     NameOf(report, pair->j), NameOf(report, pair->i), LossText(pair->rho - pair->dependent));
}

/// One column for each equation.
std::vector<std::vector<std::string>> Summary(const RhoReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"noise scale"},          {"dependent sensitivity DS"}, {"rho, smallest to largest"},
      {"most asymmetric pair"}, {"claimed loss DS / scale"},  {"true dependent loss"}};
  for (const RhoEquation& equation : report.equations) {
    const std::string most = equation.at_most ? "at most " : "";
    rows[0].push_back(Short(equation.scale));
    rows[1].push_back(most + Short(equation.largest));
    rows[2].push_back(most + Range(equation));
    rows[3].push_back(Asymmetry(report, equation));
    rows[4].push_back(LossText(equation.claimed));
    rows[5].push_back(!equation.truth       ? "not known"
                      : equation.Exceeded() ? LossText(*equation.truth) + " ABOVE"
                                            : LossText(std::min(*equation.truth, equation.claimed)));
  }
  return rows;
}

/// rho of both equations side by side, in the order of the first.
std::vector<std::vector<std::string>> PairRows(const RhoReport& report, std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  std::map<std::pair<std::size_t, std::size_t>, const RhoPair*> second;
  if (report.equations.size() > 1) {
    for (const RhoPair& pair : report.equations[1].pairs) second[{pair.i, pair.j}] = &pair;
  }
  for (const RhoPair& pair : document::LargestPairs(report.equations[0], most)) {
    auto& row =
        rows.emplace_back(std::vector<std::string>{NameOf(report, pair.i), NameOf(report, pair.j), LossText(pair.rho),
                                                   LossText(pair.self), LossText(pair.dependent)});
    if (report.equations.size() < 2) continue;
    const auto other = second.find({pair.i, pair.j});
    row.push_back(other == second.end() ? "-" : LossText(other->second->rho));
    row.push_back(other == second.end() ? "-" : LossText(other->second->self));
    row.push_back(other == second.end() ? "-" : LossText(other->second->dependent));
  }
  return rows;
}

std::vector<std::string> PairHead(const RhoReport& report) {
  std::vector<std::string> head = {"i", "j"};
  for (const RhoEquation& equation : report.equations) {
    const std::string number = equation.name.substr(equation.name.size() - 2);
    head.insert(head.end(), {"rho" + number, "self", "dependent"});
  }
  return head;
}

std::vector<std::string> Heads(const RhoReport& report, std::string first) {
  std::vector<std::string> head = {std::move(first)};
  for (const RhoEquation& equation : report.equations) head.push_back(equation.name);
  return head;
}

/// DS_i, for the records that are somebody's secret.
std::vector<std::vector<std::string>> SensitivityRows(const RhoReport& report, std::size_t most) {
  std::vector<char> secret(report.records, 0);
  for (const RhoPair& pair : report.equations[0].pairs) secret[pair.i] = 1;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < report.records && rows.size() < most; ++i) {
    if (secret[i] == 0) continue;
    auto& row = rows.emplace_back(std::vector<std::string>{NameOf(report, i)});
    for (const RhoEquation& equation : report.equations) row.push_back(Short(equation.sensitivity[i]));
  }
  return rows;
}

std::string Rendered(std::vector<std::string> head, std::vector<std::vector<std::string>> rows, std::size_t width) {
  TextTable table(std::move(head));
  for (auto& row : rows) table.Add(std::move(row));
  return table.Render(width);
}

std::string Of(const RhoReport& report) {
  return fmt::format("{}, {} records; {}", report.question, report.records, Aim(report));
}

}  // namespace

std::string RhoText(const RhoReport& report, std::size_t width) {
  std::string text = Wrap(report.equations.empty() ? report.question : Of(report), width, 0) + "\n\n";
  if (!report.equations.empty()) {
    text += Rendered(Heads(report, ""), Summary(report), width) + "\n";
    const auto pairs = PairRows(report, kMostPairs);
    const std::size_t all = report.equations[0].pairs.size();
    if (!pairs.empty()) {
      text += Wrap("rho of record j given record i, self and dependent indistinguishability (Eqs. 14, 18-21)" +
                       std::string(all > pairs.size()
                                       ? fmt::format(", the {} largest of {} ordered pairs:", pairs.size(), all)
                                       : ":"),
                   width, 0) +
              "\n" + Rendered(PairHead(report), pairs, width) + "\n";
    }
    const auto rows = SensitivityRows(report, kMostRecords);
    if (!rows.empty()) {
      text += Wrap("dependent sensitivity of each record, DS_i (Eqs. 22, 23)" +
                       std::string(report.records > rows.size() && rows.size() == kMostRecords
                                       ? fmt::format(", the first {}:", kMostRecords)
                                       : ":"),
                   width, 0) +
              "\n" + Rendered(Heads(report, "record"), rows, width) + "\n";
    }
  }
  for (const std::string& note : report.notes) text += Labelled("note", note, width);
  return text + "\n" + Wrap(document::Verdict(report), width, 0) + "\n";
}

std::string RhoPage(const RhoReport& report, const std::string& command) {
  report::Page page;
  page.title = "Dependence coefficients";
  page.question = Of(report);
  page.verdict = document::Verdict(report);
  const bool exceeded = std::any_of(report.equations.begin(), report.equations.end(),
                                    [](const RhoEquation& e) { return e.Exceeded() || !e.proved; });
  page.tone = exceeded ? report::Page::Tone::kWarning : report::Page::Tone::kGood;
  report::Section section{"Every ordered pair", {}, {}, {}};
  for (std::string note : report.notes) {
    note[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(note[0])));
    section.paragraphs.push_back(note + ".");
  }
  for (const RhoEquation& equation : report.equations) {
    report::MatrixChart chart{fmt::format("rho by {}", equation.name), "record i that is changed",
                              "record j that follows", report.names,
                              std::vector(report.records, std::vector<double>(report.records, std::nan("")))};
    for (const RhoPair& pair : equation.pairs) chart.values[pair.i][pair.j] = pair.rho;
    section.svgs.push_back(Svg(chart));
  }
  if (!report.equations.empty()) {
    section.tables.push_back({"In short", Heads(report, ""), Summary(report)});
    section.tables.push_back({"The largest", PairHead(report), PairRows(report, 200)});
    section.tables.push_back(
        {"Dependent sensitivity of each record", Heads(report, "record"), SensitivityRows(report, 200)});
  }
  page.sections.push_back(std::move(section));
  page.assumptions = {"The declared law is the true one, and the adversary knows it and no record.",
                      "One answer with Laplace noise. Coefficients are in units of the answer."};
  page.reproduce = {command};
  return Html(page);
}

}  // namespace kith::cli::lab
