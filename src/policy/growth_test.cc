// Which parts of a changed policy are accepted, must be reviewed or are refused, and where totals come from.
#include "policy/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

constexpr GrowthVerdict kAccepted = GrowthVerdict::kAccepted, kReview = GrowthVerdict::kReview,
                        kRefused = GrowthVerdict::kRefused;

const char* const kPolicy = R"([data]
tables.people = "people.csv"
tables.wards = { source = "wards.csv", public = true, key = "code" }

[unit]
table = "people"
key = "id"
max_rows = 2
presence = "secret"

[columns.people]
id = { type = "integer" }
ward = { values = ["A", "B"], public = true }
sex = { values = ["f", "m"], public = true, required = true }
age = { lower = 0, upper = 100 }
ill = { values = ["no", "yes"] }
home = { type = "text", public = true }

[columns.wards]
code = { type = "text" }
size = { lower = 0, upper = 10 }

[dependence]
source = "public"
kind = "group"
by = "home"
size = 4

[budget]
epsilon = 1.0
ledger = "people.ledger"
)";

std::string With(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Growth Compare(const std::string& before, const std::string& after,
               const std::vector<ReleasedAttribute>& released = {}) {
  auto growth = CompareGenerations(DescribePolicy(MakePolicy(before)), DescribePolicy(MakePolicy(after)), released);
  EXPECT_TRUE(growth) << growth.error().Text();
  return *growth;
}

std::string Words(const Growth& growth) {
  std::string text;
  for (const PolicyChange& change : growth.changes) text += change.what + " (" + change.why + "); ";
  return text;
}

struct Edit {
  const char* from;
  const char* to;
  GrowthVerdict verdict;  // the worst
  const char* what;       // in the change that has it
};

void Check(const std::string& policy, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    const Growth growth = Compare(policy, With(policy, edit.from, edit.to));
    const GrowthVerdict worst = growth.Has(kRefused) ? kRefused : growth.Has(kReview) ? kReview : kAccepted;
    EXPECT_EQ(worst, edit.verdict) << edit.to << ": " << Words(growth);
    bool said = false;
    for (const PolicyChange& change : growth.changes) {
      EXPECT_FALSE(change.why.empty());
      EXPECT_EQ(change.next.empty(), change.verdict == kAccepted) << change.what;
      said = said || (change.verdict == worst && change.what.find(edit.what) != std::string::npos);
    }
    EXPECT_TRUE(said) << edit.to << ": " << Words(growth);
    EXPECT_EQ(AcceptGrowth(growth, 2, 0).has_value(), worst == kAccepted) << edit.to;
    EXPECT_EQ(AcceptGrowth(growth, 2, 2).has_value(), worst != kRefused) << edit.to;
  }
}

// Promises about data that are read in place. Whether another version may begin under one is the ledger's to say.
TEST(PolicyGrowth, PromisesAboutDataInPlace_GROWTH2) {
  const std::string free = With(With(kPolicy, "people.csv", "people.parquet"),
                                "kind = \"group\"\nby = \"home\"\nsize = 4\n", "kind = \"independent\"\n");
  const std::string frozen = With(free, "[data]\n", "[data]\nfrozen = true\n");
  const std::string fixed = With(free, "[data]\n", "[data]\npublic_columns = \"fixed\"\n");
  Check(free, {{"[data]\n", "[data]\nfrozen = true\n", kAccepted, "promised not to change under one version"},
               {"people.parquet", "others.parquet", kAccepted, "table people: source"}});
  Check(frozen, {{"frozen = true\n", "", kAccepted, "no longer promised not to change"},
                 {"people.parquet", "others.parquet", kAccepted, "a promise about one version"}});
  Check(fixed, {{"people.parquet", "others.parquet", kAccepted, "table people: source"},
                {"public_columns = \"fixed\"\n", "frozen = true\n", kAccepted, "no longer promised to be fixed"}});
}

