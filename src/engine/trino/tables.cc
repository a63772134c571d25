#include "engine/trino/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/spelling.h"
#include "engine/duckdb/source.h"
#include "engine/trino/reading.h"
#include "sql/quote.h"

namespace kith::trino {

namespace {

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

struct Place {
  std::string catalog, schema, table;
  std::string Sql(const std::string& suffix = {}) const {
    return fmt::format("{}.{}.{}", QuotedName(catalog), QuotedName(schema), QuotedName(table + suffix));
  }
};

/// "table" (its schema was put before it when the policy was read), "schema.table" or "catalog.schema.table".
Result<Place> PlaceOf(const Table& table, const kith::Server& server) {
  std::vector<std::string> parts(1);
  for (const char c : table.source) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  if (parts.size() == 2) parts.insert(parts.begin(), server.database);
  const bool empty = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (parts.size() != 3 || empty || table.source.find_first_of(std::string("$@\0", 3)) != std::string::npos) {
    return InvalidArgument("a table of Trino is written as schema.table or catalog.schema.table", table.source,
                           "correct it under [data], or name its schema there");
  }
  for (std::string& part : parts) part = Lower(part);
  if (parts[1] == "information_schema" || parts[0] == "system")
    return InvalidArgument("tables of the server itself cannot be used", table.source, "name a table of your own");
  return Place{parts[0], parts[1], parts[2]};
}

/// Names and types as JSON: a name can hold anything.
std::string ColumnsText(const std::vector<Column>& columns) {
  Json all = Json::array();
  for (const Column& column : columns) all.push_back({column.name, column.type});
  return all.dump();
}

/// Nothing if it is not what ColumnsText wrote.
std::optional<std::vector<Column>> ColumnsFrom(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto all = Json::parse(*text, nullptr, false);
  if (!all.is_array() || all.empty()) return std::nullopt;
  std::vector<Column> columns;
  for (const auto& pair : all) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) return std::nullopt;
    columns.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
  }
  return columns;
}

class Opener {
 public:
  Opener(Connection& connection, const Policy& policy, const KithFolder& folder, const CancelFlag& cancel)
      : connection_(connection), policy_(policy), folder_(folder), cancel_(cancel) {}

  Result<ReadTable> Open(const Table& table) {
    const auto place = PlaceOf(table, policy_.server);
    if (!place) return place.error();
    const auto shown = ShownColumns(table, policy_);
    if (!shown) return shown.error();
    ReadTable opened{table.name, place->Sql(), false, {}};
    if (auto pinned = Pin(*place, &opened); !pinned) return pinned.error();
    const auto all = Columns(table, *place, opened);
    if (!all) return all.error();
    for (const ShownColumn& column : *shown) {
      auto part = Read(column, *all, table);
      if (!part) return part.error();
      opened.columns.push_back(std::move(*part));
    }
    return opened;
  }

  Result<ReadTable> AsOf(const Table& table, const std::string& from) {
    const auto shown = ShownColumns(table, policy_);
    if (!shown) return shown.error();
    const auto all = connection_.Columns(fmt::format("SELECT * FROM {} WHERE FALSE", from), cancel_);
    if (!all) return all.error();
    ReadTable opened{table.name, from, true, {}};
    for (const ShownColumn& column : *shown) {
      if (auto part = Read(column, *all, table)) opened.columns.push_back(std::move(*part));
    }
    return opened;
  }

  Result<FileSketch> Sketch(const Table& table) {
    const auto place = PlaceOf(table, policy_.server);
    if (!place) return place.error();
    if (auto known = CheckKind(table, *place); !known) return known.error();
    const auto all = connection_.Columns(fmt::format("SELECT * FROM {} WHERE FALSE", place->Sql()), cancel_);
    if (!all) return all.error();
    FileSketch sketch;
    for (const Column& column : *all) {
      ColumnSketch& one = sketch.columns.emplace_back(ColumnSketch{column.name, ColumnType::kText});
      if (const auto sql = ReadColumn(column, std::nullopt, {}); !sql) {
        one.skipped = true;
        one.remark = sql.error().what;
        continue;
      }
      one.type = NaturalType(column);
    }
    return sketch;
  }

 private:
  /// Of this snapshot: the table may have got other columns since. Those of a snapshot that was a table's once are
  /// not asked for again.
  Result<std::vector<Column>> Columns(const Table& table, const Place& place, const ReadTable& opened) {
    const std::string name = Sha256(fmt::format("columns of a table, {}\n{}", policy_.server.Text(), opened.from));
    if (opened.pinned) {
      if (auto known = ColumnsFrom(folder_.Recall(name))) return *std::move(known);
    }
    if (auto known = CheckKind(table, place); !known) return known.error();
    auto all = connection_.Columns(fmt::format("SELECT * FROM {} WHERE FALSE", opened.from), cancel_);
    if (all && opened.pinned) folder_.Remember(name, ColumnsText(*all));
    return all;
  }

