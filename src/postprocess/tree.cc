#include "postprocess/tree.h"

#include <fmt/format.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>

#include "base/spelling.h"
#include "query/bind/bind.h"
#include "query/group_rows.h"
#include "sql/functions.h"

namespace kith::postprocess {
namespace {

constexpr int kMostLevels = 20;

void ForAll(PgQuery__Node* const* nodes, std::size_t count, const std::function<void(const PgQuery__Node&)>& call) {
  for (std::size_t k = 0; k < count; ++k) call(*nodes[k]);
}

// Every name that FROM has, down to the tables.
void CollectTables(const PgQuery__Node& from, const std::function<void(const std::string&)>& table) {
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_VAR) table(from.range_var->relname);
  if (from.node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    CollectTables(*from.join_expr->larg, table);
    CollectTables(*from.join_expr->rarg, table);
  }
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT &&
      from.range_subselect->subquery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT) {
    const PgQuery__SelectStmt& inner = *from.range_subselect->subquery->select_stmt;
    for (std::size_t k = 0; k < inner.n_from_clause; ++k) CollectTables(*inner.from_clause[k], table);
  }
}

// What a private question needs from WITH, each after what it sees.
void CollectNeeded(const PgQuery__SelectStmt& select, const Names& names, std::set<std::string>& seen,
                   std::vector<PgQuery__Node*>& needed, int depth) {
  if (depth > kMostLevels) return;
  for (std::size_t k = 0; k < select.n_from_clause; ++k) {
    CollectTables(*select.from_clause[k], [&](const std::string& name) {
      const auto found = names.find(name);
      if (found == names.end() || !seen.insert(name).second) return;
      CollectNeeded(*found->second->select, found->second->sees, seen, needed, depth + 1);
      needed.push_back(const_cast<PgQuery__Node*>(found->second->definition));
    });
  }
}

std::string NameAt(const PgQuery__ColumnRef& reference, std::size_t k) {
  const PgQuery__Node& field = *reference.fields[k];
  return field.node_case == PG_QUERY__NODE__NODE_STRING ? FoldCase(field.string->sval) : std::string();
}

bool IsKey(const PgQuery__ColumnRef& reference, const PgQuery__SelectStmt& select, const Names& names,
           const RowKey& key, int depth);

// The same for one table or sub-select of FROM.
bool IsKeyOf(const PgQuery__Node& from, const PgQuery__ColumnRef& reference, const Names& names, const RowKey& key,
             int depth) {
  const auto source = FromItemOf(from, names);
  if (!source) return false;
  const PgQuery__SelectStmt* const inner = source->select;
  const std::string name = NameAt(reference, reference.n_fields - 1);
  if (reference.n_fields == 2 && NameAt(reference, 0) != FoldCase(source->called)) return false;
  const bool has_name = name == FoldCase(key.column);
  if (!inner) return has_name && FoldCase(from.range_var->relname) == FoldCase(key.table);
  for (std::size_t k = 0; k < inner->n_target_list; ++k) {
    const PgQuery__ResTarget& target = *inner->target_list[k]->res_target;
    if (target.val->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) continue;
    const PgQuery__ColumnRef& of = *target.val->column_ref;
    const std::string last = NameAt(of, of.n_fields - 1);
    const std::string shown = *target.name != '\0' ? FoldCase(target.name) : last;
    if (!last.empty() && shown == name)
      return IsKey(of, *inner, *source->sees, key, depth + 1);  // one way down, not many
    if (!last.empty() || !has_name) continue;
    PgQuery__ColumnRef own = reference;  // a star: under its own name
    own.fields += own.n_fields - 1;
    own.n_fields = 1;
    return IsKey(own, *inner, *source->sees, key, depth + 1);
  }
  return false;
}

// Whether a column of FROM is the key, perhaps under another name. Any of the joined tables can be one of the units.
bool IsKey(const PgQuery__ColumnRef& reference, const PgQuery__SelectStmt& select, const Names& names,
           const RowKey& key, int depth) {
  if (depth > kMostLevels || select.n_from_clause == 0 || reference.n_fields > 2) return false;
  const PgQuery__Node* from = select.from_clause[0];
  for (; from->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR; from = from->join_expr->larg) {
    if (IsKeyOf(*from->join_expr->rarg, reference, names, key, depth)) return true;
  }
  return IsKeyOf(*from, reference, names, key, depth);
}

