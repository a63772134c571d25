// Transferred losses, comparisons of methods, and what runs prove.
#include <cmath>

#include "base/json.h"
#include "document/to_json.h"
#include "release/guarantee_json.h"

namespace kith::document {

Json ToJson(const TransferredLoss& found) {
  const Transferred& t = found.result;
  Json out = {{"plain", NumberToJson(found.plain)},
              {"dependent", NumberToJson(t.dependent)},
              {"bound", t.bound},
              {"adversary", t.adversary},
              {"assumes", t.assumes},
              {"per_record", t.per_record},
              {"bounds", Json::object()}};
  if (found.delta) out["delta"] = *found.delta;
  if (!t.unproven.empty()) out["unproven"] = t.unproven;
  if (t.audit) out["audit"] = AuditToJson(*t.audit);
  for (const auto& bound : t.bounds) out["bounds"][bound.name] = NumberToJson(bound.dependent);
  return out;
}

Json ToJson(const Comparison& comparison) {
  Json out = {{"epsilon", comparison.epsilon}, {"counts", comparison.counts}, {"methods", Json::array()}};
  for (const auto& m : comparison.methods) {
    out["methods"].push_back({{"name", m.name}, {"scale", NumberToJson(m.scale)}, {"private_under", m.private_under}});
    if (m.loss) out["methods"].back()["loss"] = NumberToJson(*m.loss);
  }
  return out;
}

Json ToJson(const TestedClaim& tested) {
  const probe::Proof& proof = tested.proof;
  Json out = {{"loss_at_least", NumberToJson(proof.loss_at_least)},
              {"delta", proof.delta},
              {"false_alarm", proof.false_alarm},
              {"runs", {{"left", proof.runs_left}, {"right", proof.runs_right}}},
              {"notes", proof.notes},
              {"events", Json::array()}};
  if (tested.claimed) {
    out["claimed"] = *tested.claimed;
    out["refuted"] = tested.Refuted();
  }
  for (const auto& event : proof.events) {
    out["events"].push_back({{"family", event.family},
                             {"event", event.event},
                             {"likelier", event.left_likelier ? "left" : "right"},
                             {"hits", event.likelier.hits},
                             {"trials", event.likelier.trials},
                             {"hits_other", event.other.hits},
                             {"trials_other", event.other.trials}});
    // An event that proves nothing has no loss.
    if (std::isfinite(event.loss_at_least)) out["events"].back()["loss_at_least"] = event.loss_at_least;
  }
  return out;
}

}  // namespace kith::document
