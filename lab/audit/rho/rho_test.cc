#include "audit/rho/rho.h"

#include <gtest/gtest.h>

#include <cmath>

#include "published/dependent_sensitivity.h"
#include "published/identity_overlap.h"
#include "tests/support/small_laws.h"

namespace kith::audit {
namespace {

using kith::testing::Dice;

const Joint kFlipped{{2, 2}, {.45, .05, .05, .45}};
const Joint kXor{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}};

Target Epsilon(double epsilon) { return {epsilon, {}}; }
Target Scale(double scale) { return {{}, scale}; }

RhoReport Of(const Model& model, const Target& target, const std::string& query = "") {
  auto report = RhoOfModel(model, query, target);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().Text());
  return report ? std::move(*report) : RhoReport();
}

// The numbers of docs/theory/published.md, section "Dependence coefficient".
TEST(Rho, BothEquationsOfABitThatIsFlipped) {
  const RhoReport at = Of(kFlipped, Scale(1));
  ASSERT_EQ(at.equations.size(), 2u);
  ASSERT_EQ(at.equations[0].pairs.size(), 2u);
  EXPECT_NEAR(at.equations[0].Most(), .776, 5e-4);
  EXPECT_NEAR(at.equations[1].Most(), 1, 1e-12);
  const RhoPair& pair = at.equations[0].pairs[0];
  EXPECT_NEAR(pair.self, 1, 1e-12);
  EXPECT_NEAR(pair.dependent, pair.rho * pair.self, 1e-12);
  EXPECT_NEAR(at.equations[0].sensitivity[0], 1 + pair.rho, 1e-12);
  EXPECT_NEAR(at.equations[0].largest, 1 + pair.rho, 1e-12);

  const RhoReport asked = Of(kFlipped, Epsilon(1));
  EXPECT_NEAR(asked.equations[0].scale, 1.7925414, 1e-6);
  EXPECT_NEAR(asked.equations[1].scale, 2, 1e-9);
  EXPECT_NEAR(*asked.equations[0].truth, 1, 1e-9);  // exactly sufficient
  EXPECT_TRUE(asked.equations[0].proved);
  EXPECT_FALSE(asked.equations[0].Exceeded());
}

TEST(Rho, IsNotSymmetric) {
  const RhoReport report = Of(Joint{{2, 3}, {.3, .1, .1, .1, .2, .2}}, Scale(1));
  const auto pair = report.equations[0].MostAsymmetric();
  ASSERT_TRUE(pair);
  EXPECT_GT(pair->dependent, 0.01);
  EXPECT_GE(report.equations[0].Least(), 0);
  EXPECT_LE(report.equations[0].Most(), 1);
}

TEST(Rho, ShowsWhereASumOverPairsUnderstatesTheLoss) {
  const RhoReport report = Of(kXor, Epsilon(1));
  EXPECT_NEAR(report.equations[0].Most(), 0, 1e-12);  // no pair shows anything
  EXPECT_NEAR(report.equations[0].claimed, 1, 1e-9);
  EXPECT_NEAR(*report.equations[0].truth, 1 + std::log(std::cosh(1.0)), 1e-9);
  EXPECT_TRUE(report.equations[0].Exceeded());
  EXPECT_FALSE(report.equations[0].proved);
  EXPECT_FALSE(report.equations[1].Exceeded());
}

TEST(Rho, RowsAndTheLawTheyListAgree) {
  const RhoReport law = Of(kXor, Epsilon(0.7));
  const auto rows = RhoOfRows(published::Listed(kXor), Epsilon(0.7));
  ASSERT_TRUE(rows.has_value());
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(rows->equations[k].scale, law.equations[k].scale, 1e-9);
    EXPECT_NEAR(*rows->equations[k].truth, *law.equations[k].truth, 1e-9);
  }
}

// Example 1 of the paper: D_j = (D_i + X) / 2. rho_ij is 1/2, and rho_ji is 1, so DS is 2 and not 1.5.
TEST(Rho, OfExample1) {
  published::ListedLaw law;
  for (int a = 0; a <= 8; ++a) {
    for (int x = 0; x <= 8; ++x) law.push_back({{a / 8.0, (a + x) / 16.0}, 1.0 / 81});
  }
  const auto report = RhoOfRows(law, Scale(1));
  ASSERT_TRUE(report.has_value());
  const RhoEquation& eq14 = report->equations[0];
  EXPECT_NEAR(eq14.pairs[0].rho, 0.5, 1e-9);
  EXPECT_NEAR(eq14.pairs[1].rho, 1, 1e-9);
  EXPECT_NEAR(eq14.sensitivity[0], 1.5, 1e-9);
  EXPECT_NEAR(eq14.largest, 2, 1e-9);
  EXPECT_NEAR(*eq14.truth, 2, 1e-9);
}

