#include "document/check.h"

#include <nlohmann/json.hpp>

#include "document/to_json.h"

namespace kith::document {

using nlohmann::json;

json ToJson(const CheckOutlook& outlook) {
  json out = ToJson(outlook.explanation), power = json::array();
  for (const CheckPower& line : outlook.power) {
    power.push_back({{"stratum", line.stratum},
                     {"declared", line.declared},
                     {"groups", line.groups},
                     {"share", line.share},
                     {"noticed", line.noticed ? json(*line.noticed) : json()}});
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
