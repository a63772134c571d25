#include "query/bind/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policy/dates.h"
#include "query/bind/typing.h"
#include "query/plan.h"

namespace kith {
namespace {

constexpr auto kMostParts = static_cast<std::int64_t>(Plan::kMaxGroups) - 1;  // NULL is a group too

Error NoBounds(const std::string& where) {
  return Unsupported("a histogram needs the bounds of its values", where,
                     "declare lower and upper of the column in the policy, or write least(greatest(x, 0), 100)");
}

// Days from the first one: parts of dates are parts of these.
ExprPtr DaysFrom(const ExprPtr& date, std::int64_t first) {
  return MakeExpr(Op::kSubtract, Type::kInteger, {date, MakeConstant(first, Type::kDate)});
}

Result<std::int64_t> PartsOf(const Expr& n, const std::string& where) {
  const auto* parts = n.op == Op::kConstant ? std::get_if<std::int64_t>(&n.value) : nullptr;
  if (parts && *parts >= 1 && *parts <= kMostParts) return *parts;
  return Unsupported(fmt::format("a histogram has a constant number of parts from 1 to {}", kMostParts), where,
                     "write histogram(column, 10)");
}

std::string RealEnd(double value, int digits) { return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits); }

// As few digits as distinguish all ends.
std::vector<std::string> RealEnds(double low, double high, std::int64_t parts) {
  constexpr int kFewest = 6, kMost = 17;
  std::vector<std::string> ends;
  for (int digits = kFewest; digits <= kMost; ++digits) {
    ends.clear();
    for (std::int64_t k = 0; k <= parts; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(parts);
      ends.push_back(RealEnd(k == parts ? high : low + (high - low) * share, digits));
    }
    if (std::set<std::string>(ends.begin(), ends.end()).size() == ends.size()) break;
  }
  return ends;
}

// The first whole number of each part, and the last number of all.
std::vector<std::string> WholeEnds(const Expr& e, std::int64_t low, std::int64_t high, std::int64_t parts) {
  const auto* first_day = std::get_if<std::int64_t>(&e.value);
  std::vector<std::string> ends;
  for (std::int64_t k = 0; k <= parts; ++k) {
    const Int128 from = (static_cast<Int128>(high - low) * k + parts - 1) / parts;
    const auto end = static_cast<std::int64_t>(low + from);
    ends.push_back(first_day ? DateText(*first_day + end) : fmt::format("{}", end));
  }
  return ends;
}

}  // namespace

Result<ExprPtr> MakeHistogram(const ExprPtr& x, const ExprPtr& n, const Table& table, const std::vector<Range>& columns,
                              const std::string& where) {
  const auto parts = PartsOf(*n, where);
  if (!parts) return parts.error();
  if (x->type != Type::kInteger && x->type != Type::kReal && x->type != Type::kDate) {
    return Unsupported(
        fmt::format("a histogram is of numbers or dates, not of {}", TypeName(x->type)), where,
        x->type == Type::kTimestamp ? "write histogram(CAST(column AS date), 10)" : "group by the column itself");
  }
  RangeEvaluator evaluator(table, columns);
  const Range range = evaluator.Evaluate(*x);
  if (evaluator.error()) return *evaluator.error();
  auto e = std::make_shared<Expr>();
  e->op = Op::kHistogram;
  e->type = Type::kInteger;
  if (x->type == Type::kReal) {
    constexpr double kLargest = 0x1p400;
    if (range.OnlyNull() || range.real_low < -kLargest || range.real_high > kLargest) return NoBounds(where);
    if (!(range.real_low < range.real_high)) return Unsupported("this has one value only", where, "use count(*)");
    e->args = {x, MakeConstant(range.real_low, Type::kReal), MakeConstant(range.real_high, Type::kReal), n};
    return ExprPtr(e);
  }
  constexpr Int128 kLargest = Int128{1} << 45;  // times the number of parts it still fits 64 bits
  const bool wide_dates = x->type == Type::kDate && range.low <= kFirstDay && range.high >= kLastDay;
  if (range.OnlyNull() || range.low < -kLargest || range.high > kLargest || wide_dates) return NoBounds(where);
  const auto low = static_cast<std::int64_t>(range.low), high = static_cast<std::int64_t>(range.high);
  if (low == high) return Unsupported("this has one value only", where, "use count(*)");
  if (*parts > high - low + 1) {
    return Unsupported(fmt::format("there are only {} different values", high - low + 1), where,
                       fmt::format("write histogram(..., {}) or fewer parts", high - low + 1));
  }
  const bool date = x->type == Type::kDate;
  if (date) e->value = low;
  const std::int64_t from = date ? 0 : low, to = date ? high - low : high;
  e->args = {date ? DaysFrom(x, low) : x, MakeConstant(from, Type::kInteger), MakeConstant(to, Type::kInteger), n};
  return ExprPtr(e);
}

std::vector<std::string> HistogramLabels(const Expr& e) {
  const auto parts = std::get<std::int64_t>(e.args[3]->value);
  const bool real = e.args[0]->type == Type::kReal;
  const std::vector<std::string> ends =
      real ? RealEnds(std::get<double>(e.args[1]->value), std::get<double>(e.args[2]->value), parts)
           : WholeEnds(e, std::get<std::int64_t>(e.args[1]->value), std::get<std::int64_t>(e.args[2]->value), parts);
  std::vector<std::string> labels;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    labels.push_back(fmt::format("[{}, {}{}", ends[k], ends[k + 1], k + 2 == ends.size() ? "]" : ")"));
  }
  return labels;
}

}  // namespace kith
