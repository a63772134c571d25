// How columns are read: clamped, or one of their declared values, or NULL.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "query/clamps.h"
#include "query/emit/emit.h"

namespace kith {
namespace {

// A name that no table or column of the statement has.
std::string JoinedSource(const std::string& owner) { return "kith.join." + owner; }

sql::Term Real(double x) { return sql::Literal(x, Type::kReal); }

ValueList TypedValues(const Column& column) {
  if (column.type == ColumnType::kText) return column.values;
  std::vector<Value> values;
  for (const Value& value : column.values) values.push_back(TypedValue(column, value));
  return values;
}

}  // namespace

std::vector<sql::Join> JoinsOf(const Question& question, const RowTerms& rows) {
  std::vector<sql::Join> joins;
  for (const TableJoin& join : question.joins) {
    const std::string name = JoinedSource(join.owner);
    joins.push_back({.left = true,
                     .source = join.of_units ? sql::Rows(KeptRowsOf(question, join, rows.table()), name)
                                             : sql::Table(join.table, name),
                     .on = sql::Infix(" = ", {rows.Of(*join.on), rows.Raw(join.key_column->column)})});
  }
  return joins;
}

sql::Term RowTerms::AsStored(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const std::string owner = OwnerOf(c);
  return owner.empty() ? sql::Column("t", c.name) : sql::Column(JoinedSource(owner), c.name.substr(owner.size() + 1));
}

sql::Term RowTerms::Raw(std::size_t column) const {
  sql::Term name = AsStored(column);
  return table_.columns.at(column).type == ColumnType::kText ? sql::Collated(std::move(name)) : name;
}

sql::Term RowTerms::Read(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  if (!c.values.empty()) return ReadListed(column);
  if (c.type == ColumnType::kReal) return ReadReal(column, true);
  if (c.type == ColumnType::kText || c.type == ColumnType::kBoolean) return Raw(column);
  return ReadBounded(column);
}

// Anything but a declared value is read as NULL, or as the first of them.
sql::Term RowTerms::ReadListed(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  const sql::Term raw = Raw(column);
  sql::Terms parts = {sql::In(raw, TypedValues(c), type), raw};
  if (NeverNull(c)) parts.push_back(sql::Literal(TypedValue(c, c.values[0]), type));
  return sql::Case(std::move(parts));
}

// Integers, dates and timestamps. In range first: that is nearly always so, and engines test cases in turn for those
// rows that are left. NULL fails every comparison, so that it comes out as NULL, or as the lower bound.
sql::Term RowTerms::ReadBounded(std::size_t column) const {
  const Column& c = table_.columns.at(column);
  const Type type = TypeOf(c.type);
  const sql::Term raw = Raw(column);
  if (type == Type::kInteger && !c.lower && !c.upper) return raw;
  const IntegerBounds bounds = BoundsOf(c);
  const sql::Term low = sql::Literal(bounds.low, type), high = sql::Literal(bounds.high, type);
  // Infinite dates are beyond every bound, and are read as NULL.
  const auto beyond = [&](const char* sign, const sql::Term& end) {
    sql::Term test = sql::Infix(sign, {raw, end});
    return type == Type::kInteger ? test : sql::All({sql::IsFinite(raw), std::move(test)});
  };
  sql::Terms parts = {sql::Between(raw, low, high), raw, beyond(" < ", low), low, beyond(" > ", high), high};
  if (NeverNull(c)) parts.push_back(low);
  sql::Term clamped = sql::Case(std::move(parts));
  const bool of_unit = of_unit_ && OwnerOf(c).empty();
  return sql::Clamped(raw, low, high, std::move(clamped), NeverNull(c), of_unit ? ClampName(table_, c) : "");
}

// `flush`: numbers too small to distinguish from zero are read as zero. Engines order NaN above infinity, or compare it
// to nothing: it is not between finite ends.
sql::Term RowTerms::ReadReal(std::size_t column, bool flush) const {
  const Column& c = table_.columns.at(column);
  const auto [low, high] = RealBoundsOf(c);
  constexpr double kMax = std::numeric_limits<double>::max();
  const double tiny = std::ldexp(1.0, kTinyExponent);
  const sql::Term raw = Raw(column);
  sql::Terms parts;
  const auto between = [&](double from, double to, const sql::Term& then) {
    if (from > to) return;
    parts.push_back(sql::Between(raw, Real(from), Real(to)));
    parts.push_back(then);
  };
  const bool holds_tiny = flush && low < tiny && high > -tiny;
  if (holds_tiny) {
    between(tiny, high, raw);
    between(low, -tiny, raw);
  } else {
    between(low, high, raw);
  }
  if (low > -kMax) between(-kMax, low, Real(low));
  if (high < kMax) between(high, kMax, Real(high));
  if (holds_tiny) between(-tiny, tiny, Real(std::clamp(0.0, low, high)));
  if (NeverNull(c)) parts.push_back(Real(low));
  sql::Term by_cases = sql::Case(std::move(parts));
  if (!flush) return by_cases;
  // In one pass over the rows; every case above is one, and cases inside others are worked out each time.
  const auto real = [](double x) { return sql::Literal(x, Type::kReal); };
  sql::Term call = sql::Call("kith_clamp", {raw, real(low), real(high), real(tiny)});
  if (NeverNull(c)) call = sql::Call("coalesce", {std::move(call), real(low)});
  return sql::Either(sql::Feature::kLatticeSteps, std::move(call), std::move(by_cases));
}

sql::Term RowTerms::NotNullColumn(std::size_t column) const {
  const Column& c = table_.columns[column];
  if (NeverNull(c)) return sql::Truth(true);
  const Type type = TypeOf(c.type);
  if (!c.values.empty()) return sql::Paren(sql::In(Raw(column), TypedValues(c), type));
  constexpr double kMax = std::numeric_limits<double>::max();
  if (type == Type::kReal) return sql::Paren(sql::Between(Raw(column), Real(-kMax), Real(kMax)));
  if (type == Type::kDate || type == Type::kTimestamp) return sql::IsFinite(Raw(column));
  return sql::Paren(sql::IsNotNull(Raw(column)));
}

// Keys are distinguished, never ordered: strings with different bytes are not equal, whatever their collation.
sql::Term RowTerms::KeyOf(const Key& key) const { return key.column ? AsStored(*key.column) : Of(*key.expr); }

sql::Term RowTerms::KeyIndex(const Key& key, const sql::Term& value) const {
  const Type type = key.expr->type;
  const std::size_t otherwise = key.image.may_null ? key.image.values.size() : 0;
  if (!key.image.dense) return sql::Position(value, key.image.values, type, otherwise);
  const sql::Term low = sql::Literal(key.image.values.front(), type),
                  high = sql::Literal(key.image.values.back(), type);
  const sql::Term above = type == Type::kDate ? sql::DaysBetween(value, low)
                                              : sql::Cast(sql::Infix(" - ", {value, low}), sql::Stored::kWhole);
  return sql::Case({sql::Between(value, low, high), above, sql::Number(static_cast<Int128>(otherwise))});
}

}  // namespace kith
