// The leakage of declared applications, for people.
#include "cli/leak_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/text.h"
#include "loss/loss_text.h"

namespace kith::cli::lab {
namespace leak {

std::string SourceWords(const LeakageModel& model) {
  std::string words =
      model.sample == 0 ? model.source : fmt::format("counted in a {} sample of {}", model.source, Short(model.sample));
  if (!model.set) return words;
  if (model.confidence == 0) return words + ", known within limits";
  return words + fmt::format(
                     ", each cell within exact limits; all of them hold at once with confidence {} if rows are "
                     "independent",
                     Short(model.confidence));
}

std::string Told(double value) { return LossText(value * (1 - 1e-14)); }

namespace {

std::string Nats(double value) { return Told(value < 1e-12 ? 0 : value); }

/// "1.29 ≤1.41": a figure, and the worst.
std::string WithWorst(const std::string& figure, const std::optional<double>& worst) {
  return worst ? fmt::format("{} ≤{}", figure, Told(*worst)) : figure;
}

const char* EffectOf(const PairLine& line) {
  if (line.served == line.about) return "itself";
  const double gap = line.pair.d1 - line.pair.d2;
  return std::abs(gap) < 1e-12 ? "none" : gap > 0 ? "reinforces" : "cancels";
}

}  // namespace

std::string Rendered(const report::Table& table, std::size_t width) {
  TextTable text(table.head);
  for (const auto& row : table.rows) text.Add(row);
  return text.Render(width);
}

report::Table AccountTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "What was released so far, by the ledger";
  table.head = {"attribute", "application", "sensitive", "releases", "spent", "of"};
  for (const ReleasedSoFar& one : report.model.accounts) {
    table.rows.push_back({one.attribute, one.application, one.rule, std::to_string(one.releases), LossText(one.spent),
                          LeftText(one.limit)});
  }
  return table;
}

report::Table PairTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "What one attribute says about another";
  table.head = {"application", "serves", "epsilon", "about", "away x", "limit x", "released x", "effect"};
  // With limits there is no room for what is in the other tables.
  if (report.model.set)
    table.head = {"serves", "about", "away x", "at worst", "limit x", "at worst", "released x", "at worst"};
  for (const PairLine& line : report.pairs) {
    const std::string &served = report.model.names[line.served], &about = report.model.names[line.about];
    const std::string closed = line.closed ? " !" : "";
    if (line.worst)
      table.rows.push_back({served, about, Told(line.stayed_away), Told(line.worst->stayed_away), Told(line.limit),
                            Told(line.worst->limit), Told(line.released), Told(line.worst->released) + closed});
    else
      table.rows.push_back({line.application, served, LossText(line.epsilon), about, Told(line.stayed_away),
                            Told(line.limit), Told(line.released) + closed, EffectOf(line)});
  }
  return table;
}

report::Table ServedTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "What one attribute says about itself and all others, added up (I_i)";
  table.head = {"application", "serves", "epsilon", "I_i, nats"};
  for (const ServedLine& line : report.served) {
    table.rows.push_back({line.application, report.model.names[line.served], LossText(line.epsilon),
                          WithWorst(Nats(line.nats), line.worst)});
  }
  return table;
}

report::Table InformationTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "Mutual information";
  table.head = {"application", "about", "nats", "of at most"};
  for (const InformationLine& line : report.information) {
    table.rows.push_back({line.application.empty() ? "all together" : line.application, report.model.names[line.about],
                          WithWorst(Nats(line.nats), line.worst), Short(line.entropy)});
  }
  return table;
}

report::Table OddsTable(const LeakageReport& report, const std::vector<OddsLine>& lines) {
  report::Table table;
  table.caption = "Odds that an attribute is sensitive";
  table.head = {"about", "before", "after", "odds x", "pair factors", "multiply"};
  for (const OddsLine& line : lines) {
    const auto high = [](const std::optional<one_sided::Range>& range) {
      return range ? std::optional(range->high) : std::nullopt;
    };
    table.rows.push_back({report.model.names[line.about], Short(line.odds.prior),
                          WithWorst(Told(line.odds.posterior), high(line.posterior)),
                          WithWorst(Told(line.odds.factor), high(line.factor)), Told(line.odds.pairwise),
                          line.odds.product_holds ? "yes" : "NO"});
  }
  return table;
}

