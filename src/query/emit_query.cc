// The whole statement: rows, then their sums. Units with a key are cut to max_rows rows in between.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "query/emit.h"

namespace kith {
namespace {

class QueryWriter {
 public:
  QueryWriter(const Question& question, const Bounds& bounds, const Policy& policy, Dialect dialect)
      : question_(question),
        bounds_(bounds),
        policy_(policy),
        table_(policy.unit_table()),
        dialect_(dialect),
        exprs_(table_, dialect) {}

  std::string Write() const {
    std::string columns, groups;
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      columns += fmt::format("{}k{}", columns.empty() ? "" : ", ", k);
      groups += fmt::format("{}k{}", groups.empty() ? " GROUP BY " : ", ", k);
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      columns += (columns.empty() ? "" : ", ") + Aggregate(k);
    }
    return fmt::format("SELECT {} FROM ({}) AS r{}", columns, Rows(), groups);
  }

 private:
  bool duckdb() const { return dialect_ == Dialect::kDuckDb; }

  std::string Aggregate(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    const std::string filter = counter.filter ? fmt::format(" FILTER (WHERE f{})", k) : "";
    if (counter.kind == CounterKind::kRows) return fmt::format("count(*){} AS s{}", filter, k);
    if (counter.kind == CounterKind::kUnits) return fmt::format("count(DISTINCT u){} AS s{}", filter, k);
    return fmt::format("coalesce(sum(v{0}){1}, 0) AS s{0}", k, filter);
  }

  // One row for each row of the table that passes WHERE: key indexes, values, filters.
  std::string Rows() const {
    std::string columns;
    const auto add = [&](const std::string& text) { columns += (columns.empty() ? "" : ", ") + text; };
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      add(fmt::format("{} AS k{}", exprs_.WriteKeyIndex(question_.keys[k]), k));
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& counter = question_.counters[k];
      if (counter.value) add(fmt::format("{} AS v{}", exprs_.WriteSteps(*counter.value, bounds_.counters[k]), k));
      if (counter.filter) add(fmt::format("{} AS f{}", exprs_.WriteCondition(*counter.filter), k));
      if (counter.kind == CounterKind::kUnits) add("t." + QuotedName(*policy_.unit.key) + " AS u");
    }
    if (columns.empty()) columns = "1 AS one";
    const std::string where = question_.where ? " WHERE " + exprs_.WriteCondition(*question_.where) : "";
    return fmt::format("SELECT {} FROM {}{}", columns, Source(), where);
  }

  std::string Source() const {
    const std::string table = QuotedName(table_.name);
    if (!policy_.unit.key) return table + " AS t";
    return fmt::format(
        "(SELECT * FROM (SELECT {0}, row_number() OVER (PARTITION BY {1} ORDER BY {2}) AS {3} FROM {4} WHERE {1} IS "
        "NOT NULL) "
        "AS n WHERE {3} <= {5}) AS t",
        UsedColumns(), QuotedName(*policy_.unit.key), RowHash(), RowNumber(), table, policy_.unit.max_rows);
  }

  std::string UsedColumns() const {
    std::set<std::string> names = {*policy_.unit.key};
    const auto add = [&](const ExprPtr& expr) {
      if (expr) ForEachColumn(*expr, [&](std::size_t column) { names.insert(table_.columns[column].name); });
    };
    add(question_.where);
    for (const Counter& counter : question_.counters) {
      add(counter.value);
      add(counter.filter);
    }
    for (const std::size_t key : question_.keys) names.insert(table_.columns[key].name);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + QuotedName(name);
    return list;
  }

  // A column name that no declared column has.
  std::string RowNumber() const {
    std::string name = "kith_row";
    while (table_.Find(name) || name == *policy_.unit.key) name += "_";
    return QuotedName(name);
  }

  // Depends on the row alone. Rows that share it agree in all declared columns, so that it does not matter which is
  // kept.
  std::string RowHash() const {
    std::string list;
    for (const Column& column : table_.columns) {
      if (!list.empty()) list += ", ";
      list +=
          duckdb() ? QuotedName(column.name) : fmt::format("coalesce(CAST({} AS TEXT), '~')", QuotedName(column.name));
    }
    if (list.empty()) list = QuotedName(*policy_.unit.key);
    if (duckdb()) return fmt::format("hash({})", list);
    return fmt::format("md5(concat_ws('|', {}))", list);
  }

  const Question& question_;
  const Bounds& bounds_;
  const Policy& policy_;
  const Table& table_;
  Dialect dialect_;
  ExprWriter exprs_;
};

}  // namespace

std::string WriteSql(const Question& question, const Bounds& bounds, const Policy& policy, Dialect dialect) {
  return QueryWriter(question, bounds, policy, dialect).Write();
}

}  // namespace kith
