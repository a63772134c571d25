// Expressions over answers: every node, operator and function that is allowed, by name.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <set>

#include "base/spelling.h"
#include "postprocess/compile.h"
#include "query/bind/bind.h"
#include "sql/quote.h"

namespace kith::postprocess {
namespace {

constexpr int kMostLevels = 100;

Piece Exact(std::string sql) { return {sql, Dependence::kNone, Part(sql, false)}; }
Piece Linear(std::string sql) { return {sql, Dependence::kLinear, Part(sql, true)}; }
Piece Arithmetic(std::string sql, Op op, const std::vector<Piece>& of, int digits = 0,
                 const SqlFunction* function = nullptr) {
  std::vector<FormulaPtr> args;
  for (const Piece& piece : of) {
    if (!piece.formula) return FunctionOf(std::move(sql), of);
    args.push_back(piece.formula);
  }
  if (std::none_of(of.begin(), of.end(), [](const Piece& piece) { return piece.noisy(); }))
    return Exact(std::move(sql));
  return {std::move(sql), Dependence::kArithmetic, Apply(op, std::move(args), digits, function)};
}

bool AtMostLinear(const Piece& piece) { return piece.dependence <= Dependence::kLinear; }

// Sums of pieces, cut by what no noise decides: linear if the pieces are.
Piece Combined(std::string sql, const std::vector<Piece>& of) {
  if (!std::all_of(of.begin(), of.end(), AtMostLinear)) return FunctionOf(std::move(sql), of);
  const bool noisy = std::any_of(of.begin(), of.end(), [](const Piece& piece) { return piece.noisy(); });
  return noisy ? Linear(std::move(sql)) : Exact(std::move(sql));
}

std::string List(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += (text.empty() ? "" : ", ") + piece.sql;
  return text;
}

const SqlFunction* KnownAfter(const std::string& name) {
  const SqlFunction* function = FindFunction(name);
  return function != nullptr && function->margin != Margin::kRefused ? function : nullptr;
}
bool OfManyAnswers(const SqlFunction& function) {
  return function.OfManyRows() || function.kind == FunctionKind::kAfterAggregate;
}

// A function call that is NULL where the function has no value, as division by zero is. Each argument is written once:
// nested calls must not grow.
std::string Guarded(const SqlFunction& function, const std::vector<Piece>& args) {
  const auto number = [&](std::size_t k) { return fmt::format("({} + 0::DOUBLE)", args[k].sql); };  // and no text
  const auto positive = [&](std::size_t k) { return fmt::format("nullif(greatest({}, 0), 0)", number(k)); };
  const auto finite = [](const std::string& sql) {  // NaN is equal to itself here
    return fmt::format("nullif(nullif(nullif({}, 'nan'::DOUBLE), 'inf'::DOUBLE), '-inf'::DOUBLE)", sql);
  };
  if (function.name() == "log10" && args.size() == 2)  // log(base, x)
    return fmt::format("log(nullif({}, 1), {})", positive(0), positive(1));
  const bool curve = function.kind == FunctionKind::kCurve && args.size() == 1;
  if (curve && !function.curve.closed) return fmt::format("{}({})", function.name(), positive(0));
  if (curve || (function.kind == FunctionKind::kPower && args.size() == 2)) {
    const std::string_view spelling = function.spelling.after;
    if (spelling.empty()) return finite(fmt::format("{}({})", function.name(), number(0)));
    return finite(fmt::format(fmt::runtime(spelling), number(0), args.size() > 1 ? number(1) : ""));
  }
  return fmt::format("{}({})", function.name(), List(args));
}

}  // namespace

Error NotAfter(const std::string& what) {
  return Unsupported(fmt::format("{} is not supported in what is computed on noisy answers", what), {},
                     "the guide lists what can be used after the noise");
}

Piece FunctionOf(std::string sql, const std::vector<Piece>& of) {
  Piece piece = Mixed(std::move(sql), of);
  const bool other =
      std::any_of(of.begin(), of.end(), [](const Piece& p) { return p.dependence == Dependence::kOther; });
  if (piece.noisy() && !other) piece.dependence = Dependence::kFunction;
  return piece;
}

Piece Mixed(std::string sql, const std::vector<Piece>& of) {
  const bool noisy = std::any_of(of.begin(), of.end(), [](const Piece& piece) { return piece.noisy(); });
  return noisy ? Piece{std::move(sql), Dependence::kOther, nullptr} : Exact(std::move(sql));
}

Result<std::vector<Piece>> Compiler::Expressions(PgQuery__Node* const* nodes, std::size_t count, const Place& place) {
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < count; ++k) {
    auto piece = Expression(*nodes[k], place);
    if (!piece) return piece.error();
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

Result<Piece> Compiler::Expression(const PgQuery__Node& node, const Place& around) {
  Place place = around;
  if (++place.depth > kMostLevels)
    return Unsupported("the question is nested too deeply", {}, "ask a simpler question");
  if (place.taken) {  // what a private question answers is a column now
    if (const auto text = TextOf(node)) {
      const auto found = place.taken->find(*text);
      if (found != place.taken->end() && found->second < place.columns.size())
        return place.columns[found->second].piece;
    }
  }
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return Column(*node.column_ref, place);
    case PG_QUERY__NODE__NODE_A_CONST:
      return Constant(*node.a_const);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return Operator(*node.a_expr, place);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return Case(*node.case_expr, place);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      return Cast(*node.type_cast, place);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return Function(*node.func_call, place);
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return SubSelect(node, place);
    case PG_QUERY__NODE__NODE_BOOL_EXPR: {
      const auto args = Expressions(node.bool_expr->args, node.bool_expr->n_args, place);
      if (!args) return args.error();
      if (node.bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR)
        return Mixed(fmt::format("(NOT {})", args->at(0).sql), *args);
      const bool both = node.bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
      std::string text;
      for (const Piece& piece : *args) text += (text.empty() ? "" : both ? " AND " : " OR ") + piece.sql;
      return Mixed("(" + text + ")", *args);
    }
    case PG_QUERY__NODE__NODE_NULL_TEST: {
      const auto arg = Expression(*node.null_test->arg, place);
      if (!arg) return arg.error();
      const bool is = node.null_test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
      return Mixed(fmt::format("({} IS {}NULL)", arg->sql, is ? "" : "NOT "), {*arg});
    }
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST: {
      const auto arg = Expression(*node.boolean_test->arg, place);
      if (!arg) return arg.error();
      static const std::map<int, std::string> tests = {{PG_QUERY__BOOL_TEST_TYPE__IS_TRUE, "IS TRUE"},
                                                       {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE, "IS NOT TRUE"},
                                                       {PG_QUERY__BOOL_TEST_TYPE__IS_FALSE, "IS FALSE"},
                                                       {PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE, "IS NOT FALSE"}};
      const auto found = tests.find(node.boolean_test->booltesttype);
      if (found == tests.end()) return NotAfter("IS UNKNOWN");
      return Mixed(fmt::format("({} {})", arg->sql, found->second), {*arg});
    }
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: {
      const auto args = Expressions(node.coalesce_expr->args, node.coalesce_expr->n_args, place);
      if (!args) return args.error();
      return Mixed(fmt::format("coalesce({})", List(*args)), *args);  // noise can decide what is NULL
    }
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const auto args = Expressions(node.min_max_expr->args, node.min_max_expr->n_args, place);
      if (!args) return args.error();
      const bool greatest = node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      return Arithmetic(fmt::format("{}({})", greatest ? "greatest" : "least", List(*args)),
                        greatest ? Op::kGreatest : Op::kLeast, *args);
    }
    default:
      return NotAfter("an expression of this kind");
  }
}

