#include "tests/kernel_check/tiny_statements.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace kith::testing {
namespace {

using sql::Form;

[[noreturn]] void Fail(const std::string& why) { throw std::runtime_error("tiny statements: " + why); }

bool IsText(const Datum& d) { return d.kind == Datum::Kind::kText; }

// -1, 0, 1 as in SQL, NaN above everything.
int Order(const Datum& a, const Datum& b) {
  if (IsText(a) != IsText(b)) Fail("text is compared with a number");
  if (IsText(a)) return a.text < b.text ? -1 : a.text == b.text ? 0 : 1;
  const bool x = std::isnan(a.number), y = std::isnan(b.number);
  if (x || y) return static_cast<int>(x) - static_cast<int>(y);
  return a.number < b.number ? -1 : a.number == b.number ? 0 : 1;
}

std::optional<bool> TruthOf(const Datum& d) {
  if (d.null()) return std::nullopt;
  return d.number != 0;
}

Datum OfValue(const Value& value, Type type) {
  if (std::holds_alternative<Null>(value)) return NullDatum();
  if (const auto* text = std::get_if<std::string>(&value)) return TextDatum(*text);
  if (const auto* truth = std::get_if<bool>(&value)) return BooleanDatum(*truth);
  const auto number = std::holds_alternative<double>(value) ? static_cast<long double>(std::get<double>(value))
                                                            : static_cast<long double>(std::get<std::int64_t>(value));
  if (type == Type::kReal) return RealDatum(number);
  if (type == Type::kDate) return DateDatum(number);
  return type == Type::kTimestamp ? TimestampDatum(number) : IntegerDatum(number);
}

// % is any text, _ any letter.
bool IsLike(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') return IsLike(text, pattern.substr(1)) || (!text.empty() && IsLike(text.substr(1), pattern));
  return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) && IsLike(text.substr(1), pattern.substr(1));
}

Datum Rounded(const Datum& d) { return d.null() ? d : RealDatum(static_cast<double>(d.number)); }

Datum WholeOf(const Datum& d, long double most) {
  if (d.null() || std::isnan(d.number)) return NullDatum();
  const long double whole = std::nearbyint(d.number);
  return whole < -most - 1 || whole > most ? NullDatum() : IntegerDatum(whole);
}

Datum Number(const Datum& a, const Datum& b, long double number) {
  const bool real = a.kind == Datum::Kind::kReal || b.kind == Datum::Kind::kReal;
  return real ? RealDatum(static_cast<double>(number)) : IntegerDatum(number);
}

}  // namespace

void TinyStatements::Load(TinyTable table) {
  for (TinyTable& known : tables_)
    if (known.name == table.name) {
      known = std::move(table);
      return;
    }
  tables_.push_back(std::move(table));
}

Groups TinyStatements::Run(const sql::Statement& statement, std::size_t keys) const {
  const Relation relation = RowsOf(statement);
  Groups groups;
  for (const Row& row : relation.rows) {
    std::vector<Int128> numbers;
    for (std::size_t k = keys; k < row.size(); ++k) {
      if (row[k].null() || IsText(row[k])) Fail("a number that is none");
      numbers.push_back(static_cast<Int128>(row[k].number));
    }
    if (!groups.emplace(std::vector<Datum>(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys)), numbers)
             .second)
      Fail("a group comes twice");
  }
  return groups;
}

TinyStatements::Relation TinyStatements::RowsOf(const sql::Statement& statement) const {
  const auto& part = statement.query().part;
  if (const auto* limit = std::get_if<sql::UnitLimit>(&part)) return RowsOf(*limit);
  if (const auto* select = std::get_if<sql::Select>(&part)) return RowsOf(*select);
  Fail("UNION");
}

TinyStatements::Relation TinyStatements::RowsOf(const sql::Source& source) const {
  Relation relation;
  if (!source.statement.empty()) {
    relation = RowsOf(source.statement);
    for (auto& column : relation.columns) column.first = source.name;
    return relation;
  }
  for (const TinyTable& table : tables_) {
    if (table.name != source.table) continue;
    for (const std::string& column : table.columns)
      relation.columns.emplace_back(source.name.empty() ? source.table : source.name, column);
    relation.rows = table.rows;
    return relation;
  }
  Fail("no table " + source.table);
}

