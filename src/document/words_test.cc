#include "document/words.h"

#include <gtest/gtest.h>

#include "document/csv.h"

namespace kith::document {
namespace {

TEST(WordsTest, NumbersHaveAsManyDigitsAsTheyDeserve) {
  EXPECT_EQ(Short(0), "0");
  EXPECT_EQ(Short(123456), "123500");
  EXPECT_EQ(Short(-std::numeric_limits<double>::infinity()), "-∞");
  EXPECT_EQ(WithError(12.3456, 0.5), "12.346");
  EXPECT_EQ(CellText({12.0, 3.0}), "12");
  EXPECT_EQ(CellText({Null{}, {}}), "NULL");
}

TEST(WordsTest, IntervalsAreReadAsRanges) {
  EXPECT_EQ(IntervalText({std::int64_t{17}, std::int64_t{23}, false}), "17 to 23");
  EXPECT_EQ(IntervalText({std::int64_t{0}, std::int64_t{120}, true}), "anything from 0 to 120");
  EXPECT_EQ(IntervalText({std::string("2020-01-01"), std::string("2020-03-01"), false}), "2020-01-01 to 2020-03-01");
  EXPECT_EQ(IntervalText({1.23456789, 3.3456789, false}), "1.23 to 3.35");
  AnswerCell cell{2.3456789, std::nullopt};
  cell.interval_95 = Interval{1.23456789, 3.3456789, false};
  EXPECT_EQ(CellText(cell), "2.35");
}

TEST(WordsTest, NoiseIsNamed) {
  NoiseLine line{"count(*)", PlainUnits::Of(1), 20, 1, 1, 60, 80, false, "discrete laplace"};
  EXPECT_EQ(NoiseText(line), "count(*): discrete Laplace, scale 20 on a lattice of 1");
  line.in_rows = true;
  EXPECT_EQ(NoiseText(line), "count(*): discrete Laplace on the rows at every value, scale 20 rows, on a lattice of 1");
  line.law.clear();
  EXPECT_EQ(NoiseText(line), "count(*): permute-and-flip by rank, scale 20 rows, on a lattice of 1");
  line.sensitivity = 0;
  EXPECT_EQ(NoiseText(line), "count(*): none, made of public facts only");
}

TEST(WordsTest, WhatWouldHelpMayBeMoreThanThereIs) {
  Usefulness worth{"n", 240, 0, 188, true};
  worth.times = 6;
  worth.then_95 = 40;
  EXPECT_EQ(UsefulnessText(worth), "n: ±240 of at most 188: this is only noise; 6 times the epsilon would make it ±40");
  worth.beyond = Usefulness::Beyond::kLeft;
  EXPECT_TRUE(UsefulnessText(worth).ends_with("would make it ±40, but that is more than is left"));
  worth.beyond = Usefulness::Beyond::kBudget;
  EXPECT_TRUE(UsefulnessText(worth).ends_with(", but that is more than the whole budget"));
  worth.in_rows = true;
  worth.units = 188;
  EXPECT_TRUE(UsefulnessText(worth).starts_with(
      "n: ±240 rows of at most 188, with all 188 units that can be in it: this is only noise; 6 times"));
  worth.group = 6;
  EXPECT_NE(UsefulnessText(worth).find(", or groups of 1 instead of 6, would"), std::string::npos);
}

TEST(WordsTest, AWorthSaysWhichGroupItIsAbout) {
  Usefulness worth{"a", 12, 0, 120};
  worth.at_best = true;
  worth.units = 4;
  EXPECT_EQ(UsefulnessText(worth), "a: at best ±12 of at most 120, with all 4 units that can be in it");
  worth.several = true;
  EXPECT_EQ(UsefulnessText(worth),
            "a: at best ±12 of at most 120, in the largest group, with all 4 units that can be in it; smaller groups "
            "have wider bars");
  worth.assumed = true;
  EXPECT_EQ(UsefulnessText(worth),
            "a: at best ±12 of at most 120, if all 4 units were in one group; with fewer the bar is wider");
}

TEST(WordsTest, AnAuditAboveTheClaimIsSaidLoudly) {
  EXPECT_EQ(AuditText(0.5, Audit{0.75, true, "here"}), "the true loss is 0.75 here: ABOVE the claimed 0.5");
  EXPECT_EQ(AuditText(0.5, Audit{0.75, false, "here"}), "the true loss is at most 0.75 here");
  EXPECT_EQ(AuditText(1, Audit{0.75, true, "here"}), "the true loss is 0.75 here");
  EXPECT_NE(AuditText(1, std::nullopt).find("none"), std::string::npos);
}

TEST(WordsTest, TheTotalOfABudgetIsTheMostThatWasLost) {
  BudgetReport report;
  report.epsilon_total = 1;
  report.guarantee.bound = "group";
  report.cells = {{"a", 0.1, 0.5, 0.25, 0}};
  EXPECT_EQ(TotalText(report, ""), "at most 1 of dependent loss, by group");
  report.cells[0].dependent_spent = 2;
  EXPECT_EQ(TotalText(report, "in any stay"),
            "at most 2 of dependent loss, by group, of a unit in any stay; spent before, and more than the 1 that the "
            "policy now allows");
  report.cells[0].dependent_spent = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(TotalText(report, "").starts_with("no bound on the dependent loss"));
}

TEST(WordsTest, TimesAreUtc) { EXPECT_EQ(TimeText(86'400 * 365), "1971-01-01 00:00"); }

TEST(CsvTest, FieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
}

TEST(CsvTest, NoisyColumnsHaveTheirBarsBesideThem) {
  Answer answer;
  answer.columns = {"ward", "a,b"};
  answer.rows = {{{std::string("A"), {}}, {std::int64_t{12}, 3.5}}, {{Null{}, {}}, {std::int64_t{-1}, {}}}};
  EXPECT_EQ(ToCsv(answer), "ward,\"a,b\",\"a,b_error_95\"\nA,12,3.5\n,-1,\n");
  answer.certificate.guarantee.unproven = "UNPROVEN: x";
  answer.certificate.guarantee.one_sided = "ONE-SIDED: y";
  EXPECT_TRUE(ToCsv(answer).starts_with("# ONE-SIDED: y\n# UNPROVEN: x\nward"));
  answer.certificate.guarantee.alarm = "ALARM: of a\nb";
  EXPECT_TRUE(ToCsv(answer).starts_with("# ALARM: of a b\n# ONE-SIDED: y\n# UNPROVEN: x\nward"));
}

TEST(CsvTest, AStepHasALineForEachRow) {
  EXPECT_EQ(StepCsvHeader({"n"}), "step,time,state,n,n_error_95,plain_epsilon,window_spent,ledger_entry\n");
  Answer step;
  step.step = StepRelease{3, "t", StepState::kReleased, {}, {}};
  step.rows = {{{std::int64_t{5}, 2.0}}, {{Null{}, {}}}};
  step.certificate.ledger_entry = 2;
  EXPECT_EQ(StepCsv(step), "3,t,released,5,2,0,0,2\n3,t,released,,,0,0,2\n");
}

}  // namespace
}  // namespace kith::document
