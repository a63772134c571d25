// The clauses of SELECT around expressions.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "query/bind/bind_levels.h"
#include "query/bind/name_hint.h"
#include "query/bind/possible_values.h"
#include "query/bind/typing.h"
#include "query/bind/units_table.h"
#include "query/parse/syntax.h"
#include "query/per_unit.h"
#include "query/question_builder.h"

namespace kith {
namespace {

class SelectBinder {
 public:
  SelectBinder(const PgQuery__SelectStmt& select, const RowBinder& rows, const Policy& policy,
               const std::vector<Range>& columns)
      : select_(select), rows_(rows), unit_key_(policy.unit.key.value_or("")), builder_(rows, policy, columns) {}

  Result<Question> Bind() {
    for (const auto step : {&SelectBinder::BindWhere, &SelectBinder::BindGroups, &SelectBinder::BindTargets,
                            &SelectBinder::BindOrder, &SelectBinder::BindLimits}) {
      const auto done = (this->*step)();
      if (!done) return done.error();
    }
    auto question = builder_.Finish();
    if (question) DropImpossible(rows_.table(), question->columns, *question);
    return question;
  }

 private:
  Result<void> BindWhere() {
    builder_.AddCondition(rows_.scope().where);
    if (!select_.where_clause) return {};
    auto where = rows_.BindCondition(*select_.where_clause);
    if (!where) return where.error();
    builder_.AddCondition(*where);
    return {};
  }

  Result<void> BindGroups() {
    const auto sets = GroupingSets(select_);
    if (!sets) return sets.error();
    std::vector<std::vector<std::size_t>> positions;
    for (const auto& set : *sets) {
      positions.emplace_back();
      for (const PgQuery__Node* node : set) {
        const auto position = KeyPosition(*node);
        if (!position) return position.error();
        positions.back().push_back(*position);
      }
    }
    auto levels = LevelsOf(positions, question_.keys.size());
    if (!levels) return levels.error();
    question_.levels = std::move(*levels);
    for (const Key& key : question_.keys) {
      const auto is_mark = [](const Value& value) { return value == Value{std::string(kAllTogether)}; };
      if (!question_.levels.empty() && std::any_of(key.shown.begin(), key.shown.end(), is_mark)) {
        return Unsupported(fmt::format("a declared value is {}, which marks totals", kAllTogether), key.name,
                           "ask one question for each level");
      }
    }
    return {};
  }

  // A new key, or an existing one.
  Result<std::size_t> KeyPosition(const PgQuery__Node& node) {
    const auto expr = GroupExpr(node);
    if (!expr) return expr.error();
    return builder_.AddKey(*expr);
  }

