#include "release/combine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"

namespace kith {
namespace {

constexpr double kParts = 64;  // of which weights are multiples
constexpr double kConfidence = 0.95;

/// How a number is made from those of the sources.
struct Mean {
  std::vector<std::pair<std::size_t, double>> weights;  // of sources; they add up to 1
  StatisticMechanism law;
  double error_95 = 0, variance = 0;
};

// Of the first sources of a list. The first of them, which has the least noise, has what rounding leaves.
Mean MeanOf(const std::vector<std::pair<std::size_t, const NoiseIn*>>& sources, std::size_t many,
            StatisticMechanism like) {
  double precision = 0;
  for (std::size_t k = 0; k < many; ++k) precision += 1 / sources[k].second->variance;
  Mean mean{{}, std::move(like)};
  mean.law.mean_of.clear();
  double left = 1;
  for (std::size_t k = 1; k < many; ++k) {
    const double weight = std::round(kParts / sources[k].second->variance / precision) / kParts;
    if (weight <= 0) continue;
    mean.weights.emplace_back(sources[k].first, weight);
    left -= weight;
  }
  mean.weights.emplace(mean.weights.begin(), sources.front().first, left);
  for (const auto& [source, weight] : mean.weights) {
    const auto found =
        std::find_if(sources.begin(), sources.end(), [&source = source](const auto& of) { return of.first == source; });
    const NoiseIn& noise = *found->second;
    mean.variance += weight * weight * noise.variance;
    for (WeightedNoise one : noise.noises) {
      one.weight *= weight;
      mean.law.mean_of.push_back(one);
    }
  }
  if (const NoiseIn& only = *sources.front().second; mean.weights.size() == 1 && only.as_it_is) {
    mean.law.noise = *only.as_it_is;
    mean.law.mean_of.clear();
  }
  mean.error_95 = mean.law.ErrorBar(kConfidence);
  return mean;
}

Mean BestMean(std::vector<std::pair<std::size_t, const NoiseIn*>> sources, const StatisticMechanism& like) {
  std::stable_sort(sources.begin(), sources.end(),
                   [](const auto& a, const auto& b) { return a.second->variance < b.second->variance; });
  if (sources.front().second->variance == 0) {  // a public fact
    Mean exact{{{sources.front().first, 1.0}}, like};
    exact.law.mean_of.clear();
    // None of the noise that would be bought is in it: a bar of 0.
    if (like.noise.variance() > 0) exact.law.mean_of.push_back({0, 1, 1, 1});
    return exact;
  }
  Mean best = MeanOf(sources, 1, like);
  for (std::size_t many = 2; many <= sources.size(); ++many) {
    Mean next = MeanOf(sources, many, like);
    if (next.error_95 < best.error_95 || (next.error_95 == best.error_95 && next.variance < best.variance))
      best = std::move(next);
  }
  return best;
}

// Differences are small where the numbers are large: nothing is lost by doubles.
Int128 Rounded(const Mean& mean, const std::vector<KnownStatistics>& sources, std::size_t group, std::size_t k) {
  const Int128 from = sources[mean.weights.front().first].groups[group][k].whole;
  double sum = 0;
  for (const auto& [source, weight] : mean.weights) {
    const KnownStatistics::Number& number = sources[source].groups[group][k];
    sum += weight * (static_cast<double>(number.whole - from) + number.rest);
  }
  return from + static_cast<Int128>(std::round(sum));
}

}  // namespace

NoiseIn NoiseIn::Of(const Noise& noise) { return {noise, {{1, noise.scale(), 1, 1}}, noise.variance()}; }

NoiseIn NoiseIn::Of(std::vector<WeightedNoise> noises, double variance) {
  return {std::nullopt, std::move(noises), variance};
}

KnownStatistics KnownFrom(std::int64_t number, const NoisyGroups& noisy, const Plan& plan,
                          const std::vector<StatisticMechanism>& laws) {
  KnownStatistics known;
  known.number = number;
  known.measured = noisy;
  known.laws = laws;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k)
    known.noises.push_back(plan.statistics[k].noisy() ? NoiseIn::Of(laws[k].noise) : NoiseIn());
  for (const auto& group : noisy) {
    auto& of = known.groups.emplace_back();
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) of.push_back({group[k], 0, k});
  }
  return known;
}

Combined Combine(const Plan& plan, const std::vector<StatisticMechanism>& like,
                 const std::vector<KnownStatistics>& sources) {
  KITH_CHECK(!sources.empty() && like.size() == plan.statistics.size());
  const std::size_t statistics = plan.statistics.size(), groups = sources.front().groups.size();
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> known;  // by statistic and noises
  std::vector<Mean> means;
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> alike;  // groups, by the means of their statistics
  Combined out;
  out.error_95.assign(statistics, 0);
  out.variance.assign(statistics, 0);
  std::set<std::int64_t> numbers;
  for (std::size_t g = 0; g < groups; ++g) {
    auto& row = out.noisy.emplace_back();
    std::vector<std::size_t> of_group;
    for (std::size_t k = 0; k < statistics; ++k) {
      std::pair<std::size_t, std::vector<std::size_t>> key{k, {}};
      for (const KnownStatistics& source : sources) key.second.push_back(source.groups[g][k].noise);
      const auto [at, fresh] = known.try_emplace(key, means.size());
      if (fresh) {
        std::vector<std::pair<std::size_t, const NoiseIn*>> all;
        for (std::size_t s = 0; s < sources.size(); ++s) all.emplace_back(s, &sources[s].noises[key.second[s]]);
        means.push_back(BestMean(std::move(all), like[k]));
      }
      const Mean& mean = means[at->second];
      of_group.push_back(at->second);
      row.push_back(Rounded(mean, sources, g, k));
      out.error_95[k] = std::max(out.error_95[k], mean.error_95);
      out.variance[k] = std::max(out.variance[k], mean.variance);
      if (!plan.statistics[k].noisy()) continue;
      for (const auto& [source, weight] : mean.weights) {
        numbers.insert(sources[source].number);
        out.tables = out.tables || sources[source].laws.empty();
      }
    }
    alike[of_group].push_back(g);
  }
  for (auto& [of_group, members] : alike) {
    Priced priced;
    for (const std::size_t mean : of_group) priced.laws.push_back(means[mean].law);
    if (alike.size() == 1) {
      out.priced = std::move(priced);
      break;
    }
    if (out.priced.strata.empty()) out.priced.laws = priced.laws;
    PricedStratum& stratum = out.priced.strata.emplace_back();
    stratum.groups = members;
    stratum.priced = std::move(priced);
  }
  out.numbers.assign(numbers.begin(), numbers.end());
  return out;
}

}  // namespace kith