TEST(PolicyGrowth, WhatIsAcceptedAndWhatIsNot_GROWTH2) {
  Check(
      kPolicy,
      {
          // A larger record, or other facts that everybody knows.
          {"ill = {", "smoker = { values = [\"no\", \"yes\"] }\nill = {", kReview, "people.smoker is new and secret"},
          {"ill = {", "area = { values = [\"n\"], public = true }\nill = {", kReview, "people.area is new and public"},
          {"[\"no\", \"yes\"] }", "[\"no\", \"yes\"], public = true }", kReview, "was secret and is now public"},
          // How secrets are read.
          {"upper = 100", "upper = 120", kAccepted, "upper was 100"},
          {"lower = 0, upper = 100", "lower = 10, upper = 90", kAccepted, "lower was 0"},
          {"age = { lower", "age = { type = \"real\", lower", kAccepted, "people.age: type"},
          {"upper = 100 }", "upper = 100, required = true }", kAccepted, "is now required"},
          {"[\"no\", \"yes\"]", "[\"no\", \"yes\", \"unknown\"]", kAccepted, "new values 'unknown'"},
          {"[\"no\", \"yes\"]", "[\"yes\"]", kAccepted, "values gone 'no'"},
          {"upper = 100 }", "upper = 100, constant = true }", kAccepted, "people.age: constant was false"},
          {"upper = 100 }", "upper = 100, missing = [\"-99\"] }", kAccepted, "people.age: reading"},
          {"home = { type = \"text\"", "home = { type = \"text\", missing = [\"NA\"]", kRefused,
           "people.home: reading"},
          {"id = { type = \"integer\" }\n", "", kRefused, "people.id is gone"},
          {"max_rows = 2", "max_rows = 3", kAccepted, "max_rows was 2 and is now 3"},
          // Values of public columns.
          {"[\"A\", \"B\"], public", "[\"A\", \"B\", \"C\"], public", kAccepted, "new values 'C'"},
          {"[\"A\", \"B\"], public", "[\"A\"], public", kAccepted, "values gone 'B'"},
          {"[\"A\", \"B\"], public", "[\"A\", \"B\"], required = true, public", kAccepted, "is now required"},
          // Public tables.
          {"size = { lower", "more = { type = \"text\" }\nsize = { lower", kAccepted, "wards.more is new"},
          {"wards.csv", "others.csv", kAccepted, "table wards: source"},
          {"upper = 10 }", "upper = 20 }", kAccepted, "wards.size changed"},
          // The rest.
          {"people.csv", "people2.csv", kAccepted, "table people: source"},
          {"size = 4", "size = 5", kAccepted, "[dependence] changed"},
          {"epsilon = 1.0", "epsilon = 2.0", kAccepted, "[budget] epsilon was 1"},
          {"key = \"code\" }\n", "key = \"code\" }\npublic_columns = \"fixed\"\n", kAccepted, "promised to be fixed"},
          // Different from before.
          {"key = \"id\"", "key = \"person\"", kRefused, "the unit's key"},
          {"presence = \"secret\"", "presence = \"public\"", kRefused, "presence was secret"},
          {"id = { type = \"integer\" }", "id = { type = \"text\" }", kRefused, "people.id changed"},
          {"home = { type = \"text\"", "home = { type = \"integer\"", kRefused, "people.home: type"},
          {"ward = { values = [\"A\", \"B\"], public = true }", "ward = { values = [\"A\", \"B\"] }", kRefused,
           "was public and is now secret"},
          {"ward = { values = [\"A\", \"B\"], public = true }\n", "", kRefused, "people.ward is gone"},
          {"age = { lower = 0, upper = 100 }\n", "", kRefused, "people.age is gone"},
          // Persons in households.
          {"max_rows = 2\n", "max_rows = 2\nwithin = \"home\"\nsize = 4\n", kAccepted, "[unit] within was not there"},
      });
  const std::string nested = With(With(kPolicy, "max_rows = 2\n", "max_rows = 2\nwithin = \"home\"\nsize = 4\n"),
                                  "kind = \"group\"\nby = \"home\"\nsize = 4\n", "kind = \"independent\"\n");
  Check(nested, {
                    {"size = 4", "size = 3", kAccepted, "[unit] size was 4 and is now 3"},
                    {"size = 4", "size = 6", kRefused, "[unit] size was 4 and is now 6"},
                    {"within = \"home\"\nsize = 4\n", "", kRefused, "[unit] within was home"},

                });
}

