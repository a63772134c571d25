#include "estimate/tilted.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>

namespace kith::estimate {
namespace {

static_assert(LDBL_MANT_DIG >= 64);
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Terms smaller than this part of the largest are left out. There are at most 10^7 of them, so that they are less than
// 10^-32 of the whole.
constexpr long double kLeftOut = 1e-40L;
// Each term is the product of at most 10^7 ratios with at most 10 roundings of 2^-64 each, each sum has at most 10^7
// terms, and strata multiply such errors at most as often as there are pairs: below 10^8 * 11 * 2^-64 < 10^-10.
constexpr long double kSlack = 1e-9L;
constexpr long double kHidden = 1e-25L;

struct Mass {
  std::int64_t first = 0;
  std::vector<long double> at;
};

void Normalise(Mass& mass) {
  const long double most = *std::max_element(mass.at.begin(), mass.at.end());
  while (mass.at.back() < kLeftOut * most) mass.at.pop_back();
  const auto begin = std::find_if(mass.at.begin(), mass.at.end(), [&](long double m) { return m >= kLeftOut * most; });
  mass.first += begin - mass.at.begin();
  mass.at.erase(mass.at.begin(), begin);
  const long double sum = std::accumulate(mass.at.begin(), mass.at.end(), 0.0L);
  for (long double& m : mass.at) m /= sum;
}

// From the mode, whose weight is 1, outwards: nothing overflows, and what underflows is left out.
Mass Tilt(const Family& family, long double factor) {
  std::int64_t low = family.first, high = family.last;  // the mode: the first x whose next ratio is at most 1
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (factor * family.ratio(middle) <= 1)
      high = middle;
    else
      low = middle + 1;
  }
  std::vector<long double> down;
  long double term = 1;
  for (std::int64_t x = low; x > family.first; --x) {
    term /= factor * family.ratio(x - 1);
    if (term < kLeftOut) break;
    down.push_back(term);
  }
  Mass mass{low - static_cast<std::int64_t>(down.size()), {down.rbegin(), down.rend()}};
  term = 1;
  mass.at.push_back(term);
  for (std::int64_t x = low; x < family.last; ++x) {
    term *= factor * family.ratio(x);
    if (term < kLeftOut) break;
    mass.at.push_back(term);
  }
  Normalise(mass);
  return mass;
}

Mass Sum(const Mass& a, Mass b) {
  if (a.at.size() == 1) {  // a constant, as before the first family
    b.first += a.first;
    return b;
  }
  Mass sum{a.first + b.first, std::vector<long double>(a.at.size() + b.at.size() - 1)};
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    for (std::size_t j = 0; j < b.at.size(); ++j) sum.at[i + j] += a.at[i] * b.at[j];
  }
  Normalise(sum);
  return sum;
}

double AtLeast(long double probability) {
  return std::nextafter(static_cast<double>(probability * (1 + kSlack) + kHidden), kInfinity);
}

}  // namespace

Tails TailsAt(const std::vector<Family>& families, std::int64_t observed, double theta) {
  const long double factor = std::exp(static_cast<long double>(theta));
  Mass all{0, {1.0L}};
  for (const Family& family : families) {
    if (family.first == family.last)
      all.first += family.first;
    else
      all = Sum(all, Tilt(family, factor));
  }
  long double below = 0, above = 0;
  for (std::size_t i = 0; i < all.at.size(); ++i) {
    const std::int64_t x = all.first + static_cast<std::int64_t>(i);
    if (x <= observed) below += all.at[i];
    if (x >= observed) above += all.at[i];
  }
  return {AtLeast(below), AtLeast(above)};
}

Limits LimitsOf(const std::vector<Family>& families, std::int64_t observed, double alpha) {
  constexpr double kFarthest = 4096, kFine = 1e-10;
  std::int64_t first = 0, last = 0;
  for (const Family& family : families) {
    first += family.first;
    last += family.last;
  }
  // The end of an interval in one direction: from inside (0, or the other side of it) to a point certainly outside.
  // `excess` is below 0 outside, and never 0.
  const auto end = [&](double sign, const auto& excess) {
    double in = 0, out = sign;
    double at_in = excess(in), at_out = 0;
    if (at_in < 0) {
      out = 0;
      at_out = at_in;
      in = -sign;
      while ((at_in = excess(in)) < 0) {
        at_out = at_in;
        in = (out = in) * 2;
      }
    } else {
      while ((at_out = excess(out)) > 0) {
        in = out;
        at_in = at_out;
        if (std::abs(out *= 2) > kFarthest) return sign * kInfinity;
      }
    }
    const auto fine = [](double a, double b) { return std::abs(a - b) <= kFine; };
    std::uintmax_t steps = 200;
    const auto ends = in < out ? boost::math::tools::toms748_solve(excess, in, out, at_in, at_out, fine, steps)
                               : boost::math::tools::toms748_solve(excess, out, in, at_out, at_in, fine, steps);
    return sign > 0 ? ends.second : ends.first;
  };
  const auto excess = [&](double tail) {  // a logarithm, which is nearly straight
    const double log = std::log(tail / alpha), least = std::numeric_limits<double>::min();
    return tail < alpha ? std::min(log, -least) : std::max(log, least);
  };
  Limits limits{-kInfinity, kInfinity};
  if (observed < last) limits.upper = end(1, [&](double t) { return excess(TailsAt(families, observed, t).below); });
  if (observed > first) limits.lower = end(-1, [&](double t) { return excess(TailsAt(families, observed, t).above); });
  return limits;
}

}  // namespace kith::estimate
