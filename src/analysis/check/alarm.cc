#include "analysis/check/alarm.h"

#include <algorithm>

#include "base/json.h"

namespace kith::check {

std::string ToText(const Alarm& alarm) {
  Json out = {{"found", alarm.found}, {"by", alarm.by}, {"strength", alarm.strength}, {"of", Json::array()}};
  for (const Alarm::Of& one : alarm.of)
    out["of"].push_back({{"class", one.label}, {"odds_ratio", NumberToJson(one.odds_ratio)}, {"size", one.size}});
  return JsonText(out);
}

std::optional<Alarm> AlarmFrom(const std::string& text) {
  const Json in = Json::parse(text, nullptr, false);
  if (!in.is_object()) return std::nullopt;
  try {
    Alarm alarm{in.at("found"), in.at("by"), in.at("strength"), {}};
    for (const Json& one : in.at("of"))
      alarm.of.push_back({one.at("class"), NumberFromJson(one.at("odds_ratio")), one.at("size")});
    return alarm.of.empty() ? std::nullopt : std::optional(std::move(alarm));
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

bool Contradicts(const Alarm& alarm, const Dependence& declared) {
  const auto* group = std::get_if<Group>(&declared.model);
  if (group == nullptr || declared.of_households || declared.by != alarm.by) return true;
  const bool same_classes = declared.strength_column.value_or("") == alarm.strength;
  for (const Alarm::Of& one : alarm.of) {
    const auto& classes = group->classes;
    const bool known = same_classes && std::any_of(classes.begin(), classes.end(),
                                                   [&](const GroupClass& other) { return other.label == one.label; });
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (known && classes[k].label != one.label) continue;
      const bool stronger = !classes[k].odds_ratio || *classes[k].odds_ratio > one.odds_ratio;
      if (!stronger || group->SizeOf(k) < one.size) return true;
    }
  }
  return false;
}

}  // namespace kith::check