TinyStatements::Relation TinyStatements::RowsOf(const sql::UnitLimit& limit) const {
  const Relation from = RowsOf(limit.from);
  std::map<Datum, std::vector<std::size_t>> of_key;
  for (std::size_t row = 0; row < from.rows.size(); ++row) {
    const Datum key = Eval(limit.key, {&from, row});
    if (!key.null()) of_key[key].push_back(row);
  }
  Relation kept;
  for (const std::string& name : limit.columns) kept.columns.emplace_back("", name);
  for (const auto& [key, rows] : of_key) {
    const auto ordered = InOrder(limit.order, from, rows);
    for (std::size_t at = 0; at < ordered.size(); ++at) {
      if (limit.rows && static_cast<std::int64_t>(at) >= *limit.rows) break;
      Row& made = kept.rows.emplace_back();
      for (const std::string& name : limit.columns) {
        const std::size_t row = limit.constant.contains(name) ? ordered.front() : ordered[at];
        made.push_back(Named(*sql::Column(limit.from.name, name), {&from, row}));
      }
    }
  }
  return kept;
}

TinyStatements::Relation TinyStatements::FromOf(const sql::Select& select) const {
  Relation rows = RowsOf(select.from);
  for (const sql::Join& join : select.joins) {
    const Relation right = RowsOf(join.source);
    Relation both;
    both.columns = rows.columns;
    both.columns.insert(both.columns.end(), right.columns.begin(), right.columns.end());
    Relation one{both.columns, {Row()}};
    for (const Row& left : rows.rows) {
      bool found = false;
      for (const Row& other : right.rows) {
        one.rows[0] = left;
        one.rows[0].insert(one.rows[0].end(), other.begin(), other.end());
        if (!IsTrue(join.on, {&one, 0})) continue;
        both.rows.push_back(one.rows[0]);
        found = true;
      }
      if (found || !join.left) continue;
      both.rows.push_back(left);
      both.rows.back().resize(both.columns.size(), NullDatum());
    }
    rows = std::move(both);
  }
  if (!select.where) return rows;
  Relation kept{rows.columns, {}};
  for (std::size_t row = 0; row < rows.rows.size(); ++row)
    if (IsTrue(select.where, {&rows, row})) kept.rows.push_back(rows.rows[row]);
  return kept;
}

namespace {

bool HasAggregate(const sql::Node& node) {
  const bool call = node.form == Form::kCall && (node.text == "bool_or" || node.text == "bool_and");
  if (node.form == Form::kSuffix && (node.text == ")" || node.text.starts_with(" OVER"))) return false;
  return node.form == Form::kCount || node.form == Form::kSum || node.form == Form::kMin || node.form == Form::kMax ||
         call || std::any_of(node.args.begin(), node.args.end(), [](const sql::Term& arg) {
           return arg && HasAggregate(*arg);
         });
}

}  // namespace

TinyStatements::Relation TinyStatements::RowsOf(const sql::Select& select) const {
  const Relation from = FromOf(select);
  Relation made;
  for (const sql::Item& item : select.items) {
    if (item.term->form == Form::kStar) {
      for (const auto& column : from.columns) made.columns.emplace_back("", column.second);
    } else {
      const bool named = item.term->form == Form::kName || item.term->form == Form::kColumn;
      made.columns.emplace_back("", !item.name.empty() ? item.name : named ? item.term->text : "");
    }
  }
  const bool aggregates = std::any_of(select.items.begin(), select.items.end(),
                                      [](const sql::Item& item) { return HasAggregate(*item.term); });
  std::vector<std::vector<std::size_t>> groups;
  if (select.group_by.empty() && !aggregates) {
    for (std::size_t row = 0; row < from.rows.size(); ++row) groups.push_back({row});
  } else if (select.group_by.empty()) {
    groups.emplace_back();
    for (std::size_t row = 0; row < from.rows.size(); ++row) groups[0].push_back(row);
  } else {
    std::map<std::vector<Datum>, std::vector<std::size_t>> by;
    for (std::size_t row = 0; row < from.rows.size(); ++row) {
      std::vector<Datum> key;
      for (const sql::Term& term : select.group_by)
        key.push_back(
            Eval(term->form == Form::kNumber ? select.items.at(static_cast<std::size_t>(term->low - 1)).term : term,
                 {&from, row}));
      by[key].push_back(row);
    }
    for (auto& [key, rows] : by) groups.push_back(std::move(rows));
  }
  const bool grouped = !select.group_by.empty() || aggregates;
  for (const auto& group : groups) {
    Row& row = made.rows.emplace_back();
    const Place place{&from, group.empty() ? from.rows.size() : group.front(), grouped ? &group : nullptr};
    for (const sql::Item& item : select.items) {
      if (item.term->form == Form::kStar) {
        row.insert(row.end(), from.rows[place.row].begin(), from.rows[place.row].end());
      } else {
        row.push_back(Eval(item.term, place));
      }
    }
  }
  return made;
}

