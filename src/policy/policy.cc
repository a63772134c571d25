#include "policy/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text_file.h"
#include "policy/document.h"
#include "policy/file_format.h"
#include "policy/renamed_keys.h"
#include "policy/sections/sections.h"

namespace kith {

ColumnReading Table::Undeclared() const { return {.missing = format.missing, .dates = {}, .decimal = '.'}; }
namespace {

struct Part {
  const char* name;
  Result<void> (*read)(const Section&, Policy&);
  const char* next;  // what to write if it is missing; nullptr: it may be missing
};

constexpr Part kParts[] = {
    {"data", ReadData, "add [data] with tables.NAME = \"file.csv\""},
    {"unit", ReadUnit, "add [unit] with table, key and max_rows (or row = true), and presence"},
    {"data", ReadPromises, nullptr},
    {"columns", ReadColumns, nullptr},
    {"unit", ReadDistance, nullptr},
    {"dependence", ReadDependence, "add [dependence] with source = \"public\" and kind"},
    {"stream", ReadStream, nullptr},
    {"budget", ReadBudget, "add [budget] with epsilon and ledger"},
    {"one_sided", ReadOneSided, nullptr},
    {"server", ReadServing, nullptr},
};

}  // namespace

const Column* Table::Find(const std::string& column) const {
  for (const auto& c : columns) {
    if (c.name == column) return &c;
  }
  return nullptr;
}

const Table& Policy::unit_table() const {
  const Table* table = FindTable(unit.table);
  KITH_CHECK(table != nullptr);
  return *table;
}

const Table* Policy::FindTable(const std::string& name) const {
  for (const auto& table : tables) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

bool Policy::HasMoreTables() const {
  return std::any_of(tables.begin(), tables.end(), [](const Table& table) { return table.OfUnits(); });
}

bool Policy::ReadInPlace() const { return engine != "duckdb" || !IsCsvName(unit_table().source); }

std::optional<std::string> Policy::units_table() const {
  const auto& columns = unit_table().columns;
  const bool some = std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.constant; });
  return some ? std::optional(unit.table + "_units") : std::nullopt;
}

Result<Policy> Policy::Load(const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::status(file, failed).type() == std::filesystem::file_type::not_found) {
    return InvalidArgument("there is no such policy", file.string(),
                           "check its name, or start from one that is written for the data")
        .For("policy");
  }
  auto text = ReadTextFile(file, kMaxPolicyBytes);
  if (!text) return text.error();
  return Parse(*text, file);
}

Result<Policy> Policy::Parse(const std::string& text, const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto document = ReadDocument(text, name);
  if (!document) return document.error();
  const Section root(name, "the policy", document->last_line, document->root);
  if (auto ok = root.AllowOnly("policy"); !ok) return ok.error();
  Policy policy;
  policy.file = file;
  policy.dataset = file.stem().string();
  policy.old_names = OldNamesIn(*document);
  for (const auto& part : kParts) {
    const Member* member = root.Find(part.name);
    const std::string title = fmt::format("[{}]", part.name);
    if (member == nullptr) {
      if (part.next == nullptr) continue;
      return root.At(root.line(), fmt::format("the policy has no {}", title), part.next);
    }
    const auto section = root.Table(*member, title, title + " on a line of its own");
    if (!section) return section.error();
    if (auto ok = part.read(*section, policy); !ok) return ok.error();
  }
  if (auto ok = CheckPairs(root, policy); !ok) return ok.error();
  if (auto ok = CheckNesting(root, policy); !ok) return ok.error();
  if (auto ok = CheckPerRow(root, policy); !ok) return ok.error();
  if (auto ok = CheckConstant(root, policy); !ok) return ok.error();
  if (auto ok = CheckKnown(root, policy); !ok) return ok.error();
  if (auto ok = CheckAttribute(root, policy); !ok) return ok.error();
  if (auto ok = CheckMoreTables(root, policy); !ok) return ok.error();
  if (auto ok = CheckPublicSources(root, policy); !ok) return ok.error();
  if (auto ok = CheckInPlace(root, policy); !ok) return ok.error();
  policy.cells = Cells::Of(policy.unit_table(), policy.dependence.strength_column.value_or(""));
  if (policy.UnitsMayMove()) policy.cells.Join();
  if (auto ok = CheckDelta(root, policy); !ok) return ok.error();
  return policy;
}

}  // namespace kith