  // A column by its name, an output by its alias or its number, or an expression.
  Result<ExprPtr> GroupExpr(const PgQuery__Node& node) const {
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      auto column = rows_.Resolve(*node.column_ref);
      if (column) return column;
      const auto name = rows_.NameOf(*node.column_ref);
      const PgQuery__Node* target = name ? TargetNamed(*name) : nullptr;
      return target ? GroupTarget(*target) : GroupTarget(node);
    }
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select_.n_target_list) {
        return InvalidArgument(fmt::format("GROUP BY {}: there is no such column of the answer", *number));
      }
      return GroupTarget(*select_.target_list[*number - 1]->res_target->val);
    }
    return rows_.Bind(node);
  }

  // The key need not be declared.
  Result<ExprPtr> GroupTarget(const PgQuery__Node& node) const {
    auto expr = rows_.Bind(node);
    if (expr || !rows_.scope().has_key || node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return expr;
    const auto name = rows_.NameOf(*node.column_ref);
    return name && FoldCase(*name) == FoldCase(unit_key_) ? ShowsEveryUnit(unit_key_) : expr;
  }

  const PgQuery__Node* TargetNamed(const std::string& name) const {
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      if (name == target.name) return target.val;
    }
    return nullptr;
  }

  Result<void> BindTargets() {
    if (select_.n_target_list == 0)
      return Unsupported("the question asks for nothing", {}, "ask for count(*), sum(column) or avg(column)");
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      auto output = outputs_.Bind(*target.val);
      if (!output) return output.error();
      std::string name = target.name;
      // A column of a sub-select has the name that the sub-select gives it.
      const bool is_reference = target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
      if (name.empty() && is_reference && !rows_.scope().is_table) {
        const auto referred = rows_.NameOf(*target.val->column_ref);
        if (referred) name = *referred;
      }
      builder_.AddOutput(*output, name);
    }
    return {};
  }

  Result<void> BindOrder() {
    for (std::size_t i = 0; i < select_.n_sort_clause; ++i) {
      const PgQuery__SortBy& sort = *select_.sort_clause[i]->sort_by;
      const auto output = OrderedOutput(*sort.node);
      if (!output) return output.error();
      const bool descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
      const auto other =
          descending ? PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST : PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
      if (sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
        return Unsupported("ORDER BY USING is not supported", {}, "use ASC or DESC");
      if (sort.sortby_nulls == other) {
        return Unsupported("NULL counts as the largest value in ORDER BY", {}, "leave NULLS FIRST and NULLS LAST out");
      }
      question_.order_by.push_back({*output, descending});
    }
    return {};
  }

  Result<std::size_t> OrderedOutput(const PgQuery__Node& node) {
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > builder_.texts().size()) {
        return InvalidArgument(fmt::format("ORDER BY {}: there is no such column of the answer", *number));
      }
      return static_cast<std::size_t>(*number - 1);
    }
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF && node.column_ref->n_fields == 1) {
      const auto name = rows_.NameOf(*node.column_ref);
      if (!name) return name.error();
      const auto& outputs = question_.outputs;
      const auto found =
          std::find_if(outputs.begin(), outputs.end(), [&](const OutputColumn& o) { return o.name == *name; });
      if (found != outputs.end()) return static_cast<std::size_t>(found - outputs.begin());
    }
    const auto counters = outputs_.counters().size();
    const auto bound = outputs_.Bind(node);
    if (!bound) return bound.error();
    const auto same = std::find(builder_.texts().begin(), builder_.texts().end(), bound->text);
    if (same == builder_.texts().end() || outputs_.counters().size() != counters) {
      return Unsupported("ORDER BY must name a column of the answer", Shortened(bound->text),
                         "add it to the SELECT list");
    }
    return static_cast<std::size_t>(same - builder_.texts().begin());
  }

  Result<void> BindLimits() {
    const auto whole = [](const PgQuery__Node* node, const char* what, auto set) -> Result<void> {
      const bool all = !node || (node->node_case == PG_QUERY__NODE__NODE_A_CONST && node->a_const->isnull);
      if (all) return {};
      const auto number = WholeConstant(*node);
      if (!number || *number < 0)
        return InvalidArgument(fmt::format("{} needs a whole number that is not negative", what));
      set(*number);
      return {};
    };
    const auto limit = whole(select_.limit_count, "LIMIT", [&](std::int64_t n) { question_.limit = n; });
    if (!limit) return limit.error();
    return whole(select_.limit_offset, "OFFSET", [&](std::int64_t n) { question_.offset = n; });
  }

  const PgQuery__SelectStmt& select_;
  const RowBinder& rows_;
  const std::string unit_key_;  // empty: there is none
  QuestionBuilder builder_;
  Question& question_ = builder_.question();
  OutputBinder& outputs_ = builder_.outputs();
};

// Tables of the units that a question reads besides the unit's table.
std::vector<std::string> MoreTables(const Scope& scope) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<TableJoin>& joins) {
    for (const TableJoin& join : joins) {
      if (join.of_units) names.push_back(join.table);
    }
  };
  for (const PerUnit* inner = scope.per_unit.get(); inner; inner = inner->rows.get()) add(inner->joins);
  add(scope.joins);
  return names;
}

