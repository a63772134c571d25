// Tables of the units besides the unit's table: visits as well as persons.
#include <fmt/format.h>

#include <algorithm>

#include "policy/per_row.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

// What else a policy can say that is not proved for a unit with rows in several tables; nullptr: none of it.
const char* OnlyOneTable(const Policy& policy, const Table& table) {
  if (!policy.unit.key) return "each row is a unit of its own";
  if (policy.unit.other_key) return "a row is about two people";
  if (policy.stream) return "the table is a stream";
  if (policy.unit.distance) return "units have a place";
  if (policy.unit.within && table.other) return "units belong to households, for which losses are counted as well";
  if (policy.dependence.strength_column) return "the strength or size of groups differs by a column";
  if (policy.dependence.known) return "totals are known";
  if (!policy.one_sided.empty()) return "true records are released";
  if (RowsArePublic(policy)) return "rows of the unit's table are public";
  return nullptr;
}

// These hold for a record that is anything; the others are about the values that a record can have.
bool IsAboutAnyRecord(const Model& model) {
  const std::string kind = Kind(model);
  if (const auto* field = std::get_if<Field>(&model)) return !field->prevalence;
  return kind == "independent" || kind == "group" || kind == "overlap";
}

}  // namespace

Result<std::int64_t> ReadRowLimit(const Section& section, const Member& member) {
  constexpr std::int64_t kMost =
      1'000'000;  // more would drown any answer in noise; sensitivities stay below 2^31 steps
  auto rows = section.Integer(member);
  if (!rows) return rows.error();
  if (*rows < 1 || *rows > kMost) {
    return section.At(member.line, fmt::format("{} must lie between 1 and {}", member.key, kMost),
                      "state the most rows that one unit may contribute");
  }
  return *rows;
}

Result<void> ReadOther(const Section& section, Table& table) {
  const Member* other = section.Find("other");
  const Member* most = section.Find("max_other");
  if (other == nullptr && most == nullptr) return {};
  if (other == nullptr || most == nullptr) {
    return section.At((other == nullptr ? most : other)->line,
                      "'other' and 'max_other' belong together: the second unit of a row, and how often it is one",
                      "write other = \"column\" and max_other = n: no unit is named there by more than n rows");
  }
  auto name = section.Text(*other);
  if (!name) return name.error();
  if (FoldName(*name) == FoldName(*table.key)) {
    return section.At(other->line, "'other' is the key: a row names its two units in two columns",
                      "name the other column, or remove 'other' and 'max_other'");
  }
  auto rows = ReadRowLimit(section, *most);
  if (!rows) return rows.error();
  table.other = *name;
  table.max_other = *rows;
  return {};
}

Result<void> CheckMoreTables(const Section& root, const Policy& policy) {
  for (const Table& table : policy.tables) {
    if (!table.OfUnits()) continue;
    const auto refuse = [&](int line, const std::string& what, const std::string& next) {
      return root.At(line, fmt::format("table {} cannot be another table of the units: {}", Quote(table.name), what),
                     next);
    };
    const int data = root.Find("data")->line;
    if (const char* why = OnlyOneTable(policy, table)) {
      return refuse(data,
                    fmt::format("{}, and that is proved {}", why,
                                policy.unit.within ? "for rows of one unit alone" : "for one table alone"),
                    "remove this table, or the other declaration");
    }
    if (!IsAboutAnyRecord(policy.dependence.model)) {
      return refuse(root.Find("dependence")->line,
                    fmt::format("a model of kind {} says which values a record has, and the record has rows in several "
                                "tables",
                                Kind(policy.dependence.model)),
                    "declare kind = \"independent\", \"group\", \"overlap\" or \"field\" without a prevalence");
    }
    const Column* unit_key = policy.unit_table().Find(*policy.unit.key);
    const Column* key = table.Find(*table.key);
    if (key == nullptr) {
      return refuse(data, fmt::format("its key {} is not declared", Quote(*table.key)),
                    fmt::format("add it under [columns.{}], with its type alone", table.name));
    }
    if (unit_key == nullptr) {
      return refuse(key->line, fmt::format("the type of the unit's key {} is not declared", Quote(*policy.unit.key)),
                    fmt::format("add it under [columns.{}], with its type alone", policy.unit.table));
    }
    if (key->type != unit_key->type) {
      return refuse(key->line, "its key has another type than the unit's key", "declare both with one type");
    }
    if (table.other) {
      const Column* other = table.Find(*table.other);
      if (other == nullptr || other->type != unit_key->type) {
        return refuse(other == nullptr ? data : other->line,
                      fmt::format("its column {} names units, and is not declared with the type of the unit's key",
                                  Quote(*table.other)),
                      fmt::format("write it under [columns.{}], with that type alone", table.name));
      }
      if (Kind(policy.dependence.model) != "independent") {
        return refuse(root.Find("dependence")->line,
                      "a row that names two units is part of two records, and how records depend on each other is "
                      "declared for records that share nothing",
                      "declare kind = \"independent\", or remove 'other' if rows say nothing about that unit");
      }
    }
    for (const Column& column : table.columns) {
      if (!column.is_public) continue;
      return refuse(column.line, fmt::format("its column {} is public", Quote(column.name)),
                    "public facts about units belong in the unit's table: declare the column there, or remove public = "
                    "true here");
    }
  }
  return {};
}

}  // namespace kith
