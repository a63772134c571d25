// Sums over pairs: where they are a theorem, where they are not, and what is said then.
#include <gtest/gtest.h>

#include <cmath>

#include "dependence/distance_table.h"
#include "published/distance_law.h"
#include "transfer/pair/pair_world.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

const LawTable kTable = {{.8, .2}, {.3, .7}};  // balanced by the law (.6, .4)

PairLaws Linked(std::int64_t nodes, std::vector<std::pair<std::uint32_t, std::uint32_t>> links) {
  return {kTable, 0, nodes, std::move(links)};
}

Transferred Loss(const Model& model, double plain) {
  const auto transfer = Transfer::Make(model);
  EXPECT_TRUE(transfer.has_value());
  return *transfer->Loss(plain);
}

/// The joint law of a path of yes/no records, written out.
Joint Path(std::size_t records) {
  Joint joint{std::vector<std::int64_t>(records, 2), {}};
  for (std::size_t x = 0; x < std::size_t{1} << records; ++x) {
    std::size_t before = (x >> (records - 1)) & 1;
    double p = before == 0 ? .6 : .4;
    for (std::size_t k = records - 1; k-- > 0;) {
      const std::size_t next = (x >> k) & 1;
      p *= kTable[before][next];
      before = next;
    }
    joint.law.push_back(p);
  }
  return joint;
}

/// What PAIR-SUM-1 promises: not below the linear programme on the law of one pair.
bool CoversAPair(const PairLaws& model) {
  for (const double plain : {0.01, 0.3, 1.0, 4.0}) {
    if (Loss(model, plain).dependent < Loss(Path(2), plain).dependent * (1 - 1e-9)) return false;
  }
  return true;
}

TEST(PairSum, IsATheoremForDisjointPairs_PAIRSUM1) {
  const PairLaws pairs = Linked(5, {{0, 1}, {3, 2}});
  EXPECT_TRUE(CoversAPair(pairs));
  EXPECT_TRUE(CoversAPair({kTable, 1, 0, {}}));
  EXPECT_EQ(UnprovenOn(pairs), "");
  EXPECT_EQ(Loss(pairs, 0.5).unproven, "");
  EXPECT_FALSE(Loss(pairs, 0.5).audit);
  EXPECT_NEAR(Loss(pairs, 0.5).dependent, Loss(Path(2), 0.5).dependent, 1e-9);  // and it is exact
  EXPECT_EQ(Loss(pairs, 0.5).bound, "pair sum");
}

// The planted fault: a table that is a little too tame.
TEST(PairSum, TheCheckAboveSeesATableThatIsTooTame) { EXPECT_FALSE(CoversAPair({{{.79, .21}, {.31, .69}}, 1, 0, {}})); }

// Why there is a label: four records in a row lose more than the sum over pairs says, by the linear programme.
TEST(PairSum, IsExceededOnAPathAndTheAuditSaysByHowMuch) {
  const PairLaws path = Linked(4, {{0, 1}, {1, 2}, {2, 3}});
  const Transferred claimed = Loss(path, 0.5);
  const double exact = Loss(Path(4), 0.5).dependent;
  EXPECT_GT(exact, claimed.dependent * 1.05);
  EXPECT_NE(claimed.unproven.find("UNPROVEN"), std::string::npos);
  EXPECT_EQ(claimed.unproven, UnprovenOn(path));
  ASSERT_TRUE(claimed.audit);
  EXPECT_TRUE(claimed.audit->exact);
  EXPECT_NEAR(claimed.audit->dependent, exact, 1e-7);
}

TEST(PairSum, EveryOtherModelIsProven) {
  EXPECT_EQ(UnprovenOn(Group{4, {{"", 2.0}}}), "");
  EXPECT_EQ(UnprovenOn(Star{{kTable, kTable}}), "");
  EXPECT_EQ(UnprovenOn(Path(3)), "");
}

TEST(PairSum, AWorldForADegreeIsARegularTree) {
  const auto world = MarkovWorld({kTable, 3, 0, {}});
  ASSERT_TRUE(world);
  std::vector<int> links(world->parents.size(), 0);
  for (std::size_t j = 1; j < world->parents.size(); ++j) {
    ++links[j];
    ++links[static_cast<std::size_t>(world->parents[j])];
  }
  EXPECT_EQ(*std::max_element(links.begin(), links.end()), 3);
  EXPECT_NEAR(world->tables[0][0][0], 0.6, 1e-12);
  const auto loss = Loss(PairLaws{kTable, 3, 0, {}}, 0.3);
  ASSERT_TRUE(loss.audit);
  EXPECT_GT(loss.audit->dependent, loss.dependent);
}

TEST(PairSum, NoWorldWhereThePairsDoNotSay) {
  EXPECT_FALSE(MarkovWorld(Linked(3, {{0, 1}, {1, 2}, {2, 0}})));                     // a cycle
  EXPECT_FALSE(MarkovWorld({{{.8, .1, .1}, {.1, .1, .8}, {.8, .1, .1}}, 2, 0, {}}));  // no law is balanced
  EXPECT_FALSE(Loss(Linked(3, {{0, 1}, {1, 2}, {2, 0}}), 0.5).audit);
  EXPECT_FALSE(Loss(Linked(3, {{0, 1}, {1, 2}, {2, 0}}), 0.5).unproven.empty());
}

TEST(PairSum, GrowsWithTheDegreeAndThePlainLoss) {
  double before = 0;
  for (const std::int64_t degree : {1, 2, 5, 1000}) {
    const double loss = Loss(PairLaws{kTable, degree, 0, {}}, 0.2).dependent;
    EXPECT_GT(loss, before);
    EXPECT_GT(Loss(PairLaws{kTable, degree, 0, {}}, 0.4).dependent, loss);
    before = loss;
  }
}

// Two programs for Equation 26.
TEST(PairSum, DistanceTableIsTheNormalisedDistanceLaw) {
  const std::vector<std::vector<double>> axes = {{0, 1, 2.5}, {0, 3}};
  const LawTable table = DistanceTable(axes, 0.196, 1.05);
  const auto weights = published::NormalisedRows(published::DistanceWeights({0.0019, 0.196, 1.05}, axes));
  ASSERT_EQ(table.size(), weights.given.size());
  for (std::size_t t = 0; t < table.size(); ++t) {
    ASSERT_EQ(table[t].size(), weights.given[t].size());
    for (std::size_t d = 0; d < table[t].size(); ++d) EXPECT_NEAR(table[t][d], weights.given[t][d], 1e-12);
  }
  EXPECT_NE(DistanceTable(axes, 0.196, 1.2)[0][1], table[0][1]);
}

}  // namespace
}  // namespace kith
