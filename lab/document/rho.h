// Dependence coefficients as a document.
#pragma once
#include <string>

#include "audit/rho/rho.h"
#include "base/json.h"

namespace kith::document {

/// What it comes to: whether a published number understates the loss here. One or two sentences.
std::string Verdict(const audit::RhoReport& report);
/// Of large tables the pairs of largest coefficient, and how many there are.
Json ToJson(const audit::RhoReport& report);
/// Pairs in the order in which they are shown: the largest coefficient first, then by number; at most `most`.
std::vector<audit::RhoPair> LargestPairs(const audit::RhoEquation& equation, std::size_t most);
std::string NameOf(const audit::RhoReport& report, std::size_t record);

}  // namespace kith::document
