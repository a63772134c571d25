#include "release/guarantee_json.h"

#include "release/loss_words.h"

namespace kith {
namespace {

Json HouseholdToJson(const Guarantee::Household& h) {
  return {{"level", h.level},
          {"size", h.size},
          {"plain", NumberToJson(h.plain)},
          {"dependent", NumberToJson(h.dependent)},
          {"neighbours", h.neighbours},
          {"allowed", h.cap ? Json(*h.cap) : Json()}};
}

Guarantee::Household HouseholdFromJson(const Json& j) {
  Guarantee::Household h{.level = j.at("level"),
                         .size = j.at("size"),
                         .plain = NumberFromJson(j.at("plain")),
                         .dependent = NumberFromJson(j.at("dependent")),
                         .neighbours = j.at("neighbours")};
  if (!j.at("allowed").is_null()) h.cap = j.at("allowed");
  return h;
}

// What holds under caps; nothing without them.
void PutDelta(const Guarantee& g, Json& out) {
  if (!g.CountsDelta()) return;
  Json curve = Json::array();
  for (const Guarantee::At& at : g.curve) curve.push_back({{"epsilon", at.epsilon}, {"delta", at.delta}});
  Json& with = out["with_delta"];
  with = {{"epsilon", g.dependent},       {"delta", g.delta},       {"plain_epsilon", g.plain},
          {"plain_delta", g.plain_delta}, {"mu_cap", g.mu_cap},     {"mu_spent", g.mu_spent},
          {"curve", std::move(curve)},    {"in_words", CapsText(g)}};
  if (g.pure) with["pure"] = {{"plain", NumberToJson(g.pure->plain)}, {"dependent", NumberToJson(g.pure->dependent)}};
}

void ReadDelta(const Json& in, Guarantee& g) {
  if (!in.contains("with_delta")) return;
  const Json& with = in.at("with_delta");
  g.delta = with.at("delta");
  g.plain_delta = with.at("plain_delta");
  g.mu_cap = with.at("mu_cap");
  g.mu_spent = with.at("mu_spent");
  for (const Json& at : with.at("curve")) g.curve.push_back({at.at("epsilon"), at.at("delta")});
  if (!with.contains("pure")) return;
  const Json& pure = with.at("pure");
  g.pure = Guarantee::Pure{NumberFromJson(pure.at("plain")), NumberFromJson(pure.at("dependent"))};
}

}  // namespace

Json AuditToJson(const Audit& audit) {
  return {{"dependent", NumberToJson(audit.dependent)}, {"exact", audit.exact}, {"of", audit.of}};
}

void PutLabels(const Guarantee& g, Json& out) {
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (!g.one_sided.empty()) out["one_sided"] = g.one_sided;
  if (g.audit) out["audit"] = AuditToJson(*g.audit);
  out["assumption"] = g.assumption;
  out["dependence_source"] = g.source;
  if (g.confidence) out["confidence"] = *g.confidence;
  if (!g.alarm.empty()) out["alarm"] = g.alarm;
  out["neighbours"] = g.neighbours;
  if (!g.version.empty()) out["data_version"] = g.version;
  if (g.generation > 1) out["policy_version"] = g.generation;
  if (!g.moves.empty())
    out["moves"] = {{"meaning", g.moves}, {"standard_epsilon_total", g.standard ? NumberToJson(*g.standard) : Json()}};
  if (g.household) out["household"] = HouseholdToJson(*g.household);
  for (const Guarantee::Stratum& stratum : g.strata) {
    out["strata"].push_back({{"name", stratum.name},
                             {"size", stratum.size},
                             {"plain", NumberToJson(stratum.plain)},
                             {"dependent", NumberToJson(stratum.dependent)}});
  }
  PutDelta(g, out);
}

void ReadLabels(const Json& in, Guarantee& g) {
  g.unproven = in.value("unproven", std::string());
  g.one_sided = in.value("one_sided", std::string());
  if (in.contains("audit")) {
    const Json& audit = in.at("audit");
    g.audit = Audit{NumberFromJson(audit.at("dependent")), audit.at("exact"), audit.at("of")};
  }
  g.assumption = in.at("assumption");
  g.source = in.at("dependence_source");
  if (in.contains("confidence")) g.confidence = in.at("confidence").get<double>();
  g.alarm = in.value("alarm", std::string());
  g.neighbours = in.at("neighbours");
  g.version = in.value("data_version", std::string());
  g.generation = in.value("policy_version", std::int64_t{1});
  if (in.contains("moves")) {
    g.moves = in.at("moves").at("meaning");
    if (const Json& standard = in.at("moves").at("standard_epsilon_total"); !standard.is_null())
      g.standard = NumberFromJson(standard);
  }
  if (in.contains("household")) g.household = HouseholdFromJson(in.at("household"));
  for (const Json& line : in.value("strata", Json::array())) {
    g.strata.push_back({line.at("name"), NumberFromJson(line.at("plain")), NumberFromJson(line.at("dependent")),
                        line.at("size").get<std::int64_t>()});
  }
  ReadDelta(in, g);
}

Json GuaranteeToJson(const Guarantee& g) {
  Json out = {{"plain", NumberToJson(g.plain)},
              {"dependent", NumberToJson(g.dependent)},
              {"bound", g.bound},
              {"adversary", g.adversary}};
  if (g.plain_presence) out["presence"] = {{"plain", NumberToJson(*g.plain_presence)}, {"limited", g.counts_presence}};
  if (!g.one_sided.empty()) {  // no loss of everything that was released has a bound
    out["dependent"] = nullptr;
    out["noisy_answers_alone"] = NumberToJson(g.dependent);
  }
  PutLabels(g, out);
  return out;
}

Guarantee GuaranteeFromJson(const Json& in) {
  Guarantee g;
  ReadLabels(in, g);
  g.plain = NumberFromJson(in.at("plain"));
  if (in.contains("presence")) {
    g.plain_presence = NumberFromJson(in.at("presence").at("plain"));
    g.counts_presence = in.at("presence").at("limited");
  }
  g.dependent = NumberFromJson(in.at(g.one_sided.empty() ? "dependent" : "noisy_answers_alone"));
  g.bound = in.at("bound");
  g.adversary = in.at("adversary");
  return g;
}

}  // namespace kith