TEST(PolicyGrowth, APanelMayBecomeLongerButNotItsRecord_GROWTH2) {
  const std::string panel =
      "[data]\ntables.visits = \"visits.csv\"\n[unit]\ntable = \"visits\"\nrow = true\npresence = \"public\"\n"
      "[columns.visits]\npatient = { type = \"integer\", public = true }\n"
      "state = { values = [\"well\", \"ill\"], required = true }\n"
      "[dependence]\nsource = \"public\"\nkind = \"chain\"\nby = \"patient\"\n"
      "transition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 12\n"
      "[budget]\nepsilon = 1.0\nledger = \"v.ledger\"\n";
  Check(panel, {
                   {"length = 12", "length = 24", kAccepted, "[dependence] changed"},
                   {"start = [0.6, 0.4]", "start = \"any\"", kAccepted, "[dependence] changed"},
                   {"[[0.8, 0.2]", "[[[0.7, 0.9], [0.1, 0.3]]", kAccepted, "[dependence] changed"},
                   {"by = \"patient\"\n", "", kAccepted, "[dependence] by was patient"},
                   {"state = {", "age = { lower = 0, upper = 99 }\nstate = {", kRefused, "visits.age is new"},
                   {"patient = { type = \"integer\"", "patient = { type = \"text\"", kRefused, "visits.patient"},
               });
}

// The planted fault: a comparison that does not see who is present. What is refused above would pass.
TEST(PolicyGrowth, TheListAboveSeesARuleThatAcceptsEverything) {
  const std::string open = With(kPolicy, "presence = \"secret\"", "presence = \"public\"");
  const std::string before = DescribePolicy(MakePolicy(kPolicy)), after = DescribePolicy(MakePolicy(open));
  const std::string unseen = With(after, "\"presence\":\"public\"", "\"presence\":\"secret\"");
  const Growth growth = CompareGenerations(before, unseen, {}).value();
  EXPECT_TRUE(growth.Has(kRefused)) << "the fingerprint of the whole still says that something differs";
  EXPECT_NE(Words(growth).find("cannot compare"), std::string::npos) << Words(growth);
  const std::string mark = MakePolicy(open).identity_fingerprint(), same = MakePolicy(kPolicy).identity_fingerprint();
  EXPECT_FALSE(CompareGenerations(before, With(unseen, mark, same), {}).value().Has(kRefused));
}

// A key or group without a declaration is read in one way, and in another once it is declared.
TEST(PolicyGrowth, ADeclarationOfTheKeyIsAnotherWayOfReadingIt_GROWTH2) {
  std::string bare = With(kPolicy, "id = { type = \"integer\" }\n", "");
  bare = With(bare, "home = { type = \"text\", public = true }\n", "");
  Check(bare, {{"age = {", "id = { type = \"integer\" }\nage = {", kRefused, "no declaration"},
               {"age = {", "home = { type = \"text\", public = true }\nage = {", kRefused, "no declaration"}});
}

TEST(PolicyGrowth, WithoutAnyDifferenceThereIsNothing) {
  EXPECT_TRUE(Compare(kPolicy, kPolicy).changes.empty());
  const std::string reviewed = With(kPolicy, "kind = \"group\"", "kind = \"group\"\nreviewed = 3");
  EXPECT_EQ(MakePolicy(reviewed).dependence.reviewed, 3);
  EXPECT_TRUE(Compare(kPolicy, reviewed).changes.empty());
  EXPECT_EQ(MakePolicy(kPolicy).fingerprint(), MakePolicy(reviewed).fingerprint());
  EXPECT_FALSE(Policy::Parse(With(kPolicy, "kind = \"group\"", "kind = \"group\"\nreviewed = 0"), "p.toml"));
}

TEST(PolicyGrowth, TheOrderOfColumnsIsNothingToCellsByValue) {
  const Growth growth = Compare(kPolicy, With(With(kPolicy, "ward = { values = [\"A\", \"B\"], public = true }\n", ""),
                                              "age = {", "ward = { values = [\"A\", \"B\"], public = true }\nage = {"));
  ASSERT_EQ(growth.changes.size(), 1U) << Words(growth);
  EXPECT_EQ(growth.changes[0].verdict, kAccepted);
}

