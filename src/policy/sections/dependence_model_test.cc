// Dependence models of every kind in a policy: written out, or in a separate file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "dependence/check.h"
#include "tests/support/policies.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::MakePolicy;
using testing::TwinsPolicyText;

// The twins' policy with another [dependence] part, whose first line of its own is line 17.
std::string WithDependence(const std::string& part) {
  std::string text = TwinsPolicyText();
  const auto begin = text.find("[dependence]");
  return text.replace(begin, text.find("[budget]") - begin, "[dependence]\n" + part + "\n\n");
}

Dependence Read(const std::string& part) {
  return MakePolicy(WithDependence("source = \"public\"\n" + part)).dependence;
}

template <class T>
T ReadModel(const std::string& part) {
  return std::get<T>(Read(part).model);
}

TEST(DependenceModel, Independent) { EXPECT_EQ(Kind(Read("kind = \"independent\"").model), "independent"); }

TEST(DependenceModel, Group) {
  const auto anything = ReadModel<Group>("kind = \"group\"\nsize = 3");
  EXPECT_EQ(anything.size, 3);
  ASSERT_EQ(anything.classes.size(), 1U);
  EXPECT_FALSE(anything.classes[0].odds_ratio);
  EXPECT_EQ(ReadModel<Group>("kind = \"group\"\nsize = 3\nodds_ratio = 2").classes[0].odds_ratio, 2.0);
  EXPECT_FALSE(ReadModel<Group>("kind = \"group\"\nsize = 3\nodds_ratio = inf").classes[0].odds_ratio);
}

TEST(DependenceModel, Overlap) {
  const Dependence read = Read("kind = \"overlap\"\nby = \"pair\"\nsize = 10\neta = 0.01");
  EXPECT_EQ(read.by, "pair");
  EXPECT_EQ(std::get<Overlap>(read.model).size, 10);
  EXPECT_EQ(std::get<Overlap>(read.model).eta, 0.01);
}

