// What something would cost and give, as people and programs read it.
#pragma once
#include "release/release.h"

namespace kith::cli {

void PrintExplanation(const Explanation& explanation, bool as_json);

}  // namespace kith::cli