bool IsPerUnit(const PgQuery__SelectStmt& select, const Names& names, const RowKey& key) {
  for (std::size_t k = 0; k < select.n_group_clause; ++k) {
    const PgQuery__Node* node = select.group_clause[k];
    if (const auto number = WholeConstant(*node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select.n_target_list) continue;
      node = select.target_list[*number - 1]->res_target->val;
    }
    if (node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && IsKey(*node->column_ref, select, names, key, 0))
      return true;
  }
  return false;
}

Result<std::string> Deparsed(const PgQuery__SelectStmt& select) {
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_SELECT_STMT;
  node.select_stmt = const_cast<PgQuery__SelectStmt*>(&select);
  PgQuery__RawStmt raw = PG_QUERY__RAW_STMT__INIT;
  raw.stmt = &node;
  PgQuery__RawStmt* statements[] = {&raw};
  PgQuery__ParseResult tree = PG_QUERY__PARSE_RESULT__INIT;
  tree.n_stmts = 1;
  tree.stmts = statements;
  std::string bytes(pg_query__parse_result__get_packed_size(&tree), '\0');
  pg_query__parse_result__pack(&tree, reinterpret_cast<std::uint8_t*>(bytes.data()));
  PgQueryProtobuf packed;
  packed.len = static_cast<unsigned int>(bytes.size());
  packed.data = bytes.data();
  PgQueryDeparseResult text = pg_query_deparse_protobuf(packed);
  const std::string query = text.query && !text.error ? text.query : "";
  pg_query_free_deparse_result(text);
  if (query.empty()) return InternalError("a part of the question cannot be written as SQL again");
  return query;
}

}  // namespace

Result<Names> NamesIn(const PgQuery__SelectStmt& select, const Names& around) {
  Names names = around;
  if (!select.with_clause) return names;
  if (select.with_clause->recursive) return Unsupported("WITH RECURSIVE is not supported", {}, "leave RECURSIVE out");
  for (std::size_t k = 0; k < select.with_clause->n_ctes; ++k) {
    const PgQuery__CommonTableExpr& query = *select.with_clause->ctes[k]->common_table_expr;
    if (query.ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return Unsupported("only SELECT is answered");
    auto named = std::make_shared<Named>();
    named->definition = select.with_clause->ctes[k];
    named->select = query.ctequery->select_stmt;
    named->sees = names;
    names[query.ctename] = std::move(named);
  }
  return names;
}

void ForEachChild(const PgQuery__Node& node, const std::function<void(const PgQuery__Node&)>& call) {
  const auto one = [&](const PgQuery__Node* child) {
    if (child) call(*child);
  };
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RES_TARGET:
      return one(node.res_target->val);
    case PG_QUERY__NODE__NODE_SORT_BY:
      return one(node.sort_by->node);
    case PG_QUERY__NODE__NODE_A_EXPR:
      one(node.a_expr->lexpr);
      return one(node.a_expr->rexpr);
    case PG_QUERY__NODE__NODE_LIST:
      return ForAll(node.list->items, node.list->n_items, call);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return ForAll(node.bool_expr->args, node.bool_expr->n_args, call);
    case PG_QUERY__NODE__NODE_NULL_TEST:
      return one(node.null_test->arg);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return one(node.boolean_test->arg);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      return ForAll(node.coalesce_expr->args, node.coalesce_expr->n_args, call);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return ForAll(node.min_max_expr->args, node.min_max_expr->n_args, call);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      return one(node.type_cast->arg);
    case PG_QUERY__NODE__NODE_CASE_WHEN:
      one(node.case_when->expr);
      return one(node.case_when->result);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      one(node.case_expr->arg);
      ForAll(node.case_expr->args, node.case_expr->n_args, call);
      return one(node.case_expr->defresult);
    case PG_QUERY__NODE__NODE_FUNC_CALL: {
      const PgQuery__FuncCall& function = *node.func_call;
      ForAll(function.args, function.n_args, call);
      ForAll(function.agg_order, function.n_agg_order, call);
      one(function.agg_filter);
      if (!function.over) return;
      ForAll(function.over->partition_clause, function.over->n_partition_clause, call);
      return ForAll(function.over->order_clause, function.over->n_order_clause, call);
    }
    default:
      return;
  }
}