Result<Piece> Compiler::Column(const PgQuery__ColumnRef& reference, const Place& place) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < reference.n_fields; ++k) {
    if (reference.fields[k]->node_case != PG_QUERY__NODE__NODE_STRING) return NotAfter("a star here");
    parts.emplace_back(reference.fields[k]->string->sval);
  }
  if (parts.empty() || parts.size() > 2) return NotAfter("a name of three parts");
  const Scoped* found = nullptr;
  std::vector<std::string> there;
  for (const Scoped& column : place.columns) {
    there.push_back(column.name);
    if (FoldCase(column.name) != FoldCase(parts.back())) continue;
    if (parts.size() == 2 && FoldCase(column.table) != FoldCase(parts.front())) continue;
    if (found)
      return InvalidArgument(fmt::format("the column {} is in more than one answer", parts.back()), {},
                             "write the name of the answer before it");
    found = &column;
  }
  if (found) return found->piece;
  std::string hint = DidYouMean(parts.back(), there);
  while (hint.ends_with(' ')) hint.pop_back();  // nothing follows it
  return Unsupported(fmt::format("the noisy answer has no column {:.60}", parts.back()), {},
                     hint.empty() ? "name the columns of the sub-select with AS" : hint);
}

Result<Piece> Compiler::Constant(const PgQuery__AConst& constant) {
  if (constant.isnull) return Exact("NULL");
  switch (constant.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return Exact(fmt::format("({})", constant.ival->ival));
    case PG_QUERY__A__CONST__VAL_FVAL:
      return Exact(fmt::format("({}::DOUBLE)", constant.fval->fval));
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      return Exact(constant.boolval->boolval ? "true" : "false");
    case PG_QUERY__A__CONST__VAL_SVAL:
      return Exact(QuotedText(constant.sval->sval));
    default:
      return NotAfter("a constant of this kind");
  }
}

