// Convolved pure charges, and adaptive spending against a cap. Adversaries are followed down every branch of their
// game, so that what they gain is computed, not sampled.
#include "transfer/gaussian/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "transfer/gaussian/filter.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"

namespace kith {
namespace {

std::vector<PlainUnits> Charges(std::initializer_list<double> epsilons) {
  std::vector<PlainUnits> charges;
  for (const double e : epsilons) charges.push_back(PlainUnits::Floor(e).value());
  return charges;
}

PureProfile Profile(const std::vector<PlainUnits>& charges) { return PureProfile::Make(charges).value(); }

/// What randomised responses reveal, one branch for each outcome: `next` says, from the losses so far, what the next
/// one is charged; 0 stops. Returns the sum of P (1 - e^{epsilon - loss}) over all ends with a larger loss.
using Next = std::function<double(const std::vector<double>& losses)>;
double TrueDelta(const Next& next, double epsilon, std::vector<double> losses = {}, double mass = 1) {
  const double e = next(losses);
  if (e == 0) {
    double loss = 0;
    for (const double l : losses) loss += l;
    return loss > epsilon ? mass * -std::expm1(epsilon - loss) : 0;
  }
  const double truth = 1 / (1 + std::exp(-e));
  losses.push_back(e);
  const double high = TrueDelta(next, epsilon, losses, mass * truth);
  losses.back() = -e;
  return high + TrueDelta(next, epsilon, losses, mass * (1 - truth));
}

Next Fixed(const std::vector<PlainUnits>& charges) {
  return [charges](const std::vector<double>& losses) {
    return losses.size() < charges.size() ? charges[losses.size()].epsilon() : 0;
  };
}

TEST(PureProfile, IsTheConvolution_PROFILE1) {
  for (const auto& charges : {Charges({0.5}), Charges({0.25, 0.25, 0.25, 0.25}), Charges({0.5, 0.125, 0.375}),
                              Charges({0.1, 0.23, 0.47, 0.3, 0.3})}) {
    const PureProfile profile = Profile(charges);
    for (const double loss : {0.0, 0.1, 0.3, 0.49, 0.8, 1.1}) {
      const double truth = TrueDelta(Fixed(charges), loss);
      EXPECT_GE(profile.Delta(loss), truth * (1 - 1e-12));
      EXPECT_LE(profile.Delta(loss), truth + 1e-4 * (truth > 0 ? 1 : 0)) << loss;
    }
  }
  // On a common grid it is exact: four equal charges in closed form.
  EXPECT_NEAR(Profile(Charges({0.25, 0.25, 0.25, 0.25})).Delta(0.75),
              std::pow(1 / (1 + std::exp(-0.25)), 4) * -std::expm1(-0.25), 1e-15);
  EXPECT_EQ(Profile(Charges({0.25, 0.25})).Delta(0.5), 0);
  EXPECT_EQ(Profile({}).Delta(0), 0);
  EXPECT_EQ(Profile({}).Mu(), 0);
}

TEST(PureProfile, OneChargeForgottenIsSeen) {
  const double truth = TrueDelta(Fixed(Charges({0.25, 0.25, 0.25})), 0.3);
  EXPECT_LT(Profile(Charges({0.25, 0.25})).Delta(0.3), 0.95 * truth);
}

std::vector<std::vector<PlainUnits>> Lists() {
  return {Charges({0.5}), Charges({0.25, 0.25, 0.25, 0.25}), Charges({1, 0.125, 0.125, 2}),
          std::vector<PlainUnits>(200, PlainUnits::Floor(0.0625).value())};
}

TEST(PureProfile, ItsMuDominatesItEverywhere_PROFILE2) {
  for (const auto& charges : Lists()) {
    const PureProfile profile = Profile(charges);
    const double mu = profile.Mu();
    double closest = 1e9;
    for (double loss = 0; loss < 4; loss += 0.001) {
      const double delta = profile.Delta(loss);
      EXPECT_GE(DeltaOfMu(mu, loss), delta * (1 - 1e-9)) << loss;
      if (delta > 1e-12) closest = std::min(closest, DeltaOfMu(mu, loss) / delta);
    }
    EXPECT_LT(closest, 1.1);  // it is not far above
  }
  EXPECT_NEAR(Profile(Charges({0.5})).Mu(), MuOfPure(0.5), 1e-12);
}

TEST(PureProfile, TheCheckAboveSeesAMuThatIsTooSmall) {
  for (const auto& charges : Lists()) {
    const PureProfile profile = Profile(charges);
    bool dominates = true;
    for (double loss = 0; loss < 4 && dominates; loss += 0.001)
      dominates = DeltaOfMu(0.97 * profile.Mu(), loss) >= profile.Delta(loss) * (1 - 1e-9);
    EXPECT_FALSE(dominates);
  }
}

TEST(PureProfile, ABatchCountsLessThanItsChargesOneByOne) {
  const std::vector<PlainUnits> many(200, PlainUnits::Floor(0.0625).value());
  EXPECT_LT(Profile(many).Mu(), 0.83 * MuOfPure(0.0625) * std::sqrt(200));
  EXPECT_GT(Profile(many).Mu(), 0.0625 * std::sqrt(200) * 0.99);
}

TEST(PureProfile, RefusesTooMuch) {
  EXPECT_FALSE(PureProfile::Make(std::vector<PlainUnits>(100'001)).has_value());
  EXPECT_FALSE(PureProfile::Make(std::vector<PlainUnits>(2, PlainUnits::Of(PlainUnits::kMax))).has_value());
}

/// The largest charge, in steps of 1/16 and up to `most`, that `allowed` lets follow these losses; 0 if there is none.
double LargestAllowed(const std::vector<double>& losses, double most,
                      const std::function<bool(const std::vector<PlainUnits>&)>& allowed) {
  std::vector<PlainUnits> charges;
  for (const double loss : losses) charges.push_back(PlainUnits::Floor(std::abs(loss)).value());
  charges.emplace_back();
  for (double e = most; e > 0; e -= 0x1p-4) {
    charges.back() = PlainUnits::Floor(e).value();
    if (allowed(charges)) return e;
  }
  return 0;
}

bool FilterAllows(double cap, const std::vector<PlainUnits>& charges) {
  auto filter = GaussianFilter::Make(cap).value();
  for (const PlainUnits charge : charges) {
    if (!filter.Take(charge)) return false;
  }
  return true;
}

double Sum(const std::vector<double>& losses) {
  double sum = 0;
  for (const double l : losses) sum += l;
  return sum;
}

/// Adversaries, by what they would charge next. Each is cut to what is allowed.
std::vector<Next> Adversaries(const std::function<bool(const std::vector<PlainUnits>&)>& allowed) {
  const auto wants = [allowed](const std::function<double(const std::vector<double>&)>& want) {
    return [=](const std::vector<double>& losses) {
      const double most = losses.size() < 6 ? want(losses) : 0;
      return most > 0 ? LargestAllowed(losses, most, allowed) : 0;
    };
  };
  return {
      // Stops as soon as its loss is high, and continues otherwise.
      wants([](const auto& losses) { return Sum(losses) >= 0.5 ? 0 : 0.25; }),
      wants([](const auto& losses) { return Sum(losses) >= 1 ? 0 : 0.5; }),
      // Chooses by the last answer: carefully on when it was told the truth, everything at once when not.
      wants([](const auto& losses) { return losses.empty() || losses.back() > 0 ? 0.25 : 3.0; }),
      wants([](const auto& losses) { return losses.empty() || losses.back() < 0 ? 0.25 : 3.0; }),
      // One look, and then whatever reaches the target at once.
      wants([](const auto& losses) { return losses.empty()      ? 0.5
                                            : losses.back() > 0 ? 0.625
                                                                : 3.0; }),
  };
}

TEST(GaussianFilter, NoAdaptiveAdversaryLosesMore_FILTER1) {
  for (const double cap : {0.5, 1.0}) {
    const auto allowed = [&](const std::vector<PlainUnits>& charges) { return FilterAllows(cap, charges); };
    for (const Next& adversary : Adversaries(allowed)) {
      for (const double epsilon : {0.25, 0.5, 1.0, 1.5, 2.0})
        EXPECT_LE(TrueDelta(adversary, epsilon), DeltaOfMu(cap, epsilon)) << cap << " " << epsilon;
    }
  }
}

/// The adversary that no other beats: of all allowed ways to continue, and of stopping, the best. Charges are
/// eighths.
class BestAdversary {
 public:
  using Allowed = std::function<bool(const std::vector<PlainUnits>&)>;
  BestAdversary(double epsilon, std::size_t most, Allowed allowed)
      : epsilon_(epsilon), most_(most), allowed_(std::move(allowed)) {}

  double Delta() { return From({}, 0); }

 private:
  double From(const std::vector<int>& charges, int loss) {
    const auto [at, fresh] = found_.try_emplace({charges, loss}, 0);
    if (!fresh) return at->second;
    double best = std::max(0.0, -std::expm1(epsilon_ - loss / 8.0));
    if (charges.size() < most_) {
      for (const int e : {1, 2, 3, 4, 6, 8, 12, 16}) {
        std::vector<int> next = charges;
        next.insert(std::upper_bound(next.begin(), next.end(), e), e);
        if (!May(next)) continue;
        const double truth = 1 / (1 + std::exp(-e / 8.0));
        best = std::max(best, truth * From(next, loss + e) + (1 - truth) * From(next, loss - e));
      }
    }
    return found_[{charges, loss}] = best;
  }
  bool May(const std::vector<int>& charges) {
    const auto [at, fresh] = may_.try_emplace(charges, false);
    if (!fresh) return at->second;
    std::vector<PlainUnits> units;
    for (const int e : charges) units.push_back(PlainUnits::Floor(e / 8.0).value());
    return at->second = allowed_(units);
  }

  double epsilon_;
  std::size_t most_;
  Allowed allowed_;
  std::map<std::pair<std::vector<int>, int>, double> found_;
  std::map<std::vector<int>, bool> may_;
};

TEST(GaussianFilter, NotEvenTheBestAdversaryLosesMore_FILTER1) {
  for (const double cap : {0.5, 1.0}) {
    for (const double epsilon : {0.5, 1.0, 2.0}) {
      BestAdversary best(epsilon, 7, [&](const auto& charges) { return FilterAllows(cap, charges); });
      EXPECT_LE(best.Delta(), DeltaOfMu(cap, epsilon)) << cap << " " << epsilon;
    }
  }
}

// The planted fault: a history may go on as long as its own convolved profile keeps the target. The list of charges
// then depends on the answers, and the parts of different lists add up to more than any of them.
TEST(GaussianFilter, AFilterByTheConvolvedProfileOfTheHistoryIsBroken) {
  BestAdversary best(1, 7, [&](const auto& charges) { return Profile(charges).Delta(1) <= 0.1; });
  EXPECT_GT(best.Delta(), 1.4 * 0.1);
}

TEST(GaussianFilter, StopsAtItsCapAndStaysAsItWas) {
  auto filter = GaussianFilter::Make(1).value();
  EXPECT_TRUE(filter.Take(0.6).has_value());
  EXPECT_TRUE(filter.Take(0.5).has_value());
  const double spent = filter.spent_squared();
  EXPECT_FALSE(filter.Take(0.7).has_value());
  EXPECT_EQ(filter.spent_squared(), spent);
  EXPECT_TRUE(filter.Take(0.6).has_value());
  EXPECT_FALSE(filter.Take(0.2).has_value());
  EXPECT_GE(filter.spent_squared(), 0.36 + 0.25 + 0.36);
  EXPECT_FALSE(filter.Take(-0.1).has_value());
  EXPECT_FALSE(GaussianFilter::Make(0).has_value());
  EXPECT_FALSE(GaussianFilter::Make(1e9).has_value());
  auto other = GaussianFilter::Make(2).value();
  EXPECT_TRUE(other.Take(Profile(std::vector<PlainUnits>(100, PlainUnits::Floor(0.125).value()))).has_value());
  EXPECT_NEAR(other.spent_squared(), 1.5625, 0.01);
}

}  // namespace
}  // namespace kith
