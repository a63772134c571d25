// The exact law of the coin and of one-sided noise: every path of bits, added up in integers; and the one-sided bound.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/one_sided_laplace.h"
#include "mechanism/record_release.h"
#include "tests/support/precise.h"
#include "tests/support/scripted.h"
#include "tests/support/vectors.h"

namespace kith {
namespace {

using testing::ExactLaw;
using testing::Walk;
using Real = testing::Precise;

constexpr int kDepth = 40;

PlainUnits Units(double epsilon) { return PlainUnits::Floor(epsilon).value(); }

ExactLaw WalkCoin(PlainUnits epsilon) {
  const auto coin = RecordRelease::Make(epsilon).value();
  return Walk(kDepth, [&](BitSource& bits) { return Int128{coin.Draw<5, 3>(bits) ? 1 : 0}; });
}

int CoinViolations(PlainUnits drawn, PlainUnits law) {
  const ExactLaw walked = WalkCoin(drawn);
  EXPECT_LT(walked.UnexploredShare(), 1e-9L);
  const long double away = std::exp(-static_cast<long double>(law.count()) / PlainUnits::kOne);
  return walked.Violations(0, 1, [&](Int128 released) { return released == 0 ? away : 1 - away; });
}

TEST(RecordReleaseLaw, TheCoinIsExactlyAsDefined_OSDP1) {
  for (const double epsilon : {0.001, 0.1, 0.5, 0.7, 1.0, 2.5, 10.0}) {
    EXPECT_EQ(CoinViolations(Units(epsilon), Units(epsilon)), 0) << epsilon;
  }
}

TEST(RecordReleaseLaw, TheCheckAboveSeesAnEpsilonThatIsOffByOnePartInAMillion) {
  EXPECT_GT(CoinViolations(Units(1.000001), Units(1)), 0);
  EXPECT_GT(CoinViolations(Units(0.999999), Units(1)), 0);
}

TEST(RecordReleaseLaw, AllDigitsAtOnceAreAsExact_OSDP1) {
  for (const std::int64_t units :
       {std::int64_t{1}, std::int64_t{1} << 20, PlainUnits::kOne / 3, PlainUnits::kOne * 5, PlainUnits::kOne * 40}) {
    const auto coin = RecordRelease::Make(PlainUnits::Of(units)).value();
    const Real digits = ldexp(exp(-ldexp(Real(units), -32)), 64);
    const auto prefix = static_cast<std::uint64_t>(floor(digits));
    const auto next = static_cast<std::uint64_t>(floor(ldexp(digits - floor(digits), 64)));
    testing::ScriptedBits below({{64, prefix}, {64, next - 8}}), above({{64, prefix}, {64, next + 8}});
    EXPECT_FALSE(coin.Draw(below)) << units;
    EXPECT_TRUE(coin.Draw(above)) << units;
    testing::ScriptedBits far_below({{64, prefix - 4}}), far_above({{64, prefix + 4}});  // decided by the first word
    EXPECT_FALSE(coin.Draw(far_below)) << units;
    EXPECT_TRUE(coin.Draw(far_above)) << units;
  }
}

TEST(RecordReleaseLaw, ReleaseRatesAndTheExclusionAttack) {
  for (const auto& v : testing::Vectors("papers", "osdp0.rr")) {
    for (std::size_t k = 0; k < v.inputs["eps"].size(); ++k) {
      const auto coin = RecordRelease::Make(Units(v.inputs["eps"][k])).value();
      EXPECT_NEAR(coin.rate(), v.expected["p"][k].get<double>(), v.tolerance);
    }
  }
  for (const auto& v : testing::Vectors("papers", "osdp0.exclusion")) {
    const double prior = v.inputs["prior_sensitive"];
    const double away = 1 - RecordRelease::Make(Units(v.inputs["eps"]))->rate();
    EXPECT_NEAR(prior / (prior + (1 - prior) * away), v.expected["posterior_rr"].get<double>(), v.tolerance);
  }
  EXPECT_FALSE(RecordRelease::Make(PlainUnits()));
  EXPECT_FALSE(OneSidedLaplace::Make(PlainUnits()));
}

/// Single digits where coins are counted; more at once where the size of Laplace noise is drawn, whose slow way is
/// slower.
ExactLaw WalkNoise(PlainUnits epsilon, Int128 count) {
  const auto noise = OneSidedLaplace::Make(epsilon).value();
  if (epsilon.count() >= PlainUnits::kOne / 2)
    return Walk(20, [&](BitSource& bits) { return noise.Release<1, 1>(count, bits); });
  return Walk(23, [&](BitSource& bits) { return noise.Release<8, 3>(count, bits); });
}

int NoiseViolations(PlainUnits drawn, PlainUnits law) {
  const ExactLaw walked = WalkNoise(drawn, 0);
  EXPECT_LT(walked.UnexploredShare(), 0.06L);
  const long double epsilon = static_cast<long double>(law.count()) / PlainUnits::kOne;
  return walked.Violations(-30, 5, [&](Int128 output) {
    if (output > 0) return 0.0L;
    const auto k = static_cast<long double>(static_cast<std::int64_t>(-output));
    return std::exp(-epsilon * k) * -std::expm1(-epsilon);
  });
}

TEST(OneSidedLaplaceLaw, IsExactlyAsDefined_OSDP2) {
  for (const double epsilon : {0.2, 0.45, 0.5, 1.0, 3.0}) {
    EXPECT_EQ(NoiseViolations(Units(epsilon), Units(epsilon)), 0) << epsilon;
  }
}

TEST(OneSidedLaplaceLaw, TheCheckAboveSeesAnEpsilonThatIsOffByTwoPercent) {
  for (const double epsilon : {0.2, 1.0}) EXPECT_GT(NoiseViolations(Units(epsilon * 1.02), Units(epsilon)), 1);
}

struct AnotherRound {};

/// Ends the walk where a round too many would begin: rounds start with a draw of `digits` bits, and what is drawn in
/// between has another size.
class Rounds final : public BitSource {
 public:
  Rounds(BitSource& inner, int digits, int rounds) : inner_(inner), digits_(digits), left_(rounds) {}
  std::uint64_t Bits(int count) override {
    if (count == digits_ && left_-- == 0) throw AnotherRound();
    return inner_.Bits(count);
  }