TEST(Rho, SaysWhatElseIsKnownAboutAFewRows) {
  // Two bits that agree with probability 0.1: somebody who knows the other sees more than somebody who knows nothing.
  const RhoReport report = Of(Joint{{2, 2}, {.05, .45, .45, .05}}, Scale(1));
  std::string all;
  for (const std::string& note : report.notes) all += note + "\n";
  EXPECT_NE(all.find("may know, record"), std::string::npos) << all;
  EXPECT_NE(all.find("a loss of 1 about"), std::string::npos) << all;
  EXPECT_NE(all.find("move the sum by at most 0.2"), std::string::npos) << all;  // slope 1 - 0.8
  EXPECT_NE(all.find("1e-6)-private"), std::string::npos) << all;
}

TEST(Rho, OfPairsAddsLinksAndShowsAWorld) {
  const PairLaws pairs{{{.8, .2}, {.3, .7}}, 2, 0, {}};
  const RhoReport report = Of(pairs, Epsilon(1));
  const RhoEquation& eq14 = report.equations[0];
  EXPECT_NEAR(eq14.largest, 1 + 2 * eq14.Most(), 1e-9);
  ASSERT_TRUE(eq14.truth);
  EXPECT_TRUE(eq14.Exceeded());  // a path of 127 records loses more than its pairs say
  EXPECT_FALSE(eq14.proved);
  const RhoReport one = Of(PairLaws{{{.8, .2}, {.3, .7}}, 1, 0, {}}, Epsilon(1));
  EXPECT_TRUE(one.equations[0].proved);
  EXPECT_FALSE(one.equations[0].Exceeded());
  PairLaws places = pairs;
  places.table = {{.6, .3, .1}, {.2, .6, .2}, {.1, .3, .6}};
  places.axes = {{0, 1, 4}};
  EXPECT_NEAR(Of(places, Scale(1)).equations[0].pairs[0].self, 4, 1e-12);
}

TEST(Rho, OfAStarIsThatOfItsMiddle) {
  const RhoReport report = Of(Star{{{{.9, .1}, {.1, .9}}, {{.9, .1}, {.1, .9}}}}, Scale(1));
  EXPECT_EQ(report.equations[0].pairs.size(), 2u);
  for (const RhoPair& pair : report.equations[0].pairs) EXPECT_EQ(pair.i, 0u);
  EXPECT_FALSE(report.equations[0].MostAsymmetric());
}

TEST(Rho, OfModelsWithoutALawIsABound) {
  EXPECT_TRUE(Of(Independent{}, Epsilon(1)).equations.empty());
  EXPECT_FALSE(Of(Independent{}, Epsilon(1)).notes.empty());
  const RhoReport anything = Of(Group{4, {{}}}, Epsilon(1));
  ASSERT_EQ(anything.equations.size(), 1u);
  EXPECT_TRUE(anything.equations[0].at_most);
  EXPECT_NEAR(anything.equations[0].largest, 4, 1e-6);  // Theorem 7
  EXPECT_LT(Of(Group{4, {{"", 1.5}}}, Epsilon(1)).equations[0].largest, 3.9);
  const RhoReport overlap = Of(Overlap{10, 0.01}, Epsilon(5));
  EXPECT_NEAR(overlap.equations[0].Most(),
              std::log1p(0.01 * std::expm1(1 / overlap.equations[0].scale)) * overlap.equations[0].scale, 1e-9);
  EXPECT_NE(overlap.notes[1].find("as printed"), std::string::npos);
  EXPECT_NEAR(Of(Lipschitz{{{0, .5}, {.2, 0}}, {1, 2}}, Epsilon(1)).equations[0].Most(), .4, 1e-12);
  EXPECT_FALSE(RhoOfModel(Group{4, {{}}}, "", Target()).has_value());
}

/// The largest excess of rho by Eq. 14 over the bound for its odds ratio, times `of_bound`, over random pairs of bits.
double LargestExcess(double of_bound) {
  Dice dice(7);
  double excess = -1;
  for (int k = 0; k < 300; ++k) {
    const std::vector<double> p = {dice.Weight(false), dice.Weight(false), dice.Weight(false), dice.Weight(false)};
    const double sum = p[0] + p[1] + p[2] + p[3];
    const Joint joint{{2, 2}, {p[0] / sum, p[1] / sum, p[2] / sum, p[3] / sum}};
    const double ratio = p[0] * p[3] / (p[1] * p[2]), odds = std::max(ratio, 1 / ratio);
    const double scale = dice.Between(0.3, 3);
    const double rho = Of(joint, Scale(scale)).equations[0].Most();
    const double bound = Of(Group{2, {{"", odds}}}, Scale(scale)).equations[0].Most();
    excess = std::max(excess, rho - of_bound * bound);
  }
  return excess;
}

TEST(Rho, IsWithinWhatAnOddsRatioAllows_AUDIT10) { EXPECT_LE(LargestExcess(1), 1e-9); }

TEST(Rho, TheCheckAboveSeesABoundThatIsTooSmall) { EXPECT_GT(LargestExcess(0.9), 0.01); }

}  // namespace
}  // namespace kith::audit
