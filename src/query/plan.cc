#include "query/plan.h"

#include <fmt/format.h>

#include "base/check.h"
#include "query/bounds.h"
#include "query/emit.h"
#include "query/notes.h"
#include "query/question.h"
#include "query/typing.h"

namespace kith {
namespace {

Result<std::vector<GroupKey>> KeysOf(const Question& question, const Table& table, const std::vector<Range>& columns) {
  std::vector<GroupKey> keys;
  std::size_t groups = 1;
  RangeEvaluator evaluator(table, columns);
  for (const Key& key : question.keys) {
    groups *= key.shown.size();
    if (groups > Plan::kMaxGroups) {
      return Unsupported(fmt::format("GROUP BY would make more than {} groups", Plan::kMaxGroups), Shortened(key.name),
                         "group by fewer columns, or by wider ranges: width_bucket(x, 0, 100, 10)");
    }
    keys.push_back({key.name, key.shown, evaluator.Evaluate(*key.expr).secret});
  }
  return keys;
}

// Declared values are written wherever a column is read: a long list read often would make a statement without end.
std::optional<Error> CheckLength(const Question& question, const Table& table) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  std::vector<std::size_t> bytes;
  for (const Column& column : table.columns) {
    std::size_t sum = 0;
    for (const Value& value : column.values) sum += ToText(value).size() + 8;
    bytes.push_back(sum);
  }
  std::size_t total = 0;
  const auto add = [&](const ExprPtr& expr) {
    if (expr) ForEachColumn(*expr, [&](std::size_t column) { total += bytes[column]; });
  };
  add(question.where);
  for (const Key& key : question.keys) {
    add(key.expr);
    if (!key.image.dense) {
      for (const Value& value : key.image.values) total += ToText(value).size() + 24;
    }
  }
  for (const Counter& counter : question.counters) {
    add(counter.value);
    add(counter.filter);
  }
  if (total <= kMaxBytes) return std::nullopt;
  return Unsupported("the question reads columns with very many declared values too often", {},
                     "ask several shorter questions");
}

}  // namespace

std::size_t Plan::groups() const {
  std::size_t product = 1;
  for (const GroupKey& key : keys) product *= key.values.size();
  return product;
}

Result<Plan> PlanQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes) {
  const Table& table = policy.unit_table();
  std::vector<Range> columns;
  for (const Column& column : table.columns) columns.push_back(RangeOf(column));
  auto question = BindQuestion(sql, policy, columns, max_bytes);
  if (!question) return question.error();
  if (const auto error = CheckLength(*question, table)) return *error;
  auto keys = KeysOf(*question, table, columns);
  if (!keys) return keys.error();
  const auto bounds = BoundQuestion(*question, policy, columns);
  if (!bounds) return bounds.error();

  Plan plan;
  plan.keys = std::move(*keys);
  for (std::size_t k = 0; k < question->counters.size(); ++k) {
    const BoundedCounter& bounded = bounds->counters[k];
    const auto sensitivity = Sensitivity::Make(bounded.sensitivity);
    if (!sensitivity) return sensitivity.error();
    plan.statistics.push_back({question->counters[k].name, bounded.lattice, *sensitivity, bounded.reason});
  }
  plan.charged = bounds->charged;
  plan.notes = NotesOf(*question, policy);
  plan.duckdb_sql = WriteSql(*question, *bounds, policy, Dialect::kDuckDb);
  plan.postgresql_sql = WriteSql(*question, *bounds, policy, Dialect::kPostgreSql);
  plan.normalised = std::move(question->normalised);
  plan.outputs = std::move(question->outputs);
  plan.order_by = std::move(question->order_by);
  plan.limit = question->limit;
  plan.offset = question->offset;
  return plan;
}

}  // namespace kith
