// Coverage of every estimator as a whole, by simulation from exact samplers; each with a twin that is wrong on purpose.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "dependence/distance_table.h"
#include "estimate/distance_fit.h"
#include "estimate/estimate.h"
#include "tests/support/stat.h"

namespace kith::estimate {
namespace {

constexpr std::uint64_t kRuns = 2000;
constexpr double kConfidence = 0.9;

/// How often `missed(random)` is true.
std::uint64_t Misses(std::uint64_t runs, const std::function<bool(std::mt19937_64&)>& missed) {
  std::mt19937_64 random(stat::SeedForThisTest());
  std::uint64_t count = 0;
  for (std::uint64_t run = 0; run < runs; ++run) count += missed(random) ? 1 : 0;
  ::testing::Test::RecordProperty("misses", std::to_string(count));
  return count;
}

/// Fails with probability at most 1e-9 if the miss rate is what it may be.
void ExpectCovered(std::uint64_t misses, std::uint64_t runs = kRuns) {
  EXPECT_LE(stat::LowerBound(misses, runs), 1 - kConfidence) << misses << " misses in " << runs;
}
void ExpectCaught(std::uint64_t misses, std::uint64_t runs = kRuns) {
  EXPECT_GT(stat::LowerBound(misses, runs), 1 - kConfidence) << misses << " misses in " << runs;
}

std::vector<std::int64_t> Draw(std::int64_t n, const std::vector<double>& law, std::mt19937_64& random) {
  std::vector<std::int64_t> counts(law.size(), 0);
  double left = 1;
  for (std::size_t k = 0; k + 1 < law.size(); ++k) {
    counts[k] = std::binomial_distribution<std::int64_t>(n, std::min(1.0, law[k] / left))(random);
    n -= counts[k];
    left -= law[k];
  }
  counts.back() = n;
  return counts;
}

/// Twins: neither, one, both; odds ratio and prevalence of the larger parts.
std::vector<double> TwinLaw(double odds_ratio) {
  // Without an odds ratio 0.64, 0.32, 0.04 (prevalence 0.2).
  std::vector<double> law = {0.64 * std::sqrt(odds_ratio), 0.32, 0.04 * std::sqrt(odds_ratio)};
  const double sum = law[0] + law[1] + law[2];
  for (double& p : law) p /= sum;
  return law;
}

TEST(EstimateStat, TwinsAreCovered) {
  for (const double odds_ratio : {1.0, 4.0, 40.0}) {
    const auto law = TwinLaw(odds_ratio);
    ExpectCovered(Misses(kRuns, [&](std::mt19937_64& random) {
      return Make(Groups{{{"", Draw(200, law, random)}}}, kConfidence)->strengths[0].theta < std::log(odds_ratio);
    }));
  }
}

TEST(EstimateStat, APointEstimateGivenAsALimitIsCaught) {
  const auto law = TwinLaw(4);
  ExpectCaught(Misses(kRuns, [&](std::mt19937_64& random) {
    return Make(Groups{{{"", Draw(200, law, random)}}}, kConfidence)->findings[0].estimate < 4;
  }));
}

TEST(EstimateStat, ALimitForHalfTheConfidenceIsCaught) {
  const auto law = TwinLaw(4);
  ExpectCaught(Misses(kRuns, [&](std::mt19937_64& random) {
    return Make(Groups{{{"", Draw(2000, law, random)}}}, 1 - 2 * (1 - kConfidence))->strengths[0].theta < std::log(4.0);
  }));
}

TEST(EstimateStat, OrderedPairsInStrataAreCoveredTogether) {
  // Odds ratios 3 and 1/5 in strata of very different margins; a miss in either counts.
  const std::vector<double> old = {0.5 * 3 / 2.2, 0.3 / 2.2, 0.25 / 2.2, 0.15 / 2.2}, young = {0.02, 0.3, 0.2, 0.6};
  const auto odds = [](const std::vector<double>& l) { return l[0] * l[3] / (l[1] * l[2]); };
  const auto as_law = [](std::vector<double> weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= sum;
    return weights;
  };
  const auto a = as_law(old), b = as_law(young);
  ExpectCovered(Misses(kRuns, [&](std::mt19937_64& random) {
    const auto m = Draw(120, a, random), n = Draw(80, b, random);
    const auto found = Make(Pairs{{{"old", m[0], m[1], m[2], m[3]}, {"young", n[0], n[1], n[2], n[3]}}}, kConfidence);
    return found->strengths[0].theta < std::abs(std::log(odds(a))) ||
           found->strengths[1].theta < std::abs(std::log(odds(b)));
  }));
}

TEST(EstimateStat, HouseholdsAreCoveredInAllTheirParts) {
  // Four members, three different odds ratios (2, 0.5, 6), one of them the other way.
  const double psi[] = {2, 0.5, 6};
  std::vector<double> one = {1, 1, 0, 0, 0};  // of a single configuration with k yes
  for (int s = 0; s < 3; ++s) one[s + 2] = psi[s] * one[s + 1] * one[s + 1] / one[s];
  const double choose[] = {1, 4, 6, 4, 1};
  std::vector<double> law;
  for (int k = 0; k < 5; ++k) law.push_back(choose[k] * one[k]);
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= sum;
  const auto theta = [&](std::mt19937_64& random) {
    return Make(Groups{{{"", Draw(300, law, random)}}}, kConfidence)->strengths[0].theta;
  };
  ExpectCovered(Misses(kRuns, [&](std::mt19937_64& random) { return theta(random) < std::log(6.0); }));
  // The twin uses whether two members agree, whatever the others are: that odds ratio is smaller.
  ExpectCaught(Misses(kRuns, [&](std::mt19937_64& random) {
    const auto n = Draw(300, law, random);
    const std::int64_t both = n[2] / 6 + n[3] / 2 + n[4], neither = n[2] / 6 + n[1] / 2 + n[0];
    const GroupTable pairs{"", {neither, 300 - neither - both, both}};
    return Make(Groups{{pairs}}, kConfidence)->strengths[0].theta < std::log(6.0);
  }));
}

/// A chain that is watched after every step, and stopped as soon as the limits are wrong.
bool WrongAtSomeTime(std::mt19937_64& random, int steps,
                     const std::function<Limits(std::int64_t, std::int64_t)>& limits) {
  const double to_yes[] = {0.2, 0.7};
  std::int64_t seen[2] = {0, 0}, yes[2] = {0, 0};
  int state = 0;
  for (int t = 0; t < steps; ++t) {
    const int next = std::uniform_real_distribution<>()(random) < to_yes[state] ? 1 : 0;
    ++seen[state];
    yes[state] += next;
    const Limits at = limits(yes[state], seen[state]);
    if (at.lower > to_yes[state] || at.upper < to_yes[state]) return true;
    state = next;
  }
  return false;
}

TEST(EstimateStat, ChainsAreCoveredWheneverOneStops) {
  ExpectCovered(Misses(2000,
                       [](std::mt19937_64& random) {
                         return WrongAtSomeTime(random, 120, [](std::int64_t hits, std::int64_t trials) {
                           return AnytimeLimits(hits, trials, (1 - kConfidence) / 2);
                         });
                       }),
                2000);
}

TEST(EstimateStat, LimitsForOneMomentAreCaughtWhenOneChoosesIt) {
  // The usual limits, right at each single time.
  ExpectCaught(Misses(2000,
                      [](std::mt19937_64& random) {
                        return WrongAtSomeTime(random, 120, [](std::int64_t hits, std::int64_t trials) {
                          const double n = static_cast<double>(trials), p = (static_cast<double>(hits) + 2) / (n + 4);
                          const double half = 1.96 * std::sqrt(p * (1 - p) / (n + 4));
                          return Limits{p - half, p + half};
                        });
                      }),
               2000);
}

TEST(EstimateStat, TheStrengthOfAChainIsCovered) {
  const double theta = std::log(0.7 / 0.3 * 0.8 / 0.2);
  ExpectCovered(Misses(2000,
                       [&](std::mt19937_64& random) {
                         Steps steps{{"no", "yes"}, {{0, 0}, {0, 0}}};
                         std::size_t state = 0;
                         for (int t = 0; t < 400; ++t) {
                           const double p = state == 0 ? 0.2 : 0.7;
                           const std::size_t next = std::uniform_real_distribution<>()(random) < p ? 1 : 0;
                           ++steps.counts[state][next];
                           state = next;
                         }
                         return Make(steps, kConfidence)->strengths[0].theta < theta;
                       }),
                2000);
}

/// Many copies of a small network (a triangle with a tail of three), and exact draws from a field on it.
struct Copies {
  static constexpr int kNodes = 6, kCopies = 100;
  static constexpr int kEdges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}};
  double theta;
  std::discrete_distribution<int> states;

