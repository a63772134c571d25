// Losses with a delta in words: the same text for every front end, which documents carry as well. A loss that has a
// delta is never shown without it.
#pragma once
#include <string>

#include "release/guarantee.h"

namespace kith {

/// A delta, rounded up to four digits.
std::string DeltaText(double delta);
/// "(1, 1e-06)": an epsilon with its delta.
std::string PairText(double epsilon, double delta);
/// What holds under caps. Requires: there are any.
std::string CapsText(const Guarantee& guarantee);
/// The dependent loss of everything: "0.5", or with a delta "(1, 1e-06), the answers to come included".
std::string DependentText(const Guarantee& guarantee);
/// How tight a bound is: "at most 0.58; 0.5 can happen", with the reason where they differ by more than a tenth.
std::string CanHappenText(double at_most, double reached);
/// The same for the plain loss.
std::string PlainTotalText(const Guarantee& guarantee);

}  // namespace kith
