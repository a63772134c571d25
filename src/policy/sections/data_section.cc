// [data], [unit] and [budget].
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/utf8.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

Result<Table> ReadTable(const Section& tables, const Member& member, bool files) {
  if (const std::string problem = NameProblem(member.key); !problem.empty()) {
    return tables.At(member.line, fmt::format("the name of table {} {}", Quote(member.key), problem), "rename it");
  }
  Table table;
  table.name = member.key;
  if (!files && member.value.kind == NodeKind::kList) {
    return tables.At(member.line, fmt::format("table {} lists several sources", Quote(member.key)),
                     "name one table of the server as \"schema.table\"");
  }
  if (member.value.kind == NodeKind::kText || member.value.kind == NodeKind::kList) {
    if (auto ok = ReadSources(tables, member, table); !ok) return ok.error();
    return table;
  }
  auto section =
      tables.Table(member, fmt::format("table {}", Quote(member.key)),
                   fmt::format("{} = \"file.csv\" or {{ source = \"file.csv\", public = true }}", member.key));
  if (!section) return section.error();
  if (auto ok = section->AllowOnly("table"); !ok) return ok.error();
  const Member* source = section->Find("source");
  if (source == nullptr) return section->Missing("source", "write source = \"file.csv\"");
  if (auto ok = ReadSources(*section, *source, table); !ok) return ok.error();
  if (!files && source->value.kind == NodeKind::kList) {
    return section->At(source->line, fmt::format("{} lists several sources", section->title()),
                       "name one table of the server as \"schema.table\"");
  }
  if (auto ok = files ? Result<void>() : CheckServerTable(*section); !ok) return ok.error();
  if (auto ok = ReadFileFormat(*section, table); !ok) return ok.error();
  auto is_public = section->Flag("public");
  if (!is_public) return is_public.error();
  table.is_public = *is_public;
  const Member* key = section->Find("key");
  const Member* rows = section->Find("max_rows");
  if (const Member* other = section->Find("other"); other != nullptr && rows == nullptr) {
    return section->At(other->line,
                       "'other' names a second unit in rows that belong to a unit, and these belong to none",
                       "write key = \"column\" and max_rows = n as well, or remove 'other'");
  }
  if (rows != nullptr) {
    if (table.is_public) {
      return section->At(rows->line, "a public table has no max_rows: all its rows are there",
                         "remove max_rows, or public = true if the table holds secrets of the units");
    }
    auto most = ReadRowLimit(*section, *rows);
    if (!most) return most.error();
    table.max_rows = *most;
  }
  if (key == nullptr && rows != nullptr) {
    return section->Missing("key", "write key = \"column\": the column that names the unit a row belongs to");
  }
  if (key == nullptr) return table;
  if (!table.is_public && rows == nullptr) {
    return section->At(key->line, "a table with a key is public or has max_rows, and this one has neither",
                       "write max_rows = n for another table of the same units; the column that identifies the units "
                       "of the unit's table belongs in [unit]: key = \"...\"");
  }
  auto column = section->Text(*key);
  if (!column) return column.error();
  table.key = *column;
  if (auto ok = ReadOther(*section, table); !ok) return ok.error();
  return table;
}

Result<void> CheckSource(const Section& tables, const Member& member, const std::string& source, bool files) {
  if (source.find("://") != std::string::npos) {
    return tables.At(member.line, fmt::format("the source of table {} is an address", Quote(member.key)),
                     "kith reads local files and tables of its engine; fetch the file first");
  }
  if (!files || source.find_first_of("*?[") == std::string::npos) return {};
  const std::size_t slash = source.rfind('/');
  const std::string folder = slash == std::string::npos ? std::string() : source.substr(0, slash);
  if (source.find('[') == std::string::npos && FoldName(source).ends_with(".parquet") && !IsPattern(folder)) return {};
  return tables.At(member.line, fmt::format("the source of table {} names many files", Quote(member.key)),
                   "name one file; only Parquet files may be several, as \"folder/*.parquet\" or a list");
}

