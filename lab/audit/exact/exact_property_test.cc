// The exact audit against brute force on random laws, and below every bound that kith states.
#include <gtest/gtest.h>

#include "audit/exact/exact_test_tools.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"
#include "transfer/transfer.h"

namespace kith::audit {
namespace {

using published::ListedLaw;
using reference::Dice;
using reference::SmallLaw;

constexpr double kRounding = 1e-9;

/// A random law with a random question, and everything the tests look at.
struct Case {
  SmallLaw small;
  ListedLaw listed;
  FiniteLaw law;
  Additive question;
  ExactAudit audit;
  double scale;
};

Case RandomCase(Dice& dice, const std::vector<int>& values) {
  const SmallLaw small = testing::RandomJoint(dice, values);
  FiniteLaw law = LawOf(reference::Declared(small)).value();
  Additive question = reference::RandomQuestion(dice, values);
  ExactAudit audit = ExactAudit::Make(law, question).value();
  return {small,
          published::reference::ListOf(small),
          std::move(law),
          std::move(question),
          std::move(audit),
          dice.Between(0.3, 4)};
}

const std::vector<std::vector<int>> kShapes = {{2, 2, 2}, {3, 2}, {2, 3, 2}, {2, 2, 2, 2}};

/// The largest distance of Loss from an interval found by trying outputs. `forgotten`: the reference leaves out one
/// record's part of the answer.
double FarthestLoss(bool forgotten) {
  Dice dice(stat::SeedForThisTest());
  double farthest = 0;
  for (int trial = 0; trial < 120; ++trial) {
    Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    Additive asked = c.question;
    if (forgotten) asked.adds.back().assign(asked.adds.back().size(), 0);
    const auto answer = [&](const std::vector<double>& x) { return reference::AnswerTo(asked, x); };
    const auto about = published::reference::LossOf(c.listed, answer, c.scale, 4000);
    const double loss = c.audit.Loss(c.scale).value().loss;
    farthest = std::max({farthest, about.least - loss, loss - about.most});
  }
  return farthest;
}

TEST(AuditProperty, LossEqualsBruteForce_AUDIT2) { EXPECT_LE(FarthestLoss(false), kRounding); }
TEST(AuditProperty, TheCheckAboveSeesAForgottenRecord) { EXPECT_GT(FarthestLoss(true), 0.1); }

/// The largest error of a conditional probability. `slip`: the wrong value is conditioned on.
double FarthestLaw(bool slip) {
  Dice dice(stat::SeedForThisTest());
  double farthest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    double lowest = 0;
    for (const auto& adds : c.question.adds) lowest += static_cast<double>(*std::min_element(adds.begin(), adds.end()));
    for (const RecordAnswers& about : c.audit.answers()) {
      for (std::size_t t = 0; t < about.values.size(); ++t) {
        const std::size_t value = about.values[slip ? about.values.size() - 1 - t : t];
        double prior = 0;
        std::vector<double> law(about.secret.given[t].size(), 0.0);
        for (const auto& d : c.listed) {
          if (d.values[about.secret.record] != static_cast<double>(value)) continue;
          prior += d.p;
          law[static_cast<std::size_t>(reference::AnswerTo(c.question, d.values) - lowest)] += d.p;
        }
        for (std::size_t k = 0; k < law.size(); ++k) {
          farthest = std::max(farthest, std::abs(law[k] / prior - about.secret.given[t][k]));
        }
      }
    }
  }
  return farthest;
}

TEST(AuditProperty, LawsOfTheAnswer_AUDIT1) { EXPECT_LE(FarthestLaw(false), 1e-12); }
TEST(AuditProperty, TheCheckAboveSeesSwappedValues) { EXPECT_GT(FarthestLaw(true), 0.1); }

TEST(AuditProperty, NetworksEqualTheirRows_AUDIT1) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 40; ++trial) {
    Tree tree{{-1}, {{testing::RandomLaw(dice, 3)}}};
    for (std::int64_t j = 1; j < 5; ++j) {
      tree.parents.push_back(dice.Below(static_cast<int>(j) + 1) - 1);
      const bool root = tree.parents.back() < 0;
      const std::size_t rows = root ? 1 : tree.tables[static_cast<std::size_t>(tree.parents.back())][0].size();
      const int values = 2 + dice.Below(2);
      LawTable& table = tree.tables.emplace_back();
      for (std::size_t a = 0; a < rows; ++a) table.push_back(testing::RandomLaw(dice, values));
    }
    const FiniteLaw network = LawOf(tree).value();
    const Joint rows = Expanded(network, 4096).value();
    const FiniteLaw listed = LawOf(rows).value();
    Additive question;
    for (const std::size_t values : network.values) {
      auto& adds = question.adds.emplace_back();
      for (std::size_t v = 0; v < values; ++v) adds.push_back(dice.Below(5));
    }
    question.adds[0] = {0, 1, 3};
    const double scale = dice.Between(0.3, 3);
    const ExactAudit a = ExactAudit::Make(network, question).value();
    const ExactAudit b = ExactAudit::Make(listed, question).value();
    EXPECT_NEAR(a.Loss(scale).value().loss, b.Loss(scale).value().loss, 1e-8);
    EXPECT_NEAR(a.Delta(scale, 0.3, Noise::kDiscrete).value(), b.Delta(scale, 0.3, Noise::kDiscrete).value(), 1e-9);
    const auto of_network = LossesOfAdversaries(network, question, a, {&scale, 1}).value()[0];
    const auto of_rows = LossesOfAdversaries(listed, question, b, {&scale, 1}).value()[0];
    EXPECT_NEAR(of_network.all.worst.loss, of_rows.all.worst.loss, 1e-9);
    EXPECT_NEAR(of_network.any->worst.loss, of_rows.any->worst.loss, 1e-8);
  }
}

