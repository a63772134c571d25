// The leakage of declared applications, for programs.

#include "base/json.h"
#include "cli/leak_output.h"

namespace kith::cli::lab {
namespace {

Json Limits(const std::optional<one_sided::Range>& range) {
  return range ? Json{NumberToJson(range->low), NumberToJson(range->high)} : Json(nullptr);
}

Json OddsOf(const LeakageReport& report, const std::vector<OddsLine>& lines) {
  Json out = Json::array();
  for (const OddsLine& line : lines) {
    out.push_back({{"about", report.model.names[line.about]},
                   {"prior", NumberToJson(line.odds.prior)},
                   {"posterior", NumberToJson(line.odds.posterior)},
                   {"factor", NumberToJson(line.odds.factor)},
                   {"pairwise", NumberToJson(line.odds.pairwise)},
                   {"multiplies", line.odds.product_holds}});
    if (!report.model.set) continue;
    out.back()["posterior_limits"] = Limits(line.posterior);
    out.back()["factor_limits"] = Limits(line.factor);
  }
  return out;
}

void AddPairs(const LeakageReport& report, Json& out) {
  const auto& names = report.model.names;
  for (const PairLine& line : report.pairs) {
    Json row = {{"application", line.application},
                {"served", names[line.served]},
                {"epsilon", NumberToJson(line.epsilon)},
                {"about", names[line.about]},
                {"d1", line.pair.d1},
                {"d2", line.pair.d2},
                {"f1", NumberToJson(line.stayed_away)},
                {"f1_limit", NumberToJson(line.limit)},
                {"f2", NumberToJson(line.released)},
                {"nats", line.nats}};
    if (line.worst)
      row["worst"] = {{"f1", NumberToJson(line.worst->stayed_away)},
                      {"f1_limit", NumberToJson(line.worst->limit)},
                      {"f2", NumberToJson(line.worst->released)},
                      {"nats", line.worst->nats}};
    out["pairs"].push_back(row);
    if (line.closed) {
      out["closure"].push_back({{"served", names[line.served]},
                                {"about", names[line.about]},
                                {"f2", NumberToJson(line.worst ? line.worst->released : line.released)},
                                {"kappa", *report.model.kappa[line.about]}});
    }
  }
  for (const ServedLine& line : report.served) {
    out["served"].push_back({{"application", line.application},
                             {"served", names[line.served]},
                             {"epsilon", NumberToJson(line.epsilon)},
                             {"nats", line.nats}});
    if (line.worst) out["served"].back()["worst"] = *line.worst;
  }
}

}  // namespace

std::string LeakageJson(const LeakageReport& report) {
  const auto& names = report.model.names;
  Json out = {{"source", report.model.source}, {"attributes", Json::array()},  {"pairs", Json::array()},
              {"served", Json::array()},       {"information", Json::array()}, {"closure", Json::array()}};
  if (report.model.sample > 0) out["sample"] = report.model.sample;
  if (report.model.confidence > 0) out["confidence"] = report.model.confidence;
  for (std::size_t a = 0; a < names.size(); ++a)
    out["attributes"].push_back({{"name", names[a]}, {"sensitive", report.model.law.Sensitive(a)}});
  for (const ReleasedSoFar& one : report.model.accounts) {
    out["released"].push_back({{"attribute", one.attribute},
                               {"application", one.application},
                               {"rule", one.rule},
                               {"releases", one.releases},
                               {"spent", one.spent},
                               {"limit", one.limit}});
  }
  AddPairs(report, out);
  for (const InformationLine& line : report.information) {
    Json row = {{"about", names[line.about]}, {"nats", line.nats}, {"entropy", line.entropy}};
    row["application"] = line.application.empty() ? Json(nullptr) : Json(line.application);
    if (line.worst) row["worst"] = *line.worst;
    out["information"].push_back(row);
  }
  out["odds"] = OddsOf(report, report.odds);
  if (!report.allowed.empty()) out["allowed"] = OddsOf(report, report.allowed);
  if (!report.naive.empty()) out["naive"] = OddsOf(report, report.naive);
  for (const ValueLine& line : report.values) {
    const auto& variable = report.model.values->variables[line.variable];
    out["values"].push_back({{"of", variable.name},
                             {"value", variable.values[line.value]},
                             {"before", line.before},
                             {"after", line.after},
                             {"after_limits", Limits(line.limits)}});
  }
  if (report.observed) {
    const ObservedLine& line = *report.observed;
    out["observed"] = {{"about", names[line.count.attribute]},
                       {"sensitive", line.count.sensitive},
                       {"of", line.count.of},
                       {"predicted", {line.predicted.low, line.predicted.high}},
                       {"p_value", line.found.p_value},
                       {"false_alarm", line.found.false_alarm},
                       {"alarm", line.found.alarm}};
    if (line.factor) out["observed"]["factor"] = NumberToJson(*line.factor);
  }
  return JsonText(out);
}

std::string LeakageJson(const PartialReport& report) {
  const auto& names = report.model.names;
  Json out = {{"source", report.model.source}, {"attributes", Json::array()}, {"pairs", Json::array()}};
  for (std::size_t a = 0; a < names.size(); ++a)
    out["attributes"].push_back(
        {{"name", names[a]}, {"sensitive", {report.model.prior[a].low, report.model.prior[a].high}}});
  for (const auto& line : report.lines) {
    const auto& pair = report.model.limits[line.served][line.about];
    out["pairs"].push_back({{"application", line.application},
                            {"served", names[line.served]},
                            {"epsilon", NumberToJson(line.epsilon)},
                            {"about", names[line.about]},
                            {"d1", {pair.d1.low, pair.d1.high}},
                            {"d2", {pair.d2.low, pair.d2.high}},
                            {"f1", Limits(line.away)},
                            {"f2", Limits(line.released)},
                            {"with_own", Limits(line.own)},
                            {"nats", line.nats}});
  }
  return JsonText(out);
}

}  // namespace kith::cli::lab
