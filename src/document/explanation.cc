#include "base/json.h"
#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "release/answer_json.h"
#include "release/guarantee_json.h"

namespace kith::document {
namespace {

Json StatisticJson(const NoiseLine& line, const std::string& reason) {
  Json out = {{"name", line.statistic},
              {"sensitivity", line.sensitivity},
              {"reason", reason},
              {"lattice", line.lattice},
              {"plain_epsilon", line.share.epsilon()},
              {"plain_units", line.share.count()},
              {"scale", NumberToJson(line.scale)},
              {"error_95", NumberToJson(line.error_95)},
              {"error_95_all", NumberToJson(line.error_95_all)},
              {"in_rows", line.in_rows}};
  if (!line.stratum.empty()) out["stratum"] = line.stratum;
  if (line.mu > 0) {
    out["mu"] = line.mu;
    out["distribution"] = line.law;
  }
  if (line.interval)
    out["interval"] = {{"error_95_with", NumberToJson(line.interval->with)},
                       {"error_95_without", NumberToJson(line.interval->without)}};
  return out;
}

void ReadStatistic(const Json& in, Explanation& e) {
  NoiseLine& line = e.noise.emplace_back();
  line.statistic = in.at("name");
  line.sensitivity = NumberFromJson(in.at("sensitivity"));
  line.lattice = NumberFromJson(in.at("lattice"));
  line.share = PlainUnits::Of(in.at("plain_units"));
  line.scale = NumberFromJson(in.at("scale"));
  line.error_95 = NumberFromJson(in.at("error_95"));
  line.error_95_all = NumberFromJson(in.at("error_95_all"));
  line.in_rows = in.at("in_rows");
  line.stratum = in.value("stratum", std::string());
  line.mu = in.value("mu", 0.0);
  line.law = in.value("distribution", std::string());
  if (in.contains("interval"))
    line.interval = {NumberFromJson(in.at("interval").at("error_95_with")),
                     NumberFromJson(in.at("interval").at("error_95_without"))};
  if (!line.stratum.empty() && line.stratum != e.noise.front().stratum) return;  // the statistics of the first, again
  e.plan.statistics.push_back({line.statistic, Lattice(), Sensitivities::None(), in.at("reason")});
}

Explanation Read(const Json& in) {
  Explanation e;
  e.plan.normalised = in.at("question");
  e.plan.notes = NotesFrom(in);
  if (const std::size_t groups = in.at("groups"); groups > 1)
    e.plan.keys.push_back({{}, std::vector<Value>(groups), false});
  e.sql = in.at("sql");
  e.units = PlainUnits::Of(in.at("plain").at("units"));
  e.mu = in.at("plain").value("mu", 0.0);
  e.delta = in.at("plain").value("delta", 0.0);
  if (in.at("plain").contains("presence")) e.presence = PlainUnits::Of(in.at("plain").at("presence").at("units"));
  e.plain_spent_before = NumberFromJson(in.at("plain_spent_before"));
  e.dependent_before = NumberFromJson(in.at("dependent_before"));
  e.guarantee = GuaranteeFromJson(in.at("guarantee"));
  e.unit = UnitFromJson(in);
  if (in.contains("household_before")) e.household_before = NumberFromJson(in.at("household_before"));
  e.charged_cells = in.at("charged_cells");
  e.cells = in.at("cells");
  e.affordable = in.at("affordable");
  if (in.contains("details")) e.details = JsonValue(in.at("details"));
  e.refusal = in.at("refusal");
  e.stored = in.value("stored", false);
  for (const Json& statistic : in.at("statistics")) ReadStatistic(statistic, e);
  for (const Json& line : in.at("averages")) {
    AverageError& average = e.averages.emplace_back();
    average.output = line.at("output");
    average.stratum = line.value("stratum", std::string());
    for (const Json& at : line.at("by_rows"))
      average.at.push_back({NumberFromJson(at.at("rows")), NumberFromJson(at.at("error_95"))});
  }
  for (const Json& line : in.value("stages", Json::array())) {
    ExplainedStage& stage = e.stages.emplace_back();
    stage.question = line.at("question");
    if (line.contains("plain_epsilon")) stage.plain = NumberFromJson(line.at("plain_epsilon"));
    for (const Json& constant : line.value("constants", Json::array()))
      stage.constants.push_back({constant.at("name").get<std::string>(), constant.at("stage").get<std::size_t>(),
                                 ValueFromJson(constant.at("low")), ValueFromJson(constant.at("high"))});
  }
  for (const Json& line : in.value("usefulness", Json::array())) {
    Usefulness& worth = e.usefulness.emplace_back();
    worth.output = line.at("output");
    worth.stratum = line.value("stratum", std::string());
    worth.error_95 = NumberFromJson(line.at("error_95"));
    worth.low = line.at("low");
    worth.high = line.at("high");
    worth.only_noise = line.at("only_noise");
    worth.at_best = line.value("at_best", false);
    worth.in_rows = line.value("in_rows", false);
    worth.units = line.value("units", 0.0);
    worth.several = line.value("largest_group", false);
    worth.assumed = line.value("all_in_one_group", false);
    if (!worth.only_noise) continue;
    worth.times = line.at("times_epsilon");
    worth.then_95 = NumberFromJson(line.at("then_error_95"));
    worth.group = line.value("group_size", std::int64_t{0});
    const std::string beyond = line.value("beyond", "");
    if (beyond == "left") worth.beyond = Usefulness::Beyond::kLeft;
    if (beyond == "budget") worth.beyond = Usefulness::Beyond::kBudget;
  }
  return e;
}

Json UsefulnessJson(const Usefulness& worth) {
  Json out = {{"output", worth.output}, {"error_95", NumberToJson(worth.error_95)}, {"low", worth.low},
              {"high", worth.high},     {"only_noise", worth.only_noise},           {"at_best", worth.at_best}};
  if (worth.in_rows) out["in_rows"] = true;
  if (worth.units > 0) out["units"] = worth.units;
  if (worth.several) out["largest_group"] = true;
  if (worth.assumed) out["all_in_one_group"] = true;
  if (!worth.stratum.empty()) out["stratum"] = worth.stratum;
  if (!worth.only_noise) return out;
  out["times_epsilon"] = worth.times;
  out["then_error_95"] = NumberToJson(worth.then_95);
  if (worth.group > 0) out["group_size"] = worth.group;
  if (worth.beyond != Usefulness::Beyond::kNothing)
    out["beyond"] = worth.beyond == Usefulness::Beyond::kLeft ? "left" : "budget";
  return out;
}

Json StageJson(const ExplainedStage& stage) {
  Json out = {{"question", stage.question}};
  if (stage.plain) out["plain_epsilon"] = NumberToJson(*stage.plain);
  for (const auto& constant : stage.constants)
    out["constants"].push_back({{"name", constant.name},
                                {"stage", constant.stage},
                                {"low", ValueToJson(constant.low)},
                                {"high", ValueToJson(constant.high)}});
  return out;
}

}  // namespace

Json ToJson(const Explanation& e) {
  const Guarantee& g = e.guarantee;
  Json out = {{"question", e.plan.normalised},
              {"sql", e.sql},
              {"groups", e.plan.shown_groups()},
              {"plain", {{"epsilon", e.units.epsilon()}, {"units", e.units.count()}}},
              {"plain_spent_before", e.plain_spent_before},
              {"plain_spent_after", g.plain},
              {"dependent_before", NumberToJson(e.dependent_before)},
              {"dependent_after", NumberToJson(g.dependent)},
              {"bound", g.bound},
              {"adversary", g.adversary},
              {"assumption", g.assumption},
              {"neighbours", g.neighbours},
              {"guarantee", ToJson(g)},
              {"charged_cells", e.charged_cells},
              {"cells", e.cells},
              {"affordable", e.affordable},
              {"refusal", e.refusal}};
  if (e.delta > 0) out["plain"]["delta"] = e.delta;
  if (e.mu > 0) {
    out["plain"]["mu"] = e.mu;
    if (e.units.count() == 0) out["plain"]["epsilon"] = nullptr;  // no pure loss bounds it
  }
  if (e.presence) out["plain"]["presence"] = {{"epsilon", e.presence->epsilon()}, {"units", e.presence->count()}};
  if (e.household_before) {
    out["unit"] = UnitName(e.unit);
    out["household_before"] = NumberToJson(*e.household_before);
  }
  if (e.stored) out["stored"] = true;
  PutNotes(e.plan.notes, out);
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (g.audit) out["audit"] = AuditToJson(*g.audit);
  if (!g.moves.empty()) out["moves"] = g.moves;
  if (!g.one_sided.empty()) out["one_sided"] = g.one_sided;
  out["statistics"] = Json::array();
  // With strata the statistics come once for each of them.
  const auto& statistics = e.plan.statistics;
  for (std::size_t k = 0; k < e.noise.size(); ++k) {
    const std::size_t of = e.noise[k].stratum.empty() || statistics.empty() ? k : k % statistics.size();
    out["statistics"].push_back(StatisticJson(e.noise[k], of < statistics.size() ? statistics[of].reason : ""));
  }
  out["averages"] = Json::array();
  for (const AverageError& line : e.averages) {
    Json by_rows = Json::array();
    for (const auto& at : line.at) by_rows.push_back({{"rows", at.rows}, {"error_95", NumberToJson(at.error_95)}});
    out["averages"].push_back({{"output", line.output}, {"by_rows", std::move(by_rows)}});
    if (!line.stratum.empty()) out["averages"].back()["stratum"] = line.stratum;
  }
  for (const Usefulness& worth : e.usefulness) out["usefulness"].push_back(UsefulnessJson(worth));
  for (const ExplainedStage& stage : e.stages) out["stages"].push_back(StageJson(stage));
  if (!e.details.empty()) out["details"] = *e.details;
  return out;
}

Result<Explanation> ExplanationFrom(const Json& in) { return ReadDocument("what a question costs", in, Read); }

}  // namespace kith::document
