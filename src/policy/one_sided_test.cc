// [one_sided]: both forms, and every refusal with its line.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/growth.h"
#include "policy/one_sided_text.h"
#include "policy/policy.h"

namespace kith {
namespace {

std::string Text(const std::string& dependence, const std::string& one_sided) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n[columns.t]\n"
         "office = { type = \"integer\", public = true }\narrival = { lower = 0, upper = 1440 }\n[dependence]\n"
         "source = \"public\"\n" +
         dependence + "\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n" + one_sided;  // line 16
}
const std::string kAlone = "kind = \"independent\"", kGroups = "kind = \"group\"\nsize = 2";

TEST(OneSidedPolicy, OneRuleForTheWholeTable) {
  const auto policy =
      Policy::Parse(Text(kAlone, "[one_sided]\nsensitive = \"arrival > 600\"\nepsilon = 2\n"), "p.toml");
  ASSERT_TRUE(policy) << policy.error().Text();
  ASSERT_EQ(policy->one_sided.size(), 1U);
  EXPECT_EQ(policy->one_sided[0].name, "records");
  EXPECT_EQ(policy->one_sided[0].columns, (std::vector<std::string>{"office", "arrival"}));
  EXPECT_EQ(policy->one_sided[0].sensitive, "arrival > 600");
  EXPECT_EQ(policy->one_sided[0].epsilon, 2);
  EXPECT_EQ(policy->one_sided[0].line, 17);
  const auto without = Policy::Parse(Text(kAlone, ""), "p.toml");
  EXPECT_EQ(policy->fingerprint(), without->fingerprint());  // stored answers stay
}

TEST(OneSidedPolicy, AttributesEachWithItsOwn) {
  const auto policy =
      Policy::Parse(Text(kAlone,
                         "[[one_sided.attribute]]\nname = \"a\"\napplication = \"heating\"\ncolumns = [\"arrival\"]\n"
                         "sensitive = \"arrival > 600\"\nepsilon = 0.7\n[[one_sided.attribute]]\nname = \"b\"\n"
                         "sensitive = \"arrival < 60\"\nepsilon = 1\n"),
                    "p.toml");
  ASSERT_TRUE(policy) << policy.error().Text();
  ASSERT_EQ(policy->one_sided.size(), 2U);
  EXPECT_EQ(policy->one_sided[0].application, "heating");
  EXPECT_EQ(policy->one_sided[0].columns, (std::vector<std::string>{"arrival"}));
  EXPECT_EQ(policy->one_sided[1].name, "b");
  EXPECT_EQ(policy->one_sided[1].columns.size(), 2U);
}

TEST(OneSidedPolicy, DependenceNeedsConsent) {
  const std::string rule = "sensitive = \"arrival > 600\"\nepsilon = 2\n";
  const auto silent = Policy::Parse(Text(kGroups, "[one_sided]\n" + rule), "p.toml");
  ASSERT_FALSE(silent);
  EXPECT_NE(silent.error().next.find("accept = \"unbounded\""), std::string::npos) << silent.error().Text();
  EXPECT_TRUE(Policy::Parse(Text(kGroups, "[one_sided]\naccept = \"unbounded\"\n" + rule), "p.toml"));
  EXPECT_FALSE(Policy::Parse(Text(kGroups, "[one_sided]\naccept = \"yes\"\n" + rule), "p.toml"));
}

struct Refusal {
  const char* text;
  int line;
  const char* what;
};

TEST(OneSidedPolicy, RefusalsNameTheLine) {
  const std::string head = "[one_sided]\n";
  for (const Refusal& refusal : {
           Refusal{"epsilon = 1\n", 16, "does not say 'sensitive'"},
           Refusal{"sensitive = \"arrival > 1\"\n", 16, "does not say 'epsilon'"},
           Refusal{"sensitive = \"arrival > 1\"\nepsilon = 0\n", 18, "epsilon"},
           Refusal{"sensitive = \"arrival > 1\"\nepsilon = inf\n", 18, "epsilon"},
           Refusal{"sensitive = 3\nepsilon = 1\n", 17, "must be a text"},
           Refusal{"sensitive = \"\"\nepsilon = 1\n", 17, "empty"},
           Refusal{"sensitive = \"a\"\nepsilon = 1\ncolumns = [\"arival\"]\n", 19, "no declared column 'arival'"},
           Refusal{"sensitive = \"a\"\nepsilon = 1\ncolumns = []\n", 19, "list of names"},
           Refusal{"sensitive = \"a\"\nepsilon = 1\ncolumns = [\"office\", \"office\"]\n", 19, "twice"},
           Refusal{"sensitiv = \"a\"\nepsilon = 1\n", 17, "unknown key"},
           Refusal{"attribute = 3\n", 17, "list of tables"},
           Refusal{"epsilon = 1\n[[one_sided.attribute]]\nname = \"a\"\n", 17, "belongs in one of them"},
           Refusal{"[[one_sided.attribute]]\nsensitive = \"a\"\nepsilon = 1\n", 17, "does not say 'name'"},
           Refusal{
               "[[one_sided.attribute]]\nname=\"a\"\nsensitive=\"a\"\nepsilon=1\n[[one_sided.attribute]]\nname=\"a\"\n",
               22, "two attributes"},
       }) {
    const auto policy = Policy::Parse(Text(kAlone, head + refusal.text), "p.toml");
    ASSERT_FALSE(policy) << refusal.text;
    EXPECT_EQ(policy.error().where, "p.toml:" + std::to_string(refusal.line)) << policy.error().Text();
    EXPECT_NE(policy.error().what.find(refusal.what), std::string::npos) << policy.error().Text();
  }
}

TEST(OneSidedPolicy, EpsilonsAreWrittenInTheirPlacesAndNothingElse) {
  const std::string text =
      Text(kAlone,
           "[one_sided]\nmodel = \"law.json\"\n[[one_sided.attribute]] # epsilon = 9\nname = \"a\"\n"
           "sensitive = \"arrival > 600\"  # not 'epsilon = 3'\n  epsilon   = 2.0  # was epsilon = 1\n"
           "[[one_sided.attribute]]\nname = \"b\"\nsensitive = \"arrival < 60\"\nepsilon = 1\n");
  const auto policy = Policy::Parse(text, "p.toml");
  ASSERT_TRUE(policy) << policy.error().Text();
  EXPECT_EQ(OneSidedModel(text, "p.toml").value(), "law.json");
  const auto written = WithEpsilons(text, "p.toml", {{"a", 0.58463499}, {"b", 3}});
  ASSERT_TRUE(written) << written.error().Text();
  const auto again = Policy::Parse(*written, "p.toml");
  ASSERT_TRUE(again) << again.error().Text();
  EXPECT_EQ(again->one_sided[0].epsilon, 0.584634);  // rounded down
  EXPECT_EQ(again->one_sided[1].epsilon, 3);
  const auto changed = ChangedLines(text, *written);
  ASSERT_EQ(changed.size(), 4U);
  EXPECT_EQ(changed[1], "21 +  epsilon   = 0.584634  # was epsilon = 1");
  EXPECT_EQ(DescribePolicy(*policy), DescribePolicy(*again));  // growth has nothing to judge
  for (const double bad : {0.0, 1e-9, static_cast<double>(INFINITY)})
    EXPECT_FALSE(WithEpsilons(text, "p.toml", {{"a", bad}}));
  EXPECT_FALSE(WithEpsilons(text, "p.toml", {{"c", 1}}));
  const std::string inline_form =
      Text(kAlone,
           "[one_sided]\nattribute = [{ name = \"a\", sensitive = \"arrival < 6\", epsilon = 1 }, { name = \"b\", "
           "sensitive = \"arrival < 7\", epsilon = 1 }]\n");
  EXPECT_FALSE(WithEpsilons(inline_form, "p.toml", {{"a", 0.5}}));  // two on one line
}

}  // namespace
}  // namespace kith
