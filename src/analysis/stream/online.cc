#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/stream/allocate.h"

namespace kith::stream {

Result<Online> Online::Make(const Window& window, Rule rule, const RuleOptions& options) {
  if (window.steps == 0) return InvalidArgument("a window needs at least one step");
  if (window.steps > 10'000'000) return InvalidArgument("a window of more than ten million steps is too long");
  if (!(window.epsilon > 0 && std::isfinite(window.epsilon)))
    return InvalidArgument("the epsilon of a window must be a positive number");
  const auto share = [](double x) { return x > 0 && x <= 1; };
  if (!share(options.rate) || !share(options.floor))
    return InvalidArgument("a rate and a floor are shares: above 0, at most 1");
  return Online(window, rule, options);
}

Online::Online(const Window& window, Rule rule, const RuleOptions& options)
    : window_(window), rule_(rule), options_(options), harmonic_(window.steps + 1, 0.0), given_(window.steps - 1, 0.0) {
  for (std::size_t k = 1; k <= window.steps; ++k) harmonic_[k] = harmonic_[k - 1] + 1 / static_cast<double>(k);
}

void Online::Resume(const std::vector<double>& given) {
  const std::size_t kept = std::min(given.size(), given_.size());
  std::copy(given.end() - static_cast<std::ptrdiff_t>(kept), given.end(),
            given_.end() - static_cast<std::ptrdiff_t>(kept));
}

double Online::Remaining() const {
  return std::max(0.0, window_.epsilon - std::accumulate(given_.begin(), given_.end(), 0.0));
}

double Online::Harmonic() const {
  const auto asked = std::count_if(given_.begin(), given_.end(), [](double e) { return e > 0; });
  return window_.epsilon / (static_cast<double>(asked + 1) * harmonic_.back());
}

// For every window that holds this step: what is left after what was spent in it and what requests in all its steps to
// come could still claim by the harmonic rule. The window that ends k steps from now began window-1-k steps ago.
double Online::Slack() const {
  const double share = window_.epsilon / harmonic_.back();
  double least = window_.epsilon;
  double spent = 0;
  std::size_t asked = 1;  // with the present one
  for (std::size_t back = 0; back < window_.steps; ++back) {
    if (back > 0) {
      const double e = given_[given_.size() - back];
      spent += e;
      asked += e > 0 ? 1 : 0;
    }
    const std::size_t to_come = window_.steps - 1 - back;
    least = std::min(least, window_.epsilon - spent - share * (harmonic_[asked + to_come] - harmonic_[asked]));
  }
  return std::max(0.0, least);
}

double Online::Wanted() const {
  const auto steps = static_cast<double>(window_.steps);
  switch (rule_) {
    case Rule::kUniform:
      return window_.epsilon / steps;
    case Rule::kHarmonic:
      return Harmonic();
    case Rule::kHarmonicSlack:
      return Slack();
    case Rule::kRate:
      return Remaining() / (1 + options_.rate * (steps - 1));
    case Rule::kFloorTarget: {
      // The floor is put aside for every step; the rest is given in equal parts while it lasts.
      const double floor = options_.floor * window_.epsilon / steps;
      double adaptive = (1 - options_.floor) * window_.epsilon;
      for (const double e : given_) adaptive -= std::max(0.0, e - floor);
      const double part = (1 - options_.floor) * window_.epsilon / std::max(1.0, options_.rate * steps);
      return floor + std::clamp(part, 0.0, std::max(0.0, adaptive));
    }
    case Rule::kHalf:
      return Remaining() / 2;
  }
  return 0;
}

double Online::Next(bool asks) {
  // Rounding never pushes a window over its total.
  const double given = asks ? std::min(Wanted(), Remaining()) : 0;
  if (!given_.empty()) {
    given_.erase(given_.begin());
    given_.push_back(given);
  }
  return given;
}

}  // namespace kith::stream
