// Interval arithmetic.
#include <algorithm>
#include <cmath>
#include <limits>

#include "query/range/calendar.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

// For operations that are NULL as soon as one argument is.
Range Strict(const Range& a, const Range& b, Range result) {
  if (a.OnlyNull() || b.OnlyNull()) return NullRange();
  result.may_null = result.may_null || a.may_null || b.may_null;
  result.secret = a.secret || b.secret;
  return result;
}
Range Strict(const Range& a, Range result) { return Strict(a, a, result); }

int CeilLog2(double positive) {
  int exponent = 0;
  const double mantissa = std::frexp(positive, &exponent);  // in [0.5, 1)
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

double Largest(const Range& a) { return std::max(std::abs(a.real_low), std::abs(a.real_high)); }

// A quotient is at least 2^grain(a) / max|b| unless it is 0, and a double has 53 bits.
int QuotientGrain(const Range& a, double largest_divisor) {
  return largest_divisor > 0 ? a.grain - CeilLog2(largest_divisor) - 53 : a.grain - 53;
}

Range CornersOfQuotient(const Range& a, double low, double high) {
  const auto [least, most] = std::minmax({a.real_low / low, a.real_low / high, a.real_high / low, a.real_high / high});
  return RealRange(least, most, QuotientGrain(a, std::max(std::abs(low), std::abs(high))));
}

Range CornersOfIntegerQuotient(const Range& a, Int128 low, Int128 high) {
  const auto [least, most] = std::minmax({a.low / low, a.low / high, a.high / low, a.high / high});
  return IntegerRange(least, most);
}

// No part begins again between the ends: months do in every year, days in every month, hours on every day.
bool RisesWithin(const Range& a, Type type, DatePart part) {
  const auto day = [&](Int128 at) {
    return type == Type::kTimestamp ? DayOf(static_cast<std::int64_t>(at)) : static_cast<std::int64_t>(at);
  };
  if (part == DatePart::kYear) return true;
  if (day(a.low) < kFirstDay || day(a.high) > kLastDay) return false;
  const auto same = [&](DatePart unit) {
    return StartOfUnit(static_cast<std::int64_t>(a.low), type, unit) ==
           StartOfUnit(static_cast<std::int64_t>(a.high), type, unit);
  };
  switch (part) {
    case DatePart::kQuarter:
    case DatePart::kMonth:
    case DatePart::kDayOfYear:
      return same(DatePart::kYear);
    case DatePart::kDay:
      return same(DatePart::kMonth);
    case DatePart::kIsoDayOfWeek:
      return same(DatePart::kWeek);
    default:
      return same(DatePart::kDay) && part != DatePart::kMinute && part != DatePart::kSecond;
  }
}

}  // namespace

Range Add(const Range& a, const Range& b, Type type) {
  if (type == Type::kReal) {
    return Strict(a, b, RealRange(a.real_low + b.real_low, a.real_high + b.real_high, std::min(a.grain, b.grain)));
  }
  return Strict(a, b, IntegerRange(a.low + b.low, a.high + b.high));
}

Range Subtract(const Range& a, const Range& b, Type type) {
  if (type == Type::kReal) {
    return Strict(a, b, RealRange(a.real_low - b.real_high, a.real_high - b.real_low, std::min(a.grain, b.grain)));
  }
  return Strict(a, b, IntegerRange(a.low - b.high, a.high - b.low));
}

Range Multiply(const Range& a, const Range& b, Type type) {
  if (type == Type::kReal) {
    const auto [low, high] = std::minmax(
        {a.real_low * b.real_low, a.real_low * b.real_high, a.real_high * b.real_low, a.real_high * b.real_high});
    return Strict(a, b, RealRange(low, high, a.grain + b.grain));
  }
  // Arguments are within 64 bits, so products fit into 128.
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Strict(a, b, IntegerRange(low, high));
}

// The square of the size: products of doubles are monotone in it.
Range Square(const Range& a, Type type) {
  const Range size = Abs(a, type);
  return Multiply(size, size, type);
}

