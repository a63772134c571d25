#include "engine/duckdb/unit_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/duckdb/library.h"
#include "engine/promises.h"
#include "query/kept_by.h"
#include "sql/dialect.h"

namespace kith {

namespace {

constexpr std::int64_t kMostHashes = 60'000'000;  // that are kept while they are counted
constexpr std::int64_t kMostParts = 4096;
constexpr std::size_t kMostLookedUp = 10'000;  // units by their keys
constexpr char kHashes[] = "\"kith.keys\"";
constexpr char kSeen[] = "\"kith.seen\"";
constexpr char kKeptView[] = "kith.kept";

class Look {
 public:
  Look(const DuckDbConnection& connection, const Policy& policy, const OpenedTable& table, bool indexes,
       const LookSizes& sizes, const CancelFlag& cancel)
      : connection_(connection),
        policy_(policy),
        cancel_(cancel),
        opened_(table),
        indexes_(indexes),
        sizes_(sizes),
        table_(QuotedName(policy.unit.table)) {
    key_ = QuotedName(*policy.unit.key);
    group_ = key_;
    for (const Column& column : policy.unit_table().columns) {
      if (column.constant) varies_ += (varies_.empty() ? "" : " OR ") + Varies(column.name);
    }
  }

  /// What is asked about, for marks.
  std::string Subject() const { return fmt::format("{} of {}: {}", key_, table_, varies_); }

  Result<KnownRows> Run() {
    const auto columns = Describe(connection_, table_, cancel_);
    if (!columns) return columns.error();
    bool text = false;
    for (const PhysicalColumn& column : *columns) {
      if (column.name != *policy_.unit.key) continue;
      text = column.type == "VARCHAR";
      whole_ = column.type == "BIGINT" || column.type == "INTEGER" || column.type == "SMALLINT";
    }
    if (text) group_ = fmt::format("hash({})", key_);
    const auto rows = One(fmt::format("SELECT count(*) FROM {}", table_));
    if (!rows) return rows.error();
    std::int64_t at_once = sizes_.rows;
    if (text && varies_.empty() && *rows > sizes_.rows && *rows <= kMostHashes) {
      if (auto kept = KeepHashes(); !kept) return kept.error();
      at_once = sizes_.hashes;
    }
    while (parts_<kMostParts&& * rows / parts_> at_once) parts_ *= 2;
    auto found = LookAtAll(*rows);
    if (auto dropped = connection_.Execute(
            fmt::format("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}", kHashes, kSeen), cancel_);
        !dropped && found) {
      return dropped.error();
    }
    return found;
  }

 private:
  struct Seen {
    Int128 most = 0, rows = 0;
    bool differ = false;    // a constant column, in some unit
    std::int64_t over = 0;  // rows of units that have too many
  };

  /// Reading and hashing strings is most of the work, so it is done once and not for each part.
  Result<void> KeepHashes() {
    hashes_ = true;
    return connection_.Execute(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS SELECT {} AS h FROM {} WHERE {} IS NOT "
                                           "NULL",
                                           kHashes, group_, table_, key_),
                               cancel_);
  }

  Result<KnownRows> LookAtAll(Int128 rows) {
    sql::UnitRows found{.most = 1};
    Int128 with_key = 0;
    auto index = std::make_shared<KeptIndex>();
    bool over = false;  // some unit has too many rows
    for (std::int64_t part = 0; part < parts_; ++part) {
      const auto seen = LookAtPart(part);
      if (!seen) return seen.error();
      if (seen->differ || (seen->most > policy_.unit.max_rows && !indexes_)) return KnownRows{};
      if (seen->most > 1) found.most = policy_.unit.max_rows;
      with_key += seen->rows;
      if (seen->most <= policy_.unit.max_rows) continue;
      over = true;
      const auto sure = DropBeyond(part, *seen, index.get());
      if (!sure) return sure.error();
      if (!*sure) return KnownRows{};
    }
    found.all_have_keys = with_key == rows;
    if (!over) return KnownRows{std::move(found), nullptr};
    if (!found.all_have_keys) {
      const std::string without =
          fmt::format("SELECT {} FROM ({}) WHERE {} IS NULL", QuotedName(kRowNumber), opened_.numbered_sql, key_);
      if (auto scanned = connection_.Scan(without, DropAll(index.get()), cancel_); !scanned) return scanned.error();
    }
    return KnownRows{{.kept = kKeptView, .kept_by = KeptBy(policy_)}, std::move(index)};
  }

