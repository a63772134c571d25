// Which word somebody probably meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kith {

/// The candidate of which `word` is probably a misspelling, ignoring case; empty if none is close.
std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'x'? " or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kith
