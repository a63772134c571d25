// Expressions of the reference database, one value at a time.
#include "tests/support/tiny_db_eval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include "tests/support/tiny_db.h"

namespace kith::testing {
namespace {

using Kind = Datum::Kind;

/// -1, 0 or 1. A text literal next to a date is read as a date.
int Compare(Datum a, Datum b) {
  const auto align = [](Datum& text, const Datum& other) {
    if (text.kind != Kind::kText) return;
    if (other.kind == Kind::kDate) text = FromText(text.text, ColumnType::kDate);
    if (other.kind == Kind::kTimestamp) text = FromText(text.text, ColumnType::kTimestamp);
  };
  align(a, b);
  align(b, a);
  if (a.kind == Kind::kDate && b.kind == Kind::kTimestamp) a = TimestampDatum(a.number * 86400000000.0L);
  if (b.kind == Kind::kDate && a.kind == Kind::kTimestamp) b = TimestampDatum(b.number * 86400000000.0L);
  if (a.kind == Kind::kText && b.kind == Kind::kText) return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  if (a.kind != b.kind && !(a.numeric() && b.numeric())) throw std::runtime_error("reference: comparing unlike kinds");
  return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
}

/// % is any text, _ one character (of UTF-8), backslash quotes.
bool Like(const std::string& text, std::size_t t, const std::string& pattern, std::size_t p) {
  const auto next = [&](std::size_t i) {
    for (++i; i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;) ++i;
    return i;
  };
  for (; p < pattern.size(); ++p) {
    if (pattern[p] == '%') {
      for (std::size_t rest = t;; rest = next(rest)) {
        if (Like(text, rest, pattern, p + 1)) return true;
        if (rest >= text.size()) return false;
      }
    }
    if (t >= text.size()) return false;
    if (pattern[p] == '_') {
      t = next(t);
      continue;
    }
    if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
    if (text[t++] != pattern[p]) return false;
  }
  return t == text.size();
}

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Datum Truth(int truth) { return truth < 0 ? NullDatum() : BooleanDatum(truth > 0); }
int TruthOf(const Datum& value) {
  if (value.null()) return -1;
  if (value.kind != Kind::kBoolean) throw std::runtime_error("reference: a condition is not true or false");
  return value.number != 0 ? 1 : 0;
}

Datum Arithmetic(const std::string& op, const Datum& a, const Datum& b) {
  if (a.null() || b.null()) return NullDatum();
  if (op == "-" && a.kind == Kind::kDate && b.kind == Kind::kDate) return IntegerDatum(a.number - b.number);
  if (!a.numeric() || !b.numeric()) throw std::runtime_error("reference: arithmetic on something that is no number");
  const bool whole = a.kind == Kind::kInteger && b.kind == Kind::kInteger;
  long double result = 0;
  if (op == "+") result = a.number + b.number;
  if (op == "-") result = a.number - b.number;
  if (op == "*") result = a.number * b.number;
  if (op == "/" || op == "%" || op == "div") {
    if (b.number == 0) return NullDatum();                 // total: no data value may cause an error
    if (op == "/") return RealDatum(a.number / b.number);  // of integers as well
    result = op == "div" ? std::trunc(a.number / b.number) : std::fmod(a.number, b.number);
  }
  return whole ? IntegerDatum(result) : RealDatum(result);
}

Datum DatePart(const std::string& part, const Datum& value) {
  if (value.null()) return NullDatum();
  const long double per_day = 86400000000.0L;
  const bool date = value.kind == Kind::kDate;
  if (!date && value.kind != Kind::kTimestamp) throw std::runtime_error("reference: date part of something else");
  const long double days = date ? value.number : std::floor(value.number / per_day);
  const long double micros = date ? 0 : value.number - days * per_day;
  const auto [year, month, day] = CivilOf(static_cast<long long>(days));
  const auto whole = [](long long number) { return IntegerDatum(static_cast<long double>(number)); };
  const long long weekday = ((static_cast<long long>(days) % 7) + 11) % 7;  // 1970-01-01 was a Thursday
  if (part == "year") return whole(year);
  if (part == "month") return whole(month);
  if (part == "quarter") return whole((month - 1) / 3 + 1);
  if (part == "day") return whole(day);
  if (part == "week") {
    // ISO: the week of the Thursday that is nearest.
    const long long thursday = static_cast<long long>(days) - (weekday + 6) % 7 + 3;
    return whole((thursday - DaysOf(CivilDate{CivilOf(thursday).year, 1, 1})) / 7 + 1);
  }
  if (part == "dow") return whole(weekday);
  if (part == "isodow") return whole(weekday == 0 ? 7 : weekday);
  if (part == "doy") return whole(static_cast<long long>(days) - DaysOf(CivilDate{year, 1, 1}) + 1);
  if (part == "hour") return IntegerDatum(std::floor(micros / 3600000000.0L));
  if (part == "minute") return IntegerDatum(std::fmod(std::floor(micros / 60000000.0L), 60));
  if (part == "second") return IntegerDatum(std::fmod(std::floor(micros / 1000000.0L), 60));
  throw std::runtime_error("reference: date part " + part);
}

Datum DateTrunc(const std::string& unit, const Datum& value) {
  const long double per_day = 86400000000.0L;
  const bool date = value.kind == Kind::kDate;
  if (unit == "hour") return TimestampDatum(std::floor(value.number / 3600000000.0L) * 3600000000.0L);
  long double day = date ? value.number : std::floor(value.number / per_day);
  // Backwards, day by day, to the first of its kind.
  const auto part = [&](const char* name, long double at) { return DatePart(name, DateDatum(at)).number; };
  const auto first = [&](long double at) {
    if (unit == "day") return true;
    if (unit == "week") return part("isodow", at) == 1;
    if (unit == "month") return part("day", at) == 1;
    if (unit == "quarter") return part("day", at) == 1 && part("quarter", at) != part("quarter", at - 1);
    if (unit == "year") return part("doy", at) == 1;
    throw std::runtime_error("reference: date_trunc " + unit);
  };
  while (!first(day)) --day;
  return date ? DateDatum(day) : TimestampDatum(day * per_day);
}

/// Counts the inner ends that x has reached.
Datum Bucket(long double x, long double low, long double high, long double count) {
  if (x < low) return IntegerDatum(0);
  if (x >= high) return IntegerDatum(count + 1);
  long double bucket = 1;
  while (bucket < count && x >= low + (high - low) * bucket / count) ++bucket;
  return IntegerDatum(bucket);
}

/// How many units begin after one day and until another.
Datum DateDifference(const std::string& unit, const Datum& from, const Datum& to) {
  if (from.number > to.number) return IntegerDatum(-DateDifference(unit, to, from).number);
  long double begun = 0;
  for (long double day = from.number + 1; day <= to.number; ++day)
    if (DateTrunc(unit, DateDatum(day)).number == day) ++begun;
  return IntegerDatum(begun);
}

std::string DateText(const std::string& format, const Datum& date) {
  std::string text;
  const std::string day =
      ToText(DateDatum(date.kind == Kind::kDate ? date.number : std::floor(date.number / 8.64e10L)));
  const auto is = [&](std::size_t at, const std::string& what) { return format.compare(at, what.size(), what) == 0; };
  for (std::size_t at = 0; at < format.size();) {
    const bool percent = format[at] == '%';
    if (is(at, "YYYY") || is(at, "%Y")) {
      text += day.substr(0, 4);
      at += percent ? 2 : 4;
    } else if (is(at, "MM") || is(at, "%m")) {
      text += day.substr(5, 2);
      at += 2;
    } else if (is(at, "DD") || is(at, "%d")) {
      text += day.substr(8, 2);
      at += 2;
    } else if (is(at, "Dy") || is(at, "%a")) {
      text +=
          std::string("SunMonTueWedThuFriSat").substr(3 * static_cast<std::size_t>(DatePart("dow", date).number), 3);
      at += 2;
    } else {
      text += format[at++];
    }
  }
  return text;
}

/// Newer functions; nothing if it is not among them.
std::optional<Datum> Function(const std::string& name, const std::vector<Datum>& args) {
  const long double x = args[0].number;
  if (name == "sqrt") return x < 0 ? NullDatum() : RealDatum(std::sqrt(x));
  if (name == "cbrt") return RealDatum(std::cbrt(x));
  if (name == "ln") return x <= 0 ? NullDatum() : RealDatum(std::log(x));
  if (name == "log10" || name == "log") return x <= 0 ? NullDatum() : RealDatum(std::log10(x));
  if (name == "log2") return x <= 0 ? NullDatum() : RealDatum(std::log2(x));
  if (name == "exp") return RealDatum(x < -80 ? 0 : std::exp(x));
  if (name == "sign") return IntegerDatum(x > 0 ? 1 : x < 0 ? -1 : 0);
  if (name == "power") {
    const long double y = args[1].number;
    const bool whole = y == std::floor(y) && std::fabs(y) >= 1 && std::fabs(y) <= 16;
    if ((x == 0 && y <= 0) || (x < 0 && !whole)) return NullDatum();
    return RealDatum(std::pow(x, y));
  }
  if (name == "||") return TextDatum(args[0].text + args[1].text);
  if (name == "lower") return TextDatum(Lower(args[0].text));
  if (name == "upper") {
    std::string text = args[0].text;
    for (char& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return TextDatum(text);
  }
  if (name == "length" || name == "substr") {  // of ASCII
    if (name == "length") return IntegerDatum(static_cast<long double>(args[0].text.size()));
    const auto from = std::min(static_cast<std::size_t>(args[1].number) - 1, args[0].text.size());
    return TextDatum(
        args[0].text.substr(from, args.size() > 2 ? static_cast<std::size_t>(args[2].number) : std::string::npos));
  }
  if (name == "date_diff") return DateDifference(args[0].text, args[1], args[2]);
  if (name == "to_char" || name == "strftime") return TextDatum(DateText(args[1].text, args[0]));
  return std::nullopt;
}

class Evaluator {
 public:
  explicit Evaluator(const Lookup& lookup) : lookup_(lookup) {}

  Datum Eval(const Expr& e) const {
    if (auto known = lookup_(e)) return *known;
    if (e.op == "literal") return e.literal;
    if (e.op == "column") throw std::runtime_error("reference: unknown column " + e.name);
    if (e.op == "and" || e.op == "or") return Logic(e);
    if (e.op == "not") return Not(e.args[0]);
    if (e.op == "is_null") return BooleanDatum(Eval(e.args[0]).null());
    if (e.op == "is_true") return BooleanDatum(TruthOf(Eval(e.args[0])) == 1);
    if (e.op == "is_false") return BooleanDatum(TruthOf(Eval(e.args[0])) == 0);
    if (e.op == "distinct") return Distinct(e);
    if (e.op == "nullif") return NullIf(e);
    if (e.op == "in") return In(e);
    if (e.op == "case") return Case(e);
    if (e.op == "coalesce") return Coalesce(e);
    if (e.op == "greatest" || e.op == "least") return Extreme(e);
    if (e.op == "concat") return Concat(e);
    if (e.op == "date_part" && e.args[1].op == "age") return Age(Eval(e.args[1].args[0]), Eval(e.args[1].args[1]));
    return Strict(e);
  }

 private:
  Datum Logic(const Expr& e) const {
    const int a = TruthOf(Eval(e.args[0]));
    const int b = TruthOf(Eval(e.args[1]));
    const int decisive = e.op == "and" ? 0 : 1;
    if (a == decisive || b == decisive) return Truth(decisive);
    return Truth(a < 0 || b < 0 ? -1 : 1 - decisive);
  }
  Datum Not(const Expr& e) const {
    const int a = TruthOf(Eval(e));
    return Truth(a < 0 ? -1 : 1 - a);
  }
  Datum Distinct(const Expr& e) const {
    const Datum a = Eval(e.args[0]);
    const Datum b = Eval(e.args[1]);
    if (a.null() || b.null()) return BooleanDatum(a.null() != b.null());
    return BooleanDatum(Compare(a, b) != 0);
  }
  Datum NullIf(const Expr& e) const {
    const Datum a = Eval(e.args[0]);
    const Datum b = Eval(e.args[1]);
    return !a.null() && !b.null() && Compare(a, b) == 0 ? NullDatum() : a;
  }
  Datum In(const Expr& e) const {
    const Datum value = Eval(e.args[0]);
    bool unknown = false;
    for (std::size_t i = 1; i < e.args.size(); ++i) {
      const Datum other = Eval(e.args[i]);
      if (value.null() || other.null())
        unknown = true;
      else if (Compare(value, other) == 0)
        return BooleanDatum(true);
    }
    return unknown ? NullDatum() : BooleanDatum(false);
  }
  Datum Case(const Expr& e) const {
    for (std::size_t i = 0; i + 1 < e.args.size(); i += 2)
      if (TruthOf(Eval(e.args[i])) == 1) return Eval(e.args[i + 1]);
    return Eval(e.args.back());
  }
  Datum Coalesce(const Expr& e) const {
    for (const Expr& arg : e.args) {
      Datum value = Eval(arg);
      if (!value.null()) return value;
    }
    return NullDatum();
  }
  Datum Concat(const Expr& e) const {
    std::string all;
    for (const Expr& arg : e.args) all += Eval(arg).text;  // that of NULL is empty
    return TextDatum(all);
  }
  // Birthdays that have been, one by one.
  static Datum Age(const Datum& later, const Datum& earlier) {
    if (later.null() || earlier.null()) return NullDatum();
    if (later.number < earlier.number) return IntegerDatum(-Age(earlier, later).number);
    const auto in_year = [](const Datum& day) {
      return DatePart("month", day).number * 100 + DatePart("day", day).number;
    };
    long double years = 0;
    for (long double year = DatePart("year", earlier).number + 1; year <= DatePart("year", later).number; ++year)
      if (year < DatePart("year", later).number || in_year(later) >= in_year(earlier)) ++years;
    return IntegerDatum(years);
  }
  // NULLs are skipped, as in PostgreSQL.
  Datum Extreme(const Expr& e) const {
    Datum best;
    for (const Expr& arg : e.args) {
      const Datum value = Eval(arg);
      if (value.null()) continue;
      if (best.null() || Compare(value, best) == (e.op == "greatest" ? 1 : -1)) best = value;
    }
    return best;
  }
  // Everything whose value is NULL as soon as one operand is.
  Datum Strict(const Expr& e) const {
    std::vector<Datum> args;
    for (const Expr& arg : e.args) args.push_back(Eval(arg));
    if (std::any_of(args.begin(), args.end(), [](const Datum& d) { return d.null(); })) return NullDatum();
    const auto compare = [&] { return Compare(args[0], args[1]); };
    if (e.op == "=") return BooleanDatum(compare() == 0);
    if (e.op == "<>") return BooleanDatum(compare() != 0);
    if (e.op == "<") return BooleanDatum(compare() < 0);
    if (e.op == "<=") return BooleanDatum(compare() <= 0);
    if (e.op == ">") return BooleanDatum(compare() > 0);
    if (e.op == ">=") return BooleanDatum(compare() >= 0);
    if (e.op == "like") return BooleanDatum(Like(args[0].text, 0, args[1].text, 0));
    if (e.op == "ilike") return BooleanDatum(Like(Lower(args[0].text), 0, Lower(args[1].text), 0));
    if (e.op == "date_trunc") return DateTrunc(args[0].text, args[1]);
    if (e.op == "width_bucket") return Bucket(args[0].number, args[1].number, args[2].number, args[3].number);
    if (e.op == "date_part") return DatePart(args[0].text, args[1]);
    if (e.op == "negate") return Arithmetic("-", IntegerDatum(0), args[0]);
    if (e.op == "abs") return args[0].number < 0 ? Arithmetic("-", IntegerDatum(0), args[0]) : args[0];
    if (e.op == "to_integer") return IntegerDatum(std::floor(args[0].number + 0.5L));
    if (e.op == "to_real") return RealDatum(args[0].number);
    if (e.op == "to_date") return DateDatum(std::floor(args[0].number / 86400000000.0L));
    if (e.op == "to_timestamp") return TimestampDatum(args[0].number * 86400000000.0L);
    if (e.op == "floor") return IntegerOrReal(args[0], std::floor(args[0].number));
    if (e.op == "ceil" || e.op == "ceiling") return IntegerOrReal(args[0], std::ceil(args[0].number));
    if (e.op == "round") return Round(args);
    if (const auto known = Function(e.op, args)) return *known;
    if (args.size() == 2) return Arithmetic(e.op, args[0], args[1]);
    throw std::runtime_error("reference: function " + e.op);
  }
  // Halves go up: round(-2.5) is -2. In doubles, since groups are named by them.
  static Datum Round(const std::vector<Datum>& args) {
    const double digits = args.size() > 1 ? static_cast<double>(args[1].number) : 0;
    const double factor = std::pow(10.0, std::fabs(digits)), x = static_cast<double>(args[0].number);
    if (digits < 0) return IntegerOrReal(args[0], std::floor(x / factor + 0.5) * factor);
    return IntegerOrReal(args[0], std::floor(x * factor + 0.5) / factor);
  }
  static Datum IntegerOrReal(const Datum& like, long double value) {
    return like.kind == Kind::kInteger ? IntegerDatum(value) : RealDatum(value);
  }

  const Lookup& lookup_;
};

}  // namespace

Datum EvalWith(const Expr& expr, const Lookup& lookup) { return Evaluator(lookup).Eval(expr); }

int CompareNullsLast(const Datum& a, const Datum& b) {
  if (a.null() || b.null()) return a.null() && b.null() ? 0 : a.null() ? 1 : -1;
  return Compare(a, b);
}

Datum Eval(const Expr& expr, const TinyTable& table, const Row& read) {
  return EvalWith(expr, [&](const Expr& e) -> std::optional<Datum> {
    if (e.op != "column") return std::nullopt;
    auto found = std::find(table.columns.begin(), table.columns.end(), e.name);
    const auto joined = [&](const std::string& name) { return name.ends_with("." + e.name); };
    if (found == table.columns.end()) found = std::find_if(table.columns.begin(), table.columns.end(), joined);
    if (found == table.columns.end()) return std::nullopt;
    return read[static_cast<std::size_t>(found - table.columns.begin())];
  });
}

}  // namespace kith::testing
