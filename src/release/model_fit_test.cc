// A model with tables must describe the very values that a record can take.
#include "release/model_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_NE(refused.error().what.find("no theorem"), std::string::npos);
  EXPECT_NE(refused.error().next.find("accept = \"unproven\""), std::string::npos);
}

TEST(ModelFit, SaysWhyMetricModelsAreNotForQuestions) {
  Policy metric = TwoPeople(kYesNo);
  metric.dependence.model = Lipschitz{{{0, 0.5}, {0.5, 0}}, {}};
  const auto refused = ModelFitsTable(metric);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("per distance"), std::string::npos);
  EXPECT_NE(refused.error().next.find("kith transfer"), std::string::npos);
}

Certificate CertificateFor(const Policy& policy) {
  Answer answer;
  const auto dependent = *Transfer::Make(policy.dependence.model)->Loss(0.5);
  Certify(policy, Priced{}, dependent, PlainUnits(), LedgerEntry{}, answer);
  return AnswerFromJson(AnswerToJson(answer))->certificate;
}

bool IsLabelled(const Certificate& c) {
  return c.unproven.rfind("UNPROVEN", 0) == 0 &&
         std::find(c.claims.begin(), c.claims.end(), "TRANSFER-1") == c.claims.end();
}

TEST(ModelFit, NoCertificateWithoutItsLabel_PAIRSUM2) {
  const Certificate c = CertificateFor(Linked(2, true));
  EXPECT_TRUE(IsLabelled(c));
  ASSERT_TRUE(c.audit);
  EXPECT_GT(c.audit->dependent, c.dependent_epsilon_total);
  EXPECT_DEATH(CertificateFor(Linked(2, false)), "");
}

// The planted fault: the label is lost. And what is a theorem carries none.
TEST(ModelFit, TheCheckAboveSeesALostLabel) {
  Certificate c = CertificateFor(Linked(2, true));
  c.unproven.clear();
  EXPECT_FALSE(IsLabelled(c));
  EXPECT_FALSE(IsLabelled(CertificateFor(Linked(1, true))));
}

}  // namespace
}  // namespace kith