Result<Piece> Compiler::Operator(const PgQuery__AExpr& expr, const Place& place) {
  const std::string name = PlainName(expr.name, expr.n_name);
  std::vector<Piece> args;
  for (const PgQuery__Node* side : {expr.lexpr, expr.rexpr}) {
    if (!side) continue;
    const bool list = side->node_case == PG_QUERY__NODE__NODE_LIST;
    auto pieces = list ? Expressions(side->list->items, side->list->n_items, place)
                       : Expressions(const_cast<PgQuery__Node* const*>(&side), 1, place);
    if (!pieces) return pieces.error();
    for (Piece& piece : *pieces) args.push_back(std::move(piece));
  }
  const std::string first = args.empty() ? "" : args.front().sql;
  const auto rest = [&] { return List({args.begin() + 1, args.end()}); };
  switch (expr.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      break;
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      return Arithmetic(fmt::format("nullif({})", List(args)), Op::kNullIf, args);
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      return Mixed(fmt::format("({} {}IN ({}))", first, name == "<>" ? "NOT " : "", rest()), args);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
      return Mixed(fmt::format("({} {}LIKE {})", first, name == "!~~" ? "NOT " : "", rest()), args);
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      return Mixed(fmt::format("({} {}ILIKE {})", first, name == "!~~*" ? "NOT " : "", rest()), args);
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT: {
      const bool no = expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT;
      return Mixed(fmt::format("({} IS {}DISTINCT FROM {})", first, no ? "NOT " : "", rest()), args);
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN: {
      const bool no = expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN;
      return Mixed(fmt::format("({} {}BETWEEN {} AND {})", first, no ? "NOT " : "", args.at(1).sql, args.at(2).sql),
                   args);
    }
    default:
      return NotAfter("an operator of this kind");
  }
  static const std::set<std::string> tests = {"=", "<>", "!=", "<", ">", "<=", ">="};
  if (args.size() == 1) {
    if (name == "+") return args[0];
    if (name != "-") return NotAfter("the operator " + name);
    const std::string sql = fmt::format("(- {})", first);
    return AtMostLinear(args[0]) ? Combined(sql, args) : Arithmetic(sql, Op::kNegate, args);
  }
  const std::string sql = fmt::format("({} {} {})", first, name, args.at(1).sql);
  if (tests.contains(name) || name == "||") return Mixed(sql, args);
  if (name == "%") return FunctionOf(sql, args);
  static const std::map<std::string, Op> known = {
      {"+", Op::kAdd}, {"-", Op::kSubtract}, {"*", Op::kMultiply}, {"/", Op::kDivide}};
  const auto found = known.find(name);
  if (found == known.end()) return NotAfter(fmt::format("the operator {:.10}", name));
  const bool sum = name == "+" || name == "-";
  const bool weighted = (name == "*" && (!args[0].noisy() || !args[1].noisy())) || (name == "/" && !args[1].noisy());
  if ((sum || weighted) && AtMostLinear(args[0]) && AtMostLinear(args[1])) return Combined(sql, args);
  return Arithmetic(sql, found->second, args);
}

Result<Piece> Compiler::Case(const PgQuery__CaseExpr& expr, const Place& place) {
  std::string text = "(CASE";
  std::vector<Piece> tests, results;
  if (expr.arg) {
    auto arg = Expression(*expr.arg, place);
    if (!arg) return arg.error();
    text += " " + arg->sql;
    tests.push_back(std::move(*arg));
  }
  for (std::size_t k = 0; k < expr.n_args; ++k) {
    auto test = Expression(*expr.args[k]->case_when->expr, place);
    if (!test) return test.error();
    auto result = Expression(*expr.args[k]->case_when->result, place);
    if (!result) return result.error();
    text += fmt::format(" WHEN {} THEN {}", test->sql, result->sql);
    tests.push_back(std::move(*test));
    results.push_back(std::move(*result));
  }
  if (expr.defresult) {
    auto result = Expression(*expr.defresult, place);
    if (!result) return result.error();
    text += " ELSE " + result->sql;
    results.push_back(std::move(*result));
  }
  text += " END)";
  if (std::none_of(tests.begin(), tests.end(), [](const Piece& test) { return test.noisy(); }))
    return Combined(text, results);
  tests.insert(tests.end(), results.begin(), results.end());
  return Mixed(text, tests);
}

Result<Piece> Compiler::Cast(const PgQuery__TypeCast& cast, const Place& place) {
  auto arg = Expression(*cast.arg, place);
  if (!arg) return arg;
  const std::string type = FoldCase(PlainName(cast.type_name->names, cast.type_name->n_names));
  static const std::set<std::string> reals = {"float8", "float4", "numeric", "decimal", "double"};
  static const std::set<std::string> wholes = {"int4", "int8", "int2", "integer", "bigint", "smallint"};
  if (cast.type_name->n_array_bounds > 0) return NotAfter("a cast to a list");
  if (reals.contains(type)) {
    const std::string sql = fmt::format("TRY_CAST({} AS DOUBLE)", arg->sql);
    return AtMostLinear(*arg) ? Combined(sql, {*arg}) : Arithmetic(sql, Op::kNullIf, {*arg});
  }
  if (wholes.contains(type)) return Arithmetic(fmt::format("TRY_CAST({} AS BIGINT)", arg->sql), Op::kRound, {*arg});
  static const std::map<std::string, std::string> others = {
      {"text", "VARCHAR"}, {"varchar", "VARCHAR"}, {"bool", "BOOLEAN"}, {"boolean", "BOOLEAN"}, {"date", "DATE"}};
  const auto found = others.find(type);
  if (found == others.end()) return NotAfter(fmt::format("a cast to {:.40}", type));
  return Mixed(fmt::format("TRY_CAST({} AS {})", arg->sql, found->second), {*arg});
}

Result<Piece> Compiler::Function(const PgQuery__FuncCall& call, const Place& place) {
  const std::string name = FunctionName(call);
  const SqlFunction* const function = KnownAfter(name);
  if (call.over || (function && OfManyAnswers(*function))) return AggregateOrWindow(call, name, place);
  if (!function || function->kind == FunctionKind::kWindow || call.agg_within_group || call.agg_filter ||
      call.n_agg_order > 0 || call.func_variadic)
    return NotAfter(fmt::format("the function {:.60}", name));
  const auto args = Expressions(call.args, call.n_args, place);
  if (!args) return args.error();
  const std::string sql = Guarded(*function, *args);
  if (function->margin == Margin::kSimulated) return FunctionOf(sql, *args);
  if (function->margin != Margin::kInterval || args->empty()) return Mixed(sql, *args);
  const auto digits = args->size() > 1 ? WholeConstant(*call.args[1]) : std::optional<std::int64_t>(0);
  if (!function->Takes(args->size()) || !digits || std::abs(*digits) > 15) return Mixed(sql, *args);
  return Arithmetic(sql, function->op.value_or(Op::kCurve), {args->front()}, static_cast<int>(*digits), function);
}

Result<std::string> Compiler::Window(const PgQuery__WindowDef& window, const Place& place, bool& by_noise) {
  if (*window.name != '\0' || *window.refname != '\0') return NotAfter("a window with a name");
  std::string text;
  for (std::size_t k = 0; k < window.n_partition_clause; ++k) {
    const auto piece = Expression(*window.partition_clause[k], place);
    if (!piece) return piece.error();
    by_noise = by_noise || piece->noisy();
    text += (k == 0 ? "PARTITION BY " : ", ") + piece->sql;
  }
  for (std::size_t k = 0; k < window.n_order_clause; ++k) {
    const PgQuery__SortBy& key = *window.order_clause[k]->sort_by;
    const auto piece = Expression(*key.node, place);
    if (!piece) return piece.error();
    by_noise = by_noise || piece->noisy();
    text += (k > 0 ? ", " : text.empty() ? "ORDER BY " : " ORDER BY ") + piece->sql;
    if (key.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC) text += " DESC";
    if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST) text += " NULLS FIRST";
    if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST) text += " NULLS LAST";
  }
  // PostgreSQL's bits of a frame (parsenodes.h), which its tree passes on as they are.
  const unsigned options = static_cast<unsigned>(window.frame_options);
  constexpr unsigned kNonDefault = 0x1, kRange = 0x2, kRows = 0x4, kGroups = 0x8, kBetween = 0x10;
  if (!(options & kNonDefault)) return text;
  if (options & 0xFFFFC000U) return NotAfter("EXCLUDE in a window");
  const auto end = [&](bool start) -> Result<std::string> {
    if (options & (start ? 0x20U : 0x40U)) return std::string("UNBOUNDED PRECEDING");
    if (options & (start ? 0x80U : 0x100U)) return std::string("UNBOUNDED FOLLOWING");
    if (options & (start ? 0x200U : 0x400U)) return std::string("CURRENT ROW");
    const PgQuery__Node* offset = start ? window.start_offset : window.end_offset;
    const auto number = offset ? WholeConstant(*offset) : std::nullopt;
    if (!number || *number < 0) return NotAfter("a window whose ends are not whole numbers");
    return fmt::format("{} {}", *number, options & (start ? 0x800U : 0x1000U) ? "PRECEDING" : "FOLLOWING");
  };
  const auto from = end(true), to = end(false);
  if (!from) return from.error();
  if (!to) return to.error();
  text += options & kRows ? " ROWS " : options & kGroups ? " GROUPS " : options & kRange ? " RANGE " : " ROWS ";
  return text + (options & kBetween ? fmt::format("BETWEEN {} AND {}", *from, *to) : *from);
}