/// The worst set by conditioning lists of databases and trying outputs.
double FarthestKnown(bool only_the_ends) {
  Dice dice(stat::SeedForThisTest());
  double farthest = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const auto answer = [&](const std::vector<double>& x) { return reference::AnswerTo(c.question, x); };
    published::reference::About worst;
    const std::size_t n = c.law.records();
    for (std::size_t set = 0; set < std::size_t{1} << n; ++set) {
      std::vector<std::size_t> known;
      for (std::size_t j = 0; j < n; ++j) {
        if ((set >> j & 1) != 0) known.push_back(j);
      }
      if (only_the_ends && !known.empty() && known.size() + 1 < n) continue;
      for (const ListedLaw& rest : Knowing(c.listed, known)) {
        for (std::size_t i = 0; i < n; ++i) {
          if ((set >> i & 1) != 0) continue;
          const auto about = published::reference::LossAbout(rest, i, answer, c.scale, 1500);
          worst = {std::max(worst.least, about.least), std::max(worst.most, about.most)};
        }
      }
    }
    const auto losses = LossesOfAdversaries(c.law, c.question, c.audit, {&c.scale, 1}).value()[0];
    farthest = std::max({farthest, worst.least - losses.any->worst.loss, losses.any->worst.loss - worst.most});
    EXPECT_GE(losses.any->worst.loss, losses.none.worst.loss - kRounding);
    EXPECT_GE(losses.any->worst.loss, losses.all.worst.loss - kRounding);
  }
  return farthest;
}

TEST(AuditProperty, EverySetEqualsBruteForce_AUDIT6) { EXPECT_LE(FarthestKnown(false), kRounding); }
TEST(AuditProperty, TheCheckAboveSeesSetsLeftOut) { EXPECT_GT(FarthestKnown(true), 1e-3); }

/// Delta and information with discrete noise, by adding up outputs one by one.
double FarthestDiscrete(double factor) {
  Dice dice(stat::SeedForThisTest());
  double farthest = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const double epsilon = dice.Between(0, 1);
    double delta = 0;
    double information = 0;
    for (const RecordAnswers& about : c.audit.answers()) {
      const std::size_t i = about.secret.record;
      std::vector<std::vector<double>> chance;
      for (const std::size_t value : about.values) {
        chance.emplace_back();
        for (double y = -150; y <= 150; ++y) {
          chance.back().push_back(
              reference::DiscreteChance(c.listed, c.question, i, static_cast<double>(value), c.scale * factor, y));
        }
      }
      double mutual = 0;
      for (std::size_t y = 0; y < chance[0].size(); ++y) {
        double mean = 0;
        for (std::size_t t = 0; t < chance.size(); ++t) mean += about.secret.prior[t] * chance[t][y];
        for (std::size_t t = 0; t < chance.size(); ++t) {
          mutual += about.secret.prior[t] * chance[t][y] * std::log(chance[t][y] / mean);
        }
      }
      information = std::max(information, mutual);
      for (const auto& p : chance) {
        for (const auto& q : chance) {
          double sum = 0;
          for (std::size_t y = 0; y < p.size(); ++y) sum += std::max(0.0, p[y] - std::exp(epsilon) * q[y]);
          delta = std::max(delta, sum);
        }
      }
    }
    farthest = std::max(farthest, std::abs(delta - c.audit.Delta(c.scale, epsilon, Noise::kDiscrete).value()));
    farthest = std::max(farthest, std::abs(information - c.audit.InformationAt(c.scale)->mutual));
  }
  return farthest;
}

