// [dependence] attribute, ties and shared: what is declared about a yes/no attribute through which members of a group
// depend on each other.
//   attribute = "ill", odds_ratio = 2                          ties of either sign
//   attribute = "ill", shared = { sd = 0.8 }                   one cause that acts in the same direction on all
//   members;
//                                                              or shared = { range = 2 }, or { odds_ratio = 2 }
//   attribute = "ill", ties = "non-negative", odds_ratio = 2   whatever it comes from
#include <fmt/format.h>

#include <array>

#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kExample = "write attribute = \"ill\" (a column that is yes or no) and shared = { sd = 0.8 }";
constexpr std::array<std::pair<const char*, SharedBy>, 3> kStrengths = {
    {{"sd", SharedBy::kSd}, {"range", SharedBy::kRange}, {"odds_ratio", SharedBy::kOddsRatio}}};

Result<Strengths> ReadShared(const Section& section, const Member& member, Group& group) {
  for (const char* other : {"ties", "odds_ratio"}) {
    if (const Member* stated = section.Find(other)) {
      return section.At(stated->line, "a shared cause says its strength, and that ties are non-negative, itself",
                        fmt::format("remove '{}', or 'shared'", other));
    }
  }
  auto shared = section.Table(member, "shared", "shared = { sd = 0.8 }");
  if (!shared) return shared.error();
  if (auto ok = shared->AllowOnly("shared"); !ok) return ok.error();
  if (shared->members().size() != 1) {
    return section.At(
        member.line, "the strength of a shared cause is stated in one way",
        "write shared = { sd = x } for a normal cause, { range = x } for a cause of any law whose values are "
        "at most x apart on the scale of log odds, or { odds_ratio = x }");
  }
  group.ties = Ties::kNonNegative;
  for (const auto& [key, by] : kStrengths) {
    if (shared->members().front().key == key) group.shared = by;
  }
  const std::string key = shared->members().front().key;
  return Strengths{*std::move(shared), key};
}

// Two values, one for each unit: otherwise what is proved for yes/no records says nothing.
bool IsYesNo(const Column& column) {
  if (column.type == ColumnType::kBoolean || column.values.size() == 2) return true;
  return column.type == ColumnType::kInteger && column.lower && column.upper && *column.upper - *column.lower == 1;
}

}  // namespace

Result<Strengths> ReadTies(const Section& section, Group& group) {
  if (const Member* member = section.Find("attribute")) {
    auto name = section.Text(*member);
    if (!name) return name.error();
    if (const std::string problem = NameProblem(*name); !problem.empty())
      return section.At(member->line, fmt::format("the name in 'attribute' {}", problem), kExample);
    group.attribute = *std::move(name);
  }
  const Member* ties = section.Find("ties");
  const Member* shared = section.Find("shared");
  if ((ties != nullptr || shared != nullptr) && group.attribute.empty()) {
    return section.Missing(
        "attribute",
        "write attribute = \"column\": the yes or no through which alone members depend on each other. "
        "That is a fact of its own: docs/guide/dependence.md says when it is false");
  }
  if (shared != nullptr) return ReadShared(section, *shared, group);
  if (ties == nullptr) return Strengths{section, "odds_ratio"};
  auto word = section.Text(*ties);
  if (!word) return word.error();
  if (*word != "non-negative") {
    return section.At(ties->line, fmt::format("ties cannot be {}", Quote(*word)),
                      "write ties = \"non-negative\", or leave it out: then ties are of either sign");
  }
  if (section.Find("odds_ratio") == nullptr)
    return section.Missing("odds_ratio", "write odds_ratio = x: non-negative ties without a limit say nothing");
  group.ties = Ties::kNonNegative;
  return Strengths{section, "odds_ratio"};
}

Result<void> CheckAttribute(const Section& root, const Policy& policy) {
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  const auto* field = std::get_if<Field>(&policy.dependence.model);
  const std::string attribute = group != nullptr ? group->attribute : field != nullptr ? field->attribute : "";
  if (attribute.empty()) return {};
  const Member* dependence = root.Find("dependence");
  const int line = dependence->line;
  const Column* column = policy.unit_table().Find(attribute);
  const std::string name = Quote(attribute);
  if (column == nullptr) {
    std::vector<std::string> usable;
    for (const Column& other : policy.unit_table().columns) {
      if (!other.is_public && IsYesNo(other)) usable.push_back(other.name);
    }
    return root.At(line, fmt::format("the attribute {} is no declared column of the units' table", name),
                   Suggest(attribute, usable));
  }
  if (column->is_public)
    return root.At(column->line, fmt::format("the attribute {} is public, so there is nothing to protect", name),
                   "name the secret yes or no through which members of a group depend on each other");
  if (!IsYesNo(*column)) {
    return root.At(column->line,
                   fmt::format("the attribute {} is not yes or no: for more than two values nothing is proved", name),
                   "declare type = \"boolean\", or two values; or state odds_ratio without 'attribute'");
  }
  if (policy.unit.max_rows > 1 && !column->constant) {
    return root.At(
        column->line,
        fmt::format("the attribute {} can differ between the rows of a unit, so it is more than one yes or no", name),
        "add constant = true to the column if it is the same in all rows; or state odds_ratio without "
        "'attribute'");
  }
  const auto refuse = [&](const char* part) {
    return root.At(line, fmt::format("with {} nothing is proved about records with an attribute", part),
                   "remove one of the two; strengths alone need no attribute");
  };
  if (field != nullptr && policy.with_delta) return refuse("a delta ([budget] delta)");
  if (field != nullptr && policy.unit.within) return refuse("persons in households ([unit] within)");
  if (policy.dependence.of_households) return refuse("households as the records of the model");
  if (policy.unit.other_key) return refuse("units that are named in two columns");
  if (policy.unit.distance) return refuse("a distance ([unit] distance)");
  if (policy.stream) return refuse("[stream]");
  if (!policy.one_sided.empty()) return refuse("[one_sided]");
  return {};
}

}  // namespace kith
