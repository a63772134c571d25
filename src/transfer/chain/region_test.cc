// Tables that are known up to intervals, seasons, chains that begin anywhere, hidden causes: values, limits, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dependence/model_json.h"
#include "tests/support/vectors.h"
#include "transfer/chain/chain_sweep.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

TableRegion Exactly(const LawTable& table) { return {table, table}; }

double Named(const Transferred& loss, const std::string& name) {
  const auto found =
      std::find_if(loss.bounds.begin(), loss.bounds.end(), [&](const Bound& b) { return b.name == name; });
  EXPECT_NE(found, loss.bounds.end()) << name;
  return found->dependent;
}

/// P(yes | no) in [a0, a1], P(yes | yes) in [b0, b1].
TableRegion Box(double a0, double a1, double b0, double b1) {
  return {{{1 - a1, a0}, {1 - b1, b0}}, {{1 - a0, a1}, {1 - b0, b1}}};
}

TEST(Region, MeetsTheVectors) {
  for (const auto& v : testing::Vectors("region", "est.chainbox.")) {
    const auto box = v.inputs.at("box").get<std::vector<double>>();
    const auto m0 = v.inputs.at("m0").get<std::vector<double>>();
    const ChainRegion chain{{Box(box[0], box[1], box[2], box[3])},
                            TableRegion{{{1 - m0[1], m0[0]}}, {{1 - m0[0], m0[1]}}},
                            v.inputs.at("T")};
    const auto loss = Transfer::Make(chain)->Loss(v.inputs.at("plain")).value();
    EXPECT_NEAR(Named(loss, "tree"), v.expected.get<double>(), v.tolerance) << v.id;
  }
}

// Rare states: the table says much more than its odds ratio.
TEST(Region, TablesOfRareStatesAreWorthIt) {
  const ChainRegion chain{{Box(.005, .02, .4, .6)}, TableRegion{{{.94, .005}}, {{.995, .06}}}, 1000};
  const auto loss = Transfer::Make(chain)->Loss(0.1).value();
  EXPECT_NEAR(Named(loss, "tree"), 0.916, 1e-3);
  EXPECT_NEAR(Named(loss, "field"), 1.678, 1e-3);
}

TEST(Region, AnExactTableIsTheChain) {
  const LawTable table = {{.8, .2}, {.3, .7}};
  const Law start = {.9, .1};
  const auto region = Transfer::Make(ChainRegion{{Exactly(table)}, Exactly({start}), 40})->Loss(0.4).value();
  const auto chain = Transfer::Make(Chain{table, start, 40})->Loss(0.4).value();
  ASSERT_EQ(region.per_record.size(), chain.per_record.size());
  EXPECT_NEAR(Named(region, "tree"), Named(chain, "tree"), 1e-10);
  EXPECT_NEAR(Named(region, "field"), Named(chain, "field"), 1e-10);
}

// Whatever the beginning is: not less than from any known one, and reached by one of them.
TEST(Region, AnyStartIsTheWorstStart) {
  const LawTable table = {{.9, .1}, {.3, .7}};
  const double any = Named(Transfer::Make(ChainRegion{{Exactly(table)}, std::nullopt, 3})->Loss(0.5).value(), "tree");
  double worst = 0;
  for (double yes = 0.005; yes < 1; yes += 0.005) {
    const auto known = Transfer::Make(Chain{table, {1 - yes, yes}, 3})->Loss(0.5).value();
    worst = std::max(worst, Named(known, "tree"));
    EXPECT_LE(Named(known, "tree"), any + 1e-12) << yes;
  }
  EXPECT_GT(worst, 0.98 * any);
}

TEST(Region, SeasonsInTheirOrderFromAnyOfThem) {
  const LawTable calm = {{.9, .1}, {.2, .8}}, wild = {{.5, .5}, {.4, .6}};
  const Law start = {.6, .4};
  const auto of = [&](const std::vector<LawTable>& steps) {
    Tree tree{{-1}, {{start}}};
    for (const LawTable& step : steps) {
      tree.parents.push_back(static_cast<std::int64_t>(tree.parents.size()) - 1);
      tree.tables.push_back(step);
    }
    return Named(Transfer::Make(tree)->Loss(0.3).value(), "tree");
  };
  const double first = of({calm, wild, calm}), second = of({wild, calm, wild});
  const ChainRegion chain{{Exactly(calm), Exactly(wild)}, Exactly({start}), 4};
  EXPECT_NEAR(Named(Transfer::Make(chain)->Loss(0.3).value(), "tree"), std::max(first, second), 1e-10);
  EXPECT_GT(std::abs(first - second), 1e-4);  // so beginning in one season only would be seen
  // Three values go through the networks themselves.
  const LawTable a = {{.7, .2, .1}, {.1, .8, .1}, {0, 0, 1}}, b = {{.4, .4, .2}, {.2, .4, .4}, {.1, .1, .8}};
  const Law three = {.5, .3, .2};
  const Tree from_a{{-1, 0, 1}, {{three}, a, b}}, from_b{{-1, 0, 1}, {{three}, b, a}};
  const double both = std::max(Named(Transfer::Make(from_a)->Loss(0.3).value(), "tree"),
                               Named(Transfer::Make(from_b)->Loss(0.3).value(), "tree"));
  const auto seasons = Transfer::Make(ChainRegion{{Exactly(a), Exactly(b)}, Exactly({three}), 3})->Loss(0.3).value();
  EXPECT_NEAR(Named(seasons, "tree"), both, 1e-10);
}

