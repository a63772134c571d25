// The JSON forms of the design, read back; and what is refused.
#include "dependence/model_json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kith {
namespace {

template <class T>
T Read(const std::string& text) {
  auto model = ModelFromJson(text, "model.json");
  EXPECT_TRUE(model) << (model ? "" : model.error().Text());
  return std::get<T>(model.value());
}

std::string Complaint(const std::string& text) {
  const auto model = ModelFromJson(text, "model.json");
  if (model) return "accepted";
  EXPECT_EQ(model.error().code, Code::kInvalidArgument);
  EXPECT_EQ(model.error().where.rfind("model.json", 0), 0U) << model.error().Text();
  EXPECT_FALSE(model.error().next.empty());
  return model.error().Text();
}

#define EXPECT_COMPLAINT(text, part) EXPECT_NE(Complaint(text).find(part), std::string::npos) << Complaint(text)

TEST(ModelFromJson, ReadsEveryKind) {
  EXPECT_EQ(Kind(ModelFromJson(R"({"kind":"independent"})", "x").value()), "independent");
  const auto group = Read<Group>(R"({"kind":"group","size":4,"odds_ratio":2})");
  EXPECT_EQ(group.size, 4);
  EXPECT_EQ(group.classes.at(0).odds_ratio, 2);
  EXPECT_FALSE(Read<Group>(R"({"kind":"group","size":4})").classes.at(0).odds_ratio);
  const auto twins = Read<Group>(R"({"kind":"group","size":2,"odds_ratio":{"mz":40,"dz":2.5}})");
  ASSERT_EQ(twins.classes.size(), 2U);
  EXPECT_EQ(twins.classes[1].label, "mz");
  EXPECT_EQ(Read<Overlap>(R"({"kind":"overlap","size":10,"eta":0.01})").eta, 0.01);
  EXPECT_EQ(Read<Lipschitz>(R"({"kind":"lipschitz","influence":[[0,0.5],[0.2,0]]})").influence[1][0], 0.2);
  EXPECT_EQ(Read<Lipschitz>(R"({"kind":"lipschitz","influence":[[0,0.5],[0.2,0]],"diameters":[1,2]})").diameters[1], 2);
  EXPECT_EQ(Read<Star>(R"({"kind":"star","neighbours":[[[0.8,0.2],[0.2,0.8]]]})").neighbours.size(), 1U);
  const auto chain =
      Read<Chain>(R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":100})");
  EXPECT_EQ(chain.length, 100);
  EXPECT_EQ(chain.transition[1][0], 0.3);
  const auto tree = Read<Tree>(R"({"kind":"tree","parents":[-1,0,0],"root":[0.5,0.5],)"
                               R"("tables":[null,[[0.8,0.2],[0.2,0.8]],[[0.9,0.1],[0.3,0.7]]]})");
  EXPECT_EQ(tree.tables[0], (LawTable{{0.5, 0.5}}));
  EXPECT_EQ(Read<Tree>(R"({"kind":"tree","parents":[-1,-1],"tables":[[[1]],[[0.5,0.5]]]})").tables.size(), 2U);
  EXPECT_EQ(Read<Joint>(R"({"kind":"joint","values":[2,2],"law":[0.4,0.1,0.1,0.4]})").law[3], 0.4);
}

TEST(ModelFromJson, ReadsFields) {
  const auto plain = Read<Field>(R"({"kind":"field","nodes":3,"edges":[[0,1,0.7],[1,2,"inf"]]})");
  EXPECT_EQ(plain.edges[0].theta, 0.7);
  EXPECT_TRUE(std::isinf(plain.edges[1].theta));
  EXPECT_EQ(Read<Field>(R"({"kind":"field","nodes":3,"theta":0.7,"edges":[[0,1],[1,2]]})").edges[1].theta, 0.7);
  const auto full = Read<Field>(
      R"({"kind":"field","nodes":4,"factors":[{"records":[0,1,2],"theta":0.8}],"hidden":[3],"prevalence":[0,0.05]})");
  EXPECT_EQ(full.factors[0].records, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(full.hidden, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(full.prevalence->high, 0.05);
}

TEST(ModelFromJson, EdgesInAFileNeedALoader) {
  const std::string text = R"({"kind":"field","nodes":3,"edges":"friends.csv","theta":0.7})";
  EXPECT_COMPLAINT(text, "cannot be read here");
  const EdgeLoader loader = [](const NamedEdges& file) -> Result<LoadedEdges> {
    EXPECT_EQ(file.name, "friends.csv");
    EXPECT_EQ(file.nodes, 3);
    EXPECT_FALSE(file.needs_record_numbers);
    return LoadedEdges{{{0, 2, file.theta.value_or(-1)}}, nullptr};
  };
  const auto model = ModelFromJson(text, "model.json", loader);
  EXPECT_EQ(std::get<Field>(model.value()).edges.at(0).theta, 0.7);
  const EdgeLoader broken = [](const NamedEdges&) -> Result<LoadedEdges> {
    return StorageError("no such file", "friends.csv", "check the path");
  };
  EXPECT_EQ(ModelFromJson(text, "model.json", broken).error().code, Code::kStorage);
  // What names records by number is known by its field, not by its place in the text.
  bool numbered = false;
  const EdgeLoader look = [&](const NamedEdges& file) -> Result<LoadedEdges> {
    numbered = file.needs_record_numbers;
    return LoadedEdges{{{0, 2, 0.7}}, nullptr};
  };
  ASSERT_TRUE(ModelFromJson(R"({"kind":"field","nodes":4,"edges":"hidden.csv"})", "model.json", look));
  EXPECT_FALSE(numbered);
  ASSERT_TRUE(ModelFromJson(R"({"kind":"field","nodes":4,"edges":"e.csv","hidden":[3]})", "model.json", look));
  EXPECT_TRUE(numbered);
}

TEST(ModelFromJson, RefusesWhatItDoesNotUnderstand) {
  EXPECT_COMPLAINT("{", "not JSON");
  EXPECT_COMPLAINT("[]", "with a kind");
  EXPECT_COMPLAINT(R"({"kind":7})", "with a kind");
  EXPECT_COMPLAINT(R"({"kind":"cliques"})", "unknown kind \"cliques\"");
  EXPECT_COMPLAINT(R"({"kind":"group","size":4,"odds":2})", "unknown field \"odds\"");
  EXPECT_COMPLAINT(R"({"kind":"group"})", "\"size\" is missing");
  EXPECT_COMPLAINT(R"({"kind":"group","size":"4"})", "whole number");
  EXPECT_COMPLAINT(R"({"kind":"group","size":4.5})", "whole number");
  EXPECT_COMPLAINT(R"({"kind":"group","size":18446744073709551615})", "whole number");
  EXPECT_COMPLAINT(R"({"kind":"overlap","size":4,"eta":"0.1"})", "a number is expected");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3})", "needs edges or factors");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"edges":[[0,1]]})", "[a, b, theta]");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"theta":1,"edges":[[0,1,1]]})", "[a, b]");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"edges":[[0,-1,1]]})", "between 0 and");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"edges":[[0,1,-1]]})", "not negative");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"factors":[{"records":[0,1],"theta":1,"x":1}]})",
                   "unknown field \"x\"");
  EXPECT_COMPLAINT(R"({"kind":"field","nodes":3,"edges":[],"prevalence":[0.1]})", "two probabilities");
  EXPECT_COMPLAINT(R"({"kind":"tree","parents":[-1,0],"tables":[null,[[1],[1]]]})", "a root has no law");
  EXPECT_COMPLAINT(R"({"kind":"tree","parents":[-1,0],"root":[1],"tables":[[],[[1]]]})", "table of a root is empty");
  EXPECT_COMPLAINT(R"({"kind":"tree","parents":[-1,0],"root":[1],"tables":[null,null]})", "only a root");
  EXPECT_COMPLAINT(R"({"kind":"tree","parents":[1,0],"tables":[[[1]],[[1]]]})", "cycle");
  EXPECT_COMPLAINT(R"({"kind":"joint","values":[2],"law":[0.4,0.5]})", "add up to 0.9");
  EXPECT_COMPLAINT(R"({"kind":"star","neighbours":[0.5]})", "a list is expected");
}

}  // namespace
}  // namespace kith