Result<Piece> Compiler::AggregateOrWindow(const PgQuery__FuncCall& call, const std::string& name, const Place& place) {
  const SqlFunction* const function = KnownAfter(name);
  const bool known = function && (OfManyAnswers(*function) || (call.over && function->kind == FunctionKind::kWindow));
  if (!known || call.agg_within_group || call.func_variadic) return NotAfter(fmt::format("the function {:.60}", name));
  Place inside = place;
  inside.in_aggregate = true;
  if (place.in_aggregate && !call.over) return NotAfter("an aggregate inside an aggregate");
  const Place& where = call.over ? place : inside;  // windows may be over aggregates
  auto args = Expressions(call.args, call.n_args, where);
  if (!args) return args.error();
  std::string sql = std::string(function->name()) + "(" + (call.agg_distinct ? "DISTINCT " : "") +
                    (call.agg_star ? "*" : List(*args));
  bool by_noise = place.rows_by_noise || (call.agg_distinct && std::any_of(args->begin(), args->end(),
                                                                           [](const Piece& p) { return p.noisy(); }));
  for (std::size_t k = 0; k < call.n_agg_order; ++k) {
    const auto key = Expression(*call.agg_order[k]->sort_by->node, where);
    if (!key) return key.error();
    by_noise = by_noise || key->noisy();
    const bool down = call.agg_order[k]->sort_by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    sql += fmt::format("{}{}{}", k == 0 ? " ORDER BY " : ", ", key->sql, down ? " DESC" : "");
  }
  sql += ")";
  if (call.agg_filter) {
    const auto filter = Expression(*call.agg_filter, where);
    if (!filter) return filter.error();
    by_noise = by_noise || filter->noisy();
    sql += fmt::format(" FILTER (WHERE {})", filter->sql);
  }
  if (call.over) {
    auto window = Window(*call.over, place, by_noise);
    if (!window) return window.error();
    by_noise = by_noise || noise_orders_;  // rows that noise put in order: ties, and windows without an order, see it
    noise_orders_ = noise_orders_ || by_noise;
    sql += fmt::format(" OVER ({})", *window);
  }
  if (by_noise) return Piece{std::move(sql), Dependence::kOther, nullptr};
  if (name == "count") return Mixed(std::move(sql), *args);  // noise can decide what is NULL
  const bool plain =
      std::none_of(args->begin() + (args->empty() ? 0 : 1), args->end(), [](const Piece& p) { return p.noisy(); });
  if (function->margin == Margin::kLinear && plain && !call.agg_distinct) return Combined(std::move(sql), *args);
  if (function->margin == Margin::kSimulated && !call.agg_distinct) return FunctionOf(std::move(sql), *args);
  return Mixed(std::move(sql), *args);
}