  Copies(double strength, double own) : theta(strength) {
    std::vector<double> weights;
    for (int state = 0; state < 1 << kNodes; ++state) {
      double energy = 0;
      for (int i = 0; i < kNodes; ++i) energy += own * (state >> i & 1);
      for (const auto& [a, b] : kEdges) energy += theta * (state >> a & 1) * (state >> b & 1);
      weights.push_back(std::exp(energy));
    }
    states = std::discrete_distribution<int>(weights.begin(), weights.end());
  }
  Network Draw(std::mt19937_64& random) {
    Network network;
    for (int copy = 0; copy < kCopies; ++copy) {
      const int state = states(random);
      for (const auto& [a, b] : kEdges) network.edges.emplace_back(copy * kNodes + a, copy * kNodes + b);
      for (int i = 0; i < kNodes; ++i) network.values.push_back(state >> i & 1);
    }
    return network;
  }
};

TEST(EstimateStat, TiesOfANetworkAreCovered) {
  for (const auto& [theta, own] : {std::pair{0.0, -0.8}, {1.2, -0.8}, {-1.5, 1.5}}) {
    Copies copies(theta, own);
    ExpectCovered(Misses(2000,
                         [&, theta = theta](std::mt19937_64& random) {
                           return Make(TiesOf(copies.Draw(random)), kConfidence)->strengths[0].theta < theta;
                         }),
                  2000);
  }
}

