// What is shown, as text: no data, no ledger, no terminal.
#include <gtest/gtest.h>

#include <sstream>

#include "app/cli/answer_output.h"
#include "app/cli/budget_output.h"
#include "app/cli/explain_output.h"
#include "app/cli/records_output.h"
#include "app/cli/stream_output.h"
#include "app/cli/text.h"
#include "app/cli/user_output.h"

namespace kith::cli {
namespace {

Guarantee SomeGuarantee() {
  Guarantee g;
  g.plain = 0.25;
  g.dependent = 0.5;
  g.bound = "group";
  g.adversary = "somebody who knows the others";
  g.assumption = "groups of at most 3";
  g.version = "1";
  return g;
}

Answer SomeAnswer() {
  Answer answer;
  answer.columns = {"ward", "n"};
  answer.rows = {{{std::string("A"), {}}, {std::int64_t{12}, 3.0}}, {{std::string("B"), {}}, {std::int64_t{-4}, 3.0}}};
  answer.certificate.noise = {{"count(*)", PlainUnits::Of(77), 1.5, 1, 1, 3, 4, false, "discrete laplace"}};
  answer.certificate.guarantee = SomeGuarantee();
  answer.certificate.plain_epsilon = 0.125;
  answer.certificate.ledger_entry = 9;
  answer.certificate.ledger_hash = "0123456789abcdef0123";
  answer.notes = {{NoteKind::kCut, "age is cut to its declared bounds"}};
  return answer;
}

std::size_t Widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, DisplayWidth(line));
  return widest;
}

TEST(OutputTest, AnAnswerIsATableAndWhatHoldsForIt) {
  EXPECT_EQ(AnswerText(SomeAnswer(), 80),
            "ward   n  ±95 %\n"
            "────  ──  ─────\n"
            "A     12      3\n"
            "B     -4      3\n"
            "\n"
            "noise       count(*): discrete Laplace, scale 1.5 on a lattice of 1\n"
            "plain loss  0.125 for this answer; 0.25 in all (against somebody who knows\n"
            "            everybody else)\n"
            "dependent   0.5 in all, by group\n"
            "adversary   somebody who knows the others\n"
            "assumption  groups of at most 3\n"
            "note        age is cut to its declared bounds\n"
            "ledger      entry 9, head 0123456789abcdef, data version 1\n");
  EXPECT_LE(Widest(AnswerText(SomeAnswer(), 40)), 40U);
}

TEST(OutputTest, LabelsComeFirst) {
  Answer answer = SomeAnswer();
  answer.certificate.guarantee.unproven = "UNPROVEN: the true loss can be larger";
  answer.certificate.guarantee.one_sided = "ONE-SIDED RELEASES: true records";
  answer.stored = true;
  const std::string text = AnswerText(answer, 80);
  EXPECT_TRUE(text.starts_with("ONE-SIDED RELEASES: true records\n\nUNPROVEN: the true loss can be larger\n\n"));
  EXPECT_NE(text.find("nothing was charged"), std::string::npos);
  EXPECT_NE(text.find("0.5 in noisy answers alone"), std::string::npos);
  EXPECT_NE(text.find("audit       none"), std::string::npos);
}

TEST(OutputTest, AHistogramIsDrawn) {
  Answer answer = SomeAnswer();
  answer.rows = {{{std::string("[0, 10)"), {}}, {std::int64_t{10}, 3.0}}, {{Null{}, {}}, {std::int64_t{5}, 3.0}}};
  EXPECT_EQ(AnswerText(answer, 80).find("█"), std::string::npos);  // text that looks like a part is not one
  answer.histograms = {0};
  EXPECT_NE(AnswerText(answer, 80).find("████████████████████████\n"), std::string::npos);
  answer.rows[0][0].value = std::string("young");  // nor does a part have to look like one
  EXPECT_NE(AnswerText(answer, 80).find("████████████████████████\n"), std::string::npos);
  answer.histograms = {1};
  EXPECT_EQ(AnswerText(answer, 80).find("█"), std::string::npos);
}

TEST(OutputTest, AnAnswerHasThreeFormats) {
  EXPECT_EQ(AnswerAs(SomeAnswer(), "csv", 80), "ward,n,n_error_95\nA,12,3\nB,-4,3\n");
  EXPECT_EQ(AnswerAs(SomeAnswer(), "json", 80), AnswerToJson(SomeAnswer()) + "\n");
  EXPECT_EQ(AnswerAs(SomeAnswer(), "table", 80), AnswerText(SomeAnswer(), 80));
}

