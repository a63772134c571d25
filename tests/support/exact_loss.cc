#include "tests/support/exact_loss.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kith::testing {
namespace {

/// Visits every whole-valued function on the states with the largest value 0 somewhere being irrelevant: state 0 has
/// value 0.
class Enumeration {
 public:
  Enumeration(const SmallLaw& law, const std::vector<int>& steps)
      : law_(law), steps_(steps), level_(law.law.size(), 0) {}

  template <class Visit>
  void Run(const Visit& visit) {
    Next(1, visit);
  }

 private:
  int Distance(std::size_t x, std::size_t y) const {
    int distance = 0;
    for (int j = 0; j < law_.records(); ++j) {
      if (law_.Value(x, j) != law_.Value(y, j)) distance += steps_[static_cast<std::size_t>(j)];
    }
    return distance;
  }

  template <class Visit>
  void Next(std::size_t state, const Visit& visit) {
    if (state == level_.size()) {
      visit(level_);
      return;
    }
    int low = -1000;
    int high = 1000;
    for (std::size_t y = 0; y < state; ++y) {
      const int distance = Distance(state, y);
      low = std::max(low, level_[y] - distance);
      high = std::min(high, level_[y] + distance);
    }
    for (int level = low; level <= high; ++level) {
      level_[state] = level;
      Next(state + 1, visit);
    }
  }

  const SmallLaw& law_;
  const std::vector<int>& steps_;
  std::vector<int> level_;
};

}  // namespace

int SmallLaw::Value(std::size_t state, int record) const {
  std::size_t stride = 1;
  for (int k = records() - 1; k > record; --k) stride *= static_cast<std::size_t>(values[static_cast<std::size_t>(k)]);
  return static_cast<int>(state / stride) % values[static_cast<std::size_t>(record)];
}

SmallLaw SmallLaw::Given(int record, int value) const {
  SmallLaw given;
  double sum = 0;
  for (int j = 0; j < records(); ++j) {
    if (j != record) given.values.push_back(values[static_cast<std::size_t>(j)]);
  }
  for (std::size_t x = 0; x < law.size(); ++x) {
    if (Value(x, record) != value) continue;
    given.law.push_back(law[x]);
    sum += law[x];
  }
  if (sum <= 0) return {};
  for (double& p : given.law) p /= sum;
  return given;
}

double EnumeratedLoss(const SmallLaw& law, int record, const std::vector<int>& steps, double step) {
  std::vector<std::vector<double>> given;
  SmallLaw others;
  for (int a = 0; a < law.values[static_cast<std::size_t>(record)]; ++a) {
    SmallLaw rest = law.Given(record, a);
    if (rest.law.empty()) continue;
    given.push_back(rest.law);
    others = rest;
  }
  std::vector<int> other_steps = steps;
  other_steps.erase(other_steps.begin() + record);
  double worst = 0;
  std::vector<double> power(200);
  for (int k = 0; k < 200; ++k) power[static_cast<std::size_t>(k)] = std::exp(step * (k - 100));

  Enumeration(others, other_steps).Run([&](const std::vector<int>& level) {
    double low = INFINITY;
    double high = 0;
    for (const auto& p : given) {
      double sum = 0;
      for (std::size_t z = 0; z < level.size(); ++z) sum += p[z] * power[static_cast<std::size_t>(level[z] + 100)];
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    worst = std::max(worst, std::log(high / low));
  });
  return steps[static_cast<std::size_t>(record)] * step + worst;
}

}  // namespace kith::testing