TEST(PolicyGrowth, AReviewIsForOneGeneration) {
  const Growth growth = Compare(kPolicy, With(kPolicy, "ill = {", "smoker = { type = \"boolean\" }\nill = {"));
  const auto refused = AcceptGrowth(growth, 5, 4);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().next.find("reviewed = 5"), std::string::npos) << refused.error().Text();
  EXPECT_TRUE(AcceptGrowth(growth, 5, 5));
}

TEST(PolicyGrowth, ModelsWithTablesOverValuesTakeNoNewColumn) {
  const std::string chain =
      With(With(kPolicy, "kind = \"group\"\nby = \"home\"\nsize = 4",
                "kind = \"chain\"\ntransition = [[0.9, 0.1], [0.2, 0.8]]\nstart = [0.5, 0.5]\nlength = 3"),
           "presence = \"secret\"", "presence = \"public\"");
  Check(chain, {{"ill = {", "smoker = { type = \"boolean\" }\nill = {", kRefused, "people.smoker is new"},
                {"upper = 100", "upper = 120", kAccepted, "upper was 100"}});
}

TEST(PolicyGrowth, MetricUnitsAndStreamsKeepWhatTheirLossesAreAbout_GROWTH2) {
  const std::string plane = R"([data]
tables.t = "t.csv"
[unit]
table = "t"
row = true
presence = "public"
distance = { columns = ["x", "y"], metric = "euclidean", delta = 0.5 }
[columns.t]
x = { lower = 0.0, upper = 10.0, required = true }
y = { lower = 0.0, upper = 10.0, required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "t.ledger"
)";
  Check(plane, {{"x = { lower = 0.0, upper = 10.0", "x = { lower = -1.0, upper = 12.0", kAccepted, "bounds are wider"},
                {"x = { lower = 0.0, upper = 10.0", "x = { lower = 1.0, upper = 10.0", kRefused, "t.x changed"},
                {"delta = 0.5", "delta = 0.6", kRefused, "distance"}});
  const std::string earth = With(plane, "\"euclidean\", delta = 0.5", "\"great-circle\", delta = \"500 m\"");
  Check(earth, {{"x = { lower = 0.0, upper = 10.0", "x = { lower = 0.0, upper = 12.0", kRefused, "t.x changed"}});
  const std::string stream = R"([data]
tables.t = "t.csv"
[unit]
table = "t"
key = "id"
max_rows = 1
presence = "secret"
[columns.t]
at = { type = "integer" }
ill = { values = ["no", "yes"] }
[stream]
time = "at"
start = 0
step = 10
window = 3
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "t.ledger"
)";
  Check(stream, {{"step = 10", "step = 20", kRefused, "[stream]"},
                 {"window = 3", "window = 4", kRefused, "[stream]"},
                 {"[\"no\", \"yes\"]", "[\"no\", \"yes\", \"x\"]", kAccepted, "new values 'x'"}});
}

TEST(PolicyGrowth, WhatAReleaseOfTrueRecordsRestedOnStays_GROWTH2) {
  const std::string open = std::string(With(kPolicy, "by = \"home\"\nsize = 4", "size = 1")) +
                           "[one_sided]\nsensitive = \"age < 18\"\nepsilon = 1.0\naccept = \"unbounded\"\n";
  const std::vector<ReleasedAttribute> released = {{"records", {"(age < 18)"}}};
  const std::string older = With(open, "upper = 100", "upper = 120"), rule = With(open, "age < 18", "age < 21");
  EXPECT_FALSE(Compare(open, older).Has(kRefused));
  EXPECT_TRUE(Compare(open, older, released).Has(kRefused));
  EXPECT_FALSE(Compare(open, rule).Has(kRefused));
  EXPECT_TRUE(Compare(open, rule, released).Has(kRefused));
  EXPECT_FALSE(Compare(open, With(open, "[\"no\", \"yes\"]", "[\"yes\"]"), released).Has(kRefused));
  EXPECT_FALSE(Compare(open, open.substr(0, open.find("[one_sided]")), released).Has(kRefused));
  EXPECT_TRUE(Compare(open.substr(0, open.find("[one_sided]")), open, released).Has(kRefused));
  // A name with a quote in it is in a rule with two.
  const std::string odd = With(open, "age = {", "\"ar\\\"r\" = { lower = 0, upper = 9 }\nage = {");
  const std::vector<ReleasedAttribute> by_odd = {{"records", {"(\"ar\"\"r\" > 6)"}}};
  EXPECT_TRUE(Compare(odd, With(odd, "upper = 9", "upper = 5"), by_odd).Has(kRefused));
}

