#include "query/bind/bind_output.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <map>

#include "query/bind/typing.h"
#include "sql/functions.h"

namespace kith {
namespace {

// Noisy numbers are real numbers anyway: a cast to such a type changes nothing.
bool IsReal(const PgQuery__TypeName& type) {
  const std::string name = PlainName(type.names, type.n_names);
  return (name == "float8" || name == "float4" || name == "numeric") && type.n_typmods == 0 && type.n_array_bounds == 0;
}

}  // namespace

Result<BoundOutput> OutputBinder::Bind(const PgQuery__Node& node, int depth) {
  if (depth > kMaxDepth) return Unsupported("the question is nested too deeply", {}, "ask several simpler questions");
  if (auto key = BindKey(node)) return *std::move(key);
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return BindColumn(*node.column_ref);
    case PG_QUERY__NODE__NODE_A_CONST:
      return BindNumber(node);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return BindOperator(*node.a_expr, depth + 1);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return BindFunction(*node.func_call, depth + 1);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      return Combine(Op::kCoalesce, "coalesce", node.coalesce_expr->args, node.coalesce_expr->n_args, 0, depth + 1,
                     rows_.At(node.coalesce_expr->location));
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const bool greatest = node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      return Combine(greatest ? Op::kGreatest : Op::kLeast, greatest ? "greatest" : "least", node.min_max_expr->args,
                     node.min_max_expr->n_args, 0, depth + 1, rows_.At(node.min_max_expr->location));
    }
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      const auto& type = *node.type_cast->type_name;
      if (IsReal(type)) return Bind(*node.type_cast->arg, depth + 1);
      return Unsupported("this cast of an answer is not supported", rows_.At(type.location),
                         "use round(x) or round(x, 2)");
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return Unsupported("CASE over whole answers is not supported", rows_.At(node.case_expr->location),
                         "put CASE inside the aggregate, as in sum(CASE WHEN condition THEN 1 ELSE 0 END)");
    default:
      return RefuseNode(node, {});
  }
}

// An expression that GROUP BY also has, in any spelling.
std::optional<BoundOutput> OutputBinder::BindKey(const PgQuery__Node& node) const {
  if (keys_.empty() || node.node_case == PG_QUERY__NODE__NODE_A_CONST) return std::nullopt;
  const auto expr = rows_.Bind(node);
  if (!expr) return std::nullopt;
  const std::string text = CanonicalText(**expr, rows_.table());
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k].text == text) return BoundOutput{KeyOutput(k), text};
  }
  return std::nullopt;
}

Result<BoundOutput> OutputBinder::BindColumn(const PgQuery__ColumnRef& reference) {
  const auto column = rows_.Resolve(reference);
  if (!column) return column.error();
  return Unsupported(
      fmt::format("{} is outside an aggregate and not in GROUP BY", Shortened(DisplayText(**column, rows_.table()))),
      rows_.At(reference.location),
      "single records are never shown: use count, sum or avg, or add the column to GROUP BY");
}

Result<BoundOutput> OutputBinder::BindNumber(const PgQuery__Node& node) {
  const auto constant = rows_.Bind(node);
  return constant ? OfConstant(*constant) : constant.error();
}

