#include "document/policy_diff.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kith::document {

using nlohmann::json;

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

json ToJson(const PolicyDiff& diff) {
  json out = {{"before", diff.before},
              {"after", diff.after},
              {"accepted", diff.accepted},
              {"reviewed", diff.reviewed},
              {"generation", diff.generation ? json(*diff.generation) : json()},
              {"reason", diff.reason},
              {"changes", json::array()},
              {"cells", json::array()},
              {"other_data", diff.growth.other_data},
              {"asked_anew", diff.growth.all_anew ? json("all") : json(diff.growth.anew)}};
  if (!diff.alarm.empty()) out["alarm"] = diff.alarm;
  for (const PolicyChange& change : diff.growth.changes) {
    out["changes"].push_back(
        {{"verdict", NameOf(change.verdict)}, {"what", change.what}, {"why", change.why}, {"next", change.next}});
  }
  for (const std::string& column : diff.columns) {
    const auto& all = diff.growth.origins;
    const auto origins = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.column == column; });
    out["cells"].push_back({{"column", column}, {"from", origins == all.end() ? json() : json(origins->from)}});
  }
  return out;
}

}  // namespace kith::document
