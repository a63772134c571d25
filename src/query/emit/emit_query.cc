// The whole statement: rows, then their sums.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "query/emit/emit.h"

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

  // Groups are formed by stored values first and numbered afterwards: engines are fast at that, and slow at CASE for
  // each row. Units must be told apart within a numbered group, so that they need the slow way.
  std::string Write() const {
    if (question_.keys.empty()) return fmt::format("SELECT {} FROM ({}) AS r", Aggregates(), Rows(false));
    const std::string keys = Names("k");
    if (CountsUnits())
      return fmt::format("SELECT {0}, {1} FROM ({2}) AS r GROUP BY {0}", keys, Aggregates(), Rows(true));
    std::string indexes, sums;
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      indexes += fmt::format("{}{} AS i{}", k == 0 ? "" : ", ",
                             exprs_.WriteKeyIndex(question_.keys[k], fmt::format("k{}", k)), k);
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) sums += fmt::format(", sum(s{0}) AS s{0}", k);
    return fmt::format("SELECT {0}{1} FROM (SELECT {2}, {3} FROM ({4}) AS r GROUP BY {2}) AS g GROUP BY {5}", indexes,
                       sums, keys, Aggregates(), Rows(false), Ordinals());
  }

 private:
  bool CountsUnits() const {
    return std::any_of(question_.counters.begin(), question_.counters.end(),
                       [](const Counter& counter) { return counter.kind == CounterKind::kUnits; });
  }

  std::string Names(const char* prefix) const {
    std::string names;
    for (std::size_t k = 0; k < question_.keys.size(); ++k)
      names += fmt::format("{}{}{}", k == 0 ? "" : ", ", prefix, k);
    return names;
  }

  std::string Ordinals() const {
    std::string ordinals;
    for (std::size_t k = 1; k <= question_.keys.size(); ++k) ordinals += fmt::format("{}{}", k == 1 ? "" : ", ", k);
    return ordinals;
  }

  std::string Aggregates() const {
    std::string list;
    for (std::size_t k = 0; k < question_.counters.size(); ++k) list += (k == 0 ? "" : ", ") + Aggregate(k);
    return list;
  }

  // count(x) beside sum(x) or sum(x - constant) counts what the sum adds up: no test of its own is needed.
  std::optional<std::size_t> CountedWith(const Counter& counter) const {
    if (!counter.counted) return std::nullopt;
    const auto text = [&](const ExprPtr& expr) { return expr ? CanonicalText(*expr, table_) : std::string(); };
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& sum = question_.counters[k];
      if (sum.kind != CounterKind::kSum || text(sum.filter) != text(counter.other)) continue;
      const bool shifted = sum.value->op == Op::kSubtract && sum.value->args[1]->op == Op::kConstant;
      if (text(sum.value) == text(counter.counted) || (shifted && text(sum.value->args[0]) == text(counter.counted)))
        return k;
    }
    return std::nullopt;
  }

  std::string Aggregate(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    if (const auto sum = CountedWith(counter)) {
      return fmt::format("count(v{}){} AS s{}", *sum, counter.other ? fmt::format(" FILTER (WHERE f{})", *sum) : "", k);
    }
    const std::string filter = counter.filter ? fmt::format(" FILTER (WHERE f{})", k) : "";
    if (counter.kind == CounterKind::kRows) return fmt::format("count(*){} AS s{}", filter, k);
    if (counter.kind == CounterKind::kUnits) return fmt::format("count(DISTINCT u){} AS s{}", filter, k);
    const std::string whole = exprs_.WriteWhole(fmt::format("v{}", k), *counter.value, bounds_.counters[k]);
    return fmt::format("coalesce(sum({}){}, 0) AS s{}", whole, filter, k);
  }

  // One row for each row of the table that passes WHERE: keys (stored values, or their numbers), values, filters.
  std::string Rows(bool numbered) const {
    std::string columns;
    const auto add = [&](const std::string& text) { columns += (columns.empty() ? "" : ", ") + text; };
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      const std::string value = exprs_.WriteKey(question_.keys[k]);
      add(fmt::format("{} AS k{}", numbered ? exprs_.WriteKeyIndex(question_.keys[k], value) : value, k));
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& counter = question_.counters[k];
      if (counter.value) add(fmt::format("{} AS v{}", exprs_.WriteSteps(*counter.value, bounds_.counters[k]), k));
      if (counter.filter && !CountedWith(counter))
        add(fmt::format("{} AS f{}", exprs_.WriteCondition(*counter.filter), k));
    }
    if (CountsUnits()) add("t." + QuotedName(*policy_.unit.key) + " AS u");
    if (columns.empty()) columns = "1 AS one";
    const std::string where = question_.where ? " WHERE " + exprs_.WriteCondition(*question_.where) : "";
    return fmt::format("SELECT {} FROM {}{}{}", columns, Source(), JoinClauses(question_, exprs_), where);
  }

  std::string Source() const {
    return policy_.unit.key ? KeptRows(question_, policy_, dialect_) : UnitRows(question_, policy_) + " AS t";
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
  if (policy.unit.key && dialect == Dialect::kDuckDb) {
    if (auto packed = WritePackedSql(question, bounds, policy)) return *std::move(packed);
  }
  return QueryWriter(question, bounds, policy, dialect).Write();
}

}  // namespace kith
