#include "query/staged_question.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "query/test_policy.h"
#include "sql/dialect.h"

namespace kith {
namespace {

TEST(StagedQuestion, NumbersAreCutToTheirRange_STAGE2) {
  const double infinite = std::numeric_limits<double>::infinity();
  const StageConstant real{0, 0, ColumnType::kReal, -1.5, 60, false};
  EXPECT_EQ(real.Cut(Value(1e9)), Value(60.0));
  EXPECT_EQ(real.Cut(Value(-infinite)), Value(-1.5));
  EXPECT_EQ(real.Cut(Value(1e-300)), Value(0.0));
  EXPECT_EQ(real.Cut(Value(std::nan(""))), Value(-1.5));
  EXPECT_EQ(real.Cut(Value(Null{})), Value(-1.5));
  EXPECT_EQ(real.Cut(Value(std::int64_t{7})), Value(7.0));
  const StageConstant whole{0, 1, ColumnType::kInteger, -2.5, 9.5, true};
  EXPECT_EQ(whole.Cut(Value(std::int64_t{100})), Value(std::int64_t{9}));
  EXPECT_EQ(whole.Cut(Value(-100.0)), Value(std::int64_t{-2}));
  EXPECT_EQ(whole.Cut(Value(std::string("9"))), Value(Null{}));
  EXPECT_EQ(whole.Cut(Value(Null{})), Value(Null{}));
  const StageConstant day{1, 0, ColumnType::kDate, 0, 365, false};
  EXPECT_EQ(day.Cut(Value(std::string("1970-01-11"))), Value(std::int64_t{10}));
  EXPECT_EQ(day.Cut(Value(std::string("1980-01-11"))), Value(std::int64_t{365}));
  EXPECT_EQ(day.Cut(Value(std::string("no date"))), Value(std::int64_t{0}));
  EXPECT_EQ(whole.Name(), "kith_stage_1.value_2");
  EXPECT_EQ(day.Name(), "kith_stage_2.value");
}

// The plan is one for all numbers; the statement has the number, and reads no column for it.
TEST(StagedQuestion, OnlyTheStatementHasTheNumber_STAGE1) {
  const StageConstant line{0, 0, ColumnType::kReal, 0, 60, false};
  const auto policy = WithConstants(TestPolicy(), {line});
  const auto staged = StagedQuestion::Make(
      "SELECT ill, count(*), sum(age - kith_stage_1.value), median(age) FROM people WHERE age < kith_stage_1.value "
      "GROUP BY ill",
      *policy, {line});
  ASSERT_TRUE(staged) << staged.error().Text();
  EXPECT_EQ(staged->plan().charged.size(), TestPolicy().cells.size());
  for (const double number : {0.0, 17.25, 60.0}) {
    const Plan at = staged->At({Value(number)});
    EXPECT_EQ(at.normalised, staged->plan().normalised);
    for (const sql::Dialect* dialect : {&sql::DuckDb(), &sql::PostgreSql(), &sql::Trino()}) {
      std::string text = dialect->Write(at.statement);
      for (const Statistic& statistic : at.statistics) {
        if (statistic.quantile) text += dialect->Write(statistic.quantile->statement);
      }
      EXPECT_EQ(text.find("kith_stage"), std::string::npos) << text;
    }
    for (std::size_t k = 0; k < at.statistics.size(); ++k)
      EXPECT_EQ(at.statistics[k].change.l1().steps(), staged->plan().statistics[k].change.l1().steps());
  }
  EXPECT_NE(sql::DuckDb().Write(staged->At({Value(17.25)}).statement).find("17.25"), std::string::npos);
  // What Make looks for, to refuse it.
  EXPECT_NE(sql::DuckDb().Write(staged->plan().statement).find("kith_stage_1\"."), std::string::npos);
}

// A column that nobody named is called by its text, with the number's name in it: that reads nothing.
TEST(StagedQuestion, ANameWithANumberInItIsNoNumber_STAGE1) {
  const StageConstant line{0, 0, ColumnType::kReal, 0, 60, false};
  const auto policy = WithConstants(TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\""), {line});
  for (const char* more : {"", " AND age < 1000", " AND age < 1000 AND age > -1000 AND age <> 77 AND age <> 78"}) {
    const auto staged = StagedQuestion::Make(
        std::string("SELECT sum(n) FROM (SELECT id, count(*) FILTER (WHERE age > kith_stage_1.value") + more +
            ") AS n FROM people GROUP BY id) t",
        *policy, {line});
    ASSERT_TRUE(staged) << more << staged.error().Text();
    const std::string text = sql::DuckDb().Write(staged->At({Value(17.25)}).statement);
    EXPECT_NE(text.find("17.25"), std::string::npos) << text;
    EXPECT_EQ(text.find("kith_stage_1\"."), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kith
