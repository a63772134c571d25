#include "base/json.h"
#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "document/words.h"
#include "release/answer_json.h"
#include "release/guarantee_json.h"

namespace kith::document {
namespace {

Json LineJson(const HistoryLine& line, bool stream, bool nested) {
  Json out = {{"number", line.number},
              {"time", line.unix_seconds},
              {"question", line.question},
              {"plain_epsilon", line.units.epsilon()},
              {"plain_units", line.units.count()},
              {"presence_units", line.presence.count()},
              {"cells", line.cells.size()},
              {"one_sided_attribute", line.one_sided_account},
              {"one_sided_epsilon", line.one_sided_units.epsilon()},
              {"one_sided_units", line.one_sided_units.count()},
              {"answered", line.answered},
              {"ledger_hash", line.head}};
  if (stream) out["step"] = line.tick;
  if (nested) out["unit"] = UnitName(line.level);
  if (!line.caller.empty()) out["caller"] = line.caller;
  if (line.mu > 0) out["mu_squared_units"] = line.mu;
  if (line.mu > 0 || line.delta > 0) out["delta_units"] = line.delta;
  return out;
}

HistoryLine LineOf(const Json& in) {
  HistoryLine line;
  line.number = in.at("number");
  line.unix_seconds = in.at("time");
  line.question = in.at("question");
  line.units = PlainUnits::Of(in.at("plain_units"));
  line.presence = PlainUnits::Of(in.value("presence_units", line.units.count()));
  line.cells.resize(in.at("cells"));
  line.one_sided_account = in.at("one_sided_attribute");
  line.one_sided_units = PlainUnits::Of(in.at("one_sided_units"));
  line.answered = in.at("answered");
  line.head = in.at("ledger_hash");
  line.tick = in.value("step", std::int64_t{0});
  line.caller = in.value("caller", std::string());
  line.level = UnitFromJson(in);
  line.mu = in.value("mu_squared_units", std::int64_t{0});
  line.delta = in.value("delta_units", std::int64_t{0});
  return line;
}

Json CellJson(const BudgetReport::Cell& cell, bool alone, bool nested) {
  const Json dependent = NumberToJson(cell.dependent_spent);
  Json out = {{"name", cell.name},
              {"plain_spent", cell.plain_spent},
              {"plain_budget", cell.plain_budget},
              {"plain_any", cell.plain_any},
              {"plain_presence", cell.plain_presence},
              {"epsilon_left", cell.epsilon_left},
              {"dependent_spent", alone ? Json() : dependent}};
  if (alone) out["noisy_answers_alone"] = dependent;
  if (nested) out["plain_household"] = cell.plain_household;
  if (cell.mu_cap > 0) {
    out["mu_spent"] = cell.mu_spent;
    out["mu_cap"] = cell.mu_cap;
  }
  if (cell.delta_cap > 0) {
    out["delta_spent"] = cell.delta_spent;
    out["delta_cap"] = cell.delta_cap;
  }
  return out;
}

BudgetReport::Cell CellOf(const Json& in) {
  const bool alone = in.contains("noisy_answers_alone");
  return {in.at("name"),
          in.at("plain_spent"),
          in.at("plain_budget"),
          NumberFromJson(in.at(alone ? "noisy_answers_alone" : "dependent_spent")),
          in.at("plain_any"),
          in.value("plain_household", 0.0),
          in.value("epsilon_left", 0.0),
          in.value("plain_presence", in.at("plain_spent").get<double>()),
          in.value("mu_spent", 0.0),
          in.value("mu_cap", 0.0),
          in.value("delta_spent", 0.0),
          in.value("delta_cap", 0.0)};
}

BudgetReport Read(const Json& in) {
  BudgetReport report;
  report.epsilon_total = in.at("epsilon_total");
  report.epsilon_left = in.value("epsilon_left", 0.0);
  report.guarantee = GuaranteeFromJson(in.at("guarantee"));
  report.head = in.at("ledger_hash");
  report.policy_changed = in.at("policy_changed");
  report.continued_in = in.value("continued_in", "");
  report.moved = in.at("moved");
  for (const Json& line : in.at("one_sided")) {
    BudgetReport::OneSidedLine& account = report.one_sided.emplace_back();
    account.account = {line.at("attribute"), PlainUnits::Of(line.at("spent_units")),
                       line.at("rules").get<std::vector<std::string>>()};
    if (!line.at("limit").is_null()) account.limit = NumberFromJson(line.at("limit"));
  }
  if (in.contains("allowance")) {
    const Json& own = in.at("allowance");
    report.allowance = {own.at("name"), PlainUnits::Of(own.at("plain_units")), PlainUnits::Of(own.at("spent_units"))};
  }
  for (const Json& cell : in.at("cells")) report.cells.push_back(CellOf(cell));
  for (const Json& line : in.at("versions"))
    report.versions.push_back(
        {line.at("number"), line.at("version"), line.at("time"), line.at("after_charge"), line.at("cells_merged")});
  for (const Json& line : in.value("policy_versions", Json::array()))
    report.generations.push_back({line.at("number"), line.at("time"), line.at("after_charge"), {}});
  for (const Json& line : in.at("history")) report.history.push_back(LineOf(line));
  return report;
}

}  // namespace

Json ToJson(const BudgetReport& report, const std::string& stay) {
  const Guarantee& g = report.guarantee;
  const bool alone = !g.one_sided.empty();  // no loss of everything that was released has a bound
  Json out = {{"epsilon_total", report.epsilon_total},
              {"epsilon_left", report.epsilon_left},
              {"bound", g.bound},
              {"adversary", g.adversary},
              {"assumption", g.assumption},
              {"guarantee", ToJson(g)},
              {"ledger_hash", report.head},
              {"data_version", g.version},
              {"policy_changed", report.policy_changed},
              {"moved", report.moved},
              {"dependent_total", alone ? Json() : NumberToJson(TotalAtMost(report))},
              {"one_sided", Json::array()},
              {"cells", Json::array()},
              {"versions", Json::array()},
              {"policy_versions", Json::array()},
              {"history", Json::array()}};
  if (!report.continued_in.empty()) out["continued_in"] = report.continued_in;
  if (!stay.empty()) out["about"] = "a unit " + stay;
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (g.audit) out["audit"] = AuditToJson(*g.audit);
  if (!g.moves.empty()) out["moves"] = g.moves;
  if (alone) out["one_sided_warning"] = g.one_sided;
  if (report.allowance) {
    out["allowance"] = {{"name", report.allowance->name},
                        {"plain", report.allowance->allowed.epsilon()},
                        {"plain_units", report.allowance->allowed.count()},
                        {"spent", report.allowance->spent.epsilon()},
                        {"spent_units", report.allowance->spent.count()}};
  }
  for (const auto& line : report.one_sided) {
    out["one_sided"].push_back({{"attribute", line.account.name},
                                {"spent", line.account.spent.epsilon()},
                                {"spent_units", line.account.spent.count()},
                                {"limit", line.limit ? NumberToJson(*line.limit) : Json()},
                                {"rules", line.account.rules}});
  }
  for (const auto& cell : report.cells) out["cells"].push_back(CellJson(cell, alone, g.household.has_value()));
  for (const auto& line : report.versions) {
    out["versions"].push_back({{"number", line.number},
                               {"version", line.label},
                               {"time", line.unix_seconds},
                               {"after_charge", line.after_charge},
                               {"cells_merged", line.merged}});
  }
  for (const auto& line : report.generations) {
    out["policy_versions"].push_back(
        {{"number", line.number}, {"time", line.unix_seconds}, {"after_charge", line.after_charge}});
  }
  for (const auto& line : report.history)
    out["history"].push_back(LineJson(line, !stay.empty(), g.household.has_value()));
  return out;
}

Result<BudgetReport> BudgetFrom(const Json& in) { return ReadDocument("a budget", in, Read); }

}  // namespace kith::document