bool TinyStatements::IsTrue(const sql::Term& term, const Place& place) const {
  return TruthOf(Eval(term, place)).value_or(false);
}

Datum TinyStatements::Named(const sql::Node& node, const Place& place) const {
  std::size_t found = place.relation->columns.size();
  for (std::size_t k = 0; k < place.relation->columns.size(); ++k) {
    const auto& [source, name] = place.relation->columns[k];
    if (name != node.text || (!node.source.empty() && source != node.source)) continue;
    if (found < k) Fail("two columns " + node.text);
    found = k;
  }
  if (found == place.relation->columns.size()) Fail("no column " + node.source + "." + node.text);
  if (place.row >= place.relation->rows.size()) return NullDatum();
  return place.relation->rows[place.row][found];
}

std::vector<std::size_t> TinyStatements::InOrder(const sql::Terms& order, const Relation& relation,
                                                 std::vector<std::size_t> rows) const {
  std::map<std::size_t, std::vector<Datum>> values;
  std::vector<bool> descending;
  for (const sql::Term& term : order) {
    const bool down = term->form == Form::kSuffix && term->text == " DESC";
    descending.push_back(down);
    for (const std::size_t row : rows) values[row].push_back(Eval(down ? term->args[0] : term, {&relation, row}));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Datum &x = values[a][k], &y = values[b][k];
      if (x.null() || y.null()) {
        if (x.null() == y.null()) continue;
        return x.null() == descending[k];
      }
      const int c = Order(x, y);
      if (c != 0) return descending[k] ? c > 0 : c < 0;
    }
    return false;
  });
  return rows;
}

Datum TinyStatements::Hash(const sql::Node& node, const Place& place) const {
  std::uint64_t hash = salt_ * 0x9E3779B97F4A7C15ULL + 1;
  for (const sql::Term& arg : node.args)
    hash = (hash ^ std::hash<std::string>()(ToText(Eval(arg, place)))) * 0x100000001B3ULL;
  return IntegerDatum(static_cast<long double>((hash >> 40) % 3));
}

