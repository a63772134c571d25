#include "query/bind/bind_join.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "base/spelling.h"
#include "policy/per_row.h"
#include "query/bind/typing.h"
#include "query/range/range.h"

namespace kith {
namespace {

std::string Form(const Policy& policy, const std::string& table, const std::string& key) {
  return fmt::format("write FROM {} JOIN {} ON column = {}.{}", IdentifierText(policy.unit.table), table, table, key);
}

// The kinds that keep every row of the unit table once, or drop it.
std::optional<Error> Unjoinable(const PgQuery__JoinExpr& join, const std::string& form) {
  if (join.is_natural) return Unsupported("NATURAL JOIN is not supported", {}, form);
  if (join.alias || join.join_using_alias) return Unsupported("an alias of a whole join is not supported", {}, form);
  if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER && join.jointype != PG_QUERY__JOIN_TYPE__JOIN_LEFT) {
    return Unsupported("RIGHT and FULL JOIN are not supported: they add rows that belong to no unit", {}, form);
  }
  return std::nullopt;
}

}  // namespace

ExprPtr Matches(const TableJoin& join) {
  return MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {join.key_column})});
}

Error JoinBinder::NotPublic() const {
  return Unsupported(
      "only a public table can be joined: with any other, one record could count many times", {},
      Form(policy_, "table", "key") + ", where the table has public = true and key = \"...\" in [data] of the policy");
}

Result<const Table*> JoinBinder::PublicTable(const PgQuery__JoinExpr& join) const {
  if (join.rarg->node_case != PG_QUERY__NODE__NODE_RANGE_VAR) return NotPublic();
  const PgQuery__RangeVar& right = *join.rarg->range_var;
  if (*right.schemaname != '\0' || *right.catalogname != '\0' || !right.inh) return NotPublic();
  if (right.alias && right.alias->n_colnames > 0) {
    return Unsupported("an alias cannot rename columns", {}, "write JOIN table AS name");
  }
  const Table* found = nullptr;
  for (const Table& table : policy_.tables) {
    if (FoldCase(table.name) == FoldCase(right.relname)) found = &table;
  }
  if (!found) {
    std::vector<std::string> names;
    for (const Table& table : policy_.tables) names.push_back(table.name);
    return Unsupported(
        fmt::format("the policy has no table {}", Shortened(right.relname)), {},
        DidYouMean(right.relname, names) + "declare it in [data] with public = true and a key, or correct the name");
  }
  if (!found->is_public) {
    return Unsupported(fmt::format("{} is the unit table: it comes first, and once", Shortened(found->name)), {},
                       Form(policy_, "table", "key"));
  }
  if (!found->key) {
    return Unsupported(
        fmt::format("{} has no declared key, so a row could match many of its rows", Shortened(found->name)), {},
        fmt::format(
            "declare key = \"column\" for {} in [data] of the policy: a column in which every value occurs once",
            found->name));
  }
  return found;
}

// The public table's side of ON.
bool JoinBinder::IsKey(const PgQuery__Node& node, const Scope& left, const Table& right,
                       const std::string& alias) const {
  if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return false;
  const PgQuery__ColumnRef& reference = *node.column_ref;
  const auto is = [&](std::size_t i, const std::string& name) {
    const PgQuery__Node& field = *reference.fields[i];
    return field.node_case == PG_QUERY__NODE__NODE_STRING && FoldCase(field.string->sval) == FoldCase(name);
  };
  if (reference.n_fields == 2) return is(0, alias) && is(1, *right.key);
  const bool elsewhere = std::any_of(left.columns.begin(), left.columns.end(), [&](const Scope::Named& column) {
    return FoldCase(column.name) == FoldCase(*right.key);
  });
  return reference.n_fields == 1 && is(0, *right.key) && !elsewhere;
}

