// What the curator sees of tables behind Trino: a draft of a policy, and units that moved between two imports.
#include <fstream>

#include "engine/sketch_server.h"
#include "policy/data_part.h"
#include "release/release.h"
#include "tests/trino/server.h"

namespace kith::testing {
namespace {

class CuratorOnTrino : public TrinoTest {
 protected:
  CuratorOnTrino() { ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1); }

  void Replace(const std::string& catalog, const std::string& rows) {
    other_.Do("DELETE FROM " + In(catalog));
    other_.Do("INSERT INTO " + In(catalog) + " VALUES " + rows);
  }
  /// What an import says: notices, and its error.
  std::string Import(const std::string& catalog, const std::string& promise = "public_columns = \"fixed\"\n") const {
    std::ofstream(folder_ / "p.toml")
        << Data(catalog) << promise
        << "[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 2\npresence = \"public\"\n[columns.t]\nward = { values = "
           "[\"A\", \"B\"], public = true }\nhouse = { type = \"integer\", public = true }\nx = { type = \"integer\", "
           "lower = 0, upper = 9 }\n[dependence]\nsource = \"public\"\nkind = \"group\"\nby = \"house\"\nsize = 3\n"
           "[budget]\nepsilon = 10\nledger = \"" +
               catalog + ".ledger\"\n";
    std::string said;
    Call call;
    call.notice = [&said](const std::string& text) { said += text + "\n"; };
    const auto curator = Curator::Open(folder_ / "p.toml", {}, call);
    if (!curator) return curator.error().Text();
    const auto data = curator->Import(call, [](const DataReport&) {});
    return data ? said : data.error().Text();
  }
};

TEST_F(CuratorOnTrino, UnitsThatMovedBetweenImports_ENGINE8) {
  other_.Do("CREATE TABLE " + In("lake") + " (id BIGINT, ward VARCHAR, house BIGINT, x BIGINT)");
  Replace("lake", "(1, 'A', 7, 1), (2, 'B', 7, 2), (3, 'B', 8, 3)");
  EXPECT_EQ(Import("lake"), "");
  EXPECT_EQ(Import("lake"), "");  // the same snapshot
  Replace("lake", "(1, 'A', 7, 5), (1, 'A', 7, 6), (2, 'B', 7, 2), (4, 'A', 9, 0), (NULL, 'A', 1, 0)");
  EXPECT_EQ(Import("lake"), "");
  Replace("lake", "(1, 'B', 7, 5), (2, 'B', 7, 2), (4, NULL, 9, 0)");
  EXPECT_NE(Import("lake").find("2 units have other values in public columns"), std::string::npos);
  Replace("lake", "(1, 'A', 8, 5), (2, 'B', 7, 2)");
  EXPECT_NE(Import("lake").find("1 unit has another group"), std::string::npos);
  // What was refused is not an import: the state before it counts.
  Replace("lake", "(1, 'A', 7, 5), (3, 'A', 5, 5)");
  EXPECT_EQ(Import("lake"), "");
}

TEST_F(CuratorOnTrino, WithoutThePromiseUnitsMayMoveBetweenPublicValues) {
  other_.Do("CREATE TABLE " + In("lake") + " (id BIGINT, ward VARCHAR, house BIGINT, x BIGINT)");
  Replace("lake", "(1, 'A', 7, 1)");
  EXPECT_EQ(Import("lake", ""), "");
  Replace("lake", "(1, 'B', 7, 1)");
  EXPECT_EQ(Import("lake", ""), "");
}

TEST_F(CuratorOnTrino, WhatCannotBeComparedIsSaid) {
  other_.Do("CREATE TABLE " + In("memory") + " (id BIGINT, ward VARCHAR, house BIGINT, x BIGINT)");
  other_.Do("INSERT INTO " + In("memory") + " VALUES (1, 'A', 7, 1)");
  EXPECT_EQ(Import("memory").find("was not checked"), std::string::npos);
  EXPECT_NE(Import("memory").find("a table without snapshots: whether units kept"), std::string::npos);
  other_.Do("CREATE TABLE " + In("lake") + " (id BIGINT, ward VARCHAR, house BIGINT, x BIGINT)");
  Replace("lake", "(1, 'A', 7, 1)");
  EXPECT_EQ(Import("lake"), "");
  std::filesystem::remove_all(folder_ / ".kith");
  EXPECT_NE(Import("lake").find("not imported from here: whether units kept"), std::string::npos);
  // Its snapshots went with the table.
  other_.Do("DROP TABLE " + In("lake"));
  other_.Do("CREATE TABLE " + In("lake") + " (id BIGINT, ward VARCHAR, house BIGINT, x BIGINT)");
  other_.Do("INSERT INTO " + In("lake") + " VALUES (1, 'B', 7, 1)");
  EXPECT_NE(Import("lake").find("no longer exists: whether units kept"), std::string::npos);
}

TEST_F(CuratorOnTrino, ADraftFromTheCatalog) {
  other_.Do(
      "CREATE TABLE " + In("memory") +
      " AS SELECT BIGINT '4711' AS id, VARCHAR 'SECRET' AS ward, DECIMAL '1.5' AS cost, DATE '2024-01-01' AS day, "
      "TIMESTAMP '2024-01-01 00:00:00.000000' AS at, TRUE AS ill, DOUBLE '1' AS w, CAST('x' AS CHAR(3)) AS c, "
      "ARRAY[1] AS list");
  std::ofstream(folder_ / "server.toml") << Data("memory");
  const auto data = LoadDataPart(folder_ / "server.toml");
  ASSERT_TRUE(data) << data.error().Text();
  const auto sketch = SketchServer(*data, {});
  ASSERT_TRUE(sketch) << sketch.error().Text();
  const std::string draft = StartingPolicyOnServer(*data, *sketch);
  for (const std::string line :
       {"engine = \"trino\"", "catalog = \"memory\"", "id = { type = \"integer\" }", "ward = { type = \"text\" }",
        "cost = { type = \"real\" }", "day = { type = \"date\" }", "at = { type = \"timestamp\" }",
        "ill = { type = \"boolean\" }", "w = { type = \"real\" }",
        "# column 8 is left out: the column is of type char(3)",
        "# column 9 is left out: the column is of type array(integer)"}) {
    EXPECT_NE(draft.find("\n" + line), std::string::npos) << line << draft;
  }
  EXPECT_NE(draft.find("url = \"" + TrinoAddress() + "\""), std::string::npos) << draft;
  EXPECT_EQ(draft.find("SECRET"), std::string::npos);
  EXPECT_EQ(draft.find("4711"), std::string::npos);
}

}  // namespace
}  // namespace kith::testing