// Raw text as a public column with declared values is read.
std::string ReadAs(const std::string& raw, const std::vector<std::string>& values, bool required) {
  if (std::find(values.begin(), values.end(), raw) != values.end()) return raw;
  return required ? values.front() : "NULL";
}

struct Lists {
  std::vector<std::string> before, after;
  bool required_before, required_after;
};

// For every raw value: what it is read as afterwards has what it was read as before among its origins. The first list
// that breaks it, or nothing.
std::string FirstLost(const std::function<void(ColumnOrigins&, const Lists&)>& fault) {
  const std::vector<std::vector<std::string>> lists = {{"a"},           {"a", "b"},      {"b", "a"},      {"b", "c"},
                                                       {"a", "b", "c"}, {"c", "b", "a"}, {"d", "a", "c"}, {"c"}};
  for (const auto& before : lists) {
    for (const auto& after : lists) {
      for (int flags = 0; flags < 4; ++flags) {
        const Lists all{before, after, (flags & 1) != 0, (flags & 2) != 0};
        const auto text = [&](const std::vector<std::string>& values, bool required) {
          std::string list;
          for (const auto& value : values) list += (list.empty() ? "\"" : ", \"") + value + "\"";
          return With(kPolicy, "ward = { values = [\"A\", \"B\"]",
                      "ward = { values = [" + list + "]" + (required ? ", required = true" : ""));
        };
        Growth growth = Compare(text(before, all.required_before), text(after, all.required_after));
        EXPECT_FALSE(growth.Has(kRefused)) << Words(growth);
        ColumnOrigins& ward = growth.origins.at(0);
        EXPECT_EQ(ward.column, "ward");
        fault(ward, all);
        for (const std::string raw : {"a", "b", "c", "d", "something else", ""}) {
          const auto& from = ward.from[ReadAs(raw, after, all.required_after)];
          const std::string was = ReadAs(raw, before, all.required_before);
          if (std::find(from.begin(), from.end(), was) == from.end()) return was + " of '" + raw + "'";
        }
      }
    }
  }
  return "";
}

// A second table of the units enlarges the record, as a column does.
TEST(PolicyGrowth, MoreTablesOfTheUnits_GROWTH2) {
  const char* const table = "tables.visits = { source = \"visits.csv\", key = \"who\", max_rows = 5 }\ntables.wards";
  const char* const columns =
      "[columns.visits]\nwho = { type = \"integer\" }\nkind = { values = [\"new\"] }\n\n[columns.wards]";
  const std::string both = With(With(kPolicy, "tables.wards", table), "[columns.wards]", columns);
  const Growth grown = Compare(kPolicy, both);
  EXPECT_TRUE(grown.Has(kReview)) << Words(grown);
  EXPECT_FALSE(grown.Has(kRefused)) << Words(grown);
  const Growth shrunk = Compare(both, kPolicy);
  EXPECT_TRUE(shrunk.Has(kRefused)) << Words(shrunk);
  EXPECT_NE(Words(shrunk).find("table visits is gone"), std::string::npos) << Words(shrunk);
  Check(both,
        {
            {"max_rows = 5", "max_rows = 6", kAccepted, "table visits: max_rows was 5"},
            {"visits.csv", "visits2.csv", kAccepted, "table visits: source"},
            {"[\"new\"]", "[\"new\", \"old\"]", kAccepted, "visits.kind: new values 'old'"},
            {"who = { type = \"integer\" }\n", "who = { type = \"integer\" }\ncost = { lower = 0, upper = 9 }\n",
             kReview, "visits.cost is new and secret"},
            {"kind = { values = [\"new\"] }\n", "", kRefused, "visits.kind is gone"},
            {"who = { type = \"integer\" }", "who = { type = \"integer\", missing = [\"-1\"] }", kRefused,
             "visits.who changed"},
            {"\"visits.csv\", key", "\"visits.csv\", separator = \";\", key", kRefused, "table visits: separator"},
            {"key = \"who\", max_rows = 5", "public = true, key = \"who\"", kRefused, "table visits: public"},
        });
  EXPECT_TRUE(Compare(both, With(both, "visits.csv", "visits2.csv")).other_data);
  const auto reads = [](const std::string& policy, const std::string& question) {
    return ReadingText(MakePolicy(policy), question);
  };
  const std::string more = With(both, "max_rows = 5", "max_rows = 6");
  EXPECT_NE(reads(both, "SELECT count(*) FROM visits"), reads(more, "SELECT count(*) FROM visits"));
  EXPECT_EQ(reads(both, "SELECT count(*) FROM people"), reads(more, "SELECT count(*) FROM people"));
  EXPECT_EQ(reads(kPolicy, "SELECT count(*) FROM people"), reads(both, "SELECT count(*) FROM people"));
  EXPECT_NE(MakePolicy(both).identity_fingerprint(), MakePolicy(more).identity_fingerprint());
}

