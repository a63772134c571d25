// What a question would cost, as people and programs read it.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

std::string ExplanationText(const Explanation& explanation, std::size_t width);
std::string ExplanationAs(const Explanation& explanation, bool as_json, std::size_t width);

}  // namespace kith::cli
