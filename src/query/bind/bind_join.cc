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

constexpr std::int64_t kMostRowsOfUnit = 1'000'000;  // as a policy may declare it

std::string Form(const Policy& policy, const std::string& table, const std::string& key,
                 const std::string& column = "column") {
  return fmt::format("write FROM {} JOIN {} ON {} = {}.{}", IdentifierText(policy.unit.table), table, column, table,
                     key);
}

// Of another table of the units: on the unit's key.
std::string FormOfUnits(const Policy& policy, const Table& table) {
  return Form(policy, IdentifierText(table.name), IdentifierText(*table.key),
              IdentifierText(policy.unit.table) + "." + IdentifierText(*policy.unit.key));
}

// Of a table whose rows name two units: what is known about each.
std::string FormOfPairs(const Table& pairs) {
  const std::string name = IdentifierText(pairs.name);
  return fmt::format("write FROM {0} JOIN table AS a ON {0}.{1} = a.key JOIN table AS b ON {0}.{2} = b.key", name,
                     IdentifierText(*pairs.key), IdentifierText(*pairs.other));
}

std::string FormOf(const Policy& policy, const Table& table, const std::string& alias) {
  return table.OfUnits() ? FormOfUnits(policy, table) : Form(policy, IdentifierText(alias), IdentifierText(*table.key));
}

const PgQuery__RangeVar* PlainTable(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_RANGE_VAR) return nullptr;
  const PgQuery__RangeVar& named = *node.range_var;
  return *named.schemaname == '\0' && *named.catalogname == '\0' && named.inh ? &named : nullptr;
}

const Table* FoundIn(const Policy& policy, const std::string& name) {
  for (const Table& table : policy.tables) {
    if (FoldCase(table.name) == FoldCase(name)) return &table;
  }
  return nullptr;
}