TEST(OutputTest, AnExplanationSaysWhatItCosts) {
  Explanation e;
  e.plan.statistics.push_back({"count(*)", Lattice(), Sensitivities::None(), "a unit changes one row"});
  e.noise = {{"count(*)", PlainUnits::Of(77), 20, 1, 1, 60, 80}};
  e.averages = {{"a", {{100, 5}, {1000, 0.5}, {10'000, 0.05}}}};
  e.guarantee = SomeGuarantee();
  e.charged_cells = 2;
  e.cells = 3;
  e.affordable = true;
  const std::string text = ExplanationText(e, 80);
  for (const char* part :
       {"because     count(*): a unit changes one row\n", "a: about 0.5 with 1,000, 0.05 with 10,000",
        "charges     2 of 3 public cells\n", "verdict     affordable; no data was touched and nothing was charged\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  e.affordable = false;
  e.refusal = "too much";
  EXPECT_TRUE(ExplanationText(e, 80).ends_with("verdict     refused: too much\n"));
}

TEST(OutputTest, ABudgetListsWhatWasSpent) {
  BudgetReport report;
  report.epsilon_total = 1;
  report.guarantee = SomeGuarantee();
  report.cells = {{"ward=A", 0.125, 0.5, 0.25, 0}, {"ward=B", 0.25, 0.5, 0.5, 0}};
  EXPECT_NE(BudgetText(report, "", {}).find("No question has been asked yet."), std::string::npos);
  HistoryLine& line = report.history.emplace_back();
  line.number = 1;
  line.question = "SELECT count(*) FROM people WHERE ill = 'yes' AND ward = 'A' AND age > 60 AND age < 80";
  const std::string text = BudgetText(report, "", {});
  EXPECT_LT(text.find("ward=B"), text.find("ward=A"));                               // the larger loss first
  EXPECT_NE(text.find("(charged, no answer) " + line.question), std::string::npos);  // whole, in a file
  EXPECT_LE(Widest(BudgetText(report, "", {60, 60})), 60U);
  EXPECT_NE(BudgetText(report, "in any stay", {}).find("step 0 of SELECT"), std::string::npos);
}

TEST(OutputTest, AnApprovalShowsWhatIsAskedAndAtWhichPrice) {
  people::Approval asked;
  asked.id = 3;
  asked.user = "ada";
  asked.dataset = "clinic";
  asked.price = PlainUnits::Floor(0.25).value();
  asked.state = people::ApprovalState::kTaken;
  asked.request = R"({"epsilon":2,"question":"SELECT count(*) -- \u001b[2J\nFROM people WHERE ill = 'yes'"})";
  asked.explanation = R"({"question":"SELECT count(*) FROM people WHERE ill = 'yes\u009b\u001b'"})";
  EXPECT_EQ(ApprovalsText({asked}, 80),
            "number      3\n"
            "asked by    ada, about clinic\n"
            "question    SELECT count(*) FROM people WHERE ill = 'yes\?\?\?'\n"
            "price       epsilon 2, a plain loss of 0.25\n"
            "state       taken\n");
  asked.request = R"({"error":40,"question":"q","split":[1.0,2.0],"unit":"household"})";
  EXPECT_NE(
      ApprovalsText({asked}, 200).find("as much as ±40 takes, a plain loss of 0.25 of a household; split [1.0,2.0]"),
      std::string::npos);
  asked.request = asked.explanation = "no JSON";
  EXPECT_NE(ApprovalsText({asked}, 80).find("question    no JSON\n"), std::string::npos);
}

TEST(OutputTest, RecordsSayWhetherTheyWouldBeRefused) {
  RecordsReport report;
  report.certificate.statement = "One-sided: sensitive rows are never released.";
  report.columns = {"a", "b"};
  report.notes = {{NoteKind::kCut, "b is cut"}};
  EXPECT_NE(RecordsText(report, true, 80).find("verdict     affordable; no data was touched"), std::string::npos);
  report.notes.push_back({NoteKind::kRefused, "refused: too much"});
  const std::string text = RecordsText(report, true, 80);
  EXPECT_NE(text.find("verdict     refused: too much; no data was touched"), std::string::npos);
  EXPECT_NE(text.find("note        b is cut\n"), std::string::npos);
  EXPECT_EQ(RecordsText(report, false, 80).find("verdict"), std::string::npos);
}

TEST(OutputTest, AStepHasALineForEachRow) {
  Answer step;
  step.step = StepRelease{3, "2026-01-04", StepState::kReleased, {}, {}};
  step.rows = {{{std::int64_t{5}, 2.0}}};
  EXPECT_EQ(StepText({"n"}, step), "     3  2026-01-04  released  n = 5 ± 2\n");
  step.step = StepRelease{4, "2026-01-05", StepState::kLost, {}, {}};
  step.rows.clear();
  EXPECT_EQ(StepText({"n"}, step), "     4  2026-01-05  lost    \n");
}

}  // namespace
}  // namespace kith::cli