report::Table NaiveTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "The exclusion attack: odds of what is missing";
  table.head = {"about", "before", "naive rejection: odds x", "with a coin: odds x"};
  for (std::size_t k = 0; k < report.naive.size(); ++k) {
    table.rows.push_back({report.model.names[report.naive[k].about], Short(report.naive[k].odds.prior),
                          Told(report.naive[k].odds.factor), Told(report.odds[k].odds.factor)});
  }
  return table;
}

report::Table ValueTable(const LeakageReport& report) {
  report::Table table;
  table.caption = "The whole law of values, before and after what was seen";
  table.head = {"of", "value", "before", "after", "x"};
  const bool limits = report.model.set.has_value();
  if (limits) table.head.insert(table.head.begin() + 4, "between");
  std::size_t absent = 0;
  double most = 0;
  for (const ValueLine& line : report.values) {
    const auto& variable = report.model.values->variables[line.variable];
    if (line.before == 0) {
      ++absent;
      if (line.limits) most = std::max(most, line.limits->high);
      continue;
    }
    std::vector<std::string> row = {variable.name, variable.values[line.value], Short(line.before), Short(line.after)};
    if (limits)
      row.push_back(line.limits ? fmt::format("{} - {}", LeftText(line.limits->low), LossText(line.limits->high))
                                : "-");
    row.push_back(Told(line.after / line.before));
    table.rows.push_back(std::move(row));
  }
  if (absent > 0 && limits)
    table.rows.push_back({"", fmt::format("{} never seen", absent), "0", "0", "each ≤" + LossText(most), "-"});
  return table;
}

/// One sentence for each attribute whose release says too much.
std::vector<std::string> Closures(const LeakageReport& report) {
  std::vector<std::string> sentences;
  for (const PairLine& line : report.pairs) {
    if (!line.closed) continue;
    sentences.push_back(fmt::format(
        "A released '{}' multiplies the odds that '{}' is sensitive by {}{}, more than e^kappa = {}, whatever "
        "epsilon is. Never release it, or declare it sensitive wherever '{}' is.",
        report.model.names[line.served], report.model.names[line.about],
        Told(line.worst ? line.worst->released : line.released), line.worst ? " at worst" : "",
        LossText(std::exp(*report.model.kappa[line.about])), report.model.names[line.about]));
  }
  return sentences;
}

std::vector<std::string> Effects(const LeakageReport& report) {
  std::vector<std::string> reinforcing, cancelling, sentences;
  for (const PairLine& line : report.pairs) {
    const std::string effect = EffectOf(line);
    const std::string pair = fmt::format("{} on {}", report.model.names[line.served], report.model.names[line.about]);
    auto& list = effect == "reinforces" ? reinforcing : cancelling;
    if ((effect == "reinforces" || effect == "cancels") && std::find(list.begin(), list.end(), pair) == list.end())
      list.push_back(pair);
  }
  if (!reinforcing.empty())
    sentences.push_back(
        fmt::format("Reinforcing (d1 > d2: both tend to be sensitive together): {}. Where both are "
                    "suppressed the odds grow by more than its own record explains.",
                    fmt::join(reinforcing, ", ")));
  if (!cancelling.empty())
    sentences.push_back(
        fmt::format("Cancelling (d1 < d2: one tends to be sensitive where the other is not): {}. A "
                    "suppressed record lowers the odds of the other; a released one raises them.",
                    fmt::join(cancelling, ", ")));
  return sentences;
}

