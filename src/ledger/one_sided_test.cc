// One-sided accounts: counted next to plain loss, never mixed with it.
#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

ChargeRequest OneSided(const std::string& account, std::int64_t units, std::int64_t limit,
                       const std::string& rule = "(age < 18)") {
  ChargeRequest request = Request(0, {}, 2, 0);
  request.question = "records of " + account;
  request.one_sided = OneSidedCharge{account, rule, PlainUnits::Of(units), PlainUnits::Of(limit)};
  return request;
}

TEST(OneSidedLedger, AccountsAddUpAndPlainLossDoesNotChange_LEDGER5) {
  const Scratch scratch;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 2);
    EXPECT_TRUE(book.Totals().value().one_sided.empty());
    ASSERT_TRUE(book.Charge(OneSided("arrival", 60, 100)));
    ASSERT_TRUE(book.Charge(OneSided("level", 7, 100, "(people > 4)")));
    ASSERT_TRUE(book.Charge(OneSided("arrival", 40, 100, "(age < 21)")));
    ASSERT_TRUE(book.Charge(Request(5, {1}, 2)));
    ChargeRequest both = OneSided("level", 1, 100, "(people > 4)");
    both.units = PlainUnits::Of(3);
    both.cells = {0};
    both.limits = {PlainUnits::Of(3), PlainUnits::Of(5)};
    ASSERT_TRUE(book.Charge(both));
  }
  const Ledger again = OpenOrDie(scratch / "a.ledger", 2);
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{3, 5}));
  const auto accounts = again.Totals().value().one_sided;
  ASSERT_EQ(accounts.size(), 2U);
  EXPECT_EQ(accounts[0].name, "arrival");
  EXPECT_EQ(accounts[0].spent.count(), 100);
  EXPECT_EQ(accounts[0].rules, (std::vector<std::string>{"(age < 18)", "(age < 21)"}));
  EXPECT_EQ(accounts[1].spent.count(), 8);
  const auto history = again.History().value();
  EXPECT_EQ(history[0].question, "records of arrival");
  EXPECT_EQ(history[0].one_sided_account, "arrival");
  EXPECT_EQ(history[0].one_sided_units.count(), 60);
  EXPECT_EQ(history[3].one_sided_account, "");
  EXPECT_TRUE(again.Verify());
}

TEST(OneSidedLedger, TheLimitOfAnAccountIsKept_LEDGER5) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2), other = OpenOrDie(scratch / "a.ledger", 2);
  ASSERT_TRUE(book.Charge(OneSided("arrival", 60, 100)));
  const auto refused = other.Charge(OneSided("arrival", 41, 100));  // another process
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(refused.error().parameter, "account.one_sided");
  EXPECT_NE(refused.error().where.find("arrival"), std::string::npos);
  EXPECT_EQ(book.Totals().value().one_sided[0].spent.count(), 60);
  EXPECT_TRUE(other.Charge(OneSided("arrival", 40, 100)));
  EXPECT_FALSE(book.Charge(OneSided("arrival", 1, 100)));
  // A refused plain part takes the one-sided part with it.
  ChargeRequest both = OneSided("level", 1, 100);
  both.units = PlainUnits::Of(3);
  both.cells = {0};
  both.limits = {PlainUnits::Of(2), PlainUnits::Of(2)};
  EXPECT_EQ(book.Charge(both).error().parameter, "") << "it is the plain part that is refused";
  EXPECT_EQ(book.Totals().value().one_sided.size(), 1U);
}

// A question is text and nothing else, whatever it begins with.
TEST(OneSidedLedger, NoQuestionCanPassForACharge) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  ChargeRequest request = Request(1, {0}, 1);
  request.question = "one-sided 5 1:a 1:b; SELECT count(*) FROM t";
  EXPECT_TRUE(book.Charge(request));
  EXPECT_TRUE(book.Totals().value().one_sided.empty());
  EXPECT_EQ(book.History().value()[0].question, request.question);
  request = Request(1, {0}, 1);
  request.one_sided = OneSidedCharge{"a", "b", PlainUnits(), PlainUnits::Of(1)};
  EXPECT_FALSE(book.Charge(request));
  EXPECT_EQ(book.Head().value().number, 1);
}

TEST(OneSidedLedger, ForgettingAPartIsNoticed) {
  const Scratch scratch;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 2);
    ASSERT_TRUE(book.Charge(OneSided("arrival", 60, 100)));
  }
  const std::string whole = ReadAll(scratch / "a.ledger");
  for (const char* edit : {"UPDATE postings SET amount = 6 WHERE line = 1", "DELETE FROM postings WHERE line = 1",
                           "UPDATE postings SET account = 'one-sided:level' WHERE line = 1",
                           "UPDATE postings SET account = 'analyst:arrival' WHERE line = 1",
                           "UPDATE postings SET rule = '' WHERE line = 1"}) {
    WriteAll(scratch / "a.ledger", whole);
    Sql(scratch / "a.ledger", edit);
    EXPECT_FALSE(Ledger::Open(scratch / "a.ledger", Binding(2), false)) << edit;
  }
}

}  // namespace
}  // namespace kith::ledger