Result<Piece> Compiler::SubSelect(const PgQuery__Node& node, const Place& place) {
  const PgQuery__SubLink& link = *node.sub_link;
  const bool in = link.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK && link.testexpr && link.n_oper_name == 0;
  if ((link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK && !in) ||
      link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return NotAfter("EXISTS, ANY or ALL with a sub-select");
  auto selected = Select(*link.subselect->select_stmt, place.names, place.depth);
  if (!selected) return selected.error();
  if (selected->columns.size() != 1)
    return InvalidArgument("a sub-select that is used as a number must have one column", {}, "choose one column");
  const Piece& column = selected->columns.front().piece;
  if (in) {  // what is in a list that noise made, or is noisy itself, is decided by noise
    const auto test = Expression(*link.testexpr, place);
    if (!test) return test;
    return Mixed(fmt::format("({} IN (SELECT {} FROM ({}) AS kith_in))", test->sql,
                             QuotedName(selected->columns.front().name), selected->sql),
                 {*test, column, Piece{"", selected->by_noise ? Dependence::kOther : Dependence::kNone, nullptr}});
  }
  const std::string sql =
      fmt::format("(SELECT {} FROM ({}) AS kith_one)", QuotedName(selected->columns.front().name), selected->sql);
  if (selected->by_noise) return Mixed(sql, {column, Piece{"", Dependence::kOther, nullptr}});
  if (!AtMostLinear(column)) return FunctionOf(sql, {column});
  return column.noisy() ? Linear(sql) : Exact(sql);
}

}  // namespace kith::postprocess
