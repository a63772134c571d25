#include "document/policy_diff.h"

#include <algorithm>

#include "base/json.h"

namespace kith::document {

std::string_view NameOf(GrowthVerdict verdict) {
  switch (verdict) {
    case GrowthVerdict::kAccepted:
      return "accepted";
    case GrowthVerdict::kReview:
      return "review";
    case GrowthVerdict::kRefused:
      return "refused";
  }
  return "";
}

Json ToJson(const PolicyDiff& diff) {
  Json out = {{"before", diff.before},
              {"after", diff.after},
              {"accepted", diff.accepted},
              {"reviewed", diff.reviewed},
              {"policy_version", diff.generation ? Json(*diff.generation) : Json()},
              {"reason", diff.reason},
              {"changes", Json::array()},
              {"cells", Json::array()},
              {"other_data", diff.growth.other_data},
              {"asked_again", diff.growth.all_asked_again ? Json("all") : Json(diff.growth.asked_again)}};
  if (!diff.alarm.empty()) out["alarm"] = diff.alarm;
  for (const PolicyChange& change : diff.growth.changes) {
    out["changes"].push_back(
        {{"verdict", NameOf(change.verdict)}, {"what", change.what}, {"why", change.why}, {"next", change.next}});
  }
  for (const std::string& column : diff.columns) {
    const auto& all = diff.growth.origins;
    const auto origins = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.column == column; });
    out["cells"].push_back({{"column", column}, {"from", origins == all.end() ? Json() : Json(origins->from)}});
  }
  return out;
}

}  // namespace kith::document