// It is printed on certificates: nothing that a terminal would act on.
bool Printable(std::string_view text) {
  std::string_view rest = text;
  bool seen = false;
  while (!rest.empty()) {
    const std::size_t length = Utf8Length(rest);
    const auto byte = [&rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    if (length == 0 || byte(0) < 0x20 || byte(0) == 0x7F) return false;
    if (length == 2 && byte(0) == 0xC2 && byte(1) < 0xA0) return false;  // C1
    if (length == 3 && byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return false;
    if (length == 3 && byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return false;
    seen = seen || byte(0) != ' ';
    rest.remove_prefix(length);
  }
  return seen;
}

Result<std::string> ReadVersion(const Section& section) {
  constexpr std::size_t kMostBytes = 64;
  const Member* member = section.Find("version");
  if (member == nullptr) return std::string();
  auto version = section.Text(*member);
  if (!version) return version;
  const std::string example = "write a short name for this version of the data: version = \"2026-11\"";
  if (version->size() > kMostBytes) {
    return section.At(member->line, fmt::format("the version is longer than {} bytes", kMostBytes), example);
  }
  if (!Printable(*version)) {
    return section.At(member->line, "the version is blank or contains a control character", example);
  }
  return version;
}

// It appears in addresses and grants.
Result<void> ReadName(const Section& section, Policy& policy) {
  constexpr std::size_t kMostBytes = 64;
  const Member* member = section.Find("name");
  if (member == nullptr) return {};
  auto name = section.Text(*member);
  if (!name) return name.error();
  const auto fits = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  if (name->empty() || name->size() > kMostBytes || name->front() == '.' ||
      !std::all_of(name->begin(), name->end(), fits)) {
    return section.At(member->line,
                      fmt::format("the name of the data has 1 to {} letters, digits, '_', '-' and '.'", kMostBytes),
                      "write a short name: name = \"clinic\"");
  }
  policy.dataset = std::move(*name);
  return {};
}

}  // namespace

Result<void> ReadPromises(const Section& data, Policy& policy) {
  const auto frozen = data.Flag("frozen");
  if (!frozen) return frozen.error();
  if (*frozen && !policy.ReadInPlace()) {
    return data.At(data.Find("frozen")->line,
                   "frozen = true is a promise about data that are read in place, and a CSV file is not",
                   "remove it: questions read what was imported, which never changes");
  }
  policy.frozen = *frozen;
  const Member* member = data.Find("public_columns");
  if (member == nullptr) return {};
  auto word = data.Text(*member);
  if (!word) return word.error();
  if (*word != "fixed") {
    return data.At(
        member->line, fmt::format("public_columns cannot be {}", Quote(*word)),
        "write public_columns = \"fixed\" to promise that no unit's public columns ever change, or leave it out");
  }
  if (!policy.unit.key) {
    return data.At(member->line, "public_columns = \"fixed\" needs units that can be found again, and rows have no key",
                   "name the column that identifies units in [unit], key = \"...\", or leave the promise out");
  }
  policy.fixed_public_columns = true;
  return {};
}

// A charge to everybody makes up for a unit that changes its cell, but not for one that changes those it depends on:
// the declared model is about one group, household and strength for a unit's whole history.
Result<void> CheckInPlace(const Section& root, const Policy& policy) {
  if (!policy.UnitsMayMove()) return {};
  const Dependence& dependence = policy.dependence;
  const bool within = policy.unit.within.has_value();
  const auto& column = within ? policy.unit.within : dependence.by ? dependence.by : dependence.strength_column;
  if (!column) return {};
  const char* what = within ? "household" : dependence.by ? "group" : "strength";
  return root.At(
      root.Find(within ? "unit" : "dependence")->line,
      fmt::format("column {} names a unit's {}, and table {} is read in place, where that may change from "
                  "one question to the next",
                  Quote(*column), what, Quote(policy.unit.table)),
      fmt::format("write frozen = true in [data] if these data do not change under one version{}; or have a "
                  "CSV file imported, which is read from a snapshot",
                  policy.unit.key ? fmt::format(", or public_columns = \"fixed\" if no unit's public columns "
                                                "and {} ever change",
                                                what)
                                  : ""));
}

Result<void> ReadData(const Section& section, Policy& policy) {
  if (auto ok = ReadEngine(section, policy); !ok) return ok;
  if (auto ok = section.AllowOnly("data"); !ok) return ok;
  auto version = ReadVersion(section);
  if (!version) return version.error();
  policy.data_version = *version;
  if (auto ok = ReadName(section, policy); !ok) return ok;
  const Member* member = section.Find("tables");
  const std::string example = "tables.people = \"people.csv\"";
  if (member == nullptr) return section.Missing("tables", "write " + example);
  auto tables = section.Table(*member, "tables of [data]", example);
  if (!tables) return tables.error();
  std::unordered_set<std::string> names;
  const bool files = policy.engine == "duckdb";
  for (const auto& entry : tables->members()) {
    auto table = ReadTable(*tables, entry, files);
    if (!table) return table.error();
    if (auto ok = CheckSource(*tables, entry, table->source, files); !ok) return ok;
    for (const std::string& more : table->more_sources) {
      if (auto ok = CheckSource(*tables, entry, more, files); !ok) return ok;
    }
    if (!names.insert(FoldName(table->name)).second) {
      return tables->At(entry.line, fmt::format("two tables are called {}", Quote(entry.key)),
                        "SQL ignores the difference between capital and small letters: rename one");
    }
    policy.tables.push_back(*std::move(table));
  }
  if (policy.tables.empty()) return section.Missing("tables", "write " + example);
  return QualifyTables(section, policy);
}

namespace {

Result<void> ReadUnitTable(const Section& section, Policy& policy) {
  const Member* member = section.Find("table");
  if (member == nullptr) return section.Missing("table", "name the table whose records are to be protected");
  auto name = section.Text(*member);
  if (!name) return name.error();
  const Table* table = policy.FindTable(*name);
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const auto& t : policy.tables) names.push_back(t.name);
    return section.At(member->line, fmt::format("[data] has no table {}", Quote(*name)), Suggest(*name, names));
  }
  if (table->is_public) {
    return section.At(member->line,
                      fmt::format("table {} is declared public, so there is nothing in it to protect", Quote(*name)),
                      "remove public = true in [data], or name another table");
  }
  if (table->OfUnits()) {
    return section.At(member->line, fmt::format("the key and max_rows of {} are those of the unit", Quote(*name)),
                      "write them here, in [unit], and remove them from [data]");
  }
  for (const auto& other : policy.tables) {
    if (&other == table || other.is_public || other.OfUnits()) continue;
    return section.At(
        member->line,
        fmt::format("table {} is neither the unit's table nor public, and has no key and max_rows", Quote(other.name)),
        "declare it { source = \"...\", public = true } if everybody may know all of it, { source = "
        "\"...\", key = \"...\", max_rows = n } if its rows belong to the same units, or remove it");
  }
  policy.unit.table = *name;
  return {};
}

Result<void> ReadMaxRows(const Section& section, Policy& policy) {
  const Member* member = section.Find("max_rows");
  if (member == nullptr && policy.unit.key) {
    return section.Missing("max_rows",
                           "write max_rows = n: the most rows one unit may contribute (further ones are dropped)");
  }
  if (member == nullptr) return {};
  auto rows = ReadRowLimit(section, *member);
  if (!rows) return rows.error();
  if (!policy.unit.key && *rows != 1) {
    return section.At(member->line, "max_rows must be 1 when each row is its own unit",
                      "remove max_rows, or name the column that identifies units: key = \"...\"");
  }
  policy.unit.max_rows = *rows;
  return {};
}

// key = ["a", "b"]: a row is about the people in both columns.
Result<void> ReadBothKeys(const Section& section, const Member& key, Policy& policy) {
  const std::string choice = "write key = [\"a\", \"b\"] for two columns that name people, or key = \"a\" for one";
  std::vector<std::string> names;
  for (const Node& item : key.value.items) {
    if (item.kind != NodeKind::kText) return section.At(key.line, "'key' lists something that is not a text", choice);
    names.push_back(std::get<std::string>(item.leaf));
    if (const std::string problem = NameProblem(names.back()); !problem.empty()) {
      return section.At(key.line, "the name of a key column " + problem, "correct it");
    }
  }
  if (names.size() != 2) return section.At(key.line, fmt::format("'key' lists {} columns", names.size()), choice);
  if (FoldName(names[0]) == FoldName(names[1])) return section.At(key.line, "'key' lists one column twice", choice);
  policy.unit.key = names[0];
  policy.unit.other_key = names[1];
  return {};
}

Result<void> ReadKeyOrRow(const Section& section, Policy& policy) {
  const Member* key = section.Find("key");
  const Member* row = section.Find("row");
  const std::string choice =
      "write key = \"column\" (it names the unit a row belongs to) or row = true (each row is its own unit)";
  if (key == nullptr && row == nullptr) return section.At(section.line(), "[unit] does not say 'key' or 'row'", choice);
  if (key != nullptr && row != nullptr) {
    return section.At(std::max(key->line, row->line), "[unit] says both 'key' and 'row'", "keep one: " + choice);
  }
  if (row != nullptr) {
    auto each = section.Boolean(*row);
    if (!each) return each.error();
    if (!*each) return section.At(row->line, "row = false does not say what a unit is", choice);
    return {};
  }
  if (key->value.kind == NodeKind::kList) return ReadBothKeys(section, *key, policy);
  auto name = section.Text(*key);
  if (!name) return name.error();
  if (const std::string problem = NameProblem(*name); !problem.empty()) {
    return section.At(key->line, "the name of the key column " + problem, "correct it");
  }
  policy.unit.key = *name;
  return {};
}

// Somebody without a row is not in a table of pairs: presence cannot be known while friendships are not.
Result<void> ReadPresence(const Section& section, Policy& policy) {
  const Member* presence = section.Find("presence");
  const std::string choice =
      "write presence = \"secret\" if nobody may learn who is in the table, presence = \"public\" if everybody knows";
  if (presence == nullptr) return section.Missing("presence", choice);
  auto text = section.Text(*presence);
  if (!text) return text.error();
  if (*text != "public" && *text != "secret") {
    return section.At(presence->line, fmt::format("presence cannot be {}", Quote(*text)), choice);
  }
  if (policy.unit.other_key && *text == "public") {
    return section.At(presence->line, "presence cannot be public where a unit is everybody in either of two columns",
                      "write presence = \"secret\": a person without any row is not in the table");
  }
  policy.unit.presence = *text == "public" ? Presence::kPublic : Presence::kSecret;
  return {};
}

}  // namespace

