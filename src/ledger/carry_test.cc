// One ledger ends and another continues with what was spent.
#include <gtest/gtest.h>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

std::vector<PlainUnits> Units(const std::vector<std::int64_t>& counts) {
  std::vector<PlainUnits> units;
  for (const std::int64_t count : counts) units.push_back(PlainUnits::Of(count));
  return units;
}

LedgerCarry Carried(const Ledger& old) {
  LedgerCarry carry{
      old.id(),           "old.ledger", old.Totals().value().spent, Units({0, 0}), old.Totals().value().one_sided,
      old.Moved().value()};
  return carry;
}

Ledger Old(const Scratch& scratch) {
  Ledger book = OpenOrDie(scratch / "old.ledger", 2);
  EXPECT_TRUE(book.Charge(Request(5, {0}, 2)));
  EXPECT_TRUE(book.Charge(Request(7, {0, 1}, 2)));
  for (const char* rule : {"(age < 18)", "(age < 21)"}) {
    auto records = Request(0, {}, 2);
    records.one_sided = OneSidedCharge{"ages", rule, PlainUnits::Of(20), PlainUnits::Of(100)};
    EXPECT_TRUE(book.Charge(records));
  }
  return book;
}

TEST(LedgerCarrying, TotalsAreAddedOnceHoweverOftenItIsTried_GROWTH5) {
  const Scratch scratch;
  Ledger old = Old(scratch), next = OpenOrDie(scratch / "new.ledger", 2);
  EXPECT_TRUE(next.Charge(Request(1, {1}, 2)));
  EXPECT_EQ(old.Successor().value(), std::nullopt);
  ASSERT_TRUE(old.Seal("new.ledger"));
  // Here it was interrupted, and begins again.
  ASSERT_TRUE(OpenOrDie(scratch / "old.ledger", 2).Seal("new.ledger"));
  for (int tries = 0; tries < 3; ++tries) {
    Ledger again = OpenOrDie(scratch / "new.ledger", 2);
    ASSERT_TRUE(again.Carry(Carried(old)));
    EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{12, 8})) << "attempt " << tries;
  }
  const auto released = next.Totals().value().one_sided;
  ASSERT_EQ(released.size(), 1U);
  EXPECT_EQ(released[0].spent.count(), 40);
  EXPECT_EQ(released[0].rules.size(), 2U);
  EXPECT_EQ(next.History().value().back().question, "carried over from 'old.ledger'");
  EXPECT_TRUE(next.Verify());
  EXPECT_TRUE(next.Totals().value().carried);
  EXPECT_FALSE(next.Charge(Request(1, {0}, 2, 12))) << "what was carried counts towards limits";
  EXPECT_EQ(old.Successor().value(), "new.ledger");
}

// The planted fault: a key that does not say which ledger it was makes a second carrying look like a new one.
TEST(LedgerCarrying, TheCheckAboveSeesACarryThatIsNotRecognised) {
  const Scratch scratch;
  Ledger old = Old(scratch), next = OpenOrDie(scratch / "new.ledger", 2);
  LedgerCarry carry = Carried(old);
  ASSERT_TRUE(next.Carry(carry));
  carry.from = "another";
  ASSERT_TRUE(next.Carry(carry));
  EXPECT_EQ(Counts(next.Totals().value().spent), (std::vector<std::int64_t>{24, 14}));
}

// A question is text and nothing else, whatever it begins with.
TEST(LedgerCarrying, NoQuestionCanPassForACarry) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  ChargeRequest request = Request(1, {0, 1}, 2);
  request.question = "carried over from 'old.ledger'";
  ASSERT_TRUE(book.Charge(request));
  EXPECT_FALSE(book.Totals().value().carried);
  EXPECT_FALSE(book.Totals().value().by_cell);
}

TEST(LedgerCarrying, ASealedLedgerTakesAndGivesNothingElse) {
  const Scratch scratch;
  Ledger old = Old(scratch);
  ASSERT_TRUE(old.Seal("new.ledger"));
  const auto elsewhere = old.Seal("other.ledger");
  ASSERT_FALSE(elsewhere);
  EXPECT_NE(elsewhere.error().what.find("new.ledger"), std::string::npos);
  EXPECT_FALSE(old.Charge(Request(1, {0}, 2)));
  EXPECT_FALSE(old.Carry(Carried(old)));
  EXPECT_EQ(Counts(old.Totals().value().spent), (std::vector<std::int64_t>{12, 7}))
      << "what was spent can still be read";
  EXPECT_TRUE(old.Verify());
}

TEST(LedgerCarrying, UnitsThatMovedMayHaveBeenInAnyCell) {
  const Scratch scratch;
  Ledger old = Old(scratch);
  ASSERT_TRUE(old.ReplaceData(0, "", "a"));
  ASSERT_TRUE(old.Moved().value());
  Ledger next = OpenOrDie(scratch / "new.ledger", 2);
  ASSERT_TRUE(next.Charge(Request(3, {1}, 2)));
  ASSERT_TRUE(next.Carry(Carried(old)));
  EXPECT_FALSE(next.Moved().value()) << "the entry of its first data does it";
  ASSERT_TRUE(next.ReplaceData(0, "", "b"));
  EXPECT_TRUE(next.Moved().value());
  EXPECT_EQ(Counts(next.Totals().value().spent), (std::vector<std::int64_t>{15, 15}));
  Ledger used = OpenOrDie(scratch / "used.ledger", 2);
  ASSERT_TRUE(used.ReplaceData(0, "", "c"));
  ASSERT_TRUE(used.Carry(Carried(old)));
  EXPECT_TRUE(used.Moved().value());
  EXPECT_EQ(used.Data()->import, "c") << "the data are the same";
  EXPECT_TRUE(OpenOrDie(scratch / "new.ledger", 2).Verify());
}

TEST(LedgerCarrying, StepsAndOtherCellsCannotBeCarried) {
  const Scratch scratch;
  LedgerBinding steps = Binding(2);
  steps.stream = true;
  Ledger old = Old(scratch), stream = Ledger::Open(scratch / "s.ledger", steps, true).value();
  EXPECT_EQ(stream.Carry(Carried(old)).error().code, Code::kInvalidArgument);
  EXPECT_EQ(OpenOrDie(scratch / "three.ledger", 3).Carry(Carried(old)).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace kith::ledger
