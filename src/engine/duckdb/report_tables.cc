#include "engine/duckdb/report_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/promises.h"
#include "engine/duckdb/tables.h"
#include "query/column_tests.h"
#include "query/range/range.h"
#include "sql/dialect.h"

namespace kith {

namespace {

std::string StoredName(std::size_t k) { return fmt::format("s{}", k); }
std::string TextName(std::size_t k) { return fmt::format("t{}", k); }
std::string ReadName(std::size_t k) { return fmt::format("r{}", k); }

/// Reads the integers of one row, one after the other.
class Counts {
 public:
  explicit Counts(const IntegerTable& table) : row_(table.rows.at(0)) {}
  std::int64_t Next() { return static_cast<std::int64_t>(row_.at(at_++).value_or(0)); }

 private:
  const std::vector<std::optional<Int128>>& row_;
  std::size_t at_ = 0;
};

/// Reports one table, of which `view` shows three columns for each: what is stored, its text, what is read.
class TableReporter {
 public:
  TableReporter(const DuckDbConnection& connection, const Policy& policy, const Table& table, const OpenedTable& opened,
                const std::optional<MadeSnapshot>& made, const CancelFlag& cancel)
      : connection_(connection), policy_(policy), table_(table), opened_(opened), made_(made), cancel_(cancel) {}

  Result<TableReport> Report() {
    if (auto shown = ShowRaw(); !shown) return shown.error();
    TableReport report;
    report.name = table_.name;
    report.source = opened_.source.name;
    for (std::size_t k = 0; k < opened_.columns.size(); ++k) report.columns.push_back(Described(k));
    if (auto counted = Count(&report); !counted) return counted.error();
    if (auto spelled = SpellAll(&report); !spelled) return spelled.error();
    return report;
  }

 private:
  static constexpr char kView[] = "\"kith.report\"";

  Result<void> ShowRaw() {
    std::string list;
    for (std::size_t k = 0; k < opened_.columns.size(); ++k) {
      const ReadColumn& column = opened_.columns[k];
      list += fmt::format("{}{} AS {}, {} AS {}, {} AS {}", k == 0 ? "" : ", ", column.stored, StoredName(k),
                          column.text_of, TextName(k), column.read, ReadName(k));
    }
    return connection_.Execute(
        fmt::format("CREATE OR REPLACE TEMP VIEW {} AS SELECT {} FROM {}", kView, list, opened_.from), cancel_);
  }

  const Column* Declared(std::size_t k) const { return table_.Find(opened_.columns[k].shown.name); }

  ColumnReport Described(std::size_t k) const {
    ColumnReport report;
    report.name = opened_.columns[k].shown.name;
    report.type = opened_.columns[k].shown.type;
    if (const Column* column = Declared(k)) {
      report.listed = !column->values.empty();
      report.bounded = column->lower || column->upper;
      report.never_null = NeverNull(*column);
    }
    return report;
  }

  ColumnTests Tests(std::size_t k) const {
    const Column* column = Declared(k);
    return column == nullptr ? ColumnTests{} : TestsOf(*column, sql::Name(ReadName(k)));
  }

  static std::string Sql(const sql::Term& term) { return sql::DuckDb().Write(term); }

  /// One pass over the table.
  Result<void> Count(TableReport* report) const {
    std::string list = "count(*)";
    const auto add = [&list](const sql::Term& test) {
      list += test ? fmt::format(", count(*) FILTER (WHERE {})", Sql(test)) : ", 0";
    };
    for (std::size_t k = 0; k < report->columns.size(); ++k) {
      const ColumnTests tests = Tests(k);
      list += fmt::format(", count({}), count({})", StoredName(k), ReadName(k));
      for (const auto& test : {tests.unusable, tests.undeclared, tests.below, tests.above}) add(test);
    }
    const auto counted = connection_.Integers(fmt::format("SELECT {} FROM {}", list, kView), cancel_);
    if (!counted) return counted.error();
    Counts next(*counted);
    report->rows = next.Next();
    if (made_) {
      report->dropped = made_->dropped;
      report->dropped_at = made_->dropped_at;
    }
    for (std::size_t k = 0; k < report->columns.size(); ++k) {
      ColumnReport& column = report->columns[k];
      const std::int64_t stored = next.Next(), read = next.Next();
      // A snapshot holds what was read already; its import knows what was lost.
      const std::int64_t unread = made_ ? made_->unreadable.at(k) : stored - read;
      column.empty = report->rows - read - unread;
      column.unreadable = unread + next.Next();
      column.undeclared = next.Next();
      column.below = next.Next();
      column.above = next.Next();
      if (made_ && k < made_->unreadable_as.size()) column.unreadable_as = made_->unreadable_as[k];
    }
    return {};
  }

