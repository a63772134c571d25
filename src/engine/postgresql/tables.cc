#include "engine/postgresql/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/spelling.h"
#include "engine/duckdb/source.h"
#include "sql/quote.h"

namespace kith {

namespace {

struct Place {
  std::string schema, table;
};

Result<Place> PlaceOf(const Table& table) {
  const std::string& source = table.source;
  const std::size_t dot = source.find('.');
  const Place place =
      dot == std::string::npos ? Place{"public", source} : Place{source.substr(0, dot), source.substr(dot + 1)};
  constexpr std::size_t kMost = 63;  // longer names are cut
  if (place.schema.empty() || place.table.empty() || place.table.find('.') != std::string::npos ||
      place.schema.size() > kMost || place.table.size() > kMost || source.find('\0') != std::string::npos) {
    return InvalidArgument("a table of a server is written as schema.table", source, "correct it under [data]");
  }
  if (place.schema.starts_with("pg_") || place.schema == "information_schema")
    return InvalidArgument("tables of the server itself cannot be used", source, "name a table of your own");
  return place;
}

Result<void> CheckKind(const Table& table, const std::string& kind) {
  if (kind == "r" || kind == "p") return {};
  const char* what = kind == "v"   ? "this is a view: what it computes could fail at a value"
                     : kind == "m" ? "this is a materialized view, which cannot be locked while it is read"
                     : kind == "f" ? "this is a foreign table: what another server does cannot be foreseen"
                                   : "this is no table";
  return InvalidArgument(what, table.source, "copy it into a table (CREATE TABLE ... AS)");
}

class Opener {
 public:
  Opener(PgConnection& connection, const Policy& policy, const CancelFlag& cancel)
      : connection_(connection), policy_(policy), cancel_(cancel) {}

  Result<PgTable> Open(const Table& table) {
    const auto place = PlaceOf(table);
    if (!place) return place.error();
    const auto shown = ShownColumns(table, policy_);
    if (!shown) return shown.error();
    const auto id = Check(table, *place);
    if (!id) return id.error();
    const auto all = ColumnsOf(*id);
    if (!all) return all.error();
    // A partition can be attached, or a schema get the name of another, while the lock is held: what is not the table
    // that was examined does not count.
    const std::string name = fmt::format("{}.{}", QuotedName(place->schema), QuotedName(place->table));
    PgTable opened{.name = table.name,
                   .from = fmt::format("{}{} WHERE tableoid IN ({})", has_children_ || is_partitioned_ ? "" : "ONLY ",
                                       name, fmt::join(parts_, ", ")),
                   .partitioned = is_partitioned_ ? name : "",
                   .parts = parts_,
                   .columns = {}};
    for (const ShownColumn& column : *shown) {
      auto found = Find(column.name, *all, table);
      if (!found) return found.error();
      auto reading = ReadColumn(*found, column.type, column.reading);
      if (!reading) {
        Error error = reading.error();
        error.where = table.name + "." + column.name;
        return error;
      }
      opened.columns.push_back({std::move(*found), std::move(*reading)});
    }
    return opened;
  }

  Result<FileSketch> Sketch(const Table& table) {
    const auto place = PlaceOf(table);
    if (!place) return place.error();
    const auto id = Check(table, *place);
    if (!id) return id.error();
    const auto all = ColumnsOf(*id);
    if (!all) return all.error();
    FileSketch sketch;
    for (const PgColumn& column : *all) {
      ColumnSketch& one = sketch.columns.emplace_back(ColumnSketch{column.name, ColumnType::kText});
      if (const auto reading = ReadColumn(column, std::nullopt, {}); !reading) {
        one.skipped = true;
        one.remark = reading.error().what;
        continue;
      }
      one.type = NaturalType(column);
    }
    return sketch;
  }

