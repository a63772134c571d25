// The table of functions: names, spellings, and the guide's copy of it.
#include "sql/functions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "sql/dialect.h"
#include "sql/quote.h"
#include "tests/support/source_folder.h"

namespace kith {
namespace {

TEST(Functions, EveryNameMeansOneFunction) {
  std::set<std::string_view> seen;
  for (const SqlFunction& f : SqlFunctions()) {
    for (const std::string_view name : f.names) {
      if (name.empty()) continue;
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_EQ(FindFunction(name), &f) << name;
      EXPECT_EQ(FoldCase(std::string(name)), name);
    }
    EXPECT_LE(f.arguments.least, f.arguments.most) << f.name();
    EXPECT_EQ(f.curve.of != nullptr, f.kind == FunctionKind::kCurve) << f.name();
    EXPECT_EQ(f.curve.nearest != nullptr, f.kind == FunctionKind::kCurve) << f.name();
  }
  EXPECT_EQ(FindFunction(""), nullptr);
  EXPECT_EQ(FindFunction("array_agg"), nullptr);
}

// An argument that is written twice doubles with each level of nesting.
TEST(Functions, EverySpellingHasEachArgumentOnce) {
  for (const SqlFunction& f : SqlFunctions()) {
    const EngineSpelling& s = f.spelling;
    for (const std::string_view spelling : {s.duckdb, s.postgresql, s.trino, s.after}) {
      if (spelling.empty()) continue;
      for (std::size_t k = 0; k < f.arguments.most; ++k) {
        const std::string mark = "{" + std::to_string(k) + "}";
        const std::size_t at = spelling.find(mark);
        ASSERT_NE(at, std::string_view::npos) << f.name();
        EXPECT_EQ(spelling.find(mark, at + 1), std::string_view::npos) << f.name();
      }
    }
  }
}

TEST(Functions, EnginesSpellThemInTheirOwnWays) {
  const sql::Dialect::Texts x = {"x"};
  const SqlFunction& log2 = *FindFunction("log2");
  EXPECT_EQ(sql::DuckDb().Call(log2, x), "log2(x)");
  EXPECT_EQ(sql::PostgreSql().Call(log2, x), "(ln(x) / 0.6931471805599453e0)");
  EXPECT_EQ(sql::Trino().Call(log2, x), "log2(x)");
  EXPECT_EQ(sql::Trino().Call(*FindFunction("pow"), {"x", "y"}), "power(x, y)");
}

// KITH_WRITE_GUIDE=1 writes it there.
TEST(Functions, TheGuideShowsThisTable) {
  const auto path = testing::SourceFolder() / "docs/guide/sql.md";
  std::stringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string guide = read.str(), from = "<!-- from here src/sql/functions.cc -->\n", to = "<!-- to here -->";
  const std::size_t begin = guide.find(from) + from.size(), end = guide.find(to, begin);
  ASSERT_LT(begin, end);
  ASSERT_NE(end, std::string::npos);
  const std::string table = "\n" + FunctionReference() + "\n";
  if (std::getenv("KITH_WRITE_GUIDE") != nullptr)
    std::ofstream(path) << guide.substr(0, begin) << table << guide.substr(end);
  else
    EXPECT_EQ(guide.substr(begin, end - begin), table) << "KITH_WRITE_GUIDE=1 build/src/sql_tests writes it";
}

}  // namespace
}  // namespace kith
