#include "policy/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/policies.h"
#include "tests/support/source_folder.h"

namespace kith {
namespace {

using testing::MakePolicy;

struct Parts {
  std::string data, source = "t.csv", unit = "key = \"id\"\nmax_rows = 1\npresence = \"secret\"";
  std::string columns = "ill = { type = \"boolean\" }", more_columns = "", dependence = "kind = \"independent\"";
  std::string end = "";
};

Policy With(const Parts& parts) {
  return MakePolicy(fmt::format(
      "[data]\ntables.t = \"{}\"\n{}\n[unit]\ntable = \"t\"\n{}\n[columns.t]\n{}\n{}\n[dependence]\nsource = "
      "\"public\"\n{}\n[budget]\nepsilon = 1\nledger = \"l\"\n{}\n",
      parts.source, parts.data, parts.unit, parts.columns, parts.more_columns, parts.dependence, parts.end));
}

constexpr char kMet[] = "tables.met = { source = \"m.csv\", key = \"a\", max_rows = 2, other = \"b\", max_other = 3 }";
constexpr char kMetColumns[] =
    "id = { type = \"integer\" }\n[columns.met]\na = { type = \"integer\" }\nb = { type = \"integer\" }";
constexpr char kGroup[] = "kind = \"group\"\nby = \"house\"\nsize = 3";

const DataSoFar kSoFar = {.replaced = true, .by_cell = true, .version = "7"};

struct Example {
  Parts parts;
  std::string promise;
};

/// One for each promise of the table that has words of its own.
std::vector<Example> Examples() {
  const std::string key = "key = \"id\"\nmax_rows = ";
  const std::string versions = "public_columns = \"fixed\"";
  return {
      {{}, "nothing that the policy declares was found out from the data"},
      {{.data = "tables.w = { source = \"w.csv\", public = true }"}, "everything in w is public"},
      {{}, "a row of t belongs to whoever is named in id and to nobody else, and nobody has two names there"},
      {{.data = kMet, .more_columns = kMetColumns},
       "a row of met belongs to whoever is named in a and b and to nobody else, and nobody has two names there"},
      {{.data = kMet, .more_columns = kMetColumns}, "no unit is named in b by more than 3 rows of met"},
      {{.data = versions, .columns = "ward = { values = [1, 2], public = true }"},
       "no unit's public columns changed between versions of the data"},
      {{.data = versions,
        .unit = key + "4\npresence = \"public\"",
        .columns = "day = { values = [1, 2], public = \"per row\" }"},
       "no row of t came or went"},
      {{.data = versions, .source = "t.parquet", .columns = "ward = { values = [1, 2], public = true }"},
       "no unit's public columns changed, neither between versions of the data nor under one"},
      {{.data = "frozen = true", .source = "t.parquet"},
       "the data are read in place and do not change under version 7"},
      {{.source = "t.parquet"}, "while charges were to single public cells, the data did not change under one version"},
      {{.unit = "row = true\npresence = \"secret\""}, "no two rows of t are about one unit"},
      {{.unit = key + "1\npresence = \"public\""}, "who is in t is public"},
      {{.unit = key + "1\npresence = \"public\"\nwithin = \"home\"\nsize = 4",
        .columns = "home = { type = \"integer\", public = true }"},
       "no person changed the household between versions of the data"},
      {{.unit = key + "1\npresence = \"public\"\nwithin = \"home\"\nsize = 4",
        .columns = "home = { type = \"integer\", public = true }"},
       "no household by home has more than 4 persons, those included who are not in the data"},
      {{.unit = key + "1\npresence = \"public\"\ndistance = { columns = [\"lon\", \"lat\"], metric = \"great-circle\", "
                      "delta = \"500 m\" }",
        .columns = "lon = { lower = 8.0, upper = 9.0, required = true }\nlat = { lower = 50.0, upper = 51.0, required "
                   "= true }"},
       "everybody is within the bounds of lon and lat"},
      {{.columns = "ward = { values = [1, 2], public = true }\nsex = { values = [1, 2], public = true }"},
       "everybody knows ward and sex of every unit"},
      {{.unit = key + "4\npresence = \"public\"", .columns = "day = { values = [1, 2], public = \"per row\" }"},
       "everybody knows how many rows of a unit have which day"},
      {{.unit = key + "1\npresence = \"public\"",
        .columns = "house = { type = \"integer\", public = true }",
        .dependence = kGroup},
       "no unit changed its group between versions of the data"},
      {{.unit = key + "1\npresence = \"public\"",
        .columns = "ill = { values = [false, true], required = true }",
        .dependence = "kind = \"independent\"\nknown = [{ total = \"ill\" }]"},
       "the totals that somebody knows are those of the rows and values that count"},
      {{.columns = "day = { type = \"date\" }",
        .end = "[stream]\ntime = \"day\"\nstep = \"1 day\"\nstart = \"2026-01-01\"\nwindow = 7"},
       "no unit stays for more than 7 steps"},
      {{.end = "[[one_sided.attribute]]\nname = \"open\"\ncolumns = [\"ill\"]\nsensitive = \"ill\"\nepsilon = 1.0"},
       "rows that the rule of open does not call sensitive need no protection"},
  };
}

bool Makes(const std::vector<std::string>& promises, const std::string& promise) {
  return std::find(promises.begin(), promises.end(), promise) != promises.end();
}

/// The words before the first name.
std::string Start(std::string_view words) { return std::string(words.substr(0, words.find('{'))); }

/// Which promises of the table no example is of.
std::set<std::string> WithoutExample(const std::vector<Example>& examples) {
  std::set<std::string> left;
  for (const Fact& fact : Facts()) {
    const bool found = std::any_of(examples.begin(), examples.end(), [&](const Example& example) {
      return example.promise.starts_with(Start(fact.words));
    });
    if (fact.made != nullptr && !found) left.insert(std::string(fact.words));
  }
  return left;
}

TEST(FactsTest, EveryPromiseIsNamedWhereAPolicyMakesIt_FACTS1) {
  for (const Example& example : Examples()) {
    const auto promises = PromisesMadeBy(With(example.parts), kSoFar);
    EXPECT_TRUE(Makes(promises, example.promise)) << example.promise << "\n" << ::testing::PrintToString(promises);
  }
  EXPECT_EQ(WithoutExample(Examples()), std::set<std::string>());
  // Enforced and checked facts rest on nobody's word, and every promise says what it is.
  for (const Fact& fact : Facts()) {
    EXPECT_EQ(fact.made != nullptr, !fact.words.empty()) << fact.declared;
    EXPECT_TRUE(fact.words.empty() || fact.standing == Standing::kPromised) << fact.declared;
    EXPECT_FALSE(fact.how.empty() || fact.says.empty() || fact.declared.empty());
  }
}

// What was charged by cell may rest on a promise of an earlier policy or ledger, which this policy need not make.
TEST(FactsTest, WhatEarlierChargesRestOnStaysNamed_FACTS1) {
  const std::string promise = "while charges were to single public cells, the data did not change under one version";
  EXPECT_FALSE(Makes(PromisesMadeBy(With({}), {.by_cell = true}), promise));
  EXPECT_FALSE(Makes(PromisesMadeBy(With({}), {.before = true}), promise)) << "nothing was charged by cell";
  EXPECT_TRUE(Makes(PromisesMadeBy(With({}), {.by_cell = true, .before = true}), promise));
}

TEST(FactsTest, NothingIsNamedThatThePolicyDoesNotPromise) {
  EXPECT_EQ(PromisesMadeBy(With({}), kSoFar).size(), 2u) << ::testing::PrintToString(PromisesMadeBy(With({}), kSoFar));
  for (const Example& example : Examples()) {
    if (!example.promise.ends_with("household between versions of the data") &&
        !example.promise.starts_with("no unit changed its group"))
      continue;
    EXPECT_FALSE(Makes(PromisesMadeBy(With(example.parts), {}), example.promise)) << "nothing was replaced yet";
  }
}

// The planted fault: a promise that the table has is never asked for.
TEST(FactsTest, TheCheckAboveSeesAPromiseThatIsNotNamed_FACTS1) {
  for (std::size_t lost = 0; lost < Examples().size(); ++lost) {
    const std::vector<Example> examples = Examples();
    auto promises = PromisesMadeBy(With(examples[lost].parts), kSoFar);
    std::erase(promises, examples[lost].promise);
    EXPECT_FALSE(Makes(promises, examples[lost].promise));
  }
  auto fewer = Examples();
  std::erase_if(fewer, [](const Example& example) { return example.promise.starts_with("no unit is named in"); });
  EXPECT_EQ(WithoutExample(fewer).size(), 1u);
}

TEST(FactsTest, WhatAnImportCountsIsNotAmongWhatItDoesNotCount) {
  const Policy met = With({.data = kMet, .more_columns = kMetColumns});
  EXPECT_EQ(PromisesNotCounted(met).size() + 1, PromisesMadeBy(met, kSoFar).size());
  EXPECT_FALSE(Makes(PromisesNotCounted(met), "no unit is named in b by more than 3 rows of met"));
}

TEST(FactsTest, AnImportSaysWhatIsPromisedInTheWordsOfAnswers) {
  for (const Example& example : Examples()) {
    const Policy policy = With(example.parts);
    DataSoFar data = kSoFar;
    data.version = policy.data_version.empty() ? "1" : policy.data_version;
    const auto answers = PromisesMadeBy(policy, data);
    for (const std::string& promise : PromisesNotCounted(policy)) EXPECT_TRUE(Makes(answers, promise)) << promise;
  }
}

TEST(FactsTest, TheGuideShowsThisTable) {
  std::ifstream file(testing::SourceFolder() / "docs/guide/facts.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(FactsTable()), std::string::npos) << FactsTable();
}

}  // namespace
}  // namespace kith
