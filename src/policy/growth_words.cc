#include "policy/growth_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kith {
namespace {

std::string Shown(const Json& value) {
  if (value.is_null()) return "not there";
  const std::string text = value.is_string() ? value.get<std::string>() : JsonText(value);
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return text;
  const auto space = text.rfind(' ', kMost);  // a cut within a word, or within a character, cannot be read
  return space == std::string::npos || space < kMost / 2 ? fmt::format("{:.{}}…", text, kMost)
                                                         : text.substr(0, space) + " …";
}

}  // namespace

std::string FromTo(const std::string& of, const Json& before, const Json& after) {
  return fmt::format("{} was {} and is now {}", of, Shown(before), Shown(after));
}

std::string ValuesFromTo(const Json& before, const Json& after) {
  constexpr std::size_t kShown = 4;
  const auto without = [&](const std::vector<std::string>& all, const std::vector<std::string>& others) {
    std::vector<std::string> rest;
    for (const auto& value : all) {
      if (std::find(others.begin(), others.end(), value) == others.end())
        rest.push_back(fmt::format("'{:.40}'", value));
    }
    const std::size_t more = rest.size() > kShown ? rest.size() - kShown : 0;
    rest.resize(rest.size() - more);
    if (more > 0) rest.push_back(fmt::format("{} more", more));
    return fmt::format("{}", fmt::join(rest, ", "));
  };
  const auto was = before.get<std::vector<std::string>>(), is = after.get<std::vector<std::string>>();
  if (was.empty()) return "values are declared";
  if (is.empty()) return "no values are declared any more";
  const std::string added = without(is, was), gone = without(was, is);
  if (added.empty() && gone.empty()) return "its values are in another order";
  return (added.empty() ? "" : "new values " + added) + (added.empty() || gone.empty() ? "" : "; ") +
         (gone.empty() ? "" : "values gone " + gone);
}

}  // namespace kith