// The parser takes a sign into the number that follows it; where something stands between the two, this does, or the
// normal form would be read as another question.
ExprPtr OutputBinder::NumberUnder(const PgQuery__Node& node, int depth) const {
  if (depth > kMaxDepth) return nullptr;
  if (node.node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
    return IsReal(*node.type_cast->type_name) ? NumberUnder(*node.type_cast->arg, depth + 1) : nullptr;
  if (node.node_case == PG_QUERY__NODE__NODE_A_EXPR) {
    const PgQuery__AExpr& expr = *node.a_expr;
    const std::string sign = PlainName(expr.name, expr.n_name);
    if (expr.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || expr.lexpr || (sign != "-" && sign != "+")) return nullptr;
    const ExprPtr number = NumberUnder(*expr.rexpr, depth + 1);
    if (!number || sign == "+") return number;
    return MakeNegation(number, rows_.At(expr.location)).value_or(nullptr);
  }
  if (node.node_case != PG_QUERY__NODE__NODE_A_CONST) return nullptr;
  const auto constant = rows_.Bind(node);
  if (!constant) return nullptr;
  const Value& value = (*constant)->value;
  const bool number = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
  return number ? *constant : nullptr;
}

Result<BoundOutput> OutputBinder::OfConstant(const ExprPtr& constant) const {
  const std::string text = CanonicalText(*constant, rows_.table());
  if (IsNullConstant(*constant)) return BoundOutput{NullOutput(), text};
  if (const auto* whole = std::get_if<std::int64_t>(&constant->value)) {
    return BoundOutput{ConstantOutput(static_cast<double>(*whole), true), text};
  }
  if (const auto* real = std::get_if<double>(&constant->value)) return BoundOutput{ConstantOutput(*real, false), text};
  return Unsupported("only numbers can be mixed with aggregates", Shortened(text));
}

Result<BoundOutput> OutputBinder::Combine(Op op, const std::string& name, PgQuery__Node* const* nodes,
                                          std::size_t count, int digits, int depth, const std::string& where) {
  std::vector<OutputPtr> args;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    auto arg = Bind(*nodes[i], depth);
    if (!arg) return arg.error();
    if (arg->expr->IsKey()) {
      return Unsupported("a GROUP BY column can be shown, not computed with", where,
                         "compute inside the aggregate instead");
    }
    if (arg->expr->IsDate()) {
      return Unsupported("a date of an answer can be shown, not computed with", where,
                         "compute inside: max(column - DATE '2000-01-01') is in days");
    }
    args.push_back(std::move(arg->expr));
    texts.push_back(std::move(arg->text));
  }
  std::optional<OutputExpr::Reach> reach;
  if (op == Op::kDivide) reach = QuotientReach(*args[0], *args[1]);
  if (op == Op::kSubtract) reach = DifferenceReach(*args[0], *args[1]);
  OutputPtr expr = ApplyOutput(op, std::move(args), digits);
  if (reach) expr = CutOutput(std::move(expr), *reach);
  const bool sign = name.size() == 1;
  if (sign && count == 2) return BoundOutput{expr, fmt::format("({} {} {})", texts[0], name, texts[1])};
  const std::string decimals = digits != 0 ? fmt::format(", {}", digits) : "";
  return BoundOutput{expr, fmt::format("{}({}{})", name, fmt::join(texts, ", "), decimals)};
}

Result<BoundOutput> OutputBinder::BindOperator(const PgQuery__AExpr& expr, int depth) {
  static const std::map<std::string, Op> kSigns = {
      {"+", Op::kAdd}, {"-", Op::kSubtract}, {"*", Op::kMultiply}, {"/", Op::kDivide}};
  const std::string where = rows_.At(expr.location), sign = PlainName(expr.name, expr.n_name);
  PgQuery__Node* const nodes[] = {expr.lexpr, expr.rexpr};
  if (expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF)
    return Combine(Op::kNullIf, "nullif", nodes, 2, 0, depth, where);
  const auto found = kSigns.find(sign);
  if (expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && found != kSigns.end()) {
    if (expr.lexpr) return Combine(found->second, sign, nodes, 2, 0, depth, where);
    if (sign == "-") {
      const ExprPtr number = NumberUnder(*expr.rexpr, depth);
      const auto negated = number ? MakeNegation(number, where) : Result<ExprPtr>(nullptr);
      if (negated && *negated && (*negated)->op == Op::kConstant) return OfConstant(*negated);
      return Combine(Op::kNegate, sign, nodes + 1, 1, 0, depth, where);
    }
    if (sign == "+") return Bind(*expr.rexpr, depth);
  }
  return Unsupported("answers can only be combined as numbers: + - * / and functions", where,
                     "put conditions inside the aggregate: count(*) FILTER (WHERE condition)");
}

Result<BoundOutput> OutputBinder::BindFunction(const PgQuery__FuncCall& call, int depth) {
  const std::string name = PlainName(call.funcname, call.n_funcname), where = rows_.At(call.location);
  if (call.over) {
    return Unsupported("a window function is for a sub-select in FROM", where,
                       policy_.unit.key ? fmt::format("put it into a sub-select in FROM, with PARTITION BY {}",
                                                      Shortened(IdentifierText(*policy_.unit.key)))
                                        : "use GROUP BY");
  }
  if (IsAggregate(name)) return BindAggregate(call, name);
  const SqlFunction* const known = FindFunction(name);
  const bool plain =
      !call.agg_filter && !call.agg_star && !call.agg_distinct && !call.func_variadic && call.n_agg_order == 0;
  if (!known || known->kind != FunctionKind::kNumber || !plain) return RefuseFunction(name, where);
  if (!known->Takes(call.n_args)) return RefuseFunction(name, where);
  const auto digits = call.n_args > 1 ? WholeConstant(*call.args[1]) : std::optional<std::int64_t>(0);
  if (!digits || *digits < -15 || *digits > 15) {
    return Unsupported("round needs a constant number of decimals between -15 and 15", where);
  }
  return Combine(*known->op, std::string(known->name()), call.args, 1, static_cast<int>(*digits), depth, where);
}

}  // namespace kith
