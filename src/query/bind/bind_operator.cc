// Arithmetic, comparisons, lists and LIKE.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <map>

#include "query/bind/bind.h"
#include "query/bind/typing.h"
#include "query/bind/value_functions.h"

namespace kith {
namespace {

ExprPtr Negated(bool negated, ExprPtr expr) {
  return negated ? MakeExpr(Op::kNot, Type::kBoolean, {std::move(expr)}) : expr;
}

// The pattern and escape of LIKE: a constant, or a constant with ESCAPE.
struct PatternText {
  std::string pattern;
  std::string escape = "\\";
};
std::optional<PatternText> PatternOf(const PgQuery__Node& node) {
  const auto text = [](const PgQuery__Node& n) -> const char* {
    const bool is_text = n.node_case == PG_QUERY__NODE__NODE_A_CONST && !n.a_const->isnull &&
                         n.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
    return is_text ? n.a_const->sval->sval : nullptr;
  };
  if (const char* pattern = text(node)) return PatternText{pattern};
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return std::nullopt;
  const PgQuery__FuncCall& call = *node.func_call;
  if (PlainName(call.funcname, call.n_funcname) != "like_escape" || call.n_args != 2) return std::nullopt;
  const char* pattern = text(*call.args[0]);
  const char* escape = text(*call.args[1]);
  if (!pattern || !escape) return std::nullopt;
  return PatternText{pattern, escape};
}

}  // namespace

Result<ExprPtr> RowBinder::BindOperator(const PgQuery__AExpr& expr, int depth) const {
  switch (expr.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      return BindSign(expr, depth);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
      return BindList(expr, depth);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      return BindLike(expr, depth);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: {
      const auto left = Bind(*expr.lexpr, depth), right = Bind(*expr.rexpr, depth);
      if (!left) return left.error();
      if (!right) return right.error();
      auto both = Unify({*left, *right}, At(expr.location));
      if (!both) return both.error();
      const Type type = (*both)[0]->type;
      if (expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF) return MakeExpr(Op::kNullIf, type, std::move(*both));
      return Negated(expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT,
                     MakeExpr(Op::kDistinct, Type::kBoolean, std::move(*both)));
    }
    default:
      return Unsupported("this operator is not supported", At(expr.location),
                         "use comparisons, AND, OR, NOT, IN (...), BETWEEN and LIKE");
  }
}

Result<ExprPtr> RowBinder::BindSign(const PgQuery__AExpr& expr, int depth) const {
  static const std::map<std::string, Op> kArithmetic = {
      {"+", Op::kAdd}, {"-", Op::kSubtract}, {"*", Op::kMultiply}, {"/", Op::kDivide}, {"%", Op::kModulo}};
  static const std::map<std::string, int> kComparisons = {{"=", 0},  {"<>", 0}, {"<", 0},
                                                          {"<=", 0}, {">", 0},  {">=", 0}};
  const std::string sign = PlainName(expr.name, expr.n_name), where = At(expr.location);
  const auto right = Bind(*expr.rexpr, depth);
  if (!right) return right.error();
  if (!expr.lexpr) {
    if (sign == "-") return MakeNegation(*right, where);
    if (sign == "+") return MakeNumber(*right, where);
    return Unsupported("this operator is not supported", where);
  }
  const auto left = Bind(*expr.lexpr, depth);
  if (!left) return left.error();
  if (const auto found = kArithmetic.find(sign); found != kArithmetic.end()) {
    return MakeArithmetic(found->second, *left, *right, where);
  }
  if (kComparisons.contains(sign)) return MakeComparison(sign, *left, *right, where);
  if (sign == "||") return MakeConcatenation(*left, *right, table_, where);
  if (sign == "^" || sign == "**") return MakePower(*left, *right, table_, where);
  static const std::map<std::string, const char*> kInstead = {{"==", "write a = b"},
                                                              {"//", "write div(a, b)"},
                                                              {"&&", "write a AND b"},
                                                              {"~", "use LIKE '%abc%'"},
                                                              {"~*", "use ILIKE '%abc%'"},
                                                              {"!~", "use NOT LIKE '%abc%'"},
                                                              {"<=>", "write a IS NOT DISTINCT FROM b"}};
  const auto instead = kInstead.find(sign);
  return Unsupported("this operator is not supported", where,
                     instead != kInstead.end() ? instead->second : "use + - * / % and comparisons");
}

Result<ExprPtr> RowBinder::BindList(const PgQuery__AExpr& expr, int depth) const {
  if (!expr.rexpr || expr.rexpr->node_case != PG_QUERY__NODE__NODE_LIST)
    return RefuseNode(*expr.rexpr, At(expr.location));
  auto first = Bind(*expr.lexpr, depth);
  if (!first) return first.error();
  auto rest = BindAll(expr.rexpr->list->items, expr.rexpr->list->n_items, depth);
  if (!rest) return rest.error();
  std::vector<ExprPtr> args = {*first};
  args.insert(args.end(), rest->begin(), rest->end());
  auto unified = Unify(std::move(args), At(expr.location));
  if (!unified) return unified.error();
  if (expr.kind != PG_QUERY__A__EXPR__KIND__AEXPR_IN) {
    return Negated(expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN,
                   MakeExpr(Op::kBetween, Type::kBoolean, std::move(*unified)));
  }
  return Negated(PlainName(expr.name, expr.n_name) == "<>", MakeExpr(Op::kIn, Type::kBoolean, std::move(*unified)));
}

Result<ExprPtr> RowBinder::BindLike(const PgQuery__AExpr& expr, int depth) const {
  const std::string where = At(expr.location);
  const auto text = Bind(*expr.lexpr, depth);
  if (!text) return text.error();
  if ((*text)->type != Type::kText) {
    return Unsupported(fmt::format("LIKE is for text, not for {}", TypeName((*text)->type)), where);
  }
  const auto parts = PatternOf(*expr.rexpr);
  if (!parts)
    return Unsupported("the pattern of LIKE must be a constant text", where, "write it as column LIKE 'abc%'");
  const bool fold = expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE;
  auto pattern = LikePattern::Parse(parts->pattern, parts->escape, fold);
  if (!pattern) return pattern.error();
  auto e = std::make_shared<Expr>();
  e->op = Op::kLike;
  e->type = Type::kBoolean;
  e->args = {*text};
  e->like = std::move(*pattern);
  const std::string sign = PlainName(expr.name, expr.n_name);
  return Negated(sign == "!~~" || sign == "!~~*", e);
}

}  // namespace kith
