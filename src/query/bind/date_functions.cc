// Dates as text, differences of dates, ages.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "query/bind/typing.h"
#include "query/bind/value_functions.h"
#include "query/bind/value_list.h"
#include "query/range/calendar.h"

namespace kith {
namespace {

constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};
constexpr const char* kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

enum class Look { kNumber, kTwoDigits, kThreeDigits, kFourDigits, kLastTwo, kName, kShortName };

struct Piece {
  std::string text = {};  // as it is, if it is not a part
  std::optional<DatePart> part = {};
  Look look = Look::kNumber;
};

struct Pattern {
  const char* text;
  DatePart part;
  Look look;
};

// Longer ones first, where one begins like another.
constexpr Pattern kToChar[] = {{"YYYY", DatePart::kYear, Look::kFourDigits},
                               {"MM", DatePart::kMonth, Look::kTwoDigits},
                               {"DDD", DatePart::kDayOfYear, Look::kThreeDigits},
                               {"DD", DatePart::kDay, Look::kTwoDigits},
                               {"Month", DatePart::kMonth, Look::kName},
                               {"Mon", DatePart::kMonth, Look::kShortName},
                               {"Day", DatePart::kDayOfWeek, Look::kName},
                               {"Dy", DatePart::kDayOfWeek, Look::kShortName},
                               {"ID", DatePart::kIsoDayOfWeek, Look::kNumber},
                               {"IW", DatePart::kWeek, Look::kTwoDigits},
                               {"HH24", DatePart::kHour, Look::kTwoDigits},
                               {"Q", DatePart::kQuarter, Look::kNumber},
                               {"YY", DatePart::kYear, Look::kLastTwo}};
constexpr Pattern kStrftime[] = {
    {"%Y", DatePart::kYear, Look::kFourDigits},       {"%y", DatePart::kYear, Look::kLastTwo},
    {"%m", DatePart::kMonth, Look::kTwoDigits},       {"%B", DatePart::kMonth, Look::kName},
    {"%b", DatePart::kMonth, Look::kShortName},       {"%d", DatePart::kDay, Look::kTwoDigits},
    {"%j", DatePart::kDayOfYear, Look::kThreeDigits}, {"%A", DatePart::kDayOfWeek, Look::kName},
    {"%a", DatePart::kDayOfWeek, Look::kShortName},   {"%w", DatePart::kDayOfWeek, Look::kNumber},
    {"%u", DatePart::kIsoDayOfWeek, Look::kNumber},   {"%V", DatePart::kWeek, Look::kTwoDigits},
    {"%H", DatePart::kHour, Look::kTwoDigits}};

// Nothing: it holds something else.
std::optional<std::vector<Piece>> PiecesOf(const std::string& format, bool to_char) {
  const Pattern* const begin = to_char ? std::begin(kToChar) : std::begin(kStrftime);
  const Pattern* const end = to_char ? std::end(kToChar) : std::end(kStrftime);
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < format.size();) {
    const auto* const found = std::find_if(
        begin, end, [&](const Pattern& p) { return format.compare(at, std::string(p.text).size(), p.text) == 0; });
    if (found != end) {
      pieces.push_back({.part = found->part, .look = found->look});
      at += std::string(found->text).size();
      continue;
    }
    const char c = format[at];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '"' || c == '%';
    if (to_char ? letter : c == '%') return std::nullopt;
    pieces.push_back({.text = std::string(1, c)});
    ++at;
  }
  return pieces;
}

std::string Shown(std::int64_t value, const Piece& piece) {
  switch (piece.look) {
    case Look::kNumber:
      return fmt::format("{}", value);
    case Look::kTwoDigits:
      return fmt::format("{:02}", value);
    case Look::kThreeDigits:
      return fmt::format("{:03}", value);
    case Look::kFourDigits:
      return fmt::format("{:04}", value);
    case Look::kLastTwo:
      return fmt::format("{:02}", value % 100);
    case Look::kName:
    case Look::kShortName: {
      const bool month = piece.part == DatePart::kMonth;
      const std::string name = month ? kMonths[value - 1] : kDays[value];
      return piece.look == Look::kName ? name : name.substr(0, 3);
    }
  }
  return {};
}

// The longest unit in which all these parts are the same.
DatePart UnitOf(const std::set<DatePart>& parts) {
  if (parts.contains(DatePart::kHour)) return DatePart::kHour;
  for (const DatePart of_day :
       {DatePart::kDay, DatePart::kDayOfYear, DatePart::kDayOfWeek, DatePart::kIsoDayOfWeek, DatePart::kWeek}) {
    if (parts.contains(of_day)) return DatePart::kDay;
  }
  return parts.contains(DatePart::kMonth) ? DatePart::kMonth : DatePart::kQuarter;
}

Result<ExprPtr> AsDate(const ExprPtr& arg, const std::string& where) {
  if (arg->type == Type::kTimestamp) return MakeExpr(Op::kToDate, Type::kDate, {arg});
  return Convert(arg, Type::kDate, where);
}

ExprPtr Whole(std::int64_t n) { return MakeConstant(n, Type::kInteger); }
ExprPtr Number(Op op, ExprPtr a, ExprPtr b) { return MakeExpr(op, Type::kInteger, {std::move(a), std::move(b)}); }

ExprPtr PartOf(const ExprPtr& date, DatePart part) {
  auto e = std::make_shared<Expr>();
  e->op = Op::kDatePart;
  e->type = Type::kInteger;
  e->args = {date};
  e->part = part;
  return e;
}

}  // namespace

