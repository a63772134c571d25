// Transferred losses, and comparisons of methods.
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
              {"assumption", t.assumption},
              {"per_record", t.per_record},
              {"bounds", Json::object()}};
  if (found.reached) out["can_happen"] = NumberToJson(*found.reached);
  if (found.delta) out["delta"] = *found.delta;
  if (!found.witness.empty()) out["witness"] = found.witness;
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

}  // namespace kith::document
