// [dependence] size by a public column: groups whose largest number of members depends on what everybody knows.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "dependence/check.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kExample =
    "write size = \"persons\" (a public integer column that says it), or size = { column = { value = 1, other = 4 } }";

/// Sizes by the values of a column.
struct Sizes {
  const Column* column = nullptr;
  std::vector<std::int64_t> of_value;  // for each declared value
};

Result<const Column*> ColumnOf(const Section& section, int line, const std::string& name, const Policy& policy) {
  const Column* column = policy.unit_table().Find(name);
  if (column == nullptr || !column->is_public || column->values.empty()) {
    std::vector<std::string> usable;
    for (const auto& other : policy.unit_table().columns) {
      if (other.is_public && !other.values.empty()) usable.push_back(other.name);
    }
    return section.At(
        line, fmt::format("sizes can differ by a public column with declared values, which {} is not", Quote(name)),
        column == nullptr ? Suggest(name, usable) : "add public = true and values = [...] to the column");
  }
  if (column->values.size() + 1 > Cells::kMax) {
    return section.At(line, fmt::format("column {} has too many values for different sizes", Quote(name)),
                      fmt::format("use a column with fewer than {} values", Cells::kMax));
  }
  return column;
}

Error WrongSize(const Section& section, int line) {
  return section.At(line, fmt::format("a size must be a whole number from 1 to {}", kMaxGroupSize),
                    "state the largest group in the world, including relatives outside the table");
}

bool IsSize(std::int64_t number) { return number >= 1 && number <= kMaxGroupSize; }

// size = "persons": the column says itself how many there are.
Result<Sizes> SizesInColumn(const Section& section, const Member& member, const Policy& policy) {
  auto name = section.Text(member);
  if (!name) return name.error();
  auto column = ColumnOf(section, member.line, *name, policy);
  if (!column) return column.error();
  Sizes sizes{*column, {}};
  for (const Value& value : (*column)->values) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || !IsSize(*number)) {
      return section.At(
          member.line,
          fmt::format("column {} cannot say the size: its declared values are not all whole numbers from 1 to {}",
                      Quote(*name), kMaxGroupSize),
          "write size = { column = { value = 1, other = 4 } } with a size for every value");
    }
    sizes.of_value.push_back(*number);
  }
  return sizes;
}

// size = { kind = { single = 1, couple = 2 } }
Result<Sizes> SizesByValue(const Section& section, const Member& member, const Policy& policy) {
  if (member.value.members.size() != 1)
    return section.At(member.line, "sizes can differ by exactly one column", kExample);
  const Member& by_value = member.value.members.front();
  auto column = ColumnOf(section, by_value.line, by_value.key, policy);
  if (!column) return column.error();
  const auto stated = section.Table(by_value, fmt::format("size by {}", Quote(by_value.key)), kExample);
  if (!stated) return stated.error();
  Sizes sizes{*column, {}};
  std::vector<std::string> names;
  for (const Value& value : (*column)->values) {
    names.push_back(ToText(value));
    const Member* size = stated->Find(names.back());
    if (size == nullptr) return stated->Missing(names.back(), "state a size for every declared value of the column");
    auto number = stated->Integer(*size);
    if (!number) return number.error();
    if (!IsSize(*number)) return WrongSize(*stated, size->line);
    sizes.of_value.push_back(*number);
  }
  for (const Member& other : stated->members()) {
    if (std::find(names.begin(), names.end(), other.key) != names.end()) continue;
    return stated->At(other.line, fmt::format("column {} has no value {}", Quote((*column)->name), Quote(other.key)),
                      Suggest(other.key, names));
  }
  return sizes;
}

bool CoversAll(const Group& group, std::size_t strongest) {
  for (std::size_t k = 0; k < group.classes.size(); ++k) {
    if (!AtLeastAsStrong(group, strongest, k)) return false;
  }
  return true;
}

// Units without a value may be in any class.
Result<void> AddMissing(const Section& section, const Member& member, const Column& column, Group& group,
                        Policy& policy) {
  if (column.required) {
    if (CoversAll(group, 0)) return {};
    return section.At(
        member.line,
        fmt::format("column {} is required, so a missing value is read as {}, which does not have the largest groups "
                    "and the strongest dependence",
                    Quote(column.name), Quote(group.classes.front().label)),
        "list that value first, or remove required = true from the column");
  }
  for (std::size_t k = 0; k < group.classes.size(); ++k) {
    if (CoversAll(group, k)) return {};
  }
  GroupClass unknown{fmt::format("no {}", column.name), 1.0, group.size};
  for (const GroupClass& c : group.classes) {
    if (!c.odds_ratio)
      unknown.odds_ratio.reset();
    else if (unknown.odds_ratio)
      unknown.odds_ratio = std::max(*unknown.odds_ratio, *c.odds_ratio);
    unknown.cause = std::max(unknown.cause, c.cause);
  }
  group.classes.push_back(std::move(unknown));
  policy.dependence.class_values.emplace_back(Null{});
  return {};
}

}  // namespace

Result<void> ReadSizes(const Section& section, const Member& member, Group& group, Policy& policy) {
  auto sizes = member.value.kind == NodeKind::kTable ? SizesByValue(section, member, policy)
                                                     : SizesInColumn(section, member, policy);
  if (!sizes) return sizes.error();
  const Column& column = *sizes->column;
  if (!policy.dependence.by) {
    return section.Missing("by",
                           "write by = \"column\" that names a unit's group: only with 'by' can it be checked that no "
                           "group is larger than its stratum says");
  }
  if (!policy.fixed_public_columns) {
    return section.At(
        member.line,
        fmt::format("sizes that differ by column {} hold only while no unit's value changes", Quote(column.name)),
        "write public_columns = \"fixed\" in [data] if no unit's public columns ever change; or state one size");
  }
  auto& strength = policy.dependence.strength_column;
  if (strength && *strength != column.name) {
    return section.At(
        member.line,
        fmt::format("sizes differ by column {} and odds ratios by {}", Quote(column.name), Quote(*strength)),
        "use one column for both");
  }
  if (!strength) {
    GroupClass one = group.classes.front();
    group.classes.clear();
    for (const Value& value : column.values) {
      one.label = ToText(value);
      group.classes.push_back(one);
    }
    strength = column.name;
    policy.dependence.class_values = column.values;
  }
  group.size = *std::max_element(sizes->of_value.begin(), sizes->of_value.end());
  for (std::size_t k = 0; k < sizes->of_value.size(); ++k) group.classes[k].size = sizes->of_value[k];
  return AddMissing(section, member, column, group, policy);
}

}  // namespace kith