 private:
  /// Its number in the catalog, if it is a table whose rows are what they are for everybody who may read it.
  Result<std::string> Check(const Table& table, const Place& place) {
    const auto rows = connection_.Metadata(fmt::format("SELECT c.oid, c.relkind, row_security_active(c.oid), "
                                                       "EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid) "
                                                       "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                                                       "WHERE n.nspname = {} AND c.relname = {}",
                                                       QuotedText(place.schema), QuotedText(place.table)),
                                           cancel_);
    if (!rows) return rows.error();
    if (rows->empty()) {
      return InvalidArgument("the database has no such table", table.source,
                             "check the tables under [data]: each is \"schema.table\", in capital and small letters "
                             "as stored");
    }
    const std::vector<std::string>& row = rows->front();
    if (auto kind = CheckKind(table, row[1]); !kind) return kind.error();
    if (row[2] != "f") {
      return InvalidArgument("row-level security hides rows of the table from this user", table.source,
                             "let the user read all rows (ALTER ROLE ... BYPASSRLS), or copy the rows that count into "
                             "a table of their own");
    }
    has_children_ = row[3] == "t";
    is_partitioned_ = row[1] == "p";
    parts_ = {row[0]};
    if (!has_children_) return row[0];
    const auto all = connection_.Metadata(
        fmt::format("WITH RECURSIVE t(oid) AS (SELECT {}::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN t ON "
                    "i.inhparent = t.oid) SELECT c.oid, c.relkind IN ('r', 'p') FROM t JOIN pg_class c ON c.oid = "
                    "t.oid WHERE c.oid <> {} ORDER BY c.oid",
                    row[0], row[0]),
        cancel_);
    if (!all) return all.error();
    for (const std::vector<std::string>& part : *all) {
      if (part[1] != "t") {
        return InvalidArgument("a part of the table is a foreign table", table.source,
                               "copy it into a table: what another server does cannot be foreseen");
      }
      parts_.push_back(part[0]);
    }
    return row[0];
  }

  /// Of domains, what they are made of.
  Result<std::vector<PgColumn>> ColumnsOf(const std::string& table) {
    const auto rows = connection_.Metadata(
        fmt::format(
            "WITH RECURSIVE c(num, name, coll, gen, type, kind, base, type_name, space) AS ("
            "SELECT a.attnum, a.attname, a.attcollation, a.attgenerated, t.oid, t.typtype, "
            "t.typbasetype, "
            "t.typname, t.typnamespace FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = {0} AND a.attnum > 0 AND NOT a.attisdropped "
            "UNION ALL SELECT c.num, c.name, c.coll, c.gen, t.oid, t.typtype, t.typbasetype, t.typname, "
            "t.typnamespace FROM c JOIN pg_type t ON t.oid = c.base WHERE c.kind = 'd') "
            "SELECT c.name, c.type, c.type_name, c.kind, c.space = 'pg_catalog'::regnamespace, "
            "coalesce((SELECT l.collisdeterministic FROM pg_collation l WHERE l.oid = c.coll), true), c.gen, "
            "c.coll = 'pg_catalog.\"default\"'::regcollation, "
            "EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = {0} AND i.indisunique AND i.indisvalid AND "
            "i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = "
            "c.num) "
            "FROM c WHERE c.kind <> 'd' ORDER BY c.num",
            table),
        cancel_);
    if (!rows) return rows.error();
    // An index of a table with children is only about that table; one of a partitioned table is about all parts.
    const bool whole = !has_children_ || is_partitioned_;
    std::vector<PgColumn> columns;
    for (const std::vector<std::string>& row : *rows) {
      std::uint32_t type = 0;
      std::from_chars(row[1].data(), row[1].data() + row[1].size(), type);
      columns.push_back({.name = row[0],
                         .type = PgType{type},
                         .type_name = row[2],
                         .is_enum = row[3] == "e",
                         .built_in = row[3] == "b" && row[4] == "t",
                         .by_bytes = row[5] == "t",
                         .usual_collation = row[7] == "t",
                         .computed = row[6] == "v",
                         .unique = whole && row[8] == "t"});
    }
    return columns;
  }

