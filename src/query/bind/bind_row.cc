// Columns, constants, truth values and CASE: the row-level language except operators and functions.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "base/spelling.h"
#include "query/bind/bind.h"
#include "query/bind/typing.h"
#include "query/staged_question.h"

namespace kith {
namespace {

std::string FullName(const Scope::Named& column) {
  return column.table.empty() ? column.name : column.table + "." + column.name;
}

// All of them where there are not too many.
std::string KnownNames(const Scope& scope) {
  constexpr std::size_t kMost = 30;
  std::string names;
  for (std::size_t k = 0; k < std::min(kMost, scope.columns.size()); ++k)
    names += (k == 0 ? "" : ", ") + Shortened(FullName(scope.columns[k]));
  return scope.columns.size() > kMost ? fmt::format("{} and {} more", names, scope.columns.size() - kMost) : names;
}

// "did you mean age? use one of: ..."
std::string NamesFor(const Scope& scope, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& column : scope.columns) known.push_back(column.name);
  return fmt::format("{}use one of: {}", DidYouMean(name, known), KnownNames(scope));
}

struct Found {
  ExprPtr expr;
  bool ambiguous = false;
};

// `table`: the table as the question names it; empty if it does not.
Found FindName(const Scope& scope, const std::string& table, const std::string& name) {
  Found exact, folded;
  const auto take = [](Found& found, const ExprPtr& expr) {
    found.ambiguous = found.ambiguous || (found.expr && found.expr != expr);
    found.expr = expr;
  };
  for (const auto& column : scope.columns) {
    if (!table.empty() && !column.table.empty() && FoldCase(column.table) != FoldCase(table)) continue;
    if (column.name == name) take(exact, column.expr);
    // SQL folds unquoted names to lower case; a declared "Age" is still found by age if there is only one.
    if (FoldCase(column.name) == FoldCase(name)) take(folded, column.expr);
  }
  return exact.expr ? exact : folded;
}

}  // namespace

std::string PlainName(PgQuery__Node* const* parts, std::size_t count) {
  const auto text = [&](std::size_t i) {
    return parts[i]->node_case == PG_QUERY__NODE__NODE_STRING ? std::string(parts[i]->string->sval) : std::string();
  };
  if (count == 1) return text(0);
  return count == 2 && text(0) == "pg_catalog" ? text(1) : std::string();
}

std::optional<std::int64_t> WholeConstant(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_CONST) return std::nullopt;
  if (node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL) return node.a_const->ival->ival;
  if (node.a_const->val_case != PG_QUERY__A__CONST__VAL_FVAL) return std::nullopt;
  const auto number = NumberConstant(node.a_const->fval->fval);
  if (!number || (*number)->type != Type::kInteger) return std::nullopt;
  return std::get<std::int64_t>((*number)->value);
}

std::string RowBinder::At(int location) const {
  if (location < 0 || static_cast<std::size_t>(location) >= sql_.size()) return {};
  std::string piece = sql_.substr(static_cast<std::size_t>(location), 60);
  while (!piece.empty() && (static_cast<unsigned char>(piece.back()) & 0xC0) == 0x80) piece.pop_back();
  if (!piece.empty() && (piece.back() & 0x80) != 0) piece.pop_back();
  return piece.substr(0, piece.find('\n'));
}

// Names of sub-selects can mean large expressions, and every later step walks them. A key is bound wherever it is
// named, so all together may be several times what a question may have in the end.
Result<ExprPtr> RowBinder::Bind(const PgQuery__Node& node) const {
  constexpr std::size_t kMostNodes = 4 * Weight::kMostNodes;
  auto bound = Bind(node, 0);
  if (!bound) return bound;
  const Weight weight = WeightOf(**bound);
  nodes_ += weight.nodes;
  if (weight.TooLarge() || nodes_ > kMostNodes) return GrowsTooLarge();
  return bound;
}

Result<ExprPtr> RowBinder::BindCondition(const PgQuery__Node& node) const {
  const auto bound = Bind(node);
  if (!bound) return bound.error();
  return MakeTruth(*bound, Shortened(DisplayText(**bound, table_)));
}

Result<std::string> RowBinder::NameOf(const PgQuery__ColumnRef& reference) const {
  const std::string where = At(reference.location);
  for (std::size_t i = 0; i < reference.n_fields; ++i) {
    if (reference.fields[i]->node_case == PG_QUERY__NODE__NODE_A_STAR) {
      return Unsupported("single records are never shown", where, "ask for count(*), sum(column) or avg(column)");
    }
  }
  const auto field = [&](std::size_t i) { return std::string(reference.fields[i]->string->sval); };
  if (reference.n_fields == 1) return field(0);
  const auto named = [&](const std::string& table) { return FoldCase(field(0)) == FoldCase(table); };
  const bool joined = std::any_of(scope_.columns.begin(), scope_.columns.end(), [&](const Scope::Named& column) {
    return !column.table.empty() && named(column.table);
  });
  const bool ours = !scope_.Joined() && (named(scope_.alias) || (scope_.is_table && named(table_.name)));
  if (reference.n_fields == 2 && (ours || joined)) return field(1);
  if (scope_.Joined()) {
    return Unsupported("FROM has no table of this name", where, fmt::format("use one of: {}", KnownNames(scope_)));
  }
  return Unsupported("columns come from the unit table only", where,
                     fmt::format("FROM has {}, and the unit table is {}", Shortened(scope_.alias), table_.name));
}