  static IntegerSink DropAll(KeptIndex* index) {
    return [index](IntegerColumns columns) -> Result<void> {
      for (const std::int64_t row : columns[0]) index->Drop(row);
      return {};
    };
  }

  Result<Int128> One(const std::string& sql) const {
    const auto table = connection_.Integers(sql, cancel_);
    if (!table) return table.error();
    return table->rows.at(0).at(0).value_or(Int128{0});
  }

  /// Keys with this remainder, in bits of their hash that the engine's own tables do not use first.
  static std::string InPart(const std::string& hash, std::int64_t part, std::int64_t parts) {
    return parts == 1 ? "" : fmt::format(" AND ({} >> 24) & {} = {}", hash, parts - 1, part);
  }

  /// The units of a part, and in kSeen those that have too many rows. Strings are grouped by their hash, which takes
  /// less room: units that share one look like one with more rows, never with fewer.
  Result<Seen> LookAtPart(std::int64_t part) const {
    const std::string key = hashes_ ? "h" : key_, group = hashes_ ? "h" : group_;
    const std::string mine = InPart(hashes_ ? "h" : fmt::format("hash({})", key_), part, parts_);
    const std::string units = fmt::format("SELECT {} AS k, count(*) AS n{} FROM {} WHERE {} IS NOT NULL{} GROUP BY {}",
                                          group, varies_.empty() ? "" : fmt::format(", {} AS v", varies_),
                                          hashes_ ? kHashes : table_, key, mine, group);
    const std::string over = fmt::format("FILTER (WHERE n > {})", policy_.unit.max_rows);
    const auto made = connection_.Execute(
        fmt::format(
            "CREATE OR REPLACE TEMP TABLE {} AS SELECT max(n) AS most, sum(n) AS all_rows, {} AS differ, sum(n) "
            "{} AS over, list(k) {} AS units FROM ({})",
            kSeen, varies_.empty() ? "0" : "count(*) FILTER (WHERE v)", over, over, units),
        cancel_);
    if (!made) return made.error();
    const auto table = connection_.Integers(fmt::format("SELECT most, all_rows, differ, over FROM {}", kSeen), cancel_);
    if (!table) return table.error();
    const auto number = [&](std::size_t k) { return table->rows.at(0).at(k).value_or(Int128{0}); };
    return Seen{number(0), number(1), number(2) > 0, static_cast<std::int64_t>(number(3))};
  }

  /// Which rows are dropped in a part where some are. False: that would follow from the question, because a row that is
  /// kept and one that is not differ, but hardly in their hashes. Requires: kSeen is about this part.
  Result<bool> DropBeyond(std::int64_t part, const Seen& seen, KeptIndex* index) const {
    const std::int64_t pieces = Pieces(seen.over, whole_ ? sizes_.sorted : sizes_.windowed);
    // Where most units have too many rows, picking them out takes longer than it saves.
    const bool pick = 2 * Int128{seen.over} < seen.rows;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::string rows = RowsOver(part + piece * parts_, pieces * parts_, pick);
      const auto ties = whole_ ? DropSorted(rows, index) : DropWindowed(rows, index);
      if (!ties) return ties.error();
      if (!ties->any) continue;
      // A few units are looked up; where there are many, all are examined, some at a time.
      const std::int64_t looks = ties->units.empty() ? Pieces(seen.over / pieces, sizes_.windowed) : 1;
      for (std::int64_t look = 0; look < looks; ++look) {
        const std::int64_t at = part + (piece + look * pieces) * parts_;
        const auto unsure = One(UnsureOf(RowsOver(at, looks * pieces * parts_, pick), ties->units));
        if (!unsure) return unsure.error();
        if (*unsure > 0) return false;
      }
    }
    return true;
  }

  static std::int64_t Pieces(std::int64_t rows, std::int64_t at_once) {
    std::int64_t pieces = 1;
    while (pieces < kMostParts && rows / pieces > at_once) pieces *= 2;
    return pieces;
  }

  /// Units in which a hash does not decide which rows are kept; `units` names them if they are few.
  struct Ties {
    bool any = false;
    std::vector<std::int64_t> units = {};
  };

