// FROM: the unit table, or sub-selects and WITH queries that only project and filter, put in place.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/meter.h"
#include "base/spelling.h"
#include "policy/per_row.h"
#include "query/bind/bind.h"
#include "query/bind/bind_join.h"
#include "query/bind/bind_per_unit.h"
#include "query/bind/typing.h"

namespace kith {
namespace {

struct Query {
  Scope scope;
  Table table;  // where it has its own: one row for each unit
};
using Names = std::map<std::string, Query>;  // of WITH

void Weigh(const Expr& expr, int depth, Weight& weight) {
  Meter::Count(1);
  ++weight.nodes;
  weight.depth = std::max(weight.depth, depth);
  for (const auto& arg : expr.args) {
    if (weight.TooLarge()) return;
    Weigh(*arg, depth + 1, weight);
  }
}

// What would count a record twice, or choose records by looking at others.
std::optional<Error> NotJustRows(const PgQuery__SelectStmt& s) {
  const char* const next =
      "a sub-select may choose columns, compute with them, filter with WHERE, and GROUP BY the unit's key";
  if (s.n_sort_clause > 0) return Unsupported("ORDER BY in a sub-select is not supported", {}, next);
  if (s.limit_count || s.limit_offset) {
    return Unsupported("LIMIT in a sub-select is not supported: which records it keeps depends on all others", {},
                       next);
  }
  return std::nullopt;
}

class FromBinder {
 public:
  FromBinder(const std::string& sql, const Policy& policy, Table& table)
      : sql_(sql), policy_(policy), table_(table), units_(policy.units_table()), joins_(sql, policy, table) {}

  /// A table that has its own policy: the table of units, or another table of the units. Empty: none was named.
  const std::string& asks_for() const { return asks_for_; }

  Result<Scope> Bind(const PgQuery__SelectStmt& select, Names names, int depth) {
    if (depth > kMostLevels) return Unsupported("sub-selects are nested too deeply", {}, "ask a simpler question");
    if (select.with_clause) {
      const auto added = AddWith(*select.with_clause, names, depth);
      if (!added) return added.error();
    }
    const std::string next = fmt::format("write FROM {}", IdentifierText(policy_.unit.table));
    if (select.n_from_clause == 0) return Unsupported("the question has no FROM", {}, next);
    if (select.n_from_clause > 1) {
      return Unsupported("a list of tables in FROM is not supported: one record could then count many times", {},
                         next + " JOIN table ON column = table.key");
    }
    return Source(*select.from_clause[0], names, depth, next);
  }

 private:
  static constexpr int kMostLevels = 20;

  Result<Scope> Source(const PgQuery__Node& from, const Names& names, int depth, const std::string& next) {
    if (from.node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
      const PgQuery__JoinExpr& join = *from.join_expr;
      if (depth > kMostLevels) return Unsupported("joins are nested too deeply", {}, "ask a simpler question");
      if (joins_.IsTurned(join) && !names.contains(join.larg->range_var->relname) &&
          !names.contains(join.rarg->range_var->relname)) {
        auto first = Source(*join.rarg, names, depth + 1, next);
        return first ? joins_.Bind(join, *std::move(first)) : first;
      }
      auto left = Source(*join.larg, names, depth + 1, next);
      if (!left) return left;
      const bool named =
          join.rarg->node_case == PG_QUERY__NODE__NODE_RANGE_VAR && names.contains(join.rarg->range_var->relname);
      return named ? joins_.NotPublic() : joins_.Bind(join, *std::move(left));
    }
    if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT) {
      const PgQuery__RangeSubselect& sub = *from.range_subselect;
      if (sub.lateral) return Unsupported("LATERAL is not supported", {}, "leave LATERAL out");
      auto scope = Rows(*sub.subquery, names, depth + 1);
      return scope ? Renamed(std::move(*scope), sub.alias) : scope;
    }
    if (from.node_case != PG_QUERY__NODE__NODE_RANGE_VAR) return Unsupported("FROM must name the unit table", {}, next);
    return Named(*from.range_var, names, next);
  }

  Result<void> AddWith(const PgQuery__WithClause& with, Names& names, int depth) {
    if (with.recursive) return Unsupported("WITH RECURSIVE is not supported", {}, "leave RECURSIVE out");
    for (std::size_t i = 0; i < with.n_ctes; ++i) {
      const PgQuery__CommonTableExpr& cte = *with.ctes[i]->common_table_expr;
      Table before = table_;
      auto scope = Rows(*cte.ctequery, names, depth + 1);
      if (!scope) return scope.error();
      scope->alias = cte.ctename;
      if (const auto refused = Rename(*scope, cte.aliascolnames, cte.n_aliascolnames)) return *refused;
      Query query{std::move(*scope), {}};
      if (query.scope.per_unit) query.table = std::exchange(table_, std::move(before));
      const auto [at, is_new] = names.insert_or_assign(cte.ctename, std::move(query));
      if (!is_new && depth == 0) return InvalidArgument("WITH names one query twice", Shortened(at->first));
    }
    return {};
  }

