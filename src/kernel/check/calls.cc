// What calls, clamps and parts of dates can be.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"
#include "sql/functions.h"

namespace kith::check {
namespace {

using sql::Form;

// Functions that all engines spell alike, of their arguments alone.
constexpr std::array<std::string_view, 7> kFunctions = {"abs",    "ceil",   "coalesce", "floor",
                                                        "length", "nullif", "translate"};

// args[3] is CASE WHEN x BETWEEN low AND high THEN x WHEN x < low THEN low WHEN x > high THEN high, and low for NULL.
bool IsClamp(const sql::Node& node) {
  const sql::Term &x = node.args[0], &low = node.args[1], &high = node.args[2];
  sql::Terms parts = {sql::Between(x, low, high),   x,   sql::Infix(" < ", {x, low}), low,
                      sql::Infix(" > ", {x, high}), high};
  if (node.flag) parts.push_back(low);
  return Same(sql::Case(std::move(parts)), node.args[3]);
}

std::optional<double> Number(const sql::Term& term) {
  if (term->form == Form::kNumber) return static_cast<double>(term->low);
  if (term->form != Form::kLiteral && term->form != Form::kConstant) return std::nullopt;
  return NumberIn(term->value);
}

}  // namespace

Possible Terms::Call(const sql::Node& node) {
  if (node.text == "kith_steps" || node.text == "kith_clamp") return KithSteps(node);
  const SqlFunction* const function = FindFunction(node.text);
  const bool known = node.function ? node.function == function && function->OfOneRow()
                                   : std::find(kFunctions.begin(), kFunctions.end(), node.text) != kFunctions.end();
  if (!known) return Refuse("a function that is not known");
  const auto args = Args(node);
  if (args.empty()) return Refuse("a function without arguments");
  Possible p = Made(args);
  if (node.text == "coalesce") {
    p = args[0];
    for (std::size_t k = 1; k < args.size() && p.null; ++k) {
      const bool null = args[k].null;
      p.null = false;
      p = Hull(p, args[k]);
      p.null = null;
    }
    return Settled(p);
  }
  const Possible& x = args[0];
  if (node.text == "nullif") {
    if (!Compared("=", x, args.at(1)).MayBeTrue()) return x;
    p = Chosen(x, Made(args));
    p.null = true;
    return p;
  }
  const bool numbers = x.low <= x.high;
  if (node.text == "abs" && numbers) {
    p = Hull(x, Negated(x));
    p.low = x.low <= 0 && x.high >= 0 ? 0 : std::min(std::abs(x.low), std::abs(x.high));
    p.null = x.null;
    return Settled(p);
  }
  if (node.text == "floor") return Mapped(x, std::floor);
  if (node.text == "ceil" || node.text == "ceiling") return Mapped(x, std::ceil);
  p.null = std::any_of(args.begin(), args.end(), [](const Possible& arg) { return arg.null; });
  p.real = p.real || (function && (function->kind == FunctionKind::kCurve || function->kind == FunctionKind::kPower));
  return p;
}

// (x cut to [low, high] - shift) * inverse, to the nearest whole number; or x cut, where it is not tiny.
Possible Terms::KithSteps(const sql::Node& node) {
  const bool steps = node.text == "kith_steps";
  if (node.args.size() != (steps ? 5u : 4u)) return Refuse("a call of kith's own with too few arguments");
  std::vector<double> numbers;
  for (std::size_t k = 1; k < node.args.size(); ++k) {
    const auto number = Number(node.args[k]);
    if (!number) return Refuse("a call of kith's own whose ends are not constant");
    numbers.push_back(*number);
  }
  if (numbers[0] > numbers[1]) return Refuse("ends that are in the wrong order");
  const Possible x = Of(node.args[0]);
  Possible p = Made({x});
  p.low = std::clamp(x.low, numbers[0], numbers[1]);
  p.high = std::clamp(x.high, numbers[0], numbers[1]);
  p.real = true;
  if (x.low > x.high) return Settled(Chosen(Constant(Null{}), x));
  p.null = x.null || x.low == -kEndless || x.high == kEndless;  // what is infinite or not a number
  if (!steps) {
    const bool tiny = numbers[0] < numbers[2] && numbers[1] > -numbers[2];
    if (tiny) p.low = std::min(p.low, std::clamp(0.0, numbers[0], numbers[1]));
    if (tiny) p.high = std::max(p.high, std::clamp(0.0, numbers[0], numbers[1]));
    return p;
  }
  if (numbers[3] < 0) return Refuse("steps that are negative");
  constexpr double kNarrow = 2147483647.0;
  for (double* end : {&p.low, &p.high})
    *end = std::clamp(std::nearbyint((*end - numbers[2]) * numbers[3]), -kNarrow - 1, kNarrow);
  p.real = false;
  return Settled(p);
}

bool Terms::IsAsStored(const sql::Node& name) {
  const RowColumn* column = Find(rows_, name, context_.reason);
  return column && column->as_stored;
}

Possible Terms::Clamped(const sql::Node& node) {
  if (node.args.size() != 4) return Refuse("a clamp without ends");
  const auto low = Of(node.args[1]), high = Of(node.args[2]);
  if (low.low > high.high) return Refuse("a clamp whose ends are in the wrong order");
  const Possible x = Of(node.args[0]);
  Possible cut = Cut(x, low.low, high.high);
  if (node.flag) cut.null = false;  // the lower end stands for NULL
  Possible p = Hull(Of(node.args[3]), cut);
  if (IsClamp(node)) {
    if (!node.flag || !x.null) p = Kept(p, cut);
    p.null = !node.flag && x.null;
  }
  // Engines may write it as what x and its ends say, with the lower one for NULL.
  if (node.flag) p.low = std::min(p.low, low.low), p.high = std::max(p.high, low.high);
  if (node.text.empty()) return Settled(p);
  // Where it is known to change nothing it is left out: what was looked at must have been this clamp.
  const TableFacts& table = context_.facts.tables[context_.facts.unit_table];
  const sql::Term column = Bare(node.args[0]);
  const bool known = column->form == Form::kColumn && IsAsStored(*column) &&
                     std::any_of(table.columns.begin(), table.columns.end(), [&](const ColumnFacts& c) {
                       return c.name == column->text && c.clamp == node.text && c.low >= low.low &&
                              c.high <= high.high && node.flag == node.text.ends_with("never missing");
                     });
  return known ? Settled(p) : Refuse("a clamp under the name of another");
}

Possible Terms::DatePart(const sql::Node& node) {
  const Possible of = Of(node.args.at(0));
  Possible p = Made({of});
  p.null = of.null;
  const auto between = [&](double low, double high) { p.low = low, p.high = high; };
  switch (node.part) {
    case kith::DatePart::kYear: {
      const bool time = node.args[0]->form == Form::kCast || of.high > 1e9 || of.low < -1e9;  // microseconds, not days
      const double day = time ? 86400e6 : 1;
      if (time || !(of.low > -1e6 && of.high < 1e7 && of.low <= of.high)) break;
      const auto year = [&](double at) {
        const std::chrono::sys_days date{std::chrono::days{static_cast<int>(std::floor(at / day))}};
        return static_cast<double>(static_cast<int>(std::chrono::year_month_day{date}.year()));
      };
      between(year(of.low), year(of.high));
      break;
    }
    case kith::DatePart::kQuarter:
      between(1, 4);
      break;
    case kith::DatePart::kMonth:
      between(1, 12);
      break;
    case kith::DatePart::kWeek:
      between(1, 53);
      break;
    case kith::DatePart::kDay:
      between(1, 31);
      break;
    case kith::DatePart::kDayOfWeek:
      between(0, 6);
      break;
    case kith::DatePart::kIsoDayOfWeek:
      between(1, 7);
      break;
    case kith::DatePart::kDayOfYear:
      between(1, 366);
      break;
    case kith::DatePart::kHour:
      between(0, 23);
      break;
    case kith::DatePart::kMinute:
    case kith::DatePart::kSecond:
      between(0, 59);
      break;
  }
  return Settled(p);
}

}  // namespace kith::check
