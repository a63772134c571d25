// Limits of single parameters: odds ratios in groups and pairs, probabilities of steps.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "estimate/tilted.h"

namespace kith::estimate {
namespace {

long double Real(std::int64_t n) { return static_cast<long double>(n); }

// C(m,s) C(m,s+2) / C(m,s+1)^2.
long double Binomials(std::int64_t m, std::int64_t s) {
  return Real(s + 1) * Real(m - s - 1) / (Real(s + 2) * Real(m - s));
}

Family OfTable(const PairTable& table) {
  const std::int64_t left = table.both + table.left, right = table.both + table.right, all = table.Total();
  return {std::max<std::int64_t>(0, left + right - all), std::min(left, right), [=](std::int64_t x) {
            return Real(left - x) * Real(right - x) / (Real(x + 1) * Real(all - left - right + x + 1));
          }};
}

// log of the beta mixture's likelihood ratio against p, and how far rounding can be off.
struct LogRatio {
  long double value = 0, error = 0;
};
LogRatio MixtureAgainst(std::int64_t hits, std::int64_t trials, long double p) {
  const long double k = Real(hits), n = Real(trials);
  const long double parts[] = {std::lgamma(k + 0.5L),
                               std::lgamma(n - k + 0.5L),
                               -std::lgamma(n + 1),
                               -std::log(std::numbers::pi_v<long double>),
                               hits == 0 ? 0 : -k * std::log(p),
                               hits == trials ? 0 : -(n - k) * std::log1p(-p)};
  LogRatio ratio;
  for (const long double part : parts) {
    ratio.value += part;
    ratio.error += std::abs(part);
  }
  ratio.error = 64 * LDBL_EPSILON * (ratio.error + 1);
  return ratio;
}

}  // namespace

std::int64_t GroupTable::Total() const {
  std::int64_t total = 0;
  for (const std::int64_t groups : with) total += groups;
  return total;
}

Limits GroupLimits(const GroupTable& table, std::int64_t others, double alpha) {
  KITH_CHECK(others >= 0 && others + 2 <= table.size() && alpha > 0 && alpha < 1);
  const auto at = static_cast<std::size_t>(others);
  const std::int64_t low = table.with[at], middle = table.with[at + 1], high = table.with[at + 2];
  const std::int64_t all = low + middle + high, yes = middle + 2 * high;
  const long double binomials = Binomials(table.size(), others);
  const Family family{std::max<std::int64_t>(0, yes - all), yes / 2, [=](std::int64_t x) {
                        return binomials * Real(yes - 2 * x) * Real(yes - 2 * x - 1) /
                               (Real(all - yes + x + 1) * Real(x + 1));
                      }};
  return LimitsOf({family}, high, alpha);
}

Limits CommonLimits(const std::vector<PairTable>& strata, double alpha) {
  KITH_CHECK(alpha > 0 && alpha < 1);
  std::vector<Family> families;
  std::int64_t both = 0;
  for (const PairTable& table : strata) {
    families.push_back(OfTable(table));
    both += table.both;
  }
  return LimitsOf(families, both, alpha);
}

Limits AnytimeLimits(std::int64_t hits, std::int64_t trials, double alpha) {
  KITH_CHECK(hits >= 0 && hits <= trials && alpha > 0 && alpha < 1);
  if (trials == 0) return {0, 1};
  const long double most = -std::log(static_cast<long double>(alpha));
  const auto outside = [&](double p) {
    const LogRatio ratio = MixtureAgainst(hits, trials, p);
    return ratio.value - ratio.error > most;
  };
  // The set is an interval around hits / trials: the ratio is convex in p.
  const double centre = static_cast<double>(hits) / static_cast<double>(trials);
  const auto end = [&](double beyond) {
    double in = centre, out = beyond;
    for (int k = 0; k < 200 && in != out; ++k) {
      const double middle = in + (out - in) / 2;
      if (middle == in || middle == out) break;
      (outside(middle) ? out : in) = middle;
    }
    return out;
  };
  return {hits == 0 ? 0 : end(0), hits == trials ? 1 : end(1)};
}

}  // namespace kith::estimate
