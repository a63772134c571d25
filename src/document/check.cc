#include "document/check.h"

#include "base/json.h"
#include "document/to_json.h"

namespace kith::document {

Json ToJson(const CheckOutlook& outlook) {
  Json out = ToJson(outlook.explanation), power = Json::array();
  for (const CheckPower& line : outlook.power) {
    power.push_back({{"stratum", line.stratum},
                     {"declared", line.declared},
                     {"groups", line.groups},
                     {"share", line.share},
                     {"noticed", line.noticed ? Json(*line.noticed) : Json()}});
  }
  out["check"] = {{"of", outlook.of}, {"false_alarm", outlook.false_alarm}, {"power", std::move(power)}};
  return out;
}

std::string PowerText() {
  return "The smallest true odds ratio that this check would notice with 80 %, by how many whole groups there are and "
         "how many of their members say yes (from simulated tables, not from the data; \"-\": not even a thousand "
         "times "
         "the declared one):";
}

}  // namespace kith::document