std::string ObservedWords(const LeakageReport& report) {
  const ObservedLine& line = *report.observed;
  const std::string predicted =
      line.predicted.low == line.predicted.high
          ? Short(line.predicted.low)
          : fmt::format("between {} and {}", Short(line.predicted.low), Short(line.predicted.high));
  std::string what =
      fmt::format("Observed: {} of {} rows, {}, have '{}' sensitive after this; predicted is {}.", line.count.sensitive,
                  line.count.of, Short(static_cast<double>(line.count.sensitive) / static_cast<double>(line.count.of)),
                  report.model.names[line.count.attribute], predicted);
  if (line.factor) {
    const auto odds = std::find_if(report.odds.begin(), report.odds.end(),
                                   [&](const OddsLine& one) { return one.about == line.count.attribute; });
    what +=
        fmt::format(" Its odds are multiplied by {}; predicted is {}.", Short(*line.factor), Short(odds->odds.factor));
  }
  const double miss = report.model.confidence > 0 && !line.factor ? 1 - report.model.confidence : 0;
  const std::string rate = fmt::format(
      "p = {}; were the law right and rows independent, this test would raise an alarm with probability {} "
      "at most{}",
      Short(line.found.p_value), LossText(line.found.false_alarm),
      miss > 0 ? fmt::format(", and {} more where the limits miss it", Told(miss)) : std::string());
  if (!line.found.alarm) return fmt::format("{} That may be chance ({}).", what, rate);
  return fmt::format(
      "! {} They disagree beyond chance ({}). The law is not that of these rows, or rows depend on each other: do not "
      "rely on the figures above.",
      what, rate);
}

std::string Verdict(const LeakageReport& report) {
  const OddsLine* worst = nullptr;
  for (const OddsLine& line : report.odds) {
    if (worst == nullptr || line.odds.factor > worst->odds.factor) worst = &line;
  }
  if (worst == nullptr) return "No attribute has a secret: each is always or never sensitive.";
  const std::string most = worst->factor ? fmt::format(", and by {} at worst", Told(worst->factor->high)) : "";
  return fmt::format("{}, the odds that '{}' is sensitive are multiplied by {}{}.", report.seen,
                     report.model.names[worst->about], Told(worst->odds.factor), most);
}

bool ProductFails(const LeakageReport& report) {
  return std::any_of(report.odds.begin(), report.odds.end(),
                     [](const OddsLine& line) { return !line.odds.product_holds; });
}

}  // namespace leak

std::string LeakageText(const LeakageReport& report, std::size_t width) {
  using namespace leak;
  std::string text = Labelled("attributes", fmt::format("{}", fmt::join(report.model.names, ", ")), width) +
                     Labelled("law", SourceWords(report.model), width) + "\n";
  const auto paragraph = [&](const std::string& words) { text += Wrap(words, width, 0) + "\n\n"; };
  if (!report.model.accounts.empty()) text += Rendered(AccountTable(report), width) + "\n";
  if (!report.pairs.empty()) {
    text += Rendered(PairTable(report), width) + "\n";
    paragraph(
        "away, released: what the odds that 'about' is sensitive are multiplied by when the served record is "
        "suppressed (f1), and when it is released (f2), which does not depend on epsilon; limit: f1 as epsilon grows, "
        "d1/d2.");
    for (const std::string& sentence : Effects(report)) paragraph(sentence);
    if (report.model.set) paragraph(kWorst);
    text += Rendered(ServedTable(report), width) + "\n" + Rendered(InformationTable(report), width) + "\n";
  }
  if (!report.allowed.empty()) {
    text += Wrap("If all that the policy allows is spent and everything is suppressed:", width, 0) + "\n";
    text += Rendered(OddsTable(report, report.allowed), width) + "\n";
  }
  text += Wrap(report.seen + ":", width, 0) + "\n" + Rendered(OddsTable(report, report.odds), width) + "\n";
  if (ProductFails(report)) paragraph(kProductFails);
  if (!report.values.empty()) text += Rendered(ValueTable(report), width) + "\n";
  if (!report.naive.empty()) {
    text += Rendered(NaiveTable(report), width) + "\n";
    paragraph(kNaive);
  }
  for (const std::string& sentence : Closures(report)) text += Wrap("! " + sentence, width, 2) + "\n\n";
  text += Wrap(Verdict(report), width, 0) + "\n";
  if (report.observed) text += "\n" + Wrap(ObservedWords(report), width, 2) + "\n";
  return text;
}

}  // namespace kith::cli::lab
