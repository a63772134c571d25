// The table of methods for a count: known figures, which methods appear, and what is said about each.
#include "published/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "published/count_case.h"

namespace kith::published {
namespace {

std::vector<Method> Compare(const Model& model, double epsilon) { return CompareForCount(model, epsilon).value(); }

const Method* Find(const std::vector<Method>& methods, const std::string& name) {
  for (const Method& method : methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::vector<std::string> Names(const std::vector<Method>& methods) {
  std::vector<std::string> names;
  for (const Method& method : methods) names.push_back(method.name);
  return names;
}

TEST(Compare, ChainOfHundred) {
  const auto methods = Compare(Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 100}, 1);
  EXPECT_EQ(Names(methods),
            (std::vector<std::string>{"laplace", "kith", "kith, stronger adversary", "group", "markov quilt",
                                      "markov quilt, approximate", "wasserstein", "exact calibration",
                                      "published DDP, Eq. 14", "published DDP, Eq. 18, one corner",
                                      "published DDP, Eq. 18", "zhu"}));
  EXPECT_NEAR(Find(methods, "laplace")->scale, 1, 1e-12);
  EXPECT_NEAR(Find(methods, "kith")->scale, 3.02, 0.005);
  EXPECT_NEAR(Find(methods, "kith, stronger adversary")->scale, 3.03, 0.005);
  EXPECT_NE(Find(methods, "kith, stronger adversary")->private_under.find("by transfer function field"),
            std::string::npos);
  EXPECT_NEAR(Find(methods, "exact calibration")->scale, 3.02, 0.01);
  EXPECT_NEAR(Find(methods, "wasserstein")->scale, 4, 1e-9);
  EXPECT_NEAR(Find(methods, "markov quilt")->scale, 10.12, 0.01);
  EXPECT_NEAR(Find(methods, "group")->scale, 100, 1e-9);
  EXPECT_GT(*Find(methods, "laplace")->loss, 2.5);
  EXPECT_NEAR(*Find(methods, "kith")->loss, 1, 1e-6);  // no slack left for a count on this chain
  EXPECT_EQ(Find(methods, "kith")->standing, Standing::kComposes);
  EXPECT_NE(Find(methods, "kith")->private_under.find("by transfer function tree"), std::string::npos);
  EXPECT_EQ(Find(methods, "published DDP, Eq. 14")->standing, Standing::kNoGuarantee);
  EXPECT_EQ(Find(methods, "published DDP, Eq. 14")->private_under.rfind("no guarantee", 0), 0U);
  EXPECT_NE(Find(methods, "exact calibration")->private_under.find("single query only, does not compose"),
            std::string::npos);
  EXPECT_EQ(Find(methods, "laplace")->private_under.rfind("plain DP only", 0), 0U);
}

TEST(Compare, TwentyCountsOfAChainOfHundred) {
  const auto methods = CompareForCounts(Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 100}, 1, 20).value();
  EXPECT_NEAR(Find(methods, "laplace")->scale, 20, 1e-9);
  EXPECT_NEAR(Find(methods, "kith")->scale, 60.5, 0.05);
  EXPECT_NEAR(Find(methods, "markov quilt")->scale, 202.4, 0.05);
  EXPECT_NEAR(Find(methods, "markov quilt, added up")->scale, 421, 0.5);
  EXPECT_NEAR(Find(methods, "group")->scale, 2000, 1e-6);
  // The same count twenty times: no slack left, and no method that does not compose remains.
  EXPECT_NEAR(*Find(methods, "kith")->loss, 1, 1e-6);
  EXPECT_EQ(Find(methods, "exact calibration"), nullptr);
  EXPECT_EQ(Find(methods, "published DDP, Eq. 14"), nullptr);
  for (const std::int64_t counts : {0, -1, 1'000'001}) EXPECT_FALSE(CompareForCounts(Independent{}, 1, counts));
}

TEST(Compare, SumsOverPairsAreNoGuarantee) {
  const auto methods = Compare(PairLaws{{{.8, .2}, {.3, .7}}, 2, 0, {}}, 1);
  EXPECT_EQ(Find(methods, "kith")->standing, Standing::kNoGuarantee);
  EXPECT_EQ(Find(methods, "kith")->private_under.rfind("UNPROVEN", 0), 0U);
  EXPECT_EQ(Find(Compare(PairLaws{{{.8, .2}, {.3, .7}}, 1, 0, {}}, 1), "kith")->standing, Standing::kComposes);
}

TEST(Compare, PairsAndStarsAreWherePublishedSumsHold) {
  const auto pair = Compare(Joint{{2, 2}, {.45, .05, .05, .45}}, 1);
  EXPECT_EQ(Find(pair, "published DDP, Eq. 14")->standing, Standing::kSingleQuery);
  EXPECT_NEAR(Find(pair, "published DDP, Eq. 14")->scale, 1.7925413805, 1e-9);
  EXPECT_NEAR(Find(pair, "published DDP, Eq. 18")->scale, 2, 1e-9);
  EXPECT_NEAR(*Find(pair, "published DDP, Eq. 14")->loss, 1, 1e-9);
  EXPECT_NE(Find(pair, "overlap"), nullptr);
  const auto star = Compare(Star{{{{.9, .1}, {.1, .9}}, {{.9, .1}, {.1, .9}}}}, 1);
  EXPECT_NEAR(Find(star, "published DDP, Eq. 14")->scale, 2.5928648, 1e-7);
  EXPECT_NEAR(Find(star, "exact calibration")->scale, 2.5928648, 1e-7);
  EXPECT_EQ(Find(star, "published DDP, Eq. 14")->standing, Standing::kSingleQuery);
  EXPECT_EQ(Find(star, "zhu"), nullptr);  // needs to know how likely the record's own values are
  const auto two =
      Compare(Tree{{-1, 0, -1, 2}, {{{.5, .5}}, {{.9, .1}, {.1, .9}}, {{.5, .5}}, {{.9, .1}, {.1, .9}}}}, 1);
  EXPECT_EQ(Find(two, "published DDP, Eq. 14")->standing, Standing::kSingleQuery);  // pairs, nothing else
  EXPECT_NEAR(Find(two, "published DDP, Eq. 14")->scale, 1.7925413805, 1e-9);
  EXPECT_NEAR(Find(two, "group")->scale, 2, 1e-9);
}

TEST(Compare, XorShowsWhoIsWrong) {
  const auto methods = Compare(Joint{{2, 2, 2}, {.25, 0, 0, .25, 0, .25, .25, 0}}, 1);
  for (const char* wrong : {"laplace", "published DDP, Eq. 14", "zhu"}) {
    EXPECT_NEAR(Find(methods, wrong)->scale, 1, 1e-9) << wrong;
    EXPECT_NEAR(*Find(methods, wrong)->loss, 1.4337808, 1e-6) << wrong;
  }
  EXPECT_EQ(Find(methods, "published DDP, Eq. 14")->standing, Standing::kNoGuarantee);
  EXPECT_EQ(Find(methods, "zhu")->standing, Standing::kNoGuarantee);
  EXPECT_NEAR(Find(methods, "exact calibration")->scale, 1.342389877933634, 1e-9);
}

TEST(Compare, ClassesOfAGroupHaveTheirOwnRow) {
  const auto methods = Compare(Group{2, {{"mz", 40.0}, {"dz", 2.5}}}, 1);
  ASSERT_EQ(Names(methods), (std::vector<std::string>{"laplace", "kith (mz)", "kith (dz)", "group"}));
  EXPECT_GT(methods[1].scale, methods[2].scale);
  EXPECT_NEAR(methods[3].scale, 2, 1e-9);
  EXPECT_NE(methods[1].private_under.find("association"), std::string::npos);
  EXPECT_FALSE(methods[1].loss);
}

TEST(Compare, ModelsWithoutLawsOrCounts) {
  EXPECT_EQ(Names(Compare(Independent{}, 0.5)), (std::vector<std::string>{"laplace", "kith"}));
  EXPECT_NEAR(Compare(Independent{}, 0.5)[1].scale, 2, 1e-9);
  EXPECT_EQ(Names(Compare(Overlap{10, 0.01}, 1)), (std::vector<std::string>{"laplace", "kith", "group"}));
  EXPECT_EQ(Names(Compare(Lipschitz{{{0, .5}, {.2, 0}}, {}}, 1)), (std::vector<std::string>{"laplace"}));
  Field field;
  field.nodes = 3;
  field.edges = {{0, 1, 0.7}, {1, 2, 0.7}};
  EXPECT_EQ(Names(Compare(field, 1)), (std::vector<std::string>{"laplace", "kith", "group"}));
}

TEST(Compare, CountsThatNeverMoveNeedNoNoiseFromTheirLaw) {
  // One of two, always: the count is 1. Plain privacy still calls for noise, and the calibration never goes below it.
  const auto methods = Compare(Joint{{2, 2}, {0, .5, .5, 0}}, 1);
  EXPECT_EQ(Find(methods, "wasserstein")->scale, 0);
  EXPECT_EQ(*Find(methods, "wasserstein")->loss, 0);
  EXPECT_NEAR(Find(methods, "exact calibration")->scale, 1, 1e-12);
}

TEST(Compare, LongChainsKeepWhatIsCheap) {
  const auto methods = Compare(Chain{{{.8, .2}, {.3, .7}}, {.6, .4}, 5000}, 1);
  EXPECT_EQ(Find(methods, "exact calibration"), nullptr);
  EXPECT_NEAR(Find(methods, "markov quilt")->scale, 10.12, 0.01);
  EXPECT_NEAR(Find(methods, "kith")->scale, 3.02, 0.01);
}

TEST(Compare, ManyValuesAreLeftOutBeforeTheyTakeLong) {
  Chain chain{LawTable(30, Law(30, 0.5 / 29)), Law(30, 1.0 / 30), 80};
  for (std::size_t a = 0; a < 30; ++a) chain.transition[a][a] = 0.5;
  const auto small = CountCaseOf(chain).value();
  ASSERT_TRUE(small.has_value());
  EXPECT_EQ(small->secrets.size(), 80U);
  EXPECT_EQ(small->pairs.given[0][1].given.size(), 2U);  // two of 30 laws are enough
  chain.length = 128;
  EXPECT_FALSE(CountCaseOf(chain).value().has_value());
}

TEST(Compare, Refusals) {
  for (const double epsilon : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    const auto methods = CompareForCount(Independent{}, epsilon);
    ASSERT_FALSE(methods);
    EXPECT_EQ(methods.error().code, Code::kInvalidArgument);
  }
  EXPECT_FALSE(CompareForCount(Chain{{{.8, .3}, {.3, .7}}, {.6, .4}, 100}, 1));
  EXPECT_FALSE(CompareForCount(Joint{{2, 2}, {.5, .5}}, 1));
}

// A chain that forgets slowly needs quilts of hundreds of records; narrower ones say no more than groups.
TEST(Compare, QuiltsAreAsWideAsTheyMustBe) {
  const Chain slow{{{0.99, 0.01}, {0.01, 0.99}}, {0.5, 0.5}, 1000};
  const auto methods = CompareForCounts(slow, 1, 1).value();
  EXPECT_NEAR(Find(methods, "markov quilt")->scale, 364.4, 0.1);
  EXPECT_EQ(Find(methods, "group")->scale, 1000);
}

}  // namespace
}  // namespace kith::published