namespace {

// Is it a value of some column, as it is written?
bool IsDeclaredText(const Table& table, const std::string& text) {
  return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& column) {
    return std::find(column.values.begin(), column.values.end(), Value(text)) != column.values.end();
  });
}

// A number of an earlier stage is the same in every row, and has its name in all sub-selects.
ExprPtr StageNumber(const PgQuery__ColumnRef& reference, const Table& table) {
  const auto is_text = [&](std::size_t k) { return reference.fields[k]->node_case == PG_QUERY__NODE__NODE_STRING; };
  if (reference.n_fields != 2 || !is_text(0) || !is_text(1)) return nullptr;
  const std::string stage = reference.fields[0]->string->sval;
  if (!stage.starts_with(kStageWord)) return nullptr;
  const Column* const column = table.Find(stage + kOwnerMark + reference.fields[1]->string->sval);
  return column ? MakeColumn(table, static_cast<std::size_t>(column - table.columns.data())) : nullptr;
}

}  // namespace

Result<ExprPtr> RowBinder::Resolve(const PgQuery__ColumnRef& reference) const {
  if (auto number = StageNumber(reference, table_)) return number;
  const auto name = NameOf(reference);
  if (!name) return name.error();
  const std::string where = At(reference.location);
  const Found found = FindName(scope_, reference.n_fields == 2 ? reference.fields[0]->string->sval : "", *name);
  // As it was written: the parser folds unquoted names to lower case.
  const bool as_written = reference.n_fields == 1 && FoldCase(where.substr(0, name->size())) == FoldCase(*name);
  const std::string shown = Shortened(as_written ? where.substr(0, name->size()) : *name);
  if (found.ambiguous) {
    return Unsupported(fmt::format("{} could be one of several columns", Shortened(*name)), where,
                       scope_.Joined() ? "name the table: table.column" : "give them different names");
  }
  if (found.expr) return found.expr;
  if (reference.n_fields == 1 && !where.empty() && where[0] == '"') {
    return Unsupported(fmt::format("there is no declared column {}", shown), where,
                       fmt::format("double quotes are for names of columns; a text is written in single quotes: {}",
                                   Shortened(QuotedText(*name))));
  }
  if (reference.n_fields == 1 && IsDeclaredText(table_, shown)) {
    return Unsupported(fmt::format("there is no declared column {}", shown), where,
                       fmt::format("a text is written in single quotes: {}", QuotedText(shown)));
  }
  if (scope_.Joined()) {
    return Unsupported(fmt::format("no table of FROM has a declared column {}", shown), where, NamesFor(scope_, *name));
  }
  if (!scope_.is_table) {
    return Unsupported(fmt::format("{} has no column {}", Shortened(scope_.alias), shown), where,
                       fmt::format("{}; or add it to the sub-select", NamesFor(scope_, *name)));
  }
  if (!table_.rows_of.empty()) {
    return Unsupported(fmt::format("{} has no column {}", Shortened(table_.name), Shortened(*name)), where,
                       fmt::format("use one of: {}; columns that differ between rows of a unit are in {}",
                                   KnownNames(scope_), table_.rows_of));
  }
  return Unsupported(
      fmt::format("there is no declared column {}", shown), where,
      fmt::format("{}; or declare it under [columns.{}] in the policy", NamesFor(scope_, *name), table_.name));
}

Result<std::vector<ExprPtr>> RowBinder::BindAll(PgQuery__Node* const* nodes, std::size_t count, int depth) const {
  std::vector<ExprPtr> bound;
  for (std::size_t i = 0; i < count; ++i) {
    auto one = Bind(*nodes[i], depth);
    if (!one) return one.error();
    bound.push_back(std::move(*one));
  }
  return bound;
}