TEST(AuditProperty, DiscreteNoiseEqualsBruteForce_AUDIT4) { EXPECT_LE(FarthestDiscrete(1), 1e-9); }
TEST(AuditProperty, TheCheckAboveSeesAPercentOfNoise) { EXPECT_GT(FarthestDiscrete(1.01), 1e-4); }

/// By how much the exact delta of normal noise exceeds the dependent bound, at most, over random laws; the bound is for
/// noise that is `more` times as wide.
double NormalAboveItsBound(double more) {
  Dice dice(stat::SeedForThisTest());
  double most = -1;
  for (int trial = 0; trial < 40; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const auto transfer = Transfer::Make(*c.law.model);
    if (!transfer) continue;
    const auto gaussian = GaussianTransfer::Make(*transfer);
    if (!gaussian) continue;
    for (const double epsilon : {0.1, 0.5, 1.5}) {
      const double mu = c.audit.sensitivity() / (c.scale * more);
      most = std::max(
          most, c.audit.Delta(c.scale, epsilon, Noise::kNormal).value() - gaussian->Delta(mu, epsilon).value().delta);
    }
  }
  return most;
}

// One record: the rounded law reveals no more than the normal one, and nearly as much where the noise is wide.
TEST(AuditProperty, NormalNoiseIsExact_AUDIT4) {
  const FiniteLaw one = LawOf(Joint{{2}, {0.5, 0.5}}).value();
  const ExactAudit audit = ExactAudit::Make(one, Additive{{{0, 1}}, "count"}).value();
  for (const double sigma : {0.5, 2.0, 20.0}) {
    for (const double epsilon : {0.0, 0.05, 0.5}) {
      const double delta = audit.Delta(sigma, epsilon, Noise::kNormal).value(), bound = DeltaOfMu(1 / sigma, epsilon);
      EXPECT_LE(delta, bound + 1e-12) << sigma << " " << epsilon;
      if (sigma >= 20) {
        EXPECT_GE(delta, bound * 0.98 - 1e-12) << epsilon;
      }
    }
  }
  EXPECT_LE(NormalAboveItsBound(1), 1e-9);
}
TEST(AuditProperty, TheCheckAboveSeesTooLittleNormalNoise) {
  const FiniteLaw one = LawOf(Joint{{2}, {0.5, 0.5}}).value();
  const ExactAudit audit = ExactAudit::Make(one, Additive{{{0, 1}}, "count"}).value();
  EXPECT_GT(audit.Delta(18, 0.05, Noise::kNormal).value(), 1.05 * DeltaOfMu(1.0 / 20, 0.05));
}

/// How far mutual information or divergence rises above K(loss) / shrink.
double InformationAboveItsBound(double shrink) {
  Dice dice(stat::SeedForThisTest());
  double above = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const auto found = c.audit.InformationAt(c.scale).value();
    above = std::max({above, found.mutual - found.bound / shrink, found.divergence - found.bound / shrink});
  }
  return above;
}

TEST(AuditProperty, InformationStaysBelowItsBound_AUDIT5) { EXPECT_LE(InformationAboveItsBound(1), kRounding); }
TEST(AuditProperty, TheCheckAboveSeesHalfTheBound) { EXPECT_GT(InformationAboveItsBound(2), 1e-3); }

TEST(AuditProperty, CalibratedScalesFit_AUDIT3) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 60; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const double epsilon = dice.Between(0.05, 3);
    const double scale = c.audit.Scale(epsilon).value();
    const double loss = c.audit.Loss(scale).value().loss;
    EXPECT_LE(loss, epsilon * (1 + 1e-9));
    const bool at_floor = scale <= c.audit.sensitivity() / epsilon * (1 + 1e-12);
    EXPECT_TRUE(at_floor || c.audit.Loss(scale * 0.999).value().loss > epsilon);
  }
}

TEST(AuditProperty, TheCheckAboveSeesLessNoise) {
  Dice dice(stat::SeedForThisTest());
  int exceeded = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    const double scale = c.audit.Scale(1).value();
    exceeded += c.audit.Loss(scale * 0.99).value().loss > 1 + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(exceeded, 10);
}