// A unit named in a second column is hidden in answers that were charged for it, and in no others.
TEST(PolicyGrowth, SecondUnitsOfRows_GROWTH2) {
  std::string pairs =
      With(kPolicy, "tables.wards",
           "tables.met = { source = \"met.csv\", key = \"who\", max_rows = 5, other = \"whom\", max_other = 3 }\n"
           "tables.wards");
  pairs = With(pairs, "[columns.wards]",
               "[columns.met]\nwho = { type = \"integer\" }\nwhom = { type = \"integer\" }\n\n[columns.wards]");
  pairs = With(pairs, "kind = \"group\"\nby = \"home\"\nsize = 4", "kind = \"independent\"");
  Check(pairs, {
                   {"max_other = 3", "max_other = 4", kRefused, "table met: max_other was 3"},
                   {"max_other = 3", "max_other = 2", kAccepted, "table met: max_other was 3"},
                   {", other = \"whom\", max_other = 3", "", kRefused, "table met: other"},
                   {"whom = { type = \"integer\" }", "whom = { type = \"integer\", missing = [\"-1\"] }", kRefused,
                    "met.whom changed"},
               });
  const std::string fewer = With(pairs, "max_other = 3", "max_other = 2");
  const auto reads = [](const std::string& policy) {
    return ReadingText(MakePolicy(policy), "SELECT count(*) FROM met");
  };
  EXPECT_NE(reads(pairs), reads(fewer));
  EXPECT_NE(MakePolicy(pairs).identity_fingerprint(), MakePolicy(fewer).identity_fingerprint());
}

TEST(PolicyGrowth, EveryRawValueFindsWhatItWasReadAs_GROWTH1) {
  EXPECT_EQ(FirstLost([](ColumnOrigins&, const Lists&) {}), "");
}

TEST(PolicyGrowth, TheCheckAboveSeesAValueThatIsNotMerged) {
  const auto gone = [](ColumnOrigins& origins, const Lists& all) {  // removed values are forgotten
    auto& rest = origins.from[all.required_after ? all.after.front() : "NULL"];
    std::erase_if(rest, [&](const std::string& value) {
      return value != "NULL" && std::find(all.after.begin(), all.after.end(), value) == all.after.end();
    });
  };
  EXPECT_NE(FirstLost(gone), "");
  const auto fresh = [](ColumnOrigins& origins, const Lists& all) {  // a new value starts with nothing
    for (const auto& value : all.after) {
      if (std::find(all.before.begin(), all.before.end(), value) == all.before.end()) origins.from[value].clear();
    }
  };
  EXPECT_NE(FirstLost(fresh), "");
}

