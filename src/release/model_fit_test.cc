// A model with tables must describe the very values that a record can take.
#include "release/model_fit.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kith