bool IsEquation(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_A_EXPR && node.a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP &&
         node.a_expr->lexpr && PlainName(node.a_expr->name, node.a_expr->n_name) == "=";
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

std::int64_t RowsOfJoins(const std::vector<TableJoin>& joins) {
  std::int64_t rows = 1;
  for (const TableJoin& join : joins) rows *= join.of_units ? join.of_units->max_rows : 1;
  return rows;
}

// Each row of a unit meets each that is kept of its rows in the other tables. Claim TABLES-2.
void CountJoinedRows(const std::vector<TableJoin>& joins, Policy& policy) {
  const auto of_units = [](const TableJoin& join) { return join.of_units != nullptr; };
  if (std::none_of(joins.begin(), joins.end(), of_units)) return;
  policy.tables.at(0).max_rows = policy.unit.max_rows;
  policy.unit.max_rows *= RowsOfJoins(joins);
}

Error JoinBinder::NotPublic() const {
  const auto of_units = [](const Table& table) { return table.OfUnits(); };
  const auto more = std::find_if(policy_.tables.begin(), policy_.tables.end(), of_units);
  if (more != policy_.tables.end()) {
    return Unsupported("a sub-select cannot be joined: only a table of the policy can", {},
                       "join the tables, and put the sub-select around the join: (SELECT ... FROM " +
                           IdentifierText(policy_.unit.table) + " LEFT JOIN table ON ... GROUP BY key)");
  }
  return Unsupported(
      "only a public table can be joined: with any other, one record could count many times", {},
      Form(policy_, "table", "key") + ", where the table has public = true and key = \"...\" in [data] of the policy");
}

bool JoinBinder::IsTurned(const PgQuery__JoinExpr& join) const {
  const PgQuery__RangeVar* const first = PlainTable(*join.larg);
  const PgQuery__RangeVar* const second = PlainTable(*join.rarg);
  if (!first || !second || join.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER || join.is_natural) return false;
  const Table* const left = FoundIn(policy_, first->relname);
  return left && left->OfUnits() && !left->other && left->name != policy_.unit.table &&
         FoldCase(second->relname) == FoldCase(policy_.unit.table);
}

// The unit's table, or the one that the question begins with.
Error JoinBinder::OfOtherUnits(const Table& table) const {
  const Table* const first = policy_.FindTable(policy_.unit.table);
  if (first != nullptr && first->OfUnits() && table.name != first->name) {
    return Unsupported(
        fmt::format("{} is the unit's table: where it is joined with others, it comes first", Shortened(table.name)),
        {}, fmt::format("write FROM {} JOIN {} ON ...", IdentifierText(table.name), IdentifierText(first->name)));
  }
  return Unsupported(fmt::format("{} is the unit table: it comes first, and once, or a row would belong to two units",
                                 Shortened(table.name)),
                     {}, Form(policy_, "table", "key"));
}

Result<const Table*> JoinBinder::Joinable(const PgQuery__Node& node) const {
  const PgQuery__RangeVar* const named = PlainTable(node);
  if (!named) return NotPublic();
  const PgQuery__RangeVar& right = *named;
  if (right.alias && right.alias->n_colnames > 0) {
    return Unsupported("an alias cannot rename columns", {}, "write JOIN table AS name");
  }
  const Table* const found = FoundIn(policy_, right.relname);
  if (!found) {
    std::vector<std::string> names;
    for (const Table& table : policy_.tables) names.push_back(table.name);
    return Unsupported(
        fmt::format("the policy has no table {}", Shortened(right.relname)), {},
        DidYouMean(right.relname, names) + "declare it in [data] with public = true and a key, or correct the name");
  }
  if (found->other && found->name != policy_.unit.table) {
    return Unsupported(
        fmt::format("rows of {} name two units: a question about them begins with this table", Shortened(found->name)),
        {}, FormOfPairs(*found));
  }
  if (found->OfUnits() && found->name != policy_.unit.table) return found;
  if (!found->is_public) return OfOtherUnits(*found);
  if (!found->key) {
    return Unsupported(
        fmt::format("{} has no declared key, so a row could match many of its rows", Shortened(found->name)), {},
        fmt::format(
            "declare key = \"column\" for {} in [data] of the policy: a column in which every value occurs once",
            found->name));
  }
  return found;
}

// The joined table's side of ON.
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
Result<ExprPtr> JoinBinder::Left(const PgQuery__JoinExpr& join, const PgQuery__Node* quals, const Scope& left,
                                 const Table& right, const std::string& alias) const {
  const RowBinder rows(sql_, table_, left);
  const std::string form = FormOf(policy_, right, alias);
  const char* const whose = right.OfUnits() ? "of the unit" : "of the public table";
  if (join.n_using_clause == 1 && FoldCase(join.using_clause[0]->string->sval) == FoldCase(*right.key)) {
    for (const auto& column : left.columns) {
      if (FoldCase(column.name) == FoldCase(*right.key)) return column.expr;
    }
  }
  if (join.n_using_clause > 0) return Unsupported(fmt::format("USING must name the key {}", whose), {}, form);
  if (!quals) return Unsupported("a join must say which rows belong together", {}, form);
  const std::string wrong = fmt::format("ON must be one equation with the key {}", whose);
  if (!IsEquation(*quals)) {
    const bool left_join = right.OfUnits() && join.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT;
    return Unsupported(wrong, {},
                       form + (left_join ? "; further conditions belong in count(*) FILTER (WHERE ...), or in WHERE"
                                         : "; further conditions belong in WHERE"));
  }
  const PgQuery__AExpr& on = *quals->a_expr;
  const bool key_last = IsKey(*on.rexpr, left, right, alias), key_first = IsKey(*on.lexpr, left, right, alias);
  if (key_last == key_first) return Unsupported(wrong, rows.At(on.location), form);
  return rows.Bind(key_last ? *on.lexpr : *on.rexpr);
}

// The terms of ON, the equation with the key first. In an inner join of tables of the units, the others are conditions
// on its rows; any other join has one term.
std::vector<const PgQuery__Node*> JoinBinder::TermsOf(const PgQuery__JoinExpr& join, const Scope& left,
                                                      const Table& right, const std::string& alias) const {
  const bool several = join.quals && join.quals->node_case == PG_QUERY__NODE__NODE_BOOL_EXPR &&
                       join.quals->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR && right.OfUnits() &&
                       join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER;
  if (!several) return {join.quals};
  std::vector<const PgQuery__Node*> terms(join.quals->bool_expr->args,
                                          join.quals->bool_expr->args + join.quals->bool_expr->n_args);
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const PgQuery__Node* term) {
    return IsEquation(*term) &&
           (IsKey(*term->a_expr->lexpr, left, right, alias) || IsKey(*term->a_expr->rexpr, left, right, alias));
  });
  if (found == terms.end()) return {join.quals};
  std::rotate(terms.begin(), found, found + 1);
  return terms;
}