Datum TinyStatements::Eval(const sql::Term& term, const Place& place) const {
  const sql::Node& node = *term;
  const auto arg = [&](std::size_t k) { return Eval(node.args.at(k), place); };
  const auto compare = [&](const Datum& a, const Datum& b, auto holds) {
    return a.null() || b.null() ? std::optional<bool>() : std::optional(holds(Order(a, b)));
  };
  switch (node.form) {
    case Form::kName:
    case Form::kColumn:
      return Named(node, place);
    case Form::kLiteral:
    case Form::kConstant:
      return OfValue(node.value, node.type);
    case Form::kNumber:
      return IntegerDatum(static_cast<long double>(node.low));
    case Form::kParen:
    case Form::kCollated:
    case Form::kEither:
      return arg(0);
    case Form::kInfix:
      return Infix(node, place);
    case Form::kPrefix: {
      const Datum x = arg(0);
      if (x.null()) return x;
      return node.text == "NOT " ? BooleanDatum(x.number == 0) : Number(x, x, -x.number);
    }
    case Form::kSuffix:
      if (node.text == " IS NULL") return BooleanDatum(arg(0).null());
      if (node.text == " IS NOT NULL") return BooleanDatum(!arg(0).null());
      return Window(node, place);
    case Form::kCall:
      return Call(node, place);
    case Form::kCase:
      for (std::size_t k = 0; k + 1 < node.args.size(); k += 2)
        if (IsTrue(node.args[k], place)) return arg(k + 1);
      return node.args.size() % 2 == 1 ? arg(node.args.size() - 1) : NullDatum();
    case Form::kSimpleCase: {
      const Datum x = arg(0);
      std::size_t k = 1;
      for (; k + 1 < node.args.size(); k += 2)
        if (compare(x, arg(k), [](int c) { return c == 0; }).value_or(false)) return arg(k + 1);
      return k < node.args.size() ? arg(k) : NullDatum();
    }
    case Form::kCast: {
      const Datum x = arg(0);
      if (x.null()) return x;
      if (node.stored == sql::Stored::kReal) return Rounded(x);
      if (node.stored == sql::Stored::kDate)
        return DateDatum(x.kind == Datum::Kind::kTimestamp ? std::floor(x.number / 86400e6L) : x.number);
      if (node.stored == sql::Stored::kTimestamp)
        return TimestampDatum(x.kind == Datum::Kind::kDate ? x.number * 86400e6L : x.number);
      if (node.stored == sql::Stored::kText || node.stored == sql::Stored::kBoolean) return x;
      const Datum whole = WholeOf(x, node.stored == sql::Stored::kNarrow ? 2147483647.0L : 0x1p100L);
      if (whole.null()) Fail("a cast that fails");
      return whole;
    }
    case Form::kBetween: {
      const Datum x = arg(0);
      const auto low = compare(x, arg(1), [](int c) { return c >= 0; }),
                 high = compare(x, arg(2), [](int c) { return c <= 0; });
      if ((low && !*low) || (high && !*high)) return BooleanDatum(false);
      return low && high ? BooleanDatum(true) : NullDatum();
    }
    case Form::kIn: {
      const Datum x = arg(0);
      bool null = x.null();
      const auto look = [&](const Datum& other) {
        const auto same = compare(x, other, [](int c) { return c == 0; });
        null = null || !same;
        return same.value_or(false);
      };
      for (std::size_t k = 1; k < node.args.size(); ++k)
        if (look(arg(k))) return BooleanDatum(true);
      for (std::size_t k = 0; k < node.values.size(); ++k)
        if (look(OfValue(node.values[k], node.type))) return BooleanDatum(true);
      return null ? NullDatum() : BooleanDatum(false);
    }
    case Form::kPosition: {
      const Datum x = arg(0);
      for (std::size_t k = 0; !x.null() && k < node.values.size(); ++k) {
        const Datum value = OfValue(node.values[k], node.type);
        if (!value.null() && Order(x, value) == 0) return IntegerDatum(static_cast<long double>(k));
      }
      return IntegerDatum(static_cast<long double>(node.low));
    }
    case Form::kCount:
    case Form::kSum:
    case Form::kMin:
    case Form::kMax:
      if (place.group == nullptr) Fail("an aggregate of a row");
      return Aggregate(node, *place.relation, *place.group);
    case Form::kWindow:
      return Window(node, place);
    case Form::kIntegerDivide: {
      const Datum a = arg(0), b = arg(1);
      if (a.null() || b.null()) return NullDatum();
      if (b.number == 0) return NullDatum();
      return IntegerDatum(std::trunc(a.number / b.number));
    }
    case Form::kGreatest:
    case Form::kLeast: {
      Datum best = NullDatum();
      for (std::size_t k = 0; k < node.args.size(); ++k) {
        const Datum x = arg(k);
        if (x.null()) continue;
        if (best.null() || (node.form == Form::kGreatest ? Order(x, best) > 0 : Order(x, best) < 0)) best = x;
      }
      return best;
    }
    case Form::kIsTrue:
      return BooleanDatum(TruthOf(arg(0)).value_or(false));
    case Form::kIsNotTrue:
      return BooleanDatum(!TruthOf(arg(0)).value_or(false));
    case Form::kIsFalse:
      return BooleanDatum(!TruthOf(arg(0)).value_or(true));
    case Form::kIsFinite: {
      const Datum x = arg(0);
      return x.null() ? x : BooleanDatum(std::isfinite(x.number));
    }
    case Form::kDaysBetween: {
      const Datum a = arg(0), b = arg(1);
      return a.null() || b.null() ? NullDatum() : IntegerDatum(a.number - b.number);
    }
    case Form::kDatePart: {
      const Datum x = arg(0);
      if (x.null()) return x;
      const bool date = x.kind == Datum::Kind::kDate;
      const CivilDate civil = CivilOf(static_cast<long long>(date ? x.number : std::floor(x.number / 86400e6L)));
      if (node.part == DatePart::kYear) return IntegerDatum(static_cast<long double>(civil.year));
      if (node.part == DatePart::kMonth) return IntegerDatum(static_cast<long double>(civil.month));
      if (node.part == DatePart::kDay) return IntegerDatum(static_cast<long double>(civil.day));
      Fail("a part of a date");
    }
    case Form::kLike: {
      const Datum x = arg(0);
      if (node.flag) Fail("escapes in a pattern");
      return x.null() ? x : BooleanDatum(IsLike(x.text, node.text));
    }
    case Form::kRowHash:
      return Hash(node, place);
    case Form::kSteps:
      return WholeOf(arg(0), node.flag ? 2147483647.0L : 9223372036854775807.0L);
    case Form::kWithin: {
      const Datum x = arg(0);
      if (x.null() || node.flag) return x;
      return IntegerDatum(
          std::clamp(x.number, static_cast<long double>(node.low), static_cast<long double>(node.high)));
    }
    case Form::kClamped:
      return arg(3);
    default:
      Fail("a form of a term");
  }
}