  /// Another pass, where there is something to spell.
  Result<void> SpellAll(TableReport* report) const {
    std::vector<ShownColumn> shown;
    for (const ReadColumn& column : opened_.columns) shown.push_back(column.shown);
    const std::vector<bool> quotable = MayBeQuoted(table_, policy_, shown);
    std::vector<SpelledColumn> wanted;
    for (std::size_t k = 0; k < report->columns.size(); ++k) {
      ColumnReport& column = report->columns[k];
      if (!quotable[k]) continue;
      const std::string read = ReadName(k);
      if (column.undeclared > 0)
        wanted.push_back({Sql(Tests(k).undeclared), fmt::format("CAST({} AS VARCHAR)", read), &column.undeclared_as});
      // Some casts of times stop a query, whatever is around them.
      const bool time = opened_.columns[k].physical.find("TIME") != std::string::npos ||
                        opened_.columns[k].physical.find("DATE") != std::string::npos;
      if (column.unreadable > 0 && !made_ && !time) {
        wanted.push_back({fmt::format("{} IS NOT NULL AND {} IS NULL", TextName(k), read),
                          fmt::format("CAST({} AS VARCHAR)", TextName(k)), &column.unreadable_as});
      }
    }
    if (auto done = Spell(connection_, kView, wanted, cancel_); !done) return done.error();
    for (std::size_t k = 0; k < report->columns.size(); ++k) {
      const Column* declared = Declared(k);
      if (declared == nullptr || declared->type != ColumnType::kText) continue;
      for (Spelling& spelling : report->columns[k].undeclared_as.shown)
        spelling.nearest = NearestSpelling(spelling.text, *declared);
    }
    return {};
  }