Range Divide(const Range& a, const Range& b) {
  // The divisor without zero: on each side it is at least its grain away from it.
  const double nearest = std::ldexp(1.0, b.grain);
  std::optional<Range> quotient;
  const auto take = [&](double low, double high) {
    const Range part = CornersOfQuotient(a, low, high);
    quotient = quotient ? Hull(*quotient, part, Type::kReal) : part;
  };
  if (b.real_high > 0) take(std::max(b.real_low, std::min(nearest, b.real_high)), b.real_high);
  if (b.real_low < 0) take(b.real_low, std::min(b.real_high, std::max(-nearest, b.real_low)));
  if (!quotient) return NullRange();
  quotient->may_null = b.real_low <= 0 && b.real_high >= 0;
  return Strict(a, b, *quotient);
}

Range IntegerDivide(const Range& a, const Range& b) {
  std::optional<Range> quotient;
  const auto take = [&](Int128 low, Int128 high) {
    const Range part = CornersOfIntegerQuotient(a, low, high);
    quotient = quotient ? Hull(*quotient, part, Type::kInteger) : part;
  };
  if (b.high > 0) take(std::max<Int128>(b.low, 1), b.high);
  if (b.low < 0) take(b.low, std::min<Int128>(b.high, -1));
  if (!quotient) return NullRange();
  quotient->may_null = b.low <= 0 && b.high >= 0;
  return Strict(a, b, *quotient);
}

Range Modulo(const Range& a, const Range& b) {
  if (b.low == 0 && b.high == 0) return NullRange();
  const Int128 most = std::max(b.low < 0 ? -b.low : b.low, b.high < 0 ? -b.high : b.high) - 1;
  Range rest = IntegerRange(a.low < 0 ? -std::min(-a.low, most) : 0, a.high > 0 ? std::min(a.high, most) : 0);
  if (a.low == a.high && b.low == b.high) rest = IntegerRange(a.low % b.low, a.low % b.low);
  rest.may_null = b.low <= 0 && b.high >= 0;
  return Strict(a, b, rest);
}

Range Negate(const Range& a, Type type) {
  return Strict(a, type == Type::kReal ? RealRange(-a.real_high, -a.real_low, a.grain) : IntegerRange(-a.high, -a.low));
}

Range Abs(const Range& a, Type type) {
  if (type == Type::kReal) {
    const double near = a.real_low <= 0 && a.real_high >= 0 ? 0 : std::min(std::abs(a.real_low), std::abs(a.real_high));
    return Strict(a, RealRange(near, Largest(a), a.grain));
  }
  const Int128 low = a.low < 0 ? -a.low : a.low, high = a.high < 0 ? -a.high : a.high;
  return Strict(a, IntegerRange(a.low <= 0 && a.high >= 0 ? 0 : std::min(low, high), std::max(low, high)));
}

Range Floor(const Range& a) {
  return Strict(a, RealRange(std::floor(a.real_low), std::floor(a.real_high), std::max(a.grain, 0)));
}

Range Ceil(const Range& a) {
  return Strict(a, RealRange(std::ceil(a.real_low), std::ceil(a.real_high), std::max(a.grain, 0)));
}

Range Round(const Range& a, int digits) {
  if (digits == 0) return Floor(Add(a, RealRange(0.5, 0.5, -1), Type::kReal));  // whole, which a quotient by 1 hides
  const double factor = std::pow(10.0, std::abs(digits));
  const Range by = RealRange(factor, factor, GrainOf(factor)), half = RealRange(0.5, 0.5, -1);
  if (digits >= 0) return Divide(Floor(Add(Multiply(a, by, Type::kReal), half, Type::kReal)), by);
  return Multiply(Floor(Add(Divide(a, by), half, Type::kReal)), by, Type::kReal);
}

Range Extreme(const std::vector<Range>& args, Type type, bool greatest) {
  Range all = NullRange();
  bool secret = false, may_null = true;
  for (const Range& a : args) {
    secret = secret || a.secret;
    may_null = may_null && a.may_null;
    all = Hull(all, a, type);
  }
  // An argument that is never NULL always takes part: the result is no worse than its worst.
  for (const Range& a : args) {
    if (a.may_null) continue;
    if (type == Type::kReal && greatest) all.real_low = std::max(all.real_low, a.real_low);
    if (type == Type::kReal && !greatest) all.real_high = std::min(all.real_high, a.real_high);
    if (type != Type::kReal && greatest) all.low = std::max(all.low, a.low);
    if (type != Type::kReal && !greatest) all.high = std::min(all.high, a.high);
  }
  all.secret = secret;
  all.may_null = may_null;
  return all;
}