// Where rows name two units: a unit changes its own rows and those that name it, and for each of these, in both data
// sets, one more row that its owner keeps or does not keep because of it. Claim TABLES-3.
std::optional<Error> CountRowsOfOthers(const Scope& scope, Policy& policy) {
  const Table& pairs = policy.unit_table();
  if (!pairs.other) return std::nullopt;
  for (const PerUnit* inner = scope.per_unit.get(); inner; inner = inner->rows.get()) {
    if (!inner->windows) continue;
    return Unsupported("windows over rows that name two units are not supported", {},
                       fmt::format("GROUP BY {} in the sub-select instead", IdentifierText(*pairs.key)));
  }
  const std::int64_t joined = RowsOfJoins(scope.joins);
  policy.unit.max_rows += 2 * pairs.max_other * joined;
  return std::nullopt;
}

Result<Question> BindText(const std::string& sql, const Policy& policy, std::size_t max_bytes, StepRows step) {
  if (const auto refused = NotForQuestions(policy, step)) return *refused;
  const auto tree = SyntaxTree::Parse(sql, max_bytes);
  if (!tree) return tree.error();
  const PgQuery__SelectStmt& select = tree->select();
  if (auto refused = UnsupportedClause(select)) return *refused;
  const auto joined = std::make_shared<Policy>();
  joined->tables = {policy.unit_table()};
  joined->unit = policy.unit;
  joined->stream = policy.stream;
  joined->cells = policy.cells;
  std::string asked;
  auto scope = BindFrom(sql, select, policy, joined->tables[0], &asked);
  if (!asked.empty()) {
    const Policy other = asked == policy.units_table() ? TableOfUnits(policy) : AnotherTable(policy, asked);
    joined->tables = {other.unit_table()};
    joined->unit = other.unit;
    joined->cells = other.cells;
    scope = BindFrom(sql, select, other, joined->tables[0]);
  }
  if (!scope) return scope.error();
  if (scope->per_unit) joined->unit = scope->per_unit->unit;
  CountJoinedRows(scope->joins, *joined);
  if (const auto refused = CountRowsOfOthers(*scope, *joined)) return *refused;
  const bool another = !asked.empty() && asked != policy.units_table();
  if (policy.unit.level == UnitLevel::kHousehold && (another || !MoreTables(*scope).empty())) {
    return Unsupported("a question about households can be about the unit's table alone", {},
                       "ask it about persons: what their households lose is counted from it")
        .For("request.unit");
  }
  // Rows that no longer belong to a unit are not what TABLES-1 and TABLES-2 are about.
  if ((another || !MoreTables(*scope).empty()) && !joined->unit.key) {
    if (scope->per_unit && scope->per_unit->OfGroups()) {
      return Unsupported("rows of groups are made of the unit's table alone, not of other tables of the units", {},
                         fmt::format("count units instead: GROUP BY {} in the sub-select, and no GROUP BY around it",
                                     IdentifierText(policy.unit.key.value_or("the key"))));
    }
    return Unsupported(
        "several tables of the units can be joined where each row is of one unit", {},
        fmt::format("GROUP BY {} in the sub-select", IdentifierText(policy.unit.key.value_or("the key"))));
  }
  std::vector<Range> columns;
  for (const Column& column : joined->unit_table().columns) columns.push_back(RangeOf(column));
  const RowBinder rows(sql, joined->unit_table(), *scope);
  auto question = SelectBinder(select, rows, *joined, columns).Bind();
  if (question) question->policy = joined;
  if (question) question->per_unit = scope->per_unit;
  if (question) question->more_tables = MoreTables(*scope);
  if (question && another) question->more_tables.insert(question->more_tables.begin(), asked);
  if (question && another) question->of_unit_table = false;
  return question;
}

}  // namespace

Result<Question> BindQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes, StepRows step) {
  auto question = BindText(sql, policy, max_bytes, step);
  if (!question) return WithNameHint(question.error(), sql, policy);
  if (!question->idle_windows || question->normalised == sql) return question;
  // Windows that nothing uses are no part of the question: in either spelling it is the one without them.
  auto without = BindQuestion(question->normalised, policy, std::max(max_bytes, question->normalised.size()), step);
  if (!without || without->outputs.size() != question->outputs.size()) return question;
  for (std::size_t k = 0; k < question->outputs.size(); ++k) without->outputs[k].name = question->outputs[k].name;
  return without;
}

}  // namespace kith