TEST(DependenceModel, Field) {
  const auto field = ReadModel<Field>(
      "kind = \"field\"\nnodes = 4\nedges = [[0, 1, 0.7], [1, 2, inf]]\nfactors = [{ records = [0, 1, 2], theta = 0.8 "
      "}]\n"
      "hidden = [3]\nprevalence = [0, 0.05]");
  EXPECT_EQ(field.nodes, 4);
  ASSERT_EQ(field.edges.size(), 2U);
  EXPECT_EQ(field.edges[0].theta, 0.7);
  EXPECT_TRUE(std::isinf(field.edges[1].theta));
  ASSERT_EQ(field.factors.size(), 1U);
  EXPECT_EQ(field.factors[0].records, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(field.hidden, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(field.prevalence->high, 0.05);
}

TEST(DependenceModel, Chain) {
  const auto chain =
      ReadModel<Chain>("kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 100");
  EXPECT_EQ(chain.length, 100);
  EXPECT_EQ(chain.transition[1], (Law{0.3, 0.7}));
}

TEST(DependenceModel, ChainWithinIntervals) {
  const auto chain = ReadModel<ChainRegion>(
      "kind = \"chain\"\ntransition = [[[0.75, 0.85], [0.15, 0.25]], [0.3, 0.7]]\nstart = \"any\"\nlength = 12");
  ASSERT_EQ(chain.seasons.size(), 1U);
  EXPECT_EQ(chain.seasons[0].low[0], (Law{0.75, 0.15}));
  EXPECT_EQ(chain.seasons[0].high, (LawTable{{0.85, 0.25}, {0.3, 0.7}}));
  EXPECT_FALSE(chain.start);
  const auto seasons = ReadModel<ChainRegion>(
      "kind = \"chain\"\nseasons = [[[0.8, 0.2], [0.3, 0.7]], [[0.9, 0.1], [0.4, 0.6]]]\nstart = [[0.5, 0.7], [0.3, "
      "0.5]]\nlength = 12");
  ASSERT_EQ(seasons.seasons.size(), 2U);
  EXPECT_EQ(seasons.start->high, (LawTable{{0.7, 0.5}}));
  const auto hidden = Read("kind = \"group\"\nhidden = \"pair\"\nsize = 30\nodds_ratio = 3");
  EXPECT_EQ(hidden.by, "pair");
  EXPECT_EQ(std::get<HiddenCause>(hidden.model).size, 30);
  EXPECT_GE(std::get<HiddenCause>(hidden.model).theta, std::log(3.0));
}

// Many chains: the record is a row, so the unit must be one.
std::string Panel(const std::string& unit, const std::string& dependence) {
  return "[data]\ntables.visits = \"visits.csv\"\n[unit]\ntable = \"visits\"\n" + unit +
         "\n[columns.visits]\npatient = { type = \"integer\", public = true }\n"
         "state = { values = [\"well\", \"ill\"], required = true }\n"
         "[dependence]\nsource = \"public\"\n" +
         dependence + "\n[budget]\nepsilon = 1.0\nledger = \"v.ledger\"\n";
}
const char* const kRows = "row = true\npresence = \"public\"";
const char* const kVisits =
    "kind = \"chain\"\nby = \"patient\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 12";

TEST(DependenceModel, ManyChainsByAColumn) {
  const Policy policy = MakePolicy(Panel(kRows, kVisits));
  EXPECT_EQ(policy.dependence.by, "patient");
  EXPECT_EQ(std::get<Chain>(policy.dependence.model).length, 12);
  const std::string key = "key = \"visit\"\nmax_rows = 1\npresence = \"public\"";
  EXPECT_EQ(MakePolicy(Panel(key, kVisits)).dependence.by, "patient");
  const struct {
    std::string unit, dependence, what;
  } refused[] = {
      {"key = \"patient\"\nmax_rows = 12\npresence = \"public\"", kVisits, "the unit here is a whole chain"},
      {"key = \"visit\"\nmax_rows = 2\npresence = \"public\"", kVisits, "a unit has up to 2 here"},
      {"key = \"visit\"\nmax_rows = 1\npresence = \"public\"\nwithin = \"patient\"\nsize = 4", kVisits,
       "a network on persons and times"},
      {kRows, std::string(kVisits) + "\nhidden = \"patient\"", "closes loops"},
      {kRows, "kind = \"chain\"\nby = \"state\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = \"any\"\nlength = 2",
       "must be public"},
      {kRows, "kind = \"group\"\nhidden = \"patient\"\nsize = 3", "odds_ratio"},
      {kRows, "kind = \"group\"\nhidden = \"patient\"\nby = \"patient\"\nsize = 3\nodds_ratio = 2", "already"},
      {kRows, "kind = \"group\"\nhidden = \"patient\"\nsize = 3\nodds_ratio = inf", "says nothing"},
  };
  for (const auto& c : refused) {
    const auto read = Policy::Parse(Panel(c.unit, c.dependence), "/p.toml");
    ASSERT_FALSE(read) << c.what;
    EXPECT_NE(read.error().Text().find(c.what), std::string::npos) << read.error().Text();
  }
}

// Which rows make a chain is part of the declaration, and so is every end of an interval.
TEST(DependenceModel, RegionsAndChainsAreInTheFingerprint) {
  const auto mark = [](const std::string& dependence) { return MakePolicy(Panel(kRows, dependence)).fingerprint(); };
  const std::string alone = std::string(kVisits).replace(std::string(kVisits).find("by = \"patient\"\n"), 15, "");
  const std::string interval =
      "kind = \"chain\"\ntransition = [[[0.75, 0.85], [0.15, 0.25]], [0.3, 0.7]]\nstart = \"any\"\nlength = 12";
  std::string wider = interval;
  wider.replace(wider.find("0.85"), 4, "0.86");
  EXPECT_NE(mark(kVisits), mark(alone));
  EXPECT_NE(mark(interval), mark(wider));
}

TEST(DependenceModel, TreeWithAnEmptyTableForTheRoot) {
  const auto tree = ReadModel<Tree>(
      "kind = \"tree\"\nparents = [-1, 0, 0]\nroot = [0.5, 0.5]\ntables = [[], [[0.8, 0.2], [0.2, 0.8]], [[0.9, 0.1], "
      "[0.3, 0.7]]]");
  ASSERT_EQ(tree.tables.size(), 3U);
  EXPECT_EQ(tree.tables[0], (LawTable{{0.5, 0.5}}));
  EXPECT_EQ(tree.parents[0], -1);
}

TEST(DependenceModel, StarLipschitzJoint) {
  EXPECT_EQ(ReadModel<Star>("kind = \"star\"\nneighbours = [[[0.8, 0.2], [0.2, 0.8]]]").neighbours.size(), 1U);
  EXPECT_EQ(ReadModel<Lipschitz>("kind = \"lipschitz\"\ninfluence = [[0, 0.5], [0.2, 0]]").influence[1][0], 0.2);
  EXPECT_EQ(ReadModel<Joint>("kind = \"joint\"\nvalues = [2, 2]\nlaw = [0.4, 0.1, 0.1, 0.4]").law.size(), 4U);
}

TEST(DependenceModel, PairsByTableOrDistance) {
  const auto pairs = ReadModel<PairLaws>("kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 3");
  EXPECT_EQ(pairs.degree, 3);
  EXPECT_EQ(pairs.table[1], (Law{0.3, 0.7}));
  const auto near = ReadModel<PairLaws>(
      "kind = \"pairs\"\ndistance = { axes = [[0, 1, 2]], b = 0.196, c = 1.05 }\nnodes = 3\nedges = [[0, 1], [1, 2]]");
  EXPECT_EQ(near.table.size(), 3U);
  EXPECT_GT(near.table[0][1], near.table[0][2]);
  EXPECT_EQ(near.links.size(), 2U);
  EXPECT_EQ(LargestDegree(near), 2);
  const auto star =
      ReadModel<Star>("kind = \"star\"\nneighbours = 4\ndistance = { axes = [[0, 1], [0, 2]], b = 0.196, c = 1.05 }");
  EXPECT_EQ(star.neighbours.size(), 4U);
  EXPECT_EQ(star.neighbours[3].size(), 4U);
}

TEST(DependenceModel, PairsByCoefficientColumnsAndFile) {
  const std::string table = "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\n";
  EXPECT_EQ(ReadModel<PairLaws>(table + "degree = 3\ncoefficient = \"eq18\"").coefficient, PairCoefficient::kEq18);
  EXPECT_EQ(ReadModel<PairLaws>(table + "degree = 3\ncoefficient = \"eq14\"").coefficient, PairCoefficient::kEq14);
  const auto near = ReadModel<PairLaws>(
      "kind = \"pairs\"\ndistance = { columns = [\"lat\", \"lon\"], axes = [[0, 1], [0, 2]], b = 0.2, c = 1 }\n"
      "degree = 5");
  EXPECT_EQ(near.columns, (std::vector<std::string>{"lat", "lon"}));
  EXPECT_EQ(near.axes.size(), 2U);
  const Policy policy = MakePolicy(
      WithDependence("source = \"public\"\naccept = \"unproven\"\n" + table + "nodes = 50\nedges = \"friends.csv\""));
  ASSERT_TRUE(policy.dependence.edges);
  EXPECT_EQ(policy.dependence.edges->nodes, 50);
  EXPECT_EQ(LargestDegree(std::get<PairLaws>(policy.dependence.model)), 0);  // nothing can be computed from it yet
  for (const std::string& wrong :
       {table + "degree = 3\ncoefficient = \"eq15\"", table + "degree = 3\ncoefficient = 14",
        std::string("kind = \"pairs\"\ndistance = { columns = [\"lat\"], axes = [[0, 1], [0, 2]], b = 0.2, c = 1 }\n"
                    "degree = 5"),
        std::string("kind = \"star\"\nneighbours = 2\ndistance = { columns = [\"x\"], axes = [[0, 1]], b = 0.2, c = 1 "
                    "}")}) {
    EXPECT_FALSE(Policy::Parse(WithDependence("source = \"public\"\naccept = \"unproven\"\n" + wrong), "p.toml"))
        << wrong;
  }
}

TEST(DependenceModel, NumbersMeanTheSameHoweverWritten) {
  const auto fingerprint = [](const std::string& part) {
    return MakePolicy(WithDependence("source = \"public\"\n" + part)).fingerprint();
  };
  const std::string base = "kind = \"overlap\"\nsize = 10\neta = 0.5";
  EXPECT_EQ(fingerprint(base), fingerprint("eta = 5e-1\nsize = 1_0\nkind = 'overlap'"));
  EXPECT_EQ(fingerprint(base), fingerprint("eta = 0.5\nsize = 10.0\nkind = 'overlap'"));
  EXPECT_NE(fingerprint(base), fingerprint("kind = \"overlap\"\nsize = 10\neta = 0.25"));
  EXPECT_NE(fingerprint(base), fingerprint("kind = \"overlap\"\nsize = 11\neta = 0.5"));
}

TEST(DependenceModel, EdgesInAFileAreKeptForLater) {
  const Dependence read = Read("kind = \"field\"\nnodes = 1000\nedges = \"graphs/./friends.csv\"\ntheta = 0.7");
  ASSERT_TRUE(read.edges);
  EXPECT_EQ(read.edges->source, "graphs/friends.csv");
  EXPECT_EQ(read.edges->nodes, 1000);
  EXPECT_EQ(read.edges->theta, 0.7);
  EXPECT_FALSE(Read("kind = \"field\"\nnodes = 10\nedges = \"friends.csv\"").edges->theta);
}

// A policy with a public table of edges; `model` after source = "public".
Result<Policy> WithEdgesTable(const std::string& model,
                              const std::string& friends =
                                  "a = { type = \"integer\" }\nb = { type "
                                  "= \"integer\" }\ns = { type = "
                                  "\"real\" }",
                              const std::string& source = "f.parquet") {
  std::string text = WithDependence("source = \"public\"\n" + model);
  text.replace(text.find("[unit]"), 0, "tables.friends = { source = \"" + source + "\", public = true }\n");
  return Policy::Parse(text + "\n[columns.friends]\n" + friends + "\n", "p.toml");
}

TEST(DependenceModel, EdgesInATableAreKeptForLater) {
  const std::string field = "kind = \"field\"\nnodes = 1000\n";
  const auto one = WithEdgesTable(field + "theta = 0.7\nedges = { table = \"friends\", from = \"a\", to = \"b\" }");
  ASSERT_TRUE(one) << one.error().Text();
  const EdgesFile& edges = *one->dependence.edges;
  EXPECT_TRUE(edges.in_table());
  EXPECT_EQ(edges.source + " " + edges.from + " " + edges.to + " " + edges.strength, "friends a b ");
  EXPECT_EQ(edges.theta, 0.7);
  EXPECT_FALSE(Check(one->dependence.model)) << "POLICY-3";
  const auto each =
      WithEdgesTable(field + "edges = { table = \"friends\", from = \"a\", to = \"b\", strength = \"s\" }");
  ASSERT_TRUE(each) << each.error().Text();
  EXPECT_EQ(each->dependence.edges->strength, "s");
  EXPECT_FALSE(each->dependence.edges->theta);
  EXPECT_NE(one->fingerprint(), each->fingerprint());
  const auto turned = WithEdgesTable(field + "theta = 0.7\nedges = { table = \"friends\", from = \"b\", to = \"a\" }");
  EXPECT_NE(one->fingerprint(), turned->fingerprint());
  const auto pairs = WithEdgesTable(
      "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\nnodes = 5\nedges = { table = \"friends\", from = \"a\", to "
      "= "
      "\"b\" }");
  ASSERT_TRUE(pairs) << pairs.error().Text();
  EXPECT_TRUE(pairs->dependence.edges->in_table());
}

TEST(DependenceModel, EdgesInATableMustBePublicAndReadAsTheyAre) {
  const auto refusal = [](const std::string& edges,
                          const std::string& friends =
                              "a = { type = \"integer\" }\nb = { type "
                              "= \"integer\" }\ns = { type = "
                              "\"real\" }",
                          const std::string& source = "f.parquet") {
    const auto policy = WithEdgesTable("kind = \"field\"\nnodes = 9\nedges = { " + edges + " }", friends, source);
    return policy ? "it was read" : policy.error().Text();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? "" : text;
  };
  const std::string rest = "from = \"a\", to = \"b\", strength = \"s\"";
  const std::string all = "table = \"friends\", " + rest;
  EXPECT_EQ(refusal(all), "it was read");
  const std::string columns = "a = { type = \"integer\" }\nb = { type = \"integer\" }\ns = { type = \"real\" }";
  EXPECT_EQ(has(refusal(all, columns, "twins.csv"), "whose rows are secrets"), "");
  EXPECT_EQ(has(refusal("table = \"friend\", " + rest), "no table"), "");
  EXPECT_EQ(has(refusal(rest), "\"table\" is missing"), "");
  EXPECT_EQ(has(refusal("table = \"twins\", " + rest), "must be public"), "");
  EXPECT_EQ(has(refusal(all, "a = { type = \"integer\" }\nb = { type = \"integer\" }"), "not declared"), "");
  EXPECT_EQ(has(refusal(all + ", weight = 2"), "unknown field"), "");
  EXPECT_EQ(has(refusal("table = \"friends\", from = \"a\", to = \"b\""), "either theta"), "");
  EXPECT_EQ(has(refusal("table = \"friends\", from = \"a\", to = \"a\", strength = \"s\""), "two columns"), "");
  const std::string b = "\nb = { type = \"integer\" }\ns = { type = \"real\" }";
  EXPECT_EQ(has(refusal(all, "a = { type = \"text\" }" + b), "one type"), "");
  EXPECT_EQ(has(refusal(all, "a = { type = \"integer\", lower = 0, upper = 9 }" + b), "bounds"), "");
  EXPECT_EQ(has(refusal(all, "a = { values = [1, 2] }" + b), "bounds or values"), "");
  EXPECT_EQ(has(refusal(all, "a = { type = \"integer\" }\nb = { type = \"integer\" }\ns = { type = \"integer\" }"),
                "real number"),
            "");
}

// Without its edges a field would pass for independent records: nothing may be computed from it before they are loaded.
TEST(DependenceModel, AFieldWithoutItsEdgesCannotBeUsed_POLICY3) {
  const Dependence read = Read("kind = \"field\"\nnodes = 1000\nedges = \"friends.csv\"\ntheta = 0.7");
  EXPECT_FALSE(Check(read.model));
  EXPECT_FALSE(Transfer::Make(read.model));
}

// The fault: the number of nodes left in place. Then the loss is that of independent records, which nobody declared.
TEST(DependenceModel, TheCheckAboveSeesAFieldThatPassesForIndependent) {
  const Dependence read = Read("kind = \"field\"\nnodes = 1000\nedges = \"friends.csv\"\ntheta = 0.7");
  Field field = std::get<Field>(read.model);
  field.nodes = read.edges->nodes;
  const auto transfer = Transfer::Make(field);
  ASSERT_TRUE(transfer);
  EXPECT_NEAR(transfer->Loss(1)->dependent, 1, 1e-9);
}

struct Refusal {
  const char* name;
  const char* part;  // after source = "public", which is line 17
  const char* where;
  const char* what;
};

class DependenceRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(DependenceRefusal, NamesTheLine) {
  const auto policy = Policy::Parse(WithDependence(std::string("source = \"public\"\n") + GetParam().part), "p.toml");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, Code::kInvalidArgument);
  EXPECT_EQ(policy.error().where, GetParam().where) << policy.error().Text();
  EXPECT_NE(policy.error().what.find(GetParam().what), std::string::npos) << policy.error().Text();
  EXPECT_FALSE(policy.error().next.empty());
}

const Refusal kRefusals[] = {
    {"LawDoesNotAddUp", "kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.5]\nlength = 9",
     "p.toml:20 (start)", "not 1"},
    {"RowDoesNotAddUp", "kind = \"chain\"\ntransition = [[0.8, 0.2],\n [0.3, 0.6]]\nstart = [0.6, 0.4]\nlength = 9",
     "p.toml:19 (transition, row 1)", "not 1"},
    {"CycleInTree", "kind = \"tree\"\nparents = [1, 0]\ntables = [[[1.0]], [[1.0]]]", "p.toml:19 (parents)", "cycle"},
    {"EdgeToNowhere", "kind = \"field\"\nnodes = 2\nedges = [[0, 5, 0.7]]", "p.toml:20 (edge 0)", "record 5"},
    {"ThetaNegative", "kind = \"field\"\nnodes = 2\nedges = [[0, 1, -0.7]]", "p.toml:20 (edge 0)", "not negative"},
    {"ThetaNotANumber", "kind = \"field\"\nnodes = 2\nedges = [[0, 1, nan]]", "p.toml:20 (edge 0)", "number"},
    {"FactorTwice", "kind = \"field\"\nnodes = 3\nfactors = [{ records = [0, 0], theta = 1 }]", "p.toml:20 (factor 0)",
     "twice"},
    {"NoEdges", "kind = \"field\"\nnodes = 3", "p.toml:16", "edges or factors"},
    {"NoNodesForAFile", "kind = \"field\"\nedges = \"friends.csv\"", "p.toml:16", "nodes"},
    {"ThetaNegativeForAFile", "kind = \"field\"\nnodes = 3\nedges = \"friends.csv\"\ntheta = -1", "p.toml:21 (theta)",
     "not negative"},
    {"EdgesFromAnAddress", "kind = \"field\"\nnodes = 3\nedges = \"https://host/friends.csv\"\ntheta = 1",
     "p.toml:20 (edges)", "one local file"},
    {"InfluenceTooStrong", "kind = \"lipschitz\"\ninfluence = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]",
     "p.toml:19 (influence)", "spectral radius"},
    {"JointTooLarge", "kind = \"joint\"\nvalues = [64, 64, 64]\nlaw = [1]", "p.toml:19 (values)", "4096 states"},
    {"PairsNeitherDegreeNorEdges", "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]", "p.toml:16",
     "either the largest degree or the edges"},
    {"PairsDegreeZero", "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 0", "p.toml:20 (degree)",
     "degree must lie"},
    {"PairsRowDoesNotAddUp", "kind = \"pairs\"\ntable = [[0.8, 0.1], [0.3, 0.7]]\ndegree = 2",
     "p.toml:19 (table, row 0)", "not 1"},
    {"PairsListedTwice", "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\nnodes = 3\nedges = [[0, 1], [1, 0]]",
     "p.toml:21 (edge 1)", "twice"},
    {"PairsEdgeToNowhere", "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\nnodes = 3\nedges = [[0, 3]]",
     "p.toml:21 (edge 0)", "record 3"},
    {"PairsFromAFile", "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\nnodes = 0\nedges = \"f.csv\"",
     "p.toml:20 (nodes)", "at least 1"},
    {"DistanceWithoutPlaces", "kind = \"pairs\"\ndegree = 2\ndistance = { axes = [[0]], b = 0.2, c = 1 }",
     "p.toml:20 (distance: axes)", "places"},
    {"DistanceNotIncreasing", "kind = \"pairs\"\ndegree = 2\ndistance = { axes = [[0, 2, 1]], b = 0.2, c = 1 }",
     "p.toml:20 (distance: axes)", "increase"},
    {"DistanceNegative", "kind = \"pairs\"\ndegree = 2\ndistance = { axes = [[0, 1]], b = -0.2, c = 1 }",
     "p.toml:20 (distance)", "positive"},
    {"EtaOutside", "kind = \"overlap\"\nsize = 3\neta = 1.5", "p.toml:20 (eta)", "between 0 and 1"},
    {"SizeMissing", "kind = \"overlap\"\neta = 0.5", "p.toml:16", "size"},
    {"KeyOfAnotherKind", "kind = \"overlap\"\nsize = 3\neta = 0.5\ntheta = 1", "p.toml:21", "unknown key 'theta'"},
    {"GroupsOfATree", "kind = \"tree\"\nby = \"pair\"", "p.toml:19", "unknown key 'by'"},
    {"TextForANumber", "kind = \"overlap\"\nsize = \"3\"\neta = 0.5", "p.toml:19 (size)", "whole number"},
};
INSTANTIATE_TEST_SUITE_P(Models, DependenceRefusal, ::testing::ValuesIn(kRefusals),
                         [](const auto& param) { return std::string(param.param.name); });

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("model_file_" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "models");
  }
  ~ModelFile() override { std::filesystem::remove_all(folder_); }
  Result<Policy> Parse(const std::string& json, const std::string& extra = "") const {
    std::ofstream(folder_ / "models/m.json", std::ios::binary) << json;
    return Policy::Parse(WithDependence("source = \"public\"\nfile = \"models/m.json\"\n" + extra), folder_ / "p.toml");
  }
  std::filesystem::path folder_;
};