  /// Rows with their unit's key and their hash; only those of units that have too many, if they are picked out.
  std::string RowsOver(std::int64_t part, std::int64_t parts, bool pick) const {
    const std::string picked = pick ? fmt::format(" AND {} IN (SELECT unnest(units) FROM {})", group_, kSeen) : "";
    return fmt::format(
        "SELECT {0} AS \"kith.unit\", {1} AS \"kith.hash\", * FROM ({2}) AS t WHERE {0} IS NOT NULL{3}{4}", key_,
        sql::DuckDb().Write(RowHash(policy_)), opened_.numbered_sql, InPart(fmt::format("hash({})", key_), part, parts),
        picked);
  }

  /// Drops the rows beyond the first max_rows of each unit. Ties: the first of them agrees in its hash, as far as it is
  /// compared in any case, with the last that is kept.
  Result<Ties> DropSorted(const std::string& rows, KeptIndex* index) const {
    std::vector<RowOfUnit> all;
    const auto scanned = connection_.Scan(
        fmt::format("SELECT CAST(\"kith.unit\" AS BIGINT), CAST(\"kith.hash\" >> 1 AS BIGINT), {} FROM ({})",
                    QuotedName(kRowNumber), rows),
        [&all](IntegerColumns columns) -> Result<void> {
          for (std::size_t k = 0; k < columns[0].size(); ++k)
            all.push_back({columns[0][k], columns[1][k], columns[2][k]});
          return {};
        },
        cancel_);
    if (!scanned) return scanned.error();
    Ties ties;
    ties.units = DropBeyondFirst(&all, policy_.unit.max_rows, 63 - kSureHashBits, index);
    ties.any = !ties.units.empty();
    if (ties.units.size() > kMostLookedUp) ties.units.clear();
    return ties;
  }

  /// The same for keys that are not whole numbers.
  Result<Ties> DropWindowed(const std::string& rows, KeptIndex* index) const {
    bool ties = false;
    const auto drop = DropAll(index);
    const auto scanned = connection_.Scan(
        fmt::format(
            "SELECT r, CAST(n = {0} AND (h >> {1}) = (b >> {1}) AS BIGINT) FROM (SELECT r, h, row_number() OVER "
            "w AS n, lag(h) OVER w AS b FROM (SELECT \"kith.unit\" AS u, \"kith.hash\" AS h, {2} AS r FROM "
            "({3})) WINDOW w AS (PARTITION BY u ORDER BY h, r)) WHERE n >= {0}",
            policy_.unit.max_rows + 1, 64 - kSureHashBits, QuotedName(kRowNumber), rows),
        [&](IntegerColumns columns) {
          ties = ties || std::any_of(columns[1].begin(), columns[1].end(), [](std::int64_t tie) { return tie != 0; });
          return drop(columns);
        },
        cancel_);
    if (!scanned) return scanned.error();
    return Ties{ties};
  }

  /// How many units have rows that are not the same, but agree that far in their hashes.
  std::string UnsureOf(const std::string& rows, const std::vector<std::int64_t>& units) const {
    std::string varies;
    for (const ReadColumn& column : opened_.columns) {
      varies += (varies.empty() ? "" : " OR ") + Varies(column.shown.name);
    }
    std::string list;
    for (const std::int64_t unit : units) list += (list.empty() ? "" : ", ") + std::to_string(unit);
    return fmt::format(
        "SELECT count(*) FROM (SELECT 1 FROM ({}){} GROUP BY \"kith.unit\", \"kith.hash\" >> {} HAVING count(*) > 1 "
        "AND ({}))",
        rows, units.empty() ? "" : fmt::format(" WHERE \"kith.unit\" IN ({})", list), 64 - kSureHashBits, varies);
  }

  const DuckDbConnection& connection_;
  const Policy& policy_;
  const CancelFlag& cancel_;
  const OpenedTable& opened_;
  const bool indexes_;
  const LookSizes sizes_;
  std::int64_t parts_ = 1;
  bool hashes_ = false;  // kHashes is there
  bool whole_ = false;   // keys are whole numbers
  std::string table_, key_, group_, varies_;
};

/// Everything that a scan can find, one mark for each: what is not known is remembered as well.
std::vector<sql::UnitRows> Findings(const Policy& policy) {
  std::vector<sql::UnitRows> findings = {{}};
  for (const bool keys : {false, true}) {
    findings.push_back({.most = 1, .all_have_keys = keys});
    if (policy.unit.max_rows > 1) findings.push_back({.most = policy.unit.max_rows, .all_have_keys = keys});
  }
  return findings;
}

std::string MarkOf(const std::string& subject, const sql::UnitRows& found) {
  const std::string most = found.most ? fmt::format("{}", *found.most) : "unknown";
  return Sha256(fmt::format("rows of units 2, {}, {}: {}", most, found.all_have_keys ? "keys" : "some keys", subject));
}