Datum TinyStatements::Infix(const sql::Node& node, const Place& place) const {
  const std::string& sign = node.text;
  if (sign == " AND " || sign == " OR ") {
    const bool stop = sign == " OR ";
    bool null = false;
    for (const sql::Term& term : node.args) {
      const auto truth = TruthOf(Eval(term, place));
      if (truth == stop) return BooleanDatum(stop);
      null = null || !truth;
    }
    return null ? NullDatum() : BooleanDatum(!stop);
  }
  Datum a = Eval(node.args.at(0), place);
  for (std::size_t k = 1; k < node.args.size(); ++k) {
    const Datum b = Eval(node.args[k], place);
    if (sign == " IS DISTINCT FROM ")
      return BooleanDatum(a.null() || b.null() ? a.null() != b.null() : Order(a, b) != 0);
    if (a.null() || b.null()) return NullDatum();
    if (sign == " + ")
      a = Number(a, b, a.number + b.number);
    else if (sign == " - ")
      a = Number(a, b, a.number - b.number);
    else if (sign == " * ")
      a = Number(a, b, a.number * b.number);
    else if (sign == " / ")
      a = b.number == 0 ? NullDatum() : RealDatum(static_cast<double>(a.number / b.number));
    else if (sign == " % ")
      a = b.number == 0 ? NullDatum() : IntegerDatum(std::fmod(a.number, b.number));
    else {
      const int c = Order(a, b);
      if (sign == " = ") return BooleanDatum(c == 0);
      if (sign == " <> ") return BooleanDatum(c != 0);
      if (sign == " < ") return BooleanDatum(c < 0);
      if (sign == " <= ") return BooleanDatum(c <= 0);
      if (sign == " > ") return BooleanDatum(c > 0);
      if (sign == " >= ") return BooleanDatum(c >= 0);
      Fail("an operator");
    }
  }
  return a;
}

Datum TinyStatements::Call(const sql::Node& node, const Place& place) const {
  const auto arg = [&](std::size_t k) { return Eval(node.args.at(k), place); };
  const std::string& name = node.text;
  if (name == "bool_or" || name == "bool_and") {
    if (place.group == nullptr) Fail("an aggregate of a row");
    return Aggregate(node, *place.relation, *place.group);
  }
  if (name == "coalesce") {
    for (std::size_t k = 0; k < node.args.size(); ++k)
      if (const Datum x = arg(k); !x.null()) return x;
    return NullDatum();
  }
  const Datum x = arg(0);
  if (name == "nullif") {
    const Datum y = arg(1);
    return !x.null() && !y.null() && Order(x, y) == 0 ? NullDatum() : x;
  }
  if (x.null()) return x;
  if (name == "kith_steps" || name == "kith_clamp") {
    if (!std::isfinite(x.number)) return NullDatum();
    const auto cut = std::clamp(static_cast<double>(x.number), static_cast<double>(arg(1).number),
                                static_cast<double>(arg(2).number));
    if (name == "kith_clamp") return RealDatum(std::abs(cut) < static_cast<double>(arg(3).number) ? 0.0 : cut);
    const double steps =
        std::nearbyint((cut - static_cast<double>(arg(3).number)) * static_cast<double>(arg(4).number));
    return IntegerDatum(std::clamp(steps, -2147483648.0, 2147483647.0));
  }
  if (name == "abs") return Number(x, x, std::abs(x.number));
  if (name == "floor") return RealDatum(std::floor(x.number));
  if (name == "ceil" || name == "ceiling") return RealDatum(std::ceil(x.number));
  if (name == "sqrt") return RealDatum(std::sqrt(static_cast<double>(x.number)));
  if (name == "ln") return RealDatum(std::log(static_cast<double>(x.number)));
  if (name == "log10") return RealDatum(std::log10(static_cast<double>(x.number)));
  if (name == "exp") return RealDatum(std::exp(static_cast<double>(x.number)));
  if (name == "pow" || name == "power")
    return RealDatum(std::pow(static_cast<double>(x.number), static_cast<double>(arg(1).number)));
  Fail("a function " + name);
}

