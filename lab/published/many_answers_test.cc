// The table "which noise when": every number that was published for it, to three digits.
#include "published/many_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace kith::published {
namespace {

std::string ThreeDigits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

struct Row {
  const char* model;
  double laplace[3], laplace_delta[3], gaussian[3];  // 1, 20 and 1000 counts
};

// At a dependent (1, 1e-6).
constexpr Row kRows[] = {
    {"twins, odds ratio 40", {2.44, 48.8, 2439}, {0, 42.9, 326}, {7.30, 32.6, 231}},
    {"households of six, odds ratio 4", {8.04, 160.9, 8044}, {0, 141.4, 1075}, {24.1, 107.6, 761}},
    {"chain of 100 steps", {4.28, 85.5, 4276}, {0, 75.2, 572}, {12.8, 57.2, 405}},
    {"ten ties each, strength 0.1", {1.86, 37.2, 1859}, {0, 32.7, 248}, {5.56, 24.9, 176}},
};

std::vector<ManyAnswers> NoiseOf(const std::string& name) {
  const std::int64_t counts[] = {1, 20, 1000};
  for (const NamedModel& named : ModelsOfManyAnswers()) {
    if (named.name == name) return NoiseByEveryMethod(Transfer::Make(named.model).value(), 1, 1e-6, counts).value();
  }
  return {};
}

TEST(ManyAnswers, MeetThePublishedTable) {
  for (const Row& row : kRows) {
    const auto found = NoiseOf(row.model);
    ASSERT_EQ(found.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(ThreeDigits(found[k].laplace), ThreeDigits(row.laplace[k])) << row.model;
      // By whichever of the two bounds gave the published number; the smaller one is what is used.
      const std::string published = ThreeDigits(row.gaussian[k]);
      EXPECT_TRUE(ThreeDigits(found[k].gaussian) == published || ThreeDigits(found[k].offset) == published)
          << row.model << ": " << found[k].gaussian << " " << found[k].offset;
      EXPECT_LE(found[k].gaussian, found[k].offset);
      EXPECT_EQ(found[k].laplace_delta.has_value(), k > 0);
      if (k > 0) {
        EXPECT_EQ(ThreeDigits(*found[k].laplace_delta), ThreeDigits(row.laplace_delta[k])) << row.model;
      }
    }
  }
}

TEST(ManyAnswers, OthersStandWhereTheyAreDefined) {
  const auto chain = NoiseOf("chain of 100 steps");
  EXPECT_TRUE(chain[0].wasserstein && chain[0].renyi && chain[0].quilt && chain[0].group);
  EXPECT_FALSE(chain[1].wasserstein || chain[1].renyi);  // they do not compose
  EXPECT_GT(*chain[2].quilt, 10 * chain[2].gaussian);
  EXPECT_GT(*chain[2].group, 10 * chain[2].gaussian);
  const auto twins = NoiseOf("twins, odds ratio 40");
  EXPECT_FALSE(twins[0].wasserstein || twins[0].quilt);  // only strengths: no law to compute them from
  EXPECT_NEAR(*twins[2].group / twins[2].gaussian, 2 / 1.7267, 1e-3);
}

TEST(ManyAnswers, GaussianNoiseWinsFromNineOn) {
  const std::int64_t counts[] = {8, 9};
  const auto rows = NoiseByEveryMethod(Transfer::Make(Independent{}).value(), 1, 1e-6, counts).value();
  EXPECT_LT(rows[0].laplace, rows[0].gaussian);
  EXPECT_GT(rows[1].laplace, rows[1].gaussian);
}

TEST(ManyAnswers, Refuse) {
  const std::int64_t none[] = {0}, many[] = {10'001}, one[] = {1};
  const auto independent = Transfer::Make(Independent{}).value();
  EXPECT_FALSE(NoiseByEveryMethod(independent, 1, 1e-6, none).has_value());
  EXPECT_FALSE(NoiseByEveryMethod(independent, 1, 1e-6, many).has_value());
  EXPECT_FALSE(NoiseByEveryMethod(independent, 1, 0, one).has_value());
  EXPECT_FALSE(NoiseByEveryMethod(Transfer::Make(Lipschitz{{{0}}, {}}).value(), 1, 1e-6, one).has_value());
}

}  // namespace
}  // namespace kith::published
