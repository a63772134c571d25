// The clauses of SELECT around expressions.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "query/bind_output.h"
#include "query/question.h"
#include "query/syntax.h"
#include "query/typing.h"

namespace kith {
namespace {

// Parts of SELECT that kith has no answer for.
std::optional<Error> UnsupportedClause(const PgQuery__SelectStmt& s) {
  if (s.op != PG_QUERY__SET_OPERATION__SETOP_NONE || s.larg || s.rarg) {
    return Unsupported("UNION, INTERSECT and EXCEPT are not supported", {}, "ask one question after the other");
  }
  if (s.with_clause)
    return Unsupported("WITH is not supported", {}, "write the condition or the CASE directly into the SELECT");
  if (s.n_values_lists > 0) return Unsupported("VALUES is not supported", {}, "ask about the unit table");
  if (s.n_distinct_clause > 0) return Unsupported("SELECT DISTINCT is not supported", {}, "use GROUP BY with count(*)");
  if (s.into_clause) return Unsupported("SELECT INTO is not supported: kith writes no tables", {}, "leave INTO out");
  if (s.having_clause) {
    return Unsupported(
        "HAVING is not supported: leaving groups out by their true count would tell about single records", {},
        "leave HAVING out and filter the noisy answer");
  }
  if (s.n_window_clause > 0) return Unsupported("WINDOW is not supported", {}, "use GROUP BY");
  if (s.n_locking_clause > 0) return Unsupported("FOR UPDATE and the like are not supported", {}, "leave it out");
  if (s.group_distinct) return Unsupported("GROUP BY DISTINCT is not supported", {}, "leave DISTINCT out");
  if (s.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) {
    return Unsupported("WITH TIES is not supported", {}, "use LIMIT");
  }
  return std::nullopt;
}

// The alias of the unit table. Fails if FROM is anything else.
Result<std::string> AliasOf(const PgQuery__SelectStmt& select, const Policy& policy) {
  const std::string next = fmt::format("write FROM {}", IdentifierText(policy.unit.table));
  if (select.n_from_clause == 0) return Unsupported("the question has no FROM", {}, next);
  if (select.n_from_clause > 1 || select.from_clause[0]->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    return Unsupported("joins are not supported: one record could then count many times", {},
                       next + "; put what you need into that table when it is made");
  }
  const PgQuery__Node& from = *select.from_clause[0];
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT) {
    return Unsupported("sub-selects are not supported", {}, next + " and put the condition into WHERE");
  }
  if (from.node_case != PG_QUERY__NODE__NODE_RANGE_VAR) return Unsupported("FROM must name the unit table", {}, next);
  const PgQuery__RangeVar& table = *from.range_var;
  const std::string name = table.relname;
  if (*table.schemaname != '\0' || *table.catalogname != '\0' || FoldCase(name) != FoldCase(policy.unit.table)) {
    const Table* other = policy.FindTable(name);
    return Unsupported(fmt::format("questions are about the unit table, not about {}", Shortened(name)), {},
                       other && other->is_public ? "this table is public: look at it directly" : next);
  }
  if (!table.inh) return Unsupported("FROM ONLY is not supported", {}, next);
  if (table.alias && table.alias->n_colnames > 0) return Unsupported("an alias cannot rename columns", {}, next);
  return table.alias ? std::string(table.alias->aliasname) : policy.unit.table;
}

class SelectBinder {
 public:
  SelectBinder(const PgQuery__SelectStmt& select, const RowBinder& rows, const Policy& policy,
               const std::vector<Range>& columns)
      : select_(select), rows_(rows), outputs_(rows, policy, columns, question_.keys) {}

  Result<Question> Bind() {
    for (const auto step : {&SelectBinder::BindWhere, &SelectBinder::BindGroups, &SelectBinder::BindTargets,
                            &SelectBinder::BindOrder, &SelectBinder::BindLimits}) {
      const auto done = (this->*step)();
      if (!done) return done.error();
    }
    question_.counters = outputs_.counters();
    if (question_.counters.empty()) {
      return Unsupported("the question asks for no count, sum or average", {},
                         "add count(*), sum(column) or avg(column)");
    }
    Normalise();
    return std::move(question_);
  }

 private:
  Result<void> BindWhere() {
    if (!select_.where_clause) return {};
    auto where = rows_.BindCondition(*select_.where_clause);
    if (!where) return where.error();
    question_.where = std::move(*where);
    return {};
  }

