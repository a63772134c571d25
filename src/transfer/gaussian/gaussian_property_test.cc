// Every mechanism on small laws, by exact programme, against both bounds; and the probit lemma on random cases. Each
// check has a twin with a fault that it must see.
#include <gtest/gtest.h>

#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <numbers>

#include "tests/support/small_laws.h"
#include "tests/support/stat.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"

namespace kith {
namespace {

using testing::Dice;

double Normal(double z) { return std::erfc(-z * std::numbers::sqrt2 / 2) / 2; }

double Quantile(double y) {
  double low = -40, high = 40;
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (Normal(middle) < y ? low : high) = middle;
  }
  return low;
}

/// The largest P[1 | X_about = 1] - e^epsilon P[1 | X_about = 0] over all mechanisms with outputs 0 and 1 that are
/// mus[j]-Gaussian about every record j: kernels K in [0, 1] with K(x) <= h(K(x')). h is concave, so it is the least of
/// its tangents; the programme starts with a thousand for each pair of neighbours and takes in every one that its
/// solution breaks.
double LargestDelta(const std::vector<double>& law, const std::vector<double>& mus, double epsilon, int about = 0) {
  const int states = static_cast<int>(law.size());
  double ones = 0;
  for (int x = 0; x < states; ++x) ones += (x >> about & 1) != 0 ? law[static_cast<std::size_t>(x)] : 0;
  std::vector<double> cost;
  for (int x = 0; x < states; ++x) {
    const double p = law[static_cast<std::size_t>(x)];
    cost.push_back((x >> about & 1) != 0 ? -p / ones : std::exp(epsilon) * p / (1 - ones));
  }
  CoinPackedMatrix empty(false, 0, 0);
  empty.setDimensions(0, states);
  const std::vector<double> zero(law.size(), 0), one(law.size(), 1);
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.loadProblem(empty, zero.data(), one.data(), cost.data(), nullptr, nullptr);
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> columns;
  std::vector<double> elements, upper;
  const auto add = [&](int x, int other, double mu, double z) {  // the tangent at K(other) = Phi(z)
    const double slope = std::exp(-z * mu - mu * mu / 2);
    if (!(slope < 1e9)) return;
    columns.insert(columns.end(), {x, other});
    elements.insert(elements.end(), {1, -slope});
    upper.push_back(Normal(z + mu) - slope * Normal(z));
    starts.push_back(static_cast<CoinBigIndex>(columns.size()));
  };
  const auto flush = [&] {
    const std::vector<double> lower(upper.size(), -COIN_DBL_MAX);
    simplex.addRows(static_cast<int>(upper.size()), lower.data(), upper.data(), starts.data(), columns.data(),
                    elements.data());
    starts = {0};
    columns.clear();
    elements.clear();
    upper.clear();
  };
  const auto for_neighbours = [&](const auto& visit) {
    for (int x = 0; x < states; ++x) {
      for (int record = 0; 1 << record < states; ++record)
        visit(x, x ^ 1 << record, mus[static_cast<std::size_t>(record)]);
    }
  };
  constexpr int kTangents = 1000;
  for_neighbours([&](int x, int other, double mu) {
    for (int k = 0; k < kTangents; ++k) add(x, other, mu, -6 + 12.0 * k / (kTangents - 1));
  });
  flush();
  for (int round = 0; round < 30; ++round) {
    simplex.dual();
    const double* kernel = simplex.primalColumnSolution();
    for_neighbours([&](int x, int other, double mu) {
      const double at = std::min(1.0, std::max(0.0, kernel[other]));
      if (at <= 0 || at >= 1) return;
      const double z = Quantile(at);
      if (kernel[x] > Normal(z + mu) + 1e-11) add(x, other, mu, z);
    });
    if (upper.empty()) break;
    flush();
  }
  return -simplex.objectiveValue();
}

/// Two records with odds ratio e^theta, and the probability of one given that the other is zero.
std::vector<double> PairLaw(double theta, double prevalence, double rare) {
  const double p = prevalence, q = rare;
  const double given = q * std::exp(theta) / (1 - q + q * std::exp(theta));
  return {(1 - p) * (1 - q), p * (1 - given), (1 - p) * q, p * given};  // index: first record + 2 * second
}

struct Worst {
  double offset = 0, messages = 0;  // the largest true delta over the bound
  double unscaled = 0, weak = 0;    // the same for the planted faults
};

/// `faulty`: the model with the strengths that a wrong lemma would use.
void Look(Worst& worst, const std::vector<double>& law, const Model& model, const Model& faulty, double mu,
          double epsilon) {
  const auto transfer = Transfer::Make(model).value();
  const auto loss = GaussianTransfer::Make(transfer)->Delta(mu, epsilon).value();
  const double truth = LargestDelta(law, std::vector<double>(3, mu), epsilon) - 1e-9;
  worst.offset = std::max(worst.offset, truth / loss.offset);
  worst.messages = std::max(worst.messages, truth / *loss.messages);
  worst.unscaled = std::max(worst.unscaled, truth / DeltaOfMu(mu, transfer.PlainBudget(epsilon).value()));
  const auto weak = GaussianTransfer::Make(Transfer::Make(faulty).value())->Delta(mu, epsilon).value();
  worst.weak = std::max(worst.weak, truth / *weak.messages);
}

Worst OverPairs() {
  Worst worst;
  Dice dice(stat::SeedForThisTest());
  for (const double theta : {1.0, 2.5, 3.7}) {
    // tanh(theta / 5) instead of tanh(theta / 4).
    const Group model{2, {{"", std::exp(theta)}}}, faulty{2, {{"", std::exp(theta * 4 / 5)}}};
    for (const double mu : {0.3, 0.8}) {
      for (const double rare : {0.002, 0.02, 0.1, 0.3})
        Look(worst, PairLaw(theta, dice.Between(0.1, 0.9), rare), model, faulty, mu, mu * dice.Between(1, 3));
    }
  }
  return worst;
}

TEST(GaussianProperty, NoMechanismOnPairsLosesMore_OFFSET1_PROBIT2) {
  const Worst worst = OverPairs();
  EXPECT_LE(worst.offset, 1);
  EXPECT_LE(worst.messages, 1);
  EXPECT_GT(worst.offset, 0.9);  // the bounds are nearly reached, so the check means something
}

TEST(GaussianProperty, TheCheckAboveSeesADeltaThatIsNotScaledAndALemmaThatIsTooWeak) {
  const Worst worst = OverPairs();
  EXPECT_GT(worst.unscaled, 1.2);
  EXPECT_GT(worst.weak, 1.01);
}

TEST(GaussianProperty, NoMechanismOnPathsAndTrianglesLosesMore_OFFSET1_PROBIT2) {
  Dice dice(stat::SeedForThisTest());
  Worst worst;
  for (int round = 0; round < 4; ++round) {
    Field field;
    field.nodes = 3;
    std::vector<double> law(8, 1);
    const double single[] = {dice.Between(-3, 1), dice.Between(-3, 1), dice.Between(-3, 1)};
    for (std::uint32_t a = 0; a < 3; ++a) {
      for (std::uint32_t b = a + 1; b < 3; ++b) {
        if (round % 2 == 0 && a == 0 && b == 2) continue;  // a path
        const double theta = dice.Between(0.5, 2.5);
        field.edges.push_back({a, b, theta});
        for (unsigned x = 0; x < 8; ++x) {
          if ((x >> a & 1) != 0 && (x >> b & 1) != 0) law[x] *= std::exp(theta);
        }
      }
    }
    double sum = 0;
    for (unsigned x = 0; x < 8; ++x) {
      for (unsigned r = 0; r < 3; ++r) law[x] *= std::exp((x >> r & 1) != 0 ? single[r] : 0);
      sum += law[x];
    }
    for (double& p : law) p /= sum;
    const double mu = dice.Between(0.2, 0.7);
    Look(worst, law, field, field, mu, mu * dice.Between(1, 4));
  }
  EXPECT_LE(worst.offset, 1);
  EXPECT_LE(worst.messages, 1);
  EXPECT_GT(worst.offset, 0.3);
}

// One law, declared in every way in which it can be declared: whatever a model knows about it, no mechanism loses more.
TEST(GaussianProperty, NoMechanismLosesMoreThanAnyModelOfItsLawSays_OFFSET1) {
  const LawTable table = {{0.8, 0.2}, {0.35, 0.65}};
  const Law start = {0.7, 0.3};
  std::vector<double> law(8);
  for (std::size_t x = 0; x < 8; ++x) law[x] = start[x & 1] * table[x & 1][x >> 1 & 1] * table[x >> 1 & 1][x >> 2 & 1];
  std::vector<double> listed(8);  // the last record varies fastest
  for (std::size_t x = 0; x < 8; ++x) listed[(x & 1) << 2 | (x & 2) | x >> 2] = law[x];
  const double mu = 0.5, epsilon = 1;
  double truth = 0;
  for (int about = 0; about < 3; ++about)
    truth = std::max(truth, LargestDelta(law, {mu, mu, mu}, epsilon, about) - 1e-9);
  const double theta = std::log(0.8 * 0.65 / (0.2 * 0.35));
  // Total variation: 0.45 for the next record, 0.424 for the one before, both for the middle: 0.45 + 0.55 * 0.424.
  const double eta = 0.69;
  Field field;
  field.nodes = 3;
  field.edges = {{0, 1, theta}, {1, 2, theta}};
  const std::vector<std::pair<std::string, Model>> models = {
      {"chain", Chain{table, start, 3}},   {"tree", Tree{{-1, 0, 1}, {LawTable{start}, table, table}}},
      {"joint", Joint{{2, 2, 2}, listed}}, {"field", field},
      {"overlap", Overlap{3, eta}},        {"group", Group{3, {{"", std::nullopt}}}},
  };
  for (const auto& [name, model] : models) {
    const auto transfer = Transfer::Make(model);
    ASSERT_TRUE(transfer.has_value()) << name << ": " << transfer.error().what;
    const auto loss = GaussianTransfer::Make(*transfer)->Delta(mu, epsilon).value();
    EXPECT_LE(truth, loss.offset) << name;
    EXPECT_LE(truth, *loss.messages) << name;
    EXPECT_LT(loss.offset, 100 * truth) << name;
  }
  EXPECT_GT(truth, 1.5 * DeltaOfMu(mu, epsilon));  // the plain delta would not do
}

TEST(GaussianProperty, UnequalLossesAreCovered_OFFSET1) {
  const double theta = 2.5;
  const auto transfer = Transfer::Make(Group{2, {{"", std::exp(theta)}}}).value();
  for (const auto& [own, other] : {std::pair(0.2, 0.9), std::pair(0.9, 0.2), std::pair(0.0, 0.7)}) {
    const GaussianProfile first(own), second(other);
    const PrivacyProfile* const profiles[] = {&first, &second};
    const double bound = OffsetDelta(transfer, profiles, 1).value();
    for (const double rare : {0.02, 0.1}) {
      const double truth = LargestDelta(PairLaw(theta, 0.4, rare), {std::max(own, 1e-9), other}, 1) - 1e-9;
      EXPECT_LE(truth, bound) << own << " " << other;
    }
  }
}

/// By how much the probit of a mean moves beyond the bound when the odds of the high value of U are multiplied by
/// e^theta.
double LargestExcess(double theta_of_bound, double theta, double t, int cases, Dice& dice) {
  const double bound = ProbitPhi(theta_of_bound, t);
  double worst = -1;
  for (int k = 0; k < cases; ++k) {
    const double z = dice.Between(-4, 4) - t / 2;
    const double s = k % 3 == 0 ? t : dice.Between(0, t);
    const double q = 1 / (1 + std::exp(dice.Between(-theta - 2, theta + 2)));
    const double p = q * std::exp(theta) / (1 - q + q * std::exp(theta));
    const double low = Normal(z), high = Normal(z + s);
    worst = std::max(worst, Quantile(p * high + (1 - p) * low) - Quantile(q * high + (1 - q) * low) - bound);
  }
  return worst;
}

TEST(GaussianProperty, TheProbitLemmaHoldsAndIsSharp_PROBIT1) {
  Dice dice(stat::SeedForThisTest());
  for (const double theta : {0.1, 1.0, 3.7, 7.0}) {
    for (const double t : {0.05, 0.5, 2.0, 4.0}) {
      EXPECT_LE(LargestExcess(theta, theta, t, 1500, dice), 1e-12) << theta << " " << t;
      // Attained in the middle: the high value has odds e^{-theta/2} before and e^{theta/2} after.
      const double p = 1 / (1 + std::exp(-theta / 2));
      const double low = Normal(-t / 2), high = Normal(t / 2);
      EXPECT_NEAR(Quantile(p * high + (1 - p) * low) - Quantile((1 - p) * high + p * low), ProbitPhi(theta, t), 1e-10);
    }
  }
}

TEST(GaussianProperty, TheCheckOfTheLemmaSeesAFactorThatIsTooSmall) {
  Dice dice(stat::SeedForThisTest());
  EXPECT_GT(LargestExcess(1.0 * 4 / 5, 1.0, 0.5, 1500, dice), 1e-3);
  EXPECT_GT(LargestExcess(3.7 * 4 / 5, 3.7, 2.0, 1500, dice), 1e-3);
}

}  // namespace
}  // namespace kith