  const DuckDbConnection& connection_;
  const Policy& policy_;
  const Table& table_;
  const OpenedTable& opened_;
  const std::optional<MadeSnapshot>& made_;
  const CancelFlag& cancel_;
};

/// Of a stream: in which step a row is, and which rows are in one.
struct Steps {
  std::string number, condition;
};

std::optional<Steps> StepsOf(const Policy& policy) {
  if (!policy.stream) return std::nullopt;
  const Stream& stream = *policy.stream;
  const std::string column = QuotedName(stream.time);
  const std::string time = stream.type == ColumnType::kDate        ? fmt::format("({} - DATE '1970-01-01')", column)
                           : stream.type == ColumnType::kTimestamp ? fmt::format("epoch_us({})", column)
                                                                   : column;
  return Steps{fmt::format("(CAST({} AS HUGEINT) - {}) // {}", time, stream.start, stream.step),
               fmt::format(" AND CAST({} AS HUGEINT) >= {}", time, stream.start)};
}

/// The view of the unit's table must be there.
Result<UnitsReport> ReportUnits(const DuckDbConnection& connection, const Policy& policy, const CancelFlag& cancel) {
  const Unit& unit = policy.unit;
  const std::string name = QuotedName(unit.table), key = QuotedName(*unit.key);
  const auto steps = StepsOf(policy);
  // A row about two people is one of each.
  std::string rows = fmt::format("SELECT *, {} AS \"kith.unit\" FROM {}", key, name);
  if (unit.other_key) {
    const std::string other = QuotedName(*unit.other_key);
    rows += fmt::format(" UNION ALL SELECT *, {0} AS \"kith.unit\" FROM {1} WHERE {0} IS DISTINCT FROM {2}", other,
                        name, key);
  }
  const auto counted = connection.Integers(
      fmt::format(
          "SELECT {0}, coalesce(max(n), 0), {0} FILTER (WHERE n > {1}), coalesce(sum(n - {1}) FILTER (WHERE n > "
          "{1}), 0) FROM (SELECT \"kith.unit\" AS u, count(*) AS n FROM ({2}) WHERE \"kith.unit\" IS NOT "
          "NULL{3} GROUP BY \"kith.unit\"{4})",
          steps ? "count(DISTINCT u)" : "count(*)", unit.max_rows, rows, steps ? steps->condition : "",
          steps ? ", " + steps->number : ""),
      cancel);
  if (!counted) return counted.error();
  std::string missing = key + " IS NULL";
  if (unit.other_key) missing += fmt::format(" OR {} IS NULL", QuotedName(*unit.other_key));
  const auto without = connection.Integers(fmt::format("SELECT count(*) FROM {} WHERE {}", name, missing), cancel);
  if (!without) return without.error();
  Counts next(*counted);
  UnitsReport report;
  report.key = *unit.key + (unit.other_key ? " and " + *unit.other_key : "");
  report.max_rows = unit.max_rows;
  report.units = next.Next();
  report.largest = next.Next();
  report.units_over = next.Next();
  report.rows_beyond = next.Next();
  report.without_key = Counts(*without).Next();
  return report;
}

/// In how many units those columns differ that must not. `alone`: no unit has two rows, so that none can.
Result<void> ReportDiffering(const DuckDbConnection& connection, const Policy& policy, bool alone, TableReport* table,
                             const CancelFlag& cancel) {
  std::vector<std::string> same = SameWithinUnit(policy);
  for (const Column& column : policy.unit_table().columns) {
    if (column.constant) same.push_back(column.name);
  }
  if (same.empty()) return {};
  std::string differ, differing;
  for (std::size_t k = 0; k < same.size(); ++k) {
    differ += fmt::format("{}{} AS v{}", k == 0 ? "" : ", ", Varies(same[k]), k);
    differing += fmt::format("{}count(*) FILTER (WHERE v{})", k == 0 ? "" : ", ", k);
  }
  IntegerTable none{same.size(), {std::vector<std::optional<Int128>>(same.size(), Int128{0})}};
  const std::string key = QuotedName(*policy.unit.key);
  const auto counted =
      alone ? Result<IntegerTable>(std::move(none))
            : connection.Integers(fmt::format("SELECT {} FROM (SELECT {} FROM {} WHERE {} IS NOT NULL GROUP BY {})",
                                              differing, differ, QuotedName(policy.unit.table), key, key),
                                  cancel);
  if (!counted) return counted.error();
  Counts next(*counted);
  for (const std::string& column : same) {
    const auto named = [&column](const ColumnReport& other) { return other.name == column; };
    const auto found = std::find_if(table->columns.begin(), table->columns.end(), named);
    const std::int64_t units = next.Next();
    if (found != table->columns.end()) found->units_that_differ = units;
  }
  return {};
}

Result<GroupsReport> ReportGroups(const DuckDbConnection& connection, const Policy& policy, const std::string& column,
                                  std::optional<std::int64_t> size, bool alone, const CancelFlag& cancel) {
  const std::string name = QuotedName(policy.unit.table), group = QuotedName(column);
  const std::string has_key = policy.unit.key ? QuotedName(*policy.unit.key) + " IS NOT NULL" : "true";
  const std::string distinct = alone ? "" : fmt::format("DISTINCT {}, ", QuotedName(*policy.unit.key));
  const std::string units =
      fmt::format("(SELECT {}{} AS \"kith.group\" FROM {} WHERE {})", distinct, group, name, has_key);
  const std::string over = size ? fmt::format("count(*) FILTER (WHERE m > {})", *size) : "0";
  const auto counted = connection.Integers(fmt::format("SELECT count(*), coalesce(max(m), 0), {} FROM (SELECT count(*) "
                                                       "AS m FROM {} WHERE \"kith.group\" IS NOT NULL "
                                                       "GROUP BY \"kith.group\")",
                                                       over, units),
                                           cancel);
  if (!counted) return counted.error();
  const auto without =
      connection.Integers(fmt::format("SELECT count(*) FROM {} WHERE {} AND {} IS NULL", name, has_key, group), cancel);
  if (!without) return without.error();
  Counts next(*counted);
  GroupsReport report;
  report.column = column;
  report.size = size;
  report.groups = next.Next();
  report.largest = next.Next();
  report.over = next.Next();
  report.without_group = Counts(*without).Next();
  return report;
}

}  // namespace

std::vector<bool> MayBeQuoted(const Table& table, const Policy& policy, const std::vector<ShownColumn>& columns) {
  std::vector<bool> quotable;
  for (const ShownColumn& column : columns) {
    const bool key =
        table.name == policy.unit.table && (policy.unit.key == column.name || policy.unit.other_key == column.name);
    quotable.push_back(!key);
  }
  return quotable;
}

Result<DataReport> ReportTables(const Policy& policy, const KithFolder& folder, const EngineOptions& options,
                                const std::vector<std::optional<MadeSnapshot>>& made, const Call& call) {
  const Stage stage(call, "counting what was read");
  const CancelFlag& cancel = call.cancel;
  auto spill = SpillFolder::Make(folder);
  auto database = DuckDb::Open("", LockedSettings(options, spill ? spill->path().string() : ""));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  auto tables = OpenTables(*connection, policy, folder, options, call);
  if (!tables) return tables.error();
  std::vector<std::string> files;
  for (const OpenedTable& table : *tables) {
    files.insert(files.end(), table.parquet.begin(), table.parquet.end());
  }
  if (auto locked = LockDown(*connection, files, cancel); !locked) return locked.error();
  DataReport report;
  for (std::size_t k = 0; k < tables->size(); ++k) {
    const OpenedTable& table = (*tables)[k];
    auto reported = TableReporter(*connection, policy, policy.tables[k], table, made.at(k), cancel).Report();
    if (!reported) return reported.error();
    report.tables.push_back(std::move(*reported));
    if (policy.tables[k].name != policy.unit.table) continue;
    if (auto shown = connection->Execute(table.view_sql, cancel); !shown) return shown.error();
    bool alone = true;  // each row is all of its unit
    if (policy.unit.key) {
      auto units = ReportUnits(*connection, policy, cancel);
      if (!units) return units.error();
      report.units = std::move(*units);
      alone = report.units->largest <= 1 && !policy.stream && !policy.unit.other_key;
      if (auto done = ReportDiffering(*connection, policy, alone, &report.tables.back(), cancel); !done)
        return done.error();
    }
    if (policy.unit.within && policy.unit.within != policy.dependence.by) {
      auto households = ReportGroups(*connection, policy, *policy.unit.within, policy.unit.size, alone, cancel);
      if (!households) return households.error();
      report.groups.push_back(std::move(*households));
    }
    if (policy.dependence.by) {
      auto groups = ReportGroups(*connection, policy, *policy.dependence.by, DeclaredGroupSize(policy.dependence.model),
                                 alone, cancel);
      if (!groups) return groups.error();
      if (const std::string strata = StrataOfGroups(policy); !strata.empty()) {
        const auto counted = connection->Integers(strata, cancel);
        if (!counted) return counted.error();
        Counts next(*counted);
        GroupsReport::Strata found{*policy.dependence.strength_column};
        found.over = next.Next();
        found.mixed = next.Next();
        groups->strata = std::move(found);
      }
      report.groups.push_back(std::move(*groups));
    }
  }
  for (const OpenedTable& table : *tables) {
    if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
  }
  return report;
}

}  // namespace kith
