#include "engine/server_report.h"

#include <fmt/format.h>

#include <charconv>

#include "query/column_tests.h"
#include "query/range/range.h"
#include "sql/quote.h"

namespace kith {

namespace {

constexpr int kLongest = 60;  // characters of a string

std::string StoredName(std::size_t k) { return fmt::format("s{}", k); }
std::string ReadName(std::size_t k) { return fmt::format("r{}", k); }

std::int64_t NumberOf(const std::string& digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

class TableReporter {
 public:
  TableReporter(const ServerWords& words, const Policy& policy, const Table& table, const ServerTable& opened)
      : words_(words), policy_(policy), table_(table), opened_(opened) {
    std::string list;
    for (std::size_t k = 0; k < opened.columns.size(); ++k) {
      list += fmt::format("{}{} AS {}, {} AS {}", k == 0 ? "" : ", ", opened.columns[k].stored, StoredName(k),
                          opened.columns[k].read, ReadName(k));
    }
    from_ = fmt::format("(SELECT {} FROM {}) AS v", list, opened.from);
  }

  Result<TableReport> Report() const {
    TableReport report{.name = table_.name, .source = table_.source, .rows = 0, .dropped = {}, .columns = {}};
    std::string list = "count(*)";
    for (std::size_t k = 0; k < opened_.columns.size(); ++k) {
      report.columns.push_back(Described(k));
      const ColumnTests tests = Tests(k);
      list += fmt::format(", count({}), count({})", StoredName(k), ReadName(k));
      for (const auto& test : {tests.unusable, tests.undeclared, tests.below, tests.above})
        list += test ? fmt::format(", count(*) FILTER (WHERE {})", Sql(test)) : ", 0";
    }
    const auto counted = words_.asking.run(fmt::format("SELECT {} FROM {}", list, from_));
    if (!counted) return counted.error();
    Counts next(*counted);
    report.rows = next.Next();
    for (std::size_t k = 0; k < report.columns.size(); ++k) {
      ColumnReport& column = report.columns[k];
      const std::int64_t stored = next.Next(), read = next.Next();
      column.empty = report.rows - stored;
      column.unreadable = stored - read + next.Next();
      column.undeclared = next.Next();
      column.below = next.Next();
      column.above = next.Next();
      if (auto spelled = Spell(k, &column); !spelled) return spelled.error();
    }
    return report;
  }

 private:
  const Column* Declared(std::size_t k) const { return table_.Find(opened_.columns[k].name); }
  std::string Sql(const sql::Term& term) const { return words_.dialect.Write(term); }

  ColumnTests Tests(std::size_t k) const {
    const Column* column = Declared(k);
    return column == nullptr ? ColumnTests{} : TestsOf(*column, sql::Name(ReadName(k)));
  }

  ColumnReport Described(std::size_t k) const {
    ColumnReport report;
    report.name = opened_.columns[k].name;
    if (const Column* column = Declared(k)) {
      report.type = column->type;
      report.listed = !column->values.empty();
      report.bounded = column->lower || column->upper;
      report.never_null = NeverNull(*column);
    }
    return report;
  }

  /// The most frequent values that are not in the list. Not of keys, which name people.
  Result<void> Spell(std::size_t k, ColumnReport* column) const {
    const bool key = table_.name == policy_.unit.table &&
                     (policy_.unit.key == column->name || policy_.unit.other_key == column->name);
    if (column->undeclared == 0 || key) return {};
    const auto rows = words_.texts(
        fmt::format("SELECT t, n, count(*) OVER () FROM (SELECT substr(CAST({} AS VARCHAR), 1, {}) AS t, count(*) AS n "
                    "FROM {} WHERE {} GROUP BY 1) AS g ORDER BY n DESC, t LIMIT {}",
                    ReadName(k), kLongest, from_, Sql(Tests(k).undeclared), Spellings::kShown));
    if (!rows) return rows.error();
    const Column* declared = Declared(k);
    for (const std::vector<std::string>& row : *rows) {
      const bool text = declared->type == ColumnType::kText;
      column->undeclared_as.shown.push_back(
          {row[0], NumberOf(row[1]), text ? NearestSpelling(row[0], *declared) : std::string()});
      column->undeclared_as.distinct = NumberOf(row[2]);
    }
    return {};
  }

  const ServerWords& words_;
  const Policy& policy_;
  const Table& table_;
  const ServerTable& opened_;
  std::string from_;
};

}  // namespace

Result<DataReport> ReportServer(const ServerWords& words, const Policy& policy,
                                const std::vector<ServerTable>& tables) {
  DataReport report;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    auto reported = TableReporter(words, policy, policy.tables[k], tables[k]).Report();
    if (!reported) return reported.error();
    report.tables.push_back(std::move(*reported));
  }
  const auto run = [&](const std::string& sql) { return words.asking.run(words.asking.over(sql)); };
  const ReportWords of_units{run, words.asking.ends, words.steps};
  if (auto done = ReportUnitsAndGroups(of_units, policy, &report); !done) return done.error();
  return report;
}

}  // namespace kith