TEST(Region, AHiddenCauseIsAStarWithNobodyInTheMiddle) {
  const HiddenCause school{5, std::log(3.0)};
  Field field;
  field.nodes = 6;
  for (std::uint32_t i = 0; i < 5; ++i) field.edges.push_back({i, 5, school.theta});
  field.hidden = {5};
  const auto hidden = Transfer::Make(school).value();
  const auto star = Transfer::Make(field).value();
  for (const double plain : {0.01, 0.3, 2.0})
    EXPECT_NEAR(Named(hidden.Loss(plain).value(), "field"), Named(star.Loss(plain).value(), "field"), 1e-9);
  const std::vector<double> unequal = {0.1, 0, 0.5, 1, 0.2};
  const std::vector<double> nodes = {0.1, 0, 0.5, 1, 0.2, 0};
  const auto mine = hidden.LossPerRecord(unequal)->per_record, theirs = star.LossPerRecord(nodes)->per_record;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(mine[i], theirs[i], 1e-9) << i;
  // However large the school: not more than the strength of one tie beyond the plain loss.
  EXPECT_LE(Transfer::Make(HiddenCause{1'000'000, school.theta})->Loss(0.2)->dependent, 0.2 + school.theta + 1e-12);
}

TEST(Region, FromJson) {
  const auto kind = [](const std::string& text) { return ModelFromJson(text, "m"); };
  const auto point = kind(R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":5})");
  EXPECT_TRUE(std::holds_alternative<Chain>(*point));
  const auto region =
      kind(R"({"kind":"chain","transition":[[[0.75,0.85],[0.15,0.25]],[0.3,0.7]],"start":"any","length":5})");
  ASSERT_TRUE(region.has_value()) << region.error().what;
  EXPECT_EQ(std::get<ChainRegion>(*region).seasons[0].high[0][0], 0.85);
  EXPECT_FALSE(std::get<ChainRegion>(*region).start.has_value());
  const auto tree =
      kind(R"({"kind":"tree","parents":[-1,0],"root":[0.5,0.5],"tables":[null,[[[0.7,0.9],[0.1,0.3]],[0.2,0.8]]]})");
  ASSERT_TRUE(tree.has_value()) << tree.error().what;
  EXPECT_TRUE(std::holds_alternative<TreeRegion>(*tree));
  EXPECT_TRUE(std::holds_alternative<HiddenCause>(*kind(R"({"kind":"group","size":30,"hidden":true,"odds_ratio":2})")));
  for (const char* wrong : {
           R"({"kind":"chain","transition":[[0.8,[0.1,0.3]],[0.3,0.7]],"start":"any","length":5})",        // no room
           R"({"kind":"chain","transition":[[[0.9,0.8],[0.1,0.3]],[0.3,0.7]],"start":"any","length":5})",  // order
           R"({"kind":"chain","transition":[[[0.1,0.2],[0.1,0.3]],[0.3,0.7]],"start":"any","length":5})",  // sum
           R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":"always","length":5})",           // word
           R"({"kind":"chain","transition":[],"start":"any","length":5})",                                 // no values
           R"({"kind":"chain","seasons":[],"start":"any","length":5})",                                    // none
           R"({"kind":"chain","seasons":[[[0.8,0.2],[0.3,0.7]]],"start":"any","length":2000000})",         // length
           R"({"kind":"chain","seasons":[[[0.8,0.2],[0.3,0.7]],[[1]]],"start":"any","length":5})",         // values
           R"({"kind":"group","size":30,"hidden":true})",                                                  // strength
       }) {
    EXPECT_FALSE(kind(wrong).has_value()) << wrong;
  }
}

// Values that may be impossible, and a chain that never forgets: nothing is infinite but where group privacy is finite.
TEST(Region, EndsOfTheScale) {
  const auto never = Transfer::Make(ChainRegion{{Exactly({{1, 0}, {0, 1}})}, std::nullopt, 50})->Loss(0.1).value();
  EXPECT_NEAR(never.dependent, 5, 1e-9);
  const auto one_way = Transfer::Make(ChainRegion{{Box(0, 0.3, 1, 1)}, std::nullopt, 10})->Loss(0.2).value();
  EXPECT_TRUE(std::isfinite(Named(one_way, "tree")));
  EXPECT_LE(one_way.dependent, 2 + 1e-9);
  const auto sure = Transfer::Make(ChainRegion{{Exactly({{1, 0}, {1, 0}})}, Exactly({{1, 0}}), 10})->Loss(0.2).value();
  EXPECT_NEAR(sure.dependent, 0.2, 1e-12);
  LawTable many(40, Law(40, 0.5 / 39));
  for (std::size_t a = 0; a < 40; ++a) many[a][a] = 0.5;
  const auto wide = Transfer::Make(ChainRegion{{Exactly(many)}, std::nullopt, 500'000})->Loss(0.001).value();
  EXPECT_EQ(wide.dependent, Named(wide, "field"));  // too much work for its tables
  const auto large = Transfer::Make(ChainRegion{{Box(.1, .2, .7, .8)}, std::nullopt, 3})->Loss(1000).value();
  EXPECT_EQ(large.dependent, Named(large, "field"));
}

}  // namespace
}  // namespace kith