  // A sub-select: its columns as expressions over the unit table, and the condition on its rows.
  Result<Scope> Rows(const PgQuery__Node& node, const Names& names, int depth) {
    if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return Unsupported("only SELECT is answered");
    const PgQuery__SelectStmt& select = *node.select_stmt;
    if (auto refused = UnsupportedClause(select, GroupsRows(select))) return *refused;
    if (auto refused = NotJustRows(select)) return *refused;
    auto inner = Bind(select, names, depth);
    if (!inner) return inner;
    if (GroupsRows(select)) return BindPerUnit(sql_, select, policy_, *inner, table_);
    const RowBinder rows(sql_, table_, *inner);
    Windows windows(sql_, policy_, *inner, table_);
    const RowBinder columns(sql_, table_, *inner, &windows);
    Scope scope;
    scope.is_table = false;
    scope.where = inner->where;
    scope.joins = inner->joins;
    scope.per_unit = inner->per_unit;
    if (select.where_clause) {
      auto where = rows.BindCondition(*select.where_clause);
      if (!where) return where.error();
      scope.where = BothConditions(scope.where, *where);
    }
    for (std::size_t i = 0; i < select.n_target_list; ++i) {
      const auto added = AddTarget(*select.target_list[i]->res_target, columns, scope);
      if (!added) return added.error();
    }
    for (const auto& column : scope.columns) {
      if (WeightOf(*column.expr).TooLarge()) return GrowsTooLarge();
    }
    if (scope.where && WeightOf(*scope.where).TooLarge()) return GrowsTooLarge();
    const auto windowed = windows.Finish(scope, table_);
    if (!windowed) return windowed.error();
    return scope;
  }

  Result<void> AddTarget(const PgQuery__ResTarget& target, const RowBinder& rows, Scope& scope) const {
    std::string name = target.name;
    if (target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const PgQuery__ColumnRef& reference = *target.val->column_ref;
      const PgQuery__Node& last = *reference.fields[reference.n_fields - 1];
      if (last.node_case == PG_QUERY__NODE__NODE_A_STAR && reference.n_fields == 1) {
        for (const auto& column : rows.scope().columns) scope.columns.push_back({column.name, column.expr, {}});
        scope.has_key = rows.scope().has_key;
        return {};
      }
      if (name.empty() && last.node_case == PG_QUERY__NODE__NODE_STRING) name = last.string->sval;
      if (rows.scope().has_key && FoldCase(name) == FoldCase(*policy_.unit.key)) {
        if (auto column = rows.Resolve(reference); !column) {
          scope.has_key = true;
          return {};
        }
      }
    }
    auto expr = rows.Bind(*target.val);
    if (!expr) return expr.error();
    if ((*expr)->type == Type::kNull) {
      return Unsupported("a column of a sub-select cannot be NULL alone", rows.At(target.location), "leave it out");
    }
    if (name.empty()) {
      return Unsupported("a computed column of a sub-select needs a name", rows.At(target.location),
                         "write the expression AS name");
    }
    scope.columns.push_back({std::move(name), std::move(*expr), {}});
    return {};
  }

