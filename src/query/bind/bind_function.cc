// Functions and casts that are total, and what to ask instead of those that are not supported.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <cstdlib>
#include <map>

#include "base/spelling.h"
#include "query/bind/bind.h"
#include "query/bind/histogram.h"
#include "query/bind/typing.h"
#include "query/bind/value_functions.h"
#include "sql/functions.h"

namespace kith {
namespace {

constexpr std::int64_t kMaxDigits = 15;  // decimals that a double can distinguish

// Functions that people try, and what to ask instead.
const std::map<std::string, const char*>& Advice() {
  static const std::map<std::string, const char*> kAdvice = {
      {"mode", "ask count(*) GROUP BY the column and take the largest"},
      {"cnt", "did you mean count?"},
      {"percentile",
       "did you mean percentile_cont(0.5) WITHIN GROUP (ORDER BY x)? Or use median(x), quantile_cont(x, 0.9)"},
      {"bool_and", "ask count(*) FILTER (WHERE NOT condition)"},
      {"bool_or", "ask count(*) FILTER (WHERE condition)"},
      {"every", "ask count(*) FILTER (WHERE NOT condition)"},
      {"string_agg", "lists of records are never shown"},
      {"array_agg", "lists of records are never shown"},
      {"json_agg", "lists of records are never shown"},
      {"any_value", "single records are never shown"},
      {"first", "single records are never shown"},
      {"last", "single records are never shown"},
      {"random", "the answer would differ each time; kith adds the noise itself"},
      {"now", "write the date itself, such as DATE '2024-01-31'"},
      {"age", "write extract(year FROM age(later, earlier)) for whole years, or later - earlier for days"},
      {"datediff", "write date_diff('day', earlier, later)"},
      {"approx_count_distinct", "write count(DISTINCT column)"},
      {"julian", "write column - DATE '2000-01-01'"},
      {"count_if", "write count(*) FILTER (WHERE condition)"},
      {"countif", "write count(*) FILTER (WHERE condition)"},
      {"sum_if", "write sum(x) FILTER (WHERE condition)"},
      {"sumif", "write sum(x) FILTER (WHERE condition)"},
      {"avg_if", "write avg(x) FILTER (WHERE condition)"},
      {"date_format", "write date_trunc('month', column), or extract(year FROM column)"},
      {"year", "write extract(year FROM column)"},
      {"month", "write extract(month FROM column)"},
      {"day", "write extract(day FROM column)"},
      {"week", "write extract(week FROM column)"},
      {"quarter", "write extract(quarter FROM column)"},
      {"hour", "write extract(hour FROM column)"},
      {"dayofweek", "write extract(dow FROM column)"},
      {"weekday", "write extract(dow FROM column)"},
      {"to_date", "declare the column as a date in the policy"},
      {"if", "write CASE WHEN condition THEN a ELSE b END"},
      {"iif", "write CASE WHEN condition THEN a ELSE b END"},
      {"ifnull", "write coalesce(a, b)"},
      {"nvl", "write coalesce(a, b)"},
      {"isnull", "write column IS NULL"},
      {"mean", "write avg(x)"},
      {"average", "write avg(x)"},
      {"sd", "write stddev(x)"},
      {"std", "write stddev(x)"},
      {"var", "write variance(x)"},
      {"trunc", "write floor(x), or div(x, 10) * 10"},
      {"truncate", "write floor(x), or div(x, 10) * 10"},
      {"int", "write CAST(x AS integer)"},
      {"starts_with", "use LIKE 'abc%'"},
      {"contains", "use LIKE '%abc%'"},
      {"approx_quantile", "write quantile_cont(x, 0.9)"},
  };
  return kAdvice;
}

std::optional<std::string> TextConstant(const PgQuery__Node& node) {
  const bool is_text = node.node_case == PG_QUERY__NODE__NODE_A_CONST && !node.a_const->isnull &&
                       node.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  if (!is_text) return std::nullopt;
  return FoldCase(node.a_const->sval->sval);
}

bool IsPlainCall(const PgQuery__FuncCall& call) {
  return call.n_agg_order == 0 && !call.agg_filter && !call.over && !call.agg_within_group && !call.agg_star &&
         !call.agg_distinct && !call.func_variadic;
}

// extract(year FROM age(later, earlier)): the call of age.
const PgQuery__FuncCall* AgeOf(const PgQuery__FuncCall& extract) {
  if (TextConstant(*extract.args[0]) != "year" || extract.args[1]->node_case != PG_QUERY__NODE__NODE_FUNC_CALL)
    return nullptr;
  const PgQuery__FuncCall& age = *extract.args[1]->func_call;
  return PlainName(age.funcname, age.n_funcname) == "age" && age.n_args == 2 && IsPlainCall(age) ? &age : nullptr;
}

}  // namespace

bool IsAggregate(const std::string& function) {
  const SqlFunction* known = FindFunction(function);
  return known != nullptr && known->OfManyRows();
}

Error RefuseFunction(const std::string& name, const std::string& where) {
  const auto found = Advice().find(name);
  const SqlFunction* known = FindFunction(name);
  if (found == Advice().end() && known != nullptr && known->InQuestions()) {
    const bool of_dates = known->kind == FunctionKind::kDatePart || name.starts_with("date_");
    return Unsupported(fmt::format("the function {} is not supported in this form or place", name), where,
                       of_dates ? "write it of a column that is a date or time: inside an aggregate, in WHERE or in "
                                  "GROUP BY"
                                : "write it of columns: inside an aggregate, in WHERE or in GROUP BY");
  }
  if (found != Advice().end())
    return Unsupported(fmt::format("the function {} is not supported", Shortened(name)), where, found->second);
  std::vector<std::string> names;
  std::string list;
  for (const SqlFunction& f : SqlFunctions()) {
    if (!f.InQuestions()) continue;
    list += (names.empty() ? "" : ", ") + std::string(f.name());
    for (const std::string_view alias : f.names) names.emplace_back(alias);
  }
  return Unsupported(fmt::format("the function {} is not supported", Shortened(name)), where,
                     DidYouMean(name, names) + "kith knows " + list);
}

Error RefuseNode(const PgQuery__Node& node, const std::string& where) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return Unsupported("a sub-select here is not supported: it could look at the rows of other units", where,
                         "for what a unit has in another table, write FROM a LEFT JOIN b ON b.key = a.key in a "
                         "sub-select in FROM, with bool_or(condition) AS c and GROUP BY the unit's key, and WHERE c");
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
      return Unsupported("the answer may not depend on the time or the user", where,
                         "write the date itself, such as DATE '2024-01-31'");
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
      return Unsupported("COLLATE is not supported: texts are compared byte by byte", where);
    case PG_QUERY__NODE__NODE_PARAM_REF:
      return Unsupported("parameters are not supported", where, "write the value itself");
    case PG_QUERY__NODE__NODE_GROUPING_FUNC:
      return Unsupported("GROUPING is not supported", where,
                         "totals of ROLLUP and CUBE show (all) in the columns that they sum over");
    default:
      return Unsupported("this kind of expression is not supported", where);
  }
}