Range ToReal(const Range& a) {
  return Strict(a, RealRange(static_cast<double>(a.low), static_cast<double>(a.high), 0));
}

Range ToInteger(const Range& a, Type from) {
  if (from == Type::kBoolean) return Strict(a, IntegerRange(a.may_false ? 0 : 1, a.may_true ? 1 : 0));
  // Far beyond 64 bits is refused by the caller; here it must only stay convertible.
  const auto whole = [](double x) { return static_cast<Int128>(std::clamp(std::floor(x + 0.5), -0x1p100, 0x1p100)); };
  return Strict(a, IntegerRange(whole(a.real_low), whole(a.real_high)));
}

Range ToDate(const Range& a) {
  return Strict(a, IntegerRange(DayOf(static_cast<std::int64_t>(a.low)), DayOf(static_cast<std::int64_t>(a.high))));
}

Range ToTimestamp(const Range& a) {
  return Strict(a, IntegerRange(a.low * kMicrosecondsPerDay, a.high * kMicrosecondsPerDay));
}

Range PartOf(const Range& a, Type type, DatePart part) {
  if (a.OnlyNull()) return NullRange();
  const auto at = [&](Int128 point) {
    const auto x = static_cast<std::int64_t>(point);
    return type == Type::kDate ? PartOfDate(x, part) : PartOfTimestamp(x, part);
  };
  if (a.low == a.high || RisesWithin(a, type, part)) return Strict(a, IntegerRange(at(a.low), at(a.high)));
  const PartLimits limits = LimitsOf(part);
  return Strict(a, IntegerRange(limits.low, limits.high));
}

Range Trunc(const Range& a, Type type, DatePart part) {
  if (a.OnlyNull()) return NullRange();
  const auto start = [&](Int128 at) { return StartOfUnit(static_cast<std::int64_t>(at), type, part); };
  return Strict(a, IntegerRange(start(a.low), start(a.high)));
}

std::vector<Range> BucketSteps(const std::vector<Range>& args, Type type) {
  const Range from_low = Subtract(args[0], args[1], type), count = type == Type::kReal ? ToReal(args[3]) : args[3];
  const Range times = Multiply(from_low, count, type);
  const Range width = Subtract(args[2], args[1], type);
  return {from_low, times, width, type == Type::kReal ? Divide(times, width) : IntegerDivide(times, width)};
}

// Each step is monotone in x, with the operations that the engine does.
Range WidthBucket(const std::vector<Range>& args, Type type) {
  const Range& x = args[0];
  if (x.OnlyNull()) return NullRange();
  const Int128 count = args[3].low;
  const auto whole = [&](Int128 at) -> Int128 {
    if (at < args[1].low) return 0;
    return at >= args[2].low ? count + 1 : (at - args[1].low) * count / (args[2].low - args[1].low) + 1;
  };
  const auto real = [&](double at) -> Int128 {
    const double low = args[1].real_low, high = args[2].real_low;
    if (at < low) return 0;
    if (at >= high) return count + 1;
    const double part = std::floor((at - low) * static_cast<double>(count) / (high - low));
    return std::clamp<Int128>(static_cast<Int128>(part), 0, count - 1) + 1;
  };
  if (type == Type::kReal) return Strict(x, IntegerRange(real(x.real_low), real(x.real_high)));
  return Strict(x, IntegerRange(whole(x.low), whole(x.high)));
}

Range Histogram(const std::vector<Range>& args, Type type) {
  Range part = WidthBucket(args, type);
  const Int128 count = args[3].low;
  part.low = std::clamp<Int128>(part.low, 1, count);
  part.high = std::clamp<Int128>(part.high, 1, count);
  return part;
}

}  // namespace kith
