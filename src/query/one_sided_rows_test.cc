// Rules for sensitive rows: total or refused, with the line of the policy; NULL is sensitive.
#include "query/one_sided_rows.h"

#include <gtest/gtest.h>

#include "query/test_policy.h"

namespace kith {
namespace {

OneSidedAttribute Attribute(const std::string& sensitive) {
  return {"visits", "", {"sex", "age", "ill", "name"}, sensitive, 1, 42};
}

TEST(Records, ReadsRowsWhereTheRuleIsFalse_OSDP5) {
  const auto records = PlanRecords(Attribute("age < 18 OR ill = 'yes'"), TestPolicy());
  ASSERT_TRUE(records) << records.error().Text();
  EXPECT_NE(DuckDbText(*records).find("IS FALSE"), std::string::npos) << DuckDbText(*records);
  EXPECT_NE(DuckDbText(*records).find("IN ('f', 'm')"), std::string::npos) << DuckDbText(*records);
  EXPECT_EQ(DuckDbText(*records).find("\"weight\""), std::string::npos);  // what is not served is not read
  EXPECT_EQ(records->rule, PlanRecords(Attribute("ill='yes' or AGE<18"), TestPolicy())->rule);
}

TEST(Records, NoRowIsDroppedBecauseOfOthers_OSDP5) {
  const Policy keyed = TestPolicy("key = \"id\"\nmax_rows = 2\npresence = \"public\"");
  const auto records = PlanRecords(Attribute("age < 18"), keyed);
  ASSERT_TRUE(records);
  for (const char* word : {"row_number", "OVER", "JOIN", "GROUP"})
    EXPECT_EQ(DuckDbText(*records).find(word), std::string::npos) << DuckDbText(*records);
  const auto counts = PlanOpenCounts(Attribute("age < 18"), "sex", keyed);
  ASSERT_TRUE(counts) << counts.error().Text();
  EXPECT_EQ(DuckDbText(*counts).find("row_number"), std::string::npos) << DuckDbText(*counts);
}

TEST(Records, WhatCanFailOrIsNoRuleIsRefusedWithItsLine_OSDP5) {
  const std::pair<const char*, const char*> cases[] = {
      {"code + 1 > 5", ""},               // overflows for some row
      {"CAST(name AS INTEGER) > 5", ""},  // fails for some row
      {"wage > 5", "wage"},               // unknown column
      {"age", ""},                        // no condition
      {"age < 18 GROUP BY sex", "not one expression"},
      {"age < 18 LIMIT 1", "not one expression"},
      {"age < 18) OR (age > 3", ""},
      {"age < 18; SELECT 1", ""},
      {"age < (SELECT max(age) FROM people)", ""},  // other rows
      {"count(*) > 3", ""},
      {"age < avg(age)", ""},
      {"random() < 0.5", ""},
  };
  for (const auto& [rule, part] : cases) {
    const auto records = PlanRecords(Attribute(rule), TestPolicy());
    ASSERT_FALSE(records) << rule;
    EXPECT_TRUE(records.error().where.starts_with("people.toml:42")) << records.error().Text();
    EXPECT_NE(records.error().what.find("rule for sensitive rows of 'visits'"), std::string::npos);
    EXPECT_NE(records.error().Text().find(part), std::string::npos) << records.error().Text();
  }
}

TEST(Records, WhatGroupsAreCountedByCannotChangeWhatIsCounted_OSDP5) {
  const auto fine = PlanOpenCounts(Attribute("ill = 'yes'"), "width_bucket(age, 0, 100, 5), sex", TestPolicy());
  ASSERT_TRUE(fine) << fine.error().Text();
  EXPECT_EQ(fine->keys.size(), 2U);
  for (const char* by : {"sex ORDER BY 1", "sex LIMIT 3", "sex UNION SELECT count(*) FROM people GROUP BY sex",
                         "sex; SELECT 1", "", "sex HAVING count(*) > 5", "name"}) {
    EXPECT_FALSE(PlanOpenCounts(Attribute("ill = 'yes'"), by, TestPolicy())) << by;
  }
}

}  // namespace
}  // namespace kith
