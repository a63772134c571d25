// [one_sided] as it is in the file: the model of dependent attributes, which no release reads, and where the epsilons
// are, so that others can be put in their places with every comment kept.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kith {

/// `model` of [one_sided], as it is written; empty: there is none. Fails: kInvalidArgument if the text is not a policy.
Result<std::string> OneSidedModel(std::string_view text, const std::string& file);

/// The text with other epsilons for some attributes; everything else stays, byte for byte. What is written is not
/// larger than what is given, and has six digits.
/// Fails: kInvalidArgument: no such attribute, its epsilon cannot be distinguished from others on its line, an epsilon
/// that is below a millionth or infinite.
Result<std::string> WithEpsilons(std::string_view text, const std::string& file,
                                 const std::vector<std::pair<std::string, double>>& epsilons);

/// Lines that differ, as "-old" and "+new" preceded by the line number: "12 -epsilon = 2.0".
/// Requires: as many lines in both.
std::vector<std::string> ChangedLines(std::string_view before, std::string_view after);

}  // namespace kith