// What is joined with another table of the units must be the unit's key: then all that is found is its own.
std::optional<Error> JoinBinder::NotOfUnit(const Expr& on, const Scope& left, const Table& right) const {
  const auto is_key = [&] {
    if (on.op != Op::kColumn) return false;
    const Column& column = table_.columns[on.column];
    if (OwnerOf(column).empty()) return column.name == *policy_.unit.key || column.name == policy_.unit_table().other;
    return std::any_of(left.joins.begin(), left.joins.end(),
                       [&](const TableJoin& join) { return join.of_units && join.key_column->column == on.column; });
  };
  if (!is_key()) {
    return Unsupported(
        fmt::format(
            "{} belongs to the units: it can be joined on their key alone, so that no unit meets rows of others",
            Shortened(right.name)),
        {}, FormOfUnits(policy_, right));
  }
  const bool pairs = policy_.unit_table().other.has_value();
  if (pairs && right.max_rows != 1) {
    return Unsupported(fmt::format("{} has several rows of a unit, and cannot be joined where rows name two units",
                                   Shortened(right.name)),
                       {}, "join tables with max_rows = 1, or public ones");
  }
  // Either of the two units that a row names may be looked up.
  const auto same_unit = [&](const TableJoin& join) { return !pairs || join.on->column == on.column; };
  const bool again = std::any_of(left.joins.begin(), left.joins.end(), [&](const TableJoin& join) {
    return join.of_units && join.table == right.name && same_unit(join);
  });
  if (again) {
    return Unsupported(fmt::format("{} is joined twice", Shortened(right.name)), {},
                       "join each table of the units once; lag() and lead() look at other rows of a unit");
  }
  if (policy_.unit.max_rows * RowsOfJoins(left.joins) > kMostRowsOfUnit / right.max_rows) {
    return Unsupported(fmt::format("one unit could have more than {} rows in this join", kMostRowsOfUnit), {},
                       "join fewer tables, or ask about each table by itself");
  }
  return std::nullopt;
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
// of a unit differ in, it differs as well. Where rows without a match stay, every column can be NULL. What another
// table of the units holds is secret, whatever it is joined on.
void JoinBinder::Extend(const Table& right, TableJoin& join, const std::string& alias, bool is_using, Scope& scope) {
  const bool secret = join.of_units || IsSecret(*join.on);
  bool constant = !join.of_units, per_row = false;
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
  const bool turned = IsTurned(join);
  const auto right = Joinable(turned ? *join.larg : *join.rarg);
  if (!right) return right.error();
  const Table& table = **right;
  if (auto refused = Unjoinable(join, FormOf(policy_, table, table.name))) return *refused;
  const PgQuery__RangeVar& written = turned ? *join.larg->range_var : *join.rarg->range_var;
  const std::string alias = written.alias ? written.alias->aliasname : table.name;
  for (auto& column : left.columns) {
    if (column.table.empty()) column.table = left.alias;
    if (FoldCase(column.table) == FoldCase(alias)) {
      return InvalidArgument("two tables of FROM have the same name", Shortened(alias), "write JOIN table AS another");
    }
  }
  const auto terms = TermsOf(join, left, table, alias);
  auto on = Left(join, terms.front(), left, table, alias);
  if (!on) return on.error();
  if (table.OfUnits()) {
    if (const auto refused = NotOfUnit(**on, left, table)) return *refused;
  }
  const Type type = TypeOf(table.Find(*table.key)->type);
  if ((*on)->type != type) {
    return Unsupported(fmt::format("the key of {} is {}, but it is joined with {}", Shortened(table.name),
                                   TypeName(type), TypeName((*on)->type)),
                       {}, "both must have one type: CAST(column AS bigint), or another column");
  }
  TableJoin added{
      table.name, NewOwner(table.name), *table.key, *std::move(on), join.jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER,
      nullptr};
  if (table.OfUnits()) added.of_units = std::make_shared<const Table>(table);
  left.is_table = false;
  const auto before = static_cast<std::ptrdiff_t>(left.columns.size());
  Extend(table, added, alias, join.n_using_clause > 0, left);
  left.joins.push_back(std::move(added));
  for (std::size_t k = 1; k < terms.size(); ++k) {
    const auto condition = RowBinder(sql_, table_, left).BindCondition(*terms[k]);
    if (!condition) return condition.error();
    left.where = BothConditions(left.where, *condition);
  }
  if (turned) std::rotate(left.columns.begin(), left.columns.begin() + before, left.columns.end());
  return left;
}

}  // namespace kith
