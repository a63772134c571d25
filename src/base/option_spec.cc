#include "base/option_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.h"

namespace kith {
namespace {

Json AsJson(const std::string& value) { return value; }
Json AsJson(bool value) { return value; }
Json AsJson(std::size_t value) { return value; }
Json AsJson(std::int64_t value) { return value; }
// 30, not 30.0: as another program would write it.
Json AsJson(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  const bool whole = value == std::floor(value) && std::abs(value) < kExact;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}
template <class T>
Json AsJson(const std::optional<T>& value) {
  return value ? AsJson(*value) : Json();
}
template <class T>
Json AsJson(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(AsJson(value));
  return list;
}

}  // namespace

bool OptionSpec::IsList() const {
  return std::holds_alternative<std::vector<std::string>*>(place) ||
         std::holds_alternative<std::vector<double>*>(place) ||
         std::holds_alternative<std::vector<std::int64_t>*>(place);
}

Json OptionSpec::Value() const {
  return std::visit([](const auto* value) { return AsJson(*value); }, place);
}

std::string OptionSpec::Flag() const {
  std::string flag = "--" + name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

OptionSpec& OptionSpec::Within(Json from, Json to) {
  least = std::move(from);
  most = std::move(to);
  return *this;
}
OptionSpec& OptionSpec::OneOf(std::vector<std::string> names) {
  choices = std::move(names);
  return *this;
}
OptionSpec& OptionSpec::Exactly(std::size_t many) {
  exactly = many;
  return *this;
}
OptionSpec& OptionSpec::Letter(char one) {
  letter = one;
  return *this;
}
OptionSpec& OptionSpec::ShowsDefault() {
  shows_default = true;
  return *this;
}
OptionSpec& OptionSpec::OfExpressions() {
  expressions = true;
  return *this;
}

OptionSpec& OptionSpec::Repeated() {
  repeated = true;
  return *this;
}

Result<void> OptionSpec::Check(const std::string& where) const {
  if (!choices.empty()) {
    const std::string& given = *std::get<std::string*>(place);
    if (!given.empty() && std::find(choices.begin(), choices.end(), given) == choices.end())
      return InvalidArgument(fmt::format("there is no such {}", name), where,
                             DidYouMean(given, choices) + fmt::format("choose from: {}", fmt::join(choices, ", ")));
  }
  if (exactly != 0 && Value().size() != exactly)
    return InvalidArgument(fmt::format("'{}' is a list of {}", name, exactly), where, help);
  return {};
}

OptionSpec Must(const char* name, OptionPlace place, const char* help) { return {name, place, help, true}; }
OptionSpec May(const char* name, OptionPlace place, const char* help) { return {name, place, help, false}; }

}  // namespace kith
