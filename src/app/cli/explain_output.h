// What something would cost and give, as people and programs read it.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

/// `unproven`: a warning about the policy's model; may be empty.
void PrintExplanation(const Explanation& explanation, const std::string& unproven, bool as_json);

}  // namespace kith::cli