TEST_F(ModelFile, OfAnyKind) {
  const auto chain = Parse(R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":100})");
  ASSERT_TRUE(chain) << chain.error().Text();
  EXPECT_EQ(std::get<Chain>(chain->dependence.model).length, 100);
  const auto group = Parse(R"({"kind":"group","size":4,"odds_ratio":2})", "kind = \"group\"\nby = \"pair\"");
  ASSERT_TRUE(group) << group.error().Text();
  EXPECT_EQ(group->dependence.by, "pair");
  EXPECT_NE(chain->fingerprint(), group->fingerprint());
  EXPECT_EQ(chain->identity_fingerprint(), group->identity_fingerprint());
}

TEST_F(ModelFile, EdgesAreRelativeToTheModel) {
  const auto policy = Parse(R"({"kind":"field","nodes":9,"edges":"friends.csv","theta":0.7})");
  ASSERT_TRUE(policy) << policy.error().Text();
  EXPECT_EQ(policy->dependence.edges->source, "models/friends.csv");
}

TEST_F(ModelFile, RefusesWhatDoesNotFit) {
  const std::string group = R"({"kind":"group","size":4})";
  const struct {
    std::string json, extra, what;
    int line;
  } cases[] = {
      {group, "kind = \"chain\"", "the model in the file is 'group'", 19},
      {group, "size = 3", "unknown key 'size'", 19},
      {R"({"kind":"independent"})", "by = \"pair\"", "has no groups", 19},
      {R"({"kind":"group","size":4,"odds_ratio":{"mz":40,"dz":2}})", "", "the column that distinguishes them", 18},
      {R"({"kind":"group","size":4,"odds_ratio":{"mz":40}})", "", "the column that distinguishes them", 18},
  };
  for (const auto& c : cases) {
    const auto policy = Parse(c.json, c.extra);
    ASSERT_FALSE(policy) << c.what;
    EXPECT_NE(policy.error().what.find(c.what), std::string::npos) << policy.error().Text();
    EXPECT_EQ(policy.error().where, (folder_ / "p.toml").string() + ":" + std::to_string(c.line));
  }
}

TEST_F(ModelFile, BrokenOrMissing) {
  const auto broken = Parse("{");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().where.find("m.json"), std::string::npos);
  std::filesystem::remove(folder_ / "models/m.json");
  const auto missing =
      Policy::Parse(WithDependence("source = \"public\"\nfile = \"models/m.json\"\n"), folder_ / "p.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kInvalidArgument);
  EXPECT_NE(missing.error().where.find("p.toml:18"), std::string::npos);
}

// A pipe would be waited for; and its text differs each time.
TEST(DependenceModel, IsInAnOrdinaryFile) {
  for (const char* file : {"/dev/null", "/dev/zero"}) {
    const auto policy =
        Policy::Parse(WithDependence("source = \"public\"\nfile = \"" + std::string(file) + "\""), "policy.toml");
    ASSERT_FALSE(policy) << file;
    EXPECT_EQ(policy.error().what, "what is named is not an ordinary file") << file;
    EXPECT_EQ(policy.error().code, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kith
