#include "engine/duckdb/report_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/duckdb/tables.h"
#include "engine/report_units.h"
#include "query/column_tests.h"
#include "query/range/range.h"
#include "sql/dialect.h"

namespace kith {

namespace {

std::string StoredName(std::size_t k) { return fmt::format("s{}", k); }
std::string TextName(std::size_t k) { return fmt::format("t{}", k); }
std::string ReadName(std::size_t k) { return fmt::format("r{}", k); }

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
      // A snapshot holds what was already read; its import knows what was lost.
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

std::optional<StepWords> StepsOf(const Policy& policy) {
  if (!policy.stream) return std::nullopt;
  const Stream& stream = *policy.stream;
  const std::string column = QuotedName(stream.time);
  const std::string time = stream.type == ColumnType::kDate        ? fmt::format("({} - DATE '1970-01-01')", column)
                           : stream.type == ColumnType::kTimestamp ? fmt::format("epoch_us({})", column)
                                                                   : column;
  return StepWords{fmt::format("(CAST({} AS HUGEINT) - {}) // {}", time, stream.start, stream.step),
                   fmt::format(" AND CAST({} AS HUGEINT) >= {}", time, stream.start)};
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

Result<DataReport> ReportTables(const Policy& policy, const LockedTables& locked,
                                const std::vector<std::optional<MadeSnapshot>>& made, const CancelFlag& cancel) {
  const auto connection = locked.database.Connect();  // of its own: its view ends with it
  if (!connection) return connection.error();
  DataReport report;
  for (std::size_t k = 0; k < locked.tables.size(); ++k) {
    const Table& table = policy.tables[k];
    auto reported = TableReporter(*connection, policy, table, locked.tables[k], made.at(k), cancel).Report();
    if (!reported) return reported.error();
    report.tables.push_back(std::move(*reported));
  }
  const auto run = [&](const std::string& sql) { return connection->Integers(sql, cancel); };
  if (auto done = ReportUnitsAndGroups({run, PlainEnds(), StepsOf(policy)}, policy, &report); !done)
    return done.error();
  for (const OpenedTable& table : locked.tables) {
    if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
  }
  return report;
}

}  // namespace kith