bool Contains(const PgQuery__Node& node, const std::function<bool(const PgQuery__Node&)>& is) {
  if (is(node)) return true;
  bool found = false;
  ForEachChild(node, [&](const PgQuery__Node& child) { found = found || Contains(child, is); });
  return found;
}

std::string FunctionName(const PgQuery__FuncCall& call) { return FoldCase(PlainName(call.funcname, call.n_funcname)); }

bool IsAggregateCall(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL || node.func_call->over) return false;
  const std::string name = FunctionName(*node.func_call);
  return node.func_call->agg_star || node.func_call->agg_within_group || IsAggregate(name);
}

bool IsWindowCall(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_FUNC_CALL && node.func_call->over;
}

bool IsSubSelect(const PgQuery__Node& node) { return node.node_case == PG_QUERY__NODE__NODE_SUB_LINK; }

std::vector<RowKey> KeysOfRows(const Policy& policy) {
  std::vector<RowKey> keys;
  for (const auto& table : {std::optional(policy.unit.table), policy.units_table()}) {
    if (!table) continue;
    if (policy.unit.key) keys.push_back({*table, *policy.unit.key});
    for (const Column& column : policy.unit_table().columns) {
      if (column.values.empty() && GroupSizeOf(policy, column)) keys.push_back({*table, column.name});
    }
  }
  for (const Table& table : policy.tables) {
    if (table.OfUnits() && table.key) keys.push_back({table.name, *table.key});
  }
  return keys;
}

bool IsUnion(const PgQuery__SelectStmt& select) {
  return select.op == PG_QUERY__SET_OPERATION__SETOP_UNION && select.larg && select.rarg;
}

std::optional<FromItem> FromItemOf(const PgQuery__Node& from, const Names& names) {
  FromItem source{.sees = &names};
  const PgQuery__Alias* alias = nullptr;
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_VAR) {
    const PgQuery__RangeVar& table = *from.range_var;
    alias = table.alias;
    source.called = table.relname;
    const bool qualified = *table.schemaname != '\0' || *table.catalogname != '\0';
    if (const auto found = names.find(table.relname); found != names.end() && !qualified) {
      const PgQuery__CommonTableExpr& query = *found->second->definition->common_table_expr;
      source = {found->second->select, &found->second->sees, table.relname, query.aliascolnames, query.n_aliascolnames};
    }
  } else if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT &&
             from.range_subselect->subquery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT) {
    alias = from.range_subselect->alias;
    source.select = from.range_subselect->subquery->select_stmt;
  } else {
    return std::nullopt;
  }
  if (alias) source.called = alias->aliasname;
  if (alias && alias->n_colnames > 0) {
    source.renamed = alias->colnames;
    source.n_renamed = alias->n_colnames;
  }
  return source;
}

Result<void> FindKinds(const PgQuery__Node& from, const Names& names, const std::vector<RowKey>& keys, bool& rows,
                       bool& answers, int depth) {
  if (from.node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
    if (auto left = FindKinds(*from.join_expr->larg, names, keys, rows, answers, depth); !left) return left;
    return FindKinds(*from.join_expr->rarg, names, keys, rows, answers, depth);
  }
  const auto source = FromItemOf(from, names);
  if (!source)
    return Unsupported("FROM names something that is neither a table nor a sub-select", {},
                       "ask about the unit table, or about answers");
  if (!source->select) {
    rows = true;
    return {};
  }
  const auto scope = NamesIn(*source->select, *source->sees);
  if (!scope) return scope.error();
  const auto kind = KindOf(*source->select, *scope, keys, depth + 1);
  if (!kind) return kind.error();
  (*kind == Kind::kRows ? rows : answers) = true;
  return {};
}