// What the key must equal, over the tables before.
Result<ExprPtr> JoinBinder::Left(const PgQuery__JoinExpr& join, const Scope& left, const Table& right,
                                 const std::string& alias) const {
  const RowBinder rows(sql_, table_, left);
  const std::string form = Form(policy_, IdentifierText(alias), IdentifierText(*right.key));
  if (join.n_using_clause == 1 && FoldCase(join.using_clause[0]->string->sval) == FoldCase(*right.key)) {
    for (const auto& column : left.columns) {
      if (FoldCase(column.name) == FoldCase(*right.key)) return column.expr;
    }
  }
  if (join.n_using_clause > 0) return Unsupported("USING must name the key of the public table", {}, form);
  if (!join.quals) return Unsupported("a join must say which rows belong together", {}, form);
  const bool equation = join.quals->node_case == PG_QUERY__NODE__NODE_A_EXPR &&
                        join.quals->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && join.quals->a_expr->lexpr &&
                        PlainName(join.quals->a_expr->name, join.quals->a_expr->n_name) == "=";
  if (!equation) {
    return Unsupported("ON must be one equation with the key of the public table", {},
                       form + "; further conditions belong in WHERE");
  }
  const PgQuery__AExpr& on = *join.quals->a_expr;
  const bool key_last = IsKey(*on.rexpr, left, right, alias), key_first = IsKey(*on.lexpr, left, right, alias);
  if (key_last == key_first) {
    return Unsupported("ON must be one equation with the key of the public table", rows.At(on.location), form);
  }
  return rows.Bind(key_last ? *on.lexpr : *on.rexpr);
}

std::string JoinBinder::NewOwner(const std::string& table) const {
  const auto taken = [&](const std::string& name) {
    return std::any_of(table_.columns.begin(), table_.columns.end(),
                       [&](const Column& column) { return OwnerOf(column) == name; });
  };
  std::string owner = table;
  for (int number = 2; taken(owner) || (owner != table && policy_.FindTable(owner)); ++number) {
    owner = fmt::format("{}_{}", table, number);
  }
  return owner;
}

bool JoinBinder::IsSecret(const Expr& on) const {
  std::vector<Range> ranges;
  for (const Column& column : table_.columns) ranges.push_back(RangeOf(column));
  return RangeEvaluator(table_, ranges).Evaluate(on).secret;
}

// Joined on a secret, all that is found is a secret, and constant within a unit if that secret is; joined on what rows
// of a unit differ in, it differs as well. Where rows without a match stay, every column can be NULL.
void JoinBinder::Extend(const Table& right, TableJoin& join, const std::string& alias, bool is_using, Scope& scope) {
  const bool secret = IsSecret(*join.on);
  bool constant = true, per_row = false;
  ForEachColumn(*join.on, [&](std::size_t column) {
    const Column& read = table_.columns[column];
    constant = constant && (IsPublicOfUnit(read) || read.constant);
    per_row = per_row || read.per_row;
  });
  for (const Column& column : right.columns) {
    Column added = column;
    added.name = join.owner + kOwnerMark + column.name;
    added.is_public = !secret;
    added.per_row = !secret && per_row;
    added.constant = secret && constant;
    added.required = column.required && join.inner;
    table_.columns.push_back(std::move(added));
    const ExprPtr expr = MakeColumn(table_, table_.columns.size() - 1);
    if (column.name == join.key) join.key_column = expr;
    // USING makes one column of two: the name stays with the first.
    if (column.name != join.key || !is_using) scope.columns.push_back({column.name, expr, alias});
  }
}

Result<Scope> JoinBinder::Bind(const PgQuery__JoinExpr& join, Scope left) {
  const auto right = PublicTable(join);
  if (!right) return right.error();
  const Table& table = **right;
  if (auto refused = Unjoinable(join, Form(policy_, IdentifierText(table.name), IdentifierText(*table.key)))) {
    return *refused;
  }
  const PgQuery__RangeVar& written = *join.rarg->range_var;
  const std::string alias = written.alias ? written.alias->aliasname : table.name;
  for (auto& column : left.columns) {
    if (column.table.empty()) column.table = left.alias;
    if (FoldCase(column.table) == FoldCase(alias)) {
      return InvalidArgument("two tables of FROM have the same name", Shortened(alias), "write JOIN table AS another");
    }
  }
  auto on = Left(join, left, table, alias);
  if (!on) return on.error();
  const Type type = TypeOf(table.Find(*table.key)->type);
  if ((*on)->type != type) {
    return Unsupported(fmt::format("the key of {} is {}, but it is joined with {}", Shortened(table.name),
                                   TypeName(type), TypeName((*on)->type)),
                       {}, "both must have one type: CAST(column AS bigint), or another column");
  }
  TableJoin added{
      table.name, NewOwner(table.name), *table.key, *std::move(on), join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER,
      nullptr};
  left.is_table = false;
  Extend(table, added, alias, join.n_using_clause > 0, left);
  left.joins.push_back(std::move(added));
  return left;
}

}  // namespace kith
