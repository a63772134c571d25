// Tables of the units besides the unit's table.
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

// What a household loses follows from what its persons lose; for rows that name two units that is not proved.
TEST(MoreTables, MayStandBesideHouseholds) {
  const std::string within = "key = \"id\"\nmax_rows = 1\npresence = \"public\"\nwithin = \"home\"\nsize = 3";
  EXPECT_EQ(MakePolicy(Text({.unit = within})).unit.size, 3);
  std::string pairs = Text({.unit = within, .visits = "who = { type = \"integer\" }\nkind = { type = \"integer\" }"});
  pairs.replace(pairs.find("max_rows = 4"), 12, "max_rows = 4, other = \"kind\", max_other = 1");
  const auto refused = Policy::Parse(pairs, "p.toml");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("for rows of one unit alone"), std::string::npos) << refused.error().Text();
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

std::string Pairs(const std::string& table, const std::string& columns,
                  const std::string& dependence = "kind = \"independent\"") {
  return fmt::format(
      "[data]\ntables.persons = \"p.csv\"\ntables.met = {{ source = \"m.csv\", {} }}\n[unit]\ntable = \"persons\"\n"
      "key = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.persons]\nid = {{ type = \"integer\" }}\n"
      "home = {{ type = \"integer\", public = true }}\n[columns.met]\nwho = {{ type = \"integer\" }}\n{}\n"
      "[dependence]\nsource = \"public\"\n{}\n[budget]\nepsilon = 1\nledger = \"l\"\n",
      table, columns, dependence);
}

TEST(MoreTables, RowsMayNameASecondUnit_TABLES3) {
  const std::string owner = "key = \"who\", max_rows = 4", whom = "whom = { type = \"integer\" }";
  const Policy policy = MakePolicy(Pairs(owner + ", other = \"whom\", max_other = 2", whom));
  EXPECT_EQ(policy.FindTable("met")->other, "whom");
  EXPECT_EQ(policy.FindTable("met")->max_other, 2);
  EXPECT_NE(policy.identity_words().find("other whom, max_other 2"), std::string::npos) << policy.identity_words();
  const struct {
    std::string text, what;
  } cases[] = {
      {Pairs(owner + ", other = \"whom\"", whom), "belong together"},
      {Pairs(owner + ", max_other = 2", whom), "belong together"},
      {Pairs(owner + ", other = \"who\", max_other = 2", whom), "is the key"},
      {Pairs(owner + ", other = \"whom\", max_other = 0", whom), "max_other must lie between"},
      {Pairs(owner + ", other = \"whom\", max_other = 2", "whom = { type = \"text\" }"), "type of the unit's key"},
      {Pairs(owner + ", other = \"whom\", max_other = 2", ""), "type of the unit's key"},
      {Pairs(owner + ", other = \"whom\", max_other = 2", "whom = { lower = 0, upper = 9 }"), "key"},
      {Pairs(owner + ", other = \"whom\", max_other = 2", whom, "kind = \"group\"\nby = \"home\"\nsize = 3"),
       "part of two records"},
      {Pairs("other = \"whom\", max_other = 2", whom), "belong to none"},
  };
  for (const auto& c : cases) {
    const auto refused = Policy::Parse(c.text, "p.toml");
    ASSERT_FALSE(refused.has_value()) << c.what;
    EXPECT_NE(refused.error().what.find(c.what), std::string::npos) << refused.error().Text();
    EXPECT_FALSE(refused.error().next.empty());
  }
}

// The same rows as a second table would hide only the units of one column.
TEST(MoreTables, OneSourceHasOneOwner_TABLES3) {
  const auto text = [](const std::string& more, const std::string& source = "./m.csv") {
    std::string policy =
        Pairs("key = \"who\", max_rows = 4, other = \"whom\", max_other = 2", "whom = { type = \"integer\" }");
    policy.replace(policy.find("[unit]"), 0,
                   fmt::format("tables.again = {{ source = \"{}\", max_rows = 4, {} }}\n", source, more));
    return policy + "[columns.again]\nwho = { type = \"integer\" }\nwhom = { type = \"integer\" }\n";
  };
  const std::string by_owner = "key = \"who\"", by_other = "key = \"whom\"", both = ", max_other = 3, other = ";
  for (const std::string& more : {by_owner, by_other, by_other + both + "\"who\""}) {
    const auto refused = Policy::Parse(text(more), "p.toml");
    ASSERT_FALSE(refused.has_value()) << more;
    EXPECT_NE(refused.error().what.find("have one source"), std::string::npos) << refused.error().Text();
    EXPECT_TRUE(Policy::Parse(text(more, "n.csv"), "p.toml").has_value()) << more;
  }
  EXPECT_TRUE(Policy::Parse(text(by_owner + both + "\"whom\""), "p.toml").has_value());
  // Patterns that no file can match both.
  const auto pattern = [&](const std::string& source) {
    std::string policy = text(by_owner, source);
    return Policy::Parse(policy.replace(policy.find("m.csv"), 5, "met-*.parquet"), "p.toml").has_value();
  };
  for (const char* const source : {"visits-*.parquet", "met.parquet"}) EXPECT_TRUE(pattern(source)) << source;
  for (const char* const source : {"*.parquet", "met-?.parquet", "m*-1.parquet", "met-1.parquet", "met-*-old.parquet"})
    EXPECT_FALSE(pattern(source)) << source;
  // The unit's table is one of them.
  EXPECT_FALSE(Policy::Parse(text(by_owner, "p.csv"), "p.toml").has_value());
  EXPECT_TRUE(Policy::Parse(Text({}).replace(Text({}).find("v.csv"), 5, "w.csv"), "p.toml").has_value());
}

}  // namespace
}  // namespace kith