  Result<Scope> Named(const PgQuery__RangeVar& table, const Names& names, const std::string& next) {
    const std::string name = table.relname;
    if (!table.inh) return Unsupported("FROM ONLY is not supported", {}, next);
    const bool qualified = *table.schemaname != '\0' || *table.catalogname != '\0';
    if (const auto found = names.find(name); found != names.end() && !qualified) {
      if (found->second.scope.per_unit) table_ = found->second.table;
      return Renamed(found->second.scope, table.alias);
    }
    if (qualified || FoldCase(name) != FoldCase(policy_.unit.table)) {
      if (!qualified && units_ && FoldCase(name) == FoldCase(*units_)) asks_for_ = *units_;
      const Table* other = policy_.FindTable(name);
      if (!qualified) AskForTable(name);
      if (other && !other->is_public && !other->OfUnits()) {
        return Unsupported(fmt::format("{} and {} cannot be put together in this way", Shortened(policy_.unit.table),
                                       Shortened(other->name)),
                           {},
                           fmt::format("join the tables themselves, FROM {} JOIN {} ON ..., and put sub-selects around "
                                       "the join",
                                       IdentifierText(other->name), IdentifierText(policy_.unit.table)));
      }
      const std::string meant = other ? std::string() : DidYouMean(name, {policy_.unit.table});
      return Unsupported(fmt::format("questions are about the unit table, not about {}", Shortened(name)), {},
                         other && other->is_public
                             ? fmt::format("this table is public: look at it directly, or {} JOIN it", next)
                             : meant + next);
    }
    Scope scope;
    scope.alias = policy_.unit.table;
    scope.has_key = policy_.unit.key && !policy_.unit_table().Find(*policy_.unit.key);
    for (std::size_t i = 0; i < policy_.unit_table().columns.size(); ++i) {
      if (InScope(table_.columns[i])) scope.columns.push_back({table_.columns[i].name, MakeColumn(table_, i), {}});
    }
    if (table.alias && table.alias->n_colnames > 0) return Unsupported("an alias cannot rename columns", {}, next);
    return Renamed(std::move(scope), table.alias);
  }

  // A question that begins with another table of the units is about that table.
  void AskForTable(const std::string& name) {
    for (const Table& table : policy_.tables) {
      if (table.OfUnits() && FoldCase(table.name) == FoldCase(name)) asks_for_ = table.name;
    }
  }

  // A table of units has what each unit has one of.
  bool InScope(const Column& column) const {
    return table_.rows_of.empty() || IsPublicOfUnit(column) || column.constant || column.name == policy_.unit.key;
  }

  static Result<Scope> Renamed(Scope scope, const PgQuery__Alias* alias) {
    if (!alias) return scope;
    scope.alias = alias->aliasname;
    if (const auto refused = Rename(scope, alias->colnames, alias->n_colnames)) return *refused;
    return scope;
  }

  static std::optional<Error> Rename(Scope& scope, PgQuery__Node* const* names, std::size_t count) {
    if (count > scope.columns.size()) {
      return InvalidArgument(fmt::format("{} has fewer columns than are named", Shortened(scope.alias)));
    }
    for (std::size_t i = 0; i < count; ++i) scope.columns[i].name = names[i]->string->sval;
    return std::nullopt;
  }

  const std::string& sql_;
  const Policy& policy_;
  Table& table_;
  const std::optional<std::string> units_;  // the name of the table of units, where this is not it
  std::string asks_for_;
  JoinBinder joins_;
};

}  // namespace

Error GrowsTooLarge() {
  return Unsupported("the question grows too large when its sub-selects are put in place", {},
                     "ask several simpler questions");
}

Weight WeightOf(const Expr& expr) {
  Weight weight;
  Weigh(expr, 0, weight);
  return weight;
}

// Parts of SELECT that kith has no answer for.
std::optional<Error> UnsupportedClause(const PgQuery__SelectStmt& s, bool per_unit) {
  if (s.op != PG_QUERY__SET_OPERATION__SETOP_NONE || s.larg || s.rarg) {
    return Unsupported("UNION, INTERSECT and EXCEPT are not supported", {}, "ask one question after the other");
  }
  if (s.n_values_lists > 0) return Unsupported("VALUES is not supported", {}, "ask about the unit table");
  if (s.n_distinct_clause > 0) return Unsupported("SELECT DISTINCT is not supported", {}, "use GROUP BY with count(*)");
  if (s.into_clause) return Unsupported("SELECT INTO is not supported: kith writes no tables", {}, "leave INTO out");
  if (s.having_clause && !per_unit) {
    return Unsupported("HAVING is not supported: leaving groups out by their true count would reveal single records",
                       {}, "leave HAVING out and filter the noisy answer");
  }
  if (s.n_window_clause > 0) return Unsupported("WINDOW is not supported", {}, "use GROUP BY");
  if (s.n_locking_clause > 0) return Unsupported("FOR UPDATE and the like are not supported", {}, "leave it out");
  if (s.group_distinct) return Unsupported("GROUP BY DISTINCT is not supported", {}, "leave DISTINCT out");
  if (s.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) {
    return Unsupported("WITH TIES is not supported", {}, "use LIMIT");
  }
  return std::nullopt;
}

Result<Scope> BindFrom(const std::string& sql, const PgQuery__SelectStmt& select, const Policy& policy, Table& table,
                       std::string* asks_for) {
  FromBinder binder(sql, policy, table);
  auto scope = binder.Bind(select, {}, 0);
  if (asks_for && !scope) *asks_for = binder.asks_for();
  return scope;
}

}  // namespace kith
