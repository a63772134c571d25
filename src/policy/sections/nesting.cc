// Persons in households: [unit] within and size, and what they require of the rest of a policy.
#include <fmt/format.h>

#include "policy/sections/section.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kExample =
    "write within = \"household\", size = 6 (a column, and the most persons of one household)";

Result<void> CheckColumn(const Section& root, const Policy& policy) {
  const int line = root.Find("unit")->line;
  const std::string& name = *policy.unit.within;
  const Column* column = policy.unit_table().Find(name);
  if (column == nullptr) {
    return root.At(line, fmt::format("'within' names {}, which is no declared column of the unit's table", Quote(name)),
                   fmt::format("write {} = {{ type = \"integer\", public = true }} in [columns.{}]", name.substr(0, 60),
                               policy.unit.table));
  }
  if (policy.unit.key == name) {
    return root.At(line, "'within' names the unit's key, so every household would have one person",
                   "name the column that members of a household share");
  }
  if (!column->is_public) {
    return root.At(
        column->line, fmt::format("column {} names households, so it must be public", Quote(name)),
        "add public = true to the column: who belongs to which household is assumed to be known to everybody");
  }
  if (column->required || column->lower) {
    return root.At(
        column->line, fmt::format("column {} names households and cannot have bounds or be required", Quote(name)),
        "declare its type or its values only: mapping persons into other households would break the promised "
        "size");
  }
  return {};
}

// What a household loses is proved where persons depend only on others of their household, or households on each other.
Result<void> CheckDependence(const Section& root, const Policy& policy) {
  const Dependence& dependence = policy.dependence;
  const int line = root.Find("dependence")->line;
  const bool by_household = dependence.by == policy.unit.within;
  if (dependence.of_households) {
    if (!by_household) return {};
    return root.At(line, "the model is about households, but its groups are the households themselves",
                   "remove unit = \"household\" if persons of one household depend on each other; or name the column "
                   "that groups households");
  }
  if (std::holds_alternative<Independent>(dependence.model)) return {};
  if (std::holds_alternative<Group>(dependence.model) && by_household) return {};
  return root.At(line,
                 "with [unit] within, persons may depend on others of their household, or households on each other",
                 fmt::format("write kind = \"group\" with by = \"{}\" for dependence inside households; or add unit = "
                             "\"household\" and declare how strongly households depend on each other",
                             policy.unit.within->substr(0, 60)));
}

}  // namespace

Result<void> ReadWithin(const Section& unit, Policy& policy) {
  const Member* within = unit.Find("within");
  const Member* size = unit.Find("size");
  if (within == nullptr && size == nullptr) return {};
  if (within == nullptr || size == nullptr) {
    return unit.At((within == nullptr ? size : within)->line, "'within' and 'size' belong together", kExample);
  }
  auto name = unit.Text(*within);
  if (!name) return name.error();
  auto number = unit.Integer(*size);
  if (!number) return number.error();
  if (*number < 1 || *number > Unit::kMaxSize) {
    return unit.At(size->line, fmt::format("size must lie between 1 and {}", Unit::kMaxSize),
                   "state the most persons that one household may have");
  }
  policy.unit.within = *name;
  policy.unit.size = *number;
  return {};
}

Result<void> ReadHouseholdBudget(const Section& budget, Policy& policy) {
  const Member* member = budget.Find("household");
  if (member == nullptr) return {};
  const auto section = budget.Table(*member, "[budget.household]", "[budget.household] on a line of its own");
  if (!section) return section.error();
  if (auto ok = section->AllowOnly("household"); !ok) return ok;
  const Member* epsilon = section->Find("epsilon");
  if (epsilon == nullptr) {
    return section->Missing("epsilon",
                            "write epsilon = x: the most that all answers together may reveal about one "
                            "household");
  }
  auto number = section->Number(*epsilon);
  if (!number) return number.error();
  if (auto checked = Epsilon::Make(*number); !checked)
    return section->At(epsilon->line, checked.error().what, checked.error().next);
  if (!policy.unit.within)
    return section->At(member->line, "[budget.household] needs to know what a household is", kExample);
  if (policy.dependence.of_households) {
    return section->At(member->line, "where households depend on each other, [budget] epsilon bounds both losses",
                       "remove [budget.household]: what is gained about a person is no more than about the household");
  }
  policy.household_epsilon = *number;
  return {};
}

Result<void> CheckNesting(const Section& root, const Policy& policy) {
  if (!policy.unit.within) {
    if (!policy.dependence.of_households) return {};
    return root.At(root.Find("dependence")->line,
                   "the model is about households, but [unit] does not say what they are", kExample);
  }
  if (policy.unit.other_key || policy.unit.distance || policy.stream || !policy.one_sided.empty()) {
    return root.At(root.Find("unit")->line,
                   "persons in households are for tables: not with two keys, a distance, [stream] or [one_sided]",
                   "remove 'within' and 'size', or the other part; what a household would lose there is not proved");
  }
  if (auto ok = CheckColumn(root, policy); !ok) return ok;
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  if (group && policy.dependence.by == policy.unit.within && group->size != policy.unit.size) {
    return root.At(root.Find("dependence")->line,
                   fmt::format("[unit] says that a household has at most {} persons, and [dependence] says {}",
                               policy.unit.size, group->size),
                   "state the same size in both");
  }
  return CheckDependence(root, policy);
}

}  // namespace kith
