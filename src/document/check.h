// What a check of the declared dependence would cost and notice.
#pragma once
#include <string>
#include <vector>

#include "analysis/check/check.h"
#include "base/json.h"
#include "release/release.h"

namespace kith::document {

struct CheckOutlook {
  Explanation explanation;
  std::string of;          // "sick = true"
  double false_alarm = 0;  // at most
  std::vector<CheckPower> power;
};

/// The explanation's document with a part "check".
Json ToJson(const CheckOutlook& outlook);
/// What the numbers of the power table mean.
std::string PowerText();

}  // namespace kith::document