Result<ExprPtr> RowBinder::Bind(const PgQuery__Node& node, int depth) const {
  if (depth > kMaxDepth) return Unsupported("the question is nested too deeply", {}, "ask several simpler questions");
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
      return BindConstant(*node.a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return Resolve(*node.column_ref);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return BindOperator(*node.a_expr, depth + 1);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return BindBoolean(*node.bool_expr, depth + 1);
    case PG_QUERY__NODE__NODE_NULL_TEST: {
      const auto arg = Bind(*node.null_test->arg, depth + 1);
      if (!arg) return arg.error();
      const ExprPtr is_null = MakeExpr(Op::kIsNull, Type::kBoolean, {*arg});
      const bool negated = node.null_test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL;
      return negated ? MakeExpr(Op::kNot, Type::kBoolean, {is_null}) : is_null;
    }
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return BindTruthTest(*node.boolean_test, depth + 1);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return BindCase(*node.case_expr, depth + 1);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: {
      auto args = BindAll(node.coalesce_expr->args, node.coalesce_expr->n_args, depth + 1);
      if (!args) return args.error();
      auto unified = Unify(std::move(*args), At(node.coalesce_expr->location));
      if (!unified) return unified.error();
      const Type type = (*unified)[0]->type;
      return MakeExpr(Op::kCoalesce, type, std::move(*unified));
    }
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      auto args = BindAll(node.min_max_expr->args, node.min_max_expr->n_args, depth + 1);
      if (!args) return args.error();
      const bool greatest = node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      return MakeExtreme(greatest ? Op::kGreatest : Op::kLeast, std::move(*args), At(node.min_max_expr->location));
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      if (aggregates_) {
        if (auto column = aggregates_->Bind(*node.func_call)) return *std::move(column);
      }
      return BindFunction(*node.func_call, depth + 1);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      return BindCast(*node.type_cast, depth + 1);
    default:
      return RefuseNode(node, {});
  }
}

Result<ExprPtr> RowBinder::BindConstant(const PgQuery__AConst& constant) const {
  if (constant.isnull) return MakeConstant(Null{}, Type::kNull);
  switch (constant.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return MakeConstant(std::int64_t{constant.ival->ival}, Type::kInteger);
    case PG_QUERY__A__CONST__VAL_FVAL:
      return NumberConstant(constant.fval->fval);
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      return MakeConstant(constant.boolval->boolval != 0, Type::kBoolean);
    case PG_QUERY__A__CONST__VAL_SVAL:
      return MakeConstant(std::string(constant.sval->sval), Type::kText);
    default:
      return Unsupported("this kind of constant is not supported", At(constant.location));
  }
}

Result<ExprPtr> RowBinder::BindBoolean(const PgQuery__BoolExpr& expr, int depth) const {
  auto args = BindAll(expr.args, expr.n_args, depth);
  if (!args) return args.error();
  const std::string where = At(expr.location);
  if (expr.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) return MakeNot((*args)[0], where);
  return MakeJunction(expr.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ? Op::kAnd : Op::kOr, std::move(*args), where);
}

Result<ExprPtr> RowBinder::BindTruthTest(const PgQuery__BooleanTest& test, int depth) const {
  const auto bound = Bind(*test.arg, depth);
  if (!bound) return bound.error();
  const auto arg = MakeTruth(*bound, At(test.location));
  if (!arg) return arg.error();
  const auto is = [&](Op op) { return MakeExpr(op, Type::kBoolean, {*arg}); };
  const auto is_not = [&](Op op) { return MakeExpr(Op::kNot, Type::kBoolean, {is(op)}); };
  switch (test.booltesttype) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE:
      return is(Op::kIsTrue);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE:
      return is_not(Op::kIsTrue);
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE:
      return is(Op::kIsFalse);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE:
      return is_not(Op::kIsFalse);
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN:
      return is(Op::kIsNull);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN:
      return is_not(Op::kIsNull);
    default:
      return Unsupported("this test is not supported", At(test.location));
  }
}

Result<ExprPtr> RowBinder::BindCase(const PgQuery__CaseExpr& expr, int depth) const {
  const std::string where = At(expr.location);
  std::vector<ExprPtr> whens, thens;
  if (expr.arg) {
    auto operand = Bind(*expr.arg, depth);
    if (!operand) return operand.error();
    whens.push_back(std::move(*operand));
  }
  for (std::size_t i = 0; i < expr.n_args; ++i) {
    auto when = Bind(*expr.args[i]->case_when->expr, depth);
    if (!when) return when.error();
    auto then = Bind(*expr.args[i]->case_when->result, depth);
    if (!then) return then.error();
    if (!expr.arg) when = MakeTruth(*when, where);
    if (!when) return when.error();
    whens.push_back(std::move(*when));
    thens.push_back(std::move(*then));
  }
  auto otherwise = expr.defresult ? Bind(*expr.defresult, depth) : Result<ExprPtr>(MakeConstant(Null{}, Type::kNull));
  if (!otherwise) return otherwise.error();
  thens.push_back(std::move(*otherwise));
  auto results = Unify(std::move(thens), where);
  if (!results) return results.error();
  if (expr.arg) {
    auto compared = Unify(std::move(whens), where);
    if (!compared) return compared.error();
    whens = std::move(*compared);
  }
  std::vector<ExprPtr> args;
  if (expr.arg) args.push_back(whens[0]);
  for (std::size_t i = 0; i + 1 < results->size(); ++i) {
    args.push_back(whens[i + (expr.arg ? 1 : 0)]);
    args.push_back((*results)[i]);
  }
  args.push_back(results->back());
  const Type type = results->back()->type;
  return MakeExpr(expr.arg ? Op::kSimpleCase : Op::kCase, type, std::move(args));
}

}  // namespace kith
