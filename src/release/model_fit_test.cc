// A model with tables must describe exactly the values that a record can take.
#include "release/model_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "release/compose_answer.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

Policy TwoPeople(const std::string& columns, const std::string& presence = "public") {
  return testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"" + presence +
      "\"\n[columns.t]\n" + columns +
      "[dependence]\nsource = \"public\"\nkind = \"joint\"\nvalues = [2, 2]\nlaw = [0.4, 0.1, 0.1, 0.4]\n"
      "[budget]\nepsilon = 1.0\nledger = \"t.ledger\"\n");
}

const char* const kYesNo = "ill = { values = [\"no\", \"yes\"], required = true }\n";
const char* const kAge = "age = { lower = 0, upper = 120 }\n";
const char* const kWard = "ward = { values = [\"A\", \"B\"], public = true }\n";

TEST(ModelFit, CountsTheValuesOfARecord) {
  EXPECT_EQ(RecordValues(TwoPeople(kYesNo)), 2);
  EXPECT_EQ(RecordValues(TwoPeople(kYesNo, "secret")), 3);
  EXPECT_EQ(RecordValues(TwoPeople("ill = { values = [\"no\", \"yes\"] }\n")), 3);
  EXPECT_EQ(RecordValues(TwoPeople(std::string(kYesNo) + kWard)), 2);
  EXPECT_EQ(RecordValues(TwoPeople(std::string(kYesNo) + kAge)), std::nullopt);
}

TEST(ModelFit, TakesAModelOfTheVeryValues) {
  EXPECT_TRUE(ModelFitsTable(TwoPeople(kYesNo)).has_value());
  EXPECT_TRUE(ModelFitsTable(TwoPeople(std::string(kYesNo) + kWard)).has_value());
}

// The planted fault: a law of yes/no records for records that also hold an age, a NULL or an absence.
TEST(ModelFit, RefusesAModelOfOtherValues) {
  EXPECT_FALSE(ModelFitsTable(TwoPeople(std::string(kYesNo) + kAge)).has_value());
  EXPECT_FALSE(ModelFitsTable(TwoPeople("ill = { values = [\"no\", \"yes\"] }\n")).has_value());
  EXPECT_FALSE(ModelFitsTable(TwoPeople(kYesNo, "secret")).has_value());
  Policy metric = TwoPeople(kYesNo);
  metric.dependence.model = Lipschitz{{{0, 0.5}, {0.5, 0}}, {}};
  EXPECT_FALSE(ModelFitsTable(metric).has_value());
}

// Absence is a state of a chain where it is a secret.
TEST(ModelFit, AChainOfRowsThatMayBeAbsentHasAStateForIt) {
  const auto visits = [](const std::string& presence, const std::string& table) {
    return testing::MakePolicy(
        "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"" + presence +
        "\"\n[columns.t]\np = { type = \"integer\", public = true }\n" + kYesNo +
        "[dependence]\nsource = \"public\"\nkind = \"chain\"\nby = \"p\"\ntransition = " + table +
        "\nstart = \"any\"\nlength = 3\n[budget]\nepsilon = 1.0\nledger = \"t.ledger\"\n");
  };
  const std::string two = "[[0.8, 0.2], [0.3, 0.7]]", three = "[[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]]";
  EXPECT_TRUE(ModelFitsTable(visits("public", two)).has_value());
  EXPECT_TRUE(ModelFitsTable(visits("secret", three)).has_value());
  const auto refused = ModelFitsTable(visits("secret", two));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().next.find("a state for its absence"), std::string::npos);
}

Policy Rare(const std::string& columns, const std::string& presence = "public") {
  Policy policy = TwoPeople(columns, presence);
  Field field;
  field.nodes = 2;
  field.edges = {{0, 1, 2.0}};
  field.prevalence = Prevalence{0, 0.02};
  policy.dependence.model = field;
  return policy;
}

// Three values, odds ratio e^2 between the first two and a yes of 1 % whatever the other record is: the true loss at a
// plain loss of 1 is 1.431, where a model with prevalence states 1.029.
TEST(ModelFit, PrevalenceIsAboutYesNoRecordsAlone) {
  EXPECT_TRUE(ModelFitsTable(Rare(kYesNo)).has_value());
  EXPECT_TRUE(ModelFitsTable(Rare(std::string(kYesNo) + kWard)).has_value());
  for (const Policy& policy :
       {Rare(std::string(kYesNo) + kAge), Rare("ill = { values = [\"no\", \"yes\"] }\n"),
        Rare("ill = { values = [\"a\", \"b\", \"yes\"], required = true }\n"), Rare(kYesNo, "secret")}) {
    const auto refused = ModelFitsTable(policy);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().where.find("prevalence"), std::string::npos);
  }
  const double e = std::exp(1.0);
  const double s = 0.99 * 0.99 / (2 * e + 2);
  const double y = 0.01 * 0.99 / 2;
  const Joint world{{3, 3}, {s * e, s, y, s, s * e, y, y, y, 1e-4}};
  const double truth = Transfer::Make(world)->Loss(1)->dependent;
  EXPECT_NEAR(truth, 1.4313631817, 1e-9);
  EXPECT_LT(Transfer::Make(Rare(kYesNo).dependence.model)->Loss(1)->dependent, truth - 0.4);
}