Datum TinyStatements::Aggregate(const sql::Node& node, const Relation& relation,
                                const std::vector<std::size_t>& rows) const {
  std::vector<Datum> values;
  for (const std::size_t row : rows) {
    const Place place{&relation, row};
    if (node.filter && !IsTrue(node.filter, place)) continue;
    const Datum value = node.args.at(0)->form == Form::kStar ? BooleanDatum(true) : Eval(node.args[0], place);
    if (!value.null()) values.push_back(value);
  }
  if (node.form == Form::kCount) {
    if (!node.flag) return IntegerDatum(static_cast<long double>(values.size()));
    std::sort(values.begin(), values.end());
    return IntegerDatum(static_cast<long double>(std::unique(values.begin(), values.end()) - values.begin()));
  }
  if (values.empty()) return NullDatum();
  if (node.form == Form::kSum) {
    long double sum = 0;
    for (const Datum& value : values) {
      if (value.kind == Datum::Kind::kReal) Fail("a sum of reals");
      sum += value.number;
    }
    return IntegerDatum(sum);
  }
  Datum best = values[0];
  const bool least = node.form == Form::kMin || (node.form == Form::kCall && node.text == "bool_and");
  for (const Datum& value : values)
    if (least ? Order(value, best) < 0 : Order(value, best) > 0) best = value;
  return best;
}

// A function over rows of a partition in an order, of which the present one is the last that counts.
Datum TinyStatements::Over(const sql::Node& function, const Place& place, const std::vector<std::size_t>& rows,
                           bool ordered) const {
  const auto at = static_cast<std::size_t>(std::find(rows.begin(), rows.end(), place.row) - rows.begin());
  if (function.form == Form::kCall && (function.text == "lag" || function.text == "lead")) {
    const auto by = static_cast<std::ptrdiff_t>(Eval(function.args.at(1), place).number);
    const auto to = static_cast<std::ptrdiff_t>(at) + (function.text == "lag" ? -by : by);
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(rows.size())) return NullDatum();
    return Eval(function.args[0], {place.relation, rows[static_cast<std::size_t>(to)]});
  }
  if (function.form == Form::kCall && function.text == "first_value")
    return Eval(function.args.at(0), {place.relation, rows.front()});
  std::vector<std::size_t> some(rows.begin(),
                                ordered ? rows.begin() + static_cast<std::ptrdiff_t>(at + 1) : rows.end());
  return Aggregate(function, *place.relation, some);
}

Datum TinyStatements::Window(const sql::Node& node, const Place& place) const {
  sql::Terms partition, order;
  const auto list = [](const sql::Term& term) {
    return term->form == Form::kInfix && term->text == ", " ? term->args : sql::Terms{term};
  };
  const sql::Node* function = nullptr;
  if (node.form == Form::kWindow) {
    partition = list(node.args[0]);
    order.assign(node.args.begin() + 1, node.args.end());
  } else if (node.text == ")") {
    function = node.args[0]->args.at(0).get();
    partition = list(node.args[0]->args.at(1));
  } else {
    const std::string start = " OVER (PARTITION BY ", by = " ORDER BY ";
    if (!node.text.starts_with(start)) Fail("a suffix");
    const std::string inside = node.text.substr(start.size(), node.text.size() - start.size() - 1);
    const std::size_t at = inside.find(by);
    partition = {sql::Name(inside.substr(0, at))};
    if (at != std::string::npos) order = {sql::Name(inside.substr(at + by.size()))};
    function = node.args[0].get();
  }
  const auto values = [&](std::size_t row) {
    std::vector<Datum> all;
    for (const sql::Term& term : partition) all.push_back(Eval(term, {place.relation, row}));
    return all;
  };
  const auto own = values(place.row);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < place.relation->rows.size(); ++row)
    if (values(row) == own) rows.push_back(row);
  rows = InOrder(order, *place.relation, std::move(rows));
  if (function != nullptr) return Over(*function, place, rows, !order.empty());
  return IntegerDatum(static_cast<long double>(std::find(rows.begin(), rows.end(), place.row) - rows.begin() + 1));
}

}  // namespace kith::testing