TEST(EstimateStat, AllEdgesOfANetworkAsIfIndependentAreCaught) {
  // Every edge counted, neighbours ignored: where people differ from their friends, two friends of one person are
  // alike for that reason, which hides part of the strength of the tie between them.
  Copies copies(-1.5, 1.5);
  ExpectCaught(Misses(2000,
                      [&](std::mt19937_64& random) {
                        const Network network = copies.Draw(random);
                        PairTable all;
                        for (const auto& [a, b] : network.edges) {
                          const bool left = network.values[a] == 1, right = network.values[b] == 1;
                          ++(left ? (right ? all.both : all.left) : (right ? all.right : all.neither));
                        }
                        return Make(Pairs{{all}}, kConfidence)->strengths[0].theta < 1.5;
                      }),
               2000);
}

/// Pairs on a line of five places, half by half.
Places DrawPlaces(const DistanceFit::Law& law, std::int64_t pairs, std::mt19937_64& random) {
  const std::vector<std::vector<double>> axes = {{0, 1, 2, 3, 4}};
  static const LawTable table = DistanceTable(axes, law.b, law.c);
  Places places{axes, {}};
  for (auto& half : places.counts) {
    half.assign(25, 0);
    const auto firsts = Draw(pairs / 2, {0.4, 0.1, 0.1, 0.1, 0.3}, random);
    for (std::size_t u = 0; u < 5; ++u) {
      const auto seconds = Draw(firsts[u], table[u], random);
      for (std::size_t v = 0; v < 5; ++v) half[5 * u + v] = seconds[v];
    }
  }
  return places;
}

constexpr DistanceFit::Law kTrueLaw{0.4, 1.5};

TEST(EstimateStat, DistancesAreCovered) {
  ExpectCovered(Misses(2000,
                       [&](std::mt19937_64& random) {
                         return DistanceFit(DrawPlaces(kTrueLaw, 60, random)).Excess(kTrueLaw) >
                                std::log(1 / (1 - kConfidence));
                       }),
                2000);
}

// Every pair is in the file four times, so that each half is judged by what fits itself best, with twice the pairs.
TEST(EstimateStat, DistancesOfPairsListedFourTimesAreCaught) {
  ExpectCaught(Misses(2000,
                      [&](std::mt19937_64& random) {
                        Places places = DrawPlaces(kTrueLaw, 60, random);
                        for (std::int64_t& count : places.counts[0]) count *= 2;
                        places.counts[1] = places.counts[0];
                        return DistanceFit(places).Excess(kTrueLaw) > std::log(1 / (1 - kConfidence));
                      }),
               2000);
}

}  // namespace
}  // namespace kith::estimate
