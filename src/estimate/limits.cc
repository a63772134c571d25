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
class MixtureRatio {
 public:
  MixtureRatio(std::int64_t hits, std::int64_t trials) : hits_(Real(hits)), misses_(Real(trials - hits)) {
    for (const long double part : {std::lgamma(hits_ + 0.5L), std::lgamma(misses_ + 0.5L),
                                   -std::lgamma(hits_ + misses_ + 1), -std::log(std::numbers::pi_v<long double>)}) {
      fixed_ += part;
      size_ += std::abs(part);
    }
  }
  /// Is it certainly more than `most`? Requires: 0 < p < 1.
  bool Exceeds(long double most, double p) const {
    const long double of_hits = -hits_ * std::log(static_cast<long double>(p));
    const long double of_misses = -misses_ * std::log1p(-static_cast<long double>(p));
    const long double error = 64 * LDBL_EPSILON * (size_ + of_hits + of_misses + 1);
    return fixed_ + of_hits + of_misses - error > most;
  }

 private:
  long double hits_, misses_, fixed_ = 0, size_ = 0;
};

// How many groups have others + 2 members that say yes, given how many groups and how many yeses there are in all.
Family OfGroups(const GroupTable& table, std::int64_t others) {
  const auto at = static_cast<std::size_t>(others);
  const std::int64_t low = table.with[at], middle = table.with[at + 1], high = table.with[at + 2];
  const std::int64_t all = low + middle + high, yes = middle + 2 * high;
  const long double binomials = Binomials(table.size(), others);
  return {std::max<std::int64_t>(0, yes - all), yes / 2, [=](std::int64_t x) {
            return binomials * Real(yes - 2 * x) * Real(yes - 2 * x - 1) / (Real(all - yes + x + 1) * Real(x + 1));
          }};
}

}  // namespace

std::int64_t GroupTable::Total() const {
  std::int64_t total = 0;
  for (const std::int64_t groups : with) total += groups;
  return total;
}

Limits GroupLimits(const GroupTable& table, std::int64_t others, double alpha) {
  KITH_CHECK(others >= 0 && others + 2 <= table.size() && alpha > 0 && alpha < 1);
  return LimitsOf({OfGroups(table, others)}, table.with[static_cast<std::size_t>(others) + 2], alpha);
}

double GroupTail(const GroupTable& table, std::int64_t others, double theta) {
  KITH_CHECK(others >= 0 && others + 2 <= table.size());
  return TailsAt({OfGroups(table, others)}, table.with[static_cast<std::size_t>(others) + 2], theta).above;
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
  const MixtureRatio ratio(hits, trials);
  // The set is an interval around hits / trials: the ratio is convex in p.
  const double centre = static_cast<double>(hits) / static_cast<double>(trials);
  const auto end = [&](double beyond) {
    double in = centre, out = beyond;
    for (int k = 0; k < 100; ++k) {
      const double middle = in + (out - in) / 2;
      if (middle == in || middle == out) break;
      (ratio.Exceeds(most, middle) ? out : in) = middle;
    }
    return out;
  };
  return {hits == 0 ? 0 : end(0), hits == trials ? 1 : end(1)};
}

}  // namespace kith::estimate