Result<Kind> KindOf(const PgQuery__SelectStmt& select, const Names& names, const std::vector<RowKey>& keys, int depth) {
  if (depth > kMostLevels) return Unsupported("sub-selects are nested too deeply", {}, "ask a simpler question");
  if (IsUnion(select)) {
    for (const PgQuery__SelectStmt* const arm : {select.larg, select.rarg}) {
      const auto scope = NamesIn(*arm, names);
      const auto kind = scope ? KindOf(*arm, *scope, keys, depth + 1) : Result<Kind>(scope.error());
      if (!kind) return kind;
      if (*kind == Kind::kRows)
        return Unsupported("UNION is supported over answers alone, and not over rows of tables", {},
                           "aggregate the rows in each part of it");
    }
    return Kind::kAnswers;
  }
  if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE)
    return Unsupported("INTERSECT and EXCEPT are not supported", {}, "ask one question after the other");
  bool rows = false, answers = false;
  for (std::size_t k = 0; k < select.n_from_clause; ++k) {
    if (auto found = FindKinds(*select.from_clause[k], names, keys, rows, answers, depth); !found) return found.error();
  }
  if (rows && answers) {
    return Unsupported("a private answer can be used beside a table only as one row, after a comma or JOIN", {},
                       "join public tables inside the sub-select, or use the answer as a number: WITH line AS (SELECT "
                       "0.6 * median(x) AS v FROM people) SELECT count(*) FROM people, line WHERE x < v");
  }
  for (std::size_t k = 0; k < select.n_target_list && select.n_from_clause == 0; ++k)
    answers = answers || Contains(*select.target_list[k], IsSubSelect);
  if (!rows && !answers) return Unsupported("the question has no FROM", {}, "name a table or a sub-select in FROM");
  if (answers) return Kind::kAnswers;
  const auto by = [&](const RowKey& key) { return IsPerUnit(select, names, key); };
  if (std::any_of(keys.begin(), keys.end(), by)) return Kind::kRows;
  bool aggregates = select.n_group_clause > 0 || select.having_clause;
  for (std::size_t k = 0; k < select.n_target_list; ++k)
    aggregates = aggregates || Contains(*select.target_list[k], IsAggregateCall);
  return aggregates ? Kind::kPrivate : Kind::kRows;
}

Result<std::string> TextOf(const PgQuery__SelectStmt& select) { return Deparsed(select); }

Result<std::string> TextOf(const PgQuery__Node& expression) {
  PgQuery__ResTarget target = PG_QUERY__RES_TARGET__INIT;
  target.val = const_cast<PgQuery__Node*>(&expression);
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
  node.res_target = &target;
  PgQuery__Node* targets[] = {&node};
  PgQuery__SelectStmt select = PG_QUERY__SELECT_STMT__INIT;
  select.op = PG_QUERY__SET_OPERATION__SETOP_NONE;
  select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
  select.n_target_list = 1;
  select.target_list = targets;
  return Deparsed(select);
}

namespace {

// What no private question computes from its aggregates.
bool IsFunctionOfAnswer(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return false;
  const SqlFunction* const function = FindFunction(FunctionName(*node.func_call));
  return function != nullptr && (function->kind == FunctionKind::kCurve || function->kind == FunctionKind::kPower) &&
         Contains(node, IsAggregateCall);
}

// Text next to aggregates that says which part of a UNION a row belongs to.
bool IsLabel(const PgQuery__Node& target) {
  const PgQuery__Node& value = *target.res_target->val;
  return value.node_case == PG_QUERY__NODE__NODE_A_CONST && !value.a_const->isnull &&
         value.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
}

// Columns of a private question, some of them only for what is done with its answer.
class TakingOut {
 public:
  TakingOut(const PgQuery__SelectStmt& select, const Names& names) : select_(select), names_(names) {}

  Result<Taken> Run() {
    const auto is_after = [](const PgQuery__Node& node) {
      return IsWindowCall(node) || IsSubSelect(node) || IsFunctionOfAnswer(node);
    };
    taken_.as_it_is = !select_.having_clause && select_.n_sort_clause == 0 && !select_.limit_count &&
                      !select_.limit_offset && select_.n_window_clause == 0;
    for (std::size_t k = 0; k < select_.n_target_list; ++k) {
      if (Contains(*select_.target_list[k], is_after) || IsLabel(*select_.target_list[k])) taken_.as_it_is = false;
    }
    if (!taken_.as_it_is) {
      for (std::size_t k = 0; k < select_.n_target_list; ++k) {
        PgQuery__Node& target = *select_.target_list[k];
        const bool after = Contains(target, is_after) || IsLabel(target);
        const auto added =
            after ? AddParts(*target.res_target->val) : AddColumn(*target.res_target->val, target.res_target->name);
        if (!added) return added.error();
      }
      if (select_.having_clause) {
        if (auto added = AddParts(*select_.having_clause); !added) return added.error();
      }
      for (std::size_t k = 0; k < select_.n_sort_clause; ++k) {
        const PgQuery__Node& key = *select_.sort_clause[k]->sort_by->node;
        if (WholeConstant(key) || IsOutputName(key)) continue;
        if (auto added = AddParts(key); !added) return added.error();
      }
    }
    return Finish();
  }

