// The dual by coordinate ascent: a price for each window, epsilon of a step from the sum of the prices over it. Any
// iterate, scaled into the windows, is allowed; so it can stop at any time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/stream/allocate.h"

namespace kith::stream {
namespace {

constexpr int kMostSweeps = 3000;
constexpr int kMostSteps = 200;
// A price is a hair too high: windows that others already take care of need none, instead of one that comes and goes
// with the rounding of sums.
constexpr double kAbove = 1 + 1e-10;

class Dual {
 public:
  Dual(const std::vector<double>& costs, const Window& window, Aim aim)
      : costs_(costs),
        window_(window),
        aim_(aim),
        power_(aim == Aim::kAbsolute ? 2 : 3),
        steps_(std::min(window.steps, costs.size())) {
    const double largest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    const double start = std::max(1e-300, largest * static_cast<double>(steps_) / (window.epsilon * window.epsilon));
    prices_.assign(costs.size() < steps_ ? 0 : costs.size() - steps_ + 1, start);
    over_.assign(costs.size(), 0.0);
    for (std::size_t w = 0; w < prices_.size(); ++w) Add(w, start);
    given_.resize(costs.size());
    for (std::size_t t = 0; t < costs.size(); ++t) given_[t] = Given(costs_[t], over_[t]);
  }

  std::vector<double> Solve() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double change = 0;
      for (std::size_t w = 0; w < prices_.size(); ++w) change = std::max(change, Improve(w));
      if (change < 1e-9) break;
    }
    std::vector<double> given = given_;
    double largest = 0;
    for (std::size_t w = 0; w < prices_.size(); ++w) {
      double sum = 0;
      for (std::size_t t = w; t < w + steps_; ++t) sum += given[t];
      largest = std::max(largest, sum);
    }
    // A hair below: sums in another order must not exceed epsilon either.
    const double scale = std::min(1.0, window_.epsilon * (1 - 1e-12) / largest);
    for (double& e : given) e *= scale;
    return given;
  }

 private:
  double Given(double cost, double price) const {
    if (cost == 0) return 0;
    return aim_ == Aim::kAbsolute ? std::sqrt(cost / price) : std::cbrt(2 * cost / price);
  }
  void Add(std::size_t w, double price) {
    for (std::size_t t = w; t < w + steps_; ++t) over_[t] += price;
  }
  /// What window w holds with no price of its own; most windows hold less than epsilon even so.
  double Free(std::size_t w) const {
    double sum = 0;
    for (std::size_t t = w; t < w + steps_; ++t) {
      if (costs_[t] == 0) continue;
      sum += prices_[w] == 0 ? given_[t] : Given(costs_[t], std::max(0.0, over_[t] - prices_[w]));
    }
    return sum;
  }
  struct Held {
    double sum = 0;
    double slope = 0;  // of the sum, by the price
  };
  /// What window w holds at this price of its own, which is above 0.
  Held At(std::size_t w, double price) const {
    Held held;
    for (std::size_t t = w; t < w + steps_; ++t) {
      if (costs_[t] == 0) continue;
      const double prices = std::max(0.0, over_[t] - prices_[w]) + price;
      const double given = Given(costs_[t], prices);
      held.sum += given;
      held.slope -= given / (power_ * prices);
    }
    return held;
  }

  /// Gives window w the price at which it holds exactly epsilon, or 0 where it holds less anyway. Returns how much this
  /// changes the prices over a step, at most, relatively.
  double Improve(std::size_t w) {
    const double before = prices_[w];
    const double price = Free(w) > window_.epsilon ? Root(w) : 0;
    if (before == 0 && price == 0) return 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = w; t < w + steps_; ++t) {
      over_[t] = std::max(0.0, over_[t] - before) + price;
      given_[t] = Given(costs_[t], over_[t]);
      if (costs_[t] > 0) least = std::min(least, over_[t]);
    }
    prices_[w] = price;
    return std::abs(price - before) / std::max(least, 1e-300);
  }

  /// By Newton's method on sum^-power, which is concave, and a straight line if no other window has a price: a few
  /// steps from the price of the last sweep. Where a step leaves what is known to hold the root, half of that instead.
  double Root(std::size_t w) const {
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double price = prices_[w] > 0 ? prices_[w] : Most(w);
    for (int step = 0; step < kMostSteps; ++step) {
      const Held held = At(w, price);
      (held.sum > window_.epsilon ? low : high) = price;
      double next = price + held.sum / (power_ * held.slope) * (1 - std::pow(held.sum / window_.epsilon, power_));
      if (std::abs(next - price) <= 1e-11 * price) return next * kAbove;
      if (!(next > low && next < high)) next = std::isinf(high) ? 4 * price : (low + high) / 2;
      if (next == price) return price;
      price = next;
    }
    return price;
  }
  /// The price if no other window had one: no less is needed with others.
  double Most(std::size_t w) const {
    double sum = 0;
    for (std::size_t t = w; t < w + steps_; ++t) sum += Given(costs_[t], 1);
    return std::pow(sum / window_.epsilon, power_);
  }

  const std::vector<double>& costs_;
  Window window_;
  Aim aim_;
  double power_;  // what a step is given is its cost by its price, to the power of 1 over this
  std::size_t steps_;
  std::vector<double> prices_;  // of each window
  std::vector<double> over_;    // of each step: the prices of all windows over it
  std::vector<double> given_;   // what each step is given at these: roots, which most windows read and few change
};

}  // namespace

Result<std::vector<double>> AllocateOffline(const std::vector<double>& costs, const Window& window, Aim aim) {
  const auto checked = Online::Make(window, Rule::kUniform, {});
  if (!checked) return checked.error();
  for (const double cost : costs) {
    if (!(cost >= 0 && std::isfinite(cost))) return InvalidArgument("a cost is negative or not a number");
  }
  if (std::all_of(costs.begin(), costs.end(), [](double c) { return c == 0; }))
    return std::vector<double>(costs.size(), 0.0);
  return Dual(costs, window, aim).Solve();
}

}  // namespace kith::stream
