// Tables of the units beside the unit's table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

struct Parts {
  std::string unit = "key = \"id\"\nmax_rows = 1\npresence = \"public\"";
  std::string persons = "id = { type = \"integer\" }\nhome = { type = \"integer\", public = true }";
  std::string visits = "who = { type = \"integer\" }\nkind = { values = [\"new\"] }";
  std::string dependence = "kind = \"independent\"";
  std::string more = "";
};

std::string Text(const Parts& parts) {
  return fmt::format(
      "[data]\ntables.persons = \"p.csv\"\ntables.visits = {{ source = \"v.csv\", key = \"who\", max_rows = 4 }}\n"
      "[unit]\ntable = \"persons\"\n{}\n[columns.persons]\n{}\n[columns.visits]\n{}\n[dependence]\nsource = "
      "\"public\"\n{}\n{}\n[budget]\nepsilon = 1\nledger = \"l\"\n",
      parts.unit, parts.persons, parts.visits, parts.dependence, parts.more);
}

// What is in a public table leaves without noise: it may not be a secret table under another name.
TEST(PublicSources, AreNoneOfASecretTable) {
  const auto refused = [](const std::string& data, const std::string& server = "", const std::string& more = "") {
    const auto policy = Policy::Parse(
        fmt::format(
            "[data]\n{}{}\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
            "[columns.t]\nid = {{ type = \"integer\" }}\n[columns.u]\nid = {{ type = \"integer\" }}\n"
            "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n{}",
            server, data, more),
        "folder/p.toml");
    return !policy && policy.error().Text().find("whose rows are secrets") != std::string::npos;
  };
  const auto both = [](const std::string& secret, const std::string& open) {
    return fmt::format("tables.t = \"{}\"\ntables.u = {{ source = \"{}\", public = true, key = \"id\" }}", secret,
                       open);
  };
  for (const auto& [secret, open] :
       std::vector<std::pair<std::string, std::string>>{{"t.csv", "t.csv"},
                                                        {"t.csv", "./t.csv"},
                                                        {"t.csv", "../folder/t.csv"},
                                                        {"s.duckdb:d", "./s.duckdb:d"},
                                                        {"s.duckdb:d", "s.duckdb:main.d"},
                                                        {"s.duckdb:D", "s.duckdb:snapshot.d"},
                                                        {"s.duckdb", "s.duckdb:t"},
                                                        {"a/x.parquet", "a/*.parquet"},
                                                        {"a/1-*.parquet", "a/*-2.parquet"},
                                                        {"p.duckdb:duckdb_t", "p.duckdb:main.duckdb_t"}}) {
    EXPECT_TRUE(refused(both(secret, open))) << secret << " " << open;
  }
  for (const auto& [secret, open] : std::vector<std::pair<std::string, std::string>>{{"t.csv", "u.csv"},
                                                                                     {"s.duckdb:d", "s.duckdb:e"},
                                                                                     {"s.duckdb", "s.duckdb"},
                                                                                     {"s.duckdb:a.d", "s.duckdb:b.d"},
                                                                                     {"a/x.parquet", "b/*.parquet"}}) {
    EXPECT_FALSE(refused(both(secret, open))) << secret << " " << open;
  }
  const std::string server = "engine = \"postgresql\"\nhost = \"h\"\ndatabase = \"d\"\n";
  EXPECT_TRUE(refused(both("people", "public.people"), server));
  EXPECT_FALSE(refused(both("people", "wards"), server));
  // Another table of the units is secret as well.
  EXPECT_TRUE(
      refused("tables.t = \"t.csv\"\ntables.v = { source = \"v.csv\", key = \"id\", max_rows = 2 }\n"
              "tables.u = { source = \"v.csv\", public = true, key = \"id\" }",
              "", "[columns.v]\nid = { type = \"integer\" }\n"));
}

TEST(MoreTables, HaveAKeyAndALimitOfTheirOwn) {
  const Policy policy = MakePolicy(Text({.dependence = "kind = \"group\"\nby = \"home\"\nsize = 3"}));
  EXPECT_TRUE(policy.HasMoreTables());
  const Table& visits = *policy.FindTable("visits");
  EXPECT_TRUE(visits.OfUnits());
  EXPECT_EQ(visits.max_rows, 4);
  EXPECT_EQ(visits.key, "who");
  EXPECT_FALSE(policy.unit_table().OfUnits());
  EXPECT_EQ(policy.unit.max_rows, 1);
  EXPECT_NE(policy.identity_words().find("key who, max_rows 4"), std::string::npos) << policy.identity_words();
}

TEST(MoreTables, CellsOfAnybodyAreAsManyAndHaveNoColumns) {
  const Policy policy =
      MakePolicy(Text({.persons = "id = { type = \"integer\" }\nkind = { values = [\"new\"], public = "
                                  "true }"}));
  const Cells cells = policy.cells.OfAnybody();
  EXPECT_EQ(cells.size(), policy.cells.size());
  EXPECT_EQ(cells.size(), 2u);
  EXPECT_EQ(policy.FindTable("visits")->Find(cells.columns()[0].name), nullptr);  // it has a column of that name
}

TEST(MoreTables, RefuseWhatIsProvedForOneTableAlone) {
  const std::string one = "is proved for one table alone";
  const struct {
    Parts parts;
    std::string what;
  } cases[] = {
      {{.unit = "row = true\npresence = \"public\""}, one},
      {{.unit = "key = [\"id\", \"home\"]\nmax_rows = 5\npresence = \"secret\"",
        .persons = "id = { type = \"integer\" }\nhome = { type = \"integer\" }"},
       one},
      {{.unit = "key = \"id\"\nmax_rows = 1\npresence = \"public\"\nwithin = \"home\"\nsize = 3"}, one},
      {{.persons = "id = { type = \"integer\" }\nage = { type = \"integer\" }",
        .more = "[stream]\ntime = \"age\"\nstep = 1\nwindow = 2"},
       one},
      {{.persons = "id = { type = \"integer\" }\nat = { values = [1, 2], public = \"per row\", required = true }"},
       one},
      {{.persons = "id = { type = \"integer\" }\nhome = { type = \"integer\", public = true }\nw = { values = [\"a\", "
                   "\"b\"], public = true, required = true }",
        .dependence = "kind = \"group\"\nby = \"home\"\nsize = 3\nodds_ratio = { w = { a = 3, b = 2 } }"},
       one},
      {{.persons = "home = { type = \"integer\", public = true }"}, "type of the unit's key 'id' is not declared"},
      {{.persons = "id = { type = \"text\" }"}, "another type than the unit's key"},
      {{.visits = "who = { type = \"integer\" }\nkind = { values = [\"new\"], public = true }"}, "'kind' is public"},
      {{.visits = "who = { type = \"integer\" }\nkind = { values = [\"new\"], constant = true }"},
       "cannot be constant"},
      {{.persons = "id = { type = \"integer\" }\nill = { values = [\"no\", \"yes\"], required = true }",
        .dependence = "kind = \"field\"\nnodes = 3\nedges = [[0, 1, 0.7]]\nprevalence = [0, 0.05]"},
       "says which values a record has"},
  };
  for (const auto& c : cases) {
    const auto refused = Policy::Parse(Text(c.parts), "p.toml");
    ASSERT_FALSE(refused.has_value()) << c.what;
    EXPECT_NE(refused.error().what.find(c.what), std::string::npos) << refused.error().Text();
    EXPECT_FALSE(refused.error().next.empty());
  }
}

}  // namespace
}  // namespace kith