Policy Linked(int degree, bool accept) {
  Policy policy = TwoPeople(kYesNo);
  policy.dependence.model = PairLaws{{{.8, .2}, {.3, .7}}, degree, 0, {}};
  policy.dependence.accept_unproven = accept;
  return policy;
}

TEST(ModelFit, WhatIsNoTheoremMustBeAccepted_PAIRSUM2) {
  EXPECT_TRUE(ModelFitsTable(Linked(1, false)).has_value());
  EXPECT_TRUE(ModelFitsTable(Linked(2, true)).has_value());
  const auto refused = ModelFitsTable(Linked(2, false));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("not proved"), std::string::npos);
  EXPECT_NE(refused.error().next.find("accept = \"unproven\""), std::string::npos);
}

constexpr char kPlaces[] =
    "lat = { lower = 40, upper = 41, required = true }\nlon = { lower = -74, upper = -73, required = true }\n";

Policy OnAPlane(const std::string& columns, std::vector<std::string> named, const char* presence = "public") {
  Policy policy = TwoPeople(columns, presence);
  PairLaws pairs{LawTable(4, Law(4, .25)), 2, 0, {}};
  pairs.axes = {{40.25, 40.75}, {-73.75, -73.25}};
  pairs.columns = std::move(named);
  policy.dependence.model = std::move(pairs);
  policy.dependence.accept_unproven = true;
  return policy;
}

TEST(ModelFit, CellsOfTheColumnsThatAreThePlace) {
  EXPECT_TRUE(ModelFitsTable(OnAPlane(kPlaces, {"lat", "lon"})).has_value());
  EXPECT_TRUE(ModelFitsTable(OnAPlane(std::string(kPlaces) + kWard, {"lat", "lon"})).has_value());
  const struct {
    Policy policy;
    const char* what;
  } cases[] = {
      {OnAPlane(std::string(kPlaces) + kYesNo, {"lat", "lon"}), "says nothing about"},
      {OnAPlane(kPlaces, {"lat", "x"}), "no such column"},
      {OnAPlane("lat = { lower = 40, upper = 41 }\nlon = { lower = -74, upper = -73, required = true }\n",
                {"lat", "lon"}),
       "must not be missing"},
      {OnAPlane(kPlaces, {"lat", "lon"}, "secret"), "known to be there"},
  };
  for (const auto& c : cases) {
    const auto refused = ModelFitsTable(c.policy);
    ASSERT_FALSE(refused.has_value()) << c.what;
    EXPECT_NE(refused.error().what.find(c.what), std::string::npos) << refused.error().Text();
  }
  Policy unaccepted = OnAPlane(kPlaces, {"lat", "lon"});
  unaccepted.dependence.accept_unproven = false;
  EXPECT_FALSE(ModelFitsTable(unaccepted).has_value());
}

TEST(ModelFit, Eq18MustBeAcceptedEvenForPairs_PAIRSUM2) {
  Policy policy = Linked(1, false);
  std::get<PairLaws>(policy.dependence.model).coefficient = PairCoefficient::kEq18;
  const auto refused = ModelFitsTable(policy);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("Eq. 18"), std::string::npos);
  policy.dependence.accept_unproven = true;
  EXPECT_TRUE(ModelFitsTable(policy).has_value());
}

TEST(ModelFit, SaysWhyMetricModelsAreNotForQuestions) {
  Policy metric = TwoPeople(kYesNo);
  metric.dependence.model = Lipschitz{{{0, 0.5}, {0.5, 0}}, {}};
  const auto refused = ModelFitsTable(metric);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("by the distance"), std::string::npos);
  EXPECT_NE(refused.error().next.find("a transfer function"), std::string::npos);
}

Certificate CertificateFor(const Policy& policy) {
  Answer answer;
  const auto dependent = *Transfer::Make(policy.dependence.model)->Loss(0.5);
  Certify(Priced{}, MakeGuarantee(policy, dependent, Totals{}), LedgerEntry{}, answer);
  return AnswerFromJson(AnswerToJson(answer))->certificate;
}

bool IsLabelled(const Certificate& c) {
  return c.guarantee.unproven.rfind("UNPROVEN", 0) == 0 &&
         std::find(c.claims.begin(), c.claims.end(), "TRANSFER-1") == c.claims.end();
}

TEST(ModelFit, NoCertificateWithoutItsLabel_PAIRSUM2) {
  const Certificate c = CertificateFor(Linked(2, true));
  EXPECT_TRUE(IsLabelled(c));
  ASSERT_TRUE(c.guarantee.audit);
  EXPECT_GT(c.guarantee.audit->dependent, c.guarantee.dependent);
  EXPECT_DEATH(CertificateFor(Linked(2, false)), "");
}

// The planted fault: the label is lost. And what is a theorem carries none.
TEST(ModelFit, TheCheckAboveSeesALostLabel) {
  Certificate c = CertificateFor(Linked(2, true));
  c.guarantee.unproven.clear();
  EXPECT_FALSE(IsLabelled(c));
  EXPECT_FALSE(IsLabelled(CertificateFor(Linked(1, true))));
}

}  // namespace
}  // namespace kith