/// How far a true loss rises above the bound that kith states for the same adversary, at `plain_factor` of its plain
/// loss.
double AboveTheBounds(double plain_factor) {
  Dice dice(stat::SeedForThisTest());
  double above = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    std::vector<double> plain;
    for (const double moves : c.audit.sensitivities()) plain.push_back(moves / c.scale * plain_factor);
    const auto bound = Transfer::Make(*c.law.model)->LossPerRecord(plain).value();
    const auto truth = LossesOfAdversaries(c.law, c.question, c.audit, {&c.scale, 1}).value()[0];
    above = std::max(above, truth.none.worst.loss - bound.dependent);
    double group = 0;
    for (const double p : plain) group += p;
    above = std::max(above, truth.any->worst.loss - group);
    above = std::max(above, truth.all.worst.loss - *std::max_element(plain.begin(), plain.end()));
  }
  return above;
}

TEST(AuditProperty, NoTrueLossExceedsABoundOfKith_AUDIT7) { EXPECT_LE(AboveTheBounds(1), kRounding); }
TEST(AuditProperty, TheCheckAboveSeesAPlainLossThatIsTooSmall) { EXPECT_GT(AboveTheBounds(0.95), 1e-3); }

TEST(AuditProperty, MethodsWithATheoremKeepTheirWord_AUDIT7) {
  Dice dice(stat::SeedForThisTest());
  for (int trial = 0; trial < 30; ++trial) {
    const Case c = RandomCase(dice, kShapes[static_cast<std::size_t>(trial) % kShapes.size()]);
    for (const Target& target : {Target{dice.Between(0.2, 2), {}}, Target{{}, dice.Between(0.5, 4)}}) {
      const LawAudit table = AuditLaw(c.law, c.question, c.audit, target).value();
      for (const MethodLine& line : table.methods) {
        if (line.promise == Promise::kPlainOnly || line.promise == Promise::kHeuristic) continue;
        EXPECT_TRUE(line.KeepsItsWord()) << line.name << " " << line.claimed << " " << line.truth.none.worst.loss;
      }
    }
  }
}

TEST(AuditProperty, TheCheckAboveSeesPairsThatAreNotEnough) {
  const FiniteLaw law = LawOf(Joint{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}}).value();
  const Additive question = QuestionFrom("sum", law).value();
  const ExactAudit audit = ExactAudit::Make(law, question).value();
  const LawAudit table = AuditLaw(law, question, audit, {1.0, {}}).value();
  bool found = false;
  for (const MethodLine& line : table.methods) {
    if (line.name != "DDP, Eq. 14") continue;
    found = true;
    EXPECT_FALSE(line.KeepsItsWord());
    EXPECT_NEAR(line.truth.none.worst.loss, 1 + std::log(std::cosh(1)), 1e-9);
    EXPECT_EQ(line.promise, Promise::kHeuristic);
  }
  EXPECT_TRUE(found);
}

/// The exclusive or: somebody who knows one of the bits learns more from the sum than somebody who knows none.
LawAudit ExclusiveOr() {
  const FiniteLaw law = LawOf(Joint{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}}).value();
  const Additive question = QuestionFrom("sum", law).value();
  return AuditLaw(law, question, ExactAudit::Make(law, question).value(), {1.0, {}}).value();
}

/// Whether every method is judged by what this adversary can learn, whomever the method claims its number for.
template <class Judge>
bool JudgesAllByTheSame(Knows adversary, const Judge& judge) {
  for (const MethodLine& line : ExclusiveOr().methods) {
    double truth = line.truth.none.worst.loss;
    if (adversary == Knows::kAnyOther) {
      truth = std::max(truth, line.truth.all.worst.loss);
      if (line.truth.any) truth = std::max(truth, line.truth.any->worst.loss);
    }
    if (judge(line, adversary) != (truth <= line.claimed * (1 + 1e-9) + 1e-12)) return false;
  }
  return true;
}

TEST(AuditProperty, AllMethodsAreJudgedByTheSameAdversary_AUDIT7) {
  const auto judge = [](const MethodLine& line, Knows adversary) { return line.HoldsAgainst(adversary); };
  EXPECT_TRUE(JudgesAllByTheSame(Knows::kNone, judge));
  EXPECT_TRUE(JudgesAllByTheSame(Knows::kAnyOther, judge));
  bool differs = false;  // the two adversaries are not the same
  for (const MethodLine& line : ExclusiveOr().methods)
    differs = differs || line.HoldsAgainst(Knows::kNone) != line.HoldsAgainst(Knows::kAnyOther);
  EXPECT_TRUE(differs);
}

// The planted fault: each method is judged by those that it claims its number for.
TEST(AuditProperty, TheCheckAboveSeesMethodsJudgedByTheirOwnAdversary) {
  EXPECT_FALSE(JudgesAllByTheSame(Knows::kAnyOther, [](const MethodLine& line, Knows) { return line.KeepsItsWord(); }));
}

}  // namespace
}  // namespace kith::audit