  Result<void> BindGroups() {
    for (std::size_t i = 0; i < select_.n_group_clause; ++i) {
      const auto column = GroupColumn(*select_.group_clause[i]);
      if (!column) return column.error();
      const Column& declared = rows_.table().columns[*column];
      if (declared.values.empty()) {
        return Unsupported(fmt::format("GROUP BY needs a column with declared values; {} has none", declared.name),
                           declared.name,
                           "declare values = [...] in the policy, or count ranges: count(*) FILTER (WHERE x < 10)");
      }
      const bool again = std::find(question_.keys.begin(), question_.keys.end(), *column) != question_.keys.end();
      if (!again) question_.keys.push_back(*column);
    }
    return {};
  }

  // A column by its name, by the alias of an output, or by the number of an output.
  Result<std::size_t> GroupColumn(const PgQuery__Node& node) const {
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const auto column = rows_.Resolve(*node.column_ref);
      if (column) return *column;
      const auto name = rows_.NameOf(*node.column_ref);
      const PgQuery__Node* target = name ? TargetNamed(*name) : nullptr;
      return target ? TargetColumn(*target) : Result<std::size_t>(column.error());
    }
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select_.n_target_list) {
        return InvalidArgument(fmt::format("GROUP BY {}: there is no such column of the answer", *number));
      }
      return TargetColumn(*select_.target_list[*number - 1]->res_target->val);
    }
    return TargetColumn(node);
  }

  const PgQuery__Node* TargetNamed(const std::string& name) const {
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      if (name == target.name) return target.val;
    }
    return nullptr;
  }

  Result<std::size_t> TargetColumn(const PgQuery__Node& node) const {
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) return rows_.Resolve(*node.column_ref);
    return Unsupported("GROUP BY works over columns with declared values, not over expressions", {},
                       "use count(*) FILTER (WHERE condition) for each group, or declare the column in the table");
  }

  Result<void> BindTargets() {
    if (select_.n_target_list == 0)
      return Unsupported("the question asks for nothing", {}, "ask for count(*), sum(column) or avg(column)");
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      auto output = outputs_.Bind(*target.val);
      if (!output) return output.error();
      const std::string alias = target.name;
      question_.outputs.push_back({alias.empty() ? DefaultName(*output) : alias, output->expr});
      texts_.push_back(output->text);
    }
    return {};
  }

  // Without an alias: a key's own name, or the text, without the outermost parentheses of a sum or quotient.
  std::string DefaultName(const BoundOutput& output) const {
    if (const auto key = output.expr->Key()) return rows_.table().columns[question_.keys[*key]].name;
    const std::string& text = output.text;
    return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
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
      if (*number < 1 || static_cast<std::size_t>(*number) > texts_.size()) {
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
    const auto same = std::find(texts_.begin(), texts_.end(), bound->text);
    if (same == texts_.end() || outputs_.counters().size() != counters) {
      return Unsupported("ORDER BY must name a column of the answer", Shortened(bound->text),
                         "add it to the SELECT list");
    }
    return static_cast<std::size_t>(same - texts_.begin());
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

  // The names of outputs belong to it: an answer that is stored under this text carries them.
  void Normalise() {
    const Table& table = rows_.table();
    std::string text = "SELECT ";
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      text += (i == 0 ? "" : ", ") + texts_[i];
      const OutputColumn& output = question_.outputs[i];
      if (output.name != DefaultName({output.expr, texts_[i]})) text += " AS " + IdentifierText(output.name);
    }
    text += " FROM " + IdentifierText(table.name);
    if (question_.where) text += " WHERE " + CanonicalText(*question_.where, table);
    for (std::size_t i = 0; i < question_.keys.size(); ++i) {
      text += (i == 0 ? " GROUP BY " : ", ") + IdentifierText(table.columns[question_.keys[i]].name);
    }
    for (std::size_t i = 0; i < question_.order_by.size(); ++i) {
      const OrderBy& order = question_.order_by[i];
      text += fmt::format("{}{}{}", i == 0 ? " ORDER BY " : ", ", order.output + 1, order.descending ? " DESC" : "");
    }
    if (question_.limit) text += fmt::format(" LIMIT {}", *question_.limit);
    if (question_.offset > 0) text += fmt::format(" OFFSET {}", question_.offset);
    question_.normalised = std::move(text);
  }

  const PgQuery__SelectStmt& select_;
  const RowBinder& rows_;
  Question question_;
  OutputBinder outputs_;
  std::vector<std::string> texts_;
};

}  // namespace

Result<Question> BindQuestion(const std::string& sql, const Policy& policy, const std::vector<Range>& columns) {
  const auto tree = SyntaxTree::Parse(sql);
  if (!tree) return tree.error();
  const PgQuery__SelectStmt& select = tree->select();
  if (auto refused = UnsupportedClause(select)) return *refused;
  const auto alias = AliasOf(select, policy);
  if (!alias) return alias.error();
  const RowBinder rows(sql, policy.unit_table(), *alias);
  return SelectBinder(select, rows, policy, columns).Bind();
}

}  // namespace kith
