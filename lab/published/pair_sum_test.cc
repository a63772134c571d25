// Sums over pairs: where they are a theorem, where they are not, and what is said then.
#include <gtest/gtest.h>

#include <cmath>

#include "dependence/distance_table.h"
#include "dependence/graph_builder.h"
#include "dependence/links.h"
#include "published/dependence_coefficient.h"
#include "published/distance_law.h"
#include "transfer/pair/pair_world.h"
#include "transfer/transfer.h"
#include "transfer/transfer_function.h"

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

/// Two linked records of which one is 2 and the other 1 or 3, almost always; the values 0 and 4 are there, but rare.
PairLaws Between() {
  std::vector<Law> joint(5, Law(5, 1e-12));
  joint[0][2] = joint[2][0] = joint[4][2] = joint[2][4] = 1e-7;
  joint[2][1] = joint[2][3] = joint[1][2] = joint[3][2] = 0.25;
  PairLaws pairs{{}, 1, 0, {}};
  for (const Law& row : joint) {
    double sum = 0;
    for (const double p : row) sum += p;
    Law& law = pairs.table.emplace_back(row);
    for (double& p : law) p /= sum;
  }
  pairs.coefficient = PairCoefficient::kEq18;
  return pairs;
}

TEST(PairSum, Eq18IsThePublishedCoefficient) {
  PairLaws pairs{{{.5, .3, .2}, {.2, .6, .2}, {.2, .3, .5}}, 3, 0, {}};
  pairs.coefficient = PairCoefficient::kEq18;
  for (const std::vector<double>& axis : {std::vector<double>{0, 1, 2}, {0, 1, 4}}) {
    pairs.axes = {axis};
    const published::Secret pair{0, {}, {axis}, pairs.table};
    for (const double plain : {0.1, 1.0, 5.0}) {
      const double rho = DependenceCoefficient(published::Coefficient::kEq18a, pair, published::Around(pair.axes),
                                               (axis.back() - axis.front()) / plain);
      EXPECT_NEAR(Loss(pairs, plain).dependent, plain * (1 + 3 * rho), 1e-9);
    }
  }
  pairs.axes.clear();  // the numbers 0, 1, 2
  const double without = Loss(pairs, 1).dependent;
  pairs.axes = {{0, 1, 2}};
  EXPECT_EQ(Loss(pairs, 1).dependent, without);
  PairLaws bits{kTable, 4, 0, {}};
  bits.coefficient = PairCoefficient::kEq18;
  EXPECT_NEAR(Loss(bits, 0.3).dependent, 5 * 0.3, 1e-9);  // of two values it is group privacy
}

TEST(PairSum, Eq18IsExceededByTwoRecordsAndLabelled) {
  const Transferred claimed = Loss(Between(), 1);
  EXPECT_NEAR(claimed.dependent, 1.75, 0.01);
  EXPECT_NE(claimed.unproven.find("Eq. 18"), std::string::npos);
  ASSERT_TRUE(claimed.audit);
  EXPECT_GT(claimed.audit->dependent, 1.99);
  PairLaws proved = Between();
  proved.coefficient = PairCoefficient::kEq14;
  EXPECT_EQ(UnprovenOn(proved), "");
  EXPECT_GT(Loss(proved, 1).dependent, 1.99);
}

/// Whom a sum over pairs may be said to cover: what is not proved says no more than the paper, whose loss is about
/// somebody who knows no record. Somebody who knows the linked record is covered where pairs are separate: Λ remains.
bool MayBeSaidToCover(const PairLaws& model, const std::string& adversary) {
  if (!UnprovenOn(model).empty()) return adversary == Words(Adversary::kNothing);
  return adversary == Words(Adversary::kNothing) || adversary == Words(Adversary::kNeighbours);
}

TEST(PairSum, NamesTheAdversaryThatTheFormulaIsAbout_PAIRSUM1) {
  for (const PairCoefficient coefficient : {PairCoefficient::kEq14, PairCoefficient::kEq18}) {
    for (const std::int64_t degree : {1, 2, 3, 441}) {
      PairLaws model{kTable, degree, 0, {}};
      model.coefficient = coefficient;
      const Transferred loss = Loss(model, 0.3);
      EXPECT_TRUE(MayBeSaidToCover(model, loss.adversary)) << degree << ": " << loss.adversary;
      for (const Bound& bound : loss.bounds) EXPECT_EQ(bound.adversary, loss.adversary);
      // Eq. 14 adds less noise than Eq. 18, so where neither is proved it must not claim more.
      EXPECT_EQ(loss.adversary == Words(Adversary::kNeighbours), degree == 1 && coefficient == PairCoefficient::kEq14);
    }
  }
  EXPECT_LT(Loss(PairLaws{kTable, 3, 0, {}}, 0.3).dependent, 4 * 0.3);  // what Eq. 18 says of two values
}

// The planted fault: the formula of a graph, said to cover those who know the records around.
TEST(PairSum, TheCheckAboveSeesAnAdversaryThatIsTooStrong) {
  EXPECT_FALSE(MayBeSaidToCover({kTable, 2, 0, {}}, Words(Adversary::kNeighbours)));
  EXPECT_FALSE(MayBeSaidToCover({kTable, 1, 0, {}}, Words(Adversary::kRecords)));
}

TEST(PairSum, LinksThatWereNotReadYetAreNotProved) { EXPECT_NE(UnprovenOn(PairLaws{kTable, 0, 0, {}}), ""); }

TEST(PairSum, LinksOfAGraph) {
  const std::vector<Edge> edges = {{0, 1, 1.0}, {1, 2, 1.0}, {1, 3, 1.0}};
  const auto graph = GraphFromEdges(4, edges, RepeatedPairs::kRefuse);
  ASSERT_TRUE(graph.has_value());
  PairLaws pairs{kTable, 7, 0, {}};
  SetLinks(*graph, pairs);
  EXPECT_EQ(pairs.nodes, 4);
  EXPECT_EQ(pairs.links.size(), 3u);
  EXPECT_EQ(LargestDegree(pairs), 3);
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
