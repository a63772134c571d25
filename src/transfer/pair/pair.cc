#include "transfer/pair/pair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Above this, e^t counts as infinite: every value below grows with t, so that is the safe side.
constexpr double kLargeLoss = 700;

double KernelRange(double t) { return t > kLargeLoss ? kInfinity : Expm1Up(t); }

/// log((1 + s p) / (1 + s q)) rounded up, where p = q + difference; 0 if the difference is negative.
/// As log1p(s * difference / (1 + s q)) no digits are lost when p is close to q. It grows with s and with the
/// difference and falls with q, so s and difference may have been rounded up and q down.
double LogRatioUp(double s, double difference, double q) {
  if (!(difference > 0)) return 0;
  if (std::isinf(s)) return q > 0 ? Log1pUp(DivUp(difference, q)) : kInfinity;
  return Log1pUp(DivUp(MulUp(s, difference), Narrow(1 + s * q, 2)));
}

/// The largest log-ratio when yes raises the kernel, P(yes) is in [low, high] and the odds differ by at most e^theta.
double RaisedByYes(double theta, double t, double low, double high) {
  const double s = KernelRange(t);
  double q = low;
  double p = high;
  if (theta < kLargeLoss) {
    const double odds = std::exp(theta);
    const double best = t > kLargeLoss ? 0 : 1 / (1 + std::exp((t + theta) / 2));
    q = std::max(low, std::min(best, high / (high + (1 - high) * odds)));
    p = std::min(high, q * odds / (1 - q + q * odds));
  }
  if (std::isinf(s) && q == 0) return kInfinity;  // the caller takes the minimum with phi
  // p and q are wrong by a few ulps; the value moves by at most their relative error times s p / (1 + s p), at most
  // min(1, s p).
  const double slack = 32 * std::numeric_limits<double>::epsilon() * std::min(1.0, s * p);
  return AddUp(LogRatioUp(s, p - q, q), slack);
}

}  // namespace

// With a = e^{theta/2} - 1 and b = e^{t/2} - 1:  (1 + e^{(theta+t)/2}) / (e^{theta/2} + e^{t/2}) = 1 + ab / (2 + a +
// b). The quotient grows with a and with b, so both may be rounded up first. It is computed as b / (1 + (2+b)/a) with
// the larger one as a, which cannot overflow before b does.
double Phi(double theta, double t) {
  KITH_CHECK(theta >= 0 && t >= 0);
  const double low = std::min(theta, t);
  const double high = std::max(theta, t);
  if (low == 0 || std::isinf(high) || low > 1400) return low;
  const double a = Expm1Up(high / 2);
  const double b = Expm1Up(low / 2);
  if (std::isinf(b)) return low;
  const double quotient = Widen(b / (1 + (2 + b) / a), 4);  // four operations, each wrong by at most half an ulp
  return std::min(low, 2 * Log1pUp(quotient));
}

double PhiWithPrevalence(double theta, double t, const Prevalence& prevalence) {
  const double any = Phi(theta, t);
  if (any == 0) return 0;
  const double yes = RaisedByYes(theta, t, prevalence.low, prevalence.high);
  const double no = RaisedByYes(theta, t, 1 - prevalence.high, 1 - prevalence.low);
  return std::min(any, std::max(yes, no));
}

// The best set of values takes those with the largest p/q first, so the sets to try are the beginnings of the sorted
// list. The quotients are rounded: the list is sorted for probabilities within a factor 1 +- 2^-53, which costs at most
// 2^-52 min(1, s).
double PairLoss(double t, std::span<const double> p, std::span<const double> q) {
  KITH_CHECK(p.size() == q.size() && t >= 0);
  if (t == 0 || std::equal(p.begin(), p.end(), q.begin())) return 0;
  std::vector<std::size_t> order;
  std::vector<double> quotient(p.size());
  for (std::size_t x = 0; x < p.size(); ++x) {
    if (p[x] == 0) continue;  // only lowers the ratio
    quotient[x] = p[x] / q[x];
    order.push_back(x);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return quotient[x] > quotient[y]; });
  const double s = KernelRange(t);
  double best = 0;
  double difference = 0;  // p(S) - q(S), rounded up
  double in_q = 0;        // q(S), rounded down
  for (const std::size_t x : order) {
    difference = AddUp(difference, NextUp(p[x] - q[x]));
    in_q = q[x] == 0 ? in_q : Narrow(in_q + q[x], 1);
    best = std::max(best, LogRatioUp(s, difference, in_q));
  }
  const double slack = std::numeric_limits<double>::epsilon() * std::min(1.0, s);
  return std::min(t, AddUp(best, slack));
}

double SetLoss(double t, double p, double q) {
  if (p <= q || t == 0) return 0;
  return std::min(t, LogRatioUp(KernelRange(t), NextUp(p - q), q));
}

}  // namespace kith
