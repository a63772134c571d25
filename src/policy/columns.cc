// [columns.TABLE]: the columns of each table.
#include <fmt/format.h>

#include <unordered_set>

#include "policy/sections.h"

namespace kith {
namespace {

// The key tells units apart as it is: mapping several keys to one (a bound, a default) would let units crowd each other
// out.
Result<void> CheckKeyColumn(const Section& section, const Column& column) {
  for (const char* key : {"values", "lower", "upper", "required"}) {
    if (const Member* member = section.Find(key)) {
      return section.At(member->line, fmt::format("{} is the unit's key and cannot have '{}'", section.title(), key),
                        "declare only its type (and public = true if it is), or leave the column out");
    }
  }
  if (column.type == ColumnType::kReal) {
    return section.At(column.line, fmt::format("{} is the unit's key and cannot be real", section.title()),
                      "use type = \"text\" or \"integer\"");
  }
  return {};
}

Result<void> ReadTableColumns(const Section& section, const Policy& policy, Table& table) {
  std::unordered_set<std::string> names;
  for (const auto& member : section.members()) {
    auto one =
        section.Table(member, fmt::format("column {}", Quote(member.key)),
                      fmt::format("{} = {{ type = \"text\" }}, {{ values = [...] }} or {{ lower = 0, upper = 100 }}",
                                  member.key.substr(0, 60)));
    if (!one) return one.error();
    auto column = ReadColumn(*one, member.key, member.line);
    if (!column) return column.error();
    if (!names.insert(FoldName(column->name)).second) {
      return section.At(member.line, fmt::format("two columns are called {}", Quote(member.key)),
                        "SQL does not tell capital and small letters apart: rename one in the data");
    }
    const bool unit_table = table.name == policy.unit.table;
    if (unit_table && policy.unit.key && FoldName(*policy.unit.key) == FoldName(column->name)) {
      if (column->name != *policy.unit.key) {
        return section.At(member.line, fmt::format("[unit] spells the key {}", Quote(*policy.unit.key)),
                          "use one spelling");
      }
      if (auto ok = CheckKeyColumn(*one, *column); !ok) return ok;
    }
    if (table.is_public) column->is_public = true;
    table.columns.push_back(*std::move(column));
  }
  return {};
}

}  // namespace

Result<void> ReadColumns(const Section& section, Policy& policy) {
  for (const auto& member : section.members()) {
    Table* found = nullptr;
    std::vector<std::string> names;
    for (auto& table : policy.tables) {
      names.push_back(table.name);
      if (table.name == member.key) found = &table;
    }
    if (found == nullptr) {
      return section.At(member.line, fmt::format("[data] has no table {}", Quote(member.key)),
                        Suggest(member.key, names));
    }
    auto columns = section.Table(member, fmt::format("[columns.{}]", found->name),
                                 fmt::format("[columns.{}] on a line of its own", found->name));
    if (!columns) return columns.error();
    if (auto ok = ReadTableColumns(*columns, policy, *found); !ok) return ok;
  }
  return {};
}

}  // namespace kith