 private:
  BitSource& inner_;
  int digits_, left_;
};

constexpr Int128 kMore = 1000;  // means: another round

/// The noise is made of independent rounds, so its law follows from that of one or two of them;
/// and these can be walked nearly to their ends. Coins: two rounds, the second after one tail. Laplace sizes: one.
int RoundViolations(PlainUnits drawn, PlainUnits law) {
  const auto noise = OneSidedLaplace::Make(drawn).value();
  const bool coins = drawn.count() >= PlainUnits::kOne / 2;
  const ExactLaw walked = Walk(coins ? 44 : 29, [&](BitSource& bits) {
    Rounds rounds(bits, 8, coins ? 2 : 1);
    try {
      return noise.Release<8, 3>(0, rounds);
    } catch (const AnotherRound&) {
      return kMore;
    }
  });
  EXPECT_LT(walked.UnexploredShare(), coins ? 1e-8L : 1e-4L);
  const long double q = std::exp(-static_cast<long double>(law.count()) / PlainUnits::kOne);
  const auto at = [&](Int128 output) {
    const auto k = static_cast<long double>(static_cast<std::int64_t>(-output));
    if (coins) return output == kMore ? q * q : output > 0 || output < -1 ? 0 : (1 - q) * std::pow(q, k);
    // P[M = 0] leads to another round; otherwise M - 1 is taken off.
    if (output == kMore) return (1 - q) / (1 + q);
    return output > 0 ? 0 : 2 * (1 - q) / (1 + q) * std::pow(q, k + 1);
  };
  return walked.Violations(-60, 5, at) + walked.Violations(kMore, kMore, at);
}

TEST(OneSidedLaplaceLaw, EveryRoundIsExactlyAsDefined_OSDP2) {
  for (const double epsilon : {0.2, 0.45, 0.5, 1.0, 3.0})
    EXPECT_EQ(RoundViolations(Units(epsilon), Units(epsilon)), 0) << epsilon;
}

TEST(OneSidedLaplaceLaw, TheCheckAboveSeesAnEpsilonThatIsOffByOnePartInAThousand) {
  for (const double epsilon : {0.2, 1.0}) EXPECT_GT(RoundViolations(Units(epsilon * 1.001), Units(epsilon)), 1);
}

/// Outputs that prove that they were likelier at `before` than e^loss times as likely at `after`.
int Leaks(const ExactLaw& before, const ExactLaw& after, double loss) {
  int leaks = 0;
  for (const auto& [output, weight] : before.found) {
    const auto at = after.found.find(output);
    const UInt128 most = (at == after.found.end() ? 0 : at->second) + after.unexplored;
    leaks += static_cast<long double>(weight) >
                     std::exp(static_cast<long double>(loss)) * static_cast<long double>(most) * (1 + 0x1p-50L)
                 ? 1
                 : 0;
  }
  return leaks;
}

TEST(OneSidedLaplaceLaw, OneMoreRecordThatIsNotSensitiveLosesAtMostEpsilon_OSDP2) {
  const PlainUnits epsilon = Units(1);
  EXPECT_EQ(Leaks(WalkNoise(epsilon, 3), WalkNoise(epsilon, 4), 1), 0);
}

TEST(OneSidedLaplaceLaw, TheOtherDirectionIsNotBoundedAndTheBoundIsTight) {
  const PlainUnits epsilon = Units(1);
  EXPECT_GT(Leaks(WalkNoise(epsilon, 4), WalkNoise(epsilon, 3), 1), 0);    // one-sided: a count of 4 shows itself
  EXPECT_GT(Leaks(WalkNoise(epsilon, 3), WalkNoise(epsilon, 4), 0.9), 0);  // too little noise would be seen
}

TEST(OneSidedLaplaceLaw, TheContinuousLawIsItsLimit) {
  for (const auto& v : testing::Vectors("papers", "osdp0.onesided_laplace")) {
    const double epsilon = v.inputs["eps"];
    const int steps = 1 << 16;  // counts in steps of 2^-16
    const auto fine = OneSidedLaplace::Make(PlainUnits::Floor(epsilon / steps).value()).value();
    EXPECT_NEAR(-static_cast<double>(fine.Median()) / steps, v.expected["median"].get<double>(), 1e-4);
    for (std::size_t k = 0; k < v.inputs["u"].size(); ++k) {
      const double noise = std::log(v.inputs["u"][k].get<double>()) / epsilon;
      const double noisy = v.inputs["x_ns"][k].get<double>() + noise;
      EXPECT_NEAR(noise, v.expected["noise"][k].get<double>(), v.tolerance);
      const auto released = static_cast<Int128>(std::floor(noisy * steps));
      EXPECT_NEAR(static_cast<double>(static_cast<std::int64_t>(fine.Debiased(released))) / steps,
                  v.expected["post_L1"][k].get<double>(), 1e-3);
    }
    EXPECT_NEAR(std::exp(-epsilon), v.expected["cdf_at_minus1"].get<double>(), v.tolerance);
    EXPECT_NEAR(epsilon * std::exp(-epsilon), v.expected["pdf_at_minus1"].get<double>(), v.tolerance);
  }
}

}  // namespace
}  // namespace kith