/// A table of a DuckDB file whose key is unique, and is read as it is stored, has one row of each unit.
Result<std::optional<sql::UnitRows>> KnownByConstraint(const DuckDbConnection& connection, const Policy& policy,
                                                       const OpenedTable& table, const CancelFlag& cancel) {
  if (table.source.kind != SourceKind::kDuckDb) return std::optional<sql::UnitRows>();
  const auto key = std::find_if(table.columns.begin(), table.columns.end(),
                                [&](const ReadColumn& column) { return column.shown.name == *policy.unit.key; });
  constexpr const char* kPlain[] = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "VARCHAR"};
  if (key == table.columns.end() || key->read != QuotedName(*policy.unit.key) ||
      std::find(std::begin(kPlain), std::end(kPlain), key->physical) == std::end(kPlain)) {
    return std::optional<sql::UnitRows>();
  }
  const auto quoted = [](const char* name) { return fmt::format("'\"' || replace({}, '\"', '\"\"') || '\"'", name); };
  const auto found = connection.PublicTexts(
      fmt::format("SELECT constraint_type FROM duckdb_constraints() WHERE {} || '.' || {} || '.' || {} = {} AND "
                  "constraint_type IN ('PRIMARY KEY', 'UNIQUE') AND len(constraint_column_names) = 1 AND "
                  "constraint_column_names[1] = {}",
                  quoted("database_name"), quoted("schema_name"), quoted("table_name"), QuotedText(table.from),
                  QuotedText(*policy.unit.key)),
      cancel);
  if (!found) return found.error();
  if (found->empty()) return std::optional<sql::UnitRows>();
  const auto primary = [](const std::vector<std::string>& row) { return row.at(0) == "PRIMARY KEY"; };
  return std::optional(sql::UnitRows{.most = 1, .all_have_keys = std::any_of(found->begin(), found->end(), primary)});
}

}  // namespace

std::string StateOf(const std::vector<OpenedTable>& tables) {
  std::string states;
  for (const OpenedTable& table : tables) states.append(table.state).append("\n");
  return states;
}

Result<KnownRows> LookAtUnitRows(const DuckDbConnection& connection, const Policy& policy,
                                 const std::vector<OpenedTable>& tables, const KithFolder& folder,
                                 const CancelFlag& cancel, const LookSizes& sizes) {
  if (!policy.unit.key || policy.unit.other_key) return KnownRows{};
  const auto at = std::find_if(policy.tables.begin(), policy.tables.end(),
                               [&](const Table& table) { return table.name == policy.unit.table; });
  const OpenedTable& table = tables.at(static_cast<std::size_t>(at - policy.tables.begin()));
  if (policy.unit.max_rows == 1) {
    const auto unique = KnownByConstraint(connection, policy, table, cancel);
    if (!unique && unique.error().code == Code::kCancelled) return unique.error();
    if (unique && *unique) return KnownRows{**unique, nullptr};
  }
  // A stream keeps rows step by step. An index that nobody can remember would take longer than it saves.
  const bool indexes = !policy.stream && !table.numbered_sql.empty() && folder.Create();
  Look look(connection, policy, table, indexes, sizes, cancel);
  const std::string subject = fmt::format("{}\nat most {}\n{}", look.Subject(), policy.unit.max_rows, StateOf(tables));
  for (const sql::UnitRows& finding : Findings(policy)) {
    if (folder.Marked(MarkOf(subject, finding))) return KnownRows{finding, nullptr};
  }
  const std::string rule = KeptBy(policy);
  const std::string kept = fmt::format("{}\n{}\nDuckDB {}", rule, subject, duckdb_library_version());
  if (indexes) {
    if (auto index = LoadKept(folder, kept)) return KnownRows{{.kept = kKeptView, .kept_by = rule}, std::move(index)};
  }
  auto found = look.Run();
  if (!found) {
    if (found.error().code == Code::kCancelled) return found.error();
    return KnownRows{};
  }
  // What was read belongs to this state only if no file changed during the scan.
  for (const OpenedTable& one : tables) {
    if (auto unchanged = CheckUnchanged(one); !unchanged) return unchanged.error();
  }
  if (found->index) {
    SaveKept(folder, fmt::format("{}\n{}", policy.file.filename().string(), rule), kept, *found->index);
  } else {
    folder.Mark(MarkOf(subject, found->rows));
  }
  return found;
}

}  // namespace kith
