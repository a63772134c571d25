#include "base/join_strings.h"

namespace kith {
namespace {

template <class Parts>
std::string Join(const Parts& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != &*parts.begin()) text += between;
    text += part;
  }
  return text;
}

}  // namespace

std::string JoinStrings(const std::vector<std::string>& parts, std::string_view between) {
  return Join(parts, between);
}
std::string JoinStrings(const std::set<std::string>& parts, std::string_view between) { return Join(parts, between); }

}  // namespace kith
