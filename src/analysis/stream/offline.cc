// The dual by coordinate ascent: a price for each window, epsilon of a step from the sum of the prices over it. Any
// iterate, scaled into the windows, is allowed; so it can stop at any time.
#include <algorithm>
#include <cmath>

#include "analysis/stream/allocate.h"

namespace kith::stream {
namespace {

constexpr int kMostSweeps = 3000;

class Dual {
 public:
  Dual(const std::vector<double>& costs, const Window& window, Aim aim)
      : costs_(costs), window_(window), aim_(aim), steps_(std::min(window.steps, costs.size())) {
    const double largest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    const double start = std::max(1e-300, largest * static_cast<double>(steps_) / (window.epsilon * window.epsilon));
    prices_.assign(costs.size() < steps_ ? 0 : costs.size() - steps_ + 1, start);
    over_.assign(costs.size(), 0.0);
    for (std::size_t w = 0; w < prices_.size(); ++w) Add(w, start);
  }

  std::vector<double> Solve() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double change = 0;
      for (std::size_t w = 0; w < prices_.size(); ++w) change = std::max(change, Improve(w));
      if (change < 1e-7) break;
    }
    std::vector<double> given(costs_.size());
    for (std::size_t t = 0; t < given.size(); ++t) given[t] = Given(costs_[t], over_[t]);
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
  double Sum(std::size_t w, double price) const {
    double sum = 0;
    for (std::size_t t = w; t < w + steps_; ++t) sum += Given(costs_[t], std::max(0.0, over_[t] - prices_[w]) + price);
    return sum;
  }

  /// The price at which window w holds exactly epsilon, or 0 where it holds less anyway. Returns the relative change.
  double Improve(std::size_t w) {
    double high = std::max(prices_[w], 1e-300);
    double low = 0;
    const double before = prices_[w];
    if (Sum(w, 0) > window_.epsilon) {
      while (Sum(w, high) > window_.epsilon) low = high, high *= 4;
      while (high - low > 1e-10 * high) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        (Sum(w, middle) > window_.epsilon ? low : high) = middle;
      }
    } else {
      high = 0;
    }
    for (std::size_t t = w; t < w + steps_; ++t) over_[t] = std::max(0.0, over_[t] - before) + high;
    prices_[w] = high;
    return std::abs(high - before) / std::max({high, before, 1e-300});
  }

  const std::vector<double>& costs_;
  Window window_;
  Aim aim_;
  std::size_t steps_;
  std::vector<double> prices_;  // of each window
  std::vector<double> over_;    // of each step: the prices of all windows over it
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