  /// What it computes could fail at a value, or read other tables at another time.
  Result<void> CheckKind(const Table& table, const Place& place) {
    const auto kind = connection_.Metadata(
        fmt::format("SELECT table_type FROM {}.information_schema.tables WHERE table_schema = {} AND table_name = {}",
                    QuotedName(place.catalog), QuotedText(place.schema), QuotedText(place.table)),
        cancel_);
    if (!kind) return kind.error();
    if (kind->empty()) {
      return InvalidArgument("the server has no such table, or does not show it to this user", table.source,
                             "check catalog, schema and tables under [data], and what the user may read");
    }
    const auto computed = connection_.Metadata(
        fmt::format("SELECT 1 FROM system.metadata.materialized_views WHERE catalog_name = {} AND schema_name = {} AND "
                    "name = {}",
                    QuotedText(place.catalog), QuotedText(place.schema), QuotedText(place.table)),
        cancel_);
    if (!computed) return computed.error();
    if (kind->front().at(0) == "BASE TABLE" && computed->empty()) return {};
    return InvalidArgument(computed->empty() ? "this is a view: what it computes could fail at a value"
                                             : "this is a materialized view: what it computes could fail at a value",
                           table.source, "copy it into a table (CREATE TABLE ... AS)");
  }

  /// Iceberg says which snapshot its main branch is at.
  Result<void> Pin(const Place& place, ReadTable* opened) {
    const auto refs = connection_.MetadataIfThere(
        fmt::format("SELECT snapshot_id FROM {} WHERE name = 'main'", place.Sql("$refs")), cancel_);
    if (!refs) return refs.error();
    if (!*refs) return {};
    const std::string id = (*refs)->empty() ? "" : (*refs)->front().at(0);
    if (id.empty() || id.find_first_not_of("0123456789-") != std::string::npos) {
      return InvalidArgument("the table has no snapshot yet: nothing was ever written to it", opened->from,
                             "write its rows first");
    }
    opened->from += fmt::format(" FOR VERSION AS OF BIGINT '{}'", id);
    opened->pinned = true;
    return {};
  }

  /// Trino ignores the case of names.
  static Result<ReadTable::Part> Read(const ShownColumn& column, const std::vector<Column>& all, const Table& table) {
    std::vector<std::string> names;
    for (const Column& one : all) {
      names.push_back(one.name);
      if (Lower(one.name) != Lower(column.name)) continue;
      auto sql = ReadColumn(one, column.type, column.reading);
      if (!sql) {
        Error error = sql.error();
        error.where = table.name + "." + column.name;
        return error;
      }
      return ReadTable::Part{column.name, std::move(*sql), QuotedName(one.name), one.type};
    }
    const std::string near = NearestWord(column.name, names);
    return InvalidArgument(fmt::format("the table has no column \"{}\"{}", column.name,
                                       near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                           table.source, "add the column to the table, or remove it from the policy");
  }

  Connection& connection_;
  const Policy& policy_;
  const KithFolder& folder_;
  const CancelFlag& cancel_;
};

}  // namespace

Result<std::vector<ReadTable>> OpenTables(Connection& connection, const Policy& policy, const KithFolder& folder,
                                          const CancelFlag& cancel) {
  Opener opener(connection, policy, folder, cancel);
  std::vector<ReadTable> tables;
  for (const Table& table : policy.tables) {
    auto opened = opener.Open(table);
    if (!opened) return opened.error();
    tables.push_back(std::move(*opened));
  }
  return tables;
}

Result<ReadTable> OpenAsOf(Connection& connection, const Policy& policy, const Table& table, const std::string& from,
                           const KithFolder& folder, const CancelFlag& cancel) {
  return Opener(connection, policy, folder, cancel).AsOf(table, from);
}

Result<FileSketch> SketchTable(Connection& connection, const Policy& policy, const Table& table,
                               const CancelFlag& cancel) {
  const KithFolder folder(std::filesystem::absolute(policy.file).parent_path());
  return Opener(connection, policy, folder, cancel).Sketch(table);
}

std::optional<std::string> StateOf(const Policy& policy, const std::vector<ReadTable>& tables) {
  std::string state = policy.server.Text();
  for (const ReadTable& table : tables) {
    if (!table.pinned) return std::nullopt;
    state += "\n" + table.from;
  }
  return state;
}

std::string Over(const std::vector<ReadTable>& tables, const std::string& sql) {
  std::string text = "WITH ";
  for (std::size_t k = 0; k < tables.size(); ++k) {
    std::string list;
    for (const ReadTable::Part& column : tables[k].columns)
      list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", column.sql, QuotedName(column.name));
    text += fmt::format("{}{} AS (SELECT {} FROM {})", k == 0 ? "" : ", ", QuotedName(tables[k].name), list,
                        tables[k].from);
  }
  // One statement has one WITH. What is not a SELECT is not one after it either.
  constexpr std::string_view kWith = "WITH ";
  if (sql.starts_with(kWith)) return fmt::format("{}, {}", text, sql.substr(kWith.size()));
  return fmt::format("{} {}", text, sql);
}

}  // namespace kith::trino