 private:
  bool IsOutputName(const PgQuery__Node& node) const {
    if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node.column_ref->n_fields != 1) return false;
    const PgQuery__Node& field = *node.column_ref->fields[0];
    if (field.node_case != PG_QUERY__NODE__NODE_STRING) return false;
    for (std::size_t k = 0; k < select_.n_target_list; ++k) {
      if (std::string(select_.target_list[k]->res_target->name) == field.string->sval) return true;
    }
    return false;
  }

  // Aggregates and columns, wherever they are in the expression; all of it where nothing else is needed.
  Result<void> AddParts(const PgQuery__Node& node) {
    const bool column = node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
    if (column && IsOutputName(node)) return {};
    if (column || IsAggregateCall(node)) return AddColumn(node, nullptr);
    if (const auto text = TextOf(node); text && taken_.columns.contains(*text)) return {};
    Result<void> result;
    ForEachChild(node, [&](const PgQuery__Node& child) {
      if (result) result = AddParts(child);
    });
    return result;
  }

  // `name`: its own; nothing: one that nobody sees.
  Result<void> AddColumn(const PgQuery__Node& node, char* name) {
    const auto text = TextOf(node);
    if (!text) return text.error();
    if (taken_.columns.contains(*text)) return {};
    if (!name) name = names_of_columns_.emplace_back(fmt::format("kith_{}", list_.size())).data();
    taken_.columns[*text] = list_.size();
    PgQuery__ResTarget& target = targets_.emplace_back();
    target = PG_QUERY__RES_TARGET__INIT;
    target.name = name;
    target.val = const_cast<PgQuery__Node*>(&node);
    PgQuery__Node& wrapped = nodes_.emplace_back();
    wrapped = PG_QUERY__NODE__INIT;
    wrapped.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
    wrapped.res_target = &target;
    list_.push_back(&wrapped);
    return {};
  }

  // GROUP BY 1 and GROUP BY alias mean columns of the statement, which may have other places and names now.
  PgQuery__Node* GroupNode(PgQuery__Node* node) const {
    if (const auto number = WholeConstant(*node)) {
      const bool there = *number >= 1 && static_cast<std::size_t>(*number) <= select_.n_target_list;
      return there ? select_.target_list[*number - 1]->res_target->val : node;
    }
    if (!IsOutputName(*node)) return node;
    for (std::size_t k = 0; k < select_.n_target_list; ++k) {
      const PgQuery__ResTarget& target = *select_.target_list[k]->res_target;
      if (std::string(target.name) == node->column_ref->fields[0]->string->sval) return target.val;
    }
    return node;
  }

  Result<Taken> Finish() {
    PgQuery__SelectStmt inner = select_;
    std::vector<PgQuery__Node*> groups;
    if (!taken_.as_it_is) {
      inner.n_target_list = list_.size();
      inner.target_list = list_.data();
      inner.having_clause = nullptr;
      inner.n_sort_clause = 0;
      inner.limit_count = inner.limit_offset = nullptr;
      inner.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
      inner.n_window_clause = 0;
      for (std::size_t k = 0; k < inner.n_group_clause; ++k) groups.push_back(GroupNode(inner.group_clause[k]));
      inner.group_clause = groups.data();
    }
    std::set<std::string> seen;
    std::vector<PgQuery__Node*> needed;
    CollectNeeded(select_, names_, seen, needed, 0);
    PgQuery__WithClause with = PG_QUERY__WITH_CLAUSE__INIT;
    with.n_ctes = needed.size();
    with.ctes = needed.data();
    inner.with_clause = needed.empty() ? nullptr : &with;
    auto text = Deparsed(inner);
    if (!text) return text.error();
    taken_.sql = std::move(*text);
    return std::move(taken_);
  }

  const PgQuery__SelectStmt& select_;
  const Names& names_;
  Taken taken_;
  std::deque<std::string> names_of_columns_;
  std::deque<PgQuery__ResTarget> targets_;
  std::deque<PgQuery__Node> nodes_;
  std::vector<PgQuery__Node*> list_;
};

}  // namespace

Result<Taken> TakeOut(const PgQuery__SelectStmt& select, const Names& names) { return TakingOut(select, names).Run(); }

}  // namespace kith::postprocess