TEST(PolicyGrowth, AnAnswerIsFoundByWhatItReads_GROWTH4) {
  const std::string question = "SELECT count(*) FROM people WHERE ((ward = 'A') AND (age > 3))";
  const auto text = [&](const std::string& policy, const std::string& asked) {
    return ReadingText(MakePolicy(policy), asked);
  };
  const auto same = [&](const char* from, const char* to) {
    return text(kPolicy, question) == text(With(kPolicy, from, to), question);
  };
  EXPECT_TRUE(same("ill = {", "smoker = { type = \"boolean\" }\nill = {"));
  EXPECT_TRUE(same("[\"no\", \"yes\"]", "[\"yes\"]"));
  EXPECT_TRUE(same("size = 4", "size = 5"));
  EXPECT_TRUE(same("epsilon = 1.0", "epsilon = 2.0"));
  EXPECT_TRUE(same("wards.csv", "others.csv"));
  EXPECT_FALSE(same("upper = 100", "upper = 120"));
  EXPECT_FALSE(same("[\"A\", \"B\"], public", "[\"A\", \"B\", \"C\"], public"));
  EXPECT_FALSE(same("max_rows = 2", "max_rows = 3"));
  const std::string joined = "SELECT sum(wards.size) FROM people JOIN wards ON (people.ward = wards.code)";
  EXPECT_NE(text(kPolicy, joined), text(With(kPolicy, "wards.csv", "others.csv"), joined));
  EXPECT_NE(text(kPolicy, joined), text(With(kPolicy, "upper = 10 }", "upper = 20 }"), joined));
  const std::string odd = With(kPolicy, "age = {", "\"a \\\"b\" = { lower = 0, upper = 1 }\nage = {");
  EXPECT_NE(text(odd, "SELECT sum(\"a \"\"b\") FROM people"),
            text(With(odd, "upper = 1 }", "upper = 2 }"), "SELECT sum(\"a \"\"b\") FROM people"));
}

// Rows of groups are cut to the declared size, and their noise is made for it.
TEST(PolicyGrowth, RowsOfGroupsAreFoundByTheirSize_GROWTH4) {
  const std::string rows =
      "SELECT sum(greatest((h.c - 1), 0)) FROM (SELECT home, count(*) AS c FROM people GROUP BY home) AS h";
  const std::string alone =
      With(With(kPolicy, "presence = \"secret\"\n", "presence = \"secret\"\nwithin = \"home\"\nsize = 30\n"),
           "kind = \"group\"\nby = \"home\"\nsize = 4", "kind = \"independent\"");
  const auto text = [](const std::string& policy, const std::optional<std::string>& asked) {
    return ReadingText(MakePolicy(policy), asked);
  };
  struct Case {
    std::string policy;
    const char *from, *to;
  };
  for (const auto& [policy, from, to] : {Case{alone, "size = 30", "size = 3"}, Case{kPolicy, "size = 4", "size = 3"}}) {
    const std::string other = With(policy, from, to);
    EXPECT_NE(text(policy, rows), text(other, rows)) << from;
    EXPECT_NE(text(policy, std::nullopt), text(other, std::nullopt)) << from;
    // What has no such rows is found again.
    for (const char* asked : {"SELECT count(*) FROM people", "SELECT home, count(*) FROM people GROUP BY home",
                              "SELECT count(*) FROM (SELECT id FROM people GROUP BY id) AS u"})
      EXPECT_EQ(text(policy, asked), text(other, asked)) << asked;
    const Growth growth = Compare(policy, other);
    EXPECT_FALSE(growth.Has(kRefused)) << Words(growth);
    EXPECT_EQ(growth.asked_again, std::vector<std::string>{"people.home"}) << from;
  }
  EXPECT_EQ(text(kPolicy, rows), text(With(kPolicy, "size = 4", "size = 4\nodds_ratio = 3"), rows))
      << "not its strength";
}

TEST(PolicyGrowth, TheCheckAboveSeesAColumnThatIsNotNamed) {
  const std::string other = With(kPolicy, "size = 4", "size = 3");
  const char* const unnamed = "SELECT count(*) FROM (SELECT count(*) AS c FROM people) AS h";
  EXPECT_EQ(ReadingText(MakePolicy(kPolicy), unnamed), ReadingText(MakePolicy(other), unnamed));
}

// The planted fault: a key that is made only of the question's text finds answers of another question.
TEST(PolicyGrowth, TheCheckAboveSeesAKeyWithoutColumns) {
  const auto nothing_named = [](const std::string& policy) {
    return ReadingText(MakePolicy(policy), "SELECT count(*)");
  };
  EXPECT_EQ(nothing_named(kPolicy), nothing_named(With(kPolicy, "upper = 100", "upper = 120")));
}

}  // namespace
}  // namespace kith
