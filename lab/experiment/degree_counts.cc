#include "experiment/degree_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/degrees/degrees.h"
#include "attack/query.h"
#include "experiment/world.h"

namespace kith::experiment {
namespace {

Result<World> WorldOf(const attack::Friends& friends, std::size_t most, std::uint64_t seed, const CancelFlag& cancel) {
  std::string csv = "a,b\n";
  for (std::size_t a = 0; a < friends.size(); ++a) {
    for (const std::uint32_t b : friends[a]) csv += fmt::format("{},{}\n", a, b);
  }
  return World::Make(csv, fmt::format("key = \"a\"\nmax_rows = {}\npresence = \"secret\"", most),
                     "a = { type = \"integer\" }\nb = { type = \"integer\" }", seed, cancel);
}

std::vector<double> TrueCounts(const attack::Friends& friends, std::size_t most) {
  std::vector<double> counts(most, 0);
  for (const auto& list : friends) {
    if (!list.empty()) ++counts[std::min(list.size(), most) - 1];
  }
  return counts;
}

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

/// The paper's accuracy: 1 - |C - C'| / |C + C'|, both in L1.
double AccuracyOf(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] + b[k]);
  return sum > 0 ? 1 - Distance(a, b) / sum : 1;
}

/// A mean of distances; its interval is one of distances too.
Estimate NotNegative(const std::vector<double>& distances) {
  Estimate estimate = attack::EstimateOf(distances);
  estimate.low = std::max(0.0, estimate.low);
  return estimate;
}

/// Counts are not negative, and clearing what is below 0 costs nothing: the best case of the published methods.
std::vector<double> Published(const std::vector<double>& counts, double plain, std::uint64_t seed) {
  constexpr double kSensitivity = 2;
  const auto noise = attack::UnitNoise(counts.size(), seed);
  std::vector<double> noisy;
  for (std::size_t k = 0; k < counts.size(); ++k)
    noisy.push_back(std::max(0.0, counts[k] + kSensitivity / plain * noise[k]));
  return noisy;
}

}  // namespace

Result<Figure> Fig9c(const attack::Friends& friends, std::size_t most, Noise& noise, const Settings& settings,
                     const CancelFlag& cancel) {
  const auto world = WorldOf(friends, most, settings.seed, cancel);
  if (!world) return world.error();
  DegreesOptions options;
  options.ends = {"a", "b"};
  options.max_degree = most;
  options.once = true;
  const auto analysis = Degrees::Make(options, world->policy());
  if (!analysis) return analysis.error();
  const auto truth = TrueCounts(friends, most);
  const double people = std::accumulate(truth.begin(), truth.end(), 0.0);
  Figure figure{"fig9c", "How far noisy degree counts are from the true ones, against epsilon.", "", {}, {}};
  Panel panel{
      "distance", "Degree distribution", "epsilon that the method promises", "L1 distance in people", true, true, {}};
  Panel share{
      "accuracy", "Degree distribution", "epsilon that the method promises", "1 - |C - C'| / |C + C'|", true, false,
      {}};
  std::size_t done = 0;
  for (const Method& method : Methods()) {
    for (const double epsilon : settings.epsilons) {
      const auto plain = noise.PlainLoss(method, epsilon);
      if (!plain) return plain.error();
      std::vector<double> published, kith, published_share, kith_share;
      for (std::size_t r = 0; r < settings.repetitions; ++r) {
        if (cancel.cancelled()) return Cancelled("the experiment was stopped");
        const auto simulated = Published(truth, *plain, settings.seed + r);
        published.push_back(Distance(truth, simulated));
        published_share.push_back(AccuracyOf(truth, simulated));
        if (!method.kith) continue;
        const auto answer = world->Run(**analysis, *plain, cancel);
        if (!answer) return answer.error();
        std::vector<double> noisy;
        for (const auto& row : answer->rows) noisy.push_back(std::max(0.0, NumberIn(row[1])));
        kith.push_back(Distance(truth, noisy));
        kith_share.push_back(AccuracyOf(truth, noisy));
      }
      if (!method.kith || method.name == "plain") {
        const std::string name = method.kith ? method.name + " on counts" : method.name;
        panel.points.push_back({name, epsilon, NotNegative(published), *plain});
        share.points.push_back({name, epsilon, MeanShare(published_share), *plain});
      }
      if (method.kith) {
        panel.points.push_back({"kith " + method.name, epsilon, NotNegative(kith), *plain});
        share.points.push_back({"kith " + method.name, epsilon, MeanShare(kith_share), *plain});
      }
      if (settings.progress)
        settings.progress(static_cast<double>(++done) /
                          static_cast<double>(Methods().size() * settings.epsilons.size()));
    }
  }
  for (const double epsilon : settings.epsilons) {
    panel.points.push_back({"all counts zero", epsilon, {people, people, people}, 0});
    share.points.push_back({"all counts zero", epsilon, {0, 0, 0}, 0});
  }
  figure.panels = {std::move(panel), std::move(share)};
  figure.notes = {
      fmt::format("Without privacy the distance is 0. \"All counts zero\" ({:.0f}) is the error of an answer that says "
                  "nothing: beyond it, noise drowns the counts.",
                  people),
      "A unit is a person's own list of friends (sensitivity 2): what others list is not hidden. All methods have the "
      "same "
      "unit; dpm, zhu, baseline and plain on counts add noise to each count; kith's go through its degrees analysis, "
      "which "
      "also spends a part on the mean degree. Counts below 0 are cleared for all, which costs nothing."};
  return figure;
}

}  // namespace kith::experiment
