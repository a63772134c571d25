#include "mechanism/rounded_normal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/check.h"
#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;
using exp_bounds::DivideUp;
using exp_bounds::Exp;

/// A number in [0, 1) whose digits are drawn as far as it takes.
struct Lazy {
  Big digits;
  unsigned known;
  void More(int more, BitSource& bits) {
    digits = (digits << more) | Big(bits.Bits(more));
    known += static_cast<unsigned>(more);
  }
};

/// Bounds of exp(-j^2 / 2) added up over j < to, in units of 2^-precision.
BigBounds SumBelow(unsigned to, unsigned precision) {
  BigBounds sum{0, 0};
  for (unsigned j = 0; j < to; ++j) {
    const BigBounds term = Exp(Big(j) * j, 2, precision);
    sum.low += term.low;
    sum.high += term.high;
  }
  return sum;
}

/// All of them: beyond j = m, with e^{-m^2/2} below a unit, terms fall faster than halves.
BigBounds SumOfAll(unsigned precision) {
  unsigned m = 2;
  while (m * m < 2 * precision) ++m;  // e^{-precision} < 2^-precision
  BigBounds sum = SumBelow(m, precision);
  sum.high += 2;
  return sum;
}

/// Bounds of P[k <= at].
BigBounds AtMost(unsigned at, unsigned precision) {
  const unsigned inner = precision + 16;
  const BigBounds part = SumBelow(at + 1, inner);
  const BigBounds all = SumOfAll(inner);
  return {(part.low << precision) / all.high, DivideUp(part.high << precision, all.low)};
}

/// k from the digits of a uniform number: the number of sums P[k <= 0], P[k <= 1], ... that are not above it.
unsigned Choose(Lazy& choice, int more, BitSource& bits) {
  for (unsigned k = 0;; ++k) {
    for (;;) {
      const BigBounds sum = AtMost(k, choice.known);
      if (choice.digits + 1 <= sum.low) return k;
      if (choice.digits >= sum.high) break;
      choice.More(more, bits);
    }
  }
}

/// Whether coin < exp(-x (2k + x) / 2).
bool Keep(unsigned k, Lazy& x, Lazy& coin, int more, BitSource& bits) {
  for (;;) {
    const Big bottom = Big(1) << (2 * x.known + 1);
    const auto exponent = [&](const Big& at) { return Big(at * ((Big(2 * k) << x.known) + at)); };
    if (coin.digits + 1 <= Exp(exponent(x.digits + 1), bottom, coin.known).low) return true;
    if (coin.digits >= Exp(exponent(x.digits), bottom, coin.known).high) return false;
    x.More(more, bits);
    coin.More(more, bits);
  }
}

/// floor(sigma (k + x) + 1/2).
Big Rounded(unsigned k, Lazy& x, const Big& num, const Big& den, int more, BitSource& bits) {
  for (;;) {
    const Big y = (Big(k) << x.known) + x.digits;
    const Big half = den << x.known;
    const Big from = (2 * num * y + half) / (2 * half);
    const Big to = (2 * num * (y + 1) + half - 1) / (2 * half);  // x stays below the end of its interval
    if (from == to) return from;
    x.More(more, bits);
  }
}

}  // namespace

Result<RoundedNormal> RoundedNormal::Make(std::uint64_t num, std::uint64_t den) {
  if (num < 1 || num > std::uint64_t{1} << 62 || den < 1 || den > std::uint64_t{1} << 52 || UInt128{num} << 6 < den) {
    return InvalidArgument("this standard deviation is out of range for normal noise", {},
                           "state a fraction from 1/64 to 2^62");
  }
  const std::uint64_t common = std::gcd(num, den);
  return RoundedNormal(num / common, den / common);
}

RoundedNormal::RoundedNormal(std::uint64_t num, std::uint64_t den)
    : num_(num), den_(den), shift_(0), choices_(&ChoiceBounds()) {
  while (shift_ < 65 && (UInt128{num} << (shift_ + 1)) / den < UInt128{1} << 62) ++shift_;
  const UInt128 scaled = UInt128{num} << shift_;  // below 2^62 * 2^52
  sigma_low_ = static_cast<std::uint64_t>(scaled / den);
  sigma_high_ = sigma_low_ + (scaled % den == 0 ? 0 : 1);
}

const RoundedNormal::Choices& RoundedNormal::ChoiceBounds() {
  static const Choices bounds = [] {
    Choices made{};
    const Big last = (Big(1) << 64) - 1;
    for (unsigned k = 0; k < kMostChosen; ++k) {
      const BigBounds sum = AtMost(k, 64);
      made[k] = {static_cast<std::uint64_t>(std::min(sum.low, last)),
                 static_cast<std::uint64_t>(std::min(sum.high, last))};
    }
    return made;
  }();
  return bounds;
}

std::optional<Int128> RoundedNormal::Refine(Digits choice, Digits fraction, Digits coin, bool negative, int more,
                                            BitSource& bits) const {
  Lazy u{choice.prefix, static_cast<unsigned>(choice.count)};
  Lazy x{fraction.prefix, static_cast<unsigned>(fraction.count)};
  Lazy v{coin.prefix, static_cast<unsigned>(coin.count)};
  const unsigned k = Choose(u, more, bits);
  if (!Keep(k, x, v, more, bits)) return std::nullopt;
  const Big most = Big(1) << 126;
  const Big size = std::min(Rounded(k, x, num_, den_, more, bits), most);
  const auto high = static_cast<std::uint64_t>(Big(size >> 64));
  const auto low = static_cast<std::uint64_t>(Big(size & ((Big(1) << 64) - 1)));
  const auto whole = static_cast<Int128>((UInt128{high} << 64) | low);
  return negative ? -whole : whole;
}

double RoundedNormal::ErrorBarAll(double confidence, std::uint64_t cells) const {
  KITH_CHECK(confidence > 0 && confidence < 1 && cells >= 1);
  constexpr long double kDoubt = 0x1p-50L;
  const long double allowed =
      (cells == 1 ? 1 - static_cast<long double>(confidence)
                  : -std::expm1(std::log(static_cast<long double>(confidence)) / static_cast<long double>(cells))) *
      (1 - kDoubt);
  const long double wide =
      static_cast<long double>(num_) / static_cast<long double>(den_) * std::numbers::sqrt2_v<long double>;
  // P[|Z| > k] = P[|N| >= (k + 1/2) / sigma].
  const auto covers = [&](long double k) { return std::erfc((k + 0.5L) / wide) * (1 + kDoubt) <= allowed; };
  long double low = -1, high = 1;
  while (!covers(high)) high *= 2;
  while (high - low > 1 && high - low > high * 0x1p-52L) {
    const long double middle = std::floor(low + (high - low) / 2);
    (covers(middle) ? high : low) = middle;
  }
  return static_cast<double>(high) >= high ? static_cast<double>(high)
                                           : std::nextafter(static_cast<double>(high), HUGE_VAL);
}

}  // namespace kith
