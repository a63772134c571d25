// [columns.TABLE]: the columns of each table.
#include <fmt/format.h>

#include <unordered_set>

#include "policy/sections/sections.h"

namespace kith {
namespace {

// A key is compared as it is. Mapping several keys to one (a bound, a default) would let units crowd each other out, or
// a row match many rows of a public table.
Result<void> CheckKeyColumn(const Section& section, const Column& column, const std::string& whose) {
  for (const char* key : {"values", "lower", "upper", "required", "constant"}) {
    if (const Member* member = section.Find(key)) {
      return section.At(member->line, fmt::format("{} is the {} key and cannot have '{}'", section.title(), whose, key),
                        "declare only its type (and public = true if it is), or leave the column out");
    }
  }
  if (column.per_row) {
    return section.At(section.Find("public")->line,
                      fmt::format("{} is the {} key, and the same in all rows that it names", section.title(), whose),
                      "write public = true if everybody knows it");
  }
  if (column.type == ColumnType::kReal) {
    return section.At(column.line, fmt::format("{} is the {} key and cannot be real", section.title(), whose),
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
    if (auto ok = ReadColumnReading(*one, table, *column); !ok) return ok;
    if (!names.insert(FoldName(column->name)).second) {
      return section.At(member.line, fmt::format("two columns are called {}", Quote(member.key)),
                        "SQL ignores the difference between capital and small letters: rename one in the data");
    }
    const bool unit_table = table.name == policy.unit.table;
    for (const auto& key : {policy.unit.key, policy.unit.other_key}) {
      if (!unit_table || !key || FoldName(*key) != FoldName(column->name)) continue;
      if (column->name != *key) {
        return section.At(member.line, fmt::format("[unit] spells the key {}", Quote(*key)), "use one spelling");
      }
      if (auto ok = CheckKeyColumn(*one, *column, "unit's"); !ok) return ok;
    }
    if (table.key == column->name || table.other == column->name) {
      if (auto ok = CheckKeyColumn(*one, *column, "table's"); !ok) return ok;
    }
    if (table.is_public) column->is_public = true;
    table.columns.push_back(*std::move(column));
  }
  return {};
}

}  // namespace

Result<void> CheckPairs(const Section& root, const Policy& policy) {
  if (!policy.unit.other_key) return {};
  const Table& table = policy.unit_table();
  const int line = root.Find("unit")->line;
  const Column* first = table.Find(*policy.unit.key);
  const Column* second = table.Find(*policy.unit.other_key);
  for (const auto& [column, name] : {std::pair(first, *policy.unit.key), std::pair(second, *policy.unit.other_key)}) {
    if (column != nullptr && (column->type == ColumnType::kInteger || column->type == ColumnType::kText)) continue;
    return root.At(column == nullptr ? line : column->line,
                   fmt::format("column {} names people and must be declared as whole numbers or text", Quote(name)),
                   fmt::format("write {} = {{ type = \"integer\" }} in [columns.{}]", name.substr(0, 60), table.name));
  }
  if (first->type != second->type) {
    return root.At(second->line, "the two columns of 'key' name the same people and must have one type",
                   "declare both as \"integer\" or both as \"text\"");
  }
  for (const Column& column : table.columns) {
    if (!column.is_public) continue;
    return root.At(column.line,
                   fmt::format("column {} is about a row and two people: it cannot be public", Quote(column.name)),
                   "remove public = true; public facts about people belong in a public table of their own");
  }
  if (policy.unit.distance || policy.stream || !policy.one_sided.empty()) {
    return root.At(line, "a unit in either of two columns has no place and no row of its own, and is not for streams",
                   "remove the distance, [stream] and [one_sided]; or name one column as key");
  }
  if (policy.dependence.by) {
    return root.At(root.Find("dependence")->line, "'by' names a column, but a row is about two people",
                   "remove 'by' and state the size of the largest group");
  }
  return {};
}

// Read from one row for all of a unit's rows: so there must be units with several rows, and nothing else that says how
// the rows of a unit belong together.
Result<void> CheckConstant(const Section& root, const Policy& policy) {
  for (const Table& table : policy.tables) {
    for (const Column& column : table.columns) {
      if (column.of_household &&
          (table.name != policy.unit.table || !policy.unit.within || !column.is_public || column.per_row)) {
        return root.At(
            column.line,
            fmt::format("column {} cannot be constant in households: only a public column of the unit's table "
                        "can, where [unit] has 'within'",
                        Quote(column.name)),
            "add public = true to the column and 'within' to [unit], or remove constant = \"household\"");
      }
      if (!column.constant) continue;
      const auto refuse = [&](const std::string& why, const std::string& next) {
        return root.At(column.line, fmt::format("column {} cannot be constant: {}", Quote(column.name), why), next);
      };
      if (table.name != policy.unit.table) {
        return refuse("only columns of the unit's table can", "remove constant = true");
      }
      if (column.is_public) {
        return refuse("it is public, and so the same in all rows of a unit already", "remove constant = true");
      }
      if (!policy.unit.key || policy.unit.other_key) {
        return refuse("units have no single key by which their rows belong together",
                      "name one column as key in [unit], or remove constant = true");
      }
      if (policy.stream || policy.unit.distance) {
        return refuse("the table is a stream, or its units have a place", "remove constant = true");
      }
    }
  }
  const auto units = policy.units_table();
  if (!units) return {};
  for (const Table& table : policy.tables) {
    if (FoldName(table.name) != FoldName(*units)) continue;
    return root.At(
        root.Find("data")->line,
        fmt::format("a table is called {}, as the table of units that questions can ask about", Quote(table.name)),
        "rename it in [data]");
  }
  return {};
}

// Known for each row: so there must be units with rows, and what is said about a unit as a whole cannot be such a
// column.
Result<void> CheckPerRow(const Section& root, const Policy& policy) {
  for (const Table& table : policy.tables) {
    for (const Column& column : table.columns) {
      if (!column.per_row) continue;
      const auto refuse = [&](const std::string& why, const std::string& next) {
        return root.At(column.line, fmt::format("column {} cannot be public per row: {}", Quote(column.name), why),
                       next);
      };
      if (table.name != policy.unit.table) {
        return refuse("only columns of the unit's table can", "remove it: every column of this table is public");
      }
      if (!policy.unit.key || policy.unit.other_key) {
        return refuse("each row is a unit of its own, or about two people", "write public = true, or make it secret");
      }
      if (policy.stream || policy.unit.distance) {
        return refuse("the table is a stream, or its units have a place", "make it secret, or remove the column");
      }
      if (column.constant || column.of_household) {
        return refuse("it is declared to be constant", "remove 'constant', or write public = true");
      }
      if (policy.unit.within == column.name || policy.dependence.by == column.name ||
          policy.dependence.strength_column == column.name) {
        return refuse("it says whom a unit belongs to or depends on, for the unit as a whole",
                      "write public = true; all rows of a unit must then have the same value");
      }
    }
  }
  return {};
}

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
  for (const Table& table : policy.tables) {
    if (!table.key || table.Find(*table.key)) continue;
    return section.At(section.line(),
                      fmt::format("the key {} of table {} is not declared", Quote(*table.key), table.name),
                      fmt::format("add it under [columns.{}], with its type alone", table.name));
  }
  return {};
}

}  // namespace kith
