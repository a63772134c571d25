#include "sql/statement.h"

#include <utility>

#include "sql/functions.h"

namespace kith::sql {
namespace {

Term Make(Node node) { return std::make_shared<const Node>(std::move(node)); }
Term Of(Form form, Terms args) { return Make({.form = form, .args = std::move(args)}); }

}  // namespace

Term Name(std::string name) { return Make({.form = Form::kName, .text = std::move(name)}); }
Term Name(std::string source, std::string name) {
  return Make({.form = Form::kName, .source = std::move(source), .text = std::move(name)});
}
Term Column(std::string source, std::string name) {
  return Make({.form = Form::kColumn, .source = std::move(source), .text = std::move(name)});
}
Term Star() { return Make({.form = Form::kStar}); }
Term Literal(Value value, Type type) { return Make({.form = Form::kLiteral, .value = std::move(value), .type = type}); }
Term Constant(Value value, Type type) {
  return Make({.form = Form::kConstant, .value = std::move(value), .type = type});
}
Term Number(Int128 value) { return Make({.form = Form::kNumber, .low = value}); }
Term Truth(bool value) { return Constant(value, Type::kBoolean); }

Term Paren(Term term) { return Of(Form::kParen, {std::move(term)}); }
Term Infix(std::string sign, Terms args) {
  return Make({.form = Form::kInfix, .text = std::move(sign), .args = std::move(args)});
}
Term Prefix(std::string sign, Term arg) {
  return Make({.form = Form::kPrefix, .text = std::move(sign), .args = {std::move(arg)}});
}
Term Suffix(Term arg, std::string sign) {
  return Make({.form = Form::kSuffix, .text = std::move(sign), .args = {std::move(arg)}});
}
Term IsNotNull(Term arg) { return Suffix(std::move(arg), " IS NOT NULL"); }
Term All(Terms conditions) { return Infix(" AND ", std::move(conditions)); }
Term Call(std::string function, Terms args) {
  return Make({.form = Form::kCall, .text = std::move(function), .args = std::move(args)});
}
Term Call(const SqlFunction& function, Terms args) {
  return Make(
      {.form = Form::kCall, .text = std::string(function.name()), .args = std::move(args), .function = &function});
}
Term Case(Terms args) { return Of(Form::kCase, std::move(args)); }
Term SimpleCase(Terms args) { return Of(Form::kSimpleCase, std::move(args)); }
Term Cast(Term arg, Stored stored) { return Make({.form = Form::kCast, .args = {std::move(arg)}, .stored = stored}); }
Term Between(Term x, Term low, Term high) {
  return Of(Form::kBetween, {std::move(x), std::move(low), std::move(high)});
}
Term In(Term x, Terms list) {
  list.insert(list.begin(), std::move(x));
  return Of(Form::kIn, std::move(list));
}
Term In(Term x, ValueList values, Type type) {
  return Make({.form = Form::kIn, .args = {std::move(x)}, .type = type, .values = std::move(values)});
}
Term Position(Term x, ValueList values, Type type, std::size_t otherwise) {
  return Make({.form = Form::kPosition,
               .args = {std::move(x)},
               .type = type,
               .values = std::move(values),
               .low = static_cast<Int128>(otherwise)});
}
Term Like(Term x, std::string pattern, bool escapes) {
  return Make({.form = Form::kLike, .text = std::move(pattern), .args = {std::move(x)}, .flag = escapes});
}
Term CountRows() { return Of(Form::kCount, {Star()}); }
Term Count(Term x) { return Of(Form::kCount, {std::move(x)}); }
Term CountDistinct(Term x) { return Make({.form = Form::kCount, .args = {std::move(x)}, .flag = true}); }
Term Min(Term x) { return Of(Form::kMin, {std::move(x)}); }
Term Max(Term x) { return Of(Form::kMax, {std::move(x)}); }
Term Window(std::string function, Term partition, Terms order) {
  order.insert(order.begin(), std::move(partition));
  return Make({.form = Form::kWindow, .text = std::move(function), .args = std::move(order)});
}
Term FirstOf(Term x, Term partition, Terms order) {
  order.insert(order.begin(), {std::move(x), std::move(partition)});
  return Of(Form::kFirst, std::move(order));
}
Term Where(Term aggregate, Term condition) {
  if (!condition) return aggregate;
  Node node = *aggregate;
  node.filter = std::move(condition);
  return Make(std::move(node));
}

Term Collated(Term text) { return Of(Form::kCollated, {std::move(text)}); }
Term Sum(Term x, Int128 most) { return Make({.form = Form::kSum, .args = {std::move(x)}, .high = most}); }
Term IntegerDivide(Term a, Term b) { return Of(Form::kIntegerDivide, {std::move(a), std::move(b)}); }
Term SumDivide(Term sum, Term count) { return Of(Form::kSumDivide, {std::move(sum), std::move(count)}); }
Term Greatest(Terms args) { return Of(Form::kGreatest, std::move(args)); }
Term Least(Terms args) { return Of(Form::kLeast, std::move(args)); }
Term IsTrue(Term x) { return Of(Form::kIsTrue, {std::move(x)}); }
Term IsNotTrue(Term x) { return Of(Form::kIsNotTrue, {std::move(x)}); }
Term IsFalse(Term x) { return Of(Form::kIsFalse, {std::move(x)}); }
Term IsFinite(Term x) { return Of(Form::kIsFinite, {std::move(x)}); }
Term DaysBetween(Term later, Term earlier) { return Of(Form::kDaysBetween, {std::move(later), std::move(earlier)}); }
Term PartOf(DatePart part, Term x) { return Make({.form = Form::kDatePart, .args = {std::move(x)}, .part = part}); }
Term TruncatedTo(DatePart part, Term x, Stored stored) {
  return Make({.form = Form::kDateTrunc, .args = {std::move(x)}, .stored = stored, .part = part});
}
Term RowHash(Terms columns) { return Of(Form::kRowHash, std::move(columns)); }
Term Steps(Term x, bool narrow) { return Make({.form = Form::kSteps, .args = {std::move(x)}, .flag = narrow}); }
Term Within(Term steps, Int128 low, Int128 high, bool holds) {
  return Make({.form = Form::kWithin, .args = {std::move(steps)}, .low = low, .high = high, .flag = holds});
}
Term Either(Feature feature, Term preferred, Term otherwise) {
  return Make({.form = Form::kEither, .args = {std::move(preferred), std::move(otherwise)}, .feature = feature});
}
Term Clamped(Term x, Term low, Term high, Term clamped, bool never_null, std::string known) {
  return Make({.form = Form::kClamped,
               .text = std::move(known),
               .args = {std::move(x), std::move(low), std::move(high), std::move(clamped)},
               .flag = never_null});
}

Statement::Statement(Query query) : query_(std::make_shared<const Query>(std::move(query))) {}

Source Table(std::string table, std::string name) { return {.table = std::move(table), .name = std::move(name)}; }
Source Rows(Statement statement, std::string name) {
  return {.statement = std::move(statement), .name = std::move(name)};
}
Source Own(std::string table, std::string name) {
  return {.table = std::move(table), .name = std::move(name), .own = true};
}
Statement Selected(Select select) { return Statement(Query{std::move(select)}); }
Statement United(Statement first, Statement second, bool all) {
  return Statement(Query{Union{std::move(first), std::move(second), all}});
}
Statement Limited(UnitLimit limit) { return Statement(Query{std::move(limit)}); }

}  // namespace kith::sql