  static Result<PgColumn> Find(const std::string& name, const std::vector<PgColumn>& all, const Table& table) {
    std::vector<std::string> names;
    for (const PgColumn& column : all) {
      if (column.name == name) return column;
      names.push_back(column.name);
    }
    const std::string near = NearestWord(name, names);
    return InvalidArgument(fmt::format("the table has no column \"{}\"{}", name,
                                       near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                           table.source, "add the column to the table, or remove it from the policy");
  }

  PgConnection& connection_;
  const Policy& policy_;
  const CancelFlag& cancel_;
  bool has_children_ = false, is_partitioned_ = false;  // of the table that is being opened
  std::vector<std::string> parts_;                      // the numbers in the catalog: its own, and its children's
};

}  // namespace

Result<std::string> QuotedTable(const Table& table) {
  const auto place = PlaceOf(table);
  if (!place) return place.error();
  return fmt::format("{}.{}", QuotedName(place->schema), QuotedName(place->table));
}

Result<void> CheckKinds(PgConnection& connection, const Policy& policy, const CancelFlag& cancel) {
  for (const Table& table : policy.tables) {
    const auto place = PlaceOf(table);
    if (!place) return place.error();
    const auto kind = connection.Metadata(
        fmt::format("SELECT c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = "
                    "{} AND c.relname = {}",
                    QuotedText(place->schema), QuotedText(place->table)),
        cancel);
    if (!kind) return kind.error();
    if (kind->empty()) continue;
    if (auto checked = CheckKind(table, kind->front()[0]); !checked) return checked;
  }
  return {};
}

Result<std::vector<PgTable>> OpenTables(PgConnection& connection, const Policy& policy, const CancelFlag& cancel) {
  Opener opener(connection, policy, cancel);
  std::vector<PgTable> tables;
  for (const Table& table : policy.tables) {
    auto opened = opener.Open(table);
    if (!opened) return opened.error();
    tables.push_back(std::move(*opened));
  }
  return tables;
}

// While the lock is held partitions come, and none goes: a partition that a statement has read is still there after it.
// pg_partition_tree looks at the catalog as it is now, as those who plan statements do; a SELECT would be shown the
// catalog as it was when the transaction began.
Result<FileSketch> SketchTable(PgConnection& connection, const Policy& policy, const Table& table,
                               const CancelFlag& cancel) {
  return Opener(connection, policy, cancel).Sketch(table);
}

Result<bool> HasTheSameParts(PgConnection& connection, const std::vector<PgTable>& tables, const CancelFlag& cancel) {
  for (const PgTable& table : tables) {
    if (!IsPartitioned(table)) continue;
    const auto rows = connection.Metadata(
        fmt::format("SELECT relid::oid FROM pg_partition_tree(to_regclass({}))", QuotedText(table.partitioned)),
        cancel);
    if (!rows) return rows.error();
    std::vector<std::string> now, then = table.parts;
    for (const auto& row : *rows) now.push_back(row[0]);
    std::sort(now.begin(), now.end());
    std::sort(then.begin(), then.end());
    if (now != then) return false;
  }
  return true;
}

std::string Over(const std::vector<PgTable>& tables, const std::string& sql, Parts parts) {
  std::string text = "WITH ";
  for (std::size_t k = 0; k < tables.size(); ++k) {
    std::string list;
    for (const PgReadColumn& column : tables[k].columns) {
      list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", column.reading.sql, QuotedName(column.column.name));
    }
    text +=
        fmt::format("{}{} AS NOT MATERIALIZED (SELECT {} FROM {})", k == 0 ? "" : ", ", QuotedName(tables[k].name),
                    list, parts == Parts::kAny && IsPartitioned(tables[k]) ? tables[k].partitioned : tables[k].from);
  }
  // One statement has one WITH; parentheses around any other keep it one SELECT, in the order that it has.
  constexpr std::string_view kWith = "WITH ";
  if (sql.starts_with(kWith)) return fmt::format("{}, {}", text, sql.substr(kWith.size()));
  return fmt::format("{} ({})", text, sql);
}

Ends EndsOf(const PgTable& table) {
  const auto end = [columns = table.columns](const char* of, const char* of_truth) {
    return [columns, of, of_truth](const std::string& name) {
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const PgReadColumn& column) { return column.column.name == name; });
      const bool truth = found != columns.end() && found->reading.is_boolean;
      const bool uuid = found != columns.end() && found->reading.is_uuid;
      const bool text = found != columns.end() && found->reading.is_plain_text;
      const std::string quoted = QuotedName(name) + (text ? " COLLATE \"C\"" : "");
      return fmt::format("{}({})", truth ? of_truth : of, uuid ? fmt::format("CAST({} AS TEXT)", quoted) : quoted);
    };
  };
  return {end("min", "bool_and"), end("max", "bool_or")};
}

}  // namespace kith
