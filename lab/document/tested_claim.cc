// What runs prove.
#include <cmath>

#include "document/law_audits.h"

namespace kith::document {

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
