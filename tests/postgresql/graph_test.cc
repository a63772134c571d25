// Graphs of friends in a table of a PostgreSQL server.
#include <fstream>

#include "release/release.h"
#include "tests/postgresql/server.h"
#include "tests/support/random_edges.h"

namespace kith::testing {
namespace {

using Names = RandomEdges::Names;

class GraphOnPostgreSql : public PostgreSqlTest {
 protected:
  GraphOnPostgreSql() {
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    other_.Do(
        "CREATE TABLE s.t (id integer, ill text); INSERT INTO s.t SELECT i, 'no' FROM generate_series(0, 9) AS i");
  }

  void Make(const RandomEdges& edges) {
    const std::string name = edges.names == Names::kTexts ? "text" : "bigint";
    other_.Do("DROP TABLE IF EXISTS s.friends; CREATE TABLE s.friends (\"from\" " + name + ", \"to\" " + name +
              ", strength double precision)");
    if (!edges.rows.empty()) other_.Do("INSERT INTO s.friends VALUES " + edges.Values());
  }

  /// Ten people; `model`: after source = "public".
  void WritePolicy(const std::string& model, const std::string& data = {}) {
    std::string text =
        PolicyText("id = { type = \"integer\", public = true }\nill = { values = [\"no\", \"yes\"], required = true }",
                   "key = \"id\"\nmax_rows = 1\npresence = \"public\"", model);
    text.replace(text.find("tables.t"), 0, data + "tables.friends = { source = \"s.friends\", public = true }\n");
    text += "[columns.friends]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n";
    std::ofstream(folder_ / "t.toml") << text;
  }
  std::string Asked(const std::string& question = "SELECT count(*) FROM t WHERE ill = 'yes'") {
    const auto curator = Curator::Open(folder_ / "t.toml", {});
    if (!curator) return curator.error().Text();
    Price price;
    price.epsilon = 0.1;
    const auto answer = curator->Release(QuestionRequest{question}, price);
    return answer ? "answered" : answer.error().Text();
  }
  double Loss(double plain) {
    const auto curator = Curator::Open(folder_ / "t.toml", {});
    EXPECT_TRUE(curator) << curator.error().Text();
    return curator ? curator->account().curve().Loss(plain, 0)->dependent : -1;
  }
  std::string Version() {
    const auto curator = Curator::Open(folder_ / "t.toml", {});
    return curator ? curator->account().version() : curator.error().Text();
  }
};

constexpr char kField[] =
    "kind = \"field\"\nnodes = 10\nedges = { table = \"friends\", from = \"a\", to = \"b\" }\ntheta = 0.5";
constexpr char kPairs[] =
    "accept = \"unproven\"\nkind = \"pairs\"\ntable = [[0.6, 0.4], [0.4, 0.6]]\nnodes = 10\n"
    "edges = { table = \"friends\", from = \"a\", to = \"b\" }";

TEST_F(GraphOnPostgreSql, SaysWhatSetsSay_GT2) {
  std::mt19937_64 random(std::hash<std::string>{}("GraphOnPostgreSql.SaysWhatSetsSay"));
  for (int round = 0; round < 45; ++round) {
    const RandomEdges edges(random, std::array{Names::kNumbers, Names::kIntegers, Names::kTexts}.at(round % 3));
    Make(edges);
    Policy policy = PolicyOf("ill = { type = \"text\" }");
    edges.DeclareIn(policy, "s.friends", round % 2 == 0 ? std::optional<double>() : std::optional(0.5));
    ASSERT_EQ(DifferenceFrom(edges, policy), "") << edges.Values();
  }
  for (const char* strength : {"-1", "NULL", "'NaN'", "'-Infinity'"}) {
    RandomEdges edges(random, Names::kNumbers);
    edges.rows = {{"0", "1"}}, edges.theta = {0.5}, edges.nodes = 2;
    Make(edges);
    other_.Do(std::string("UPDATE s.friends SET strength = ") + strength);
    Policy policy = PolicyOf("ill = { type = \"text\" }");
    edges.DeclareIn(policy, "s.friends", std::nullopt);
    EXPECT_NE(DifferenceFrom(edges, policy).find("missing, negative or not a number"), std::string::npos) << strength;
  }
}

// Somebody who may read the graph and nothing else.
TEST_F(GraphOnPostgreSql, NothingElseIsRead_GT1) {
  std::mt19937_64 random(3);
  const RandomEdges edges(random, Names::kTexts);
  Make(edges);
  other_.Do(
      "DROP ROLE IF EXISTS graph_reader; CREATE ROLE graph_reader LOGIN; GRANT USAGE ON SCHEMA s TO graph_reader; "
      "GRANT SELECT ON s.friends TO graph_reader");
  Policy policy = PolicyOf("ill = { type = \"text\" }", "row = true", {}, "graph_reader");
  edges.DeclareIn(policy, "s.friends", 0.5);
  EXPECT_EQ(DifferenceFrom(edges, policy), "");
  EXPECT_NE(Refusal(policy), "it was opened") << "the role has no right to the people";
  other_.Do("DROP OWNED BY graph_reader; DROP ROLE graph_reader");
}

TEST_F(GraphOnPostgreSql, AChangedGraphIsAnotherPolicy) {
  other_.Do("CREATE TABLE s.friends (a integer, b integer); INSERT INTO s.friends VALUES (0, 1), (1, 2), (5, 5)");
  for (const std::string model : {kField, kPairs}) {
    WritePolicy(model);
    const std::string before = Version();
    const double loss = Loss(0.1);
    // Other transactions, another order of the rows: the same graph.
    other_.Do(
        "INSERT INTO s.t VALUES (9, 'no'); DELETE FROM s.t WHERE id = 9 AND ctid <> (SELECT min(ctid) FROM s.t "
        "WHERE id = 9)");
    other_.Do(
        "CREATE TABLE s.copy AS SELECT * FROM s.friends ORDER BY a DESC; DELETE FROM s.friends; INSERT INTO "
        "s.friends SELECT * FROM s.copy; DROP TABLE s.copy");
    EXPECT_EQ(Version(), before);
    if (model == kField) {
      EXPECT_EQ(Asked(), "answered");
    }
    other_.Do("INSERT INTO s.friends VALUES (1, 3)");
    EXPECT_NE(Version(), before);
    EXPECT_GT(Loss(0.1), loss) << "a record with one more friend";
    other_.Do("DELETE FROM s.friends WHERE b = 3");
    EXPECT_EQ(Version(), before);
    EXPECT_EQ(Loss(0.1), loss);
  }
}

TEST_F(GraphOnPostgreSql, PricesAreThoseOfAFile) {
  other_.Do(
      "CREATE TABLE s.friends (a integer, b integer); INSERT INTO s.friends SELECT 0, i FROM generate_series(1, 6) "
      "AS i");
  std::ofstream file(folder_ / "friends.csv");
  file << "a,b\n";
  for (int i = 1; i <= 6; ++i) file << "0," << i << "\n";
  file.close();
  for (const std::string model : {kField, kPairs}) {
    WritePolicy(model);
    const double in_table = Loss(0.1);
    std::string in_file = model;
    const auto at = in_file.find("edges = ");
    in_file.replace(at, in_file.find('}', at) + 1 - at, "edges = \"friends.csv\"");
    WritePolicy(in_file);
    EXPECT_EQ(Loss(0.1), in_table);
  }
}

TEST_F(GraphOnPostgreSql, RowsThatStayAreCountedThere) {
  other_.Do(
      "CREATE TABLE s.friends (a integer, b integer); INSERT INTO s.friends SELECT 0, i FROM generate_series(1, 6) "
      "AS i");
  WritePolicy(kField, "rows_out = false\n");
  EXPECT_NE(Asked().find("[data] rows_out"), std::string::npos) << Asked();
  WritePolicy(kPairs);
  const double loss = Loss(0.1);
  WritePolicy(kPairs, "rows_out = false\n");
  EXPECT_EQ(Loss(0.1), loss) << "of the links only the largest degree is needed";
  EXPECT_EQ(Asked(), "answered");
}

TEST_F(GraphOnPostgreSql, ExplainSaysThatTheGraphLeaves) {
  other_.Do("CREATE TABLE s.friends (a integer, b integer); INSERT INTO s.friends VALUES (0, 1)");
  for (const bool field : {true, false}) {
    WritePolicy(field ? kField : kPairs);
    const auto curator = Curator::Open(folder_ / "t.toml", {});
    ASSERT_TRUE(curator) << curator.error().Text();
    Price price;
    price.epsilon = 0.1;
    const auto explained = curator->Explain(QuestionRequest{"SELECT count(*) FROM t WHERE ill = 'yes'"}, price);
    ASSERT_TRUE(explained) << explained.error().Text();
    bool said = false;
    for (const Note& note : explained->plan.notes) said = said || note.text.find("graph") != std::string::npos;
    EXPECT_EQ(said, field);
  }
}

}  // namespace
}  // namespace kith::testing
