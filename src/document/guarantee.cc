
#include "base/json.h"
#include "document/from_json.h"
#include "document/guarantee_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "release/answer_json.h"

namespace kith::document {

void PutGuarantee(const Guarantee& g, Json& out) {
  out["plain"] = NumberToJson(g.plain);
  if (g.plain_presence) out["presence"] = {{"plain", NumberToJson(*g.plain_presence)}, {"limited", g.counts_presence}};
  out["dependent"] = NumberToJson(g.dependent);
  if (!g.one_sided.empty()) {  // no loss of everything that was released has a bound
    out["one_sided"] = g.one_sided;
    out["dependent"] = nullptr;
    out["noisy_answers_alone"] = NumberToJson(g.dependent);
  }
  out["transfer"] = g.bound;
  out["adversary"] = g.adversary;
  out["assumes"] = g.assumes;
  out["dependence_source"] = g.source;
  if (g.confidence) out["confidence"] = *g.confidence;
  if (!g.alarm.empty()) out["alarm"] = g.alarm;
  out["neighbours"] = g.neighbours;
  if (!g.version.empty()) out["data_version"] = g.version;
  if (g.generation > 1) out["generation"] = g.generation;
  if (!g.moves.empty())
    out["moves"] = {{"meaning", g.moves}, {"standard_epsilon_total", g.standard ? NumberToJson(*g.standard) : Json()}};
  if (g.household) out["household"] = HouseholdToJson(*g.household);
  if (!g.strata.empty()) out["strata"] = StrataToJson(g.strata);
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (g.audit) out["audit"] = AuditToJson(*g.audit);
  PutDelta(g, out);
}

Guarantee GuaranteeOf(const Json& in) {
  Guarantee g;
  g.plain = NumberFromJson(in.at("plain"));
  if (in.contains("presence")) {
    g.plain_presence = NumberFromJson(in.at("presence").at("plain"));
    g.counts_presence = in.at("presence").at("limited");
  }
  g.one_sided = in.value("one_sided", std::string());
  g.dependent = NumberFromJson(in.at(g.one_sided.empty() ? "dependent" : "noisy_answers_alone"));
  g.bound = in.at("transfer");
  g.adversary = in.at("adversary");
  g.assumes = in.at("assumes");
  g.source = in.at("dependence_source");
  if (in.contains("confidence")) g.confidence = in.at("confidence").get<double>();
  g.alarm = in.value("alarm", std::string());
  g.neighbours = in.at("neighbours");
  g.version = in.value("data_version", std::string());
  g.generation = in.value("generation", std::int64_t{1});
  if (in.contains("moves")) {
    g.moves = in.at("moves").at("meaning");
    if (const Json& standard = in.at("moves").at("standard_epsilon_total"); !standard.is_null())
      g.standard = NumberFromJson(standard);
  }
  if (in.contains("household")) g.household = HouseholdFromJson(in.at("household"));
  g.strata = StrataFromJson(in);
  g.unproven = in.value("unproven", std::string());
  if (in.contains("audit")) g.audit = AuditFromJson(in.at("audit"));
  ReadDelta(in, g);
  return g;
}

Json ToJson(const Guarantee& guarantee) {
  Json out;
  PutGuarantee(guarantee, out);
  return out;
}

Result<Guarantee> GuaranteeFrom(const Json& in) { return ReadDocument("a guarantee", in, GuaranteeOf); }

}  // namespace kith::document
