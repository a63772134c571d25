// What the other tests of same integers leave out: analyses whose rows leave, and graphs, on tables behind Trino.
#include "tests/support/random_edges.h"
#include "tests/support/rows_leave.h"
#include "tests/trino/server.h"

namespace kith::testing {
namespace {

class AnalysesOnTrino : public TrinoTest {
 protected:
  void Make(const std::string& catalog, const std::string& columns, const std::string& rows) {
    other_.Do("DROP TABLE IF EXISTS " + In(catalog));
    other_.Do("CREATE TABLE " + In(catalog) + " AS SELECT * FROM (VALUES " + rows + ") AS v(" + columns + ")");
  }
};

TEST_F(AnalysesOnTrino, WhatNeedsRowsSaysSoAndCanBeForbidden) {
  ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
  Make("lake", "id, pal, age, cost, ill", AnalysedRows());
  ExpectRowsLeaveAsSaid(Data("lake") + "[unit]\ntable = \"t\"\n" + kAnalysedUnit + "\n[columns.t]\n" +
                            kAnalysedColumns +
                            "\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 10\n"
                            "ledger = \"t.ledger\"\n",
                        folder_ / "all.toml");
}

TEST_F(AnalysesOnTrino, AGraphSaysWhatSetsSay_GT2) {
  using Names = RandomEdges::Names;
  std::mt19937_64 random(std::hash<std::string>{}("AnalysesOnTrino.AGraphSaysWhatSetsSay"));
  for (int round = 0; round < 9; ++round) {
    const RandomEdges edges(random, std::array{Names::kNumbers, Names::kIntegers, Names::kTexts}.at(round % 3));
    if (edges.rows.empty()) continue;
    const std::string catalog = round % 2 == 0 ? "lake" : "memory";
    const std::string type = edges.names == Names::kTexts ? "VARCHAR" : "BIGINT";
    other_.Do("DROP TABLE IF EXISTS " + In(catalog));
    other_.Do("CREATE TABLE " + In(catalog) + " AS SELECT CAST(a AS " + type + ") AS \"from\", CAST(b AS " + type +
              ") AS \"to\", CAST(s AS DOUBLE) AS strength FROM (VALUES " + edges.Values() + ") AS v(a, b, s)");
    Policy policy = PolicyOf(catalog, "age = { type = \"integer\" }");
    edges.DeclareIn(policy, schema_ + ".t", round % 4 < 2 ? std::optional<double>() : std::optional(0.5));
    ASSERT_EQ(DifferenceFrom(edges, policy), "") << edges.Values();
  }
}

}  // namespace
}  // namespace kith::testing