Result<ExprPtr> RowBinder::BindFunction(const PgQuery__FuncCall& call, int depth) const {
  const std::string name = PlainName(call.funcname, call.n_funcname), where = At(call.location);
  if (IsAggregate(name)) {
    return Unsupported("an aggregate cannot be used inside WHERE, FILTER or another aggregate", where,
                       "ask for the inner value first, then use the number in a second question");
  }
  if (call.over) {
    return Unsupported("a window function is for a column of a sub-select in FROM", where,
                       "put it into a sub-select in FROM, with PARTITION BY the unit's key");
  }
  const SqlFunction* const known = FindFunction(name);
  if (!known || !known->OfOneRow() || !IsPlainCall(call)) return RefuseFunction(name, where);
  if (!known->Takes(call.n_args) && known->kind != FunctionKind::kText && known->kind != FunctionKind::kTextLength)
    return RefuseFunction(name, where);
  if (known->kind == FunctionKind::kDatePart) {
    if (const PgQuery__FuncCall* age = AgeOf(call)) return BindAge(*age, depth);
  }
  // The first argument of these is a word, not a value.
  const bool of_part = known->kind == FunctionKind::kDatePart || known->kind == FunctionKind::kDateTrunc ||
                       known->kind == FunctionKind::kDateDifference;
  const std::string part = of_part ? TextConstant(*call.args[0]).value_or("") : "";
  const auto bound = BindAll(call.args + of_part, call.n_args - of_part, depth);
  if (!bound) return bound.error();
  const std::vector<ExprPtr>& args = *bound;
  switch (known->kind) {
    case FunctionKind::kCurve:
      return MakeOnCurve(*known, args[0], where);
    case FunctionKind::kNumber: {
      const auto digits = args.size() > 1 ? WholeConstant(*call.args[1]) : std::optional<std::int64_t>(0);
      if (!digits || std::abs(*digits) > kMaxDigits)
        return Unsupported("round needs a constant number of decimals between -15 and 15", where);
      return MakeNumberFunction(*known->op, args[0], static_cast<int>(*digits), where);
    }
    case FunctionKind::kWhole:
      return MakeArithmetic(*known->op, args[0], args[1], where);
    case FunctionKind::kSign:
      return MakeSign(args[0], table_, where);
    case FunctionKind::kPower:
      return MakePower(args[0], args[1], table_, where);
    case FunctionKind::kBucket:
      return MakeBucket(args, where);
    case FunctionKind::kHistogram: {
      std::vector<Range> columns;
      for (const Column& column : table_.columns) columns.push_back(RangeOf(column));
      return MakeHistogram(args[0], args[1], table_, columns, where);
    }
    case FunctionKind::kDatePart:
      return MakeDatePart(part, args[0], where);
    case FunctionKind::kDateTrunc:
      return MakeDateTrunc(part, args[0], where);
    case FunctionKind::kDateDifference:
      return MakeDateDifference(part, args[0], args[1], table_, where);
    case FunctionKind::kDateText: {
      const auto* format = std::get_if<std::string>(&args[1]->value);
      if (args[1]->op != Op::kConstant || !format)
        return InvalidArgument(fmt::format("{} needs a constant format", name), where,
                               fmt::format("write {}", known->usage));
      return MakeDateText(name, args[0], *format, table_, where);
    }
    case FunctionKind::kText:
    case FunctionKind::kTextLength:
      return MakeTextFunction(*known, args, table_, where);
    case FunctionKind::kConcat:
      return MakeConcat(args, table_, where);
    default:
      return RefuseFunction(name, where);
  }
}

Result<ExprPtr> RowBinder::BindAge(const PgQuery__FuncCall& age, int depth) const {
  const auto later = Bind(*age.args[0], depth), earlier = Bind(*age.args[1], depth);
  if (!later) return later.error();
  if (!earlier) return earlier.error();
  return MakeAge(*earlier, *later, table_, At(age.location));
}

Result<ExprPtr> RowBinder::BindCast(const PgQuery__TypeCast& cast, int depth) const {
  const std::string where = At(cast.location >= 0 ? cast.location : cast.type_name->location);
  const auto arg = Bind(*cast.arg, depth);
  if (!arg) return arg.error();
  const PgQuery__TypeName& type = *cast.type_name;
  if (type.n_typmods > 0 || type.n_array_bounds > 0 || type.setof || type.pct_type) {
    return Unsupported("only casts to simple types are supported", where,
                       "use bigint, double precision, date or timestamp");
  }
  return Cast(*arg, PlainName(type.names, type.n_names), where);
}

}  // namespace kith