Result<void> ReadUnit(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("unit"); !ok) return ok;
  if (auto ok = ReadUnitTable(section, policy); !ok) return ok;
  if (auto ok = ReadKeyOrRow(section, policy); !ok) return ok;
  if (auto ok = ReadMaxRows(section, policy); !ok) return ok;
  if (auto ok = ReadWithin(section, policy); !ok) return ok;
  return ReadPresence(section, policy);
}

Result<void> ReadBudget(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("budget"); !ok) return ok;
  const Member* epsilon = section.Find("epsilon");
  if (epsilon == nullptr) {
    return section.Missing(
        "epsilon", "write epsilon = x: the most that all answers together may reveal (1 is usual, less is safer)");
  }
  auto number = section.Number(*epsilon);
  if (!number) return number.error();
  if (auto checked = Epsilon::Make(*number); !checked) {
    return section.At(epsilon->line, checked.error().what, checked.error().next);
  }
  policy.epsilon_total = *number;
  const Member* ledger = section.Find("ledger");
  if (ledger == nullptr)
    return section.Missing("ledger", "write ledger = \"name.ledger\": the file that records what was spent");
  auto path = section.Text(*ledger);
  if (!path) return path.error();
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(policy.file, failed);
  if (failed) return StorageError("the current folder cannot be found: " + failed.message());
  policy.ledger = (absolute.parent_path() / *path).lexically_normal();
  if (!policy.ledger.has_filename()) {
    return section.At(ledger->line, "ledger names a folder, not a file", "write ledger = \"name.ledger\"");
  }
  if (auto ok = ReadNeighbours(section, policy); !ok) return ok;
  if (auto ok = ReadHouseholdBudget(section, policy); !ok) return ok;
  return ReadDelta(section, policy);
}

}  // namespace kith
