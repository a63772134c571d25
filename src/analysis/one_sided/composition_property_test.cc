// Noisy answers and one-sided releases together, by enumeration: one record, all outputs of several releases, every
// pair of values. The bound must hold for values that are sensitive under all rules, and only for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/stat.h"

namespace kith {
namespace {

constexpr std::size_t kValues = 4;

/// P(output | value): rows by value. Outputs of a one-sided release: nothing, or the value itself.
using Channel = std::vector<std::vector<double>>;

struct OneSided {
  double epsilon = 0;
  std::vector<bool> sensitive;  // by value
};

Channel ChannelOf(const OneSided& release) {
  Channel channel(kValues, std::vector<double>(1 + kValues, 0.0));
  for (std::size_t v = 0; v < kValues; ++v) {
    const double shows = release.sensitive[v] ? 0 : -std::expm1(-release.epsilon);
    channel[v][0] = 1 - shows;
    channel[v][1 + v] = shows;
  }
  return channel;
}

/// Randomised response with plain loss of exactly epsilon.
Channel Noisy(double epsilon) {
  Channel channel(kValues, std::vector<double>(kValues, 1 / (std::exp(epsilon) + kValues - 1)));
  for (std::size_t v = 0; v < kValues; ++v) channel[v][v] *= std::exp(epsilon);
  return channel;
}

Channel Together(const Channel& a, const Channel& b) {
  Channel both(kValues);
  for (std::size_t v = 0; v < kValues; ++v) {
    for (const double p : a[v]) {
      for (const double q : b[v]) both[v].push_back(p * q);
    }
  }
  return both;
}

/// The loss from one value to another: infinite if an output of the first is impossible for the second.
double Loss(const Channel& channel, std::size_t from, std::size_t to) {
  double loss = 0;
  for (std::size_t o = 0; o < channel[from].size(); ++o) {
    if (channel[from][o] > 0) loss = std::max(loss, std::log(channel[from][o] / channel[to][o]));
  }
  return loss;
}

struct Case {
  std::vector<OneSided> releases;
  double plain = 0, one_sided = 0;
  Channel all;

  bool SensitiveByAll(std::size_t value) const {
    for (const OneSided& release : releases) {
      if (!release.sensitive[value]) return false;
    }
    return true;
  }
};

Case RandomCase(std::mt19937_64& random) {
  Case made;
  std::uniform_real_distribution<> epsilon(0.05, 2);
  made.plain = epsilon(random);
  made.all = Noisy(made.plain);
  const std::size_t count = 1 + random() % 3;
  for (std::size_t k = 0; k < count; ++k) {
    OneSided release{epsilon(random), std::vector<bool>(kValues)};
    for (std::size_t v = 0; v < kValues; ++v) release.sensitive[v] = random() % 2 == 0;
    made.one_sided += release.epsilon;
    made.all = Together(made.all, ChannelOf(release));
    made.releases.push_back(std::move(release));
  }
  return made;
}

/// Pairs of values whose loss exceeds the stated one.
struct Violations {
  int covered = 0, by_one_rule_alone = 0, back = 0;
};

Violations Count(const std::function<double(const Case&)>& stated) {
  std::mt19937_64 random(stat::SeedForThisTest());
  Violations found;
  for (int trial = 0; trial < 300; ++trial) {
    const Case one = RandomCase(random);
    const double bound = stated(one) + 1e-12;
    for (std::size_t from = 0; from < kValues; ++from) {
      const bool covered = one.SensitiveByAll(from),
                 touched = std::any_of(one.releases.begin(), one.releases.end(),
                                       [&](const auto&r) { return r.sensitive[from]; });
      for (std::size_t to = 0; to < kValues; ++to) {
        if (from == to) continue;
        const bool beyond = Loss(one.all, from, to) > bound;
        if (covered && beyond) ++found.covered;
        if (!covered && touched && beyond) ++found.by_one_rule_alone;
        if (one.SensitiveByAll(to) && !covered && beyond) ++found.back;
      }
    }
  }
  return found;
}

double Everything(const Case& one) { return one.plain + one.one_sided; }

TEST(OneSidedComposition, LossesOfAllReleasesAddUp_OSDP7) { EXPECT_EQ(Count(Everything).covered, 0); }

TEST(OneSidedComposition, TheComparisonSeesARowThatIsSensitiveByOneRuleAlone) {
  EXPECT_GT(Count(Everything).by_one_rule_alone, 100);
  EXPECT_GT(Count(Everything).back, 100);  // and the other direction
}

TEST(OneSidedComposition, TheComparisonSeesAForgottenRelease) {
  EXPECT_GT(Count([](const Case& one) { return one.plain + one.one_sided - one.releases.back().epsilon; }).covered, 50);
  EXPECT_GT(Count([](const Case& one) { return one.one_sided; }).covered, 50);
}

}  // namespace
}  // namespace kith
