#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "document/estimates.h"
#include "document/words.h"
#include "transfer/transfer.h"

namespace kith::document {
namespace {

using estimate::Strength;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Percent(double confidence) { return fmt::format("{:.10g} %", 100 * confidence); }

std::string OddsText(double odds_ratio) { return std::isinf(odds_ratio) ? "inf" : fmt::format("{}", odds_ratio); }

/// A string as TOML writes it.
std::string Toml(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

bool OfGroups(const EstimateQuestion& question) {
  return question.of == "pairs" || question.of == "households" || question.of == "distances";
}

// The records that group privacy would take together.
std::int64_t LargestComponent(const estimate::Network& network) {
  std::vector<std::uint32_t> root(network.values.size());
  for (std::uint32_t i = 0; i < root.size(); ++i) root[i] = i;
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const auto& [a, b] : network.edges) root[find(a)] = find(b);
  std::vector<std::int64_t> size(root.size(), 0);
  std::int64_t largest = 1;
  for (std::uint32_t i = 0; i < root.size(); ++i) largest = std::max(largest, ++size[find(i)]);
  return largest;
}

/// Every probability of a step in its limits, with four digits, rounded outwards.
TableRegion StepsWithin(const estimate::Estimate& found) {
  constexpr double kDigits = 1e4;
  std::size_t values = 1;
  while (values * values < found.findings.size()) ++values;
  TableRegion table{LawTable(values), LawTable(values)};
  for (std::size_t k = 0; k < found.findings.size(); ++k) {
    const estimate::Limits& limits = found.findings[k].limits;
    table.low[k / values].push_back(std::max(0.0, std::floor(limits.lower * kDigits) / kDigits));
    table.high[k / values].push_back(std::min(1.0, std::ceil(limits.upper * kDigits) / kDigits));
  }
  return table;
}

ChainRegion DeclaredChain(const EstimateReport& report) {
  return {{StepsWithin(report.estimate)}, std::nullopt, report.question.size};
}

std::string TableText(const TableRegion& table) {
  std::vector<std::string> rows;
  for (std::size_t a = 0; a < table.low.size(); ++a) {
    std::vector<std::string> row;
    for (std::size_t x = 0; x < table.low[a].size(); ++x)
      row.push_back(fmt::format("[{}, {}]", table.low[a][x], table.high[a][x]));
    rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  }
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

std::string Declaration(const EstimateReport& report) {
  const EstimateQuestion& question = report.question;
  const std::string comment = OneLine(fmt::format("# {} upper limit from {} {} ({}, {})", Percent(question.confidence),
                                                  report.sample, report.unit, question.source, question.consent));
  std::string text = fmt::format("[dependence]\nsource = \"public\"\nconfidence = {}\n", question.confidence);
  const auto& strengths = report.estimate.strengths;
  if (question.of == "network") {
    return text + fmt::format("kind = \"field\"\nnodes = {}\nedges = {}\ntheta = {}  {}\n", question.size,
                              Toml(question.edges), OddsText(estimate::RoundedUp(strengths.front().theta)), comment);
  }
  if (question.of == "chain") {
    std::string limits = comment;
    if (const auto upper = limits.find(" upper limit"); upper != std::string::npos)
      limits.replace(upper, 12, " limits");
    text += "kind = \"chain\"\n" + (question.by.empty() ? "" : fmt::format("by = {}\n", Toml(question.by)));
    return text + fmt::format("transition = {}  {}\nstart = \"any\"\nlength = {}\n",
                              TableText(StepsWithin(report.estimate)), limits, question.size);
  }
  text += fmt::format("kind = \"group\"\nby = {}\nsize = {}\n", Toml(question.by.empty() ? "pair" : question.by),
                      question.size);
  std::string strength = OddsText(strengths.front().odds_ratio);
  if (strengths.size() > 1 || !strengths.front().stratum.empty()) {
    std::vector<std::string> parts;
    for (const Strength& s : strengths)
      parts.push_back(fmt::format("{} = {}", Toml(s.stratum), OddsText(s.odds_ratio)));
    strength = fmt::format("{{ {} = {{ {} }} }}", Toml(question.stratum.empty() ? "stratum" : question.stratum),
                           fmt::join(parts, ", "));
  }
  if (question.attribute.empty() || std::isinf(report.estimate.Largest()))  // non-negative ties need limits
    return text + fmt::format("odds_ratio = {}  {}\n", strength, comment);
  return text + fmt::format("attribute = {}\nshared = {{ odds_ratio = {} }}  {}\n", Toml(question.attribute), strength,
                            comment);
}

std::vector<std::string> Conditions(const EstimateQuestion& question, const estimate::Sample& sample) {
  std::vector<std::string> conditions;
  const std::string sampled = " are a random sample of the people who are protected, or of people who are tied no less";
  if (question.of == "distances") {
    conditions.push_back("The pairs" + sampled +
                         ". No pair says anything about another (nobody is in two of them, which was checked), and "
                         "their order says nothing.");
    conditions.push_back(
        "Given where the first is, the second is at distance d with a probability in proportion to (d + b)^-c, "
        "distances being summed over the axes, with b between a thousandth and ten times the largest distance.");
    conditions.push_back("Places are those of the axes, here as in the protected data; nobody is anywhere else.");
  } else if (question.of == "pairs") {
    conditions.push_back("The pairs" + sampled + ".");
    if (std::holds_alternative<estimate::Groups>(sample))
      conditions.push_back("Nothing public tells which of the two comes first (twins do, husband and wife do not).");
  } else if (question.of == "households") {
    conditions.push_back("The groups" + sampled + ", and nothing public tells members apart.");
    if (std::holds_alternative<estimate::Ties>(sample)) {
      conditions.push_back(
          "The odds ratio of two members is the same whatever the others are, and in groups of all sizes. The order of "
          "rows has nothing to do with values: the first two of each group are looked at.");
    }
    if (!question.attribute.empty()) {
      conditions.push_back(
          "All that ties members of a group is one cause that acts in the same direction on all. That is false where "
          "they "
          "infect each other, inherit from two parents or share two causes, and no study shows that it is true.");
    }
    conditions.push_back(fmt::format("Groups have at most {} members: larger ones were not seen.", question.size));
  } else if (question.of == "chain") {
    conditions.push_back(
        "A value depends on the one before it and on nothing earlier, in the same way at all times and "
        "in all chains. When counting stopped does not matter, and a chain may begin anywhere.");
    conditions.push_back(fmt::format("Chains have at most {} records.", question.size));
  } else {
    conditions.push_back(
        "Ties have one strength; given everybody else, people of one class with as many neighbours, and "
        "as many of those that say yes, have the same odds.");
    conditions.push_back("The network is that of the people who are protected, or one with ties that are no weaker.");
  }
  if (OfGroups(question) && question.of != "distances") {
    conditions.push_back(
        question.stratum.empty()
            ? "There is one stratum: no public column goes with how common yes is, or with the strength."
            : "Strata are those of the public columns; they were not pooled.");
  }
  if (question.left_out > 0) {
    conditions.push_back(
        fmt::format("Left out of the file, since something is missing: {}. That must have nothing to do with values.",
                    question.left_out));
  }
  return conditions;
}

Result<std::vector<EstimateWorth>> WorthOf(const EstimateReport& report, const estimate::Network& network) {
  std::vector<EstimateWorth> worth;
  const EstimateQuestion& question = report.question;
  for (const Strength& s : report.estimate.strengths) {
    EstimateWorth line{s.stratum, 1, static_cast<double>(question.size)};
    if (question.of == "network") line.group = static_cast<double>(LargestComponent(network));
    if (question.of == "chain") {
      const auto multiple = NoiseMultiple(DeclaredChain(report), question.epsilon);
      if (!multiple) return multiple.error();
      line.declared = *multiple;
    } else if (std::isinf(s.theta)) {
      line.declared = line.group;
    } else {
      const auto multiple = NoiseMultiple(DeclaredModel(question, s.theta, network), question.epsilon);
      if (!multiple) return multiple.error();
      line.declared = *multiple;
    }
    worth.push_back(std::move(line));
  }
  return worth;
}

Json LimitsJson(const estimate::Limits& limits) {
  return {{"lower", NumberToJson(limits.lower)}, {"upper", NumberToJson(limits.upper)}};
}

}  // namespace

// How much more noise: what a record by itself may lose, over what may be lost under this model.
Result<double> NoiseMultiple(const Model& model, double epsilon) {
  const auto all = Transfer::Make(model);
  if (!all) return all.error();
  const auto transfer = all->ForBudget(epsilon);  // as a policy takes it
  if (!transfer) return transfer.error();
  const auto plain = transfer->PlainBudget(epsilon);
  if (!plain) return plain.error();
  return *plain > 0 ? epsilon / *plain : kInfinity;
}

Model DeclaredModel(const EstimateQuestion& question, double theta, const estimate::Network& network) {
  if (OfGroups(question)) {
    Group group;
    group.size = question.size;
    GroupClass only;
    if (std::isfinite(theta)) only.odds_ratio = estimate::RoundedUp(std::exp(theta));
    if (!question.attribute.empty() && only.odds_ratio) {
      group.attribute = question.attribute;
      group.ties = Ties::kNonNegative;
      group.shared = SharedBy::kOddsRatio;
    }
    group.classes.push_back(std::move(only));
    return group;
  }
  Field field;
  field.nodes = question.size;
  const double strength = estimate::RoundedUp(theta);
  for (const auto& [a, b] : network.edges) field.edges.push_back({a, b, strength});
  return field;
}

std::string ModelText(const EstimateReport& report) {
  const TableRegion table = StepsWithin(report.estimate);
  Json rows = Json::array();
  for (std::size_t a = 0; a < table.low.size(); ++a) {
    rows.push_back(Json::array());
    for (std::size_t x = 0; x < table.low[a].size(); ++x)
      rows.back().push_back(Json::array({table.low[a][x], table.high[a][x]}));
  }
  return JsonText(Json{{"kind", "chain"}, {"transition", rows}, {"start", "any"}, {"length", report.question.size}}) +
         "\n";
}

Result<EstimateReport> MakeReport(const EstimateQuestion& question, const estimate::Sample& sample,
                                  const estimate::Network& network) {
  EstimateReport report;
  report.question = question;
  const auto sign = question.attribute.empty() ? estimate::Sign::kEither : estimate::Sign::kNonNegative;
  auto found = estimate::Make(sample, question.confidence, sign);
  if (!found) return found.error();
  report.estimate = std::move(*found);
  auto outlook = estimate::LookAhead(sample, question.confidence, sign);
  if (!outlook) return outlook.error();
  report.outlook = std::move(*outlook);
  report.sample = estimate::SizeOf(sample);
  report.unit = estimate::UnitOf(sample);
  auto worth = WorthOf(report, network);
  if (!worth) return worth.error();
  report.worth = std::move(*worth);
  report.declaration = Declaration(report);
  report.conditions = Conditions(question, sample);
  return report;
}

Json ToJson(const EstimateReport& report) {
  const EstimateQuestion& question = report.question;
  Json out = {{"estimate", question.of},           {"source", question.source},      {"data", question.consent},
              {"confidence", question.confidence}, {"sample", report.sample},        {"unit", report.unit},
              {"left_out", question.left_out},     {"size", question.size},          {"epsilon", question.epsilon},
              {"findings", Json::array()},         {"strengths", Json::array()},     {"outlook", Json::array()},
              {"declaration", report.declaration}, {"conditions", report.conditions}};
  for (const auto& finding : report.estimate.findings) {
    Json line = {{"of", finding.of}, {"sample", finding.sample}, {"estimate", NumberToJson(finding.estimate)}};
    line["limits"] = LimitsJson(finding.limits);
    if (!finding.stratum.empty()) line["stratum"] = finding.stratum;
    out["findings"].push_back(std::move(line));
  }
  for (std::size_t k = 0; k < report.estimate.strengths.size(); ++k) {
    const Strength& s = report.estimate.strengths[k];
    Json line = {{"theta", NumberToJson(s.theta)},
                 {"odds_ratio", NumberToJson(s.odds_ratio)},
                 {"estimate", NumberToJson(s.estimate)},
                 {"sample", s.sample},
                 {"noise", NumberToJson(report.worth[k].declared)},
                 {"group_noise", NumberToJson(report.worth[k].group)}};
    if (!s.stratum.empty()) line["stratum"] = s.stratum;
    out["strengths"].push_back(std::move(line));
  }
  for (const auto& more : report.outlook.steps) {
    out["outlook"].push_back(
        {{"times", more.times}, {"sample", more.sample}, {"odds_ratio", NumberToJson(more.odds_ratio)}});
  }
  if (report.outlook.half > 0) out["half_with_times"] = report.outlook.half;
  return out;
}

std::string InWords(const EstimateReport& report) {
  const double odds = report.estimate.Largest();
  const std::string people = report.question.of == "distances" ? "the place of one person that one is linked with"
                             : report.question.of == "chain"   ? "the value one step earlier"
                             : report.question.of == "network" ? "the value of one contact"
                                                               : "the value of one member of the same group";
  const auto worst = std::max_element(report.worth.begin(), report.worth.end(),
                                      [](const auto& a, const auto& b) { return a.declared < b.declared; });
  if (std::isinf(odds) && report.question.of == "chain") {
    return fmt::format(
        "In a study of {} {} we measured how likely each value is after each other one. Some step was never seen, so "
        "one value may rule out another; what the study does say limits the loss. The noise that is added to each "
        "count "
        "is {} times what independent values would need, and {} times if all values of a chain had to be taken for the "
        "same. The study's data are {}; the data that are to be protected were not used.",
        report.sample, report.unit, Short(worst->declared), Short(worst->group),
        report.question.consent == "public" ? "public" : "of people who agreed to this use");
  }
  if (std::isinf(odds)) {
    return fmt::format(
        "The study of {} {} puts no limit on how much {} can say about a person's own. Until there is more data, the "
        "noise must be large enough even if one value gave away all the others of its group.",
        report.sample, report.unit, people);
  }
  return fmt::format(
      "In a study of {} {} we measured how much {} says about a person's own. It multiplies the odds at most by {}; we "
      "are {} sure of that, which means that a study like this one goes wrong at most {} times in a thousand. If "
      "somebody knows such values and this strength, the noise that is added to each count protects a person as "
      "promised, because it is {} times what independent people would need. If we had to assume that values within "
      "reach of each other are all the same, it would be {} times. {}The study's data are {}; the data that are to be "
      "protected were not used.",
      report.sample, report.unit, people, OddsText(odds), Percent(report.question.confidence),
      Short(std::ceil(1000 * (1 - report.question.confidence) - 1e-9)), Short(worst->declared), Short(worst->group),
      report.question.attribute.empty()
          ? ""
          : "We promise this only if all that members of a group share is one cause that acts in the same direction on "
            "all: not where they infect each other, inherit from two parents, or share two causes. ",
      report.question.consent == "public" ? "public" : "of people who agreed to this use");
}

}  // namespace kith::document