Result<ExprPtr> MakeDateText(const std::string& name, const ExprPtr& date, const std::string& format,
                             const Table& table, const std::string& where) {
  const bool to_char = name == "to_char";
  if (IsNullConstant(*date)) return MakeConstant(Null{}, Type::kText);
  if (date->type != Type::kDate && date->type != Type::kTimestamp)
    return Unsupported(fmt::format("{} is for dates here, not for {}", name, TypeName(date->type)), where);
  const auto pieces = PiecesOf(format, to_char);
  std::set<DatePart> parts;
  if (pieces) {
    for (const Piece& piece : *pieces) {
      if (piece.part) parts.insert(*piece.part);
    }
  }
  if (parts.empty()) {
    return Unsupported("this format of dates is not supported", Shortened(format),
                       to_char
                           ? "use YYYY, YY, Q, MM, Mon, Month, DD, DDD, IW, ID, Dy, Day, HH24 and signs between them"
                           : "use %Y, %y, %m, %b, %B, %d, %j, %V, %u, %w, %a, %A, %H and signs between them");
  }
  const std::string label = fmt::format("{}({}, {})", name, CanonicalText(*date, table),
                                        CanonicalText(*MakeConstant(format, Type::kText), table));
  const auto text = [&](const auto& value_of) {
    std::string all;
    for (const Piece& piece : *pieces) all += piece.part ? Shown(value_of(*piece.part), piece) : piece.text;
    return Value{all};
  };
  if (parts.size() == 1) {
    const auto part = MakeDatePart(DatePartName(*parts.begin()), date, where);
    if (!part) return part.error();
    const auto of_number = [&](const Value& value) {
      return text([&](DatePart) { return std::get<std::int64_t>(value); });
    };
    return MakeList(*part, Type::kText, of_number, label, table, where);
  }
  const bool is_date = date->type == Type::kDate;
  const DatePart unit = is_date && UnitOf(parts) == DatePart::kHour ? DatePart::kDay : UnitOf(parts);
  const auto start = MakeDateTrunc(DatePartName(unit), date, where);
  if (!start) return start.error();
  const auto of_start = [&](const Value& value) {
    const auto at = std::get<std::int64_t>(value);
    return text([&](DatePart part) { return is_date ? PartOfDate(at, part) : PartOfTimestamp(at, part); });
  };
  return MakeList(*start, Type::kText, of_start, label, table, where);
}

Result<ExprPtr> MakeDateDifference(const std::string& part, const ExprPtr& from, const ExprPtr& to, const Table& table,
                                   const std::string& where) {
  const auto a = AsDate(from, where), b = AsDate(to, where);
  if (!a) return a.error();
  if (!b) return b.error();
  const auto minus = [&](DatePart of) { return Number(Op::kSubtract, PartOf(*b, of), PartOf(*a, of)); };
  const auto labelled = [&](const ExprPtr& difference, DatePart of) {
    return Labelled(difference, fmt::format("date_diff('{}', {}, {})", DatePartName(of), CanonicalText(**a, table),
                                            CanonicalText(**b, table)));
  };
  const auto years_in = [&](std::int64_t parts, DatePart of) {
    return labelled(Number(Op::kAdd, Number(Op::kMultiply, minus(DatePart::kYear), Whole(parts)), minus(of)), of);
  };
  if (part == "day" || part == "days") return MakeArithmetic(Op::kSubtract, *b, *a, where);
  if (part == "week" || part == "weeks") {
    const auto first = MakeDateTrunc("week", *a, where), last = MakeDateTrunc("week", *b, where);
    if (!first) return first.error();
    if (!last) return last.error();
    const ExprPtr days = MakeExpr(Op::kSubtract, Type::kInteger, {*last, *first});
    return labelled(Number(Op::kIntegerDivide, days, Whole(7)), DatePart::kWeek);
  }
  if (part == "month" || part == "months") return years_in(12, DatePart::kMonth);
  if (part == "quarter" || part == "quarters") return years_in(4, DatePart::kQuarter);
  if (part == "year" || part == "years") return labelled(minus(DatePart::kYear), DatePart::kYear);
  return Unsupported("this unit of time is not supported in a difference of dates", Shortened(part),
                     "use date_diff('day', a, b), or week, month, quarter or year");
}

// The difference of the years, and one less if the birthday is still to come; the other way round for days before.
Result<ExprPtr> MakeAge(const ExprPtr& from, const ExprPtr& to, const Table& table, const std::string& where) {
  const auto a = AsDate(from, where), b = AsDate(to, where);
  if (!a) return a.error();
  if (!b) return b.error();
  const auto in_year = [&](const ExprPtr& date) {
    return Number(Op::kAdd, Number(Op::kMultiply, PartOf(date, DatePart::kMonth), Whole(100)),
                  PartOf(date, DatePart::kDay));
  };
  const auto less = [](const ExprPtr& x, const ExprPtr& y) { return MakeExpr(Op::kLess, Type::kBoolean, {x, y}); };
  const ExprPtr before = less(*b, *a);
  const auto both = [](const ExprPtr& x, const ExprPtr& y) { return MakeExpr(Op::kAnd, Type::kBoolean, {x, y}); };
  const ExprPtr not_yet = both(MakeExpr(Op::kNot, Type::kBoolean, {before}), less(in_year(*b), in_year(*a)));
  const ExprPtr rest = MakeExpr(Op::kCase, Type::kInteger,
                                {not_yet, Whole(1), both(before, less(in_year(*a), in_year(*b))), Whole(-1), Whole(0)});
  const ExprPtr years = Number(Op::kSubtract, PartOf(*b, DatePart::kYear), PartOf(*a, DatePart::kYear));
  return Labelled(Number(Op::kSubtract, years, rest),
                  fmt::format("extract(year FROM age({}, {}))", CanonicalText(**b, table), CanonicalText(**a, table)));
}

}  // namespace kith
